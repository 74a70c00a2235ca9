#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
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
  /// Another routing, the same for ever.
  SwitchTables(const CabledGraph& network, std::shared_ptr<const Routing> routing)
      : graph_(network.graph), epochs_{{SimTime::from_ps(-1), std::move(routing)}} {}
  /// The tables that hold for frames offered at `when`, numbered from 0 in the order in which they come.
  std::uint32_t in_force(SimTime when) const {
    auto tables = static_cast<std::uint32_t>(epochs_.size() - 1);
    while (epochs_[tables].from > when) --tables;
    return tables;
  }
  const Routing& routing(std::size_t tables) const { return *epochs_[tables].routing; }
  /// Whether the way between two switches has always been the same from some tables to later ones.
  bool same_way(SwitchId from, SwitchId to, std::size_t first, std::size_t last) const;

 private:
  struct Epoch {
    SimTime from;
    std::shared_ptr<const Routing> routing;
  };
  SwitchGraph graph_;
  std::vector<Epoch> epochs_;  // by time; the first is from ever
};

}  // namespace morgana::ethernet
