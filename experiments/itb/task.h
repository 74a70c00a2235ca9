#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace morgana::itb_paper {

/// Something to be found out about a network. What is left to chance follows from the seed: which irregular
/// network, routes, hot host, when hosts begin.
struct PaperTask {
  enum class Kind : std::uint8_t {
    counts,      ///< of graph and routes: nothing is sent
    saturation,  ///< of both kinds of routes; of uniform traffic also latencies at low loads
    load,        ///< one load: utilisation of cables, in-transit buffers
    delay,       ///< of one in-transit host, on a quiet network
    testbed      ///< half round trips between real interfaces, as modelled
  } kind = Kind::counts;
  std::string network = {};         ///< as for named_network
  std::string pattern = "uniform";  ///< as for parse_pattern; counts: local and bit reversal too
  std::int64_t length = 512;        ///< of messages, in bytes
  std::string routes = "up-down";   ///< load: as for parse_route_kind
  double load = 0;                  ///< load: flits/ns/switch
  bool of_the_knee = false;         ///< load: as a share of the load at which latency has doubled
  std::uint64_t messages = 0;       ///< load: how many; 0: as many as usual
  bool one_routing_unit = false;    ///< a switch routes one header at a time
};
/// "saturation of torus, uniform, 512 B": different for different tasks.
std::string to_text(const PaperTask& task);

/// How long each load is measured.
struct Effort {
  std::uint64_t messages = 20'000;      ///< per load
  std::uint64_t most_messages = ~0ull;  ///< of tasks that say how many
};

/// Loads at which latencies are compared, in addition to the lowest load: in % of the highest traffic that
/// up*/down* routes accept.
constexpr int low_shares[] = {10, 20, 30};

/// Carries out a task. Loads and accepted traffic are in flits/ns/switch.
/// @return the task's figures by name. The names, by kind of task:
/// - counts: minimal, legal, share, in_transit, fixed: means of four networks
/// - saturation, with R for up-down and in-transit: R.peak (highest accepted traffic), R.knee (load at which
///   latency has doubled), R.sustained (highest accepted traffic of the loads of which 95 % are accepted,
///   counting hosts that send), R.points (number of loads), and of load I: R.load.I, R.accepted.I,
///   R.latency.I (ns). Quotients of in-transit over up-down: factor (of the peaks), knee_factor,
///   sustained_factor (missing without a sustained load). Uniform traffic only: change (of latency, %) at
///   the lowest load of both searches, low_share (that load in % of up-down.peak), change.S at low_shares
/// - load: load, accepted, latency (ns), most_packets, overflows. Of interface I < interfaces:
///   mean_packets.I, most_packets.I. Utilisation of cables between switches: least, greatest, root (the
///   busiest one there), below_10 (share of cables), express and others (means), links (their number),
///   link.I; hot_switch
/// - delay: ns
/// - testbed: as testbed_figures
std::map<std::string, double> carry_out(const PaperTask& task, const Effort& effort, std::uint64_t seed);

}  // namespace morgana::itb_paper
