#include "emulator/routing/topologies/dimension_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/routing/channel_dependencies.h"
#include "emulator/topology/distances.h"
#include "emulator/topology/kinds/torus.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;

bool every_grid_cable(CableChannel) {
  return true;
}

topology::TorusShape shape(std::vector<unsigned> sides) {
  const auto ports = static_cast<unsigned>(2 * sides.size() + 1);
  return {.sides = std::move(sides), .hosts_per_switch = 1, .ports_per_switch = ports};
}

/// The switches after the first, and the virtual channels of the cables to them.
struct GridWay {
  std::vector<SwitchId> switches;
  std::vector<unsigned> virtual_channels;
};

GridWay grid_way(const SwitchGraph& graph, const Routing& routing, HostNumber from, HostNumber to) {
  GridWay way;
  for (const HeldChannel& held : path_of(graph, routing, from, to)) {
    if (graph.sent_by_host(held.channel) || !graph.receiver(held.channel).is_switch()) continue;
    way.switches.push_back(graph.receiver(held.channel).id);
    way.virtual_channels.push_back(held.virtual_channel);
  }
  return way;
}

TEST(DimensionOrder, GoesAlongTheFirstDimensionFirst) {
  const SwitchGraph graph = topology::mesh(shape({4, 3}));
  const DimensionOrderRouting routing(graph, {{4, 3}, Grid::Lines::open}, every_grid_cable);
  EXPECT_THAT(grid_way(graph, routing, 0, 10).switches, ElementsAre(1, 2, 6, 10));
  EXPECT_THAT(grid_way(graph, routing, 11, 0).switches, ElementsAre(10, 9, 8, 4, 0));
  EXPECT_EQ(routing.virtual_channels(), 1u);
}

// Switches 0 to 4 in a ring: from 3 to 0 the dateline, between 4 and 0, is crossed by the second cable; from
// 4 to 1 by the first, and the packet stays on virtual channel 1 behind it.
TEST(DimensionOrder, ChangesTheVirtualChannelAtTheDateline) {
  const SwitchGraph graph = topology::torus(shape({5}));
  const DimensionOrderRouting routing(graph, {{5}, Grid::Lines::closed}, every_grid_cable);
  EXPECT_THAT(grid_way(graph, routing, 3, 0).virtual_channels, ElementsAre(0, 1));
  EXPECT_THAT(grid_way(graph, routing, 4, 1).virtual_channels, ElementsAre(1, 1));
  EXPECT_THAT(grid_way(graph, routing, 1, 4).virtual_channels, ElementsAre(0, 1));
  EXPECT_THAT(grid_way(graph, routing, 1, 3).virtual_channels, ElementsAre(0, 0));
}

// In the next dimension it begins on virtual channel 0 again.
TEST(DimensionOrder, HasADatelineInEveryDimension) {
  const SwitchGraph graph = topology::torus(shape({3, 3}));
  const DimensionOrderRouting routing(graph, {{3, 3}, Grid::Lines::closed}, every_grid_cable);
  EXPECT_THAT(grid_way(graph, routing, 2, 3).virtual_channels, ElementsAre(1, 0));
  EXPECT_THAT(grid_way(graph, routing, 8, 0).virtual_channels, ElementsAre(1, 1));
}

// Half way round a ring of 4: from even switches up, from odd ones down.
TEST(DimensionOrder, DividesHalfWaysAmongBothDirections) {
  const SwitchGraph graph = topology::torus(shape({4}));
  const DimensionOrderRouting routing(graph, {{4}, Grid::Lines::closed}, every_grid_cable);
  EXPECT_THAT(grid_way(graph, routing, 0, 2).switches, ElementsAre(1, 2));
  EXPECT_THAT(grid_way(graph, routing, 1, 3).switches, ElementsAre(0, 3));
  EXPECT_THAT(grid_way(graph, routing, 2, 0).switches, ElementsAre(3, 0));
}

TEST(DimensionOrder, TakesShortestWaysAndNeverDeadlocks) {
  for (const std::vector<unsigned>& sides :
       std::vector<std::vector<unsigned>>{{8, 8}, {5, 4}, {2, 2, 2}, {3, 4, 5}, {6}, {1, 7}, {2, 5}}) {
    for (const bool wraps : {false, true}) {
      const SwitchGraph graph = wraps ? topology::torus(shape(sides)) : topology::mesh(shape(sides));
      const DimensionOrderRouting routing(graph, {sides, wraps ? Grid::Lines::closed : Grid::Lines::open},
                                          every_grid_cable);
      EXPECT_TRUE(find_deadlock(graph, routing).empty());
      const auto distances = minimal_distances(graph);
      for (HostNumber from = 0; from < graph.hosts(); ++from) {
        for (HostNumber to = 0; to < graph.hosts(); ++to) {
          if (from == to) continue;
          EXPECT_EQ(grid_way(graph, routing, from, to).switches.size(), distances(from, to));
        }
      }
    }
  }
}

/// The choices of another routing, all on virtual channel 0.
class WithoutDateline final : public Routing {
 public:
  explicit WithoutDateline(const Routing& routing) : routing_(routing) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override {
    auto choice = routing_.choose(packet, loads);
    if (choice) choice->virtual_channel = 0;
    return choice;
  }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    if (const auto choice = choose(packet, IdleOutputs())) visit(*choice);
  }

 private:
  const Routing& routing_;
};

TEST(DimensionOrder, WouldDeadlockOnATorusWithOneVirtualChannel) {
  const SwitchGraph graph = topology::torus(shape({5, 5}));
  const DimensionOrderRouting routing(graph, {{5, 5}, Grid::Lines::closed}, every_grid_cable);
  EXPECT_FALSE(find_deadlock(graph, WithoutDateline(routing)).empty());
}

TEST(DimensionOrder, NamesTheCableThatIsMissing) {
  const SwitchGraph graph = topology::mesh(shape({4, 4}));
  try {
    DimensionOrderRouting(graph, {{4, 4}, Grid::Lines::closed}, every_grid_cable);
    FAIL();
  } catch (const Error& error) {
    expect_message(error.what(), "switches 0 and 3");
  }
  EXPECT_THROW(DimensionOrderRouting(graph, {{4, 5}, Grid::Lines::open}, every_grid_cable), Error);
}

}  // namespace
}  // namespace morgana
