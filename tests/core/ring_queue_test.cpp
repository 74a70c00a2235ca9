#include "emulator/core/ring_queue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "emulator/core/random.h"

namespace morgana {
namespace {

// Long strings, so that what is moved away shows. Lengths go up and down, so that the ring grows when its
// first item is anywhere.
TEST(RingQueue, HoldsWhatADequeHolds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomStream random(seed, "ring queue");
    RingQueue<std::string> ring;
    std::deque<std::string> expected;
    for (int step = 0; step < 3000; ++step) {
      const bool grows = step / 300 % 2 == 0;
      if (const std::uint64_t choice = random.below(100); choice == 0) {
        ring.clear();
        expected.clear();
      } else if (choice < (grows ? 60 : 40)) {
        const std::string text = fmt::format("a text that is too long to be in the string itself, {}", step);
        ring.push_back(text);
        expected.push_back(text);
      } else if (!expected.empty()) {
        ring.pop_front();
        expected.pop_front();
      }
      ASSERT_EQ(ring.size(), expected.size());
      ASSERT_EQ(ring.empty(), expected.empty());
      for (std::size_t place = 0; place < expected.size(); ++place) ASSERT_EQ(ring[place], expected[place]);
      if (!expected.empty()) {
        ASSERT_EQ(ring.front(), expected.front());
      }
    }
  }
}

}  // namespace
}  // namespace morgana
