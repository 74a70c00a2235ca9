#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/routing/make_routing.h"
#include "emulator/routing/routing.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/fault.h"

namespace morgana {

/// The routing tables of all switches, and how faults change them. After a fault the tables stay unchanged
/// for `convergence`; then they lead around the failed cables. Equal sets of failed cables between switches
/// share one Routing object. The tables know all hosts from the start (no frame is flooded).
class SwitchTables {
 public:
  SwitchTables(const CabledGraph& network, const RoutesParameters& parameters, const NetworkFaults& faults,
               SimTime convergence);
  /// With one routing that never changes.
  SwitchTables(const CabledGraph& network, std::shared_ptr<const Routing> routing)
      : graph_(network.graph), epochs_{{SimTime::from_ps(-1), std::move(routing)}} {}
  /// The tables that hold for frames offered at `when`, numbered from 0 in the order in which they come.
  std::uint32_t in_force(SimTime when) const {
    auto tables = static_cast<std::uint32_t>(epochs_.size() - 1);
    while (epochs_[tables].from > when) --tables;
    return tables;
  }
  const Routing& routing(std::size_t tables) const { return *epochs_[tables].routing; }
  std::size_t count() const { return epochs_.size(); }
  /// That any of the tables uses.
  unsigned virtual_channels() const;
  /// Whether the way between two hosts has always been the same from some tables to later ones.
  bool same_way(HostNumber from, HostNumber to, std::size_t first, std::size_t last) const;
  /// Frames between two hosts, one way, are a flow.
  static std::uint64_t flow_of(HostNumber from, HostNumber to) { return std::uint64_t{from} << 32 | to; }

 private:
  struct Epoch {
    SimTime from;
    std::shared_ptr<const Routing> routing;
  };
  SwitchGraph graph_;
  std::vector<Epoch> epochs_;  // by time; the first is from ever
};

}  // namespace morgana
