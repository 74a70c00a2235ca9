#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/routing/nonminimal.h"
#include "emulator/routing/routing.h"
#include "emulator/routing/topologies/hyperx_cables.h"

namespace morgana {

/// DAL on a HyperX: dimensionally adaptive, load-balanced. At every switch a packet takes, of the dimensions
/// in which it is not where its destination is, the cable that ends one (a minimal one), or in one of them a
/// cable to another switch of the line (a deroute): at most one deroute in each dimension, which a bit for
/// each dimension in the packet notes. Of the cables of either kind it looks at the one with the shortest
/// wait, and DetourRules weighs the two by the cables that are left then. Source: Ahn, Binkert, Davis,
/// McLaren and Schreiber, "HyperX: Topology, Routing, and Packaging of Efficient Large-Scale Networks", SC
/// 2009.
///
/// A packet's n-th cable between switches is on virtual channel n, from 0: two for each dimension of three
/// switches or more, one for a dimension of two, where there is nothing to deroute through. The paper escapes
/// from deadlock by a channel in dimension order; ascending channels need no condition on buffers (McDonald,
/// Isaev, Flores, Davis and Kim, "Practical and Efficient Incremental Adaptive Routing for HyperX Networks",
/// SC 2019, section 4, on what escape channels cost DAL).
class DalRouting final : public Routing {
 public:
  /// @param graph  of this grid, as for HyperXRouting. @param rules  how deroutes are weighed
  /// @param usable  a cable is left out if it is not: a packet that finds none has no choice, at its first
  /// switch or on its way, and EscapeRouting leads it on
  /// @throws Error if the graph has other switches, or the grid more than eight dimensions of more than one
  DalRouting(const SwitchGraph& graph, const Grid& grid, const DetourRules& rules,
             const ChannelFilter& usable);

  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override;
  bool chooses_by_load() const override { return true; }
  bool keeps_flows_together() const override { return false; }
  unsigned virtual_channels() const override { return most_cables_; }
  /// Dimension order: each cable of a way is the way of that between the cable's ends, on a virtual channel
  /// above that of the cable before.
  const Routing* parts() const override { return parts_.get(); }

 private:
  using Derouted = std::uint32_t;  // a bit for each dimension
  struct Kind {
    bool deroutes = false;
    std::size_t dimension = 0;
    unsigned to = 0;  // coordinate
  };

  template <typename Visit>
  void for_lines(SwitchId at, SwitchId last, Derouted derouted, Visit visit) const;
  unsigned dimensions() const { return static_cast<unsigned>(cables_.dimensions()); }
  Derouted derouted_of(const RoutedPacket& packet) const { return packet.note & ((1U << dimensions()) - 1); }
  RoutingChoice choice(const RoutedPacket& packet, const Kind& kind, PortNumber port) const;

  HyperXCables cables_;
  DetourRules rules_;
  unsigned most_cables_ = 0;
  std::shared_ptr<const Routing> parts_;
};

}  // namespace morgana
