#include "emulator/core/time.h"

#include <gtest/gtest.h>

namespace morgana {
namespace {
using namespace literals;

TEST(SimTime, UnitsAreThousandsOfEachOther) {
  EXPECT_EQ((1_ps).ps(), 1);
  EXPECT_EQ(1000_ps, 1_ns);
  EXPECT_EQ(1000_ns, 1_us);
  EXPECT_EQ(1000_us, 1_ms);
  EXPECT_EQ(1000_ms, 1_s);
}

TEST(SimTime, SecondsAreRoundedToTheNearestPicosecond) {
  EXPECT_EQ(SimTime::from_seconds(1.4e-12), 1_ps);
  EXPECT_EQ(SimTime::from_seconds(1.6e-12), 2_ps);
  EXPECT_EQ(SimTime::from_seconds(-1.6e-12), 0_ps - 2_ps);
  EXPECT_EQ(SimTime::from_seconds(2.726337e-6), 2'726'337_ps);
  EXPECT_DOUBLE_EQ((1500_ms).seconds(), 1.5);
}

TEST(SimTime, Computes) {
  EXPECT_EQ(3_us + 500_ns, 3500_ns);
  EXPECT_EQ(3_us - 500_ns, 2500_ns);
  EXPECT_EQ(3 * 2_us, 6_us);
  EXPECT_EQ(2_us * 3, 6_us);
  EXPECT_EQ(10_us / 3_us, 3);
  EXPECT_LT(1_ns, 1001_ps);
  EXPECT_LT(9'000'000_s, SimTime::max());
}

}  // namespace
}  // namespace morgana
