#include "pvmshim/clock/side_by_side.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

namespace morgana {
namespace {

using namespace literals;

constexpr SimTime least_distance = 5_us, next_event = 1_ms;

/// What two ranks that poll at each other see of each other. Whoever gives way lets the other one run.
struct Pair {
  std::array<SimTime, 2> reached{};
  std::array<std::function<void()>, 2> run{};
  bool spoken = false;  ///< one has said something to the emulator
  std::uint64_t turns_given = 0;
};

struct End {
  Pair& pair;
  std::size_t self;

  void show_reached(SimTime clock) { pair.reached[self] = clock; }
  bool give_way(const Answer&, SimTime) {
    ++pair.turns_given;
    if (!pair.run[1 - self]) return false;
    pair.run[1 - self]();
    return true;
  }
  RankChannel::Quiet quiet(const Answer&) const {
    if (pair.spoken) return {};
    return {std::min(next_event, pair.reached[1 - self] + least_distance), next_event};
  }
};

Answer answered() {
  Answer answer;
  answer.computing.push_back({Rank{1}});
  return answer;
}

/// Rank 1 computes for `pause` before each poll, and is never answered later than where it is.
struct Poller {
  End end;
  SimTime pause, clock{};
  std::uint64_t polls = 0, asked = 0;

  /// Polls until `until`, or until it has to ask.
  void run_until(SimTime until) {
    const Answer answer = answered();
    while (clock + pause < until) {
      if (!others_let_it_go_on(end, answer, clock + pause)) {
        ++asked;
        return;
      }
      clock += pause + 100_ns;
      end.show_reached(clock);
      ++polls;
    }
  }
};

// Rank 0 gives way at its first poll, at 10 us; rank 1, which has come to 10 us too, sees that and goes on to
// 10.1 us, past what rank 0 waits for.
TEST(SideBySide, GoesOnWhenRanksComputeForLongerThanTheLeastDistanceBetweenPolls) {
  Pair pair;
  Poller first{{pair, 0}, 10_us}, second{{pair, 1}, 10_us};
  pair.run[1] = [&] { second.run_until(second.clock + 11_us); };
  first.run_until(500_us);
  // The last poll begins before 500 us: 10 + 10.1 n < 500 for n = 0 to 48.
  EXPECT_EQ(first.polls, 49U);
  EXPECT_EQ(first.asked + second.asked, 0U);
  EXPECT_LE(pair.turns_given, first.polls);
}

TEST(SideBySide, GivesNoTurnsForWhatOnlyTheEmulatorCanTell) {
  Pair pair;
  pair.reached[1] = 2_ms;
  End end{pair, 0};
  EXPECT_TRUE(others_let_it_go_on(end, answered(), next_event - 1_ps));
  EXPECT_FALSE(others_let_it_go_on(end, answered(), next_event));
  pair.spoken = true;
  EXPECT_FALSE(others_let_it_go_on(end, answered(), 1_ps));
  EXPECT_EQ(pair.turns_given, 0U);
}

TEST(SideBySide, IsNotPatientForEver) {
  Pair pair;
  End end{pair, 0};
  EXPECT_FALSE(others_let_it_go_on(end, answered(), 10_us));
  EXPECT_GT(pair.turns_given, 0U);
}

}  // namespace
}  // namespace morgana
