// Programs on hosts with several NICs (hosts.nics, hosts.rails, messages.nic, messages.stripe-from).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "emulator/platform/platform_network.h"
#include "runs/scripted_ranks.h"
#include "tests/support/byte_a_nanosecond.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;
using RailTexts = std::vector<std::string>;

/// o = 1 us, L = 5 us, g = 2 us, G = 1 ns/B, requests and clearances of 64 B.
constexpr const char* on_paper = "loggp-example";

std::vector<SimTime> ends_of(const Platform& platform, ScriptedRanks& ranks) {
  for (std::size_t rank = 0; rank < ranks.ranks(); ++rank) ranks.exit(Rank{static_cast<int>(rank)});
  Machine machine = platform.build(ranks.ranks(), Placement(), 1);
  return Engine(machine, ranks, {}).run();
}

/// One message from rank 0 to rank 1, each on a host of its own.
SimTime end_of_one(const Platform& platform, std::int64_t bytes) {
  ScriptedRanks ranks(2);
  ranks.send(Rank{0}, Rank{1}, Bytes(bytes));
  ranks.receive(Rank{1}, Rank{0}, Bytes(bytes));
  return ends_of(platform, ranks).at(1);
}

Platform loaded(const char* name, const RailTexts& overrides) {
  return Platform::load(name, overrides);
}

// The request leaves at o, the clearance comes at o + 2 (L + 63 G), the data of k bytes take L + (k - 1) G,
// and the receive o.
SimTime rendezvous_end(std::int64_t bytes) {
  return 1_us + 2 * (5_us + 63_ns) + 5_us + (bytes - 1) * 1_ns + 1_us;
}

TEST(Rails, TwoNicsHalveALargeMessageThatIsStriped) {
  constexpr std::int64_t bytes = 2'000'000;
  EXPECT_EQ(end_of_one(loaded(on_paper, {}), bytes), rendezvous_end(bytes));
  EXPECT_EQ(end_of_one(loaded(on_paper, {"hosts.nics=2"}), bytes), rendezvous_end(bytes)) << "by one of them";
  EXPECT_EQ(end_of_one(loaded(on_paper, {"hosts.nics=2", "messages.stripe-from=100 kB"}), bytes),
            rendezvous_end(bytes / 2));
  EXPECT_EQ(end_of_one(loaded(on_paper, {"hosts.nics=4", "messages.stripe-from=100 kB"}), bytes),
            rendezvous_end(bytes / 4));
  EXPECT_EQ(end_of_one(loaded(on_paper, {"hosts.nics=2", "messages.stripe-from=3 MB"}), bytes),
            rendezvous_end(bytes))
      << "it is shorter";
  EXPECT_EQ(end_of_one(loaded(on_paper, {"hosts.nics=2", "hosts.rails=joined", "messages.stripe-from=1 kB"}),
                       bytes),
            rendezvous_end(bytes / 2))
      << "on ports of one network";
}

TEST(Rails, TwoRanksWithANicEachDoNotShare) {
  constexpr std::int64_t bytes = 2'000'000;
  const auto last_end = [&](const RailTexts& overrides) {
    ScriptedRanks ranks(4);
    for (const int rank : {0, 1}) {
      ranks.send(Rank{rank}, Rank{rank + 2}, Bytes(bytes));
      ranks.receive(Rank{rank + 2}, Rank{rank}, Bytes(bytes));
    }
    RailTexts all{"hosts.processors=2"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return std::ranges::max(ends_of(loaded(on_paper, all), ranks));
  };
  EXPECT_EQ(last_end({"hosts.nics=2"}), rendezvous_end(bytes));
  EXPECT_GT(last_end({}), rendezvous_end(2 * bytes)) << "one after the other, g between them";
}

// Both messages are eager. The first one takes the NIC from 1 us on, for g + (k - 1) G; the second is ready
// at 2 us.
TEST(Rails, RoundRobinTakesTheOtherNicForTheNextMessage) {
  constexpr std::int64_t bytes = 30'000;
  const auto end = [&](const RailTexts& overrides) {
    ScriptedRanks ranks(2);
    for (int message = 0; message < 2; ++message) {
      ranks.send(Rank{0}, Rank{1}, Bytes(bytes));
      ranks.receive(Rank{1}, Rank{0}, Bytes(bytes));
    }
    return ends_of(loaded(on_paper, overrides), ranks).at(1);
  };
  const SimTime transfer = (bytes - 1) * 1_ns;
  EXPECT_EQ(end({"hosts.nics=2"}), 1_us + (2_us + transfer) + 5_us + transfer + 1_us);
  // The receive of the first ends at 7 us + transfer, when the second has just come.
  EXPECT_EQ(end({"hosts.nics=2", "messages.nic=round-robin"}), 1_us + 5_us + transfer + 1_us + 1_us);
}

// The second message, of 1 B, is there at 7 us, the first one at 6 us + 59,999 ns.
TEST(Rails, RoundRobinKeepsTheOrderOfMatching) {
  ScriptedRanks ranks(2);
  for (const std::int64_t bytes : {60'000, 1}) {
    ranks.send(Rank{0}, Rank{1}, Bytes(bytes));
    ranks.receive(Rank{1}, Rank{0}, Bytes(bytes));
  }
  EXPECT_EQ(ends_of(loaded(on_paper, {"hosts.nics=2", "messages.nic=round-robin"}), ranks).at(1),
            6_us + 59'999_ns + 2 * 1_us);
}

// Whatever moves the data: each half goes as a message of that size does alone.
TEST(Rails, StripesTakeAsLongAsAMessageOfTheirSize) {
  for (const std::string rendezvous : {"send", "read", "write"}) {
    const auto end = [&](std::int64_t bytes, const RailTexts& overrides) {
      RailTexts all{"messages.eager-limit=8 KiB", "messages.envelope=16 B",
                    "messages.rendezvous=" + rendezvous};
      all.insert(all.end(), overrides.begin(), overrides.end());
      return end_of_one(Platform::parse(testing::one_switch, "one-switch.toml", all), bytes);
    };
    constexpr std::int64_t half = 512 * 1024;
    EXPECT_EQ(end(2 * half, {"hosts.nics=2", "messages.stripe-from=16 KiB"}), end(half, {})) << rendezvous;
    EXPECT_GT(end(2 * half, {"hosts.nics=2"}), end(half, {}) + 500_us) << rendezvous;
  }
}

TEST(Rails, LinksNameTheNic) {
  ScriptedRanks ranks(2);
  ranks.send(Rank{0}, Rank{1}, Bytes(1'000'000));
  ranks.receive(Rank{1}, Rank{0}, Bytes(1'000'000));
  for (const int rank : {0, 1}) ranks.exit(Rank{rank});
  Machine machine = Platform::parse(testing::one_switch, "one-switch.toml",
                                    RailTexts{"hosts.nics=2", "messages.stripe-from=1 kB"})
                        .build(2, Placement(), 1);
  const SimTime end = std::ranges::max(Engine(machine, ranks, {}).run());
  std::vector<LinkEnd::OnRail> senders;
  for (const LinkLoad& link : machine.network->links(end).loads)
    if (link.from.is_host() && link.carried > 400) senders.push_back(link.from.on_rail.value());
  EXPECT_THAT(senders, ::testing::ElementsAre(LinkEnd::OnRail{0, 0}, LinkEnd::OnRail{1, 0}));
}

// A fault of the other rail is none of this one's.
TEST(Rails, AFaultIsOfItsRail) {
  const auto end = [](const RailTexts& overrides) {
    RailTexts all{"hosts.nics=2"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return end_of_one(Platform::parse(testing::one_switch, "one-switch.toml", all), 100'000);
  };
  const SimTime whole = end({});
  EXPECT_EQ(end({"network.faults=rail 1: cable 0.0 at 0 s for 1 ms"}), whole);
  EXPECT_GT(end({"network.faults=rail 0: cable 0.0 at 0 s for 1 ms"}), 1_ms);
  EXPECT_GT(end({"network.faults=cable 0.0 at 0 s for 1 ms"}), 1_ms) << "of both";
}

TEST(Rails, NetworksAloneAreOneRail) {
  const Platform two = Platform::parse(testing::one_switch, "one-switch.toml", RailTexts{"hosts.nics=2"});
  EXPECT_EQ(PlatformNetwork(two).hosts(), 4U);
  EXPECT_EQ(two.network_graph().links.loads.size(), 8U);
  const Platform joined = Platform::parse(testing::one_switch, "one-switch.toml",
                                          RailTexts{"hosts.nics=2", "hosts.rails=joined"});
  EXPECT_EQ(PlatformNetwork(joined).hosts(), 8U);
}

std::string refusal_of_rails(const RailTexts& overrides) {
  try {
    (void)Platform::parse(testing::one_switch, "one-switch.toml", overrides);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Rails, RefuseWhatDoesNotGoWithThem) {
  expect_message(refusal_of_rails({"hosts.nics=2", "network.faults=rail 2: cable 0.0 at 0 s"}),
                 {"network.faults: \"rail 2: cable 0.0 at 0 s\"", "there are 2"});
  expect_message(refusal_of_rails({"hosts.nics=2", "network.faults=rail one: cable 0.0 at 0 s"}),
                 {"network.faults: \"rail one: cable 0.0 at 0 s\"", "\"rail 1: cable 0-2 at 10 ms\""});
  expect_message(refusal_of_rails({"network.faults=rail 0: cable 0.0 at 0 s"}),
                 {"\"rail 0: cable 0.0 at 0 s\"", "hosts.nics"});
  expect_message(
      refusal_of_rails({"hosts.nics=2", "hosts.rails=joined", "network.faults=rail 0: cable 0.0 at 0 s"}),
      {"\"rail 0: cable 0.0 at 0 s\"", "hosts.rails", "\"separate\""});
  expect_message(refusal_of_rails({"hosts.nics=2", "network.faults=rail 0: "}),
                 {"network.faults", "\"rail 0:\""});
  expect_message(refusal_of_rails({"hosts.nics=2", "background.load=10%"}), "background.load");
  expect_message(refusal_of_rails({"hosts.nics=2", "hosts.interrupts.handling=fixed"}),
                 {"hosts.nics", "hosts.interrupts.handling", "\"polling\""});
  expect_message(refusal_of_rails({"hosts.nics=2", "messages.nic=round-robin", "messages.push=100 B"}),
                 "by-rank");
  EXPECT_EQ(refusal_of_rails({"hosts.nics=2", "hosts.rails=joined", "background.load=10%"}), "none");
  try {
    (void)loaded("ethernet-25g-tcp", {"hosts.nics=2", "messages.stripe-from=16 KiB"});
    ADD_FAILURE() << "sockets of two NICs are not read piece by piece";
  } catch (const Error& error) {
    expect_message(error.what(), "messages.stripe-from");
  }
}

}  // namespace
}  // namespace morgana
