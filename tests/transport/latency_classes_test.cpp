#include "emulator/transport/latency_classes.h"

#include <gtest/gtest.h>

#include "emulator/core/units.h"

namespace morgana {
namespace {
using namespace literals;

TEST(LatencyClasses, BeginAtOneTwoAndFiveTimesPowersOfTen) {
  EXPECT_EQ(LatencyClasses::end(0), 1_us);
  EXPECT_EQ(LatencyClasses::end(1), 2_us);
  EXPECT_EQ(LatencyClasses::end(2), 5_us);
  EXPECT_EQ(LatencyClasses::end(3), 10_us);
  EXPECT_EQ(LatencyClasses::end(21), 10'000'000_us);
  EXPECT_EQ(LatencyClasses::end(22), SimTime::max());
}

// 3 us and 4 us are in the third class, a latency that is a class's end in the next one.
TEST(LatencyClasses, AreShownFromTheFirstThatHasMessagesToTheLast) {
  LatencyClasses one, other, silent;
  for (const SimTime latency : {3_us, 4_us, 5_us}) one.add(latency);
  other.add(60'000'000_us);
  const CounterTable table = latency_table(
      "latency",
      {{HostId{0}, HostId{1}, &one}, {HostId{1}, HostId{0}, &silent}, {HostId{2}, HostId{0}, &other}});
  ASSERT_EQ(table.columns.size(), 5U + 21U);
  EXPECT_EQ(table.columns[5].name, "< 5 us");
  EXPECT_EQ(table.columns.back().name, "longer");
  ASSERT_EQ(table.rows.size(), 2U);
  using Row = std::vector<CounterTable::Value>;
  EXPECT_EQ(
      Row(table.rows[0].begin(), table.rows[0].begin() + 7),
      (Row{std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, 4.0, 5.0, std::int64_t{2}, std::int64_t{1}}));
  EXPECT_EQ(std::get<std::int64_t>(table.rows[1].back()), 1);
}

}  // namespace
}  // namespace morgana
