// [interface]: what stands between hosts and network, and what it can't work with.
#include "emulator/interface/gm/interfaces.h"
#include "emulator/platform/platform.h"
#include "tests/platform/support.h"

namespace morgana {
namespace {

using namespace literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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
  EXPECT_THAT(refusal("atm-oc3", {"interface.model=dma"}),
              AllOf(HasSubstr("carries cells"), HasSubstr("interface.model = \"atm-adapter\"")));
}

TEST(PlatformInterface, AnAtmAdapterOnANetworkWithoutCellsIsRefusedByName) {
  EXPECT_EQ(refusal("atm-ideal", {"interface.model=atm-adapter"}), "no error");
  for (const char* platform : {"fast-ethernet", "myrinet-ud", "ideal"})
    EXPECT_THAT(refusal(platform, {"interface.model=atm-adapter"}),
                AllOf(HasSubstr("atm-adapter works on cells"), HasSubstr("interface.model = \"constant\"")))
        << platform;
}

TEST(PlatformInterface, KeysOfAdaptersNeedAdapters) {
  EXPECT_THAT(refusal("atm-ideal", {"interface.bus=1 us"}), HasSubstr("interface.model"));
  EXPECT_EQ(refusal("atm-oc3", {"interface.bus=1 us"}), "no error");
}

TEST(PlatformInterface, ALanaiOnAnotherNetworkIsRefusedByName) {
  for (const char* platform : {"fast-ethernet", "atm-oc3", "ideal", "fddi-100"})
    EXPECT_THAT(refusal(platform, {"interface.model=lanai"}),
                AllOf(HasSubstr("--set interface.model"), HasSubstr("lanai stands at the ports of a Myrinet"),
                      HasSubstr("interface.model = \"constant\"")))
        << platform;
}

TEST(PlatformInterface, ATransportThatRepeatsIsRefusedAboveAProgramThatDoes) {
  const std::string both = "transport.kind=go-back-n";
  EXPECT_THAT(refusal("myrinet-gm", {both}),
              AllOf(HasSubstr("go-back-n repeats what is lost, which interface.program \"gm\" does already"),
                    HasSubstr("transport.kind = \"direct\"")));
  EXPECT_EQ(refusal("myrinet-gm", {both, "interface.gm.acknowledge=off"}), "no error");
  EXPECT_EQ(refusal("myrinet-ud", {both}), "no error");
}

TEST(PlatformInterface, RoutesThroughHostsNeedAProgramThatKnowsSuchPackets) {
  const std::string routes = "network.routes=in-transit";
  EXPECT_THAT(refusal("myrinet-gm", {routes}), HasSubstr("does not know packets in transit"));
  EXPECT_EQ(refusal("myrinet-gm", {routes, "interface.gm.in-transit=on"}), "no error");
}

TEST(PlatformInterface, KeysOfAnotherModelAreRefused) {
  EXPECT_THAT(
      refusal("myrinet-ud", {"interface.cycle=10 ns"}),
      HasSubstr("interface.cycle belongs to interface.model \"lanai\", but the kind here is \"constant\""));
  EXPECT_THAT(refusal("myrinet-gm", {"interface.gm.windov=3"}),
              HasSubstr("did you mean interface.gm.window?"));
  EXPECT_THAT(refusal("myrinet-gm", {"interface.program=am9"}), HasSubstr("not one of its choices"));
  EXPECT_THAT(refusal("myrinet-gm", {"interface.gm.window=0"}), HasSubstr("out of range"));
}

TEST(PlatformInterface, GamNeedsWhatItsSizesFollowFrom) {
  const std::string fixed = "transport.fragmentation=fixed", constant = "interface.model=constant";
  EXPECT_EQ(refusal("myrinet-gam", {fixed}), "no error");
  EXPECT_EQ(refusal("myrinet-gam", {constant, "transport.fragmentation=whole"}), "no error");
  EXPECT_THAT(refusal("myrinet-gam", {constant, fixed}),
              HasSubstr("the best sizes follow from the stages of an interface that runs GAM"));
  EXPECT_EQ(refusal("myrinet-gam", {constant, fixed, "transport.fragments=3"}), "no error");
  EXPECT_THAT(refusal("myrinet-gam", {"transport.fragments=3"}), HasSubstr("set that, or leave it out"));
  EXPECT_THAT(refusal("myrinet-gam", {"transport.fragmentation=64"}), HasSubstr("not one of its choices"));
  EXPECT_THAT(refusal("myrinet-gam", {"network.routes=in-transit"}), HasSubstr("sends no packet on"));
  EXPECT_THAT(refusal("myrinet-gam", {"hosts.interrupts.handling=least-loaded"}), HasSubstr("hosts poll"));
  EXPECT_THAT(refusal("fast-ethernet", {"transport.kind=gam"}), HasSubstr("fragments of any size"));
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
