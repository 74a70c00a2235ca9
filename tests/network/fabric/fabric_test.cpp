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

}  // namespace
}  // namespace morgana::testing
