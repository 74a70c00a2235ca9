#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/routing/equal_ports.h"
#include "emulator/routing/nonminimal.h"
#include "emulator/routing/routing.h"

namespace morgana {

/// Minimal, Valiant and UGAL ways of any network: over the fewest cables, or through an intermediate switch
/// that is drawn for each packet (or the best of several) from all others that have hosts, over the fewest
/// cables to it and on from it. Whether a packet makes a detour is decided at its first switch: always; by
/// the waits for the outputs of the two ways there (UGAL-L); or by the sums of the waits for all outputs of
/// the two ways (UGAL-G), which are known because a packet's number decides between equally good ports. Of
/// minimal ways alone the packet's flow decides.
///
/// Virtual channels by phase where shortest ways close no cycle on one (fat trees, dragonfly-plus): 0 on the
/// way to the intermediate switch, 1 on the way to the destination. Else by hops: a packet's n-th cable is on
/// virtual channel n, from 0, so that channels ascend along every way. A packet that would need more than
/// virtual_channels() (of another table's detour) has no choice.
///
/// Sources: Besta and Hoefler, "Slim Fly: A Cost Effective Low-Diameter Network Topology", SC 2014, section
/// IV (all of these on Slim Fly, channels by hops: 2 for minimal ways and 4 for others; UGAL there has four
/// candidates); Singh, "Load-Balanced Routing in Interconnection Networks",
/// Stanford, 2005 (UGAL); Günther, "Prevention of Deadlocks in Packet-Switched Data Transport Systems", IEEE
/// TCOM 29(4), 1981 (channels by hops).
class HopRouting final : public Routing {
 public:
  /// @param rules  detours never, always, by_output or by_channel
  /// @param usable  ways are over the cables that are
  /// @throws Error if it takes more than 255 virtual channels
  HopRouting(const SwitchGraph& graph, const DetourRules& rules, const ChannelFilter& usable);

  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override;
  bool chooses_by_load() const override { return by_load(); }
  bool looks_at_other_switches() const override { return rules_.detours == Detours::by_channel; }
  bool keeps_flows_together() const override { return rules_.detours == Detours::never; }
  unsigned virtual_channels() const override { return channels_; }
  /// By hops, of a network too large to follow each detour: minimal ways alone.
  const Routing* parts() const override { return parts_.get(); }
  /// By phase: both parts of a way are shortest ways from one switch with hosts to another, which close no
  /// cycle.
  Layers layers() const override { return {shortest_.get(), nullptr}; }
  bool by_phase() const { return by_phase_; }

 private:
  /// What a packet notes.
  struct Way {
    unsigned crossed = 0;         ///< cables between switches so far
    std::uint32_t via_plus1 = 0;  ///< place among ends_ of the intermediate switch that lies ahead; 0: none
  };
  static Way way_of(RoutingNote note) { return {note & 0xffU, note >> 9}; }
  static RoutingNote note_of(const Way& way) { return way.crossed | 1U << 8 | way.via_plus1 << 9; }

  bool by_load() const {
    return rules_.detours == Detours::by_output || rules_.detours == Detours::by_channel;
  }
  unsigned hops(SwitchId from, SwitchId to) const { return hops_[end_of_[to] * switches_ + from]; }
  bool leads(SwitchId from, SwitchId to) const { return hops(from, to) != far; }
  bool may_go_by(SwitchId via, const RoutedPacket& packet) const;
  std::optional<std::uint32_t> drawn_for(const RoutedPacket& packet, unsigned candidate) const;
  PortNumber port(SwitchId at, SwitchId to, const RoutedPacket& packet) const;
  SimTime waits(SwitchId from, SwitchId to, const RoutedPacket& packet, const OutputLoads& loads) const;
  SimTime weight(std::uint32_t via, const RoutedPacket& packet, const OutputLoads& loads) const;
  SimTime weight_of_minimal(const RoutedPacket& packet, const OutputLoads& loads) const;
  std::optional<std::uint32_t> detour_for(const RoutedPacket& packet, const OutputLoads& loads) const;
  Way arrived(Way way, SwitchId at) const;
  std::optional<RoutingChoice> choice(const Way& way, PortNumber port) const;

  static constexpr std::uint8_t far = 0xff;

  EqualPorts ports_;
  DetourRules rules_;
  std::size_t switches_;
  std::vector<SwitchId> ends_;               // switches with hosts, or all if none has any
  std::vector<std::uint32_t> end_of_;        // by switch: its place among them
  std::vector<std::uint8_t> hops_;           // by end, then by switch
  std::vector<std::vector<SwitchId>> next_;  // by switch and port, for UGAL-G
  bool by_phase_ = false;
  unsigned channels_ = 1;
  std::shared_ptr<const Routing> parts_, shortest_;
};

}  // namespace morgana
