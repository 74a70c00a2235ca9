#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/network/atm/run_queue.h"

namespace morgana::atm {

/// A switch's inputs and the cells that wait there. Inputs where something waits stand in a heap by the time
/// at which their first cell is offered, so that an input without traffic costs nothing.
class Inputs {
 public:
  explicit Inputs(std::size_t count) : queues_(count) {}

  bool empty() const { return heap_.empty(); }
  /// The input whose first cell is offered next; of two at the same time the one with the lower number. There
  /// must be one, as for `next_at` and `pop`.
  RunQueue& next() { return queues_[heap_.front().input]; }
  std::int64_t next_at() const { return heap_.front().at; }
  /// When the first cell of any other input is offered; `none` if there is no other.
  std::int64_t other_at(std::int64_t none) const {
    std::int64_t at = heap_.size() > 1 ? heap_[1].at : none;
    if (heap_.size() > 2 && heap_[2].at < at) at = heap_[2].at;
    return at;
  }

  /// Cells that come after all that wait at the input.
  void push(std::uint32_t input, std::int64_t at, std::int64_t pitch, std::uint32_t count,
            std::uint32_t train, std::uint32_t index, Hop* hop) {
    RunQueue& queue = queues_[input];
    const bool first = queue.empty();
    queue.push(at, pitch, count, train, index, hop);
    if (first) rise({at, input});
  }
  void push(std::uint32_t input, const CellRun& run) {
    push(input, run.at, run.pitch, run.count, run.train, run.index, run.hop);
  }
  void push(std::uint32_t input, const GappedRun& run) {
    RunQueue& queue = queues_[input];
    const bool first = queue.empty();
    queue.push(run);
    if (first) rise({run.at, input});
  }
  /// The same of one train, which come so long after they left at any distance.
  void push(std::uint32_t input, const std::int64_t* departures, std::int64_t distance, std::uint32_t count,
            std::uint32_t train, std::uint32_t index, Hop* hop) {
    RunQueue& queue = queues_[input];
    const bool first = queue.empty();
    queue.push(departures, distance, count, train, index, hop);
    if (first) rise({departures[0] + distance, input});
  }
  /// To be called when cells of `next()` have been taken.
  void taken() {
    const std::uint32_t input = heap_.front().input;
    const RunQueue& queue = queues_[input];
    if (!queue.empty()) return sink({queue.front().at, input});
    const Waiting last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
  }

 private:
  struct Waiting {
    std::int64_t at;
    std::uint32_t input;
    bool operator<(const Waiting& other) const {
      return at < other.at || (at == other.at && input < other.input);
    }
  };

  void rise(const Waiting& one) {
    std::size_t place = heap_.size();
    heap_.push_back(one);
    for (; place > 0 && one < heap_[(place - 1) / 2]; place = (place - 1) / 2)
      heap_[place] = heap_[(place - 1) / 2];
    heap_[place] = one;
  }
  /// Takes the place of the first.
  void sink(const Waiting& one) {
    std::size_t place = 0;
    while (true) {
      std::size_t child = 2 * place + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
      if (!(heap_[child] < one)) break;
      heap_[place] = heap_[child];
      place = child;
    }
    heap_[place] = one;
  }

  std::vector<RunQueue> queues_;
  std::vector<Waiting> heap_;
};

}  // namespace morgana::atm
