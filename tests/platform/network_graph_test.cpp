#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "emulator/platform/platform.h"
#include "emulator/platform/platform_network.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using ::testing::HasSubstr;
using Overrides = std::vector<std::string>;
using Kind = NetworkShape::Kind;

std::ptrdiff_t hosts(const NetworkGraph& graph) {
  return std::count_if(graph.links.loads.begin(), graph.links.loads.end(),
                       [](const LinkLoad& link) { return link.from.is_host(); });
}

TEST(NetworkGraph, OfMyrinetHasAllItsHosts) {
  const NetworkGraph graph = Platform::load("myrinet-itb").network_graph();
  EXPECT_EQ(graph.shape.kind, Kind::grid);
  EXPECT_EQ(graph.shape.width, 8U);
  EXPECT_EQ(hosts(graph), 512);
  // Two directions of 512 hosts' cables and of 2 x 64 between switches.
  EXPECT_EQ(graph.links.loads.size(), 2U * (512 + 128));
  EXPECT_EQ(hosts(Platform::load("myrinet-itb").network_graph(1000)), 512);
  for (const LinkLoad& link : graph.links.loads) EXPECT_EQ(link.carried, 0);
}

// What loads a network with packets of its own needs nothing of what programs' messages need of it.
TEST(NetworkGraph, OfANetworkAloneNeedsNoTransportThatFits) {
  const Overrides small{"network.mtu=64 B"};
  expect_message(error_of([&] { Platform::load("hdr-fat-tree", small); }), "transport.path-mtu");
  EXPECT_EQ(PlatformNetwork(PlatformNetwork::load_alone("hdr-fat-tree", small)).graph().hosts(), 400U);
  expect_message(error_of([&] { PlatformNetwork::load_alone("hdr-fat-tree", Overrides{"network.mtu=0 B"}); }),
                 "network.mtu");
  expect_message(
      error_of([&] { PlatformNetwork::load_alone("hdr-fat-tree", Overrides{"transport.mtu=1 B"}); }),
      "transport.mtu");
}

TEST(NetworkGraph, OfAtmHasAsManyHostsAsAreAskedFor) {
  const Platform platform = Platform::load("atm-oc3", Overrides{"network.switches=4"});
  EXPECT_EQ(hosts(platform.network_graph(7)), 7);
  const NetworkGraph usual = platform.network_graph();
  EXPECT_EQ(hosts(usual), 4);
  EXPECT_EQ(usual.shape.kind, Kind::grid);
  EXPECT_EQ(usual.shape.width, 4U);
  EXPECT_EQ(usual.links.loads.size(), 2U * (4 + 3));
}

TEST(NetworkGraph, OfAtmIsDrawnAsItsTopologyIs) {
  const auto graph = [](const char* topology, const char* further = "network.rate=100 Mb/s") {
    return Platform::load("atm-oc3", Overrides{"network.switches=5",
                                               std::string("network.topology=") + topology, further})
        .network_graph();
  };
  EXPECT_EQ(graph("ring").shape.kind, Kind::circle);
  EXPECT_EQ(graph("star").shape.kind, Kind::tree);
  EXPECT_EQ(graph("star").shape.width, 4U);
  EXPECT_EQ(hosts(graph("star")), 4);
  EXPECT_EQ(hosts(graph("ring", "network.hosts-at=0, 0, 3")), 3);
}

TEST(NetworkGraph, OfNetworksWithoutCablesIsRefusedWithWhatTheyHaveInstead) {
  const auto refusal = [](const char* name) {
    return error_of([&] { Platform::load(name).network_graph(); });
  };
  expect_message(refusal("loggp-example"), {"platform loggp-example", "LogGP"});
  expect_message(refusal("ethernet-10"), {"platform ethernet-10", "ethernet-shared"});
  expect_message(refusal("fddi-100"), {"platform fddi-100", "FDDI"});
  expect_message(refusal("sgi-powerchallenge"), {"platform sgi-powerchallenge", "shared-bus"});
  expect_message(refusal("native"), "platform native");
}

TEST(NetworkFigures, AreThoseOfThePlatformsNetwork) {
  // 20 leaves and 20 spines of 40 ports, 20 hosts on each leaf.
  const auto fat_tree = PlatformNetwork::figures(Platform::load("hdr-fat-tree"));
  ASSERT_TRUE(fat_tree.has_value());
  EXPECT_EQ(fat_tree->switches, 40U);
  EXPECT_EQ(fat_tree->hosts, 400U);
  EXPECT_EQ(fat_tree->trunks(), 400U);
  EXPECT_EQ(fat_tree->ports_in_use(), 20U * 40 + 20 * 20);
  EXPECT_EQ(fat_tree->distances.largest, 2U);
  EXPECT_EQ(fat_tree->bisection, 200U);
  EXPECT_EQ(fat_tree->bisection_rate, BitRate(40'000'000'000'000));
  // A Myrinet's torus of 8 x 8: two cuts of eight cables at 1.28 Gb/s.
  const auto myrinet = PlatformNetwork::figures(Platform::load("myrinet-ud"));
  ASSERT_TRUE(myrinet.has_value());
  EXPECT_EQ(myrinet->hosts, 512U);
  EXPECT_EQ(myrinet->bisection, 16U);
  EXPECT_EQ(myrinet->bisection_rate, BitRate(16 * 1'280'000'000LL));
  // Switched Ethernet and ATM have as many hosts as hosts.count says, or as are needed.
  const Overrides torus{"network.topology=torus", "network.sides=4x2", "network.hosts-per-switch=spread"};
  EXPECT_EQ(PlatformNetwork::figures(Platform::load("fast-ethernet-tree", torus))->hosts, std::nullopt);
  Overrides of_ten{"network.topology=torus", "network.sides=4x2", "hosts.count=10"};
  EXPECT_EQ(PlatformNetwork::figures(Platform::load("atm-oc3", of_ten))->hosts, 10U);
  for (const char* without : {"native", "ethernet-10", "infiniband-hdr", "fddi-100"})
    EXPECT_FALSE(PlatformNetwork::figures(Platform::load(without)).has_value()) << without;
}

// Switches, and ports for hosts: five pods of 20 leaves and 20 spines below 4 cores for each of these; of
// 64-port switches 40 leaves below 32 spines; six groups of 32; 12 x 9.
TEST(NetworkFigures, OfPresetsGrowWithTheHosts) {
  const auto figures = [](const char* platform, const char* hosts) {
    return *PlatformNetwork::figures(
        Platform::load(platform, Overrides{std::string("hosts.count=") + hosts}));
  };
  EXPECT_EQ(figures("hdr-fat-tree", "2000").switches, 5U * 40 + 80);
  EXPECT_EQ(figures("hdr-fat-tree", "2000").hosts, 2'000U);
  EXPECT_EQ(figures("ndr-fat-tree", "1280").switches, 40U + 32);
  EXPECT_EQ(figures("slingshot-dragonfly", "3000").switches, 6U * 32);
  EXPECT_EQ(figures("hyperx-672", "700").switches, 12U * 9);
  EXPECT_EQ(figures("torus-3d", "513").switches, 9U * 8 * 8);
  EXPECT_EQ(figures("hdr-fat-tree", "100").hosts, 400U) << "nothing shrinks";
  expect_message(error_of([&] { figures("dragonfly-1056", "2000"); }),
                 {"hosts.count: 2000 hosts", "15 ports", "33 groups", "1056"});
  EXPECT_THAT(Platform::load("hdr-fat-tree", Overrides{"hosts.count=2000"}).describe(),
              HasSubstr("# Its network: 280 switches, 2000 hosts on 100 of them"));
}

TEST(PlatformNetwork, HasTheHostsThatTakePart) {
  const auto network = [](const Overrides& overrides) {
    return PlatformNetwork(PlatformNetwork::load_alone("hdr-fat-tree", overrides));
  };
  EXPECT_EQ(network({}).hosts(), 400U);
  EXPECT_EQ(network({"hosts.count=100"}).hosts(), 100U);
  EXPECT_EQ(network({"hosts.count=100"}).graph().hosts(), 400U);
  EXPECT_EQ(network({"hosts.count=500"}).hosts(), 500U);
}

TEST(NetworkFigures, StandInWhatAPlatformPrintsWithoutKeysOfOtherTopologies) {
  using ::testing::Not;
  const std::string printed =
      Platform::load("fast-ethernet-tree", Overrides{"network.topology=slim-fly", "network.columns=4"})
          .describe();
  EXPECT_THAT(printed, HasSubstr("# Its network: 50 switches, 400 hosts"));
  EXPECT_THAT(printed, HasSubstr("\nslim-fly-q = 5"));
  EXPECT_THAT(printed, Not(HasSubstr("\nrows = ")));
  EXPECT_THAT(printed, HasSubstr("\ncolumns = 4")) << "it is set";
  EXPECT_EQ(Platform::parse(printed, "printed.toml").describe(), printed) << "and describes the same";
}

TEST(NetworkTopologies, EveryNewOneServesSwitchedEthernetAtmAndMyrinet) {
  for (const char* topology : {"leaf-spine", "xgft", "pod-tree", "hyperx", "slim-fly", "dragonfly-plus",
                               "random-regular", "jellyfish"}) {
    for (const char* platform : {"fast-ethernet", "atm-oc3", "myrinet-ud"}) {
      SCOPED_TRACE(::testing::Message() << topology << " on " << platform);
      // Only random graphs look at network.switches.
      const Platform made = Platform::load(
          platform, Overrides{std::string("network.topology=") + topology, "network.switches=10"});
      EXPECT_GT(made.network_graph(4).links.loads.size(), 8U);
      EXPECT_GT(PlatformNetwork::figures(made)->distances.largest, 1U);
    }
  }
}

TEST(NetworkTopologies, OfTreesServeAFabricWithCredits) {
  for (const char* topology : {"leaf-spine", "xgft", "pod-tree", "fat-tree"})
    EXPECT_NO_THROW(
        Platform::load("hdr-fat-tree", Overrides{std::string("network.topology=") + topology,
                                                 "network.arity=4", "network.hosts-per-switch=4"}))
        << topology;
}

}  // namespace
}  // namespace morgana
