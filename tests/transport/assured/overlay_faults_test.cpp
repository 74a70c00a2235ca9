// What overlay networks do about servers and cables that die.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "emulator/network/cell_faults.h"
#include "emulator/transport/aal5/aal5.h"
#include "emulator/transport/overlay/overlay.h"
#include "emulator/transport/sscop/sscop.h"
#include "tests/transport/assured/lossy_cells.h"
#include "tests/transport/harness.h"

namespace morgana::testing {
namespace {
using namespace literals;
using ::testing::HasSubstr;
using Routing = OverlayParameters::Routing;

constexpr std::size_t six = 6;  // stations, at three servers, which are hosts 6, 7 and 8

CellFault server_dead(std::uint32_t server, SimTime when) {
  return {PortId{static_cast<std::uint32_t>(six) + server}, std::nullopt, when,
          "server " + std::to_string(server)};
}
CellFault cable_dead(std::uint32_t a, std::uint32_t b, SimTime when) {
  const auto first = static_cast<std::uint32_t>(six);
  return {PortId{first + a}, PortId{first + b}, when, "cable " + std::to_string(a) + "-" + std::to_string(b)};
}

OverlayParameters around_a_ring(Routing routing) {
  OverlayParameters parameters;
  parameters.stations = 2;
  parameters.packet = 1000_B;
  parameters.relay = 10_us;
  parameters.routing = routing;
  return parameters;
}

SscopParameters answering_within_a_second() {
  SscopParameters parameters;
  parameters.frame = 2000_B;
  parameters.poll_every = 0;
  parameters.poll = 100_us;
  parameters.keep_alive = 200_us;
  parameters.no_response = 1_s;
  parameters.idle = 2_s;
  return parameters;
}

/// Six stations over SSCOP. A byte takes 1 ns, a hop 1 us.
struct FaultyRing {
  FaultyRing(Routing routing, std::vector<CellFault> faults, LossyNetwork::Script script = nullptr)
      : network(events, std::make_unique<LossyCells>(events, nine, std::move(script)), std::move(faults)),
        transport(events, std::make_unique<Sscop>(events, network, nine, answering_within_a_second()), six,
                  around_a_ring(routing)),
        dispatch(events, transport) {}

  static constexpr std::size_t nine = 9;
  EventQueue events;
  CellFaults network;
  Overlay transport;
  Dispatch dispatch;
};

// Server 0 has worked on the message at 1,159 ns + 10 us, and gives up after a second. The packet that comes
// back takes 53 ns and 1 us; a POLL may stand before it.
TEST(OverlayFaults, ReturnWhatIsForAServerThatIsDead) {
  FaultyRing ring(Routing::shortest, {server_dead(1, 0_us)});
  const Fate fate = ring.dispatch.run({{0_us, 0, 2, 100}})[0];
  ASSERT_TRUE(fate.returned);
  EXPECT_GE(*fate.returned, 1_s + 12_us);
  EXPECT_LE(*fate.returned, 1_s + 13_us);
  EXPECT_THAT(ring.transport.how_lost(), HasSubstr("from server 0 to server 1: given up"));
}

TEST(OverlayFaults, ReturnToAStationWhoseOwnServerIsDead) {
  FaultyRing ring(Routing::alternative, {server_dead(0, 0_us)});
  EXPECT_EQ(ring.dispatch.run({{0_us, 0, 2, 100}})[0].returned, 1_s);
  EXPECT_THAT(ring.transport.how_lost(), HasSubstr("from host 0 to server 0: given up"));
}

// Over the shorter way it comes back. The other one, once the shorter has failed, is one server longer; what
// follows takes it at once. Both ways together don't even wait.
TEST(OverlayFaults, AreGoneRound) {
  const std::vector<Planned> plan{{0_us, 0, 2, 100}, {1100_ms, 0, 2, 100}};
  FaultyRing shortest(Routing::shortest, {cable_dead(0, 1, 0_us)});
  EXPECT_TRUE(shortest.dispatch.run(plan)[0].returned);
  const SimTime round = 4 * 1159_ns + 3 * 10_us;
  FaultyRing alternative(Routing::alternative, {cable_dead(0, 1, 0_us)});
  const std::vector<Fate> fates = alternative.dispatch.run(plan);
  alternative.dispatch.expect_all_delivered();
  EXPECT_GE(*fates[0].delivered, 1_s + round);
  EXPECT_LE(*fates[0].delivered, 1_s + round + 1_us);
  EXPECT_EQ(*fates[1].delivered, 1100_ms + round);
  // The copy for the other way is worked on behind the first one.
  FaultyRing both(Routing::replicated, {cable_dead(0, 1, 0_us)});
  EXPECT_EQ(both.dispatch.run(plan)[0].delivered, round + 10_us);
  both.dispatch.expect_all_delivered();
}

// Without faults both copies come: the second one is thrown away.
TEST(OverlayFaults, ThrowSecondCopiesAway) {
  FaultyRing both(Routing::replicated, {});
  const std::vector<Fate> fates = both.dispatch.run({{0_us, 0, 2, 2500}, {0_us, 0, 1, 10}, {5_us, 4, 1, 0}});
  both.dispatch.expect_all_delivered();
  const CounterTable servers = both.transport.counted()[0];
  EXPECT_EQ(std::get<std::int64_t>(servers.rows[0][4]), 3) << "copies sent, none within a server";
}

// An unreliable transport loses it, and tells what was dead.
TEST(OverlayFaults, AreTheReasonForWhichAal5LosesAMessage) {
  EventQueue events;
  CellFaults network(events, std::make_unique<LossyCells>(events, 9), {server_dead(1, 5_us)});
  Overlay transport(events, std::make_unique<Aal5>(events, network, 9, Aal5Parameters()), six,
                    around_a_ring(Routing::shortest));
  Dispatch dispatch(events, transport);
  EXPECT_TRUE(dispatch.run({{0_us, 0, 2, 100}})[0].lost);
  EXPECT_EQ(transport.how_lost(), "from server 0 to server 1: server 1 is dead since 0.000005000 s");
}

// Things die in the middle of traffic on a lossy network: every message is delivered, once and in order, or
// comes back, once (Dispatch fails otherwise). Where only one cable dies, the other way delivers all.
TEST(OverlayFaults, LeaveEveryMessageDeliveredOrReturnedOnce) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::size_t returned = 0;
  for (int round = 0; round < 15; ++round) {
    std::vector<Planned> plan;
    for (int message = 0; message < 60; ++message) {
      const auto from = static_cast<std::uint32_t>(random() % 6);
      plan.push_back({SimTime::from_ps(static_cast<std::int64_t>(random() % 4'000'000'000)), from,
                      (from + 1 + static_cast<std::uint32_t>(random() % 5)) % 6,
                      static_cast<std::int64_t>(random() % 5000)});
    }
    sort_by_time(plan);
    const SimTime when = SimTime::from_ps(static_cast<std::int64_t>(random() % 4'000'000'000));
    const auto which = static_cast<std::uint32_t>(random() % 3);
    const bool cable = random() % 2 == 0;
    const auto routing = static_cast<Routing>(random() % 3);
    FaultyRing ring(routing, {cable ? cable_dead(which, (which + 1) % 3, when) : server_dead(which, when)},
                    [&](const Unit&, std::uint64_t) { return random() % 8 == 0; });
    const std::vector<Fate> fates = ring.dispatch.run(plan);
    for (std::size_t message = 0; message < plan.size(); ++message) {
      EXPECT_NE(fates[message].delivered.has_value(), fates[message].returned.has_value()) << message;
      returned += fates[message].returned.has_value();
      EXPECT_FALSE(cable && routing != Routing::shortest && fates[message].returned) << message;
    }
  }
  EXPECT_GT(returned, 0U);
}

}  // namespace
}  // namespace morgana::testing
