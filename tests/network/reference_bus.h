#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/network/smp/shared_bus.h"
#include "tests/network/harness.h"

namespace morgana::testing {

/// A bus cycle by cycle: the oracle for SharedBus. In every cycle first the copies go on that have gone on by
/// then, each at its own time, and then the bus is granted, if it is free and somebody asks.
class ReferenceBus {
 public:
  ReferenceBus(const SharedBusParameters& parameters, std::size_t ports)
      : parameters_(parameters), processors_(ports) {}

  /// @param plan  sorted by time
  std::vector<Fate> run(const std::vector<Planned>& plan) {
    fates_.assign(plan.size(), {});
    std::size_t injected = 0;
    std::int64_t data_cycles = 0;
    while (data_cycles * parameters_.width.count() < parameters_.line.count()) ++data_cycles;
    std::int64_t free_cycle = 0;
    std::size_t last = 0;
    const std::int64_t cycle_ps = parameters_.cycle.ps();
    for (std::int64_t cycle = 0; injected < plan.size() || busy(); ++cycle) {
      const std::int64_t beat = cycle * cycle_ps;
      // What happens up to the beat, in order of time; ends of copies come before injections.
      for (;;) {
        const std::int64_t end = first_end();
        const std::int64_t arrival = injected < plan.size() ? plan[injected].at.ps() : never;
        if (std::min(end, arrival) > beat) break;
        if (end <= arrival) {
          end_copies(end, plan);
        } else {
          begin_or_queue(plan[injected].from, {injected, false}, plan[injected].bytes, arrival);
          ++injected;
        }
      }
      if (cycle < free_cycle) continue;
      for (std::size_t step = 1; step <= processors_.size(); ++step) {
        Processor& asking = processors_[(last + step) % processors_.size()];
        if (asking.copies.empty() || asking.lines_left == 0 || asking.ready > beat) continue;
        last = (last + step) % processors_.size();
        --asking.lines_left;
        asking.ready = beat + parameters_.miss * cycle_ps + parameters_.work.ps();
        free_cycle = cycle + data_cycles + parameters_.turnaround;
        break;
      }
    }
    return fates_;
  }

 private:
  static constexpr std::int64_t never = INT64_MAX;
  struct Copy {
    std::size_t unit;
    bool out;
  };
  struct Processor {
    std::deque<std::pair<Copy, std::int64_t>> copies;  // with their lines
    std::int64_t lines_left = 0;                       // of the first copy, not granted
    std::int64_t ready = 0;  // for the next line; with none left, when the copy has ended
  };

  bool busy() const {
    return std::any_of(processors_.begin(), processors_.end(),
                       [](const Processor& p) { return !p.copies.empty(); });
  }
  std::int64_t first_end() const {
    std::int64_t end = never;
    for (const Processor& p : processors_)
      if (!p.copies.empty() && p.lines_left == 0) end = std::min(end, p.ready);
    return end;
  }
  void begin_or_queue(std::size_t processor, Copy copy, std::int64_t bytes, std::int64_t now) {
    std::int64_t lines = 1;
    while (lines * parameters_.line.count() < bytes) ++lines;
    processors_[processor].copies.push_back({copy, lines});
    if (processors_[processor].copies.size() == 1) begin(processors_[processor], now);
  }
  static void begin(Processor& processor, std::int64_t now) {
    processor.lines_left = processor.copies.front().second;
    processor.ready = now;
  }
  void end_copies(std::int64_t now, const std::vector<Planned>& plan) {
    std::vector<std::size_t> ended;
    for (std::size_t p = 0; p < processors_.size(); ++p)
      if (!processors_[p].copies.empty() && processors_[p].lines_left == 0 && processors_[p].ready == now)
        ended.push_back(p);
    for (const std::size_t p : ended) {
      const Copy copy = processors_[p].copies.front().first;
      processors_[p].copies.pop_front();
      if (!processors_[p].copies.empty()) begin(processors_[p], now);
      if (copy.out) {
        fates_[copy.unit].delivered = SimTime::from_ps(now);
      } else {
        fates_[copy.unit].departed = SimTime::from_ps(now);
        begin_or_queue(plan[copy.unit].to, {copy.unit, true}, plan[copy.unit].bytes, now);
      }
    }
  }

  SharedBusParameters parameters_;
  std::vector<Processor> processors_;
  std::vector<Fate> fates_;
};

}  // namespace morgana::testing
