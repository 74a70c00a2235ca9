// network.route-table: the same entries on all networks of switches.

#include "emulator/network/network.h"
#include "emulator/platform/myrinet_platform.h"
#include "emulator/platform/platform.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;

/// Four switches in a ring with a host each; on a Myrinet, too, hosts have port 0.
std::string ring(const std::string& kind, const std::string& more) {
  const std::string network = kind == "atm"       ? "extends = \"atm-ideal\"\n[network]\n"
                              : kind == "myrinet" ? "[network]\nkind = \"myrinet\"\nports-per-switch = 3\n"
                                                  : "extends = \"fast-ethernet\"\n[network]\n";
  return network +
         "topology = \"listed\"\nswitches = 4\ncables = [\"0-1\", \"1-2\", \"2-3\", \"3-0\"]\n"
         "hosts-at = [0, 1, 2, 3]\n" +
         more;
}

const char* const clockwise =
    "routes = \"listed\"\n"
    "route-table = [\"any over 0-1\", \"any over 1-2\", \"any over 2-3\", \"any over 3-0\"]\n";

/// Of 40 bytes from host to host.
SimTime time_of(const Platform& platform, std::uint32_t from, std::uint32_t to) {
  const Machine machine = platform.build(4, Placement(), 1);
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

TEST(RouteTable, LeadsUnitsTheLongWayRound) {
  for (const std::string kind : {"atm", "ethernet", "myrinet"}) {
    const Platform shortest = Platform::parse(ring(kind, ""), "my.toml");
    const Platform listed = Platform::parse(ring(kind, clockwise), "my.toml");
    const SimTime one_trunk = time_of(shortest, 0, 1), two_trunks = time_of(shortest, 0, 2);
    const SimTime trunk = two_trunks - one_trunk;
    ASSERT_GT(trunk, SimTime()) << kind;
    EXPECT_EQ(time_of(listed, 0, 1), one_trunk) << kind;
    EXPECT_EQ(time_of(listed, 0, 3), one_trunk + 2 * trunk) << kind;
    EXPECT_EQ(time_of(listed, 3, 0), one_trunk) << kind;
  }
}

// By hand: four cell times more or less, 2.726337 us each.
TEST(RouteTable, OnAtmAddsACellTimeForEachTrunk) {
  const SimTime cell = SimTime::from_ps(2'726'337);
  EXPECT_EQ(time_of(Platform::parse(ring("atm", ""), "my.toml"), 0, 3), 3 * cell);
  EXPECT_EQ(time_of(Platform::parse(ring("atm", clockwise), "my.toml"), 0, 3), 5 * cell);
}

TEST(RouteTable, IsAlsoThatOfSourceRoutes) {
  const PlatformMyrinet myrinet(Platform::parse(ring("myrinet", clockwise), "my.toml"));
  const RouteTable routes = myrinet.routes();
  const Route route = follow(myrinet.graph(), 0, routes.header(0, 3));
  ASSERT_EQ(route.size(), 1u);
  EXPECT_EQ(route.front().ports.size(), 4u);
  EXPECT_EQ(routes.header(3, 0).size(), 2u);
}

TEST(RouteTable, IsDescribedAsAFileThatGivesTheSame) {
  const Platform first = Platform::parse(ring("atm", clockwise), "my.toml");
  const Platform again = Platform::parse(first.describe(), "again.toml");
  EXPECT_EQ(time_of(again, 0, 3), time_of(first, 0, 3));
}

TEST(RouteTable, LeadsNobodyWhereRoutesAreNotListed) {
  for (const std::string kind : {"atm", "ethernet", "myrinet"})
    expect_message(
        error_of([&] { Platform::parse(ring(kind, "route-table = [\"any over 0-1\"]\n"), "my.toml"); }),
        {"network.route-table", "network.routes = \"listed\""});
}

TEST(RouteTable, IsRefusedWithItsKey) {
  const auto refusal = [](const std::string& kind, const std::string& entries) {
    return error_of([&] {
      Platform::parse(ring(kind, "routes = \"listed\"\nroute-table = [" + entries + "]\n"), "my.toml");
    });
  };
  for (const std::string kind : {"atm", "ethernet", "myrinet"}) {
    expect_message(refusal(kind, ""), {"network.route-table", "switch 1", "host 0 at switch 0"});
    expect_message(refusal(kind, "\"any over 0-1\", \"any over 1-0\", \"any over 2-3\", \"any over 3-2\""),
                   {"network.route-table", "from switch 2 to host 0", "2, 3, 2"});
    expect_message(refusal(kind, "\"any over 0.7\""),
                   {"network.route-table", "\"any over 0.7\"", "switch 0", "port 7"});
    expect_message(refusal(kind, "\"any over 0.0\""),
                   {"network.route-table: \"any over 0.0\"", "port 0 of switch 0", "host 0"});
  }
}

// Ports of hosts that are as many as are needed are known when a network is made.
TEST(RouteTable, IsCheckedWhenItsHostsAreKnown) {
  const std::string chain =
      "extends = \"atm-ideal\"\n[network]\nswitches = 2\nroutes = \"listed\"\nroute-table = [\"any over "
      "0.2\"]\n";
  const Platform platform = Platform::parse(chain, "my.toml");
  expect_message(error_of([&] { platform.build(2, Placement(), 1); }),
                 {"network.route-table", "\"any over 0.2\"", "switch 0", "port 2"});
  expect_message(error_of([&] { platform.build(4, Placement(), 1); }),
                 {"network.route-table", "switch 1", "host 0"});
}

}  // namespace
}  // namespace morgana
