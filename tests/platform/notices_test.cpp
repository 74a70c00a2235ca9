// What a platform says of keys that the user's own files and overrides change or ignore.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/platform/platform.h"
#include "emulator/platform/platform_network.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

std::vector<std::string> notices_of(const std::string& platform, std::vector<std::string> overrides) {
  return Platform::load(platform, overrides).notices();
}

std::vector<std::string> texts(const Platform& platform) {
  std::vector<std::string> all = platform.notices();
  for (const PlatformHint& hint : PlatformNetwork::hints(platform)) all.push_back(hint.text);
  return all;
}

/// Notices, and behind them what overrides change or leave beside what they name.
std::vector<std::string> hints_of(const std::string& platform, const std::vector<std::string>& overrides) {
  return texts(Platform::load(platform, overrides));
}

TEST(PlatformNotices, AreNoneForThePlatformsThatComeWithMorgana) {
  for (const std::string& name : Platform::names()) EXPECT_THAT(hints_of(name, {}), IsEmpty()) << name;
}

TEST(PlatformHints, NameWhatStaysAsTheRateChanges) {
  for (const std::string base : {"network.link-speed=NDR", "network.rate=400 Gb/s"}) {
    const std::vector<std::string> hints = hints_of("hdr-fat-tree", {base});
    expect_messages(hints, {base.substr(0, base.find('=')), "transport.delivery-per-byte = 38.5 ps/B"});
    EXPECT_THAT(hints, ElementsAre(Not(HasSubstr("ejection-rate = "))));  // a share follows
  }
}

TEST(PlatformHints, SayNothingOfWhatIsSetToo) {
  const std::vector<std::string> speed = hints_of(
      "hdr-fat-tree",
      {"network.link-speed=NDR", "network.ejection-rate=unlimited", "transport.fetch-per-byte=0.02 ns/B"});
  expect_messages(speed, {"network.link-speed", "transport.delivery-per-byte = 38.5 ps/B"});
  EXPECT_THAT(speed,
              ElementsAre(AllOf(Not(HasSubstr("ejection-rate = ")), Not(HasSubstr("fetch-per-byte")))));
  const std::vector<std::string> twice = hints_of("hdr-fat-tree", {"network.bandwidth=x2"});
  expect_messages(twice, {"network.bandwidth", "transport.fetch-per-byte = 38.5 ps/B"});
  EXPECT_THAT(twice, ElementsAre(Not(HasSubstr("ejection-rate = "))));
  expect_messages(hints_of("hdr-fat-tree", {"network.bandwidth=x2", "network.rate=300 Gb/s"}),
                  {"network.rate"});
  // NVLink alone, or NICs, too.
  EXPECT_THAT(hints_of("dgx-h100", {"network.rate=x2"}),
              Contains(HasSubstr("network.tiers = levels 1-2 at 384 Gb/s over 500 ns")));
  EXPECT_THAT(hints_of("dgx-h100", {"network.bandwidth=x2"}), Not(Contains(HasSubstr("network.tiers"))));
}

TEST(PlatformHints, AreOnlyOfWhatThePlatformItselfHasChosen) {
  const Platform own = Platform::parse(
      "extends = \"ideal\"\n[network]\nkind = \"fabric\"\nrate = \"10 Gb/s\"\nejection-rate = \"8 Gb/s\"\n",
      "my.toml");
  EXPECT_THAT(texts(own), IsEmpty());
  const Platform derived = Platform::parse(
      "extends = \"hdr-fat-tree\"\n[network]\nrate = \"10 Gb/s\"\nejection-rate = \"8 Gb/s\"\n", "my.toml");
  EXPECT_THAT(texts(derived), IsEmpty()) << "a file states on purpose what it states";
  const Platform faster =
      Platform::parse("extends = \"hdr-fat-tree\"\n[network]\nrate = \"400 Gb/s\"\n", "my.toml");
  expect_messages(texts(faster), {"network.rate", "208 Gb/s"});
}

/// 38.5 ps/B are 207.8 Gb/s.
TEST(PlatformHints, NameLinksThatAreFasterThanTheHostsBus) {
  const auto bus = [](const char* rate) {
    return AllOf(HasSubstr("cables of 400 Gb/s"), HasSubstr(std::string("(PCIe, ") + rate + ")"),
                 HasSubstr("network.ejection-rate"));
  };
  const std::string key =
      "network.bandwidth is set, and these keep the values that the platform has for its own: ";
  EXPECT_THAT(
      hints_of("hdr-fat-tree", {"network.bandwidth=x2"}),
      ElementsAre(AllOf(HasSubstr(key), HasSubstr("transport.fetch-per-byte = 38.5 ps/B"), bus("208 Gb/s"))));
  EXPECT_THAT(hints_of("hdr-fat-tree", {"network.link-speed=NDR"}), testing::Contains(bus("208 Gb/s")));
  // Faster ways to fetch leave what delivers, and both are compared.
  EXPECT_THAT(hints_of("hdr-fat-tree", {"network.bandwidth=x2", "transport.fetch-per-byte=x0.5"}),
              testing::Contains(bus("208 Gb/s")));
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>{"network.bandwidth=x2", "network.ejection-rate=208 Gb/s"},
        {"network.bandwidth=x2", "hosts.pcie.rate=208 Gb/s"},
        {"network.bandwidth=x2", "transport.fetch-per-byte=x0.5", "transport.delivery-per-byte=x0.5"},
        {"network.bandwidth=x0.5"}})
    EXPECT_THAT(hints_of("hdr-fat-tree", overrides), Not(testing::Contains(HasSubstr("(PCIe"))));
}

TEST(PlatformHints, NameNoBusThatIsFastEnough) {
  for (const char* set :
       {"network.rate=100 Gb/s", "network.bandwidth=x0.5", "network.bandwidth=x1", "network.rate=200 Gb/s"})
    EXPECT_THAT(hints_of("hdr-fat-tree", {set}), IsEmpty()) << set;
  const std::vector<std::string> half = hints_of("edr-fat-tree-2to1", {"network.bandwidth=x0.5"});
  expect_messages(half, {"network.bandwidth", "network.buffer = 24 KiB"});
  EXPECT_THAT(half, ElementsAre(Not(HasSubstr("per-byte"))));
  EXPECT_THAT(hints_of("edr-fat-tree-2to1", {"network.bandwidth=x1"}), IsEmpty());
}

// hdr-fat-tree: 20 leaves of 20 hosts. An arity of 10 makes 10 of them.
TEST(PlatformHints, SayThatTheArityOfAFatTreeChangesItsLeaves) {
  expect_messages(hints_of("hdr-fat-tree", {"network.arity=10"}),
                  {"network.arity", "10 leaves", "200 hosts", "20 leaves", "400 hosts",
                   "network.oversubscription=FACTOR"});
  expect_messages(hints_of("hdr-fat-tree", {"network.hosts-per-switch=4", "network.arity=10"}),
                  {"network.arity", "10 leaves", "20 leaves"});
  EXPECT_THAT(hints_of("hdr-fat-tree", {"network.arity=20"}), IsEmpty());
  EXPECT_THAT(hints_of("hdr-fat-tree", {"network.arity=10", "hosts.count=400"}), IsEmpty()) << "it grows";
  EXPECT_THAT(hints_of("hdr-fat-tree", {"network.oversubscription=2"}), IsEmpty());
  EXPECT_THAT(hints_of("dragonfly-1056", {"network.groups=17"}), IsEmpty());
}

TEST(PlatformNotices, NameKeysOfOtherTopologies) {
  expect_messages(notices_of("dragonfly-1056", {"network.leaves=4"}),
                  {"network.leaves", "leaf-spine", "network.topology", "dragonfly", "network.groups"});
  expect_messages(notices_of("hdr-fat-tree", {"network.groups=4"}), {"network.groups", "fat-tree"});
}

TEST(PlatformNotices, SayNothingOfKeysOfTheTopologyThatIsSet) {
  EXPECT_THAT(notices_of("dragonfly-1056", {"network.groups=17"}), IsEmpty());
  // Whoever changes the topology of a file leaves the file's keys behind.
  EXPECT_THAT(notices_of("hdr-fat-tree", {"network.topology=leaf-spine", "network.leaves=4",
                                          "network.spines=2", "network.routes=ecmp"}),
              IsEmpty());
}

TEST(PlatformNotices, NameKeysOfOtherRoutes) {
  expect_messages(notices_of("hdr-fat-tree", {"network.routes=sssp", "network.virtual-lanes=3"}),
                  {"network.virtual-lanes", "network.routes = dfsssp", "lash", "sssp"});
  expect_messages(notices_of("hdr-fat-tree", {"network.flowlet-gap=1 us"}),
                  {"network.flowlet-gap", "network.routes = flowlets", "d-mod-k"});
  expect_messages(notices_of("dragonfly-1056", {"network.load-delay=1 us"}),
                  {"network.load-delay", "network.routes = ugal-g", "ugal-l"});
  EXPECT_THAT(notices_of("hdr-fat-tree", {"network.routes=lash", "network.virtual-lanes=3"}), IsEmpty());
  EXPECT_THAT(
      notices_of("hdr-fat-tree", {"network.detour-candidates=4", "network.detour-threshold=1 us",
                                  "network.detour-weights=twice"}),
      UnorderedElementsAre(
          "network.detour-candidates has no effect: it is a key of network.routes = ugal-l or ugal-g or par, "
          "and that is d-mod-k",
          "network.detour-threshold has no effect: it is a key of network.routes = ugal-l or ugal-g or par "
          "or "
          "dal, and that is d-mod-k",
          "network.detour-weights has no effect: it is a key of network.routes = ugal-l or ugal-g or par or "
          "dal, and that is d-mod-k"));
  for (const char* routes : {"ugal-l", "ugal-g", "par"})
    EXPECT_THAT(
        notices_of("dragonfly-1056", {std::string("network.routes=") + routes, "network.detour-candidates=4",
                                      "network.detour-threshold=1 us"}),
        IsEmpty());
}

TEST(PlatformNotices, NameKeysOfAnotherArbitrationAndFlowControl) {
  expect_messages(notices_of("roce-100g", {"network.class-weights=strict, 1"}),
                  {"network.class-weights", "network.class-arbitration = deficit-round-robin", "strict"});
  expect_messages(notices_of("roce-100g", {"network.class-arbitration=deficit-round-robin",
                                           "network.class-weights=strict, 1", "network.low-priority=0:1"}),
                  {"network.low-priority"});
  expect_messages(notices_of("hdr-fat-tree", {"network.allocation-cycle=2 ns"}),
                  {"network.allocation-cycle", "network.allocator = separable-input-first"});
  EXPECT_THAT(notices_of("hdr-fat-tree",
                         {"network.allocation-cycle=2 ns", "network.allocator=separable-input-first"}),
              IsEmpty());
  EXPECT_THAT(notices_of("roce-100g", {"network.flow-control=none", "network.pause-watchdog=1 ms"}),
              testing::Contains(HasSubstr("network.pause-watchdog has no effect")));
  expect_messages(notices_of("roce-100g", {"network.pause-restore=1 ms"}), {"network.pause-restore"});
  expect_messages(notices_of("roce-100g", {"transport.low-timeout=5"}),
                  {"transport.low-timeout", "transport.early-packets = selective", "by-network"});
  EXPECT_THAT(notices_of("roce-100g", {"transport.low-timeout=5", "transport.early-packets=selective"}),
              IsEmpty());
  expect_messages(notices_of("hdr-fat-tree", {"transport.congestion-control=cct"}),
                  {"transport.congestion-control = cct", "network.mark-from", "network.mark-to"});
  EXPECT_THAT(notices_of("roce-100g", {"network.pause-watchdog=1 ms", "network.pause-restore=1 ms"}),
              IsEmpty());
}

// Four cables of 10 us and three switches of 350 ns each way, and 4,096 + 26 B at 80 ps a byte once; stored
// at each switch four times. With cables of 25 ns 2.63 us are less than the platform's 3 us.
TEST(PlatformNotices, NameTheRoundTripThatDctcpNeeds) {
  const std::string control = "transport.congestion-control=dctcp", far = "network.propagation=10 us";
  EXPECT_THAT(notices_of("roce-100g", {control}), IsEmpty());
  expect_messages(
      notices_of("roce-100g", {control, far}),
      {"transport.dctcp-base-round-trip = 3 us", "transport.dctcp-base-round-trip=\"82.42976 us\""});
  expect_messages(notices_of("roce-100g", {control, far, "network.forwarding=store-and-forward"}),
                  {"transport.dctcp-base-round-trip = 3 us", "83.41904 us"});
  EXPECT_THAT(notices_of("roce-100g", {control, far, "transport.dctcp-base-round-trip=82.42976 us"}),
              IsEmpty());
  EXPECT_THAT(notices_of("roce-100g", {far}), IsEmpty());
}

// 80 ps a byte. A pause waits for a packet of 4160 + 26 B and its gap of 12 B, and takes 72 B: 341.6 ns;
// cables of 2 x 25 ns and a switch of 350 ns: 9270 B. One packet more may have begun at each end: 2 x 4186 B.
TEST(PlatformNotices, NameTheHeadroomThatPausesNeed) {
  expect_messages(notices_of("roce-100g", {"network.headroom=17641 B"}),
                  {"network.headroom = 17641 B", "17642 B", "network.flow-control = pause",
                   "network.headroom=\"17642 B\""});
  EXPECT_THAT(notices_of("roce-100g", {"network.headroom=17642 B"}), IsEmpty());
  // 90 ns more of each cable, there and back.
  expect_messages(notices_of("roce-100g", {"network.headroom=17642 B", "network.propagation=115 ns"}),
                  {"network.headroom = 17642 B", "19892 B"});
  EXPECT_THAT(notices_of("roce-100g", {"network.headroom=1 kB", "network.flow-control=none"}), IsEmpty());
}

TEST(PlatformNotices, NameAKeyThatAnotherOneOverrules) {
  EXPECT_THAT(notices_of("hdr-fat-tree", {"network.link-speed=EDR", "network.rate=50 Gb/s"}),
              testing::Contains(
                  AllOf(HasSubstr("network.rate has no effect"), HasSubstr("network.link-speed = EDR"))));
  EXPECT_THAT(notices_of("hdr-fat-tree", {"network.rate=50 Gb/s"}),
              testing::Not(testing::Contains(HasSubstr("has no effect"))));
}

TEST(PlatformNotices, NameBusesThatNobodyTakes) {
  expect_messages(notices_of("hdr-fat-tree", {"hosts.bus.occupancy=0.02 ns/B"}),
                  {"hosts.bus.occupancy", "push-pull"});
  expect_messages(notices_of("hdr-fat-tree", {"hosts.io-bus.rate=8 Gb/s"}),
                  {"hosts.io-bus.rate", "interface.model = dma"});
  EXPECT_THAT(notices_of("smp-push-pull", {"hosts.bus.occupancy=2 ns/B"}), IsEmpty());
  EXPECT_THAT(notices_of("hdr-fat-tree", {"hosts.memory-bandwidth=100 GB/s"}), IsEmpty());
  expect_messages(notices_of("smp-push-pull", {"hosts.memory-bandwidth=1 GB/s"}),
                  {"hosts.memory-bandwidth", "hosts.bus"});
  expect_messages(notices_of("infiniband-hdr", {"hosts.memory-cache=1 KiB"}),
                  {"hosts.memory-cache", "hosts.memory-bandwidth"});
}

TEST(PlatformNotices, NameWhatAnotherKindDrops) {
  const std::vector<std::string> fabric = notices_of("infiniband-hdr", {"network.kind=fabric"});
  expect_messages(fabric, {"network.kind = fabric", "network.bandwidth as network.rate = 187.8",
                           "network.latency-bytes = 512 B"});
  EXPECT_THAT(fabric, ElementsAre(Not(HasSubstr("network.gap-per-byte ="))));
  const std::vector<std::string> shared =
      notices_of("fast-ethernet", {"network.kind=ethernet-shared", "network.rate=10 Mb/s"});
  expect_messages(shared, {"network.kind = ethernet-shared", "network.forwarding = 3 us"});
  EXPECT_THAT(shared, ElementsAre(Not(HasSubstr("network.rate"))));
}

Platform with_overrides(const std::string& name, const std::vector<std::string>& overrides) {
  return Platform::load(name, overrides);
}

std::string value_of(const Platform& platform, const std::string& key) {
  const std::string text = platform.describe();
  const std::size_t section = text.find("[network]"), at = text.find("\n" + key + " = \"", section);
  if (section == std::string::npos || at == std::string::npos) return "none";
  const std::size_t from = text.find('"', at) + 1;
  return text.substr(from, text.find('"', from) - from);
}

TEST(AnotherKindOfNetwork, KeepsBandwidthAndLatencyInItsOwnKeys) {
  // 2 x 250 ns of cables and 3 us in the switch; 100 Mb/s are 80 ns a byte.
  const Platform loggp = with_overrides("fast-ethernet", {"network.kind=loggp"});
  EXPECT_EQ(value_of(loggp, "latency"), "3.5 us");
  EXPECT_EQ(value_of(loggp, "gap-per-byte"), "80 ns/B");
  // 2 x 25 ns and 130 ns; 200 Gb/s are 40 ps a byte.
  const Platform flat = with_overrides("hdr-fat-tree", {"network.kind=loggp"});
  EXPECT_EQ(value_of(flat, "latency"), "180 ns");
  EXPECT_EQ(value_of(flat, "gap-per-byte"), "40 ps/B");
  // And the way back: 1.32 us in cables, switch and adapters.
  const Platform packets = with_overrides("infiniband-hdr", {"network.kind=fabric"});
  EXPECT_THAT(value_of(packets, "rate"), HasSubstr("187.8"));
}

TEST(AnotherKindOfNetwork, KeepsKeysOfTheSameName) {
  const Platform packets = with_overrides("fast-ethernet-tree", {"network.kind=fabric"});
  EXPECT_EQ(value_of(packets, "rate"), "100 Mb/s");
  EXPECT_EQ(value_of(packets, "propagation"), value_of(Platform::load("fast-ethernet-tree"), "propagation"));
  EXPECT_EQ(value_of(packets, "topology"), value_of(Platform::load("fast-ethernet-tree"), "topology"));
}

TEST(AnotherKindOfNetwork, TakesWhatIsSetForIt) {
  const Platform loggp =
      with_overrides("fast-ethernet", {"network.kind=loggp", "network.latency=1 us", "network.bandwidth=x2"});
  EXPECT_EQ(value_of(loggp, "latency"), "1 us");
  EXPECT_EQ(value_of(loggp, "gap-per-byte"), "40 ns/B");
  EXPECT_THAT(loggp.notices(), Not(Contains(HasSubstr("as network.latency = 3.5 us"))));
  // A rate of a bus is none of these: it is named as dropped.
  EXPECT_THAT(
      notices_of("fast-ethernet", {"network.kind=shared-bus"}),
      Contains(AllOf(HasSubstr("network.kind = shared-bus drops"), HasSubstr("network.rate = 100 Mb/s"))));
}

TEST(Notices, NameCongestionControlThatWaitsForMarksInVain) {
  EXPECT_THAT(notices_of("roce-100g", {"network.mark-to=0 B"}),
              Contains(HasSubstr("transport.congestion-control = dcqcn learns of congestion from marks")));
  EXPECT_THAT(notices_of("ethernet-25g-tcp", {"transport.congestion-control=dctcp", "network.mark-to=0 B"}),
              Contains(HasSubstr("dctcp learns of congestion from marks, and the network makes none")));
  EXPECT_THAT(notices_of("ethernet-25g-tcp", {"transport.congestion-control=dctcp"}), IsEmpty());
  for (const char* platform : {"roce-100g", "uec-800g"})
    EXPECT_THAT(notices_of(platform, {"transport.congestion-control=dctcp", "network.mark-to=0 B"}),
                Contains(HasSubstr("dctcp learns of congestion from marks, and the network makes none")));
}

TEST(Notices, NameSwitchesThatDropWhereUltraEthernetWaitsForTrimmedPackets) {
  EXPECT_THAT(notices_of("uec-800g", {}), IsEmpty());
  expect_messages(
      notices_of("uec-800g", {"network.trim-size=0 B"}),
      {"transport.timeout", "network.trim-size = 0 B", "transport.nscc-target = 1", "network.output-queue"});
  // Where nothing is dropped there is nothing to trim.
  EXPECT_THAT(notices_of("uec-800g", {"network.trim-size=0 B", "network.flow-control=pause",
                                      "network.shared-buffer=64 MiB"}),
              Not(Contains(HasSubstr("network.trim-size"))));
  EXPECT_THAT(notices_of("uec-800g", {"network.mark-to=0 B"}),
              Contains(HasSubstr("transport.congestion-control = nscc learns of congestion from marks")));
  EXPECT_THAT(hints_of("uec-800g", {"network.rate=400 Gb/s"}),
              Contains(HasSubstr("transport.base-round-trip = 3.9 us")));
}

TEST(Notices, NameClassesInWhichHeadersAndAnswersWaitBehindData) {
  expect_messages(notices_of("uec-800g", {"network.trim-class=1"}),
                  {"network.trim-class = 1", "transport.data-class"});
  const std::vector<std::string> turned{"transport.data-class=0", "transport.control-class=1",
                                        "network.trim-class=1"};
  expect_messages(notices_of("uec-800g", turned),
                  {"transport.data-class = 0", "transport.control-class = 1"});
  std::vector<std::string> fair = turned;
  fair.push_back("network.class-arbitration=round-robin");
  EXPECT_THAT(notices_of("uec-800g", fair), IsEmpty());
}

TEST(Notices, NameTelemetryOfPacketsThatGoDifferentWays) {
  const std::string hpcc = "transport.congestion-control=hpcc", mtu = "network.mtu=4202 B";
  EXPECT_THAT(notices_of("roce-100g", {hpcc, mtu, "network.routes=spray"}),
              Contains(HasSubstr("hpcc has little effect with network.routes = spray")));
  EXPECT_THAT(notices_of("roce-100g", {hpcc, mtu}), IsEmpty());
  EXPECT_THAT(notices_of("roce-100g", {"transport.congestion-control=swift", "network.routes=spray"}),
              IsEmpty());
}

// What everybody types for 2:1: the answer without it would be that of another network.
TEST(Notices, OversubscriptionOfAnotherTopologyIsRefusedWithWhatSaysIt) {
  const auto refusal = [](const std::string& platform, std::vector<std::string> overrides) -> std::string {
    try {
      Platform::load(platform, overrides);
    } catch (const Error& error) {
      return error.what();
    }
    return "it is taken";
  };
  expect_message(refusal("hdr-fat-tree", {"network.oversubscription=2"}), "it is taken");
  expect_message(
      refusal("torus-3d", {"network.oversubscription=2"}),
      {"network.oversubscription", "fat-tree and leaf-spine", "torus", "network.topology=leaf-spine"});
  expect_message(refusal("dragonfly-1056", {"network.oversubscription=2"}),
                 {"network.oversubscription", "dragonfly", "network.topology=leaf-spine"});
  expect_message(refusal("hdr-fat-tree", {"network.oversubscription=3"}),
                 {"20 hosts", "3 to 1", "6.66667 trunks"});
  expect_message(refusal("hdr-fat-tree", {"network.topology=leaf-spine", "network.oversubscription=2"}),
                 "it is taken");
  expect_message(refusal("hdr-fat-tree", {"network.arity=10"}), "it is taken");
}

/// Switches, hosts and cables of the network.
std::vector<std::size_t> sizes_of(const Platform& platform) {
  const auto figures = PlatformNetwork::figures(platform);
  return {figures->switches, *figures->hosts, figures->trunks()};
}

// Leaves and hosts stay; uplinks and spines follow. 2:1 of 24 hosts are 12 uplinks, 1:1 are 24.
TEST(Oversubscription, OfAFatTreeChangesItsUplinksAlone) {
  const auto with = [](const char* set) {
    return Platform::load("edr-fat-tree-2to1", std::vector<std::string>{set});
  };
  const Platform half = Platform::load("edr-fat-tree-2to1"), full = with("network.oversubscription=1");
  EXPECT_EQ(PlatformNetwork::oversubscription(half), 2.0);
  EXPECT_EQ(PlatformNetwork::oversubscription(full), 1.0);
  EXPECT_THAT(sizes_of(half), ElementsAre(12 + 12, 288, 12 * 12));
  EXPECT_THAT(sizes_of(full), ElementsAre(12 + 24, 288, 12 * 24));
  EXPECT_EQ(sizes_of(with("network.oversubscription=2")), sizes_of(half));
  EXPECT_THAT(full.describe(), HasSubstr("Oversubscription of the leaves: 1:1."));
  EXPECT_THAT(with("network.arity=24").describe(), HasSubstr("Oversubscription of the leaves: 1:1."));
  EXPECT_EQ(PlatformNetwork::oversubscription(Platform::load("torus-3d")), std::nullopt);
}

}  // namespace
}  // namespace morgana
