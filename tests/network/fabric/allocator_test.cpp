// The separable allocator of docs/fabric.md, against the reference and by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/network/fabric/by_hand.h"
#include "tests/network/fabric/carried_fabric.h"
#include "tests/network/fabric/random_fabrics.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {

/// A random case whose packets wait at inputs and are allocated, in cycles from a small part of a packet's
/// time to several packets' times.
FabricCase random_allocations(std::uint64_t seed) {
  FabricCase given = random_fabric(seed);
  fabric::FabricParameters& parameters = given.parameters;
  RandomStream random(seed, "allocations");
  parameters.allocator = fabric::SwitchAllocator::separable_input_first;
  const std::int64_t quantum = seed / 24 % 2 == 1 ? 1'280 : 1;  // of cases whose times coincide
  const std::int64_t most = random.chance(0.5) ? 4 : 64;
  parameters.allocation_cycle =
      SimTime::from_ps(quantum * (1 + static_cast<std::int64_t>(random.below(
                                          static_cast<std::uint64_t>(quantum == 1 ? 1'000 * most : most)))));
  if (parameters.output_queue > Bytes(0)) return given;
  parameters.lane_arbitration = fabric::LaneArbitration::round_robin;
  parameters.class_weights.clear();
  return given;
}

TEST(Allocator, GivesWhatTheReferenceGivesToThePicosecond) {
  unsigned cases = 0;
  for (std::uint64_t seed = 0; seed < random_cases(2'000) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const FabricCase given = random_allocations(seed);
    if (given.parameters.queueing == fabric::Queueing::output_queues) continue;
    ++cases;
    both_fabrics(given.network, given.parameters, *given.routing, given.plan, given.faults);
  }
  EXPECT_GT(cases, 100U);
}

using namespace by_hand;

fabric::FabricParameters allocated_every(std::int64_t ns) {
  fabric::FabricParameters parameters = spacious();
  parameters.allocator = fabric::SwitchAllocator::separable_input_first;
  parameters.allocation_cycle = SimTime::from_ps(1'000 * ns);
  return parameters;
}

// Ready at 0 + 10 + 100 = 110: the next allocation is at 120.
TEST(Allocator, StartsPacketsAtMultiplesOfItsCycle) {
  EXPECT_EQ(starts(carried(star(2), allocated_every(40), {unit(0, 0, 1)}), 1), Times{120});
  EXPECT_EQ(starts(carried(star(2), allocated_every(110), {unit(0, 0, 1)}), 1), Times{110});
}

// 100 bytes take 100 ns. Hosts 0 and 1 each have a packet for host 2, ready at 110, and one for host 3, ready
// at 210. At 200 both inputs propose their only packet, for output 2; it grants input 0 until 300. At 300
// input 0 proposes output 3, input 1 output 2, its first in turn: both are granted. At 400 input 1 proposes
// output 3.
TEST(Allocator, GrantsOneOfTheInputsThatProposeAPacketForAnOutput) {
  const std::vector<FabricInjection> plan{unit(0, 0, 2, 0, 100), unit(0, 1, 2, 0, 100), unit(0, 0, 3, 0, 100),
                                          unit(0, 1, 3, 0, 100)};
  EXPECT_EQ(starts(carried(star(4), allocated_every(100), plan), 1), (Times{200, 300, 300, 400}));
}

// Both inputs have packets for outputs 2 and 3 at 300 and propose output 2. Output 2 grants input 0; output
// 3, which both could send to, stays idle until the next allocation. Outputs that choose by themselves use
// it.
TEST(Allocator, LeavesAnOutputIdleThatNoInputProposes) {
  const std::vector<FabricInjection> plan{unit(0, 0, 2, 0, 100), unit(0, 1, 2, 0, 100), unit(0, 0, 3, 0, 100),
                                          unit(0, 1, 3, 0, 100)};
  EXPECT_EQ(starts(carried(star(4), allocated_every(300), plan), 1), (Times{300, 600, 600, 900}));
}

// Input 0 has been granted output 2 and input 1 has not: its pointers stand still, so that it proposes output
// 2 again, and output 2 now prefers it to input 0's second packet.
TEST(Allocator, MovesItsPointersOnlyByGrants) {
  const std::vector<FabricInjection> plan{unit(0, 0, 2, 0, 100), unit(0, 1, 2, 0, 100), unit(0, 0, 2, 0, 100),
                                          unit(0, 1, 3, 0, 100)};
  EXPECT_EQ(starts(carried(star(4), allocated_every(300), plan), 1), (Times{300, 600, 900, 900}));
}

}  // namespace
}  // namespace morgana::testing
