// Switched Ethernets as they are written in a platform's file.
#include <algorithm>
#include <numeric>

#include "emulator/network/network.h"
#include "emulator/platform/platform.h"
#include "emulator/platform/platform_network.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;

Platform written(const std::string& network) {
  return Platform::parse("extends = \"fast-ethernet\"\n[network]\n" + network, "my.toml");
}

std::string complaint_of(const std::string& network) {
  return error_of([&] { written(network); });
}

/// From host to host, of a least frame.
SimTime time_of(const Platform& platform, std::uint32_t from, std::uint32_t to, std::size_t hosts) {
  const Machine machine = platform.build(hosts, Placement(), 1);
  struct Listener : UnitListener {
    void unit_departed(UnitId, PortId) override {}
    void unit_delivered(UnitId, PortId) override { ++delivered; }
    void unit_lost(UnitId) override {}
    int delivered = 0;
  } listener;
  machine.network->report_to(listener);
  machine.network->inject({UnitId{0}, PortId{from}, PortId{to}, 1_B});
  while (listener.delivered == 0) machine.events->handle_next();
  return machine.events->now();
}

// A least frame takes 5.76 us at 100 Mb/s; a cable 0.25 us, a switch 3 us.
SimTime trip(int trunks, SimTime frame_on_trunk = 5'760_ns) {
  return 2 * (5'760_ns + 250_ns) + 3_us + trunks * (frame_on_trunk + 250_ns + 3_us);
}

TEST(EthernetTopology, IsOneSwitchWhereNothingIsSaid) {
  EXPECT_EQ(time_of(Platform::load("fast-ethernet"), 0, 7, 8), trip(0));
}

TEST(EthernetTopology, SpreadsHostsOverAChainARingAndAStar) {
  EXPECT_EQ(time_of(written("switches = 4\n"), 0, 1, 2), trip(3));
  EXPECT_EQ(time_of(written("switches = 4\ntopology = \"ring\"\n"), 0, 3, 4), trip(1));
  // The trunk between switches 2 and 3 of a ring is blocked: 2, 1, 0, 3.
  EXPECT_EQ(time_of(written("switches = 4\ntopology = \"ring\"\n"), 2, 3, 4), trip(3));
  EXPECT_EQ(time_of(written("switches = 4\ntopology = \"ring\"\nroutes = \"shortest\"\n"), 2, 3, 4), trip(1));
  EXPECT_EQ(time_of(written("switches = 4\ntopology = \"star\"\n"), 0, 2, 3), trip(2));
}

TEST(EthernetTopology, TrunksMayBeFaster) {
  EXPECT_EQ(time_of(written("switches = 2\ntrunk-rate = \"1 Gb/s\"\n"), 0, 1, 2), trip(1, 576_ns));
  EXPECT_EQ(time_of(written("switches = 2\ntrunk-rate = \"same\"\n"), 0, 1, 2), trip(1));
}

TEST(EthernetTopology, OfATreeFillsItsLeaves) {
  const Platform platform =
      written("topology = \"tree\"\narity = 2\nlevels = 3\nhosts-per-switch = \"2 hosts\"\n");
  EXPECT_EQ(time_of(platform, 0, 1, 8), trip(0));
  EXPECT_EQ(time_of(platform, 0, 2, 8), trip(2));
  EXPECT_EQ(time_of(platform, 0, 7, 8), trip(4));
  expect_message(error_of([&] { platform.build(9, Placement(), 1); }),
                 {"8 hosts", "and 9", "network.hosts-per-switch"});
}

TEST(EthernetTopology, OfATorusAndAFatTree) {
  const std::string torus = "topology = \"torus\"\ncolumns = 3\nrows = 3\nroutes = \"shortest\"\n";
  EXPECT_EQ(time_of(written(torus + "hosts-per-switch = 1\n"), 0, 8, 9), trip(2));  // round both edges
  const std::string fat = "topology = \"fat-tree\"\narity = 3\nlevels = 2\nroutes = \"shortest\"\n";
  EXPECT_EQ(time_of(written(fat + "hosts-per-switch = 3\n"), 0, 8, 9), trip(2));
}

/// Of each trunk of a 4 x 4 leaf-spine, in both directions: how many of the 240 pairs of hosts sent through
/// it.
std::vector<std::int64_t> pairs_through_trunks(const std::string& routes) {
  const Platform platform = written(
      "topology = \"fat-tree\"\narity = 4\nlevels = 2\nhosts-per-switch = 4\nroutes = \"" + routes + "\"\n");
  constexpr std::uint32_t hosts = 16;
  const Machine machine = platform.build(hosts, Placement(), 1);
  struct Listener : UnitListener {
    void unit_departed(UnitId, PortId) override {}
    void unit_delivered(UnitId, PortId) override { ++delivered; }
    void unit_lost(UnitId) override {}
    std::uint32_t delivered = 0;
  } listener;
  machine.network->report_to(listener);
  for (std::uint32_t from = 0; from < hosts; ++from)
    for (std::uint32_t to = 0; to < hosts; ++to)
      if (from != to) machine.network->inject({UnitId{from * hosts + to}, PortId{from}, PortId{to}, 100_B});
  while (listener.delivered < hosts * (hosts - 1)) machine.events->handle_next();
  std::vector<std::int64_t> pairs;
  for (const LinkLoad& link : machine.network->links(machine.events->now()).loads)
    if (!link.from.is_host() && !link.to.is_host()) pairs.push_back(link.carried);
  return pairs;
}

// 192 pairs are on different leaves: 12 for each of 16 trunks, in each direction, if they are dealt out
// evenly. Of a hash the standard deviation is 3.
TEST(EthernetTopology, OfAFatTreeSharesTheLoadAmongTheSpines) {
  EXPECT_EQ(pairs_through_trunks("d-mod-k"), std::vector<std::int64_t>(32, 12));
  const std::vector<std::int64_t> hashed = pairs_through_trunks("ecmp");
  ASSERT_EQ(hashed.size(), 32u);
  EXPECT_EQ(std::accumulate(hashed.begin(), hashed.end(), std::int64_t{0}), 2 * 192);
  EXPECT_GE(*std::min_element(hashed.begin(), hashed.end()), 2);
  EXPECT_LE(*std::max_element(hashed.begin(), hashed.end()), 24);
  EXPECT_EQ(pairs_through_trunks("shortest"), hashed);
  // A tree has one spine.
  const std::vector<std::int64_t> tree = pairs_through_trunks("spanning-tree");
  EXPECT_EQ(std::count(tree.begin(), tree.end(), 48), 8);
}

TEST(EthernetTopology, IsReadFromListsOfTrunksAndHosts) {
  const Platform platform = written(
      "switches = 3\ntopology = \"listed\"\ntrunk-rate = \"1 Gb/s\"\n"
      "trunks = [\"0-1\", \"1-2 at 10 Mb/s over 5 us\"]\nhosts-at = [0, 0, 1, \"2 over 7 us\"]\n");
  EXPECT_EQ(time_of(platform, 0, 1, 4), trip(0));
  EXPECT_EQ(time_of(platform, 0, 2, 4), trip(1, 576_ns));
  EXPECT_EQ(time_of(platform, 2, 3, 4), trip(1, 57'600_ns) + 5_us - 250_ns + 7_us - 250_ns);
  expect_message(error_of([&] { platform.build(5, Placement(), 1); }),
                 {"host 4", "network.hosts-at", "4 hosts", "but 5"});
}

TEST(EthernetTopology, SaysWhatIsWrong) {
  expect_message(complaint_of("trunks = [\"0-1\"]\n"),
                 {"my.toml:3:10", "network.trunks", "network.topology"});
  expect_message(complaint_of("switches = 2\ntopology = \"listed\"\ntrunks = [\"0-2\"]\n"),
                 {"network.trunks", "\"0-2\"", "switch 2"});
  expect_message(complaint_of("switches = 3\ntopology = \"listed\"\ntrunks = [\"0-1\"]\n"),
                 {"network.trunks", "switch 0 to switch 2", "\"0-2\""});
  expect_message(complaint_of("hosts-at = [0, 1]\n"), {"network.hosts-at", "\"1\"", "switch 1"});
  expect_message(complaint_of("hosts-at = [0]\nhosts-per-switch = 2\n"),
                 {"network.hosts-per-switch", "network.hosts-at"});
  expect_message(complaint_of("topology = \"tree\"\narity = 64\nlevels = 3\n"),
                 {"my.toml:5:10: network.levels: 4161 switches", "1024"});
  expect_message(complaint_of("topology = \"torus\"\ncolumns = 1024\nrows = 2\n"),
                 {"my.toml:4:11: network.columns: 2048 switches", "1024"});
  expect_message(complaint_of("switches = 2\nhosts-per-switch = 40000\n"),
                 {"my.toml:4:20: network.hosts-per-switch: 80000 hosts", "65536"});
  expect_message(complaint_of("topology = \"busy\"\n"),
                 {"network.topology: \"busy\"", "chain, ring, star, tree"});
  expect_message(complaint_of("switches = 2\nroot = 2\n"), {"network.root", "switch 2"});
  expect_message(complaint_of("trunk-rate = \"fast\"\n"), {"network.trunk-rate: \"fast\"", "\"same\""});
  expect_message(complaint_of("switches = 2\nhosts-per-switch = 2\nfaults = [\"cable 0.7 at 1 s\"]\n"),
                 {"network.faults", "\"cable 0.7 at 1 s\"", "switch 0", "port 7"});
  expect_message(complaint_of("hosts-per-switch = 2\n[hosts]\ncount = 3\n"), {"hosts.count", "3 hosts"});
  // How many ports there are is known once the hosts are.
  const Platform open = written("switches = 2\nfaults = [\"cable 0.7 at 1 s\"]\n");
  expect_message(error_of([&] { open.build(4, Placement(), 1); }),
                 {"network.faults", "\"cable 0.7 at 1 s\"", "switch 0", "port 7"});
  EXPECT_NO_THROW(open.build(16, Placement(), 1));
}

TEST(EthernetTopology, IsDrawnAsItIs) {
  using Kind = NetworkShape::Kind;
  const NetworkGraph tree = Platform::load("fast-ethernet-tree").network_graph();
  EXPECT_EQ(tree.shape.kind, Kind::tree);
  EXPECT_EQ(tree.shape.width, 8u);
  // Both directions of 64 hosts' links and of eight trunks.
  EXPECT_EQ(tree.links.loads.size(), 144u);
  EXPECT_EQ(Platform::load("fast-ethernet").network_graph(5).links.loads.size(), 10u);
  EXPECT_EQ(written("switches = 3\ntopology = \"ring\"\n").network_graph().shape.kind, Kind::circle);
}

TEST(PlatformNetwork, HasAllItsHosts) {
  const PlatformNetwork tree(Platform::load("fast-ethernet-tree"));
  EXPECT_EQ(tree.kind(), "ethernet-switched");
  EXPECT_EQ(tree.graph().hosts(), 64u);
  EXPECT_EQ(tree.graph().switches(), 9u);
  EXPECT_EQ(tree.routes_word(), "spanning-tree");
  const std::vector<std::string> hosts{"hosts.count=6", "network.switches=3"};
  const PlatformNetwork atm(Platform::load("atm-oc3", hosts));
  EXPECT_EQ(atm.graph().hosts(), 6u);
  EXPECT_EQ(atm.graph().cables().size(), 2u);
  expect_message(error_of([] { PlatformNetwork(Platform::load("atm-oc3")); }),
                 {"platform atm-oc3", "--set hosts.count=16"});
  expect_message(error_of([] { PlatformNetwork(Platform::load("ethernet-10")); }),
                 {"platform ethernet-10", "ethernet-shared"});
}

}  // namespace
}  // namespace morgana
