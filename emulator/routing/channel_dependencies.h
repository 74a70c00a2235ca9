#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/routing/routing.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// What a packet holds while it waits: the buffer of one virtual channel where a channel ends.
struct HeldChannel {
  CableChannel channel = 0;
  VirtualChannel virtual_channel = 0;
  auto operator<=>(const HeldChannel&) const = default;
};

/// Which (channel, virtual channel) packets may want while they hold another one. Without a cycle of such
/// dependencies there is no deadlock (Dally and Seitz, "Deadlock-Free Message Routing in Multiprocessor
/// Interconnection Networks", 1987; with a choice of outputs a cycle is a warning, not a proof).
class ChannelDependencies {
 public:
  /// Keeps a reference to the graph. @param virtual_channels  of every channel, at least 1
  ChannelDependencies(const SwitchGraph& graph, unsigned virtual_channels);

  /// @param held  leads to the switch that sends on `wanted`
  void add(const HeldChannel& held, const HeldChannel& wanted);
  /// All of a switch's outputs that packets may want: a bit for each, as in add(). To be taken from
  /// no_outputs(), and filled by want().
  using Outputs = std::vector<std::uint64_t>;
  Outputs no_outputs(SwitchId at) const;
  void want(Outputs& outputs, const HeldChannel& wanted) const;
  /// @param held  leads to the switch whose outputs these are
  void add_all(const HeldChannel& held, const Outputs& wanted);

  /// A cycle: each entry may be held while the next one is wanted, and the last one while the first is. As
  /// short as possible through one of its channels; empty if there is none.
  std::vector<HeldChannel> cycle() const;

 private:
  using Node = std::uint32_t;  // channel and virtual channel
  static constexpr Node none = ~Node{0};
  Node node_of(const HeldChannel& held) const {
    return held.channel * virtual_channels_ + held.virtual_channel;
  }
  HeldChannel held_of(Node node) const {
    return {node / virtual_channels_, static_cast<VirtualChannel>(node % virtual_channels_)};
  }
  std::size_t bit_of(const HeldChannel& wanted) const {
    return std::size_t{graph_.sending_port(wanted.channel).port} * virtual_channels_ + wanted.virtual_channel;
  }
  std::size_t nodes() const { return graph_.channels() * virtual_channels_; }
  Node next_wanted(Node held, Node after) const;
  Node node_of_a_cycle() const;
  std::vector<Node> shortest_cycle(Node start) const;

  const SwitchGraph& graph_;
  unsigned virtual_channels_;
  std::vector<std::size_t> first_word_;  // of each channel, and the end: where its nodes' bits begin
  std::vector<std::uint64_t> wanted_;    // by node: a bit for each output and virtual channel of its switch
};

/// One step of a cycle that a routing allows.
struct RoutingDependency {
  HeldChannel holds, wants;
  HostNumber to = 0;  ///< the destination of a packet that may hold the one and want the other
  bool operator==(const RoutingDependency&) const = default;
};

/// Whether packets can wait for each other in a cycle: every choice that the routing may make is followed,
/// from every switch with hosts to every destination. Packets enter on virtual channel 0.
/// @return a cycle, each entry wanting what the next one holds; empty: the routing is free of deadlock
std::vector<RoutingDependency> find_deadlock(const SwitchGraph& graph, const Routing& routing);

/// A line for each dependency: "switch 0 port 2 -> switch 1 port 3 (VC 0) is held while ... (VC 1) is wanted,
/// by packets for host 5". Virtual channels are left out of routings that use one.
std::string describe(const SwitchGraph& graph, const Routing& routing,
                     const std::vector<RoutingDependency>& cycle);

/// @param what  names the combination: "topology ring with minimal routes"
/// @throws Error with the cycle, if there is one
void require_deadlock_free(const SwitchGraph& graph, const Routing& routing, const std::string& what);

/// The channels that a packet crosses, from its host's to the one that leads to its destination.
/// @param routing  deterministic
/// @throws Error if no way leads there, and if the way leads round in a circle
std::vector<HeldChannel> path_of(const SwitchGraph& graph, const Routing& routing, HostNumber from,
                                 HostNumber to, std::uint64_t flow = 0);

}  // namespace morgana
