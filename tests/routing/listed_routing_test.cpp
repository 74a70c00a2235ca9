#include "emulator/routing/listed_routing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/routing/channel_dependencies.h"
#include "emulator/topology/switch_plan.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Hosts 0 to 3 at switches 0 to 3, hosts 4 to 7 at the same again.
SwitchGraph ring_with_hosts() {
  return topology::graph_of(topology::ring(4), {0, 1, 2, 3, 0, 1, 2, 3});
}

ListedRouting routing(const std::vector<std::string>& items, const SwitchGraph& graph = ring_with_hosts()) {
  return {listed_routes(items, graph), graph};
}

/// The switches that a packet crosses.
std::vector<SwitchId> way(const SwitchGraph& graph, const Routing& routing, HostNumber from, HostNumber to) {
  std::vector<SwitchId> switches;
  for (const HeldChannel& held : path_of(graph, routing, from, to))
    if (!graph.sent_by_host(held.channel)) switches.push_back(graph.sending_port(held.channel).at);
  return switches;
}

const std::vector<std::string> clockwise{"any over 0-1", "any over 1-2", "any over 2-3", "any over 3-0"};

TEST(ListedRouting, LeadsPacketsAsItsEntriesSay) {
  const SwitchGraph graph = ring_with_hosts();
  const ListedRouting all_one_way = routing(clockwise);
  EXPECT_THAT(way(graph, all_one_way, 0, 3), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(way(graph, all_one_way, 3, 0), ElementsAre(3, 0));
  EXPECT_THAT(way(graph, all_one_way, 1, 5), ElementsAre(1));  // hosts of one switch need no entry
  EXPECT_FALSE(all_one_way.tells_hosts_apart());
}

TEST(ListedRouting, TakesAnEntryForTheHostBeforeOneForItsSwitchAndThatBeforeAny) {
  const SwitchGraph graph = ring_with_hosts();
  std::vector<std::string> items = clockwise;
  items.insert(items.begin(), "switch 3 over 0-3");
  EXPECT_THAT(way(graph, routing(items), 0, 3), ElementsAre(0, 3));
  EXPECT_THAT(way(graph, routing(items), 0, 2), ElementsAre(0, 1, 2));
  items.insert(items.begin(), "host 7 over 0-1");
  const ListedRouting told_apart = routing(items);
  EXPECT_THAT(way(graph, told_apart, 0, 7), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(way(graph, told_apart, 0, 3), ElementsAre(0, 3));
  EXPECT_TRUE(told_apart.tells_hosts_apart());
}

TEST(ListedRouting, IsRefusedWhereAnEntryIsMissing) {
  EXPECT_THAT(
      [] {
        routing({"any over 0-1", "any over 1-2", "any over 3-0"});
      },
      ::testing::ThrowsMessage<Error>(
          HasSubstr("switch 2 has no entry for packets from switch 1 to host 0 at "
                    "switch 0: add one, such as \"switch 0 over 2.PORT\"")));
  // Complete but for one host, whose switch no entry names at switch 1.
  EXPECT_THAT(
      [] {
        routing({"any over 0-1", "switch 0 over 1-0", "switch 2 over 1-2", "host 3 over 1-2", "any over 2-1",
                 "switch 3 over 2-3", "any over 3-2"});
      },
      ::testing::ThrowsMessage<Error>(HasSubstr("to host 7 at switch 3")));
}

TEST(ListedRouting, IsRefusedWhereAWayIsACircle) {
  EXPECT_THAT(
      [] {
        routing({"any over 0-1", "any over 1-0", "any over 2-3", "any over 3-2"});
      },
      ::testing::ThrowsMessage<Error>(
          HasSubstr("packets from switch 2 to host 0 at switch 0 would go round in a circle, by the switches "
                    "2, 3, 2: change the entry of one of them")));
}

TEST(ListedRouting, KnowsHostsThatWerePluggedInAfterItWasListed) {
  const SwitchGraph before = ring_with_hosts(),
                    graph = topology::graph_of(topology::ring(4), {0, 1, 2, 3, 0, 1, 2, 3, 2});
  const ListedRouting all_one_way(listed_routes(clockwise, before), graph);
  EXPECT_THAT(way(graph, all_one_way, 1, 8), ElementsAre(1, 2));
  EXPECT_THAT(way(graph, all_one_way, 8, 1), ElementsAre(2, 3, 0, 1));
}

// What a proof about deadlock rests on: a ring crossed one way deadlocks, a chain does not.
TEST(ListedRouting, IsOpenToTheProofOfDeadlock) {
  const SwitchGraph graph = ring_with_hosts();
  EXPECT_FALSE(find_deadlock(graph, routing(clockwise)).empty());
  EXPECT_TRUE(find_deadlock(graph, routing({"any over 0-1", "switch 0 over 1-0", "any over 1-2",
                                            "switch 3 over 2-3", "any over 2-1", "any over 3-2"}))
                  .empty());
}

}  // namespace
}  // namespace morgana
