#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/routing/forwarding_table.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/fault.h"

namespace morgana::ethernet {

/// Which way frames go between switches.
enum class Routes : std::uint8_t {
  spanning_tree,  ///< IEEE 802.1D: along a tree, whatever other trunks there are
  shortest        ///< over the fewest trunks, each way by itself
};

/// The tables of all switches, and how faults change them: from a fault until `convergence` later they are as
/// before; then they lead round what has died. They know all hosts from the start (no frame is flooded).
class SwitchTables {
 public:
  /// @param root  of the spanning tree
  SwitchTables(const CabledGraph& network, Routes routes, SwitchId root, const NetworkFaults& faults,
               SimTime convergence);
  /// The tables that hold for frames offered at `when`, numbered from 0 in the order in which they come.
  std::uint32_t in_force(SimTime when) const {
    auto tables = static_cast<std::uint32_t>(epochs_.size() - 1);
    while (epochs_[tables].from > when) --tables;
    return tables;
  }
  /// The port towards another switch; nothing if no way is left.
  std::optional<PortNumber> towards(SwitchId at, SwitchId to, std::size_t tables) const {
    return epochs_[tables].table.towards(at, to);
  }
  /// Whether the way between two switches has always been the same from some tables to later ones.
  bool same_way(SwitchId from, SwitchId to, std::size_t first, std::size_t last) const;

 private:
  struct Epoch {
    SimTime from;
    ForwardingTable table;
  };
  SwitchGraph graph_;
  std::vector<Epoch> epochs_;  // by time; the first is from ever
};

}  // namespace morgana::ethernet
