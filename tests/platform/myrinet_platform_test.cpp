#include "emulator/platform/myrinet_platform.h"

#include "emulator/network/myrinet/routes/route_deadlock.h"
#include "emulator/network/myrinet/routes/route_statistics.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;

using Overrides = std::vector<std::string>;

TEST(PlatformMyrinet, HasThePlatformsCablesAndTimes) {
  const PlatformMyrinet myrinet(
      Platform::load("myrinet-ud", Overrides{"network.columns=4", "network.cable=5 ns"}));
  EXPECT_EQ(myrinet.platform(), "myrinet-ud");
  EXPECT_EQ(myrinet.graph().switches(), 32u);
  EXPECT_EQ(myrinet.graph().hosts(), 256u);
  EXPECT_EQ(myrinet.shape().kind, NetworkShape::Kind::grid);
  EXPECT_EQ(myrinet.shape().width, 4u);
  EXPECT_EQ(myrinet.parameters().cable, 5_ns);
  EXPECT_EQ(myrinet.parameters().flit, SimTime::from_ps(6250));  // a byte at 1.28 Gb/s
}

TEST(PlatformMyrinet, HasThePlatformsRoutes) {
  const PlatformMyrinet legal(Platform::load("myrinet-ud")), minimal(Platform::load("myrinet-itb"));
  EXPECT_EQ(legal.routes_word(), "up-down");
  EXPECT_EQ(minimal.routes_word(), "in-transit");
  EXPECT_EQ(route_statistics(legal.graph(), legal.routes()).in_transit_per_message, 0);
  EXPECT_GT(route_statistics(minimal.graph(), minimal.routes()).in_transit_per_message, 0.5);
  EXPECT_TRUE(find_deadlock(minimal.graph(), minimal.routes()).empty());
}

TEST(PlatformMyrinet, IsDrawnAsItsTopologyIsBuilt) {
  using Kind = NetworkShape::Kind;
  const auto shape = [](const char* topology) {
    return PlatformMyrinet(Platform::load("myrinet-ud", Overrides{std::string("network.topology=") + topology,
                                                                  "network.arity=3", "network.levels=3"}))
        .shape();
  };
  EXPECT_EQ(shape("express-torus").kind, Kind::grid);
  EXPECT_EQ(shape("irregular").kind, Kind::free);
  EXPECT_EQ(shape("now").kind, Kind::free);
  EXPECT_EQ(shape("cplant").kind, Kind::groups);
  EXPECT_EQ(shape("fat-tree").kind, Kind::levels);
  EXPECT_EQ(shape("fat-tree").width, 9u);
}

TEST(PlatformMyrinet, OfAnotherNetworkIsRefusedWithThoseThatHaveOne) {
  const auto refusal = [](const Platform& platform) { return error_of([&] { PlatformMyrinet{platform}; }); };
  expect_message(refusal(Platform::load("atm-oc3")),
                 {"platform atm-oc3", "network.kind: atm",
                  "myrinet-gm, myrinet-itb, myrinet-push-pull, myrinet-ud", "network.kind = \"myrinet\""});
  expect_message(refusal(Platform::load("native")), {"platform native", "network.kind = \"myrinet\""});
}

}  // namespace
}  // namespace morgana
