#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// Where messages go. Sources: Flich, López, Malumbres and Duato, "Boosting the Performance of Myrinet
/// Networks", 2002, 5.2 (the first four); Dally and Towles, "Principles and Practices of Interconnection
/// Networks", 2004, table 3.1 (permutations by bits and digits); Kim, Dally, Scott and Abts, ISCA 2008 (next
/// group: the worst case of a dragonfly). A host that would send to itself sends nothing.
struct TrafficPattern {
  enum class Kind : std::uint8_t {
    uniform,       ///< to every other host alike
    bit_reversal,  ///< to the host whose number has the same bits in reverse; who would be its own sends none
    hotspot,       ///< a share to one host, the rest uniform
    local,         ///< to every other host within a distance alike
    bit_complement,      ///< host s of N to N - 1 - s: all bits turned where N is a power of two
    transpose,           ///< N = n n: host x + n y to y + n x
    tornado,             ///< along each of `sides`, ceil(side / 2) - 1 further on, round the end
    neighbour,           ///< along each of `sides`, 1 further on, round the end
    random_permutation,  ///< a permutation drawn from the seed, in which no host has itself
    permutation,         ///< the one in `file`
    next_group,          ///< to every host of the next group of `group` hosts alike
    group_to_group,      ///< from the hosts of one group to all hosts of another alike; others send nothing
    incast,              ///< from `senders` hosts drawn from the seed to one; others send nothing
    all_to_all           ///< to all others, one after the other: n-th message of host s to s + 1 + n
  } kind = Kind::uniform;
  double share = 0;                         ///< hotspot: more than 0, at most 1
  std::optional<HostNumber> hot_host = {};  ///< hotspot and incast; nothing: drawn from the seed
  /// Local: destinations are at most this many "switches" away ...
  unsigned reach = 0;
  /// ... which are so many cables between switches and this. The paper's figures fit 2 (at most three
  /// switches away: on the same switch or an adjacent one), though its text also counts otherwise.
  unsigned reach_less_cables = 2;
  /// Tornado and neighbour: a grid of blocks of equally many hosts, which keep their place in the block.
  /// Empty: one ring of all hosts.
  std::vector<unsigned> sides = {};
  unsigned group = 0;                     ///< hosts of a group, > 0
  unsigned from_group = 0, to_group = 0;  ///< group to group: different ones
  unsigned senders = 0;                   ///< incast, > 0
  std::string file = {};                  ///< permutation: a host's number in each line, for host 0, 1, ...
  bool operator==(const TrafficPattern&) const = default;
};

/// Reads "uniform", "bit-reversal", "hotspot:5%", "hotspot:5%@17" (host 17), "local:3" or "local:3-1" (at
/// most 3 - 1 cables), "bit-complement", "transpose", "tornado" or "tornado:8x8", "neighbour" or
/// "neighbour:8x8", "random-permutation", "permutation:FILE", "next-group:32" (hosts of a group),
/// "group-to-group:32@0-1" (from group 0 to 1), "incast:16" or "incast:16@3" (to host 3), "all-to-all".
/// @throws Error for anything else
TrafficPattern parse_pattern(const std::string& text);
std::string to_text(const TrafficPattern& pattern);

/// A pattern on a network, ready to draw destinations from.
class Destinations {
 public:
  /// On any network, but not local. @param seed  for hosts and permutations that are drawn
  /// @throws Error for fewer than two hosts, a number of hosts that the pattern is not made for, a host or
  /// group that there is none, a file that is no permutation, and local
  Destinations(const TrafficPattern& pattern, std::size_t hosts, std::uint64_t seed);
  /// On a network of switches. @param hosts  the first so many take part; 0: all
  /// @throws Error as above, and where a host has no other within reach
  Destinations(const TrafficPattern& pattern, const SwitchGraph& graph, std::uint64_t seed,
               std::size_t hosts = 0);

  std::size_t hosts() const { return hosts_; }
  const TrafficPattern& pattern() const { return pattern_; }
  /// Whether the host sends at all.
  bool sends(HostNumber from) const;
  /// Another host for the next message of one that sends. @param number  of the host's message, from 0
  HostNumber draw(HostNumber from, RandomStream& random, std::uint64_t number = 0) const;
  HostNumber hot_host() const { return hot_host_; }  ///< hotspot and incast only

 private:
  void settle(std::uint64_t seed);
  void settle_groups();
  void settle_hot_host(std::uint64_t seed);
  HostNumber anyone_else(HostNumber from, RandomStream& random) const;

  TrafficPattern pattern_;
  std::size_t hosts_;
  HostNumber hot_host_ = 0;
  std::vector<HostNumber> permutation_;        // by host, of patterns that are one; itself: it sends nothing
  std::vector<bool> silent_;                   // by host; empty: none by choice
  std::vector<std::vector<HostNumber>> near_;  // local: by switch
  std::vector<std::uint32_t> switch_of_, place_;  // local: by host; its place among those near its switch
};

}  // namespace morgana
