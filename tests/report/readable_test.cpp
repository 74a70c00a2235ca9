#include "emulator/report/readable.h"

#include <gtest/gtest.h>

namespace morgana {
namespace {

using namespace literals;

TEST(Readable, TimesHaveFourDigitsAndTheUnitThatSuits) {
  EXPECT_EQ(readable(1_s), "1.000 s");
  EXPECT_EQ(readable(12'345'678_ps), "12.35 us");
  EXPECT_EQ(readable(123'400_us), "123.4 ms");
  EXPECT_EQ(readable(2_ns), "2.000 ns");
  EXPECT_EQ(readable(7_ps), "7 ps");
  EXPECT_EQ(readable(SimTime()), "0 s");
  EXPECT_EQ(readable(12'345_s), "12345 s");
}

TEST(Readable, RoundingUpChangesTheUnitAndNotTheDigits) {
  EXPECT_EQ(readable(999'960_us), "1.000 s");
  EXPECT_EQ(readable(999'960'000_ps), "1.000 ms");
  EXPECT_EQ(readable(9'999'960_us), "10.00 s");
}

TEST(Readable, SizesGoInPowersOf1024) {
  EXPECT_EQ(readable(1023_B), "1023 B");
  EXPECT_EQ(readable(1_KiB), "1.000 KiB");
  EXPECT_EQ(readable(1536_KiB), "1.500 MiB");
}

TEST(Readable, SharesArePercent) {
  EXPECT_EQ(readable_share(0.1234), "12.3 %");
  EXPECT_EQ(readable_difference(0.1234), "+12.3 %");
  EXPECT_EQ(readable_difference(-0.0006), "-0.1 %");
  EXPECT_EQ(readable_difference(-0.0004), "0.0 %");
}

}  // namespace
}  // namespace morgana
