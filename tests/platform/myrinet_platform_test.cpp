#include "emulator/platform/myrinet_platform.h"

#include "emulator/routing/channel_dependencies.h"
#include "emulator/routing/route_statistics.h"
#include "tests/platform/support.h"

namespace morgana {
namespace {

using namespace literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Overrides = std::vector<std::string>;

TEST(PlatformMyrinet, HasThePlatformsCablesAndTimes) {
  const PlatformMyrinet myrinet(
      Platform::load("myrinet-ud", Overrides{"network.columns=4", "network.cable=5 ns"}));
  EXPECT_EQ(myrinet.platform(), "myrinet-ud");
  EXPECT_EQ(myrinet.graph().switches(), 32u);
  EXPECT_EQ(myrinet.graph().hosts(), 256u);
  EXPECT_EQ(myrinet.columns(), 4u);
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

TEST(PlatformMyrinet, OnlyATorusStandsInRows) {
  for (const char* shape : {"irregular", "cplant", "now", "fat-tree"}) {
    const Overrides overrides{std::string("network.topology=") + shape, "network.ports-per-switch=12"};
    EXPECT_EQ(PlatformMyrinet(Platform::load("myrinet-ud", overrides)).columns(), 0u) << shape;
  }
}

TEST(PlatformMyrinet, OfAnotherNetworkIsRefusedWithThoseThatHaveOne) {
  const auto refusal = [](const Platform& platform) { return error_of([&] { PlatformMyrinet{platform}; }); };
  EXPECT_THAT(
      refusal(Platform::load("atm-oc3")),
      AllOf(HasSubstr("platform atm-oc3 has no Myrinet (network.kind: atm)"),
            HasSubstr("myrinet-itb and myrinet-ud have one"), HasSubstr("network.kind = \"myrinet\"")));
  EXPECT_THAT(refusal(Platform::load("native")), HasSubstr("this machine itself"));
}

}  // namespace
}  // namespace morgana
