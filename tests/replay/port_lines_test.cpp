#include "replay/port_lines.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emulator/core/random.h"

namespace morgana {
namespace {

using Key = std::pair<std::int32_t, std::int32_t>;

/// The table beside a map, and the keys that it does not hold itself.
struct Waiting {
  PortLines lines;
  std::map<Key, std::uint32_t> expected;
  std::vector<Key> key_of;  ///< by item

  PortLines::Entry* find(const Key& key) {
    return lines.find(PortLines::hash(Rank{key.first}, Tag{key.second}),
                      [&](const PortLines::Entry& entry) { return key_of[entry.item] == key; });
  }
  void add(const Key& key) {
    const auto item = static_cast<std::uint32_t>(key_of.size());
    key_of.push_back(key);
    expected[key] = item;
    lines.add(PortLines::hash(Rank{key.first}, Tag{key.second}), PortLines::Kind::receive, item);
  }
};

// It grows to several hundred entries and shrinks to none, five times; erasing moves what stands behind.
TEST(PortLines, HoldWhatAMapHolds) {
  RandomStream random(1, "lines");
  Waiting waiting;
  for (int step = 0; step < 20'000; ++step) {
    const bool grows = step % 4000 < 2000;
    const Key key{static_cast<std::int32_t>(random.below(8)), static_cast<std::int32_t>(random.below(200))};
    PortLines::Entry* const found = waiting.find(key);
    const auto expected = waiting.expected.find(key);
    ASSERT_EQ(found != nullptr, expected != waiting.expected.end()) << step;
    if (found == nullptr) {
      if (grows || random.below(8) == 0) waiting.add(key);
      continue;
    }
    ASSERT_EQ(found->item, expected->second) << step;
    ASSERT_EQ(found->kind(), PortLines::Kind::receive) << step;
    if (grows && random.below(4) > 0) continue;
    waiting.lines.erase(found);
    waiting.expected.erase(expected);
  }
  std::map<Key, std::uint32_t> held;
  waiting.lines.each([&](const PortLines::Entry& entry) { held[waiting.key_of[entry.item]] = entry.item; });
  EXPECT_EQ(held, waiting.expected);
}

TEST(PortLines, AnEntryKeepsItsPlaceWhenItBecomesSeveral) {
  Waiting waiting;
  waiting.add({0, 7});
  waiting.find({0, 7})->set(PortLines::Kind::several, 0);
  EXPECT_EQ(waiting.find({0, 7})->kind(), PortLines::Kind::several);
  waiting.lines.clear();
  EXPECT_EQ(waiting.find({0, 7}), nullptr);
}

}  // namespace
}  // namespace morgana
