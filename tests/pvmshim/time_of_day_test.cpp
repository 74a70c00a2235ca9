#include "pvmshim/clock/time_of_day.h"

#include <gtest/gtest.h>

#include <climits>

namespace morgana {
namespace {

using namespace literals;

TEST(TimeOfDay, SplitsTimeIntoSecondsAndTheirParts) {
  const timespec fine = timespec_of(3_s + 250_ms + 1_us + 999_ps);
  EXPECT_EQ(fine.tv_sec, 3);
  EXPECT_EQ(fine.tv_nsec, 250'001'000);
  const timeval coarse = timeval_of(3_s + 250_ms + 1_us + 999_ps);
  EXPECT_EQ(coarse.tv_sec, 3);
  EXPECT_EQ(coarse.tv_usec, 250'001);
}

TEST(TimeOfDay, StartsEachClockInItsSecond) {
  ChannelSettings settings;
  settings.epoch_s = 77;
  EXPECT_EQ(start_of_clock(CLOCK_REALTIME, settings), 77);
  EXPECT_EQ(start_of_clock(CLOCK_MONOTONIC, settings), monotonic_start_s);
  EXPECT_EQ(start_of_clock(CLOCK_PROCESS_CPUTIME_ID, settings), 0);
  EXPECT_EQ(timespec_of(1_s, 77).tv_sec, 78);
}

TEST(TimeOfDay, LeavesClocksOfOtherThingsAlone) {
  EXPECT_EQ(start_of_clock(CLOCK_REALTIME_ALARM, {}), std::nullopt);
  EXPECT_EQ(start_of_clock(-22, {}), std::nullopt);  // some process's
}

TEST(TimeOfDay, CutsOffSpansThatNoClockHolds) {
  EXPECT_EQ(time_of({5, 1}), 5_s + 1_ns);
  EXPECT_GT(time_of({LONG_MAX, 999'999'999}), 1'000'000 * 1_s);
}

TEST(TimeOfDay, KnowsSpansThatAreNone) {
  EXPECT_TRUE(is_valid({0, 0}));
  EXPECT_FALSE(is_valid({-1, 0}));
  EXPECT_FALSE(is_valid({0, 1'000'000'000}));
  EXPECT_FALSE(is_valid({0, -1}));
}

}  // namespace
}  // namespace morgana
