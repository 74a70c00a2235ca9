#include "emulator/collectives/nccl/nccl_model.h"

#include <gtest/gtest.h>

namespace morgana::nccl {
namespace {

double tree_of_16(Protocol protocol, std::int64_t bytes) {
  GpuLayout layout;
  layout.ranks = 16;
  const LinkRates rates{450e9, 50e9, 0.5e-6, 2e-6};
  return estimated_time(MeasuredCollective::all_reduce, Algorithm::tree, protocol, bytes, layout, rates,
                        Parameters());
}

/// What the tree's bandwidth is multiplied by at a size, from estimates alone: time is a constant and the
/// size over bandwidth, and below 64 B and from 1 GiB on nothing is corrected.
double correction(Protocol protocol, std::int64_t bytes) {
  const std::int64_t gibi = std::int64_t{1} << 30;
  const double a_byte =
      (tree_of_16(protocol, 2 * gibi) - tree_of_16(protocol, gibi)) / static_cast<double>(gibi);
  const double constant = tree_of_16(protocol, gibi) - static_cast<double>(gibi) * a_byte;
  return static_cast<double>(bytes) * a_byte / (tree_of_16(protocol, bytes) - constant);
}

// NCCL 2.30.7, src/graph/tuning.cc, treeCorrectionFactor[protocol][log2(bytes / 64)].
TEST(NcclModel, CorrectsATreesBandwidthAtMediumSizes) {
  EXPECT_NEAR(correction(Protocol::ll, 256 << 10), .4, 1e-6);
  EXPECT_NEAR(correction(Protocol::ll, 512 << 10), .4, 1e-6);
  EXPECT_NEAR(correction(Protocol::ll, 1 << 20), .5, 1e-6);
  EXPECT_NEAR(correction(Protocol::ll128, 1 << 20), .6, 1e-6);
  EXPECT_NEAR(correction(Protocol::ll128, 4 << 20), .8, 1e-6);
  EXPECT_NEAR(correction(Protocol::simple, 1 << 20), .5, 1e-6);
  EXPECT_NEAR(correction(Protocol::simple, 8 << 20), .8, 1e-6);
  EXPECT_NEAR(correction(Protocol::simple, 512 << 20), .9, 1e-6);
}

TEST(NcclModel, TheCorrectionIsThatOfThePowerOfTwoBelow) {
  EXPECT_NEAR(correction(Protocol::simple, (16 << 20) - 1), .8, 1e-6);
  EXPECT_NEAR(correction(Protocol::simple, 16 << 20), .7, 1e-6);
}

TEST(NcclModel, ShorterAndLongerSizesAreNotCorrected) {
  const double below = tree_of_16(Protocol::simple, 63) - tree_of_16(Protocol::simple, 31);
  const double beyond = tree_of_16(Protocol::simple, (std::int64_t{1} << 31) + 32) -
                        tree_of_16(Protocol::simple, std::int64_t{1} << 31);
  EXPECT_NEAR(below, beyond, 1e-15);
}

}  // namespace
}  // namespace morgana::nccl
