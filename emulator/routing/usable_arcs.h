#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "emulator/topology/switch_graph.h"

namespace morgana {

/// Which channels may be used; a cable is used only if both of its directions may be.
using ChannelFilter = std::function<bool(CableChannel)>;

/// A trunk, seen from one of its ends.
struct Arc {
  PortNumber port;
  SwitchPort other;
  CableChannel channel;  ///< that the port sends on
};
using Arcs = std::vector<std::vector<Arc>>;  ///< by switch, then by port

/// The trunks that may be used; a cable from a switch to itself is none.
Arcs usable_arcs(const SwitchGraph& graph, const ChannelFilter& usable);

inline constexpr std::uint32_t unreachable_trunks = std::numeric_limits<std::uint32_t>::max();

/// The fewest trunks from each switch to the nearest of some switches, breadth first; unreachable_trunks
/// where no trunks lead to any.
std::vector<std::uint32_t> trunks_to_nearest(const Arcs& arcs, const std::vector<SwitchId>& targets);

/// The same, for many searches of one graph.
class TrunkSearch {
 public:
  explicit TrunkSearch(const Arcs& arcs);
  std::vector<std::uint32_t> to_nearest(const std::vector<SwitchId>& targets) const;

 private:
  std::vector<std::size_t> first_;    // of each switch, and the end: in the neighbours
  std::vector<SwitchId> neighbours_;  // each once
};

}  // namespace morgana
