// Networks that a platform lists, and what dies in them.
#include "emulator/platform/myrinet_platform.h"
#include "tests/platform/support.h"

namespace morgana {
namespace {

using namespace literals;

PlatformMyrinet listed(const std::string& more) {
  return PlatformMyrinet(
      Platform::parse("[network]\nkind = \"myrinet\"\ntopology = \"listed\"\n" + more, "my.toml"));
}

TEST(ListedMyrinet, TakesNamedPortsFirstAndElseTheLowestFreeHostsBeforeCables) {
  const SwitchGraph graph = listed(
                                "switches = 2\nports-per-switch = 6\nhosts-at = [1, \"1.4\", 0, 1]\n"
                                "cables = [\"0-1\", \"1.0-0.0\"]\n")
                                .graph();
  const std::vector<SwitchPort> hosts{{1, 1}, {1, 4}, {0, 1}, {1, 2}};
  ASSERT_EQ(graph.hosts(), hosts.size());
  for (HostNumber host = 0; host < hosts.size(); ++host) EXPECT_EQ(graph.port_of(host), hosts[host]) << host;
  const std::vector<SwitchGraph::Cable> cables{{{0, 2}, {1, 3}}, {{1, 0}, {0, 0}}};
  EXPECT_EQ(graph.cables(), cables);
}

TEST(ListedMyrinet, HasSoManyHostsAtEverySwitchIfNoneAreListed) {
  const SwitchGraph graph =
      listed("switches = 3\nhosts-per-switch = 2\ncables = [\"0-1\", \"1-2\"]\n").graph();
  EXPECT_EQ(graph.hosts(), 6u);
  EXPECT_EQ(graph.port_of(5), (SwitchPort{2, 1}));
}

TEST(ListedMyrinet, IsDescribedAsAFileThatGivesTheSame) {
  const Platform platform = Platform::parse(
      "[network]\nkind = \"myrinet\"\ntopology = \"listed\"\nswitches = 2\nhosts-at = [1, 0]\n"
      "cables = [\"0-1.9\", \"0-1\"]\nfaults = [\"cable 1.9 at 3 us\", \"switch 1 at 1 s\"]\n",
      "my.toml");
  const PlatformMyrinet first(platform), again(Platform::parse(platform.describe(), "again.toml"));
  EXPECT_EQ(again.graph().cables(), first.graph().cables());
  EXPECT_EQ(again.graph().port_of(0), first.graph().port_of(0));
  EXPECT_EQ(again.faults().size(), 2u);
}

TEST(MyrinetFaults, NameACableByAPortOrItsSwitchesOrASwitch) {
  const NetworkFaults faults =
      PlatformMyrinet(Platform::parse("[network]\nkind = \"myrinet\"\nfaults = [\"cable 0.3 at 10 ms\", "
                                      "\"cable 8-0 at 0 s\", \"switch 63 at 1000 s\"]\n",
                                      "my.toml"))
          .faults();
  ASSERT_EQ(faults.size(), 3u);
  EXPECT_EQ(faults[0].part, NetworkFault::Part::cable);
  EXPECT_EQ(faults[0].at, (SwitchPort{0, 3}));  // a host's
  EXPECT_EQ(faults[0].when, 10_ms);
  // In a torus 8 wide switch 8 is the next in the second dimension: of its ports behind eight hosts the
  // fourth leads back.
  EXPECT_EQ(faults[1].at, (SwitchPort{8, 11}));
  EXPECT_EQ(faults[1].when, 0_s);
  EXPECT_EQ(faults[2].part, NetworkFault::Part::a_switch);
  EXPECT_EQ(faults[2].at.at, 63u);
}

}  // namespace
}  // namespace morgana
