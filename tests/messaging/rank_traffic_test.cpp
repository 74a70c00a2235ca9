#include "emulator/messaging/rank_traffic.h"

#include <gtest/gtest.h>

#include "emulator/core/units.h"

namespace morgana {
namespace {

using namespace literals;

TEST(RankTraffic, AddsUpByPairAndDirection) {
  RankTraffic traffic;
  traffic.add(Rank{1}, Rank{0}, 5_B);
  traffic.add(Rank{0}, Rank{1}, 7_B);
  traffic.add(Rank{1}, Rank{0}, 0_B);
  const std::vector<RankTraffic::Pair> pairs = traffic.pairs();
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].from, Rank{0});
  EXPECT_EQ(pairs[0].traffic.bytes, 7_B);
  EXPECT_EQ(pairs[1].to, Rank{0});
  EXPECT_EQ(pairs[1].traffic.messages, 2u);
  EXPECT_EQ(pairs[1].traffic.bytes, 5_B);
  EXPECT_EQ(traffic.sizes()[0], 1);
  EXPECT_EQ(traffic.sizes()[3], 2);  // 4 to 7 B
  EXPECT_EQ(traffic.sizes()[4], 0);
}

// Thousands of senders to the same few receivers: a table that told them apart by the receiver alone would
// grow without end.
TEST(RankTraffic, TakesManyPairs) {
  RankTraffic traffic;
  for (std::int32_t from = 0; from < 8192; ++from)
    for (std::int32_t step = 1; step <= 6; ++step)
      traffic.add(Rank{from}, Rank{(from + step * 256) % 8192}, Bytes(step));
  const std::vector<RankTraffic::Pair> pairs = traffic.pairs();
  ASSERT_EQ(pairs.size(), 6u * 8192u);
  for (const RankTraffic::Pair& pair : pairs)
    EXPECT_EQ(pair.traffic.bytes.count() * 256,
              (static_cast<int>(pair.to) - static_cast<int>(pair.from) + 8192) % 8192);
}

}  // namespace
}  // namespace morgana
