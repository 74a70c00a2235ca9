#include "traces/otf2/trace_requests.h"

#include <gtest/gtest.h>

#include <map>

#include "emulator/core/random.h"

namespace morgana {
namespace {

TEST(TraceRequests, RefusesARequestThatIsPending) {
  TraceRequests<int> table;
  EXPECT_TRUE(table.insert(5, 1));
  EXPECT_FALSE(table.insert(5, 2));
  EXPECT_EQ(*table.find(5), 1);
}

TEST(TraceRequests, ForgetsWhatIsErased) {
  TraceRequests<int> table;
  EXPECT_FALSE(table.erase(5));
  table.insert(5, 1);
  EXPECT_TRUE(table.erase(5));
  EXPECT_EQ(table.find(5), nullptr);
  EXPECT_EQ(table.size(), 0U);
}

TEST(TraceRequests, HoldsWhatAMapHolds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomStream random(seed, "requests");
    TraceRequests<std::uint64_t> table;
    std::map<std::uint64_t, std::uint64_t> map;
    const std::uint64_t numbers = 1 + random.below(300);
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t request = random.below(numbers) << random.below(3) * 20;
      if (random.chance(0.5)) {
        EXPECT_EQ(table.insert(request, static_cast<std::uint64_t>(i)), map.emplace(request, i).second);
      } else {
        EXPECT_EQ(table.erase(request), map.erase(request) == 1);
      }
      EXPECT_EQ(table.size(), map.size());
    }
    for (std::uint64_t shift = 0; shift < 3; ++shift)
      for (std::uint64_t number = 0; number < numbers; ++number) {
        const auto expected = map.find(number << shift * 20);
        const std::uint64_t* found = table.find(number << shift * 20);
        ASSERT_EQ(found != nullptr, expected != map.end());
        if (found != nullptr) {
          EXPECT_EQ(*found, expected->second);
        }
      }
  }
}

}  // namespace
}  // namespace morgana
