#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/routing/usable_arcs.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// For each pair of switches the ports of the first by which the fewest trunks lead to the second: one port,
/// or several equally good ones. Pairs with the same ports share a list, so that a fat tree of 1,024 switches
/// takes 4 MB.
class EqualPorts {
 public:
  enum class Order : std::uint8_t {
    ascending,  ///< by their numbers
    /// The first cable to each neighbour, then the second to each, and so on; neighbours by their first port.
    /// Without parallel cables the same as ascending.
    neighbours_alternately,
  };
  EqualPorts(const SwitchGraph& graph, const ChannelFilter& usable, Order order = Order::ascending);

  /// In that order; empty if no way leads there, from a switch to itself, and, where any switch has hosts,
  /// to one that has none.
  std::span<const PortNumber> towards(SwitchId at, SwitchId to) const {
    const PortNumber* const list = lists_.data() + list_[at * switches_ + to];
    return {list + 1, *list};
  }

 private:
  std::size_t switches_;
  std::vector<std::uint32_t> list_;  // of each pair: where its list stands
  std::vector<PortNumber> lists_;    // each with its length in front; [0] is the empty one
};

}  // namespace morgana
