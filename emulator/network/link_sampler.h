#pragma once

#include <cstddef>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/link_history.h"
#include "emulator/network/diagnostics.h"

namespace morgana {

/// Looks at a network's links at equal distances of simulated time while a run goes on, and changes nothing.
/// How long that is going on nobody knows: where there are too many samples every second one is dropped, and
/// the distance doubles.
class LinkSampler final : private EventHandler {
 public:
  /// Both must outlive the run. @param first  distance to begin with, > 0
  /// @param most  of the samples, even
  LinkSampler(EventQueue& events, NetworkDiagnostics& network, SimTime first = SimTime::from_ps(1'000'000),
              std::size_t most = 512);
  /// The run has ended, not before the last sample.
  void close(SimTime end);
  /// After close(). @return at least half of `most` windows, unless the run was shorter
  const LinkHistory& history() const { return history_; }

 private:
  struct Sample {  // since time 0
    SimTime at;
    std::vector<double> busy, stopped;  // picoseconds, by link
    std::vector<SimTime> queued;        // at that moment
  };
  void handle(std::uint64_t) override;
  Sample sample(SimTime at, const NetworkLinks& links) const;

  EventQueue& events_;
  NetworkDiagnostics& network_;
  SimTime distance_;
  std::size_t most_;
  bool closed_ = false;
  std::vector<Sample> samples_;
  LinkHistory history_;
};

}  // namespace morgana
