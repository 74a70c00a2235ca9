// GM over a Myrinet that loses packets: each message exactly once and in order, or returned.
#include <gtest/gtest.h>

#include <algorithm>

#include "emulator/core/random.h"
#include "tests/interface/gm/fabric.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {
using namespace literals;
using namespace gm_fabric;

constexpr unsigned hosts = 4;

gm::Parameters random_parameters(RandomStream& random) {
  gm::Parameters parameters;
  parameters.largest_payload = Bytes(1 + static_cast<std::int64_t>(random.below(2000)));
  parameters.send_buffers = 1 + static_cast<std::int64_t>(random.below(4));
  parameters.window = 1 + static_cast<std::uint32_t>(random.below(12));
  parameters.early = random.below(2) == 0 ? gm::EarlyPackets::refused : gm::EarlyPackets::ignored;
  parameters.timeout = SimTime::from_ps(static_cast<std::int64_t>(1 + random.below(500)) * 1'000'000);
  parameters.tries = 0;
  return parameters;
}

/// Some messages among four hosts, up to 20 packets long.
void post_some(Fabric& fabric, RandomStream& random, const gm::Parameters& parameters) {
  SimTime at;
  for (int i = 0; i < 40; ++i) {
    at += SimTime::from_ps(static_cast<std::int64_t>(random.below(100'000'000)));
    const auto from = static_cast<HostNumber>(random.below(hosts));
    const auto to = static_cast<HostNumber>((from + 1 + random.below(hosts - 1)) % hosts);
    const std::int64_t most = random.below(4) == 0 ? 20 * parameters.largest_payload.count() : 100;
    fabric.post(at, from, to, static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most + 1))));
  }
}

std::uint64_t packets_of(const Fabric& fabric, const gm::Parameters& parameters) {
  std::uint64_t packets = 0;
  for (const Unit& message : fabric.posted) {
    const std::int64_t room = parameters.largest_payload.count();
    packets +=
        static_cast<std::uint64_t>(std::max<std::int64_t>((message.size.count() + room - 1) / room, 1));
  }
  return packets;
}

TEST(GmLosses, EveryMessageComesOnceAndInOrderWhateverIsLost) {
  std::uint64_t repeated = 0, refusals = 0, timeouts = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(60); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomStream random(seed, "gm under losses"), chance(seed, "losses of gm");
    const gm::Parameters parameters = random_parameters(random);
    const double loss = 0.6 * random.uniform();  // of packets and acknowledgements alike
    Fabric fabric(star(hosts), star_routes(star(hosts)), {}, parameters);
    // A packet crosses two cables, of which the first ends at the switch.
    fabric.network.corrupt_when([&](UnitId, CableChannel channel) {
      return star(hosts).receiver(channel).is_host() && chance.uniform() < loss;
    });
    post_some(fabric, random, parameters);
    fabric.run();
    EXPECT_EQ(fabric.delivered.size(), fabric.posted.size());
    EXPECT_EQ(fabric.unacknowledged(), 0u);
    const gm::ControlProgramCounters counters = fabric.interfaces.counters();
    // Every packet is sent for the first time once, and whatever the network took it delivered or lost.
    EXPECT_EQ(counters.packets, packets_of(fabric, parameters));
    const MyrinetNetwork::Totals& totals = fabric.network.totals();
    EXPECT_EQ(totals.injected, counters.packets + counters.repeated + counters.acknowledgements);
    EXPECT_EQ(totals.injected, totals.delivered + totals.lost_in_all());
    EXPECT_EQ(counters.given_up, 0u);
    for (HostNumber host = 0; host < hosts; ++host)
      EXPECT_FALSE(fabric.interfaces.at(PortId{host}).processor().busy());
    repeated += counters.repeated;
    refusals += counters.refusals;
    timeouts += counters.timeouts;
  }
  EXPECT_GT(repeated, 0u);
  EXPECT_GT(refusals, 0u);
  EXPECT_GT(timeouts, 0u);
}

TEST(GmLosses, WhatIsGivenUpIsReturnedAndAllElseDelivered) {
  std::uint64_t returned = 0, delivered = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(60); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomStream random(seed, "gm gives up"), chance(seed, "losses of gm");
    gm::Parameters parameters = random_parameters(random);
    parameters.tries = 1 + static_cast<std::uint32_t>(random.below(3));
    const double loss = 0.3 + 0.5 * random.uniform();
    Fabric fabric(star(hosts), star_routes(star(hosts)), {}, parameters);
    fabric.network.corrupt_when([&](UnitId, CableChannel channel) {
      return star(hosts).receiver(channel).is_host() && chance.uniform() < loss;
    });
    post_some(fabric, random, parameters);
    fabric.run();
    EXPECT_EQ(fabric.delivered.size() + fabric.lost.size(), fabric.posted.size());
    EXPECT_EQ(fabric.lost.size(), fabric.interfaces.counters().given_up);
    EXPECT_EQ(fabric.unacknowledged(), 0u);
    returned += fabric.lost.size();
    delivered += fabric.delivered.size();
  }
  EXPECT_GT(returned, 0u);
  EXPECT_GT(delivered, 0u);
}

TEST(GmLosses, WithoutAcknowledgementsAMessageThatMissesAPacketIsLost) {
  std::uint64_t lost = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(20); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomStream random(seed, "unreliable gm"), chance(seed, "losses of gm");
    gm::Parameters parameters = random_parameters(random);
    parameters.acknowledge = false;
    Fabric fabric(star(hosts), star_routes(star(hosts)), {}, parameters);
    fabric.network.corrupt_when([&](UnitId, CableChannel channel) {
      return star(hosts).receiver(channel).is_host() && chance.uniform() < 0.1;
    });
    post_some(fabric, random, parameters);
    fabric.run();
    EXPECT_EQ(fabric.departed.size(), fabric.posted.size());
    EXPECT_EQ(fabric.delivered.size() + fabric.lost.size(), fabric.posted.size());
    EXPECT_EQ(fabric.network.totals().injected, packets_of(fabric, parameters));
    EXPECT_LE(fabric.lost.size(), fabric.network.totals().lost_in_all());
    lost += fabric.lost.size();
  }
  EXPECT_GT(lost, 0u);
}

// Where nothing is lost, what is done about losses makes no difference.
TEST(GmLosses, WithoutLossesTheReliablePartsChangeNothing) {
  for (std::uint64_t seed = 1; seed <= random_cases(10); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::map<std::uint64_t, SimTime> delivered[2];
    for (const bool other : {false, true}) {
      RandomStream random(seed, "gm without losses");
      gm::Parameters parameters = random_parameters(random);
      parameters.timeout = other ? 100_ms : 1_s;
      parameters.tries = other ? 1 : 0;
      parameters.early = other ? gm::EarlyPackets::refused : gm::EarlyPackets::ignored;
      Fabric fabric(star(hosts), star_routes(star(hosts)), {}, parameters);
      post_some(fabric, random, parameters);
      fabric.run();
      EXPECT_EQ(fabric.interfaces.counters().repeated, 0u);
      delivered[other] = fabric.delivered;
    }
    EXPECT_EQ(delivered[0], delivered[1]);
  }
}

// A message of three packets of which the cable dies after the first: given up, and the cable is named.
TEST(GmLosses, ADeadCableIsNamed) {
  gm::Parameters parameters;
  parameters.largest_payload = 500_B;
  parameters.tries = 2;
  Fabric fabric(star(hosts), star_routes(star(hosts)), {}, parameters);
  fabric.network.kill_cable({0, 1}, 20_us);
  fabric.post(0_ns, 0, 1, 1200);
  fabric.post(0_ns, 0, 2, 1200);
  fabric.run();
  EXPECT_TRUE(fabric.lost.contains(0));
  EXPECT_TRUE(fabric.delivered.contains(1));
  EXPECT_TRUE(fabric.interfaces.capabilities().returns);
  EXPECT_TRUE(fabric.interfaces.capabilities().fails);
  EXPECT_EQ(
      fabric.how_lost,
      "given up after 2 repetitions; the last of its packets to be lost: its packet needed the cable switch "
      "0 port 1 -> host 1, dead since 0.000020000 s");
  EXPECT_NE(fabric.interfaces.remedy().find("interface.gm.tries"), std::string::npos);
  EXPECT_NE(fabric.interfaces.remedy().find("network.faults"), std::string::npos);
}

}  // namespace
}  // namespace morgana::testing
