#include "emulator/network/smp/shared_bus.h"

#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/core/resource_load.h"
#include "tests/network/reference_bus.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {
using namespace literals;

std::vector<Fate> run(const std::vector<Planned>& plan, const SharedBusParameters& parameters = {},
                      std::size_t ports = 4) {
  EventQueue events;
  SharedBus network(events, ports, parameters);
  Experiment experiment(events, network);
  std::vector<Fate> fates = experiment.run(plan);
  experiment.expect_conservation();
  return fates;
}

// By default a miss is 22 cycles of 21 ns, of which the bus is taken for 128 / 32 + 1 = 5.
constexpr SimTime cycle = 21_ns, miss = 22 * cycle, occupancy = 5 * cycle;

TEST(SharedBus, AMissTakesAsLongAsTheThesisSays) {
  EXPECT_EQ(miss, 462_ns);
}

TEST(SharedBus, AByteIsALineInAndALineOut) {
  const Fate fate = run({{0_us, 0, 1, 1}})[0];
  EXPECT_EQ(fate.departed, miss);
  EXPECT_EQ(fate.delivered, 2 * miss);
}

TEST(SharedBus, NothingIsALineToo) {
  EXPECT_EQ(run({{0_us, 0, 1, 0}})[0].delivered, 2 * miss);
}

TEST(SharedBus, AMessageIsAMissForEachLineInAndOut) {
  const Fate fate = run({{0_us, 0, 1, 1000 * 128}})[0];
  EXPECT_EQ(fate.departed, 1000 * miss);
  EXPECT_EQ(fate.delivered, 2000 * miss);
  EXPECT_EQ(run({{0_us, 0, 1, 1000 * 128 + 1}})[0].departed, 1001 * miss);
}

// Ten lines in and out, 5 cycles of the bus each, in 1,000 cycles.
TEST(SharedBus, IsInUseByLines) {
  EventQueue events;
  SharedBus network(events, 4, {});
  Experiment experiment(events, network);
  experiment.run({{0_us, 0, 1, 10 * 128}});
  EXPECT_DOUBLE_EQ(resources_in(network.counted(1'000 * cycle), 1'000 * cycle).at(0).utilisation, 0.1);
}

TEST(SharedBus, WorkOnALineDelaysTheNextMissToTheNextCycle) {
  SharedBusParameters parameters;
  parameters.work = 1_ns;
  // 22 cycles and 1 ns: the next grant is after 23 cycles; the last line's work ends off the beat.
  EXPECT_EQ(run({{0_us, 0, 1, 3 * 128}}, parameters)[0].departed, 2 * 23 * cycle + miss + 1_ns);
}

TEST(SharedBus, TheBusIsGrantedOnItsBeat) {
  EXPECT_EQ(run({{1_ps, 0, 1, 1}})[0].departed, cycle + miss);
}

TEST(SharedBus, ASecondProcessorWaitsForTheBusOnce) {
  // Both ask at 0; 1 is the first after 0, which nobody has had the bus yet counts as the last.
  const auto fates = run({{0_us, 0, 2, 10 * 128}, {0_us, 1, 3, 10 * 128}});
  EXPECT_EQ(fates[1].departed, 10 * miss);
  EXPECT_EQ(fates[0].departed, occupancy + 10 * miss);
}

TEST(SharedBus, EightProcessorsSaturateTheBus) {
  // Eight lines take 40 cycles of the bus, more than a miss: each processor gets a line in 40 cycles.
  std::vector<Planned> plan;
  for (std::uint32_t from = 0; from < 8; ++from) plan.push_back({0_us, from, from + 8, 1000 * 128});
  const auto fates = run(plan, {}, 16);
  EXPECT_EQ(fates[1].departed, 999 * 40 * cycle + miss);                  // the first in turn
  EXPECT_EQ(fates[7].departed, 999 * 40 * cycle + 6 * occupancy + miss);  // receivers come after it
}

TEST(SharedBus, AProcessorDoesOneThingAfterTheOther) {
  // The receiver of the first message sends one of its own first.
  const auto fates = run({{0_us, 0, 1, 128}, {10 * cycle, 1, 2, 10 * 128}});
  EXPECT_EQ(fates[0].departed, miss);
  EXPECT_EQ(fates[1].departed, 10 * cycle + 10 * miss);
  // Then it takes its turn after the second message's receiver.
  EXPECT_EQ(fates[0].delivered, 10 * cycle + 10 * miss + occupancy + miss);
}

TEST(SharedBus, TheLeastLatencyIsReached) {
  EventQueue events;
  SharedBusParameters parameters;
  parameters.work = 3_ns;
  const SharedBus network(events, 2, parameters);
  EXPECT_EQ(network.least_latency(), 2 * (miss + 3_ns));
}

TEST(SharedBus, RefusesAMissShorterThanItsLine) {
  SharedBusParameters parameters;
  parameters.miss = 4;
  EXPECT_THROW(run({}, parameters), Error);
}

// A line takes 22 cycles of 1000 s. A MiB is 8,192 lines: 5.7 years, and simulated time lasts 53 days.
TEST(SharedBus, RefusesACopyThatWouldLastBeyondTheEndOfTime) {
  SharedBusParameters parameters;
  parameters.cycle = SimTime::from_seconds(1000);
  EXPECT_EQ(run({{0_us, 0, 1, 1}}, parameters)[0].departed, 22 * parameters.cycle);
  EXPECT_THROW(run({{0_us, 0, 1, 1 << 20}}, parameters), Error);
  EXPECT_THROW(run({{0_us, 0, 1, 1 << 20}, {0_us, 2, 3, 1 << 20}}, parameters), Error);
  parameters.work = EventQueue::latest;
  EXPECT_THROW(run({}, parameters), Error);
  parameters.work = SimTime();
  parameters.cycle = EventQueue::latest;
  EXPECT_THROW(run({}, parameters), Error);
}

TEST(SharedBus, AgreesWithTheReferenceOnRandomCases) {
  for (std::uint64_t seed = 1; seed <= random_cases(4000); ++seed) {
    RandomStream random(seed, "bus test");
    const auto pick = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
    SharedBusParameters parameters;
    if (random.chance(0.5)) {
      parameters.cycle = SimTime::from_ps(1 + pick(30));
      parameters.width = Bytes(1 + pick(32));
      parameters.line = Bytes(1 + pick(64));
      parameters.turnaround = static_cast<std::uint32_t>(1 + pick(3));
      parameters.miss = static_cast<std::uint32_t>(line_occupancy(parameters) + pick(20));
    }
    if (random.chance(0.5)) parameters.work = pick(40) * (random.chance(0.5) ? 1_ps : parameters.cycle);
    const std::size_t ports = 2 + random.below(7);
    std::vector<Planned> plan(1 + random.below(25));
    const std::uint64_t longest = random.chance(0.2) ? 200 : 12;  // lines
    const SimTime tick = random.chance(0.5) ? parameters.cycle : 1_ps;
    const std::uint64_t spread =
        static_cast<std::uint64_t>(parameters.miss * parameters.cycle / tick) * (random.chance(0.5) ? 3 : 60);
    for (Planned& planned : plan) {
      planned.to = static_cast<std::uint32_t>(random.below(ports));
      planned.from = static_cast<std::uint32_t>((planned.to + 1 + random.below(ports - 1)) % ports);
      planned.bytes = pick(longest * static_cast<std::uint64_t>(parameters.line.count()));
      planned.at = random.chance(0.3) ? 0_ps : pick(spread) * tick;
    }
    sort_by_time(plan);
    ASSERT_EQ(run(plan, parameters, ports), ReferenceBus(parameters, ports).run(plan)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace morgana::testing
