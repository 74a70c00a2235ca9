#include "emulator/routing/forwarding_table.h"

#include <gtest/gtest.h>

#include "emulator/topology/switch_plan.h"

namespace morgana {
namespace {

using topology::SwitchPlan;

const ChannelFilter all = [](CableChannel) { return true; };
std::uint64_t same(CableChannel) {
  return 1;
}

/// Ports are numbered as trunks are listed.
SwitchGraph without_hosts(const SwitchPlan& plan) {
  return topology::graph_of(plan, {});
}

TEST(ForwardingTable, OfEquallyShortWaysTakesTheLowestPort) {
  const ForwardingTable table = shortest_path_table(without_hosts(topology::ring(4)), all);
  EXPECT_EQ(table.towards(0, 2), 0);  // to switch 1
  EXPECT_EQ(table.towards(0, 3), 1);
  EXPECT_EQ(table.towards(2, 0), 0);  // to switch 1
  EXPECT_EQ(table.towards(1, 3), 0);  // to switch 0
}

TEST(ForwardingTable, LeadsNowhereWhereNoCableDoes) {
  const SwitchGraph graph = without_hosts(topology::chain(3));
  const CableChannel cut = graph.channel_from(SwitchPort{1, 1});
  const auto usable = [&](CableChannel channel) { return channel != cut; };
  for (const ForwardingTable& table :
       {shortest_path_table(graph, usable), spanning_tree_table(graph, 0, same, usable)}) {
    EXPECT_EQ(table.towards(0, 1), 0);
    EXPECT_EQ(table.towards(0, 2), std::nullopt);
    EXPECT_EQ(table.towards(2, 1), std::nullopt);  // the other direction of the cut cable
  }
}

TEST(ForwardingTable, OfASpanningTreeUsesOneOfTwoEqualTrunks) {
  // Bridge 1's trunks to the root are equal: the lowest port at the other end decides.
  const SwitchGraph graph = without_hosts({2, {{0, 1}, {0, 1}}, {}});
  const ForwardingTable table = spanning_tree_table(graph, 0, same, all);
  EXPECT_EQ(table.towards(1, 0), 0);
  EXPECT_EQ(table.towards(0, 1), 0);
  // If the first trunk ends at bridge 1's second port, its own port is the higher one.
  SwitchGraph crossed;
  crossed.add_switch(2);
  crossed.add_switch(2);
  crossed.connect(SwitchPort{0, 0}, SwitchPort{1, 1});
  crossed.connect(SwitchPort{0, 1}, SwitchPort{1, 0});
  EXPECT_EQ(spanning_tree_table(crossed, 0, same, all).towards(1, 0), 1);
  EXPECT_EQ(spanning_tree_table(crossed, 1, same, all).towards(0, 1), 1);
}

TEST(ForwardingTable, OfASpanningTreeGoesByTheRoot) {
  // A ring of five: the trunk between 2 and 3 is blocked, they are as far from the root either way.
  const ForwardingTable table = spanning_tree_table(without_hosts(topology::ring(5)), 0, same, all);
  EXPECT_EQ(table.towards(2, 3), 0);
  EXPECT_EQ(table.towards(3, 2), 1);
  EXPECT_EQ(table.towards(0, 3), 1);
}

TEST(ForwardingTable, ACableFromASwitchToItselfLeadsNowhere) {
  SwitchGraph graph;
  graph.add_switch(3);
  graph.add_switch(1);
  graph.connect(SwitchPort{0, 0}, SwitchPort{0, 1});
  graph.connect(SwitchPort{0, 2}, SwitchPort{1, 0});
  EXPECT_EQ(spanning_tree_table(graph, 0, same, all).towards(0, 1), 2);
  EXPECT_EQ(shortest_path_table(graph, all).towards(0, 1), 2);
}

// IEEE 802.1D-2004, table 17-3.
TEST(BridgePathCost, IsTheStandards) {
  EXPECT_EQ(bridge_path_cost(10'000'000), 2'000'000u);
  EXPECT_EQ(bridge_path_cost(100'000'000), 200'000u);
  EXPECT_EQ(bridge_path_cost(1'000'000'000), 20'000u);
  EXPECT_EQ(bridge_path_cost(10'000'000'000), 2'000u);
  EXPECT_EQ(bridge_path_cost(100'000'000'000'000), 1u);
}

}  // namespace
}  // namespace morgana
