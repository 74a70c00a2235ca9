#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "emulator/core/error.h"
#include "emulator/topology/kinds/fat_tree.h"
#include "emulator/topology/kinds/xgft.h"
#include "emulator/topology/listed/listed.h"
#include "emulator/topology/topology_kind.h"
#include "tests/support/messages.h"
#include "tests/topology/plain_search.h"
#include "tests/topology/topology_settings.h"

namespace morgana::topology {
namespace {

using ::testing::ElementsAre;

SwitchGraph tree_of(const XgftShape& shape, std::uint32_t hosts = 1) {
  return graph_of(xgft(shape), hosts);
}

/// A topology as its keys make it, one host on each switch that may have some.
SwitchGraph made(const std::string& name, Settings settings = {}, SwitchPorts ports = {}) {
  return topology_kind(name)->graph(settings, ports);
}

TEST(Xgft, LevelsHaveTheSwitchesOfTheFormula) {
  // XGFT(3; 4, 3, 6; 1, 2, 5): w_1 .. w_i m_(i+1) .. m_h.
  EXPECT_THAT(xgft_levels({{3, 6}, {2, 5}, {1, 1}}), ElementsAre(3 * 6, 2 * 6, 2 * 5));
  EXPECT_THAT(xgft_levels({}), ElementsAre(1));
}

TEST(Xgft, EverySwitchHasItsChildrenAndParents) {
  const XgftShape shape{{3, 6}, {2, 5}, {1, 4}};
  const SwitchGraph graph = tree_of(shape);
  ASSERT_EQ(graph.switches(), 18u + 12 + 10);
  for (SwitchId at = 0; at < 18; ++at) EXPECT_EQ(degree(graph, at), 2u);
  for (SwitchId at = 18; at < 30; ++at) EXPECT_EQ(degree(graph, at), 3u + 5 * 4);
  for (SwitchId at = 30; at < 40; ++at) EXPECT_EQ(degree(graph, at), 6u * 4);
  EXPECT_EQ(graph.cables().size(), 18u * 2 + 12 * 5 * 4);
}

/// Two leaves meet at the level at which their subtrees join: mean over pairs, from the definition.
double mean_of_tree(const XgftShape& shape) {
  double leaves = 1;
  for (const unsigned children : shape.children) leaves *= children;
  double inside = 1, sum = 0;  // leaves of a subtree
  for (std::size_t level = 0; level < shape.children.size(); ++level) {
    const double wider = inside * shape.children[level];
    sum += (wider - inside) * 2 * static_cast<double>(level + 1);
    inside = wider;
  }
  return sum / (leaves - 1);
}

TEST(Xgft, RandomMembersHaveTheDistancesOfTheFormula) {
  std::mt19937 chance(7);
  for (int member = 0; member < 40; ++member) {
    XgftShape shape;
    for (unsigned steps = one_to(3, chance); steps > 0; --steps) {
      shape.children.push_back(1 + one_to(4, chance));
      shape.parents.push_back(one_to(4, chance));
      shape.cables.push_back(one_to(2, chance));
    }
    const SwitchGraph graph = tree_of(shape);
    const PlainDistances distances = plain_distances(graph);
    EXPECT_TRUE(distances.all_reached);
    EXPECT_NO_THROW(graph.check_connected());
    EXPECT_EQ(distances.largest, 2 * shape.children.size());
    EXPECT_NEAR(distances.mean, mean_of_tree(shape), 1e-9) << "member " << member;
  }
}

TEST(Xgft, BisectionIsTheCheapestWayToDivideTheSwitches) {
  const XgftShape shapes[] = {{{4}, {3}, {1}},          {{4}, {3}, {2}},          {{2, 2}, {2, 2}, {1, 1}},
                              {{2, 4}, {1, 2}, {1, 1}}, {{2, 4}, {2, 1}, {1, 1}}, {{3, 2}, {2, 2}, {1, 1}},
                              {{2, 4}, {1, 1}, {1, 3}}, {{8}, {1}, {1}},          {{2, 2}, {1, 3}, {1, 1}}};
  for (const XgftShape& shape : shapes) {
    const SwitchGraph graph = tree_of(shape);
    EXPECT_EQ(xgft_facts(shape).bisection, cheapest_halves(graph)) << as_list(graph);
  }
  EXPECT_EQ(xgft_facts({{2, 3}, {1, 1}, {1, 1}}).bisection, std::nullopt) << "three subtrees have no half";
}

TEST(Xgft, TiersAreLevels) {
  const XgftShape shape{{3, 6}, {2, 5}, {1, 1}};
  const TopologyFacts facts = xgft_facts(shape);
  ASSERT_THAT(facts.tiers, ElementsAre("levels 1-2", "levels 2-3"));
  std::size_t cables[2] = {};
  const SwitchGraph graph = tree_of(shape);
  for (const auto& [a, b] : graph.cables()) ++cables[facts.tier(a.at, b.at)];
  EXPECT_THAT(cables, ElementsAre(18 * 2, 12 * 5));
}

TEST(Xgft, KAryNTreesAreOnes) {
  // Petrini and Vanneschi: n k^(n-1) switches, k^n hosts, (n-1) k^n trunks.
  const SwitchGraph graph = fat_tree({.arity = 3, .levels = 3});
  EXPECT_EQ(as_list(graph), as_list(tree_of({{3, 3}, {3, 3}, {1, 1}}, 3)));
  EXPECT_EQ(graph.switches(), 27u);
  EXPECT_EQ(graph.hosts(), 27u);
  EXPECT_EQ(graph.cables().size(), 54u);
}

TEST(Xgft, KeysThatDoNotFitAreNamed) {
  const auto problem = [](Settings settings) { return problem_of([&] { made("xgft", settings); }); };
  expect_message(problem(network_settings({{"children", "4, 4"}, {"parents", "4"}})), "network.parents");
  expect_message(problem(network_settings({{"children", "4, q"}})), {"network.children", "\"q\""});
  expect_message(problem(network_settings({{"children", "4x0"}})), {"network.children", "\"0\""});
  expect_message(problem(network_settings({{"children", "4x4x"}, {"parents", "4"}})),
                 {"network.children: \"\"", "\"4, 4, 2\""});
  expect_message(problem(network_settings({{"parallel-cables", "1, 2, 3"}})), "network.parallel-cables");
  expect_message(problem(network_settings({{"children", "200x200"}, {"parents", "1x1"}})), "16384 switches");
  EXPECT_EQ(made("xgft", network_settings({{"children", "4x4"}, {"parents", "2, 2"}})).switches(),
            16u + 8 + 4);
}

TEST(LeafSpine, EveryLeafIsJoinedToEverySpine) {
  const SwitchGraph graph =
      made("leaf-spine", network_settings({{"leaves", 6}, {"spines", 3}, {"parallel-cables", "2"}}));
  EXPECT_EQ(graph.switches(), 9u);
  EXPECT_EQ(graph.hosts(), 6u);
  EXPECT_EQ(graph.cables().size(), 6u * 3 * 2);
  for (SwitchId at = 0; at < 9; ++at) EXPECT_EQ(degree(graph, at), at < 6 ? 6u : 12u);
  EXPECT_EQ(plain_distances(graph).largest, 2u);
}

TEST(LeafSpine, OversubscriptionSaysHowManySpinesThereAre) {
  const auto spines = [](double oversubscription, unsigned hosts, double trunk_speed, const char* cables) {
    const Settings settings =
        network_settings({{"oversubscription", oversubscription}, {"parallel-cables", cables}});
    return made("leaf-spine", settings, {.hosts_said = hosts, .trunk_speed = trunk_speed}).switches() - 4;
  };
  EXPECT_EQ(spines(1, 16, 1, "1"), 16u);
  EXPECT_EQ(spines(2, 16, 1, "1"), 8u);
  EXPECT_EQ(spines(2, 16, 1, "4"), 2u);
  EXPECT_EQ(spines(3, 48, 4, "1"), 4u) << "48 x 25 Gb/s below 4 x 100 Gb/s";
  EXPECT_EQ(spines(0.5, 8, 1, "1"), 16u);
}

TEST(LeafSpine, OversubscriptionIsSaidInOneWay) {
  const auto problem = [](Settings settings, unsigned hosts) {
    return problem_of([&] { made("leaf-spine", settings, {.hosts_said = hosts}); });
  };
  expect_message(problem(network_settings({{"oversubscription", 2.0}, {"spines", 4}}), 16),
                 {"network.oversubscription", "network.spines = \"4 spines\""});
  expect_message(problem(network_settings({{"oversubscription", 2.0}}), 0), "network.oversubscription");
  expect_message(problem(network_settings({{"oversubscription", 3.0}}), 16), "5.33333 trunks");
  expect_message(problem(network_settings({{"oversubscription", 2.0}, {"parallel-cables", "3"}}), 16),
                 {"network.oversubscription", "16 hosts", "8 trunks", "network.parallel-cables"});
}

// A 3-ary 3-tree has 9 switches a level. With 6 hosts a leaf and 2 uplinks for them, 3:1, it is XGFT(3; 6, 3,
// 3; 1, 2, 3): 9 leaves, 2 x 3 switches above them, 2 x 3 at the top, and 18 cables from each level to the
// next.
TEST(FatTree, OversubscriptionChangesTheUplinksOfLeavesAlone) {
  Settings settings = network_settings({{"arity", 3u}, {"levels", 3u}, {"oversubscription", 3.0}});
  const SwitchPorts ports{.hosts_said = 6};
  const SwitchGraph graph = made("fat-tree", settings, ports);
  EXPECT_EQ(graph.switches(), 9u + 6 + 6);
  EXPECT_EQ(graph.cables().size(), 18u + 18);
  for (SwitchId leaf = 0; leaf < 9; ++leaf) EXPECT_EQ(degree(graph, leaf), 2u);
  const auto shape = topology_kind("fat-tree")->shape(settings, graph.switches());
  EXPECT_THAT(shape.rows, ElementsAre(9, 6, 6));
  settings = network_settings({{"arity", 3u}, {"levels", 3u}, {"oversubscription", 2.0}});
  EXPECT_EQ(made("fat-tree", settings, ports).cables().size(),
            made("fat-tree", network_settings({{"arity", 3u}, {"levels", 3u}})).cables().size());
  settings = network_settings({{"arity", 3u}, {"levels", 3u}, {"oversubscription", 4.0}});
  expect_message(problem_of([&] { made("fat-tree", settings, ports); }), "1.5 trunks");
}

TEST(PodTree, HasTheSizeOfAlFares) {
  for (const unsigned k : {4u, 8u, 12u}) {
    const SwitchGraph graph = made("pod-tree", network_settings({{"pods", k}}), {.hosts = k / 2});
    EXPECT_EQ(graph.switches(), 5 * k * k / 4);
    EXPECT_EQ(graph.hosts(), k * k * k / 4);
    EXPECT_EQ(graph.cables().size(), k * k * k / 2);
    for (SwitchId at = 0; at < graph.switches(); ++at)
      EXPECT_EQ(degree(graph, at) + graph.hosts_at(at).size(), k) << "all switches have k ports in use";
    EXPECT_EQ(plain_distances(graph).largest, 4u);
    // A pod is its leaves and spines: within it two cables.
    const PlainDistances distances = plain_distances(graph);
    const double leaves = k * k / 2.0, in_pod = k / 2.0 - 1;
    EXPECT_NEAR(distances.mean, (in_pod * 2 + (leaves - 1 - in_pod) * 4) / (leaves - 1), 1e-9);
  }
}

TEST(PodTree, PodsOfAnySizeShareTheCoresOfTheirSpines) {
  const SwitchGraph graph =
      made("pod-tree", network_settings({{"pods", 3}, {"leaves", 4}, {"spines", 2}, {"cores", 5}}));
  ASSERT_EQ(graph.switches(), 3u * 4 + 3 * 2 + 2 * 5);
  for (SwitchId core = 18; core < 28; ++core) {
    std::set<SwitchId> places;  // of the spines in their pods
    for (unsigned port = 0; port < graph.ports(core); ++port) {
      const Neighbour& spine = graph.neighbour({core, static_cast<PortNumber>(port)});
      ASSERT_TRUE(spine.is_switch());
      places.insert((spine.id - 12) % 2);
    }
    EXPECT_EQ(degree(graph, core), 3u);
    EXPECT_EQ(places.size(), 1u);
  }
  expect_message(problem_of([] {
                   made("pod-tree", network_settings({{"pods", 5}}));
                 }),
                 {"network.pods", "network.leaves"});
}

}  // namespace
}  // namespace morgana::topology
