#include "emulator/transport/arrived_prefix.h"

#include <gtest/gtest.h>

#include <vector>

#include "emulator/core/random.h"

namespace morgana::testing {
namespace {
using namespace literals;

TEST(ArrivedPrefix, GrowsWithEachFrameInOrder) {
  ArrivedPrefix arrived;
  EXPECT_EQ(arrived.prefix(), 0_B);
  EXPECT_TRUE(arrived.add(0_B, 48_B));
  EXPECT_TRUE(arrived.add(48_B, 96_B));
  EXPECT_EQ(arrived.prefix(), 96_B);
}

TEST(ArrivedPrefix, WaitsForTheFrameThatIsMissing) {
  ArrivedPrefix arrived;
  EXPECT_FALSE(arrived.add(48_B, 96_B));
  EXPECT_FALSE(arrived.add(144_B, 192_B));
  EXPECT_EQ(arrived.prefix(), 0_B);
  EXPECT_TRUE(arrived.add(0_B, 48_B));
  EXPECT_EQ(arrived.prefix(), 96_B);
  EXPECT_TRUE(arrived.add(96_B, 144_B));
  EXPECT_EQ(arrived.prefix(), 192_B);
}

TEST(ArrivedPrefix, DoesNotGrowWithAFrameThatComesAgain) {
  ArrivedPrefix arrived;
  arrived.add(0_B, 48_B);
  EXPECT_FALSE(arrived.add(0_B, 48_B));
  EXPECT_FALSE(arrived.add(10_B, 40_B));
  EXPECT_EQ(arrived.prefix(), 48_B);
}

TEST(ArrivedPrefix, IsWhatAMapOfEveryByteSays) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomStream random(seed, "frames");
    ArrivedPrefix arrived;
    std::vector<bool> there(200, false);
    for (int frame = 0; frame < 60; ++frame) {
      const std::uint64_t begin = random.below(there.size());
      const std::uint64_t end = begin + random.below(std::min<std::uint64_t>(20, there.size() - begin) + 1);
      std::fill(there.begin() + static_cast<std::ptrdiff_t>(begin),
                there.begin() + static_cast<std::ptrdiff_t>(end), true);
      const Bytes before = arrived.prefix();
      const auto expected = std::find(there.begin(), there.end(), false) - there.begin();
      EXPECT_EQ(arrived.add(Bytes(static_cast<std::int64_t>(begin)), Bytes(static_cast<std::int64_t>(end))),
                Bytes(expected) > before);
      ASSERT_EQ(arrived.prefix(), Bytes(expected));
    }
  }
}

}  // namespace
}  // namespace morgana::testing
