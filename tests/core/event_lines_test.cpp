#include "emulator/core/event_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/core/random.h"
#include "tests/support/effort.h"

namespace morgana {
namespace {

constexpr SimTime cable = SimTime::from_ps(49'200);

Event event(SimTime at, std::uint64_t order) {
  return {at, order, nullptr, order};
}

TEST(EventLines, HaveOneForADelayThatComesAgain) {
  EventLines lines;
  EXPECT_FALSE(lines.append(event(cable, 1), cable, 0));
  EXPECT_TRUE(lines.empty());
  EXPECT_TRUE(lines.append(event(cable, 2), cable, 0));
  EXPECT_TRUE(lines.append(event(2 * cable, 3), cable, 0));
  EXPECT_EQ(lines.take_first().order, 2U);
  EXPECT_EQ(lines.take_first().order, 3U);
  EXPECT_TRUE(lines.empty());
}

TEST(EventLines, HaveNoneForDelaysThatComeOnce) {
  EventLines lines;
  for (std::int64_t i = 1; i <= 1000; ++i)
    EXPECT_FALSE(lines.append(event(i * cable, static_cast<std::uint64_t>(i)), i * cable, 0));
}

TEST(EventLines, KeepSortsApart) {
  EventLines lines;
  constexpr unsigned late = 1;
  for (std::uint64_t i = 0; i < 2; ++i) {
    lines.append(event(cable, 10 + i), cable, late);
    lines.append(event(cable, i), cable, 0);
  }
  EXPECT_EQ(lines.take_first().order, 1U);
  EXPECT_EQ(lines.take_first().order, 11U);
  EXPECT_TRUE(lines.empty());
}

/// Starts of operations are ordered by rank, whoever came first.
TEST(EventLines, RefuseWhatComesBeforeTheLastOne) {
  EventLines lines;
  lines.append(event(cable, 5), cable, 0);
  EXPECT_TRUE(lines.append(event(cable, 5), cable, 0));
  EXPECT_FALSE(lines.append(event(cable, 4), cable, 0));
  EXPECT_TRUE(lines.append(event(cable, 6), cable, 0));
}

/// More delays than lines, and lines that grow while their first event is anywhere in the ring: what has got
/// into one comes out in order.
TEST(EventLines, GiveEventsInTheirOrderInRandomCases) {
  for (std::uint64_t seed = 1; seed <= random_cases(200); ++seed) {
    RandomStream random(seed, "event lines test");
    EventLines lines;
    std::vector<Event::Key> inside;
    SimTime now;
    std::size_t most = 0;
    for (std::uint64_t order = 0; order < 3000; ++order) {
      const std::uint64_t kinds = 1 + random.below(60);
      const SimTime delay = SimTime::from_ps(static_cast<std::int64_t>(random.below(kinds)) * 1000);
      const Event one = event(now + delay, order);
      if (lines.append(one, delay, 0)) inside.push_back(one.key());
      most = std::max(most, inside.size());
      while (!inside.empty() && random.chance(order < 2000 ? 0.4 : 0.6)) {
        const auto first = std::min_element(inside.begin(), inside.end());
        ASSERT_TRUE(lines.first_key() == *first) << "seed " << seed;
        inside.erase(first);
        now = lines.take_first().at;
        ASSERT_EQ(lines.empty(), inside.empty());
      }
    }
    EXPECT_GT(most, 32U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace morgana
