#include "emulator/transport/gobackn/go_back_n.h"

#include <gtest/gtest.h>
#include <tuple>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/network/ethernet/segment.h"
#include "emulator/network/ethernet/switched.h"
#include "tests/support/effort.h"
#include "tests/transport/harness.h"
#include "tests/transport/lossy_network.h"
#include "tests/transport/reference_go_back_n.h"

namespace morgana::testing {
namespace {
using namespace literals;

// Over LossyNetwork: 1 ns a byte and 1 us of latency; a full unit is 40 + 1460 bytes = 1.5 us.
constexpr SimTime latency = 1_us;
constexpr std::int64_t full = 1460;

GoBackNParameters example() {
  GoBackNParameters parameters;
  parameters.acknowledge_delay = 50_us;
  parameters.retransmit_after = 200_us;
  return parameters;
}

struct Exchange {
  std::vector<Fate> fates;
  GoBackNCounters counters;
  std::uint64_t lost;
};

Exchange run(const std::vector<Planned>& plan, const GoBackNParameters& parameters = example(),
             LossyNetwork::Script script = nullptr) {
  EventQueue events;
  LossyNetwork network(events, 4, std::move(script));
  GoBackN transport(events, network, 4, parameters);
  Dispatch dispatch(events, transport);
  const std::vector<Fate> fates = dispatch.run(plan);  // returns: so no timer goes on for ever
  dispatch.expect_all_delivered();
  return {fates, transport.counters(), network.lost()};
}

bool is_acknowledgement(const Unit& unit) {
  return unit.size == Bytes(40);
}

TEST(GoBackN, AMessageThatFitsIsOneUnit) {
  const Exchange outcome = run({{0_us, 0, 1, 960}});
  EXPECT_EQ(outcome.fates[0], (Fate{1_us, 1_us + latency, {}}));
  EXPECT_EQ(outcome.counters.data_units, 1u);
}

// Of 5000 B the first 1000 are a piece, and each 2000 that follow: the first unit of 1460 B ends one, the
// third one, and the last one the message.
TEST(GoBackN, TellsOfPiecesThatHaveComeWholly) {
  EventQueue events;
  LossyNetwork network(events, 2, nullptr);
  GoBackN transport(events, network, 2, example());
  Dispatch dispatch(events, transport);
  dispatch.piece = 2000_B;
  dispatch.run({{0_us, 0, 1, 5000}});
  dispatch.expect_all_delivered();
  EXPECT_EQ(dispatch.prefixes[0], (Prefixes{{1500_ns + latency, full}, {4500_ns + latency, 3 * full}}));
}

TEST(GoBackN, AMessageOfNoBytesIsOneUnit) {
  EXPECT_EQ(run({{0_us, 0, 1, 0}}).fates[0], (Fate{40_ns, 40_ns + latency, {}}));
}

TEST(GoBackN, LongMessagesAreCutIntoFullUnits) {
  const Exchange outcome = run({{0_us, 0, 1, 2 * full + 1}});
  EXPECT_EQ(outcome.fates[0].departed, 1500_ns + 1500_ns + 41_ns);
  EXPECT_EQ(outcome.counters.data_units, 3u);
  EXPECT_EQ(run({{0_us, 0, 1, 2 * full}}).counters.data_units, 2u);
}

TEST(GoBackN, MessagesFollowEachOtherWithoutAPause) {
  const Exchange outcome = run({{0_us, 0, 1, full}, {0_us, 0, 1, full}});
  EXPECT_EQ(outcome.fates[0].departed, 1500_ns);
  EXPECT_EQ(outcome.fates[1].departed, 3_us);
}

TEST(GoBackN, ConnectionsOfAPortTakeTurns) {
  const Exchange outcome = run({{0_us, 0, 1, 3 * full}, {0_us, 0, 2, full}});
  EXPECT_EQ(outcome.fates[1].departed, 3_us);
  EXPECT_EQ(outcome.fates[0].departed, 6_us);
}

TEST(GoBackN, TheWindowHoldsTheSenderBack) {
  GoBackNParameters parameters = example();
  parameters.window = 2;
  const Exchange outcome = run({{0_us, 0, 1, 3 * full}}, parameters);
  // The second unit has arrived at 4 us, its acknowledgement of 40 bytes at 5.04 us.
  EXPECT_EQ(outcome.fates[0].departed, 5040_ns + 1500_ns);
}

TEST(GoBackN, ASingleUnitIsAcknowledgedAfterTheDelay) {
  GoBackNParameters parameters = example();
  parameters.window = 1;
  const Exchange outcome = run({{0_us, 0, 1, 2 * full}}, parameters);
  EXPECT_EQ(outcome.fates[0].departed, 2500_ns + 50_us + 1040_ns + 1500_ns);
  EXPECT_EQ(outcome.counters.acknowledgements, 2u);
}

TEST(GoBackN, AnAcknowledgementRidesOnAnAnswer) {
  EventQueue events;
  LossyNetwork network(events, 2);
  GoBackN transport(events, network, 2, example());
  Dispatch dispatch(events, transport);
  dispatch.on_delivery = [&](std::size_t message) {
    if (message < 99) dispatch.send(message % 2 == 0 ? 1 : 0, message % 2 == 0 ? 0 : 1, full);
  };
  dispatch.run({{0_us, 0, 1, full}});
  dispatch.expect_all_delivered();
  EXPECT_EQ(transport.counters().data_units, 100u);
  EXPECT_EQ(transport.counters().acknowledgements, 1u);  // of the last
  EXPECT_EQ(transport.counters().timeouts, 0u);
}

TEST(GoBackN, EverySecondUnitOfAStreamIsAcknowledged) {
  const Exchange outcome = run({{0_us, 0, 1, 1000 * full}});
  EXPECT_EQ(outcome.counters.acknowledgements, 500u);
  EXPECT_EQ(outcome.counters.retransmissions, 0u);
  EXPECT_EQ(outcome.fates[0].departed, 1000 * 1500_ns);  // the window never closes
}

TEST(GoBackN, AfterATimeOutAllIsRepeatedFromTheOldestOn) {
  for (std::uint64_t victim = 0; victim < 4; ++victim) {
    const Exchange outcome = run(
        {{0_us, 0, 1, 4 * full}}, example(),
        [&](const Unit& unit, std::uint64_t ordinal) { return unit.from == PortId{0} && ordinal == victim; });
    EXPECT_EQ(outcome.lost, 1u);
    EXPECT_EQ(outcome.counters.timeouts, 1u) << victim;
    // what came in pairs before the loss was acknowledged, a single unit before it too, after the delay
    EXPECT_EQ(outcome.counters.retransmissions, 4 - victim);
    EXPECT_EQ(outcome.fates[0].departed, 6_us) << "for the first time";
  }
}

TEST(GoBackN, ALostFirstUnitCostsOneTimeOut) {
  const Exchange outcome = run({{0_us, 0, 1, full}}, example(), [](const Unit& unit, std::uint64_t ordinal) {
    return unit.from == PortId{0} && ordinal == 0;
  });
  EXPECT_EQ(outcome.fates[0], (Fate{1500_ns, 1500_ns + 200_us + 1500_ns + latency, {}}));
}

TEST(GoBackN, NoTimeRunsWhileAUnitIsInThePort) {
  EventQueue events;
  LossyNetwork network(events, 2);
  network.byte_time = 1_us;  // a full unit takes 1.5 ms, far more than the time-out
  GoBackNParameters parameters = example();
  parameters.window = 1;
  parameters.acknowledge_every = 1;
  GoBackN transport(events, network, 2, parameters);
  Dispatch dispatch(events, transport);
  dispatch.run({{0_us, 0, 1, full}, {1_us, 0, 1, full}});
  dispatch.expect_all_delivered();
  EXPECT_EQ(transport.counters().timeouts, 0u);
}

TEST(GoBackN, TheTimeOutDoublesUpToSixtyFourFold) {
  const Exchange outcome = run({{0_us, 0, 1, full}}, example(), [](const Unit& unit, std::uint64_t ordinal) {
    return unit.from == PortId{0} && ordinal < 9;
  });
  // nine attempts fail, after 1, 2, 4, 8, 16, 32, 64, 64 and 64 times the time-out
  EXPECT_EQ(outcome.fates[0].delivered,
            (1 + 2 + 4 + 8 + 16 + 32 + 64 + 64 + 64) * 200_us + 10 * 1500_ns + latency);
}

TEST(GoBackN, AnAcknowledgementOfSomethingNewSetsTheTimeOutBack) {
  const Exchange outcome = run({{0_us, 0, 1, full}, {10000_us, 0, 1, full}}, example(),
                               [](const Unit& unit, std::uint64_t ordinal) {
                                 return unit.from == PortId{0} && (ordinal < 3 || ordinal == 4);
                               });
  EXPECT_EQ(outcome.fates[1].delivered, 10000_us + 1500_ns + 200_us + 1500_ns + latency);
}

TEST(GoBackN, ALostAcknowledgementIsMadeGoodByTheNext) {
  const Exchange outcome =
      run({{0_us, 0, 1, 10 * full}}, example(),
          [](const Unit& unit, std::uint64_t ordinal) { return is_acknowledgement(unit) && ordinal == 0; });
  EXPECT_EQ(outcome.lost, 1u);
  EXPECT_EQ(outcome.counters.retransmissions, 0u);
}

TEST(GoBackN, ALostLastAcknowledgementIsRepeatedWhenTheUnitComesAgain) {
  const Exchange outcome = run({{0_us, 0, 1, full}}, example(), [](const Unit& unit, std::uint64_t ordinal) {
    return is_acknowledgement(unit) && ordinal < 3;
  });
  EXPECT_EQ(outcome.fates[0].delivered, 2500_ns);
  EXPECT_EQ(outcome.counters.retransmissions, 3u);
  EXPECT_EQ(outcome.counters.acknowledgements, 4u);
}

TEST(GoBackN, ABurstOfLossesIsOvercome) {
  const Exchange outcome =
      run({{0_us, 0, 1, 100 * full}, {0_us, 1, 0, 100 * full}}, example(),
          [](const Unit&, std::uint64_t ordinal) { return ordinal >= 10 && ordinal < 60; });
  EXPECT_EQ(outcome.lost, 100u);
}

TEST(GoBackN, EverythingMayBeLostSeveralTimes) {
  for (int times = 1; times <= 5; ++times) {
    std::map<std::tuple<PortId, PortId, Bytes>, int> seen;  // the sizes tell the units apart
    const Exchange outcome = run(
        {{0_us, 0, 1, 1000}, {0_us, 0, 1, 900}, {0_us, 1, 0, 800}, {1_us, 2, 1, 0}, {1_us, 2, 1, 3 * full}},
        example(), [&](const Unit& unit, std::uint64_t) {
          return ++seen[{unit.from, unit.to, unit.size}] <= times;
        });
    EXPECT_GT(outcome.lost, 0u);
  }
}

TEST(GoBackN, AListenerMayOpenNewConnectionsAtEveryDelivery) {
  constexpr std::uint32_t hosts = 40;
  EventQueue events;
  RandomStream random(1, "loss");
  LossyNetwork network(events, hosts, [&](const Unit&, std::uint64_t) { return random.chance(0.1); });
  GoBackN transport(events, network, hosts, example());
  Dispatch dispatch(events, transport);
  std::uint32_t sent = 0;
  dispatch.on_delivery = [&](std::size_t) {
    for (int n = 0; n < 2 && sent < 1000; ++n, ++sent)
      dispatch.send(sent % hosts,
                    (sent * 7 + 1) % hosts == sent % hosts ? (sent + 1) % hosts : (sent * 7 + 1) % hosts,
                    sent);
  };
  dispatch.run({{0_us, 0, 1, 1}});
  dispatch.expect_all_delivered();
  EXPECT_EQ(sent, 1000u);
}

TEST(GoBackN, RefusesWhatCannotWork) {
  EventQueue events;
  LossyNetwork network(events, 2);
  const auto refused = [&](auto change) {
    GoBackNParameters parameters;
    change(parameters);
    EXPECT_THROW(GoBackN(events, network, 2, parameters), Error);
  };
  refused([](GoBackNParameters& p) { p.header = Bytes(1500); });
  refused([](GoBackNParameters& p) { p.window = 0; });
  refused([](GoBackNParameters& p) { p.acknowledge_every = 0; });
  refused([](GoBackNParameters& p) { p.retransmit_after = 0_us; });
}

TEST(GoBackN, OneByteOverFastEthernetTakesTwoPaddedFrames) {
  EventQueue events;
  SwitchedEthernetParameters parameters;
  parameters.forwarding = 10_us;
  SwitchedEthernet network(events, 2, parameters);
  GoBackN transport(events, network, 2, {});
  Dispatch dispatch(events, transport);
  // 41 bytes are padded to 46; with preamble, header and check sequence 72 bytes = 5.76 us at 100 Mb/s
  EXPECT_EQ(dispatch.run({{0_us, 0, 1, 1}})[0], (Fate{5760_ns, 5760_ns + 10_us + 5760_ns, {}}));
}

TEST(GoBackN, ALongMessageOverFastEthernetReachesTheFramesShareOfTheRate) {
  EventQueue events;
  SwitchedEthernet network(events, 2, {});
  GoBackN transport(events, network, 2, {});
  Dispatch dispatch(events, transport);
  const auto fates = dispatch.run({{0_us, 0, 1, 1000 * full}});
  // a frame and its gap take 1538 bytes of 80 ns; the last frame passes the second link alone, without gap
  EXPECT_EQ(fates[0].delivered, (1000 * 1538 - 12 + 1526) * 80_ns);
}

TEST(GoBackN, OvercomesTheLossesOfASwitchWithoutBuffers) {
  EventQueue events;
  SwitchedEthernetParameters parameters;
  parameters.buffer_frames = 2;
  SwitchedEthernet network(events, 8, parameters);
  GoBackN transport(events, network, 8, {});
  Dispatch dispatch(events, transport);
  std::vector<Planned> plan;
  for (std::uint32_t host = 1; host < 8; ++host) plan.push_back({host * 1_ps, host, 0, 20'000});
  dispatch.run(plan);
  dispatch.expect_all_delivered();
  EXPECT_GT(transport.counters().retransmissions, 0u);
}

TEST(GoBackN, WorksOverALoadedSegment) {
  EventQueue events;
  SegmentParameters parameters;
  parameters.background.load = 0.4;
  EthernetSegment network(events, 4, parameters, 1);
  GoBackN transport(events, network, 4, {});
  Dispatch dispatch(events, transport);
  std::vector<Planned> plan;
  for (std::uint32_t message = 0; message < 40; ++message)
    plan.push_back({message * 1_ms, message % 4, (message + 1) % 4, message * 500});
  dispatch.run(plan);
  dispatch.expect_all_delivered();
}

// Two units of 1000 bytes have left at 2 us. Without an acknowledgement they are repeated 200 us later, for 2
// us, and 400 us after that; 800 us after the second repetition both messages are given up.
TEST(GoBackN, GivesUpAfterSoManyRepetitionsWithoutProgress) {
  GoBackNParameters parameters = example();
  parameters.tries = 2;
  EventQueue events;
  LossyNetwork network(events, 2, [](const Unit&, std::uint64_t) { return true; });
  GoBackN transport(events, network, 2, parameters);
  Dispatch dispatch(events, transport);
  const std::vector<Fate> fates = dispatch.run({{0_us, 0, 1, 960}, {0_us, 0, 1, 960}});
  EXPECT_FALSE(fates[0].delivered);
  EXPECT_EQ(fates[0].returned, fates[1].returned);
  EXPECT_EQ(transport.counters().given_up, 2u);
  EXPECT_EQ(transport.counters().timeouts, 3u);
  EXPECT_EQ(fates[0].returned, 2_us + 200_us + 2_us + 400_us + 2_us + 800_us);
}

TEST(GoBackN, BeginsAnewAfterItHasGivenUp) {
  GoBackNParameters parameters = example();
  parameters.tries = 2;
  EventQueue events;
  LossyNetwork network(events, 2, [](const Unit&, std::uint64_t ordinal) { return ordinal < 3; });
  GoBackN transport(events, network, 2, parameters);
  Dispatch dispatch(events, transport);
  const std::vector<Fate> fates = dispatch.run({{0_us, 0, 1, 960}, {2_ms, 0, 1, 960}});
  EXPECT_EQ(fates[0].returned, 1_us + 200_us + 1_us + 400_us + 1_us + 800_us);
  EXPECT_EQ(fates[1].delivered, 2_ms + 1_us + latency);
}

TEST(GoBackN, DoesNotCallLostWhatHasComeIfOnlyItsAcknowledgementsAreLost) {
  GoBackNParameters parameters = example();
  parameters.tries = 2;
  EventQueue events;
  LossyNetwork network(events, 2, [](const Unit& unit, std::uint64_t) { return is_acknowledgement(unit); });
  GoBackN transport(events, network, 2, parameters);
  Dispatch dispatch(events, transport);
  const std::vector<Fate> fates = dispatch.run({{0_us, 0, 1, 960}, {2_ms, 0, 1, 960}});
  EXPECT_EQ(fates[0].delivered, 1_us + latency);
  EXPECT_EQ(fates[1].delivered, 2_ms + 1_us + latency);
  EXPECT_EQ(transport.counters().given_up, 0u);
}

TEST(GoBackN, RepeatsWithoutEndIfToldTo) {
  GoBackNParameters parameters = example();
  parameters.tries = 0;
  const Exchange outcome = run({{0_us, 0, 1, 960}}, parameters, [](const Unit& unit, std::uint64_t ordinal) {
    return !is_acknowledgement(unit) && ordinal < 40;
  });
  EXPECT_EQ(outcome.counters.timeouts, 40u);
}

TEST(GoBackN, AgreesWithTheReferenceOnRandomCasesWithLoss) {
  const std::uint64_t cases = random_cases(5000);
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    RandomStream random(seed, "go-back-n test");
    const auto pick = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
    GoBackNParameters parameters;
    parameters.tries = 0;
    parameters.header = Bytes(1 + pick(60));
    parameters.window = static_cast<std::uint32_t>(1 + pick(12));
    parameters.acknowledge_every = static_cast<std::uint32_t>(1 + pick(4));
    parameters.acknowledge_delay = SimTime::from_ps(1 + pick(500'000'000));
    parameters.retransmit_after =
        SimTime::from_ps((random.chance(0.3) ? 1'000'000 : 100'000'000) + pick(1'000'000'000));
    const std::uint32_t hosts = static_cast<std::uint32_t>(2 + pick(4));
    const std::int64_t byte_time = 1 + pick(20'000);
    const std::int64_t largest = parameters.header.count() + 1 + pick(1500);
    const double loss = random.chance(0.3) ? 0 : 0.4 * random.uniform();
    std::vector<std::int64_t> latencies(std::size_t{hosts} * hosts);
    for (std::int64_t& pair : latencies) pair = 1 + pick(100'000'000);
    const auto latency_of = [&](std::uint32_t from, std::uint32_t to) {
      return latencies[from * hosts + to];
    };
    const auto lost = [&](std::uint32_t port, std::uint64_t ordinal) {
      return RandomStream(seed * 1'000'003 + ordinal, "loss at port " + std::to_string(port)).chance(loss);
    };

    std::vector<Planned> plan(1 + random.below(12));
    for (Planned& planned : plan) {
      planned.from = static_cast<std::uint32_t>(random.below(hosts));
      planned.to = static_cast<std::uint32_t>((planned.from + 1 + random.below(hosts - 1)) % hosts);
      planned.bytes = pick(random.chance(0.5) ? 10 : 10'000);
      planned.at = SimTime::from_ps(pick(1'000'000'000));
    }
    sort_by_time(plan);

    EventQueue events;
    LossyNetwork network(events, hosts, [&](const Unit& unit, std::uint64_t ordinal) {
      return lost(static_cast<std::uint32_t>(unit.from), ordinal);
    });
    network.largest = Bytes(largest);
    network.byte_time = SimTime::from_ps(byte_time);
    network.latency = [&](PortId from, PortId to) {
      return SimTime::from_ps(latency_of(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)));
    };
    GoBackN transport(events, network, hosts, parameters);
    Dispatch dispatch(events, transport);
    const auto fates = dispatch.run(plan);
    dispatch.expect_all_delivered();
    ReferenceGoBackN reference(parameters, hosts, largest, byte_time, latency_of, lost);
    const auto expected = reference.run(plan);
    if (reference.had_ties()) continue;
    ++compared;
    ASSERT_EQ(fates, expected) << "seed " << seed;
  }
  EXPECT_GT(compared, cases / 2);
}

}  // namespace
}  // namespace morgana::testing
