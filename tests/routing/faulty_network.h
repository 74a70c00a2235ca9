#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/routing/make_routing.h"
#include "emulator/topology/cabled_graph.h"

namespace morgana {

/// A network of a known shape, whose cables may be off.
struct FaultyNetwork {
  SwitchGraph graph;
  RoutedShape shape;
  std::vector<bool> on;  // by channel

  /// One cable at random, or each with this probability.
  void fail(RandomStream& random, double probability) {
    on.assign(graph.channels(), true);
    const std::size_t only = graph.cables().empty() ? 0 : random.below(graph.cables().size());
    for (std::size_t n = 0; n < graph.cables().size(); ++n) {
      const auto& [a, b] = graph.cables()[n];
      if (probability == 0 ? n == only : random.chance(probability))
        on[graph.channel_from(a)] = on[graph.channel_from(b)] = false;
    }
  }
  ChannelFilter usable() const {
    return [this](CableChannel channel) { return on[channel]; };
  }
  std::shared_ptr<const Routing> routing(RoutesKind routes) const {
    return make_routing(CabledGraph::uniform(graph, {BitRate(1'000'000'000), SimTime::from_ps(1)}),
                        {.routes = routes, .shape = shape}, usable());
  }
};

/// Waits by chance, other ones at each question.
class WaitsByChance final : public OutputLoads {
 public:
  explicit WaitsByChance(RandomStream& random) : random_(random) {}
  SimTime wait(SwitchPort) const override {
    return SimTime::from_ps(static_cast<std::int64_t>(random_.below(1'000)));
  }

 private:
  RandomStream& random_;
};

/// Whether a packet gets there; each choice must be among those that a proof follows, and its cable on.
inline bool arrives(const FaultyNetwork& network, const Routing& routing, HostNumber from, HostNumber to,
                    RandomStream& random) {
  const SwitchGraph& graph = network.graph;
  const WaitsByChance loads(random);
  RoutedPacket packet{.input = graph.port_of(from),
                      .source = from,
                      .destination = to,
                      .last_switch = graph.port_of(to).at,
                      .flow = random.next(),
                      .number = random.next()};
  for (std::size_t cables = 0; packet.input.at != packet.last_switch; ++cables) {
    const auto choice = routing.choose(packet, loads);
    if (!choice) return false;
    bool listed = false;
    routing.for_every_choice(packet, [&](const RoutingChoice& one) { listed = listed || one == *choice; });
    EXPECT_TRUE(listed);
    EXPECT_LT(choice->virtual_channel, routing.virtual_channels());
    const SwitchPort output{packet.input.at, choice->port};
    EXPECT_TRUE(network.on[graph.channel_from(output)]) << "into a dead cable";
    packet.input = graph.neighbour(output).switch_port();
    packet.virtual_channel = choice->virtual_channel;
    packet.note = choice->note;
    if (cables > 4 * graph.switches()) {
      ADD_FAILURE() << "round and round";
      return false;
    }
  }
  return true;
}

/// Hides layers() and parts(), so that every packet is followed as it goes.
class AsOneRouting final : public Routing {
 public:
  /// @param folded  virtual channels, the highest, that become the ones below them
  AsOneRouting(const Routing& routing, unsigned folded) : routing_(routing), folded_(folded) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override {
    return routing_.choose(packet, loads);
  }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    routing_.for_every_choice(packet, [&](RoutingChoice one) {
      if (one.virtual_channel >= virtual_channels())
        one.virtual_channel = static_cast<VirtualChannel>(one.virtual_channel - folded_);
      visit(one);
    });
  }
  unsigned virtual_channels() const override { return routing_.virtual_channels() - folded_; }

 private:
  const Routing& routing_;
  unsigned folded_;
};

}  // namespace morgana
