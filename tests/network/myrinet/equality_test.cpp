#include <gtest/gtest.h>

#include "tests/network/myrinet/random_cases.h"
#include "tests/network/myrinet/random_rings.h"
#include "tests/network/myrinet/reference_flits.h"
#include "tests/network/myrinet/worm_experiment.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {

const std::uint64_t cases = random_cases(1000), rings = random_cases(400);

/// Every packet's departure and fate, its reason, and every count, to the picosecond and the flit.
void agrees_in_everything(const WormCase& given) {
  const WormResults expected = ReferenceFlits(given).run();
  WormExperiment experiment(given);
  const WormResults actual = experiment.run();
  ASSERT_EQ(actual.fates, expected.fates);
  ASSERT_EQ(actual.delivered_to, expected.delivered_to);
  ASSERT_EQ(actual.pools.size(), expected.pools.size());
  for (std::size_t host = 0; host < actual.pools.size(); ++host)
    ASSERT_TRUE(actual.pools[host] == expected.pools[host]) << "host " << host;
  ASSERT_EQ(actual.notes, expected.notes);
  for (std::size_t channel = 0; channel < actual.channels.size(); ++channel)
    ASSERT_TRUE(actual.channels[channel] == expected.channels[channel])
        << "channel " << channel << ": " << actual.channels[channel].flits << " flits, stopped for "
        << actual.channels[channel].stopped.ps() << " instead of " << expected.channels[channel].flits
        << " flits, stopped for " << expected.channels[channel].stopped.ps();
}

class MyrinetNetworkOnRandomCases : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(MyrinetNetworkOnRandomCases, AgreesWithTheFlitByFlitReferenceInEverything) {
  for (std::uint64_t seed = GetParam(); seed < GetParam() + cases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    agrees_in_everything(RandomWorms(seed).make());
    if (HasFatalFailure()) return;
  }
}

TEST(MyrinetNetworkOnRandomRings, AgreesWithTheFlitByFlitReferenceInEverything) {
  for (std::uint64_t seed = 1; seed <= rings; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    agrees_in_everything(random_ring(seed));
    if (HasFatalFailure()) return;
  }
}

// All packets have a fate, and connections are broken before the first flit and after it.
TEST(RandomRings, StandStillAndAreBroken) {
  std::size_t cuts = 0, within = 0;
  for (std::uint64_t seed = 1; seed <= rings; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    ReferenceFlits reference(random_ring(seed));
    const WormResults results = reference.run();
    for (const WormFate& fate : results.fates) ASSERT_TRUE(fate.times.delivered || fate.times.lost);
    cuts += reference.cuts().first;
    within += reference.cuts().second;
  }
  EXPECT_GT(within, rings);
  EXPECT_GT(cuts - within, rings);
}

INSTANTIATE_TEST_SUITE_P(FromSeed, MyrinetNetworkOnRandomCases, ::testing::Values(1, 1001, 2001));

}  // namespace
}  // namespace morgana::testing
