#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <deque>

namespace morgana::atm {

struct Hop;

/// Cells of one train that follow each other at a constant pitch.
struct Run {
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

/// Runs in order of time: what waits at an input.
class RunQueue {
 public:
  bool empty() const { return runs_.empty(); }
  Run& front() { return runs_.front(); }
  const Run& front() const { return runs_.front(); }
  void pop_front() { runs_.pop_front(); }
  void push(const Run& run) { push(run.at, run.pitch, run.count, run.train, run.index, run.hop); }
  /// Adds to the last run if they go on with it.
  void push(std::int64_t at, std::int64_t pitch, std::uint32_t count, std::uint32_t train,
            std::uint32_t index, Hop* hop) {
    if (!empty()) {
      Run& last = runs_.back();
      assert(last.last() < at);
      if (last.train == train && last.index + last.count == index) {
        const std::int64_t distance = at - last.last();
        if ((last.count == 1 || last.pitch == distance) && (count == 1 || pitch == distance)) {
          last.pitch = distance;
          last.count += count;
          return;
        }
      }
    }
    runs_.push_back({at, pitch, count, train, index, hop});
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
    for (const Run& run : runs_) {
      if (count == most || run.at >= limit || run.train != train || run.index != index + count) break;
      const std::uint32_t end = std::min(most, count + run.count);
      for (std::int64_t at = run.at; count < end; count += 4, at += 4 * run.pitch)
        for (std::uint32_t cell = 0; cell < 4; ++cell) times[count + cell] = at + cell * run.pitch;
      count = end;
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
      const std::uint32_t taken = std::min(cells, front().count);
      front().skip(taken);
      if (front().count == 0) pop_front();
      cells -= taken;
    }
  }

 private:
  std::deque<Run> runs_;
};

}  // namespace morgana::atm
