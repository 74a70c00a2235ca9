#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/counter_history.h"
#include "emulator/core/event_queue.h"
#include "emulator/messaging/machine.h"

namespace morgana {

/// Looks at what network and transport count of trouble (losses, repetitions, refusals, time-outs) at equal
/// distances of simulated time while a run goes on, and changes nothing. As LinkSampler does, it drops every
/// second sample and doubles the distance where there are too many.
class CounterSampler final : private EventHandler {
 public:
  /// The machine must outlive the run. @param first  distance to begin with, > 0
  /// @param most  of the samples, even
  explicit CounterSampler(Machine& machine, SimTime first = SimTime::from_ps(1'000'000),
                          std::size_t most = 512);
  /// The run has ended. @return what has been counted at all, by name
  std::vector<CounterHistory> close(SimTime end);

 private:
  using Counts = std::map<std::string, double>;
  struct Sample {
    SimTime at;
    Counts counts;
  };
  void handle(std::uint64_t) override;
  void take(SimTime at);

  Machine& machine_;
  SimTime distance_;
  std::size_t most_;
  bool closed_ = false;
  std::vector<Sample> samples_;
};

/// Counts by "TITLE: COLUMN" or "TITLE: ROW", those of one name added up.
std::map<std::string, double> by_name(std::span<const TroubleCount> troubles);

}  // namespace morgana
