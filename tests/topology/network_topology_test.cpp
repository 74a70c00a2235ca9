#include "emulator/topology/network_topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "emulator/core/error.h"
#include "emulator/topology/topology_kind.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;
using ::testing::SizeIs;

const Link fast{BitRate(100'000'000), 1_us};

TopologyRules as_needed() {
  return {.most_switches = "1024"};
}
TopologyRules numbered() {
  return {.usual = "torus",
          .most_switches = "4096",
          .ports_have_numbers = true,
          .fallbacks = {{"network.hosts-per-switch", std::int64_t{8}}}};
}

Settings settings(std::map<std::string, Value> values) {
  Settings all;
  for (auto& [key, value] : values) all["network." + key] = std::move(value);
  return all;
}

/// Whether all of its hosts reach each other is part of the check.
void expect_sound(const NetworkTopology& topology, std::int64_t hosts) {
  const auto complaint = topology.check(hosts);
  EXPECT_FALSE(complaint.has_value()) << complaint->key << ": " << complaint->why;
}

TEST(NetworkTopology, EveryTopologyServesEveryKindOfNetwork) {
  for (const TopologyKind& kind : topology_kinds()) {
    SCOPED_TRACE(kind.name);
    const Settings chosen =
        settings({{"topology", kind.name}, {"switches", std::int64_t{8}}, {"levels", std::int64_t{2}}});
    const NetworkTopology plugged(chosen, as_needed(), fast), routed(chosen, numbered(), fast);
    expect_sound(plugged, 20);
    expect_sound(routed, 1);
    const CabledGraph network = plugged.network(20);
    EXPECT_EQ(network.graph.hosts(), 20u);
    EXPECT_EQ(plugged.hosts(), 0u);
    EXPECT_EQ(routed.hosts(), routed.network(1).graph.hosts());
    EXPECT_GT(routed.hosts(), 0u);
    EXPECT_EQ(network.graph.switches(), routed.network(1).graph.switches());
    EXPECT_EQ(network.trunks.size(), routed.network(1).graph.cables().size());
    // The picture has the same shape whoever's network it is.
    EXPECT_EQ(plugged.sketch().shape.kind, routed.sketch().shape.kind);
    EXPECT_EQ(routed.sketch().hosts, 0u);
  }
}

TEST(NetworkTopology, PortsFollowFromWhatIsPluggedInHostsFirst) {
  const NetworkTopology topology(
      settings({{"topology", std::string("torus")}, {"columns", std::int64_t{3}}, {"rows", std::int64_t{3}}}),
      as_needed(), fast);
  const SwitchGraph graph = topology.network(9).graph;
  EXPECT_EQ(graph.ports(4), 5u);
  EXPECT_TRUE(graph.neighbour({4, 0}).is_host());
  EXPECT_TRUE(graph.neighbour({4, 1}).is_switch());
}

TEST(NetworkTopology, KeepsTheHostsOfATopologyThatHasItsOwnWhereRoutesNamePorts) {
  const auto hosts = [](const char* name) {
    return NetworkTopology(settings({{"topology", std::string(name)}}), numbered(), fast).hosts();
  };
  EXPECT_EQ(hosts("cplant"), 400u);
  EXPECT_EQ(hosts("now"), 100u);
  EXPECT_EQ(hosts("torus"), 512u);
}

TEST(NetworkTopology, ReadsCablesByEitherName) {
  for (const char* name : {"cables", "trunks"}) {
    const Settings listed = settings({{"topology", std::string("listed")},
                                      {"switches", std::int64_t{3}},
                                      {name, std::string("0-1, 1-2 at 1 Gb/s over 5 us")}});
    const CabledGraph network = NetworkTopology(listed, as_needed(), fast).network(3);
    ASSERT_THAT(network.trunks, SizeIs(2));
    EXPECT_EQ(network.trunks[0], fast);
    EXPECT_EQ(network.trunks[1], (Link{BitRate(1'000'000'000), 5_us}));
  }
  const Settings ports = settings({{"topology", std::string("listed")},
                                   {"switches", std::int64_t{2}},
                                   {"hosts-per-switch", std::int64_t{1}},
                                   {"trunks", std::string("0.4-1.5")}});
  const SwitchGraph graph = NetworkTopology(ports, numbered(), fast).network(2).graph;
  EXPECT_EQ(graph.cables().at(0), (SwitchGraph::Cable{{0, 4}, {1, 5}}));
}

TEST(NetworkTopology, TiersOfTrunksMayDiffer) {
  const Settings groups = settings({{"topology", std::string("dragonfly-plus")},
                                    {"trunk-rate", BitRate(400'000'000)},
                                    {"tiers", std::string("between groups at 1 Gb/s over 5 us")}});
  const NetworkTopology topology(groups, as_needed(), fast);
  const CabledGraph network = topology.network(10);
  ASSERT_EQ(network.trunks.size(), network.graph.cables().size());
  std::size_t between = 0;
  for (std::size_t n = 0; n < network.trunks.size(); ++n) {
    const auto& [a, b] = network.graph.cables()[n];
    const bool global = a.at / 4 != b.at / 4;  // groups of two leaves and two spines
    between += global ? 1 : 0;
    EXPECT_EQ(network.trunks[n],
              global ? (Link{BitRate(1'000'000'000), 5_us}) : (Link{BitRate(400'000'000), 1_us}));
  }
  EXPECT_EQ(between, 10u);
  for (const Link& host : network.hosts) EXPECT_EQ(host, fast);
}

TEST(NetworkTopology, NamesTheTierThatIsWrong) {
  const auto complaint = [](std::map<std::string, Value> values) {
    const auto found = NetworkTopology(settings(std::move(values)), as_needed(), fast).check(0);
    return found ? found->key + ": " + found->why : "no complaint";
  };
  const Value tree = std::string("pod-tree");
  EXPECT_EQ(
      complaint({{"topology", tree}, {"tiers", std::string("spine-core over 1 us, leaf-spine at 1 Gb/s")}}),
      "no complaint");
  expect_message(complaint({{"topology", tree}, {"tiers", std::string("global at 1 Gb/s")}}),
                 {"network.tiers", "\"global at 1 Gb/s\"", "leaf-spine", "spine-core"});
  expect_message(complaint({{"topology", tree}, {"tiers", std::string("leaf-spine at noon")}}),
                 {"network.tiers", "\"leaf-spine at noon\""});
  expect_message(complaint({{"topology", tree}, {"tiers", std::string("leaf-spine")}}), "network.tiers");
  expect_message(complaint({{"topology", std::string("listed")},
                            {"switches", std::int64_t{2}},
                            {"cables", std::string("0-1")},
                            {"tiers", std::string("leaf-spine at 1 Gb/s")}}),
                 "network.tiers");
  expect_message(complaint({{"topology", std::string("leaf-spine")},
                            {"oversubscription", 1.0},
                            {"hosts-per-switch", std::int64_t{4}},
                            {"tiers", std::string("leaf-spine at 1 Gb/s")}}),
                 {"network.tiers", "network.oversubscription"});
}

TEST(NetworkTopology, NamesTheKeyThatIsWrong) {
  const auto complaint = [](std::map<std::string, Value> values, const TopologyRules& rules) {
    const auto found = NetworkTopology(settings(std::move(values)), rules, fast).check(0);
    return found ? found->key + ": " + found->why : "no complaint";
  };
  const Value torus = std::string("torus"), listed = std::string("listed");
  expect_message(complaint({{"topology", torus}, {"columns", std::int64_t{40}}, {"rows", std::int64_t{40}}},
                           as_needed()),
                 {"network.columns: 1600 switches", "1024"});
  expect_message(complaint({{"topology", torus}, {"ports-per-switch", std::int64_t{11}}}, numbered()),
                 {"network.ports-per-switch", "12 ports", "11"});
  expect_message(complaint({{"topology", std::string("irregular")},
                            {"switches", std::int64_t{4}},
                            {"cables-per-switch", std::int64_t{4}}},
                           as_needed()),
                 {"network.switches", "4 switches"});
  expect_message(
      complaint({{"topology", listed}, {"switches", std::int64_t{2}}, {"cables", std::string("0-2")}},
                as_needed()),
      {"network.cables", "\"0-2\"", "switch 2"});
  expect_message(complaint({{"topology", listed}, {"switches", std::int64_t{2}}}, as_needed()),
                 {"network.trunks", "switch 0", "switch 1"});
  expect_message(complaint({{"topology", torus}, {"cables", std::string("0-1")}}, as_needed()),
                 {"network.cables", "network.topology = \"listed\""});
}

/// Of a network that may grow, with hosts.count hosts.
NetworkTopology grown(std::map<std::string, Value> values, std::int64_t hosts) {
  Settings all = settings(std::move(values));
  all["hosts.count"] = hosts;
  return {all, {.usual = "fat-tree"}, fast};
}

std::map<std::string, Value> fat_tree_of(std::int64_t arity, std::int64_t hosts, std::int64_t ports) {
  return {{"topology", std::string("fat-tree")},
          {"arity", arity},
          {"levels", std::int64_t{2}},
          {"hosts-per-switch", hosts},
          {"grows-within", ports}};
}

struct Grown {
  std::size_t switches, hosts, trunks;
  std::string as;
  bool operator==(const Grown&) const = default;
};

Grown in_numbers(const NetworkTopology& topology) {
  const TopologyFigures figures = topology.figures(0);
  return {figures.switches, figures.hosts.value_or(0), figures.trunks(), figures.grown};
}

// 40 ports: a leaf has 20 hosts and 20 cables up. Two levels take 40 leaves below 20 spines. A pod of the
// third level has 20 leaves and 20 spines, 400 hosts, and each of its spines 20 cables up: with 3 pods 2 core
// switches above each place among the spines (10 cables to each pod, 30 ports), with 5 pods 4 (5 cables, 25
// ports), and with 40 pods 20.
TEST(GrownTopologies, AFatTreeTakesMoreLeavesThenPodsOfTheSameSwitches) {
  const auto numbers = [](std::int64_t hosts) { return in_numbers(grown(fat_tree_of(20, 20, 40), hosts)); };
  EXPECT_EQ(numbers(100), (Grown{40, 400, 400, ""}));
  EXPECT_EQ(numbers(400), (Grown{40, 400, 400, ""}));
  const std::string two = "topology = \"xgft\"";
  EXPECT_EQ(numbers(401).switches, 21U + 20);
  EXPECT_EQ(numbers(401).hosts, 420U);
  EXPECT_EQ(numbers(800).switches, 40U + 20);
  EXPECT_EQ(numbers(800).hosts, 800U);
  EXPECT_EQ(numbers(801),
            (Grown{60 + 60 + 40, 1'200, 1'200 + 1'200,
                   "children = \"20, 3\", parallel-cables = \"1, 10\", parents = \"20, 2\", " + two}));
  EXPECT_EQ(numbers(2'000),
            (Grown{100 + 100 + 80, 2'000, 2'000 + 2'000,
                   "children = \"20, 5\", parallel-cables = \"1, 5\", parents = \"20, 4\", " + two}));
  EXPECT_EQ(numbers(16'000).switches, 800U + 800 + 400);
  EXPECT_EQ(numbers(16'001).hosts, 3U * 8'000) << "a fourth level, of pods of 20 pods";
  expect_sound(grown(fat_tree_of(20, 20, 40), 2'000), 2'000);
}

// 36 ports, 24 hosts and 12 cables up (2:1). Two levels take 36 leaves, 864 hosts; then 18 leaves a pod.
TEST(GrownTopologies, KeepTheOversubscription) {
  const auto numbers = [](std::int64_t hosts) { return in_numbers(grown(fat_tree_of(12, 24, 36), hosts)); };
  EXPECT_EQ(numbers(864).switches, 36U + 12);
  const Grown pods = numbers(865);
  EXPECT_EQ(pods.hosts, 3U * 18 * 24);
  EXPECT_EQ(pods.trunks, 3U * 18 * 12 * 2) << "as many cables above the spines as below";
}

TEST(GrownTopologies, OtherFamiliesAddGroupsPodsAndSwitches) {
  using Values = std::map<std::string, Value>;
  const auto number = [](std::int64_t value) { return Value(value); };
  const auto word = [](const char* text) { return Value(std::string(text)); };
  const auto numbers = [](Values values, std::int64_t hosts) {
    return in_numbers(grown(std::move(values), hosts));
  };
  const Values dragonfly{{"topology", word("dragonfly")},    {"groups", number(4)},
                         {"switches-per-group", number(32)}, {"global-cables", number(17)},
                         {"hosts-per-switch", number(16)},   {"grows-within", number(64)}};
  EXPECT_EQ(numbers(dragonfly, 2'049).as, "groups = 5");
  EXPECT_EQ(numbers(dragonfly, 2'049).hosts, 5U * 32 * 16);
  const Values plus{{"topology", word("dragonfly-plus")},
                    {"groups", number(3)},
                    {"leaves", number(4)},
                    {"spines", number(4)},
                    {"global-cables", number(4)},
                    {"hosts-per-switch", number(4)},
                    {"grows-within", number(8)}};
  EXPECT_EQ(numbers(plus, 49).as, "groups = 4");
  const Values torus{{"topology", word("torus")},
                     {"planes", number(8)},
                     {"hosts-per-switch", number(1)},
                     {"grows-within", number(7)}};
  EXPECT_EQ(numbers(torus, 513), (Grown{576, 576, 3 * 576, "sides = \"9, 8, 8\""}));
  const Values hyperx{{"topology", word("hyperx")},
                      {"columns", number(12)},
                      {"hosts-per-switch", number(7)},
                      {"grows-within", number(40)}};
  EXPECT_EQ(numbers(hyperx, 673).switches, 12U * 9);
  EXPECT_EQ(numbers(hyperx, 2'142).switches, 18U * 17) << "7 hosts, 17 and 16 cables: 40 ports";
  const Values random{{"topology", word("irregular")},
                      {"switches", number(10)},
                      {"cables-per-switch", number(3)},
                      {"hosts-per-switch", number(2)},
                      {"grows-within", number(8)}};
  EXPECT_EQ(numbers(random, 21).as, "switches = 12") << "11 switches of 3 cables each are no graph";
  const Values leaves{{"topology", word("leaf-spine")},
                      {"leaves", number(4)},
                      {"hosts-per-switch", number(8)},
                      {"oversubscription", Value(2.0)},
                      {"grows-within", number(12)}};
  EXPECT_EQ(numbers(leaves, 33).as, "leaves = 5, parallel-cables = \"1\", spines = 4") << "4 spines stay";
  const Values pods{{"topology", word("pod-tree")}, {"pods", number(4)},   {"hosts-per-switch", number(4)},
                    {"leaves", number(4)},          {"spines", number(4)}, {"cores", number(4)},
                    {"grows-within", number(8)}};
  EXPECT_EQ(numbers(pods, 65).as, "parallel-cables = \"1, 1\", pods = 5");
}

/// Whatever the hosts: never fewer ports than hosts, never a switch with more ports than it may use, and a
/// network for more hosts never has fewer; one that is full is its own member.
TEST(GrownTopologies, HoldTheHosts) {
  for (const TopologyKind& kind : topology_kinds()) {
    if (!kind.grown) continue;
    SCOPED_TRACE(kind.name);
    const std::map<std::string, Value> values{{"topology", kind.name},
                                              {"switches", std::int64_t{6}},
                                              {"groups", std::int64_t{3}},
                                              {"hosts-per-switch", std::int64_t{3}},
                                              {"grows-within", std::int64_t{24}}};
    const std::size_t own = in_numbers(grown(values, 1)).hosts;
    std::size_t before = own;
    for (std::size_t hosts = own; hosts < own + 100; hosts += 7) {
      const NetworkTopology topology = grown(values, static_cast<std::int64_t>(hosts));
      if (topology.check(static_cast<std::int64_t>(hosts))) break;  // its largest member
      const TopologyFigures figures = topology.figures(hosts);
      EXPECT_GE(figures.hosts, hosts);
      EXPECT_GE(figures.hosts, before);
      EXPECT_LE(figures.ports.front().ports, 24U);
      before = *figures.hosts;
      EXPECT_EQ(in_numbers(grown(values, static_cast<std::int64_t>(before))).hosts, before);
      EXPECT_TRUE(before == own ||
                  in_numbers(grown(values, static_cast<std::int64_t>(before))).as == figures.grown);
    }
    EXPECT_GT(before, own) << "it grows at all";
  }
}

// 6 uplinks to 3 spines. 40 ports take 20 leaves with 2 cables each; then 6 spines with one to each leaf. One
// spine would take 6 leaves with all the uplinks.
TEST(GrownTopologies, NoSpineGoesAsLeavesCome) {
  const auto leaf_spine = [](std::int64_t hosts) {
    return in_numbers(grown({{"topology", std::string("leaf-spine")},
                             {"leaves", std::int64_t{4}},
                             {"spines", std::int64_t{3}},
                             {"parallel-cables", std::string("2")},
                             {"hosts-per-switch", std::int64_t{20}},
                             {"grows-within", std::int64_t{40}}},
                            hosts));
  };
  EXPECT_EQ(leaf_spine(81).switches, 5U + 3);
  EXPECT_EQ(leaf_spine(81).trunks, 5U * 6);
  EXPECT_EQ(leaf_spine(400).switches, 20U + 3);
  EXPECT_EQ(leaf_spine(401).switches, 21U + 6);
  EXPECT_EQ(leaf_spine(401).trunks, 21U * 6);
}

// Hosts 4 on a switch, 6 cables for each further switch of the first side, 1 of the second: of 20 ports, 2 x
// 9 takes 4 + 6 + 8 and 2 x 11 all, where 3 x 8 would take 23. Within 23 ports 3 x 8 holds 96 hosts, and 2 x
// 13 holds 100 with 4 + 6 + 12.
TEST(GrownTopologies, AGridLengthensTheSidesThatHavePorts) {
  const auto grid = [](std::int64_t ports, std::int64_t hosts) {
    return grown({{"topology", std::string("hyperx")},
                  {"sides", std::string("2, 8")},
                  {"parallel-cables", std::string("6, 1")},
                  {"hosts-per-switch", std::int64_t{4}},
                  {"grows-within", ports}},
                 hosts);
  };
  EXPECT_EQ(in_numbers(grid(20, 65)).hosts, 72U);
  EXPECT_EQ(in_numbers(grid(20, 88)).hosts, 88U);
  EXPECT_EQ(grid(20, 89).check(89)->why,
            "89 hosts don't fit: the largest network of such switches, of 20 ports, is a hyperx of 2 x 11 "
            "switches with ports for 88");
  EXPECT_EQ(in_numbers(grid(23, 96)).hosts, 96U);
  EXPECT_EQ(in_numbers(grid(23, 100)).hosts, 104U);
}

// The rule, over all grids of three sides: the shortest longest side, then the fewest switches.
TEST(GrownTopologies, AGridIsAsEvenAsItCanBe) {
  const auto torus = [](std::int64_t hosts) {
    return in_numbers(grown({{"topology", std::string("torus")},
                             {"sides", std::string("6, 3, 2")},
                             {"hosts-per-switch", std::int64_t{1}},
                             {"grows-within", std::int64_t{7}}},
                            hosts))
        .hosts;
  };
  for (std::size_t hosts = 37; hosts <= 300; ++hosts) {
    std::pair<std::size_t, std::size_t> best{hosts, hosts};
    for (std::size_t a = 6; a <= 10; ++a)
      for (std::size_t b = 3; b <= 10; ++b)
        for (std::size_t c = 2; c <= 10; ++c)
          if (a * b * c >= hosts) best = std::min(best, {std::max({a, b, c}), a * b * c});
    EXPECT_EQ(torus(static_cast<std::int64_t>(hosts)), best.second) << hosts;
  }
}

TEST(GrownTopologies, SayWhatTheLargestIs) {
  const auto complaint = [](std::map<std::string, Value> values, std::int64_t hosts) {
    const auto found = grown(std::move(values), hosts).check(hosts);
    return found ? found->key + ": " + found->why : "none";
  };
  expect_message(complaint({{"topology", std::string("dragonfly")},
                            {"switches-per-group", std::int64_t{8}},
                            {"global-cables", std::int64_t{4}},
                            {"hosts-per-switch", std::int64_t{4}},
                            {"grows-within", std::int64_t{15}}},
                           2'000),
                 {"hosts.count: 2000 hosts", "15 ports", "33 groups", "1056"});
  expect_message(complaint({{"topology", std::string("hyperx")},
                            {"columns", std::int64_t{12}},
                            {"hosts-per-switch", std::int64_t{7}},
                            {"grows-within", std::int64_t{40}}},
                           2'143),
                 {"hosts.count: 2143 hosts", "40 ports", "18 x 17 switches", "2142"});
  auto too_small = fat_tree_of(20, 20, 30);
  expect_message(complaint(too_small, 401), {"network.grows-within", "401 hosts", "40 ports", "30"});
  auto fixed = fat_tree_of(20, 20, 40);
  fixed.erase("grows-within");
  expect_message(complaint(fixed, 401), {"hosts.count: 401 hosts", "400", "network.grows-within"});
  expect_message(complaint({{"topology", std::string("slim-fly")},
                            {"hosts-per-switch", std::int64_t{4}},
                            {"grows-within", std::int64_t{40}}},
                           401),
                 {"hosts.count: 401 hosts", "200"});
}

TEST(TopologyKeys, AreEachThereOnce) {
  for (const TopologyRules& rules : {as_needed(), numbered()}) {
    std::set<std::string> names;
    for (const Key& key : topology_keys(rules)) EXPECT_TRUE(names.insert(key.name).second) << key.name;
  }
}

// A key that two topologies read is described by both; where they differed, one of them would be wrong.
TEST(TopologyKeys, OfTheSameNameAreTheSame) {
  std::map<std::string, Key> known;
  for (const TopologyKind& kind : topology_kinds())
    for (const Key& key : kind.keys) {
      const auto [place, is_new] = known.try_emplace(key.name, key);
      EXPECT_EQ(place->second.fallback, key.fallback) << key.name;
      EXPECT_EQ(place->second.meaning, key.meaning) << key.name;
    }
}

}  // namespace
}  // namespace morgana
