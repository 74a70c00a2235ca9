#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/routing/equal_ports.h"
#include "emulator/routing/routing.h"

namespace morgana {

/// Over the fewest trunks, by any of the ports that lead there: what the routings below have in common.
class MultipathRouting : public Routing {
 public:
  MultipathRouting(const SwitchGraph& graph, const ChannelFilter& usable,
                   EqualPorts::Order order = EqualPorts::Order::ascending)
      : ports_(graph, usable, order) {}
  bool looks_at_inputs() const override { return false; }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    for (const PortNumber port : ports_.towards(packet.input.at, packet.last_switch)) visit({port});
  }

 protected:
  std::span<const PortNumber> ports(const RoutedPacket& packet) const {
    return ports_.towards(packet.input.at, packet.last_switch);
  }

 private:
  EqualPorts ports_;
};

/// Equal-cost multi-path: each switch hashes a packet's flow and takes the port that the hash names, so that
/// a flow keeps to one path and different flows spread by chance. Every switch hashes differently, or flows
/// that one switch has separated would all meet again at the next. Source: RFC 2992, with another hash.
class EcmpRouting final : public MultipathRouting {
 public:
  /// @param seed  of all switches' hashes
  EcmpRouting(const SwitchGraph& graph, const ChannelFilter& usable, std::uint64_t seed)
      : MultipathRouting(graph, usable), seed_(seed) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;

 private:
  std::uint64_t seed_;
};

/// Packet spraying: chance decides for each packet, so that packets of one flow may overtake each other.
class SprayRouting final : public MultipathRouting {
 public:
  /// @param seed  of what is drawn
  SprayRouting(const SwitchGraph& graph, const ChannelFilter& usable, std::uint64_t seed)
      : MultipathRouting(graph, usable), seed_(seed) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;
  bool keeps_flows_together() const override { return false; }

 private:
  std::uint64_t seed_;
};

/// Packet spraying without chance: each switch deals the packets that may take the same ports out to them one
/// after the other, from the lowest port on. Source: RFC 2991, section 2 (round-robin; there with a counter
/// for each route, here with one for each set of ports).
class RoundRobinRouting final : public MultipathRouting {
 public:
  RoundRobinRouting(const SwitchGraph& graph, const ChannelFilter& usable)
      : MultipathRouting(graph, usable), next_(graph.switches()) {}
  /// Counts the packet: to be asked once for each.
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;
  /// What it chooses depends on when it is asked.
  bool chooses_by_load() const override { return true; }

 private:
  mutable std::vector<std::unordered_map<const PortNumber*, std::uint32_t>>
      next_;  // by switch, then by ports
};

/// Flowlet switching: each switch draws a port for each flowlet, a burst of a flow between idle gaps. If gaps
/// are longer than paths differ, packets of a flow keep their order. Source: Vanini et al., "Let It Flow:
/// Resilient Asymmetric Load Balancing with Flowlet Switching", USENIX NSDI 2017.
class FlowletRouting final : public MultipathRouting {
 public:
  /// @param seed  of what is drawn
  FlowletRouting(const SwitchGraph& graph, const ChannelFilter& usable, std::uint64_t seed)
      : MultipathRouting(graph, usable), seed_(seed) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;
  bool keeps_flows_together() const override { return false; }
  bool spreads_flowlets() const override { return true; }

 private:
  std::uint64_t seed_;
};

/// Of two ports drawn by chance for each packet the one that is free sooner, the first if both are. Source:
/// Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", IEEE TPDS 12(10), 2001.
class TwoChoicesRouting final : public MultipathRouting {
 public:
  TwoChoicesRouting(const SwitchGraph& graph, const ChannelFilter& usable, std::uint64_t seed)
      : MultipathRouting(graph, usable), seed_(seed) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;
  bool chooses_by_load() const override { return true; }

 private:
  std::uint64_t seed_;
};

/// D-mod-K: the destination's number decides. Levels are distances from the nearest switch with hosts; a
/// switch of level l with n equal ports takes port number (destination / W) mod n of them, where W is the
/// product of the numbers of parents of the levels below l. Port k w + b of the n is cable k to neighbour b
/// of w: on the way up that is cable (destination / (W w)) mod p to parent (destination / W) mod w; on the
/// way down, where one neighbour is left, cable (destination / W) mod p, with the parent's W = the child's W
/// w: a destination goes down by the cable that its number would take up. In a fat tree whose hosts are
/// numbered leaf by leaf every destination has one path down from the roots, and shifts of all hosts by the
/// same number meet nowhere, parallel cables or not. Sources: Zahavi, "Fat-Tree Routing and Node Ordering
/// Providing Contention Free Traffic for MPI Global Collectives", JPDC 72(11), 2012; for parallel cables his
/// PGFT, "D-Mod-K Routing Providing Non-Blocking Traffic for Shift Permutations on Real Life Fat Trees",
/// 2010. S-mod-K is the same with the source's number: every source has one path up to the roots.
class ModKRouting final : public MultipathRouting {
 public:
  enum class End : std::uint8_t { source, destination };
  /// @param lowest_hosts  RoutesParameters::lowest_hosts
  ModKRouting(const SwitchGraph& graph, const ChannelFilter& usable, End end, std::size_t lowest_hosts = 0);
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;

 private:
  End end_;
  std::vector<std::uint32_t> divisor_;  // of each switch
};

/// The output that is free soonest, of equal ones the lowest port: packets of one flow may overtake each
/// other.
class LeastLoadedRouting final : public MultipathRouting {
 public:
  using MultipathRouting::MultipathRouting;
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;
  bool chooses_by_load() const override { return true; }
};

}  // namespace morgana
