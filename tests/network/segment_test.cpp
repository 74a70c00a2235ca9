#include "emulator/network/ethernet/segment.h"

#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/core/resource_load.h"
#include "tests/network/reference_segment.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {
using namespace literals;

struct Outcome {
  std::vector<Fate> fates;
  SegmentCounters counters;
};

Outcome run(const std::vector<Planned>& plan, const SegmentParameters& parameters, std::uint64_t seed = 1,
            std::size_t ports = 4) {
  EventQueue events;
  EthernetSegment network(events, ports, parameters, seed);
  Experiment experiment(events, network);
  Outcome outcome{experiment.run(plan), network.counters()};
  experiment.expect_conservation();
  return outcome;
}

// At 10 Mb/s a byte takes 800 ns; preamble, header and check sequence are 26 bytes, the gap 12.
constexpr SimTime byte_time = 800_ns;
constexpr SimTime propagation = 5_us;

TEST(EthernetSegment, AFrameOnAnIdleSegmentGoesAtOnce) {
  const Fate fate = run({{7_us, 0, 1, 1000}}, {}).fates[0];
  EXPECT_EQ(fate.departed, 7_us + 1026 * byte_time);
  EXPECT_EQ(fate.delivered, 7_us + 1026 * byte_time + propagation);
}

TEST(EthernetSegment, ShortFramesArePadded) {
  const Fate padded = run({{0_us, 0, 1, 0}}, {}).fates[0];
  EXPECT_EQ(padded.departed, 72 * byte_time);
  EXPECT_EQ(run({{0_us, 0, 1, 46}}, {}).fates[0], padded);
  EXPECT_EQ(run({{0_us, 0, 1, 47}}, {}).fates[0].departed, 73 * byte_time);
}

TEST(EthernetSegment, AStationLeavesAGapBetweenItsFrames) {
  const auto fates = run({{0_us, 0, 1, 100}, {0_us, 0, 1, 100}}, {}).fates;
  EXPECT_EQ(fates[1].departed, (126 + 12 + 126) * byte_time);
}

// Two frames of 126 bytes and their gaps of 12 in 400 bytes' time; then also nothing.
TEST(EthernetSegment, IsInUseByFramesAndGaps) {
  EventQueue events;
  EthernetSegment network(events, 4, {}, 1);
  Experiment experiment(events, network);
  experiment.run({{0_us, 0, 1, 100}, {0_us, 0, 1, 100}});
  const auto in_use = [&network](std::int64_t bytes) {
    return resources_in(network.counted(bytes * byte_time), bytes * byte_time).at(0).utilisation;
  };
  EXPECT_DOUBLE_EQ(in_use(400), 2 * 138 / 400.0);
  EXPECT_DOUBLE_EQ(in_use(2 * 138), 1);
}

// Others offer 40 % of the segment's time: what they have sent is counted, though nothing asks for it.
TEST(EthernetSegment, IsInUseByItsBackground) {
  EventQueue events;
  SegmentParameters parameters;
  parameters.background.load = 0.4;
  EthernetSegment network(events, 2, parameters, 1);
  EXPECT_NEAR(resources_in(network.counted(20_s), 20_s).at(0).utilisation, 0.4, 0.08);
}

TEST(EthernetSegment, AStationDefersToAFrameThatItHears) {
  const auto fates = run({{0_us, 0, 1, 100}, {6_us, 2, 1, 100}}, {}).fates;
  EXPECT_EQ(fates[0].delivered, 126 * byte_time + propagation);
  EXPECT_EQ(fates[1].departed, 126 * byte_time + propagation + (12 + 126) * byte_time);
}

TEST(EthernetSegment, ACarrierThatComesInTheSameInstantIsHeard) {
  EXPECT_EQ(run({{0_us, 0, 1, 100}, {5_us, 2, 1, 100}}, {}).counters.collisions, 0u);
}

TEST(EthernetSegment, AStationThatHasNotHeardTheCarrierYetCollides) {
  const Outcome outcome = run({{0_us, 0, 1, 100}, {4_us, 2, 1, 100}}, {});
  EXPECT_GE(outcome.counters.collisions, 1u);
  // Host 0 hears host 2 at 9 us and jams for 3.2 us; host 2 hears host 0 at 5 us, but ends its preamble at
  // 10.4 us first. They fall silent at 12.2 and 13.6 us, and the carrier is gone at 18.6 us for host 0, at
  // 17.2 us for host 2: neither starts before 26.8 us.
  for (const Fate& fate : outcome.fates) EXPECT_GE(*fate.departed, 26800_ns + 126 * byte_time);
}

TEST(EthernetSegment, TwoThatStartTogetherCollideAndSortThemselvesOut) {
  RandomStream first(1, "ethernet port 0 backoff"), second(1, "ethernet port 2 backoff");
  const Outcome outcome = run({{0_us, 0, 1, 100}, {0_us, 2, 1, 100}}, {});
  // Each hears the other after 5 us, ends its preamble at 6.4 us and its jam at 9.6 us; the carrier is gone
  // at 14.6 us, the gap is over at 24.2 us, and slots of 51.2 us count from 9.6 us.
  std::uint64_t collisions = 1;
  SimTime ended = 9600_ns;
  std::uint64_t a = 0, b = 0;
  for (; (a = first.below(std::uint64_t{1} << collisions)) ==
         (b = second.below(std::uint64_t{1} << collisions));
       ++collisions)
    ended += std::max(14600_ns, static_cast<std::int64_t>(a) * 51200_ns) + 9600_ns;
  EXPECT_EQ(outcome.counters.collisions, collisions);
  const SimTime winner_starts =
      ended + std::max(14600_ns, static_cast<std::int64_t>(std::min(a, b)) * 51200_ns);
  EXPECT_EQ(outcome.fates[a < b ? 0 : 1].departed, winner_starts + 126 * byte_time);
}

TEST(EthernetSegment, OneSaturatedSenderReachesTheFramesShareOfTheRate) {
  const std::vector<Planned> plan(1000, {0_us, 0, 1, 1500});
  EXPECT_EQ(run(plan, {}).fates.back().departed, (1000 * 1538 - 12) * byte_time);
}

TEST(EthernetSegment, ManySaturatedSendersStillPassMostOfTheLoad) {
  std::vector<Planned> plan;
  for (int frame = 0; frame < 200; ++frame)
    for (std::uint32_t port = 0; port < 16; ++port) plan.push_back({0_us, port, (port + 1) % 16, 1500});
  const Outcome outcome = run(plan, {}, 3, 16);
  SimTime end;
  std::int64_t delivered = 0;
  for (const Fate& fate : outcome.fates) {
    end = std::max(end, *fate.departed);
    delivered += fate.delivered ? 1 : 0;
  }
  const double share =
      static_cast<double>((delivered * 1500 * byte_time).ps()) / static_cast<double>(end.ps());
  EXPECT_GT(share, 0.80);
  EXPECT_LT(share, 1500.0 / 1538.0);
}

TEST(EthernetSegment, AFrameIsGivenUpAfterSixteenAttempts) {
  // A backoff spreads stations over at most 1024 slots; of so many that start together, some are unlucky
  // sixteen times.
  constexpr std::uint32_t ports = 1500;
  std::vector<Planned> plan;
  for (std::uint32_t port = 0; port < ports; ++port) plan.push_back({0_us, port, (port + 1) % ports, 46});
  const Outcome outcome = run(plan, {}, 5, ports);
  std::uint64_t lost = 0;
  for (const Fate& fate : outcome.fates) lost += fate.lost ? 1 : 0;
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(lost, outcome.counters.given_up);
  EXPECT_EQ(lost + outcome.counters.frames, ports);
  EXPECT_EQ(outcome.fates, ReferenceSegment({}, ports, 5).run(plan));
}

TEST(EthernetSegment, NothingIsInTheEventQueueWhileNoUnitWaits) {
  SegmentParameters parameters;
  parameters.background.load = 0.5;
  EventQueue events;
  EthernetSegment network(events, 2, parameters, 1);
  EXPECT_TRUE(events.empty());
  Experiment experiment(events, network);
  const auto fates = experiment.run({{10_s, 0, 1, 100}});  // returns when the queue is empty
  EXPECT_LT(events.now(), 11_s);
  EXPECT_GT(network.counters().background_frames, 1000u);
}

TEST(EthernetSegment, TheBackgroundOffersItsLoad) {
  for (const double on_share : {0.1, 0.5, 1.0}) {
    SegmentParameters parameters;
    parameters.background.load = 0.3;
    parameters.background.on_share = on_share;
    const Outcome outcome = run({{2000_s, 0, 1, 100}}, parameters);
    const double frame = (512 + 38) * 0.8e-6;
    EXPECT_NEAR(static_cast<double>(outcome.counters.background_frames) * frame / 2000, 0.3, 0.01)
        << on_share;
  }
}

TEST(EthernetSegment, TheBackgroundSlowsTheForegroundDown) {
  const std::vector<Planned> plan(500, {0_us, 0, 1, 1500});
  SegmentParameters loaded;
  loaded.background.load = 0.5;
  EXPECT_GT(run(plan, loaded).fates.back().departed->seconds(),
            1.2 * run(plan, {}).fates.back().departed->seconds());
}

TEST(EthernetSegment, TheSameSeedGivesTheSameTimesAndAnotherSeedOthers) {
  std::vector<Planned> plan;
  for (std::uint32_t port = 0; port < 4; ++port) plan.push_back({0_us, port, (port + 1) % 4, 500});
  SegmentParameters parameters;
  parameters.background.load = 0.4;
  EXPECT_EQ(run(plan, parameters, 1).fates, run(plan, parameters, 1).fates);
  EXPECT_NE(run(plan, parameters, 1).fates, run(plan, parameters, 2).fates);
}

// Without bursts the next frame of such a load lies after the end of simulated time.
TEST(EthernetSegment, ABackgroundThatNeverSendsDisturbsNobody) {
  SegmentParameters parameters;
  parameters.background.load = 1e-12;
  parameters.background.on_share = 1;
  const auto with = run({{0_us, 0, 1, 100}}, parameters);
  EXPECT_EQ(with.fates[0].delivered, run({{0_us, 0, 1, 100}}, {}).fates[0].delivered);
  EXPECT_EQ(with.counters.background_frames, 0U);
}

TEST(EthernetSegment, RefusesWhatNoSegmentCanBe) {
  const auto refused = [](auto change) {
    SegmentParameters parameters;
    parameters.background.load = 0.5;
    change(parameters);
    EventQueue events;
    EXPECT_THROW(EthernetSegment(events, 2, parameters, 1), Error);
  };
  refused([](SegmentParameters& p) { p.propagation = 0_us; });
  refused([](SegmentParameters& p) { p.propagation = 25600_ns; });
  refused([](SegmentParameters& p) { p.background.load = 0.96; });
  refused([](SegmentParameters& p) { p.background.stations = 0; });
  refused([](SegmentParameters& p) { p.background.frame = Bytes(45); });
  refused([](SegmentParameters& p) { p.background.on_share = 0; });
  // A frame in 4 x 25 % x 459 us / 1e-12, bursts of 20 ms: one in 2e10.
  refused([](SegmentParameters& p) { p.background.load = 1e-12; });
  EventQueue events;
  EthernetSegment network(events, 2, {}, 1);
  EXPECT_THROW(network.inject({UnitId{0}, PortId{0}, PortId{1}, Bytes(1501)}), Error);
}

/// Few ports, or many, contending within a short time or a long one, with the background or without.
void compare_with_reference(std::uint64_t seed, bool background) {
  RandomStream random(seed, "segment test");
  const auto pick = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
  SegmentParameters parameters;
  if (random.chance(0.3)) parameters.rate = BitRate(100'000'000);
  if (random.chance(0.2)) parameters.rate = BitRate(9'999'991);  // no whole picoseconds
  const std::int64_t half_slot = parameters.rate.time_for_bits(256).ps();
  switch (random.below(3)) {
    case 0:
      parameters.propagation = SimTime::from_ps(1 + pick(10));
      break;
    case 1:
      parameters.propagation = SimTime::from_ps(1 + pick(static_cast<std::uint64_t>(half_slot - 2)));
      break;
    default:
      parameters.propagation = parameters.rate.time_for_bits(1 + pick(250));
  }
  if (background) {
    parameters.background.load = 0.05 + 0.9 * random.uniform();
    parameters.background.stations = static_cast<std::uint32_t>(1 + pick(6));
    parameters.background.frame = Bytes(46 + pick(1455));
    parameters.background.mean_on = SimTime::from_ps(100'000'000 + pick(20'000'000'000));
    parameters.background.on_share = random.chance(0.2) ? 1.0 : 0.05 + 0.95 * random.uniform();
  }
  const std::size_t ports = 2 + random.below(random.chance(0.2) ? 30 : 5);
  std::vector<Planned> plan(1 + random.below(40));
  const std::int64_t bit = parameters.rate.time_for_bits(1).ps();
  const std::uint64_t spread = random.chance(0.5) ? 2'000 : 200'000;  // bits
  const bool on_a_grid = random.chance(0.5);  // so that many things happen in the same instant
  for (Planned& planned : plan) {
    planned.from = static_cast<std::uint32_t>(random.below(ports));
    planned.to = static_cast<std::uint32_t>((planned.from + 1 + random.below(ports - 1)) % ports);
    planned.bytes = pick(random.chance(0.5) ? 1501 : 100);
    planned.at = SimTime::from_ps(on_a_grid ? 32 * bit * pick(spread / 32) : bit * pick(spread) + pick(1000));
  }
  sort_by_time(plan);
  ReferenceSegment reference(parameters, ports, seed);
  ASSERT_EQ(run(plan, parameters, seed, ports).fates, reference.run(plan)) << "seed " << seed;
}

TEST(EthernetSegment, AgreesWithTheReferenceOnRandomCases) {
  for (std::uint64_t seed = 1; seed <= random_cases(3000) && !HasFatalFailure(); ++seed)
    compare_with_reference(seed, false);
}

TEST(EthernetSegment, AgreesWithTheReferenceOnRandomCasesWithBackground) {
  for (std::uint64_t seed = 1; seed <= random_cases(1500) && !HasFatalFailure(); ++seed)
    compare_with_reference(seed, true);
}

}  // namespace
}  // namespace morgana::testing
