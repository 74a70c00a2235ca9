#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/routing/nonminimal.h"
#include "emulator/routing/routing.h"
#include "emulator/routing/usable_arcs.h"
#include "emulator/topology/kinds/dragonfly.h"

namespace morgana {

/// On a dragonfly. The minimal way between two groups is a local cable to a switch with a cable to the other
/// group, that global cable, and a local cable to the destination's switch; a local cable is left out where
/// the packet is at its end already. Of several global cables between two groups it takes one of its own
/// switch if there is one; else the packet's flow (minimal) or chance decides.
/// A detour goes the minimal way to an intermediate group, chosen by chance for each packet from those that
/// are neither the source's nor the destination's, and from the switch where it enters that group the minimal
/// way on; of several such groups the one whose way weighs least. UGAL and PAR weigh a detour for traffic
/// inside a group, too: through another switch of it, chosen by chance, where the packet enters. Valiant's
/// makes none there.
///
/// Virtual channels ascend on every way, so that no cycle closes (l: a local cable, g: a global one):
///   minimal        l0 g0 l1;
///   UGAL, Valiant  detour l0 g0 l1 g1 l2, minimal l1 g1 l2 (Kim et al., ISCA 2008, figure 7);
///   PAR            detour l1 g0 l2 g1 l3, minimal l0 g1 l3; a packet that turns aside after its first local
///                  cable goes l0 l1 g0 l2 g1 l3;
/// detours inside a group l0 l2, PAR's l1 l3.
///
/// Where cables are off it takes, of global cables between two groups, those behind which a way leads on if
/// there are any; a detour where the minimal way does not lead; and at the switch of its source another one
/// of the group where the cable to the last one is off. What is left (a local cable that is off at the end of
/// a minimal way) has no way: EscapeRouting has. Sources: Kim, Dally, Scott and Abts, "Technology-Driven,
/// Highly-Scalable Dragonfly Topology", ISCA 2008 (minimal, Valiant, UGAL-L, UGAL-G); Jiang, Kim and Dally,
/// "Indirect Adaptive Routing on Large Scale Interconnection Networks", ISCA 2009 (progressive adaptive
/// routing, PAR).
class DragonflyRouting final : public Routing {
 public:
  /// @param graph  as topology::dragonfly or the same cables on other ports
  /// @param usable  which cables are not off
  /// @throws Error if the graph is no such dragonfly
  DragonflyRouting(const SwitchGraph& graph, const Dragonfly& shape, const DetourRules& rules,
                   const ChannelFilter& usable);

  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override;
  bool chooses_by_load() const override {
    return rules_.detours != Detours::never && rules_.detours != Detours::always;
  }
  bool looks_at_other_switches() const override { return rules_.detours == Detours::by_channel; }
  bool keeps_flows_together() const override { return rules_.detours == Detours::never; }
  bool looks_at_inputs() const override { return rules_.detours != Detours::never; }
  unsigned virtual_channels() const override;
  /// Minimal routes: all other ways are made of theirs. Of Valiant and UGAL, l0 g0 leads the minimal way to
  /// the switch where a detour enters its intermediate group, and l1 g1 l2 is the minimal way on; a detour
  /// inside a group is one cable, l0, and then the minimal way. Of PAR, these are l1 g0 and l2 g1 l3 (inside
  /// a group l1), and l0 before them is one cable; after it, g1 l3 is a minimal way as well. On cables of
  /// either kind each part has higher virtual channels than the one before.
  const Routing* parts() const override { return parts_.get(); }

 private:
  /// A global cable, from the group that it leaves.
  struct Exit {
    SwitchPort from;
    SwitchId enters = 0;  ///< of the other group
  };
  /// A way that a packet may take from a switch.
  struct Way {
    Exit exit;
    unsigned hops = 0;  ///< cables between switches, to the destination's switch
    RoutingNote note = 0;
    bool leads = true;  ///< there
  };

  unsigned group(SwitchId at) const { return shape_.group_of(at); }
  std::optional<PortNumber> local_port(SwitchId from, SwitchId to) const {
    return local_ports_[from * shape_.switches_per_group + to % shape_.switches_per_group];
  }
  bool reaches(SwitchId at, const Exit& exit) const {
    return exit.from.at == at || local_port(at, exit.from.at);
  }
  template <typename Visit>
  void for_exits(SwitchId at, unsigned to_group, Visit visit) const;
  bool leads_on(const Exit& exit, SwitchId last) const {
    return group(exit.enters) != group(last) || exit.enters == last || local_port(exit.enters, last);
  }
  std::optional<Exit> exit_for(SwitchId at, unsigned to_group, SwitchId last, std::uint64_t draw) const;
  std::optional<Way> minimal(const RoutedPacket& packet, unsigned candidate) const;
  std::optional<Way> minimal_for(const RoutedPacket& packet, const OutputLoads& loads) const;
  std::optional<Way> detour(const RoutedPacket& packet, unsigned candidate) const;
  std::optional<Way> detour_for(const RoutedPacket& packet, const OutputLoads& loads) const;
  bool may_detour(const RoutedPacket& packet) const;
  bool prefers_detour(SwitchId at, const Way& minimal, const Way& detour, const OutputLoads& loads) const;
  DetourRules::Way weighed(SwitchId at, const Way& way, const OutputLoads& loads) const;
  SwitchPort weighed_output(SwitchId at, const Way& way) const;
  RoutingNote note_after(const RoutedPacket& packet) const;
  std::optional<RoutingChoice> detour_within(const RoutedPacket& packet, unsigned place) const;
  std::optional<RoutingChoice> detour_within_for(const RoutedPacket& packet, bool has_minimal,
                                                 const OutputLoads& loads) const;
  bool may_detour_within(const RoutedPacket& packet) const;
  RoutingChoice inside(const RoutedPacket& packet, PortNumber port) const;
  RoutingChoice through(SwitchId at, const Exit& exit, RoutingNote note) const;
  std::uint64_t draw_for(const RoutedPacket& packet) const;

  Dragonfly shape_;
  DetourRules rules_;
  std::vector<std::vector<Exit>> exits_;                // by group and group
  std::vector<std::optional<PortNumber>> local_ports_;  // by switch, and the other's place in its group
  std::vector<std::uint32_t> first_port_;               // by switch
  std::vector<bool> local_input_;                       // by port of all switches
  std::shared_ptr<const DragonflyRouting> parts_;       // minimal
};

}  // namespace morgana
