// [interface]: what stands between hosts and network, and what it can't work with.
#include "emulator/interface/gm/interfaces.h"
#include "emulator/platform/platform.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

using Overrides = std::vector<std::string>;

std::string refusal(const std::string& platform, const Overrides& overrides) {
  return error_of([&] { Platform::load(platform, overrides); });
}
Machine machine_of(const std::string& platform, const Overrides& overrides = {}) {
  return Platform::load(platform, overrides).build(4, Placement(), 1);
}
bool runs_gm(const Machine& machine) {
  return dynamic_cast<const gm::Interfaces*>(machine.network.get()) != nullptr;
}

TEST(PlatformInterface, IsConstantWhereAPlatformDoesNotSay) {
  EXPECT_FALSE(runs_gm(machine_of("myrinet-ud")));
  EXPECT_THAT(Platform::load("fast-ethernet").describe(), HasSubstr("[interface]\nmodel = \"constant\""));
  EXPECT_TRUE(runs_gm(machine_of("myrinet-gm")));
  EXPECT_FALSE(runs_gm(machine_of("myrinet-gm", {"interface.model=constant"})));
}

TEST(PlatformInterface, ReturnsWhatItGivesUpUnlessItDoesNotAcknowledge) {
  EXPECT_TRUE(machine_of("myrinet-gm").transport->guarantees().returns);
  EXPECT_FALSE(machine_of("myrinet-gm", {"interface.gm.acknowledge=off"}).transport->guarantees().returns);
  EXPECT_FALSE(machine_of("myrinet-ud").transport->guarantees().returns);
}

TEST(PlatformInterface, FetchesUnitsOverTheIoBusOfAnyNetworkOfPackets) {
  for (const char* platform : {"fast-ethernet", "myrinet-ud", "ideal", "fddi-100", "smp-push-pull"})
    EXPECT_EQ(refusal(platform, {"interface.model=dma"}), "no error") << platform;
  expect_message(refusal("atm-oc3", {"interface.model=dma"}), "interface.model = \"atm-adapter\"");
}

TEST(PlatformInterface, AnAtmAdapterOnANetworkWithoutCellsIsRefusedByName) {
  EXPECT_EQ(refusal("atm-ideal", {"interface.model=atm-adapter"}), "no error");
  for (const char* platform : {"fast-ethernet", "myrinet-ud", "ideal"})
    expect_message(refusal(platform, {"interface.model=atm-adapter"}),
                   {"--set interface.model=atm-adapter", "network.kind", "interface.model = \"constant\""});
}

TEST(PlatformInterface, KeysOfAdaptersNeedAdapters) {
  expect_message(refusal("atm-ideal", {"interface.bus=1 us"}), "interface.model");
  EXPECT_EQ(refusal("atm-oc3", {"interface.bus=1 us"}), "no error");
}

TEST(PlatformInterface, ALanaiOnAnotherNetworkIsRefusedByName) {
  for (const char* platform : {"fast-ethernet", "atm-oc3", "ideal", "fddi-100"})
    expect_message(refusal(platform, {"interface.model=lanai"}),
                   {"--set interface.model=lanai", "network.kind", "interface.model = \"constant\"",
                    "network.kind = \"myrinet\""});
}

TEST(PlatformInterface, ATransportThatRepeatsIsRefusedAboveAProgramThatDoes) {
  const std::string both = "transport.kind=go-back-n";
  expect_message(refusal("myrinet-gm", {both}),
                 {"go-back-n", "interface.program", "\"gm\"", "transport.kind = \"direct\""});
  EXPECT_EQ(refusal("myrinet-gm", {both, "interface.gm.acknowledge=off"}), "no error");
  EXPECT_EQ(refusal("myrinet-ud", {both}), "no error");
}

TEST(PlatformInterface, RoutesThroughHostsNeedAProgramThatKnowsSuchPackets) {
  const std::string routes = "network.routes=in-transit";
  expect_message(refusal("myrinet-gm", {routes}),
                 {"myrinet-gm.toml:25:14", "interface.gm.in-transit", "network.routes = \"up-down\""});
  EXPECT_EQ(refusal("myrinet-gm", {routes, "interface.gm.in-transit=on"}), "no error");
}

TEST(PlatformInterface, KeysOfAnotherModelAreRefused) {
  expect_message(refusal("myrinet-ud", {"interface.cycle=10 ns"}),
                 {"interface.cycle", "interface.model", "lanai", "constant"});
  expect_message(refusal("myrinet-gm", {"interface.gm.windov=3"}), "interface.gm.window");
  expect_message(refusal("myrinet-gm", {"interface.program=am9"}), {"interface.program: \"am9\"", "\"am2\""});
  expect_message(refusal("myrinet-gm", {"interface.gm.window=0"}), "interface.gm.window: 0 packets");
}

TEST(PlatformInterface, GamNeedsWhatItsSizesFollowFrom) {
  const std::string fixed = "transport.fragmentation=fixed", constant = "interface.model=constant";
  EXPECT_EQ(refusal("myrinet-gam", {fixed}), "no error");
  EXPECT_EQ(refusal("myrinet-gam", {constant, "transport.fragmentation=whole"}), "no error");
  expect_message(refusal("myrinet-gam", {constant, fixed}),
                 {"transport.fragmentation", "interface.model = \"lanai\"", "interface.program = \"gam\""});
  EXPECT_EQ(refusal("myrinet-gam", {constant, fixed, "transport.fragments=3"}), "no error");
  expect_message(refusal("myrinet-gam", {"transport.fragments=3"}),
                 {"--set transport.fragments=3", "transport.fragmentation = \"fixed\""});
  expect_message(refusal("myrinet-gam", {"transport.fragmentation=64"}),
                 {"transport.fragmentation: \"64\"", "4096, 128, whole, fixed, ramp, optimal"});
  expect_message(refusal("myrinet-gam", {"network.routes=in-transit"}),
                 {"--set network.routes=in-transit", "interface.program", "gam"});
  expect_message(refusal("myrinet-gam", {"hosts.interrupts.handling=least-loaded"}),
                 {"--set hosts.interrupts.handling=least-loaded", "polling", "transport.kind"});
  expect_message(refusal("fast-ethernet", {"transport.kind=gam"}),
                 {"--set transport.kind=gam", "1500 B", "transport.kind = \"go-back-n\""});
}

TEST(PlatformInterface, DescribesItselfAsAPlatformFileWould) {
  const std::string described =
      Platform::load("myrinet-gm", Overrides{"interface.gm.timeout=3 ms"}).describe();
  EXPECT_THAT(described, AllOf(HasSubstr("model = \"lanai\""), HasSubstr("program = \"gm\""),
                               HasSubstr("gm.timeout = \"3 ms\""), HasSubstr("bus.rate = \"1.056 Gb/s\"")));
  EXPECT_EQ(Platform::parse(described, "again.toml").describe(), described);
}

// Hosts 0 and 1 hang at one switch: both buses' latencies are in every message's way.
TEST(PlatformInterface, LeastDistanceGrowsByTheBuses) {
  const Overrides type{"network.type=4 bytes"};
  EXPECT_EQ(least_distance(machine_of("myrinet-gm")),
            least_distance(machine_of("myrinet-ud", type)) + 1'560_ns);
}

}  // namespace
}  // namespace morgana
