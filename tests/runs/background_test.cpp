// Traffic beside a program ([background]): what it offers, what it delays, and that no run depends on its
// end.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "runs/scripted_ranks.h"
#include "tests/support/byte_a_nanosecond.h"

namespace morgana {
namespace {

using namespace literals;
using ::testing::HasSubstr;
using testing::one_switch;
using testing::packet_ns;

struct Ended {
  SimTime end;
  BackgroundUse background;
};

Ended run(ScriptedRanks& ranks, const std::vector<std::string>& overrides, std::uint64_t seed = 1) {
  Machine machine = Platform::parse(one_switch, "one-switch.toml", overrides).build(ranks.ranks(), {}, seed);
  const std::vector<SimTime> exits = Engine(machine, ranks, {}).run();
  return {*std::ranges::max_element(exits), background_use(machine).value_or(BackgroundUse())};
}

Ended send_packets(std::int64_t packets, const std::vector<std::string>& overrides, std::uint64_t seed = 1) {
  ScriptedRanks ranks(2);
  ranks.send(Rank{0}, Rank{1}, Bytes(1024 * packets));
  ranks.receive(Rank{1}, Rank{0}, Bytes(1024 * packets));
  for (const int rank : {0, 1}) ranks.exit(Rank{rank});
  return run(ranks, overrides, seed);
}

Ended compute(SimTime time, const std::vector<std::string>& overrides) {
  ScriptedRanks ranks(1);
  ranks.compute(Rank{0}, time);
  ranks.exit(Rank{0});
  return run(ranks, overrides);
}

// Host 2 offers host 1 all that its cable carries, beginning within 10 us, and the switch's output to host 1
// takes packets of its two inputs alternately: each packet of the program waits for one of the others, but
// for those of the first 10 us. (Every tenth of the others has 16 B more, the RETH.)
TEST(Background, SharesAnOutputWithAProgram) {
  constexpr std::int64_t packets = 1000;
  const std::vector<std::string> from_host_2{"background.load=100%", "background.hosts=1,2",
                                             "background.pattern=incast:1@0", "background.message=10 KiB",
                                             "background.arrivals=constant"};
  const SimTime alone = send_packets(packets, {}).end;
  const SimTime beside = send_packets(packets, from_host_2).end;
  EXPECT_GT(alone, SimTime::from_ps(packets * packet_ns * 1000));
  const double waits = static_cast<double>((beside - alone).ps()) / (packet_ns * 1000);
  EXPECT_NEAR(waits, packets, 15);
}

// A quarter of 1 B/ns in messages of 1000 B is one every 4 us: 100 of each of 4 hosts in 400 us.
TEST(Background, OffersItsLoadUntilTheProgramEnds) {
  const BackgroundUse use =
      compute(400_us, {"background.load=0.25", "background.message=1000 B", "background.arrivals=constant"})
          .background;
  EXPECT_EQ(use.hosts, 4);
  EXPECT_EQ(use.offered.messages, 400);
  EXPECT_EQ(use.offered.bytes, Bytes(400'000));
  EXPECT_LE(use.delivered.messages, use.offered.messages);
  EXPECT_GE(use.delivered.messages, 390);
  EXPECT_EQ(use.lost, 0);
  EXPECT_GT(use.mean_latency, 1_us) << "a cable at least, as the switch cuts through";
}

TEST(Background, OfRandomArrivalsOffersItsLoadOnAverage) {
  const BackgroundUse use = compute(4_ms, {"background.load=0.25", "background.message=1000 B"}).background;
  EXPECT_NEAR(static_cast<double>(use.offered.messages), 4000, 4 * 63) << "four standard deviations";
}

TEST(Background, BetweenOtherHostsOfASwitchDelaysNothing) {
  const std::vector<std::string> others{"background.load=100%", "background.hosts=without-ranks"};
  const Ended beside = send_packets(100, others);
  EXPECT_EQ(beside.background.hosts, 2);
  EXPECT_GT(beside.background.delivered.messages, 0);
  EXPECT_EQ(beside.end, send_packets(100, {}).end);
}

// Three hosts send to one whose cable carries a third of it. Each offers a message a microsecond, of which
// two may be under way; the rest is held back.
TEST(Background, HoldsBackWhatTheNetworkDoesNotCarry) {
  const std::vector<std::string> into_one{"background.load=100%", "background.message=1000 B",
                                          "background.arrivals=constant", "background.pattern=incast:3@0",
                                          "background.outstanding=2"};
  const BackgroundUse use = compute(400_us, into_one).background;
  EXPECT_EQ(use.hosts, 3);
  EXPECT_EQ(use.offered.messages + use.held_back, 3 * 400);
  EXPECT_LE(use.offered.messages, use.delivered.messages + 3 * 2);
  EXPECT_NEAR(static_cast<double>(use.delivered.messages), 400e3 / (1000 + 32), 25)
      << "headers of an RDMA write";
}

TEST(Background, WithoutALoadChangesNothing) {
  EXPECT_EQ(send_packets(100, {"background.load=0", "background.pattern=tornado"}).end,
            send_packets(100, {}).end);
}

TEST(Background, DependsOnItsSeedAlone) {
  const std::vector<std::string> half{"background.load=0.5", "background.message=4 KiB"};
  const SimTime once = send_packets(300, half).end;
  EXPECT_EQ(once, send_packets(300, half).end);
  EXPECT_NE(once, send_packets(300, half, 2).end);
  std::vector<std::string> seeded = half;
  seeded.emplace_back("background.seed=1");
  EXPECT_EQ(once, send_packets(300, seeded, 2).end);
}

TEST(Background, DoesNotHideADeadlock) {
  for (const char* rendezvous : {"send", "read", "write"}) {
    for (const bool after_a_message : {false, true}) {
      ScriptedRanks ranks(2);
      if (after_a_message) {
        ranks.send(Rank{0}, Rank{1}, Bytes(100'000));
        ranks.receive(Rank{1}, Rank{0}, Bytes(100'000));
      }
      ranks.receive(Rank{0}, Rank{1}, Bytes(8));
      ranks.receive(Rank{1}, Rank{0}, Bytes(8));
      EXPECT_THROW(run(ranks, {"background.load=0.9", std::string("messages.rendezvous=") + rendezvous}),
                   Deadlock)
          << rendezvous << ' ' << after_a_message;
    }
  }
}

// What a class of its own that goes first leaves the program: strict arbitration and a whole cable of it.
TEST(Background, HasATrafficClassOfItsOwn) {
  std::vector<std::string> keys{"network.classes=2",
                                "network.class-arbitration=strict",
                                "transport.data-class=1",
                                "transport.cnp-class=1",
                                "background.load=50%",
                                "background.hosts=1,2",
                                "background.pattern=incast:1@0",
                                "background.arrivals=constant",
                                "background.message=1024 B"};
  const auto latency = [&](const char* traffic_class) {
    std::vector<std::string> with_class = keys;
    with_class.push_back(std::string("background.class=") + traffic_class);
    return send_packets(500, with_class).background.mean_latency;
  };
  EXPECT_LT(latency("0"), latency("1")) << "before the program's packets, or in line with them";
  EXPECT_EQ(latency("1"), latency("program"));
}

std::string complaint(const std::string& platform, const std::vector<std::string>& overrides) {
  try {
    Platform::load(platform, overrides).build(2, {}, 1);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Background, OfWrongKeysIsRefusedWithWhatFits) {
  const auto on = [](const std::string& key) {
    return complaint("roce-100g", {"background.load=0.3", "background." + key});
  };
  EXPECT_THAT(on("pattern=sideways"), HasSubstr("background.pattern"));
  EXPECT_THAT(on("pattern=local:3"), HasSubstr("choose another pattern"));
  EXPECT_THAT(on("pattern=incast:9999"), HasSubstr("background.pattern"));
  EXPECT_THAT(on("hosts=3..1"), HasSubstr("ends before it begins"));
  EXPECT_THAT(on("hosts=left"), HasSubstr("\"left\" is not a host"));
  EXPECT_THAT(on("hosts=7"), HasSubstr("at least 2 hosts, not 1"));
  EXPECT_THAT(on("hosts=7,600"), HasSubstr("there is no host 600, only 512"));
  EXPECT_THAT(on("class=5"), HasSubstr("2 traffic classes"));
  EXPECT_THAT(on("load=2"), HasSubstr("at most 100 %"));
}

TEST(Background, IsForNetworksOfSwitchesThatCarryPackets) {
  const auto on = [](const char* platform) { return complaint(platform, {"background.load=0.3"}); };
  for (const char* platform : {"roce-100g", "hdr-fat-tree", "uec-800g", "ethernet-25g-tcp",
                               "slingshot-dragonfly", "fast-ethernet-tree", "myrinet-itb"})
    EXPECT_EQ(on(platform), "none") << platform;
  EXPECT_THAT(on("atm-oc3"), HasSubstr("network.background.load"));
  EXPECT_THAT(on("ethernet-10"), HasSubstr("network.background.load"));
  EXPECT_THAT(on("loggp-example"), HasSubstr("has no switches"));
  EXPECT_THAT(on("myrinet-gm"), HasSubstr("interface.model"));
  EXPECT_THAT(on("smp-push-pull"), HasSubstr("background.load"));
}

}  // namespace
}  // namespace morgana
