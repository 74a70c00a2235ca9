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
  /// Adds to the last run if it goes on with it.
  void push(const Run& run) {
    if (!empty()) {
      Run& last = runs_.back();
      assert(last.last() < run.at);
      if (last.train == run.train && last.index + last.count == run.index) {
        const std::int64_t pitch = run.at - last.last();
        if ((last.count == 1 || last.pitch == pitch) && (run.count == 1 || run.pitch == pitch)) {
          last.pitch = pitch;
          last.count += run.count;
          return;
        }
      }
    }
    runs_.push_back(run);
  }

 private:
  std::vector<Run> runs_;
  std::size_t head_ = 0;
};

}  // namespace morgana::atm
