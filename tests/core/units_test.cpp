#include "emulator/core/units.h"

#include <gtest/gtest.h>

namespace morgana {
namespace {
using namespace literals;

TEST(Bytes, Compute) {
  EXPECT_EQ(1_KiB, 1024_B);
  EXPECT_EQ(1_MiB, 1024 * 1_KiB);
  EXPECT_EQ(1_KiB - 24_B, 1000_B);
  EXPECT_LT(1_B, 2_B);
}

TEST(BitRate, GivesTheTimeOfAFrame) {
  EXPECT_EQ(BitRate(10'000'000).time_for(1526_B), 1'220'800_ns);
  EXPECT_EQ(BitRate(100'000'000).time_for_bits(512), 5120_ns);
}

TEST(BitRate, RoundsToTheNearestPicosecond) {
  EXPECT_EQ(BitRate(155'520'000).time_for(53_B), 2'726'337_ps);  // 2,726,337.4
  EXPECT_EQ(BitRate(3).time_for_bits(1), 333'333'333'333_ps);
  EXPECT_EQ(BitRate(3).time_for_bits(2), 666'666'666'667_ps);
}

TEST(BitRate, HoldsForLargeTransfers) {
  EXPECT_EQ(BitRate(8).time_for(Bytes(9'000'000)), 9'000'000_s);
}

TEST(ByteCost, RoundsToTheNearestPicosecond) {
  EXPECT_EQ(ByteCost::from_fs(333).time_for(1_B), 0_ps);
  EXPECT_EQ(ByteCost::from_fs(333).time_for(2_B), 1_ps);
  EXPECT_EQ(ByteCost::from_fs(333).time_for(1000_B), 333_ps);
  EXPECT_EQ(ByteCost::from_fs(10'000'000).time_for(1000_B), 10_us);
}

TEST(ByteCost, HoldsForLargeMessages) {
  EXPECT_EQ(ByteCost::from_fs(1'000'000'000).time_for(Bytes(1'000'000'000'000)), 1'000'000_s);
}

}  // namespace
}  // namespace morgana
