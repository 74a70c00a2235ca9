#include "pvmshim/clock/time_of_day.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <climits>
#include <optional>

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

TEST(TimeOfDay, AddsTimeToWhereAClockStarts) {
  const timespec fine = timespec_of(1_s + 600_ms, {7, 500'000'000});
  EXPECT_EQ(fine.tv_sec, 9);
  EXPECT_EQ(fine.tv_nsec, 100'000'000);
  const timeval coarse = timeval_of(1_s + 600_ms, {7, 500'000});
  EXPECT_EQ(coarse.tv_sec, 9);
  EXPECT_EQ(coarse.tv_usec, 100'000);
  EXPECT_EQ(point_of(fine, {7, 500'000'000}), 1_s + 600_ms);
  EXPECT_EQ(point_of({7, 0}, {7, 500'000'000}), SimTime());  // long ago
}

timespec real_time_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now;
}

bool operator<=(const timespec& a, const timespec& b) {
  return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec <= b.tv_nsec);
}

/// A process starts its clocks once: what a child of this one finds. Exits with 0 if `holds`.
template <typename Check>
void expect_in_child(const Check& holds) {
  EXPECT_EXIT(_exit(holds() ? 0 : 1), testing::ExitedWithCode(0), "");
}

ChannelSettings day_77() {
  ChannelSettings settings;
  settings.epoch_s = 77;
  return settings;
}

bool starts_at(clockid_t clock, std::int64_t seconds) {
  const auto start = start_of_clock(clock);
  return start && start->tv_sec == seconds && start->tv_nsec == 0;
}

TEST(TimeOfDay, StartsClocksInFixedSecondsIfNobodyHasReadThem) {
  expect_in_child([] {
    start_clocks(day_77(), SimTime());
    return !real_clocks_were_read() && starts_at(CLOCK_REALTIME, 77) &&
           starts_at(CLOCK_MONOTONIC, monotonic_start_s) && starts_at(CLOCK_PROCESS_CPUTIME_ID, 0) &&
           start_of_user_time().tv_usec == 0;
  });
}

TEST(TimeOfDay, LetsTheKindOfClockGoOnThatTheProgramHasRead) {
  expect_in_child([] {
    note_real_reading(ClockKind::steady, reinterpret_cast<const void*>(&day_77));
    const timespec before = real_time_of(CLOCK_MONOTONIC);
    start_clocks(day_77(), SimTime());
    const auto start = start_of_clock(CLOCK_MONOTONIC);
    return real_clocks_were_read() && before <= *start && *start <= real_time_of(CLOCK_MONOTONIC) &&
           starts_at(CLOCK_REALTIME, 77) && starts_at(CLOCK_PROCESS_CPUTIME_ID, 0);
  });
}

TEST(TimeOfDay, CountsFromSimulatedTimeZeroWhoeverBeginsLater) {
  expect_in_child([] {
    note_real_reading(ClockKind::wall, reinterpret_cast<const void*>(&day_77));
    const timespec before = real_time_of(CLOCK_REALTIME);
    start_clocks(day_77(), 5_s);
    const timespec shown = timespec_of(5_s, *start_of_clock(CLOCK_REALTIME));
    return before <= shown && shown <= real_time_of(CLOCK_REALTIME);
  });
}

TEST(TimeOfDay, JumpsToADateThatIsChosen) {
  expect_in_child([] {
    note_real_reading(ClockKind::wall, reinterpret_cast<const void*>(&day_77));
    note_real_reading(ClockKind::processor, reinterpret_cast<const void*>(&day_77));
    ChannelSettings settings;
    settings.choose_date(77);
    start_clocks(settings, SimTime());
    return starts_at(CLOCK_REALTIME, 77) && !starts_at(CLOCK_PROCESS_CPUTIME_ID, 0);
  });
}

TEST(TimeOfDay, LeavesClocksOfOtherThingsAlone) {
  EXPECT_EQ(kind_of_clock(CLOCK_REALTIME_ALARM), std::nullopt);
  EXPECT_EQ(kind_of_clock(-22), std::nullopt);  // some process's
  EXPECT_FALSE(start_of_clock(CLOCK_REALTIME_ALARM).has_value());
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
