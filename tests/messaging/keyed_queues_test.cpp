#include "emulator/messaging/keyed_queues.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>

#include "emulator/core/random.h"

namespace morgana {
namespace {

struct GoodHash {
  std::size_t operator()(int key) const { return static_cast<std::size_t>(key) * 0x9E3779B97F4A7C15; }
};
/// Many keys of one hash.
struct PoorHash {
  std::size_t operator()(int key) const { return static_cast<std::size_t>(key % 3); }
};

/// Items come and go, from the middle of lines too, and lines with them, from a few to hundreds.
template <class Hash>
void expect_what_lists_have(std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  using Queues = KeyedQueues<int, Hash>;
  struct Item {
    std::uint32_t item;
    typename Queues::Node node;
  };
  RandomStream random(seed, "keyed queues");
  Queues queues;
  std::map<int, std::list<Item>> expected;
  constexpr int keys = 400;
  for (std::uint32_t step = 0; step < 6000; ++step) {
    const int key = static_cast<int>(random.below(keys));
    std::list<Item>& line = expected[key];
    const bool grows = step / 1500 % 2 == 0;
    if (random.below(10) < (grows ? 7 : 3)) {
      line.push_back({step, queues.append(key, step, std::uint64_t{step} + 7)});
    } else if (!line.empty()) {
      auto taken = line.begin();
      std::advance(taken, static_cast<std::ptrdiff_t>(random.below(line.size())));
      queues.remove(taken->node);
      line.erase(taken);
    }
    for (const int looked_at : {key, static_cast<int>(random.below(keys))}) {
      const auto first = queues.first(looked_at);
      const std::list<Item>& items = expected[looked_at];
      if (items.empty()) {
        ASSERT_EQ(first, Queues::none);
        continue;
      }
      ASSERT_EQ(first, items.front().node);
      ASSERT_EQ(queues.item(first), items.front().item);
      ASSERT_EQ(queues.sequence(first), std::uint64_t{items.front().item} + 7);
    }
  }
  for (auto& [key, items] : expected)
    for (const Item& one : items) {
      ASSERT_EQ(queues.first(key), one.node);
      queues.remove(one.node);
    }
  for (int key = 0; key < keys; ++key) ASSERT_EQ(queues.first(key), Queues::none);
}

TEST(KeyedQueues, HaveTheOrderOfLists) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) expect_what_lists_have<GoodHash>(seed);
}

TEST(KeyedQueues, HaveTheOrderOfListsWhereHashesAreEqual) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) expect_what_lists_have<PoorHash>(seed);
}

}  // namespace
}  // namespace morgana
