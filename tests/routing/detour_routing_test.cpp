#include "emulator/routing/detour_routing.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/routing/channel_dependencies.h"
#include "emulator/routing/topologies/dimension_order.h"
#include "emulator/routing/topologies/hyperx_routing.h"
#include "emulator/topology/distances.h"
#include "emulator/topology/kinds/hyperx.h"
#include "emulator/topology/kinds/torus.h"

namespace morgana {
namespace {

bool every_detour_cable(CableChannel) {
  return true;
}

SwitchGraph lattice(const std::vector<unsigned>& sides, unsigned cables = 1) {
  return topology::graph_of(topology::hyperx({sides, std::vector<unsigned>(sides.size(), cables)}), 1);
}

SwitchGraph lines(const std::vector<unsigned>& sides, bool closed) {
  const topology::TorusShape shape{
      .sides = sides, .hosts_per_switch = 1, .ports_per_switch = static_cast<unsigned>(2 * sides.size() + 1)};
  return closed ? topology::torus(shape) : topology::mesh(shape);
}

TEST(HyperXRouting, GoesAlongTheFirstDimensionFirstByOneCableEach) {
  const SwitchGraph graph = lattice({4, 3});
  const HyperXRouting routing(graph, {{4, 3}, Grid::Lines::full}, every_detour_cable);
  std::vector<SwitchId> switches;
  for (const HeldChannel& held : path_of(graph, routing, 0, 11))
    if (graph.receiver(held.channel).is_switch()) switches.push_back(graph.receiver(held.channel).id);
  EXPECT_EQ(switches, (std::vector<SwitchId>{0, 3, 11}));
  EXPECT_EQ(routing.virtual_channels(), 1u);
}

TEST(HyperXRouting, TakesShortestWaysAndNeverDeadlocks) {
  for (const std::vector<unsigned>& sides :
       std::vector<std::vector<unsigned>>{{4, 4}, {5, 3, 2}, {7}, {2, 2, 2, 2}, {1, 6}}) {
    const SwitchGraph graph = lattice(sides, 2);
    const HyperXRouting routing(graph, {sides, Grid::Lines::full}, every_detour_cable);
    EXPECT_TRUE(find_deadlock(graph, routing).empty());
    const auto distances = minimal_distances(graph);
    for (SwitchId from = 0; from < graph.switches(); ++from)
      for (SwitchId to = 0; to < graph.switches(); ++to) {
        if (from == to) continue;
        EXPECT_EQ(path_of(graph, routing, from, to).size(), distances(from, to) + 2u);
        EXPECT_EQ(routing.hops(from, to), distances(from, to));
      }
  }
}

TEST(HyperXRouting, SpreadsFlowsOverParallelCablesThatWork) {
  const SwitchGraph graph = lattice({2}, 3);
  std::set<PortNumber> taken;
  const CableChannel off = graph.channel_from(SwitchPort{0, 1});
  const HyperXRouting routing(graph, {{2}, Grid::Lines::full}, [&](CableChannel one) { return one != off; });
  for (std::uint64_t flow = 0; flow < 100; ++flow)
    taken.insert(
        routing.choose({.input = {0, 0}, .destination = 1, .last_switch = 1, .flow = flow}, IdleOutputs())
            ->port);
  EXPECT_EQ(taken, (std::set<PortNumber>{2, 3}));
  EXPECT_THROW(HyperXRouting(graph, {{3}, Grid::Lines::full}, every_detour_cable), Error);
}

struct Detoured {
  SwitchGraph graph;
  std::shared_ptr<const MinimalRouting> minimal;
};

std::vector<Detoured> detoured_networks() {
  std::vector<Detoured> all;
  for (const std::vector<unsigned>& sides :
       std::vector<std::vector<unsigned>>{{4, 3}, {5}, {2, 3, 2}, {6, 2}}) {
    for (const bool closed : {false, true}) {
      SwitchGraph graph = lines(sides, closed);
      auto minimal = std::make_shared<DimensionOrderRouting>(
          graph, Grid{sides, closed ? Grid::Lines::closed : Grid::Lines::open}, every_detour_cable);
      all.push_back({std::move(graph), std::move(minimal)});
    }
    SwitchGraph graph = lattice(sides);
    auto minimal = std::make_shared<HyperXRouting>(graph, Grid{sides, Grid::Lines::full}, every_detour_cable);
    all.push_back({std::move(graph), std::move(minimal)});
  }
  return all;
}

/// Hides parts(), so that every way is followed as it is.
class InOnePiece final : public Routing {
 public:
  /// @param folded  virtual channels, the highest of the other routing, that become the lowest ones
  InOnePiece(const Routing& routing, unsigned folded) : routing_(routing), folded_(folded) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override {
    return routing_.choose(packet, loads);
  }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    routing_.for_every_choice(packet, [&](RoutingChoice one) {
      if (one.virtual_channel >= virtual_channels())
        one.virtual_channel = static_cast<VirtualChannel>(one.virtual_channel - virtual_channels());
      visit(one);
    });
  }
  unsigned virtual_channels() const override { return routing_.virtual_channels() - folded_; }

 private:
  const Routing& routing_;
  unsigned folded_;
};

TEST(DetourRouting, NeverDeadlocksByItsPartsOrInOnePiece) {
  for (const Detoured& one : detoured_networks()) {
    EXPECT_TRUE(find_deadlock(one.graph, *one.minimal).empty());
    EXPECT_TRUE(find_deadlock(one.graph, InOnePiece(*one.minimal, 0)).empty());  // asked at every input
    for (const Detours detours : {Detours::always, Detours::by_output}) {
      const DetourRouting routing(one.graph, one.minimal, {detours});
      EXPECT_EQ(routing.virtual_channels(), 2 * one.minimal->virtual_channels());
      EXPECT_TRUE(find_deadlock(one.graph, routing).empty());
      EXPECT_TRUE(find_deadlock(one.graph, InOnePiece(routing, 0)).empty());
    }
  }
}

TEST(DetourRouting, CouldDeadlockWithBothPartsOnTheSameVirtualChannels) {
  const SwitchGraph graph = lattice({4, 4});
  const auto minimal =
      std::make_shared<HyperXRouting>(graph, Grid{{4, 4}, Grid::Lines::full}, every_detour_cable);
  const DetourRouting routing(graph, minimal, {Detours::always});
  EXPECT_FALSE(find_deadlock(graph, InOnePiece(routing, 1)).empty());
}

/// Waits that differ from question to question.
class ChangingLoads final : public OutputLoads {
 public:
  explicit ChangingLoads(RandomStream& random) : random_(random) {}
  SimTime wait(SwitchPort) const override {
    return SimTime::from_ps(static_cast<std::int64_t>(random_.below(100)));
  }

 private:
  RandomStream& random_;
};

TEST(DetourRouting, ArrivesByTheMinimalWayOrThroughTheIntermediateSwitch) {
  RandomStream random(5, "detours");
  const ChangingLoads loads(random);
  for (const Detoured& one : detoured_networks()) {
    for (const Detours detours : {Detours::always, Detours::by_output}) {
      const DetourRouting routing(one.graph, one.minimal, {detours});
      for (std::uint64_t number = 0; number < 200; ++number) {
        const auto from = static_cast<SwitchId>(random.below(one.graph.switches())),
                   to = static_cast<SwitchId>(random.below(one.graph.switches()));
        RoutedPacket packet{.input = one.graph.port_of(from),
                            .source = from,
                            .destination = to,
                            .last_switch = to,
                            .number = number};
        unsigned cables = 0;
        std::vector<SwitchId> passed;
        while (packet.input.at != to) {
          const auto choice = routing.choose(packet, loads);
          ASSERT_TRUE(choice);
          bool listed = false;
          routing.for_every_choice(packet,
                                   [&](const RoutingChoice& other) { listed = listed || other == *choice; });
          EXPECT_TRUE(listed);
          packet.input = one.graph.neighbour({packet.input.at, choice->port}).switch_port();
          packet.virtual_channel = choice->virtual_channel;
          packet.note = choice->note;
          passed.push_back(packet.input.at);
          ASSERT_LE(++cables, 2 * one.graph.switches());
        }
        const unsigned minimal = one.minimal->hops(from, to);
        bool as_detour = false;  // its length is that of the ways to and from a switch that it passes
        for (const SwitchId via : passed)
          as_detour = as_detour || one.minimal->hops(from, via) + one.minimal->hops(via, to) == cables;
        EXPECT_TRUE(cables == minimal || as_detour);
      }
    }
  }
}

// From 0 to 3 and 13 the minimal way does not lead: there all packets make a detour.
TEST(DetourRouting, AvoidsSwitchesThatNoWayLeadsToOrFrom) {
  const SwitchGraph graph = lattice({4, 4});
  std::set<CableChannel> off;
  for (const auto& [a, b] : graph.cables())
    if ((a.at == 0 && b.at == 3) || (a.at == 1 && b.at == 13))
      off.insert({graph.channel_from(a), graph.channel_from(b)});
  const auto usable = [&](CableChannel one) { return !off.contains(one); };
  const auto minimal = std::make_shared<HyperXRouting>(graph, Grid{{4, 4}, Grid::Lines::full}, usable);
  EXPECT_FALSE(minimal->leads(0, 3));
  EXPECT_FALSE(minimal->leads(0, 13)) << "over 1";
  EXPECT_TRUE(minimal->leads(0, 1));
  EXPECT_TRUE(minimal->leads(13, 0));
  for (const Detours detours : {Detours::always, Detours::by_output}) {
    const DetourRouting routing(graph, minimal, {detours});
    for (SwitchId to = 1; to < 16; ++to) {
      for (std::uint64_t number = 0; number < 100; ++number) {
        RoutedPacket packet{
            .input = graph.port_of(0), .destination = to, .last_switch = to, .number = number};
        while (packet.input.at != to) {
          const auto choice = routing.choose(packet, IdleOutputs());
          ASSERT_TRUE(choice) << "lost at " << packet.input.at << " on the way to " << to;
          packet.input = graph.neighbour({packet.input.at, choice->port}).switch_port();
          packet.virtual_channel = choice->virtual_channel;
          packet.note = choice->note;
        }
      }
    }
  }
}

// A detour through any switch as often: from 0 to 5 in a line of 8 switches, all joined, by the first output.
TEST(DetourRouting, DrawsIntermediateSwitchesEquallyOften) {
  const SwitchGraph graph = lattice({8});
  const auto minimal =
      std::make_shared<HyperXRouting>(graph, Grid{{8}, Grid::Lines::full}, every_detour_cable);
  const DetourRouting routing(graph, minimal, {Detours::always});
  std::vector<int> first(8);
  for (std::uint64_t number = 0; number < 8'000; ++number) {
    const RoutedPacket packet{
        .input = graph.port_of(0), .destination = 5, .last_switch = 5, .number = number};
    const auto choice = routing.choose(packet, IdleOutputs());
    ++first[graph.neighbour({0, choice->port}).id];
  }
  EXPECT_EQ(first[0], 0);
  for (const SwitchId via : {1U, 2U, 3U, 4U, 6U, 7U}) EXPECT_NEAR(first[via], 1'000, 130);
  EXPECT_NEAR(first[5], 2'000, 170) << "no detour where the draw is an end of the way";
}

}  // namespace
}  // namespace morgana
