#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

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
  bool empty() const { return head_ == runs_.size(); }
  Run& front() { return runs_[head_]; }
  const Run& front() const { return runs_[head_]; }
  void pop_front() {
    if (++head_ == runs_.size()) {
      runs_.clear();
      head_ = 0;
    } else if (head_ >= 64 && 2 * head_ >= runs_.size()) {
      runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }
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

 private:
  std::vector<Run> runs_;
  std::size_t head_ = 0;
};

}  // namespace morgana::atm
