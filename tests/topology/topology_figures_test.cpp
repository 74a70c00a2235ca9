#include "emulator/topology/topology_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "emulator/topology/bisection_bounds.h"
#include "emulator/topology/kinds/fat_tree.h"
#include "emulator/topology/kinds/irregular.h"
#include "emulator/topology/network_topology.h"
#include "emulator/topology/topology_kind.h"
#include "tests/topology/plain_search.h"
#include "tests/topology/topology_settings.h"

namespace morgana {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Link hundred{BitRate(100'000'000'000), 10_ns};

TopologyFigures figures_with(Settings settings, std::size_t hosts = 0) {
  return NetworkTopology(settings, {.usual = "fat-tree"}, hundred).figures(hosts);
}

std::vector<std::size_t> trunks_of(const TopologyFigures& figures) {
  std::vector<std::size_t> trunks;
  for (const TopologyFigures::Tier& tier : figures.tiers) trunks.push_back(tier.trunks);
  return trunks;
}

TEST(TopologyFigures, DistancesAreThoseOfAPlainSearch) {
  std::mt19937 chance(23);
  for (const TopologyKind& kind : topology_kinds()) {
    SCOPED_TRACE(kind.name);
    const SwitchGraph graph = kind.graph(network_settings({{"switches", 30u}, {"levels", 3u}}), {});
    const PlainDistances plain = plain_distances(graph);
    const HostDistances counted = host_distances(graph);
    EXPECT_EQ(counted.largest, plain.largest);
    EXPECT_NEAR(counted.mean, plain.mean, 1e-9);
  }
  for (int member = 0; member < 10; ++member) {
    const SwitchGraph graph = topology::irregular({2 * one_to(70, chance) + 4, 1, 3, 16}, chance());
    EXPECT_NEAR(host_distances(graph).mean, plain_distances(graph).mean, 1e-9);
    EXPECT_EQ(host_distances(graph).largest, plain_distances(graph).largest);
  }
}

TEST(TopologyFigures, LeaveOutPairsThatNoCablesJoin) {
  SwitchGraph graph;
  for (int n = 0; n < 4; ++n) graph.add_host(graph.add_switch(4));
  graph.connect(SwitchId{0}, SwitchId{1});
  graph.connect(SwitchId{2}, SwitchId{3});
  EXPECT_EQ(host_distances(graph).largest, 1u);
  EXPECT_EQ(host_distances(graph).mean, 1);
  SwitchGraph alone;
  alone.add_host(alone.add_switch(1));
  EXPECT_EQ(host_distances(alone).largest, 0u);
  EXPECT_EQ(host_distances(alone).mean, 0);
}

/// Al-Fares: k = 8 has 80 switches of 8 ports, 128 hosts, 256 trunks and full bisection, k^3 / 8.
TEST(TopologyFigures, OfThePodsOfADataCentre) {
  const TopologyFigures figures =
      figures_with(network_settings({{"topology", "pod-tree"}, {"pods", 8u}, {"hosts-per-switch", 4u}}));
  EXPECT_EQ(figures.switches, 80u);
  EXPECT_EQ(figures.switches_with_hosts, 32u);
  EXPECT_EQ(figures.hosts, 128u);
  EXPECT_THAT(trunks_of(figures), ElementsAre(128, 128));
  EXPECT_EQ(figures.tiers.at(0).name, "leaf-spine");
  EXPECT_EQ(figures.tiers.at(1).name, "spine-core");
  ASSERT_EQ(figures.ports.size(), 1u);
  EXPECT_EQ(figures.ports[0].ports, 8u);
  EXPECT_EQ(figures.ports_in_use(), 640u);
  EXPECT_EQ(figures.cables(), 128u + 256);
  EXPECT_EQ(figures.distances.largest, 4u);
  EXPECT_EQ(figures.bisection, 64u);
  EXPECT_EQ(figures.bisection_rate, BitRate(6'400'000'000'000));
}

TEST(TopologyFigures, OfHostsThatAreAsManyAsAreNeeded) {
  const Settings torus = network_settings({{"topology", "torus"}, {"sides", "4x6"}});
  const TopologyFigures open = figures_with(torus), ten = figures_with(torus, 10);
  EXPECT_EQ(open.hosts, std::nullopt);
  EXPECT_EQ(open.switches_with_hosts, 24u);
  EXPECT_EQ(open.cables(), 48u);
  ASSERT_EQ(open.ports.size(), 1u) << "ports of hosts are not counted";
  EXPECT_EQ(open.ports[0].ports, 4u);
  EXPECT_EQ(open.bisection, 2u * 24 / 6);
  EXPECT_EQ(ten.hosts, 10u);
  EXPECT_EQ(ten.cables(), 58u);
  EXPECT_EQ(ten.ports_in_use(), 24u * 4 + 10);
  EXPECT_EQ(ten.distances.mean, open.distances.mean);
}

TEST(TopologyFigures, CountTrunksAtTheirOwnRate) {
  Settings settings = network_settings(
      {{"topology", "leaf-spine"}, {"leaves", 4u}, {"hosts-per-switch", 16u}, {"oversubscription", 2.0}});
  settings["network.trunk-rate"] = BitRate(400'000'000'000);
  const TopologyFigures figures = figures_with(settings);
  EXPECT_EQ(figures.switches, 4u + 2);
  EXPECT_EQ(figures.bisection, 4u);
  EXPECT_EQ(figures.bisection_rate, BitRate(1'600'000'000'000)) << "half of 32 hosts at 100 Gb/s";
}

TEST(TopologyFigures, SayWhatIsNotKnown) {
  EXPECT_EQ(figures_with(network_settings({{"topology", "slim-fly"}})).bisection, std::nullopt);
  EXPECT_EQ(
      figures_with(network_settings({{"topology", "leaf-spine"}, {"hosts-at", "0, 0, 0, 1"}})).bisection,
      std::nullopt);
  EXPECT_THAT(
      describe(figures_with(network_settings({{"topology", "leaf-spine"}, {"hosts-at", "0, 0, 0, 1"}}))),
      HasSubstr("Bisection: not known."));
}

// The Slim Fly of q = 5 is Hoffman and Singleton's graph, whose adjacency matrix has the eigenvalues 7, 2 and
// -3 (IBM J. Res. Dev. 4(5), 1960): the Laplacian's second is 7 - 2 = 5, and 50 switches times 5 / 4
// are 62.5.
TEST(BisectionBounds, AreTheSpectralOneAndADivision) {
  const TopologyFigures figures = figures_with(network_settings({{"topology", "slim-fly"}}));
  ASSERT_TRUE(figures.bisection_bounds.has_value());
  EXPECT_EQ(figures.bisection_bounds->at_least, 63U);
  EXPECT_GE(figures.bisection_bounds->at_most, 63U);
  EXPECT_LE(figures.bisection_bounds->at_most, 175U / 2)
      << "half of all trunks, which a random division cuts";
  EXPECT_THAT(describe(figures), HasSubstr("Bisection: at least 63 cables (spectral bound), at most "));
  // A complete graph's bound is exact: eigenvalue n, so n^2 / 4, and so is that of a 4 x 4 HyperX, N S / 4.
  const auto lattice = [](const char* sides) {
    return *bisection_bounds(
        topology_kind("hyperx")->graph(network_settings({{"topology", "hyperx"}, {"sides", sides}}), {}));
  };
  EXPECT_EQ(lattice("16x1").at_least, 64U);
  EXPECT_EQ(lattice("16x1").at_most, 64U);
  EXPECT_EQ(lattice("4x4").at_least, 16U);
  EXPECT_EQ(lattice("4x4").at_most, 16U);
}

/// A connected network with a host on each switch, or on some only.
SwitchGraph small_network(std::mt19937& chance, bool hosts_everywhere) {
  SwitchGraph graph;
  const unsigned switches = 2 * (1 + one_to(6, chance));
  for (unsigned n = 0; n < switches; ++n) graph.add_switch(64);
  for (SwitchId at = 1; at < switches; ++at) graph.connect(at, static_cast<SwitchId>(chance() % at));
  for (unsigned n = one_to(2 * switches, chance); n > 0; --n) {
    const auto a = static_cast<SwitchId>(chance() % switches), b = static_cast<SwitchId>(chance() % switches);
    if (a != b) graph.connect(a, b);
  }
  const unsigned with_hosts = hosts_everywhere ? switches : 2 * one_to(switches / 2, chance);
  for (SwitchId at = 0; at < with_hosts; ++at) graph.add_host(at);
  return graph;
}

TEST(BisectionBounds, EncloseTheCheapestHalvesOfSmallNetworks) {
  std::mt19937 chance(41);
  int exact_below = 0;
  for (int member = 0; member < 200; ++member) {
    const SwitchGraph graph = small_network(chance, member % 2 == 0);
    const std::uint64_t cheapest = cheapest_halves(graph);
    const auto bounds = bisection_bounds(graph);
    ASSERT_TRUE(bounds.has_value());
    EXPECT_LE(bounds->at_least, cheapest) << "network " << member;
    EXPECT_EQ(bounds->at_most, cheapest) << "35 starts find the best of so few switches, network " << member;
    exact_below += bounds->at_least == cheapest ? 1 : 0;
  }
  EXPECT_GT(exact_below, 10) << "so that the bound is not trivial";
}

TEST(BisectionBounds, EncloseClosedForms) {
  for (const Settings& settings :
       {network_settings({{"topology", "torus"}, {"sides", "8x8"}}),
        network_settings({{"topology", "mesh"}, {"sides", "8x4x3"}}),
        network_settings({{"topology", "hyperx"}, {"sides", "6x4x4"}}),
        network_settings({{"topology", "dragonfly"}, {"groups", 8u}}),
        network_settings({{"topology", "dragonfly-plus"}, {"groups", 4u}}),
        network_settings({{"topology", "xgft"}, {"children", "4x6"}, {"parents", "2x3"}})}) {
    const std::string name = std::get<std::string>(settings.at("network.topology"));
    SCOPED_TRACE(name);
    const TopologyKind& kind = *topology_kind(name);
    const auto known = kind.facts(settings, {}).bisection;
    ASSERT_TRUE(known.has_value());
    const auto bounds = bisection_bounds(kind.graph(settings, {}));
    EXPECT_LE(bounds->at_least, *known);
    EXPECT_EQ(bounds->at_most, *known) << "the closed form's division is found, and none is cheaper";
  }
}

TEST(BisectionBounds, AreLeftOutWhereHostsAreUneven) {
  SwitchGraph graph;
  for (int n = 0; n < 3; ++n) graph.add_switch(4);
  graph.connect(SwitchId{0}, SwitchId{1});
  graph.connect(SwitchId{1}, SwitchId{2});
  graph.add_host(SwitchId{0});
  EXPECT_FALSE(bisection_bounds(graph).has_value());
  graph.add_host(SwitchId{2});
  EXPECT_EQ(bisection_bounds(graph)->at_most, 1U);
  graph.add_host(SwitchId{2});
  EXPECT_FALSE(bisection_bounds(graph).has_value());
}

TEST(TopologyFigures, ReadAsSentences) {
  EXPECT_EQ(describe(figures_with(
                network_settings({{"topology", "pod-tree"}, {"pods", 4u}, {"hosts-per-switch", 2u}}))),
            "20 switches, 16 hosts on 8 of them; 32 cables between switches: 16 leaf-spine, 16 spine-core. "
            "Ports in "
            "use: 4 on each of 20 switches; 80 in all. Between two switches with hosts: 3.714 cables in the "
            "mean, 4 "
            "at most. "
            "Bisection: 8 cables, 800 Gb/s each way.");
  EXPECT_EQ(describe(figures_with(network_settings({{"topology", "chain"}, {"hosts-per-switch", 9u}}))),
            "1 switch, 9 hosts.");
}

TEST(TopologyFigures, SmallTopologiesHaveTheCheapestBisection) {
  for (const char* name : {"chain", "ring", "star", "tree"}) {
    for (const unsigned switches : {3u, 4u, 5u, 8u}) {
      const TopologyKind& kind = *topology_kind(name);
      const Settings settings =
          network_settings({{"switches", switches}, {"arity", switches}, {"levels", 2u}});
      const auto known = kind.facts(settings, {}).bisection;
      const SwitchGraph graph = kind.graph(settings, {});
      EXPECT_EQ(known.has_value(), graph.hosts() % 2 == 0) << name << " " << switches;
      if (!known) continue;
      EXPECT_EQ(known, cheapest_halves(graph)) << name << " " << switches;
    }
  }
}

/// 65,536 hosts: a fat tree of three levels of 32 x 32 leaves and more, counted while somebody waits.
TEST(TopologyFigures, OfTheLargestNetworkAreThoseOfTheFormula) {
  const TopologyFigures figures = figures_with(network_settings(
      {{"topology", "xgft"}, {"children", "32, 64"}, {"parents", "32, 32"}, {"hosts-per-switch", 32u}}));
  EXPECT_EQ(figures.hosts, 65'536u);
  EXPECT_EQ(figures.switches, 32u * 64 + 32 * 64 + 32 * 32);
  EXPECT_EQ(figures.trunks(), 2u * 65'536);
  EXPECT_EQ(figures.bisection, 32'768u);
  EXPECT_EQ(figures.distances.largest, 4u);
  const double leaves = 2048, inside = 31;
  EXPECT_NEAR(figures.distances.mean, (2 * inside + 4 * (leaves - 1 - inside)) / (leaves - 1), 1e-9);
}

TEST(NetworkTopology, UsesTheKeysOfTheTopologyChosen) {
  const auto uses = [](const char* topology, const char* key) {
    return NetworkTopology(network_settings({{"topology", topology}}), {}, hundred).uses(key);
  };
  EXPECT_TRUE(uses("torus", "network.columns"));
  EXPECT_TRUE(uses("hyperx", "network.columns"));
  EXPECT_FALSE(uses("slim-fly", "network.columns"));
  EXPECT_TRUE(uses("slim-fly", "network.slim-fly-q"));
  EXPECT_TRUE(uses("slim-fly", "network.rate"));
  EXPECT_TRUE(uses("listed", "network.switches"));
  EXPECT_FALSE(uses("listed", "network.columns"));
}

}  // namespace
}  // namespace morgana
