#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/counter_history.h"
#include "emulator/messaging/counter_sampler.h"
#include "emulator/messaging/machine.h"
#include "traces/otf2/network_metrics.h"

namespace morgana {

/// A run's network, watched for its results and for its trace. Watching changes nothing.
class NetworkWatch {
 public:
  /// @param counters, links, over_time  as for NetworkAccount
  /// @param traced  whether metrics() will be asked for
  NetworkWatch(Machine& machine, bool counters, bool links, bool over_time, bool traced)
      : account_(machine, counters, links, over_time || traced) {
    if (traced) sampler_.emplace(machine);
  }
  /// All ranks have ended, the last one at `end`, as for NetworkAccount. The first time counts.
  void close(SimTime end);
  const NetworkAccount& account() const { return account_; }
  /// After close(): how busy the busiest links were, and whatever was lost, refused or sent again.
  NetworkMetrics metrics() const;

 private:
  NetworkAccount account_;
  std::optional<CounterSampler> sampler_;
  bool closed_ = false;
  std::vector<CounterHistory> counted_;
};

/// How busy the `most` busiest links were window by window, in percent, and how long what was queued for them
/// takes to be sent, in microseconds, wherever that changes.
std::vector<NetworkMetrics::Series> link_series(const LinkHistory& history, std::size_t most);

}  // namespace morgana
