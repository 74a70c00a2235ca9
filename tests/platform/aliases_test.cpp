// What --set understands beyond keys and values: notions that every network has in keys of its own, and
// multiples of what the platform says.

#include "emulator/platform/aliases.h"

#include <sstream>
#include <utility>

#include "emulator/platform/kinds/networks.h"
#include "emulator/platform/platform.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Overrides = std::vector<std::string>;

std::string described(const std::string& platform, const Overrides& overrides) {
  return Platform::load(platform, overrides).describe();
}

std::string refusal_of(const std::string& platform, const Overrides& overrides) {
  return error_of([&] { Platform::load(platform, overrides); });
}

TEST(Multiples, TakeThePlatformsValueSoManyTimes) {
  // fast-ethernet: 100 Mb/s, 3 us, 44 units, 64 B.
  EXPECT_THAT(described("fast-ethernet", {"network.rate=x2.5"}), HasSubstr("rate = \"250 Mb/s\""));
  EXPECT_THAT(described("fast-ethernet", {"network.forwarding=x0.5"}), HasSubstr("forwarding = \"1.5 us\""));
  EXPECT_THAT(described("fast-ethernet", {"transport.window=x2"}), HasSubstr("window = \"88 units\""));
  EXPECT_THAT(described("fast-ethernet", {"messages.control=x4"}), HasSubstr("control = \"256 B\""));
}

TEST(Multiples, FindWhatEarlierOverridesHaveSet) {
  EXPECT_THAT(described("fast-ethernet", {"network.rate=1 Gb/s", "network.rate=x2"}),
              HasSubstr("rate = \"2 Gb/s\""));
}

TEST(Notions, OfBandwidthScaleTiersAndLeaveSharesOfTheLink) {
  const std::string pod = described("dgx-h100-pod", {"network.bandwidth=x2"});
  EXPECT_THAT(pod, HasSubstr("rate = \"5.9328 Tb/s\""));
  EXPECT_THAT(pod, HasSubstr("levels 1-2 at 768 Gb/s over 500 ns"));
  EXPECT_THAT(pod, HasSubstr("levels 2-3 at 768 Gb/s over 500 ns"));
  for (const char* faster : {"network.bandwidth=x2", "network.bandwidth=400 Gb/s", "network.rate=400 Gb/s"})
    EXPECT_THAT(described("hdr-fat-tree", {faster}),
                AllOf(HasSubstr("rate = \"400 Gb/s\""), HasSubstr("ejection-rate = \"94.5 %\"")))
        << faster;
  EXPECT_THAT(described("hdr-fat-tree", {"network.ejection-rate=100 Gb/s", "network.bandwidth=x2"}),
              HasSubstr("ejection-rate = \"200 Gb/s\""));
}

TEST(Multiples, OfSharesOfTheLinkKeepToIt) {
  EXPECT_THAT(described("hdr-fat-tree", {"network.ejection-rate=x0.5"}),
              HasSubstr("ejection-rate = \"47.25 %\""));
  expect_message(refusal_of("hdr-fat-tree", {"network.ejection-rate=x2"}),
                 {"network.ejection-rate: 189 %", "100 %"});
  expect_message(refusal_of("hdr-fat-tree", {"network.ejection-rate=0 %"}), "network.ejection-rate: 0 %");
  expect_message(refusal_of("hdr-fat-tree", {"network.ejection-rate=94.5"}),
                 {"network.ejection-rate: \"94.5\"", "\"unlimited\""});
  expect_message(refusal_of("roce-100g", {"network.rate=94.5 %"}), "network.rate: \"94.5 %\"");
}

TEST(Multiples, OfNothingAreRefused) {
  expect_message(refusal_of("ideal", {"network.latency=x2"}), {"--set network.latency=x2", "0 s"});
  expect_message(refusal_of("fast-ethernet", {"network.buffer=x2"}),
                 {"--set network.buffer=x2", "unlimited"});
  expect_message(refusal_of("fast-ethernet", {"network.rate=x0"}), "network.rate: \"x0\"");
  expect_message(refusal_of("fast-ethernet", {"network.rate=xyz"}), {"network.rate", "\"yz\""});
}

TEST(Multiples, ThatAreWrittenTheWrongWayRoundAreToldTheRightOne) {
  for (const char* key : {"network.rate", "network.bandwidth"}) {
    expect_message(refusal_of("fast-ethernet", {std::string(key) + "=2x"}), {key, "\"2x\"", "write x2"});
    expect_message(refusal_of("fast-ethernet", {std::string(key) + "=0.5x"}),
                   {key, "\"0.5x\"", "write x0.5"});
  }
}

TEST(Multiples, KeepTheKeysLimits) {
  expect_message(refusal_of("fast-ethernet", {"network.largest-payload=x10"}),
                 {"network.largest-payload: 15000 B", "9000 B"});
}

TEST(Notions, OfBandwidthAreRatesOrCostsPerByte) {
  EXPECT_THAT(described("fast-ethernet", {"network.bandwidth=1 Gb/s"}), HasSubstr("rate = \"1 Gb/s\""));
  EXPECT_THAT(described("fddi-100", {"network.bandwidth=x2"}), HasSubstr("rate = \"200 Mb/s\""));
  EXPECT_THAT(described("atm-oc3", {"network.bandwidth=622.08 Mb/s"}), HasSubstr("rate = \"622.08 Mb/s\""));
  EXPECT_THAT(described("myrinet-itb", {"network.bandwidth=x2"}), HasSubstr("rate = \"2.56 Gb/s\""));
  // 2 Gb/s are 250 MB/s: 4 ns a byte.
  EXPECT_THAT(described("loggp-example", {"network.bandwidth=2 Gb/s"}),
              HasSubstr("gap-per-byte = \"4 ns/B\""));
  EXPECT_THAT(described("loggp-example", {"network.bandwidth=2 Gb/s", "network.bandwidth=x2"}),
              HasSubstr("gap-per-byte = \"2 ns/B\""));
}

TEST(Notions, OfBandwidthKeepTrunksInProportion) {
  const std::string text =
      described("fast-ethernet", {"network.trunk-rate=1 Gb/s", "network.bandwidth=200 Mb/s"});
  EXPECT_THAT(text, HasSubstr("trunk-rate = \"2 Gb/s\""));
}

TEST(Notions, OfBandwidthKeepTheCostsOfShortMessagesInProportion) {
  // infiniband-hdr: 0.042596 ns/B and 1.8 ns/B.
  for (const char* doubled : {"network.bandwidth=x2", "network.bandwidth=0.021298 ns/B"}) {
    const std::string text = described("infiniband-hdr", {doubled});
    EXPECT_THAT(text, HasSubstr("gap-per-byte = \"21.298 ps/B\"")) << doubled;
    EXPECT_THAT(text, HasSubstr("latency-per-byte = \"900 ps/B\"")) << doubled;
  }
}

TEST(Notions, OfLatencyAreSharedOutInProportion) {
  // Twice 1 us along the cables and 2 us in the switch: 4 us, of which half are 2.
  const Overrides four{"network.propagation=1 us", "network.forwarding=2 us"};
  for (const char* half : {"network.latency=x0.5", "network.latency=2 us"}) {
    Overrides overrides = four;
    overrides.push_back(half);
    EXPECT_THAT(described("fast-ethernet", overrides), HasSubstr("propagation = \"500 ns\"")) << half;
    EXPECT_THAT(described("fast-ethernet", overrides), HasSubstr("forwarding = \"1 us\"")) << half;
  }
}

TEST(Notions, OfLatencyThatWasZeroAreTheCables) {
  const std::string text = described(
      "fast-ethernet", {"network.propagation=0 s", "network.forwarding=0 s", "network.latency=5 us"});
  EXPECT_THAT(text, HasSubstr("propagation = \"2.5 us\""));
}

TEST(Notions, CanBeSetOnEveryNetworkThatHasThem) {
  for (const NetworkKind& kind : network_kinds()) {
    const bool has = alias_on(kind.name, "network.latency") != nullptr;
    EXPECT_EQ(has, kind.name != "shared-bus") << kind.name;
    EXPECT_EQ(has, alias_on(kind.name, "network.bandwidth") != nullptr) << kind.name;
    if (!has) continue;
    Overrides overrides{"network.kind=" + kind.name, "network.latency=240 ns",
                        kind.name == "myrinet" ? "network.bandwidth=640 Mb/s" : "network.bandwidth=30 Mb/s"};
    if (kind.name == "ethernet-cable") overrides.push_back("hosts.count=2");
    EXPECT_EQ(error_of([&] { Platform::parse("", "my.toml", overrides); }), "no error") << kind.name;
  }
}

TEST(Notions, ThatANetworkHasNotAreRefusedWithItsKeys) {
  expect_message(refusal_of("sgi-powerchallenge", {"network.bandwidth=x2"}),
                 {"shared-bus", "network.bandwidth", "network.cycle, network.width"});
}

/// What it sets, without where that comes from.
std::string keys_of(const Platform& platform) {
  const std::string all = platform.describe();
  std::istringstream text(all.substr(all.find("\n[hosts]"), all.find("\n[source]") - all.find("\n[hosts]")));
  std::string keys;
  for (std::string line; std::getline(text, line);) keys += line.substr(0, line.find('#')) + '\n';
  return keys;
}

TEST(Notions, MeanInAFileWhatTheyMeanInAnOverride) {
  const std::string extends = "extends = \"hdr-fat-tree\"\n";
  const std::string plain = keys_of(Platform::parse(extends, "my.toml"));
  for (const auto& [line, set] : {std::pair("latency = \"1.2 us\"", "network.latency=1.2 us"),
                                  std::pair("bandwidth = \"x2\"", "network.bandwidth=x2"),
                                  std::pair("rate = \"x2\"", "network.rate=x2")}) {
    const std::string overridden = keys_of(Platform::parse(extends, "my.toml", Overrides{set}));
    EXPECT_NE(overridden, plain) << set;
    EXPECT_EQ(keys_of(Platform::parse(extends + "[network]\n" + line + "\n", "my.toml")), overridden) << line;
  }
}

TEST(Notions, OfAFileStandNotBesideTheirKeys) {
  expect_message(error_of([] {
                   Platform::parse(
                       "extends = \"fast-ethernet\"\n[network]\nbandwidth = \"1 Gb/s\"\nrate = \"2 Gb/s\"\n",
                       "my.toml");
                 }),
                 {"my.toml:4:1", "network.rate", "network.bandwidth"});
}

TEST(Notions, OfAFileHaveUnits) {
  expect_message(
      error_of([] { Platform::parse("extends = \"fast-ethernet\"\n[network]\nlatency = 5\n", "my.toml"); }),
      {"my.toml:3:11", "network.latency"});
}

TEST(Notions, AreWhatAMisspeltKeyOfAFileIsLedTo) {
  expect_message(error_of([] {
                   Platform::parse("extends = \"fast-ethernet\"\n[network]\nbandwith = \"1 Gb/s\"\n",
                                   "my.toml");
                 }),
                 {"my.toml:3:1", "network.bandwith", "network.bandwidth"});
  expect_message(
      error_of([] { Platform::parse("[network]\nkind = \"loggp\"\nlatenzy = \"1 us\"\n", "my.toml"); }),
      {"network.latenzy", "network.latency"});
}

TEST(Notions, AreTheSourceOfWhatTheySet) {
  EXPECT_THAT(described("fast-ethernet", {"network.bandwidth=x2"}), HasSubstr("--set network.bandwidth=x2"));
}

TEST(UnknownKeys, AreComparedWithThePlatformsOwnFirst) {
  expect_message(refusal_of("fast-ethernet", {"network.latenzy=5 us"}), "network.latency");
  // network.width of a bus is nearer in letters.
  expect_message(refusal_of("fast-ethernet", {"network.bandwith=5 us"}), "network.bandwidth");
  expect_message(refusal_of("fast-ethernet", {"network.station-latancy=5 us"}),
                 {"network.station-latancy", "network.station-latency", "ethernet-switched"});
}

// Keys of words, and keys of numbers for which "auto" stands: each understands both.
TEST(Keys, UnderstandAutomaticAsAuto) {
  for (const char* key : {"collectives.allreduce", "collectives.library", "messages.endpoints",
                          "hosts.compute-scale", "hosts.count"}) {
    const auto with = [key](const char* word) {
      return Platform::parse("", "my.toml", Overrides{std::string(key) + "=" + word}).describe();
    };
    const std::string automatic = with("automatic");
    EXPECT_THAT(automatic, HasSubstr("= \"auto\"")) << key;
    EXPECT_THAT(automatic, ::testing::Not(HasSubstr("= \"automatic\""))) << key;
  }
  expect_message(error_of([] { Platform::parse("", "my.toml", Overrides{"network.kind=automatic"}); }),
                 "network.kind: \"automatic\"");
}

}  // namespace
}  // namespace morgana
