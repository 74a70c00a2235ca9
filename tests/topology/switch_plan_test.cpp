#include "emulator/topology/switch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/topology/fault.h"
#include "emulator/topology/kinds/fat_tree.h"
#include "emulator/topology/kinds/torus.h"
#include "emulator/topology/listed/graph_of_links.h"

namespace morgana {
namespace {

using namespace topology;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(SwitchPlan, OfAChainAndOfARing) {
  EXPECT_THAT(chain(3).trunks, ElementsAre(Pair(0, 1), Pair(1, 2)));
  EXPECT_THAT(chain(3).with_hosts, ElementsAre(0, 1, 2));
  EXPECT_TRUE(chain(1).trunks.empty());
  EXPECT_THAT(ring(3).trunks, ElementsAre(Pair(0, 1), Pair(1, 2), Pair(2, 0)));
  EXPECT_THAT(ring(2).trunks, ElementsAre(Pair(0, 1)));
}

TEST(SwitchPlan, AStarsHubHasHostsOnlyAlone) {
  EXPECT_THAT(star(3).trunks, ElementsAre(Pair(0, 1), Pair(0, 2)));
  EXPECT_THAT(star(3).with_hosts, ElementsAre(1, 2));
  EXPECT_THAT(star(1).with_hosts, ElementsAre(0));
}

TEST(SwitchPlan, OfATreeHasHostsOnItsLastLevel) {
  const SwitchPlan plan = tree(2, 3);
  EXPECT_EQ(plan.switches, 7u);
  EXPECT_THAT(plan.trunks,
              ElementsAre(Pair(0, 1), Pair(0, 2), Pair(1, 3), Pair(1, 4), Pair(2, 5), Pair(2, 6)));
  EXPECT_THAT(plan.with_hosts, ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(tree(5, 1).switches, 1u);
  EXPECT_THAT(tree(1, 3).trunks, ElementsAre(Pair(0, 1), Pair(1, 2)));
  EXPECT_THROW(tree(0, 2), Error);
  EXPECT_THROW(tree(2, 0), Error);
  EXPECT_THROW(tree(64, 10), Error);
}

TEST(SwitchPlan, TakesASwitchGraphsCables) {
  const SwitchPlan plan = plan_of(fat_tree({2, 2}));
  EXPECT_THAT(plan.trunks, ElementsAre(Pair(0, 2), Pair(0, 3), Pair(1, 2), Pair(1, 3)));
  EXPECT_THAT(plan.with_hosts, ElementsAre(0, 1));
  EXPECT_EQ(plan_of(torus({{3, 3}, 0, 4})).with_hosts.size(), 9u);
}

TEST(SwitchPlan, SpreadsHostsFromTheFirstToTheLast) {
  EXPECT_THAT(spread(chain(3), 2), ElementsAre(0, 2));
  EXPECT_THAT(spread(chain(3), 4), ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(spread(star(4), 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(spread(chain(3), 1), ElementsAre(0));
  EXPECT_THAT(spread(chain(1), 3), ElementsAre(0, 0, 0));
  EXPECT_THAT(filled(star(3), 2), ElementsAre(1, 1, 2, 2));
}

TEST(SwitchPlan, HostsTakeTheFirstPortsAndTrunksTheOthers) {
  const SwitchGraph graph = graph_of(ring(3), {0, 0, 2});
  EXPECT_EQ(graph.ports(0), 4u);
  EXPECT_EQ(graph.ports(1), 2u);
  EXPECT_EQ(graph.port_of(1), (SwitchPort{0, 1}));
  EXPECT_EQ(graph.port_of(2), (SwitchPort{2, 0}));
  EXPECT_EQ(graph.neighbour({0, 2}).switch_port(), (SwitchPort{1, 0}));  // trunk 0-1
  EXPECT_EQ(graph.neighbour({0, 3}).switch_port(), (SwitchPort{2, 2}));  // trunk 2-0
  EXPECT_EQ(graph_of(chain(1), std::vector<SwitchId>(65'536, 0)).ports(0), 65'536u);
  EXPECT_THROW(graph_of(chain(1), std::vector<SwitchId>(65'537, 0)), Error);
}

/// Its channels, as a network reports them.
NetworkLinks links_of(const SwitchGraph& graph) {
  NetworkLinks links;
  for (CableChannel channel = 0; channel < graph.channels(); ++channel) {
    const Neighbour to = graph.receiver(channel);
    if (to.is_nothing()) continue;
    LinkLoad link;
    if (graph.sent_by_host(channel))
      link.from = {LinkEnd::Kind::host, graph.sending_host(channel), 0};
    else
      link.from = {LinkEnd::Kind::switch_port, graph.sending_port(channel).at,
                   graph.sending_port(channel).port};
    link.to = {to.is_host() ? LinkEnd::Kind::host : LinkEnd::Kind::switch_port, to.id, to.port};
    links.loads.push_back(link);
  }
  return links;
}

TEST(GraphOfLinks, IsTheGraphThatHasTheseLinks) {
  for (const SwitchGraph& graph : {graph_of(ring(4), {3, 0, 0}), fat_tree({3, 2}), torus({{3, 4}, 2, 8})}) {
    const SwitchGraph found = graph_of(links_of(graph));
    EXPECT_EQ(links_of(found).loads.size(), links_of(graph).loads.size());
    ASSERT_EQ(found.hosts(), graph.hosts());
    for (HostNumber host = 0; host < graph.hosts(); ++host)
      EXPECT_EQ(found.port_of(host), graph.port_of(host));
    for (const auto& [a, b] : graph.cables()) EXPECT_EQ(found.neighbour(a).switch_port(), b);
  }
}

TEST(NetworkFaults, KillBothDirectionsOfACableAndAllOfASwitch) {
  const SwitchGraph graph = graph_of(chain(3), {0, 1, 2});  // ports: host, trunks
  const auto ms = [](std::int64_t count) { return SimTime::from_ps(count * 1'000'000'000); };
  const std::vector<SimTime> times = times_of_death(graph, {{NetworkFault::Part::cable, {0, 0}, ms(1)},
                                                            {NetworkFault::Part::a_switch, {2, 0}, ms(3)},
                                                            {NetworkFault::Part::cable, {1, 2}, ms(2)}});
  const auto of = [&](SwitchPort port) { return times[graph.channel_from(port)]; };
  EXPECT_EQ(of({0, 0}), ms(1));
  EXPECT_EQ(times[graph.channel_from(HostNumber{0})], ms(1));
  EXPECT_EQ(of({1, 2}), ms(2));  // the earlier of two
  EXPECT_EQ(of({2, 1}), ms(2));
  EXPECT_EQ(of({2, 0}), ms(3));
  EXPECT_EQ(times[graph.channel_from(HostNumber{2})], ms(3));
  EXPECT_EQ(of({0, 1}), SimTime::max());
  EXPECT_EQ(of({1, 1}), SimTime::max());
}

}  // namespace
}  // namespace morgana
