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

TEST(Readable, RatiosHaveThreeDigitsAndNoExponent) {
  EXPECT_EQ(readable_ratio(1), "1.00");
  EXPECT_EQ(readable_ratio(1.3749), "1.37");
  EXPECT_EQ(readable_ratio(9.996), "10.0");
  EXPECT_EQ(readable_ratio(123.4), "123");
  EXPECT_EQ(readable_ratio(1390.2), "1390");
  EXPECT_EQ(readable_ratio(0.5), "0.500");
  EXPECT_EQ(readable_ratio(0.0918), "0.0918");
  EXPECT_EQ(readable_ratio(0.051), "0.0510");
  EXPECT_EQ(readable_ratio(0.00457), "0.00457");
  EXPECT_EQ(readable_ratio(0), "0");
}

TEST(Readable, NumbersHaveNoExponentAsLongAsTheyCanBeRead) {
  EXPECT_EQ(readable_number(1.5), "1.5");
  EXPECT_EQ(readable_number(11834.4), "11834");
  EXPECT_EQ(readable_number(1390, 3), "1390");
  EXPECT_EQ(readable_number(0.00002), "0.00002");
  EXPECT_EQ(readable_number(0.0000123456), "0.00001235");
  EXPECT_EQ(readable_number(-20000.6, 3), "-20001");
  EXPECT_EQ(readable_number(3e-9), "3e-09");
  EXPECT_EQ(readable_number(0), "0");
}

TEST(Readable, SharesArePercent) {
  EXPECT_EQ(readable_share(0.1234), "12.3 %");
  EXPECT_EQ(readable_difference(0.1234), "+12.3 %");
  EXPECT_EQ(readable_difference(-0.0006), "-0.1 %");
  EXPECT_EQ(readable_difference(-0.0004), "0.0 %");
}

}  // namespace
}  // namespace morgana
