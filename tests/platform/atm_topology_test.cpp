// Topologies of ATM networks as they are listed in a platform's file.

#include "emulator/network/atm/atm_network.h"
#include "emulator/platform/platform.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;
using ::testing::HasSubstr;

Platform listed(const std::string& network) {
  return Platform::parse("extends = \"atm-ideal\"\n[network]\n" + network, "my.toml");
}

std::string complaint_of(const std::string& network) {
  return error_of([&] { listed(network); });
}

/// From host to host, of one cell.
SimTime time_of(const Platform& platform, std::uint32_t from, std::uint32_t to, std::size_t hosts) {
  const Machine machine = platform.build(hosts, Placement(), 1);
  struct Listener : UnitListener {
    void unit_departed(UnitId, PortId) override {}
    void unit_delivered(UnitId, PortId) override { ++delivered; }
    void unit_lost(UnitId) override {}
    int delivered = 0;
  } listener;
  machine.network->report_to(listener);
  machine.network->inject({UnitId{0}, PortId{from}, PortId{to}, 40_B});
  while (listener.delivered == 0) machine.events->handle_next();
  return machine.events->now();
}

constexpr SimTime oc3_cell = SimTime::from_ps(2'726'337);

TEST(AtmTopology, IsReadFromListsOfTrunksAndHosts) {
  const Platform platform = listed(
      "switches = 4\ntopology = \"listed\"\n"
      "trunks = [\"0-1\", \"1-2 at 424 Mb/s over 5 us\", \"2-3 over 7 us\"]\n"
      "hosts-at = [0, 0, \"2 at 212 Mb/s\", \"3 over 1 us\"]\n");
  EXPECT_EQ(time_of(platform, 0, 1, 4), 2 * oc3_cell);
  EXPECT_EQ(time_of(platform, 0, 2, 4), 2 * oc3_cell + 1_us + 5_us + 2_us);
  EXPECT_EQ(time_of(platform, 3, 0, 4), 4 * oc3_cell + 1_us + 7_us + 1_us + 5_us);
  EXPECT_EQ(time_of(platform, 0, 1, 2), 2 * oc3_cell);  // hosts that are not needed stay silent
}

TEST(AtmTopology, ListsCanBeOverrides) {
  const std::vector<std::string> overrides{"network.topology=listed", "network.switches=3",
                                           "network.trunks=0-1, 0-2", "network.hosts-at=1, 2"};
  const Platform platform = Platform::load("atm-ideal", overrides);
  EXPECT_EQ(time_of(platform, 0, 1, 2), 4 * oc3_cell);
  EXPECT_THAT(platform.describe(), HasSubstr("trunks = \"0-1, 0-2\""));
}

TEST(AtmTopology, OfAnyShapeMaySayWhereHostsHang) {
  EXPECT_EQ(time_of(listed("switches = 4\ntopology = \"ring\"\nhosts-at = [0, 3]\n"), 0, 1, 2), 3 * oc3_cell);
  EXPECT_EQ(time_of(listed("switches = 4\ntopology = \"chain\"\nhosts-at = [0, 3]\n"), 0, 1, 2),
            5 * oc3_cell);
  EXPECT_EQ(time_of(listed("switches = 4\ntopology = \"star\"\nhosts-at = [0, 3]\n"), 0, 1, 2), 3 * oc3_cell);
}

// Leaves of a tree and of a torus, hosts filled one switch after the other; cells that cross both trunks.
TEST(AtmTopology, MayBeAnyThatSwitchedEthernetHas) {
  const std::string tree = "topology = \"tree\"\narity = 3\nlevels = 2\nhosts-per-switch = 2\n";
  EXPECT_EQ(time_of(listed(tree), 0, 1, 6), 2 * oc3_cell);
  EXPECT_EQ(time_of(listed(tree), 0, 5, 6), 4 * oc3_cell);
  EXPECT_EQ(time_of(listed(tree + "trunk-rate = \"424 Mb/s\"\n"), 0, 5, 6), 2 * oc3_cell + 2_us);
  EXPECT_EQ(time_of(listed("topology = \"torus\"\ncolumns = 3\nrows = 3\n"), 0, 8, 9), 4 * oc3_cell);
  expect_message(complaint_of("topology = \"torus\"\ncolumns = 32\nrows = 16\n"),
                 {"my.toml:4:11", "network.columns", "512 switches", "256"});
}

TEST(AtmTopology, NamesTheSwitchThatThereIsNot) {
  expect_message(complaint_of("switches = 2\ntopology = \"listed\"\ntrunks = [\"0-1\", \"1-2\"]\n"),
                 {"my.toml:5:10", "network.trunks", "\"1-2\"", "switch 2", "network.switches"});
  expect_message(complaint_of("hosts-at = [0, 1]\n"),
                 {"my.toml:3:12", "network.hosts-at", "\"1\"", "switch 1"});
}

TEST(AtmTopology, NamesTheMissingTrunk) {
  expect_message(complaint_of("switches = 3\ntopology = \"listed\"\ntrunks = [\"0-1\"]\nhosts-at = [1, 2]\n"),
                 {"my.toml:5:10", "network.trunks", "switch 1 to switch 2", "\"1-2\""});
  // Without hosts-at, hosts may hang on every switch.
  expect_message(complaint_of("switches = 3\ntopology = \"listed\"\ntrunks = [\"0-1\"]\n"),
                 {"my.toml:5:10", "network.trunks", "switch 0 to switch 2", "\"0-2\""});
  EXPECT_EQ(complaint_of("switches = 3\ntopology = \"listed\"\ntrunks = [\"0-1\"]\nhosts-at = [1, 0]\n"),
            "no error");
}

TEST(AtmTopology, NamesTheHostWhoseLinkBackgroundCantLoad) {
  expect_message(complaint_of("background.hosts = [\"one\"]\n"), {"network.background.hosts", "\"one\""});
  expect_message(complaint_of("background.hosts = [7]\n[hosts]\ncount = 2\n"),
                 {"network.background.hosts", "host 7", "hosts.count is 2"});
  EXPECT_EQ(complaint_of("background.hosts = [1, 0]\n"), "no error");
}

TEST(AtmTopology, NamesTheCategoryThatBackgroundCantHave) {
  expect_message(complaint_of("background.category = \"best\"\n"),
                 {"network.background.category", "\"best\""});
  expect_message(
      complaint_of("background.category = [\"ubr\", \"abt\"]\nbackground.sources = \"2 sources\"\n"),
      {"network.background.category", "\"abt\""});
  expect_message(complaint_of("background.category = [\"ubr\", \"abr\"]\n"),
                 {"network.background.category", "2 categories", "1 source", "network.background.sources"});
  EXPECT_EQ(complaint_of("background.category = [\"ubr\", \"abr\"]\nbackground.sources = \"3 sources\"\n"),
            "no error");
  EXPECT_EQ(complaint_of("background.category = \"abr\"\n"), "no error");
}

TEST(AtmTopology, NamesTheHostWithoutASwitch) {
  const Platform platform = listed("switches = 2\nhosts-at = [0, 1, 1]\n");
  expect_message(error_of([&] { platform.build(5, Placement(), 1); }),
                 {"host 3", "network.hosts-at", "3 hosts", "but 5"});
}

TEST(AtmTopology, SaysHowWhatItCantReadIsWritten) {
  const std::string head = "switches = 2\ntopology = \"listed\"\ntrunks = [\"";
  expect_message(complaint_of(head + "a-1\"]\n"), "\"a-1\"");
  expect_message(complaint_of(head + "0+1\"]\n"), "\"0+1\"");
  expect_message(complaint_of(head + "0-0\"]\n"), "\"0-0\"");
  expect_message(complaint_of(head + "0-1 at 5 us\"]\n"), {"\"0-1 at 5 us\"", "\"5 us\""});
  expect_message(complaint_of(head + "0-1 by night\"]\n"), "\"0-1 by night\"");
  expect_message(complaint_of("hosts-at = [\"\", 0]\n"), {"my.toml:3:12", "network.hosts-at: \"\""});
  expect_message(complaint_of("trunks = [\"0-1\"]\n"), "network.topology = \"listed\"");
}

}  // namespace
}  // namespace morgana
