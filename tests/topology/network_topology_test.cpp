#include "emulator/topology/network_topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "emulator/core/error.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace {

using namespace literals;
using ::testing::HasSubstr;
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
  EXPECT_THAT(
      complaint({{"topology", tree}, {"tiers", std::string("global at 1 Gb/s")}}),
      HasSubstr(
          "network.tiers: \"global at 1 Gb/s\" can't be read; write a tier of this topology (leaf-spine, "
          "spine-core)"));
  EXPECT_THAT(complaint({{"topology", tree}, {"tiers", std::string("leaf-spine at noon")}}),
              HasSubstr("network.tiers: \"leaf-spine at noon\""));
  EXPECT_THAT(complaint({{"topology", tree}, {"tiers", std::string("leaf-spine")}}),
              HasSubstr("network.tiers"));
  EXPECT_THAT(complaint({{"topology", std::string("listed")},
                         {"switches", std::int64_t{2}},
                         {"cables", std::string("0-1")},
                         {"tiers", std::string("leaf-spine at 1 Gb/s")}}),
              HasSubstr("network.tiers: a listed network has no tiers"));
  EXPECT_THAT(complaint({{"topology", std::string("leaf-spine")},
                         {"oversubscription", 1.0},
                         {"hosts-per-switch", std::int64_t{4}},
                         {"tiers", std::string("leaf-spine at 1 Gb/s")}}),
              HasSubstr("network.tiers: with network.oversubscription"));
}

TEST(NetworkTopology, NamesTheKeyThatIsWrong) {
  const auto complaint = [](std::map<std::string, Value> values, const TopologyRules& rules) {
    const auto found = NetworkTopology(settings(std::move(values)), rules, fast).check(0);
    return found ? found->key + ": " + found->why : "no complaint";
  };
  const Value torus = std::string("torus"), listed = std::string("listed");
  EXPECT_EQ(complaint({{"topology", torus}, {"columns", std::int64_t{40}}, {"rows", std::int64_t{40}}},
                      as_needed()),
            "network.columns: 1600 switches are more than 1024");
  EXPECT_THAT(complaint({{"topology", torus}, {"ports-per-switch", std::int64_t{11}}}, numbered()),
              HasSubstr("network.ports-per-switch: this torus takes 12 ports a switch"));
  EXPECT_THAT(complaint({{"topology", std::string("irregular")},
                         {"switches", std::int64_t{4}},
                         {"cables-per-switch", std::int64_t{4}}},
                        as_needed()),
              HasSubstr("network.switches: 4 cables a switch to different ones of 4 switches"));
  EXPECT_THAT(complaint({{"topology", listed}, {"switches", std::int64_t{2}}, {"cables", std::string("0-2")}},
                        as_needed()),
              HasSubstr("network.cables: \"0-2\": there is no switch 2"));
  EXPECT_THAT(complaint({{"topology", listed}, {"switches", std::int64_t{2}}}, as_needed()),
              HasSubstr("network.trunks: no trunks lead from switch 0 to switch 1"));
  EXPECT_THAT(complaint({{"topology", torus}, {"cables", std::string("0-1")}}, as_needed()),
              HasSubstr("network.cables: cables are listed only where network.topology = \"listed\""));
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
