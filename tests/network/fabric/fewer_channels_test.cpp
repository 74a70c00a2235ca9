// Every routing that needs several virtual channels, with one fewer: the proof finds a cycle, and packets
// stop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/routing/channel_dependencies.h"
#include "emulator/topology/kinds/dragonfly.h"
#include "emulator/topology/kinds/hyperx.h"
#include "emulator/topology/kinds/slim_fly.h"
#include "emulator/topology/kinds/torus.h"
#include "tests/network/fabric/by_hand.h"
#include "tests/network/fabric/standing_network.h"
#include "tests/routing/faulty_network.h"

namespace morgana::testing {
namespace {

/// A routing whose packets take, at each switch, any of the choices that it may ever make there, by chance;
/// with one virtual channel fewer the highest one is the one below it.
class AnyChoice final : public Routing {
 public:
  AnyChoice(std::shared_ptr<const Routing> routing, unsigned fewer)
      : routing_(std::move(routing)), fewer_(fewer) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads&) const override {
    std::vector<RoutingChoice> all;
    for_every_choice(packet, [&](const RoutingChoice& one) { all.push_back(one); });
    if (all.empty()) return std::nullopt;
    return all[random_.below(all.size())];
  }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    routing_->for_every_choice(packet, [&](RoutingChoice one) {
      if (one.virtual_channel >= virtual_channels())
        one.virtual_channel = static_cast<VirtualChannel>(virtual_channels() - 1);
      visit(one);
    });
  }
  bool chooses_by_load() const override { return true; }
  unsigned virtual_channels() const override { return routing_->virtual_channels() - fewer_; }

 private:
  std::shared_ptr<const Routing> routing_;
  unsigned fewer_;
  mutable RandomStream random_{3, "choices"};
};

struct RoutedNetwork {
  const char* name;
  SwitchGraph graph;
  RoutedShape shape;
  std::vector<RoutesKind> routes;
};

std::vector<RoutedNetwork> routed_networks() {
  const Dragonfly dragonfly{5, 2, 2, GlobalArrangement::palm_tree};
  const topology::TorusShape ring{.sides = {5}, .hosts_per_switch = 1, .ports_per_switch = 3};
  return {
      {"dragonfly",
       topology::dragonfly(dragonfly, 2),
       dragonfly,
       {RoutesKind::minimal, RoutesKind::valiant, RoutesKind::ugal_l, RoutesKind::ugal_g, RoutesKind::par}},
      {"ring",
       topology::torus(ring),
       Grid{{5}, Grid::Lines::closed},
       {RoutesKind::dimension_order, RoutesKind::valiant, RoutesKind::ugal_l, RoutesKind::dfsssp,
        RoutesKind::lash}},
      {"hyperx",
       topology::graph_of(topology::hyperx({{3, 3}, {1, 1}}), 2),
       Grid{{3, 3}, Grid::Lines::full},
       {RoutesKind::valiant, RoutesKind::ugal_l}},
      {"line",
       topology::graph_of(topology::hyperx({{3}, {1}}), 2),
       Grid{{3}, Grid::Lines::full},
       {RoutesKind::dal}},
      {"slim fly",
       topology::graph_of(topology::slim_fly(3), 2),
       {},
       {RoutesKind::minimal, RoutesKind::valiant, RoutesKind::ugal_l, RoutesKind::ugal_g}}};
}

/// What the network says of its standstill once nothing happens any more, if anything is left in it. All
/// hosts send to hosts by chance, or to those of the next switch.
std::string standstill_under_load(const CabledGraph& network, std::shared_ptr<const Routing> routing,
                                  std::uint64_t seed) {
  StandingNetwork standing(network, shallow(fabric::Queueing::virtual_output_queues), std::move(routing));
  RandomStream random(seed, "destinations");
  const SwitchGraph& graph = network.graph;
  const std::size_t hosts = graph.hosts(), at_a_switch = hosts / graph.switches();
  for (int n = 0; n < 40; ++n)
    for (HostNumber from = 0; from < hosts; ++from)
      standing.send(from,
                    static_cast<HostNumber>(
                        (from + (seed % 2 == 0 ? at_a_switch : 1 + random.below(hosts - 1))) % hosts),
                    1);
  standing.run();
  EXPECT_EQ(standing.left() == 0, standing.standstill().empty());
  return standing.standstill();
}

/// Of the first load under which the packets stop; empty if they do under none.
std::string first_standstill(const CabledGraph& network, const std::shared_ptr<const Routing>& routing,
                             std::uint64_t loads) {
  for (std::uint64_t seed = 1; seed <= loads; ++seed)
    if (std::string text = standstill_under_load(network, routing, seed); !text.empty()) return text;
  return {};
}

TEST(OneVirtualChannelFewer, IsACycleThatPacketsStopIn) {
  for (const RoutedNetwork& one : routed_networks()) {
    const CabledGraph network =
        CabledGraph::uniform(one.graph, {by_hand::byte_in_ns, SimTime::from_ps(10'000)});
    for (const RoutesKind kind : one.routes) {
      SCOPED_TRACE(one.name + (", routes " + std::to_string(static_cast<int>(kind))));
      const auto routing =
          make_routing(network, {.routes = kind, .shape = one.shape}, [](CableChannel) { return true; });
      ASSERT_GT(routing->virtual_channels(), 1U);
      const auto whole = std::make_shared<AnyChoice>(routing, 0);
      EXPECT_TRUE(find_deadlock(one.graph, *whole).empty());
      EXPECT_EQ(first_standstill(network, whole, 4), "");
      const auto fewer = std::make_shared<AnyChoice>(routing, 1);
      EXPECT_FALSE(find_deadlock(one.graph, *fewer).empty());
      EXPECT_THAT(first_standstill(network, fewer, 100),
                  ::testing::HasSubstr("wait for each other's buffers in a cycle"));
    }
  }
}

}  // namespace
}  // namespace morgana::testing
