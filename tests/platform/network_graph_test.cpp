#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "emulator/platform/platform.h"
#include "tests/platform/support.h"

namespace morgana {
namespace {

using ::testing::AllOf;
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
  EXPECT_THAT(refusal("loggp-example"),
              AllOf(HasSubstr("platform loggp-example has no graph"), HasSubstr("latency")));
  EXPECT_THAT(refusal("ethernet-10"), HasSubstr("a shared Ethernet segment"));
  EXPECT_THAT(refusal("fddi-100"), HasSubstr("an FDDI ring"));
  EXPECT_THAT(refusal("sgi-powerchallenge"), HasSubstr("one bus"));
  EXPECT_THAT(refusal("native"), HasSubstr("this machine itself"));
}

}  // namespace
}  // namespace morgana
