#include "emulator/network/atm/run_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <vector>

#include "emulator/core/random.h"
#include "tests/support/effort.h"

namespace morgana::atm {
namespace {

struct WaitingCell {
  std::int64_t at;
  std::uint32_t train, index;
};

/// How many of the cells go on with the first one, in its train, before a time; at most so many.
std::uint32_t that_go_on(const std::deque<WaitingCell>& cells, std::int64_t limit, std::uint32_t most) {
  std::uint32_t count = 0;
  while (count < std::min<std::size_t>(most, cells.size()) && cells[count].at < limit &&
         cells[count].train == cells[0].train && cells[count].index == cells[0].index + count)
    ++count;
  return count;
}

// Small distances, so that runs of all lengths come about; some cells of a train are missing.
TEST(RunQueue, GivesBackTheCellsThatWerePushedAtAnyDistance) {
  RandomStream random(1, "run queue");
  for (std::uint64_t round = 0; round < random_cases(300); ++round) {
    RunQueue queue;
    std::deque<WaitingCell> plain;
    std::int64_t now = 0;
    std::uint32_t train = 0, index = 0;
    for (int step = 0; step < 100; ++step) {
      if (random.below(4) == 0) ++train, index = 0;
      if (random.below(4) == 0) ++index;
      std::vector<std::int64_t> departures(1 + random.below(20));
      for (std::int64_t& at : departures) at = now += 1 + static_cast<std::int64_t>(random.below(3));
      const auto count = static_cast<std::uint32_t>(departures.size());
      queue.push(departures.data(), 7, count, train, index, nullptr);
      for (const std::int64_t at : departures) plain.push_back({at + 7, train, index++});
      if (random.below(2) == 0) {
        const std::uint64_t places = random.next() >> random.below(64) | 1;
        GappedRun run{{now + 8, 1 + static_cast<std::int64_t>(random.below(3)), 1, train, index, nullptr}};
        run.count = static_cast<std::uint32_t>(std::countr_one(places));
        run.later = run.count < 64 ? places >> run.count : 0;
        queue.push(run);
        for (int place = 0; place < 64; ++place)
          if (places >> place & 1) plain.push_back({run.at + place * run.pitch, train, index++});
        ASSERT_EQ(run.index + run.all_cells(), index);
        ASSERT_EQ(run.last_of_all(), plain.back().at);
        now = plain.back().at - 7;
      }

      while (!plain.empty() && random.below(3) > 0) {
        ASSERT_EQ(queue.front().at, plain.front().at);
        const std::int64_t limit = plain.front().at + 1 + static_cast<std::int64_t>(random.below(60));
        const auto most = static_cast<std::uint32_t>(1 + random.below(40));
        std::array<std::int64_t, 40 + RunQueue::copied_beyond> times{};
        const std::uint32_t copied = queue.copy_times(limit, most, times.data());
        ASSERT_EQ(copied, that_go_on(plain, limit, most));
        for (std::uint32_t cell = 0; cell < copied; ++cell) ASSERT_EQ(times[cell], plain[cell].at);
        const auto taken = static_cast<std::uint32_t>(1 + random.below(copied));
        queue.skip(taken);
        plain.erase(plain.begin(), plain.begin() + taken);
        ASSERT_EQ(queue.empty(), plain.empty());
      }
    }
  }
}

}  // namespace
}  // namespace morgana::atm
