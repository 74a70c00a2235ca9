#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// Where messages go. Source: Flich, López, Malumbres and Duato, "Boosting the Performance of Myrinet
/// Networks", 2002, 5.2.
struct TrafficPattern {
  enum class Kind : std::uint8_t {
    uniform,       ///< to every other host alike
    bit_reversal,  ///< to the host whose number has the same bits in reverse; who would be its own sends none
    hotspot,       ///< a share to one host, the rest uniform
    local          ///< to every other host within a distance alike
  } kind = Kind::uniform;
  double share = 0;                         ///< hotspot: more than 0, at most 1
  std::optional<HostNumber> hot_host = {};  ///< hotspot; nothing: drawn from the seed
  /// Local: destinations are at most this many "switches" away ...
  unsigned reach = 0;
  /// ... which are so many cables between switches and this. The paper's figures fit 2 (at most three
  /// switches away: on the same switch or an adjacent one), though its text also counts otherwise.
  unsigned reach_less_cables = 2;
  bool operator==(const TrafficPattern&) const = default;
};

/// Reads "uniform", "bit-reversal", "hotspot:5%", "hotspot:5%@17" (host 17), "local:3" or "local:3-1" (at
/// most 3 - 1 cables). @throws Error for anything else
TrafficPattern parse_pattern(const std::string& text);
std::string to_text(const TrafficPattern& pattern);

/// A pattern on a network, ready to draw destinations from.
class Destinations {
 public:
  /// On any network: uniform, bit reversal and hotspot. @param seed  for a hot host that is not named
  /// @throws Error for fewer than two hosts, bit reversal where the number of hosts is no power of two, a hot
  /// host that there is none, and local
  Destinations(const TrafficPattern& pattern, std::size_t hosts, std::uint64_t seed);
  /// On a network of switches. @throws Error as above, and where a host has no other within reach
  Destinations(const TrafficPattern& pattern, const SwitchGraph& graph, std::uint64_t seed);

  std::size_t hosts() const { return hosts_; }
  const TrafficPattern& pattern() const { return pattern_; }
  /// Whether the host sends at all.
  bool sends(HostNumber from) const;
  /// Another host for the next message of one that sends.
  HostNumber draw(HostNumber from, RandomStream& random) const;
  HostNumber hot_host() const { return hot_host_; }  ///< hotspot only

 private:
  void settle(std::uint64_t seed);
  HostNumber anyone_else(HostNumber from, RandomStream& random) const;

  TrafficPattern pattern_;
  std::size_t hosts_;
  HostNumber hot_host_ = 0;
  unsigned bits_ = 0;                             // of a host's number, for bit reversal
  std::vector<std::vector<HostNumber>> near_;     // local: by switch
  std::vector<std::uint32_t> switch_of_, place_;  // local: by host; its place among those near its switch
};

}  // namespace morgana
