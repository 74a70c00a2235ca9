#include "emulator/network/atm/gcra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/network/atm/cell_rate.h"

namespace morgana::testing {
namespace {
using namespace atm;

/// The standard's continuous-state leaky bucket: it leaks by one in each unit of time, each cell that
/// conforms pours in the increment (I.371, annex A, figure A.1, right).
struct LeakyBucket {
  std::int64_t increment, limit;
  std::int64_t content = 0, last = 0;
  bool takes(std::int64_t at) {
    const std::int64_t left = std::max<std::int64_t>(0, content - (at - last));
    if (left > limit) return false;
    content = left + increment;
    last = at;
    return true;
  }
};

TEST(Gcra, AgreesWithTheLeakyBucketOnRandomArrivals) {
  std::uint64_t conforming = 0, cells = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    RandomStream random(seed, "gcra");
    const auto increment = static_cast<std::int64_t>(1 + random.below(3000));
    const auto limit = static_cast<std::int64_t>(random.below(5000));
    Gcra scheduling(increment, limit);
    LeakyBucket bucket{increment, limit};
    std::int64_t now = 0;
    for (int cell = 0; cell < 200; ++cell, ++cells) {
      now += static_cast<std::int64_t>(random.below(random.chance(0.1) ? 10'000 : 1500));
      const bool conforms = scheduling.conforms(now);
      ASSERT_EQ(conforms, bucket.takes(now)) << "seed " << seed << ", cell " << cell;
      if (conforms) scheduling.take(now);
      conforming += conforms ? 1 : 0;
    }
  }
  EXPECT_GT(conforming, cells / 10);
  EXPECT_LT(conforming, cells * 9 / 10);
}

RateContract bursts_of_five() {
  RateContract contract;
  contract.peak = 1e6;         // a cell in 1 us
  contract.sustainable = 1e5;  // a cell in 10 us
  contract.burst = 5;
  return contract;
}

// Five cells at the peak rate, the burst that was agreed on, and from then on one in 10 us.
TEST(Gcra, AShapedSourceSendsABurstAtThePeakRateAndThenTheSustainableRate) {
  Shaper shaper(bursts_of_five());
  std::vector<std::int64_t> went;
  for (int cell = 0; cell < 8; ++cell) {
    went.push_back(shaper.next());
    shaper.send(went.back());
  }
  EXPECT_EQ(went, (std::vector<std::int64_t>{0, 1'000'000, 2'000'000, 3'000'000, 4'000'000, 14'000'000,
                                             24'000'000, 34'000'000}));
}

TEST(Gcra, ACellThatDoesNotConformChangesNothing) {
  RateConformance conformance(bursts_of_five());
  for (const std::int64_t at : {0, 1'000'000, 2'000'000, 3'000'000, 4'000'000}) {
    ASSERT_TRUE(conformance.conforms(at));
    conformance.take(at);
  }
  for (std::int64_t at = 5'000'000; at < 14'000'000; at += 1'000'000) EXPECT_FALSE(conformance.conforms(at));
  EXPECT_TRUE(conformance.conforms(14'000'000));
}

TEST(Gcra, RefusesContractsThatNobodyCanKeep) {
  RateContract contract = bursts_of_five();
  contract.sustainable = 2e6;
  EXPECT_THROW(RateConformance{contract}, Error);
  contract = bursts_of_five();
  contract.burst = 0;
  EXPECT_THROW(RateConformance{contract}, Error);
}

// 2^17 (1 + 127/512) = 163,584 is the largest rate of the form that a link of 155.52 Mb/s and 366,792 cells a
// second has below 163,800: the next one is 163,840.
TEST(CellRate, IsTheLargestOfItsFormThatIsNotAbove) {
  EXPECT_EQ(decode_rate(encode_rate(163'800)), 163'584);
  EXPECT_EQ(decode_rate(encode_rate(163'840)), 163'840);
  EXPECT_EQ(decode_rate(encode_rate(0.9)), 0);
  EXPECT_EQ(decode_rate(encode_rate(1)), 1);
  // The figure's fields: one reserved bit, nz, five of exponent, nine of mantissa.
  EXPECT_EQ(encode_rate(1), 0x4000);
  EXPECT_EQ(encode_rate(3), 0x4000 | 1 << 9 | 256);
}

}  // namespace
}  // namespace morgana::testing
