#include "emulator/network/fabric/fabric_network.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/network/fabric/carried_fabric.h"
#include "tests/network/fabric/random_fabrics.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {

TEST(Fabric, GivesWhatTheReferenceGivesToThePicosecond) {
  for (std::uint64_t seed = 0; seed < random_cases(5'000) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const FabricCase given = random_fabric(seed);
    both_fabrics(given.network, given.parameters, *given.routing, given.plan, given.faults);
  }
}

TEST(Fabric, LosesNothingWithPausesAndTheComputedHeadroom) {
  for (std::uint64_t seed = 0; seed < random_cases(480) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const FabricCase given = RandomFabric(seed, RandomFabric::Kind::pauses_without_loss).draw();
    const FabricOutcome outcome = both_fabrics(given.network, given.parameters, *given.routing, given.plan);
    for (const FabricFate& fate : outcome.fates) EXPECT_FALSE(fate.lost);
  }
}

TEST(Fabric, GivesUpWhatTheReferenceGivesUp) {
  for (std::uint64_t seed = 0; seed < random_cases(2'000) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const FabricCase given = RandomFabric(seed, RandomFabric::Kind::watches).draw();
    both_fabrics(given.network, given.parameters, *given.routing, given.plan, given.faults);
  }
}

TEST(Fabric, TrimsWhatTheReferenceTrims) {
  std::size_t on_the_way = 0, at_last_switch = 0, lost = 0, by_the_last = 0;
  const std::uint64_t seeds = random_cases(960);
  for (std::uint64_t seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const FabricCase given = RandomFabric(seed, RandomFabric::Kind::trims).draw();
    const FabricOutcome outcome =
        both_fabrics(given.network, given.parameters, *given.routing, given.plan, given.faults);
    for (const FabricFate& fate : outcome.fates) {
      on_the_way += fate.trimmed == Trimmed::on_the_way ? 1 : 0;
      at_last_switch += fate.trimmed == Trimmed::at_last_switch ? 1 : 0;
      lost += fate.lost ? 1 : 0;
    }
    fabric::FabricParameters arriving = given.parameters;
    arriving.trim.which = fabric::TrimParameters::Which::arriving;
    if (seed % 8 == 0 &&
        both_fabrics(given.network, arriving, *given.routing, given.plan, given.faults).fates !=
            outcome.fates)
      ++by_the_last;
  }
  EXPECT_GT(on_the_way, seeds);
  EXPECT_GT(at_last_switch, seeds);
  EXPECT_GT(lost, seeds / 10);
  EXPECT_GT(by_the_last, seeds / 80);  // of a half of every eighth
}

}  // namespace
}  // namespace morgana::testing
