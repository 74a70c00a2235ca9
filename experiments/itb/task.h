#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace morgana::itb_paper {

/// Something to be found out about a network. What is left to chance follows from the seed: which irregular
/// network, routes, hot host, when hosts begin.
struct Task {
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
std::string to_text(const Task& task);

/// How long each load is measured.
struct Effort {
  std::uint64_t messages = 20'000;      ///< per load
  std::uint64_t most_messages = ~0ull;  ///< of tasks that say how many
};

/// Loads at which latencies are compared in addition to the lowest, in % of the highest traffic that
/// up*/down* routes accept.
constexpr int low_shares[] = {10, 20, 30};

/// Names of the figures, by kind:
/// - counts: minimal, legal, share, in_transit, fixed: means of four networks
/// - saturation: R.peak, R.knee, R.sustained (the highest accepted traffic of loads of which 95 % are, of
/// hosts that send), R.points, R.load.I, R.accepted.I, R.latency.I (ns) with R up-down or
///   in-transit; factor (of the peaks), knee_factor, sustained_factor (if one is accepted whole); of uniform
///   traffic, change (of latency, %) at the lowest load of both searches, low_share (that load in % of
///   up-down.peak) and change.S at low_shares
/// - load: load (flits/ns/switch), accepted, latency (ns), most_packets, overflows; of interfaces,
/// mean_packets.I and most_packets.I,
///   I < interfaces; of cables between switches: least, greatest, root (the busiest one there), below_10
///   (share), express and others (means), links, link.I; hot_switch
/// - delay: ns
/// - testbed: as testbed_figures
std::map<std::string, double> carry_out(const Task& task, const Effort& effort, std::uint64_t seed);

}  // namespace morgana::itb_paper
