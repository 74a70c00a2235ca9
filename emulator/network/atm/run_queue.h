#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <deque>

namespace morgana::atm {

struct Hop;

/// Cells of one train that follow each other at a constant pitch.
struct CellRun {
  std::int64_t at;      ///< of the first, in picoseconds
  std::int64_t pitch;   ///< > 0; meaningless for one cell
  std::uint32_t count;  ///< > 0
  std::uint32_t train;
  std::uint32_t index;  ///< of the first in its train
  Hop* hop;             ///< the switch at which they wait, on their connection's path
  std::int64_t last() const { return at + (count - 1) * pitch; }
  void skip(std::uint32_t cells) {
    at += cells * pitch;
    index += cells;
    count -= cells;
  }
};

/// As std::popcount, which is a call where the compiler may not rely on the processor's instruction.
inline std::uint32_t bits_set(std::uint64_t word) {
  word -= word >> 1 & 0x5555'5555'5555'5555;
  word = (word & 0x3333'3333'3333'3333) + (word >> 2 & 0x3333'3333'3333'3333);
  word = (word + (word >> 4)) & 0x0f0f'0f0f'0f0f'0f0f;
  return static_cast<std::uint32_t>(word * 0x0101'0101'0101'0101 >> 56);
}

/// A run and more of its train that come at the same pitch, but with gaps: what is left of an output's cells
/// without those of others. It needs no more memory and hardly more work than a run without gaps.
struct GappedRun : CellRun {
  static constexpr std::uint32_t most_places = 64;  ///< from its first cell to the last, if there are gaps
  /// Bit i: a cell comes i pitches after what would be the run's next cell; so the first bit is not set. 0:
  /// no cell does, and the run may be of any length.
  std::uint64_t later = 0;

  std::int64_t last_of_all() const {
    return later == 0 ? last() : at + (count + static_cast<std::int64_t>(std::bit_width(later)) - 1) * pitch;
  }
  std::uint32_t all_cells() const { return later == 0 ? count : count + bits_set(later); }
  /// When the run's cells have been taken: the next one takes its place. @return whether there is one
  bool go_on() {
    if (later == 0) return false;
    const int gap = std::countr_zero(later);
    at += gap * pitch;
    later >>= gap;
    count = static_cast<std::uint32_t>(std::countr_one(later));
    later >>= count;
    return true;
  }
};

/// Runs in order of time: what waits at an input.
class RunQueue {
 public:
  bool empty() const { return runs_.empty(); }
  GappedRun& front() { return runs_.front(); }
  const GappedRun& front() const { return runs_.front(); }
  auto begin() const { return runs_.begin(); }
  auto end() const { return runs_.end(); }
  /// To be called when the first run's cells have been taken.
  void pop_front() {
    if (!front().go_on()) runs_.pop_front();
  }
  void push(const CellRun& run) { push(run.at, run.pitch, run.count, run.train, run.index, run.hop); }
  void push(const GappedRun& run) {
    if (run.later == 0) return push(static_cast<const CellRun&>(run));
    assert(empty() || runs_.back().last_of_all() < run.at);
    runs_.push_back(run);
  }
  /// Adds to the last run if they go on with it.
  void push(std::int64_t at, std::int64_t pitch, std::uint32_t count, std::uint32_t train,
            std::uint32_t index, Hop* hop) {
    if (!empty()) {
      GappedRun& last = runs_.back();
      assert(last.last_of_all() < at);
      if (last.train == train && last.index + last.count == index && last.later == 0) {
        const std::int64_t distance = at - last.last();
        if ((last.count == 1 || last.pitch == distance) && (count == 1 || pitch == distance)) {
          last.pitch = distance;
          last.count += count;
          return;
        }
      }
    }
    runs_.push_back({{at, pitch, count, train, index, hop}});
  }
  /// Adds cells at any distance, `later` than these times: two of them always make a run.
  void push(const std::int64_t* times, std::int64_t later, std::uint32_t count, std::uint32_t train,
            std::uint32_t index, Hop* hop) {
    for (std::uint32_t begin = 0, end = 0; begin < count; begin = end) {
      end = begin + 1;
      const std::int64_t pitch = end < count ? times[end] - times[begin] : 1;
      while (end < count && times[end] - times[end - 1] == pitch) ++end;
      push(times[begin] + later, pitch, end - begin, train, index + begin, hop);
    }
  }
  /// `copy_times` may write so many more times than it is asked for: runs are short, so it takes steps of
  /// four.
  static constexpr std::uint32_t copied_beyond = 4;
  /// Copies the times of the cells that go on with the first one, in its train and its run or later ones, and
  /// come before `limit`, as the first does. @return how many there are, at most `most`, which is > 0
  std::uint32_t copy_times(std::int64_t limit, std::uint32_t most, std::int64_t* times) const {
    const std::uint32_t train = front().train, index = front().index;
    std::uint32_t count = 0;
    for (const GappedRun& waiting : runs_) {
      if (count == most || waiting.at >= limit || waiting.train != train || waiting.index != index + count)
        break;
      GappedRun run = waiting;
      do {
        const std::uint32_t end = std::min(most, count + run.count);
        for (std::int64_t at = run.at; count < end; count += 4, at += 4 * run.pitch)
          for (std::uint32_t cell = 0; cell < 4; ++cell) times[count + cell] = at + cell * run.pitch;
        count = end;
        run.at += run.count * run.pitch;
      } while (count < most && run.go_on());
    }
    while (times[count - 1] >= limit) --count;
    return count;
  }
  void skip_one() {
    front().skip(1);
    if (front().count == 0) pop_front();
  }
  /// Takes the first cells away; there must be so many.
  void skip(std::uint32_t cells) {
    while (cells > 0) {
      if (const std::uint32_t all = front().all_cells(); all <= cells) {
        runs_.pop_front();
        cells -= all;
        continue;
      }
      const std::uint32_t taken = std::min(cells, front().count);
      front().skip(taken);
      if (front().count == 0) pop_front();
      cells -= taken;
    }
  }

 private:
  std::deque<GappedRun> runs_;
};

}  // namespace morgana::atm
