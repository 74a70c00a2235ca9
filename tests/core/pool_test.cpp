#include "emulator/core/pool.h"

#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "emulator/core/random.h"

namespace morgana {
namespace {

TEST(Pool, TakesTheLastNumberThatWasGivenBackFirst) {
  Pool<int> pool;
  EXPECT_EQ(pool.take(), 0U);
  EXPECT_EQ(pool.take(), 1U);
  EXPECT_EQ(pool.take(), 2U);
  pool.give_back(0);
  pool.give_back(2);
  EXPECT_EQ(pool.in_use(), 1U);
  EXPECT_EQ(pool.take(), 2U);
  EXPECT_EQ(pool.take(), 0U);
  EXPECT_EQ(pool.take(), 3U);
  EXPECT_EQ(pool.in_use(), 4U);
  EXPECT_EQ(pool.all().size(), 4U);
}

TEST(Pool, KeepsTheStorageOfWhatIsTakenAgain) {
  Pool<std::vector<int>> pool;
  const auto slot = pool.take({1, 2, 3});
  pool[slot].clear();
  const std::size_t capacity = pool[slot].capacity();
  pool.give_back(slot);
  EXPECT_EQ(pool[pool.take()].capacity(), capacity);
}

TEST(Pool, NeverHandsOutANumberTwice) {
  constexpr std::uint64_t seed = 3;
  RandomStream random(seed, "pool");
  Pool<std::string> pool;
  std::set<Pool<std::string>::Slot> used;
  for (int i = 0; i < 10'000; ++i) {
    if (used.empty() || random.below(5) < 3) {
      const auto slot = pool.take(std::to_string(i));
      EXPECT_TRUE(used.insert(slot).second);
    } else {
      auto any = used.begin();
      std::advance(any, static_cast<std::ptrdiff_t>(random.below(used.size())));
      pool.give_back(*any);
      used.erase(any);
    }
    ASSERT_EQ(pool.in_use(), used.size());
  }
}

}  // namespace
}  // namespace morgana
