#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/core/resource_load.h"
#include "emulator/network/fddi/ring.h"
#include "tests/network/reference_fddi.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {
using namespace literals;

std::vector<Fate> run(const std::vector<Planned>& plan, const FddiParameters& parameters = {},
                      std::size_t ports = 4) {
  EventQueue events;
  FddiRing network(events, ports, parameters);
  Experiment experiment(events, network);
  std::vector<Fate> fates = experiment.run(plan);
  experiment.expect_conservation();
  return fates;
}

// At 100 Mb/s a byte takes 80 ns. A token has 11 bytes, a frame 28 besides its payload; a station repeats
// after 1 us, the next one is 250 ns away.
constexpr SimTime byte_time = 80_ns, token = 11 * byte_time, fibre = 250_ns, hop = 1250_ns;

TEST(FddiRing, AFrameFollowsTheTokenThatIsThere) {
  const Fate fate = run({{0_us, 0, 1, 100}})[0];
  EXPECT_EQ(fate.departed, token + 128 * byte_time);
  EXPECT_EQ(fate.delivered, token + 128 * byte_time + fibre);
}

TEST(FddiRing, IsInUseByFramesAndNotByItsToken) {
  EventQueue events;
  FddiRing network(events, 4, {});
  Experiment experiment(events, network);
  experiment.run({{0_us, 0, 1, 100}, {0_us, 2, 1, 100}});
  EXPECT_DOUBLE_EQ(resources_in(network.counted(1'000 * byte_time), 1'000 * byte_time).at(0).utilisation,
                   2 * 128 / 1'000.0);
}

TEST(FddiRing, AFrameGoesThroughTheStationsInBetween) {
  EXPECT_EQ(run({{0_us, 0, 3, 100}})[0].delivered, token + 128 * byte_time + 2 * hop + fibre);
}

TEST(FddiRing, AStationWaitsForTheToken) {
  EXPECT_EQ(run({{0_us, 3, 0, 100}})[0].departed, 3 * hop + token + 128 * byte_time);
  EXPECT_EQ(run({{1_ps, 0, 1, 100}})[0].departed, 4 * hop + token + 128 * byte_time);
}

TEST(FddiRing, TheTokenGoesRoundUnseenForASecond) {
  // A quiet round takes 5 us: after 200,000 of them the token is where it was.
  EXPECT_EQ(run({{1_s, 0, 1, 100}})[0].departed, 1_s + token + 128 * byte_time);
}

TEST(FddiRing, TheTokenGoesOnBehindTheLastFrame) {
  const auto fates = run({{0_us, 0, 2, 100}, {0_us, 0, 2, 100}, {0_us, 1, 2, 100}});
  EXPECT_EQ(fates[1].departed, token + 2 * 128 * byte_time);
  EXPECT_EQ(fates[2].departed, token + 2 * 128 * byte_time + fibre + token + 128 * byte_time);
}

TEST(FddiRing, AStationHoldsTheTokenForTheTargetRotationTime) {
  // Frames of 4500 bytes take 360 us; the first begins at 0.88 us, the 23rd at 7,920.88 us, before 8 ms.
  std::vector<Planned> plan(30, {0_us, 0, 1, 4472});
  plan.push_back({0_us, 1, 2, 72});
  const auto fates = run(plan);
  EXPECT_EQ(fates[22].departed, token + 23 * 360_us);
  // By then the token is late everywhere and passes all stations once. Station 1 is the next that may send,
  // and station 0 after it, until 16 ms.
  const SimTime late_at_1 = *fates[22].departed + fibre;
  ASSERT_GT(late_at_1, 8_ms + hop);
  EXPECT_EQ(fates[30].departed, late_at_1 + 4 * hop + token + 100 * byte_time);
  EXPECT_EQ(fates[23].departed, *fates[30].departed + fibre + 2 * hop + token + 360_us);
}

TEST(FddiRing, FullFramesReachTheRatesShareOfThePayload) {
  const auto fates = run(std::vector<Planned>(2000, {0_us, 0, 1, 4472}));
  const double seconds = (*fates[1999].delivered - *fates[0].delivered).seconds();
  // 4472 of 4500 bytes, and per 8 ms a token and a round or two.
  EXPECT_GT(1999 * 4472 * 8e-6 / seconds, 98.5);
  EXPECT_LT(1999 * 4472 * 8e-6 / seconds, 100.0 * 4472 / 4500);
}

TEST(FddiRing, RefusesWhatDoesNotFit) {
  EXPECT_THROW(run({{0_us, 0, 1, 4479}}), Error);
  FddiParameters parameters;
  parameters.target_rotation = 300_us;
  EXPECT_THROW(run({}, parameters), Error);
}

TEST(FddiRing, TheLeastLatencyIsReached) {
  EventQueue events;
  const FddiRing network(events, 4, {});
  EXPECT_EQ(network.least_latency(), *run({{0_us, 0, 1, 0}})[0].delivered);
}

TEST(FddiRing, AgreesWithTheReferenceOnRandomCases) {
  for (std::uint64_t seed = 1; seed <= random_cases(5000); ++seed) {
    RandomStream random(seed, "ring test");
    const auto pick = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
    const bool on_a_grid = random.chance(0.5);  // so that many things happen in the same instant
    const SimTime tick = on_a_grid ? 80_ns : 1_ps;
    const std::uint64_t ticks_in_a_us = on_a_grid ? 12 : 1'000'000;
    FddiParameters parameters;
    parameters.propagation = (1 + pick(2 * ticks_in_a_us)) * tick;
    parameters.station_latency = pick(2 * ticks_in_a_us) * tick;
    parameters.largest_payload = Bytes(1 + pick(200));
    const std::size_t ports = 2 + random.below(7);
    const SimTime round =
        static_cast<std::int64_t>(ports) * (parameters.propagation + parameters.station_latency);
    parameters.target_rotation = round + (11 + 28 + parameters.largest_payload.count()) * 80_ns +
                                 (1 + pick(20 * ticks_in_a_us)) * tick;
    std::vector<Planned> plan(1 + random.below(60));
    const std::uint64_t spread = ticks_in_a_us * (random.chance(0.5) ? 20 : 2000);
    for (Planned& planned : plan) {
      planned.to = static_cast<std::uint32_t>(random.below(ports));
      planned.from = static_cast<std::uint32_t>((planned.to + 1 + random.below(ports - 1)) % ports);
      planned.bytes = pick(static_cast<std::uint64_t>(parameters.largest_payload.count()) + 1);
      planned.at = pick(spread) * tick;
    }
    sort_by_time(plan);
    ASSERT_EQ(run(plan, parameters, ports), ReferenceFddi(parameters, ports).run(plan)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace morgana::testing
