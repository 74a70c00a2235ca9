#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/routing/usable_arcs.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// The cables of a network, each with an upper end. Levels are distances from the lowest switch of each part
/// of the network; the upper end of a cable is the switch on the lower level, or of two on the same level the
/// one with the lower number. Where cables are off, each switch that has lost all its cables up, and is not
/// the first of its part, moves behind the first of its neighbours, if that one has another cable up. If one
/// has none, levels are found anew from the cables that are left.
class UpDownOrder {
 public:
  /// @param usable  which cables count; none given: all
  explicit UpDownOrder(const SwitchGraph& graph, const ChannelFilter& usable = {});
  const Arcs& arcs() const { return arcs_; }
  bool leads_up(SwitchId from, const Arc& arc) const { return place_[arc.other.at] < place_[from]; }
  /// All switches, each after those above it.
  const std::vector<SwitchId>& switches() const { return switches_; }

 private:
  Arcs arcs_;
  std::vector<SwitchId> switches_;
  std::vector<std::uint32_t> place_;  // of each switch among them
};

/// Up*/down* ways by destination, over the cables that are not off. A switch from which cables lead down to
/// the destination sends down over the fewest of them; another one sends up, over the fewest cables of all.
/// Of equally good cables a hash of the two switches takes one. No way goes up after it has gone down, so
/// that no cycle closes on one virtual channel, and a way leads wherever the cables do. Ways to a destination
/// are worked out when they are first asked for. Source: Schroeder et al., "Autonet: A High-Speed,
/// Self-Configuring Local Area Network Using Point-to-Point Links", IEEE JSAC 9(8), 1991.
///
/// They keep the whole network's order if it joins all that the cables join, which is so if each part has one
/// switch with no cable up. All ways that keep it, whatever is off for each, close no cycle together. Where
/// a switch has lost all its cables up they have an order of their own: those ways and others' can close a
/// cycle together.
class UpDownWays {
 public:
  /// @param whole  of the whole network
  UpDownWays(const SwitchGraph& graph, std::shared_ptr<const UpDownOrder> whole, const ChannelFilter& usable);
  bool keep_order() const { return keep_order_; }
  /// The port of a switch towards another one; nothing if no way leads there.
  std::optional<PortNumber> towards(SwitchId at, SwitchId to) const;

 private:
  using Ports = std::vector<std::optional<PortNumber>>;  // by switch

  template <typename Visit>
  void for_arcs(SwitchId at, bool up, Visit visit) const;
  bool order_joins_all() const;
  Ports ports_to(SwitchId to) const;
  void choose_ports(SwitchId to, const std::vector<bool>& above, std::vector<std::uint32_t>& hops,
                    Ports& ports) const;

  std::shared_ptr<const UpDownOrder> order_;
  std::vector<bool> on_;  // by channel between switches
  bool keep_order_;
  mutable std::unordered_map<SwitchId, Ports> ways_;  // by destination: those asked for so far
};

}  // namespace morgana
