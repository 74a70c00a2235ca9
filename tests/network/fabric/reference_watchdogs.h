#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/topology/switch_graph.h"
#include "tests/network/fabric/reference_channels.h"
#include "tests/network/fabric/reference_fabric_switch.h"

namespace morgana::testing {

/// Since when pauses hold the queues of switches, and which of these are given up.
class ReferenceWatchdogs {
 public:
  using Queue = std::pair<SwitchPort, unsigned>;  ///< of an output and a group

  ReferenceWatchdogs(const SwitchGraph& graph, const fabric::FabricParameters& parameters)
      : graph_(graph), watchdog_(parameters.shared.watchdog), restore_(parameters.shared.restore) {
    if (parameters.flow_control != fabric::FlowControl::pause) watchdog_ = SimTime();
  }

  /// Looks at all queues. They are as they have become by what ends at this instant, or as they are at its
  /// end, when what is due at it has been done.
  /// @return those that are given up now: to be emptied
  std::vector<Queue> look(const std::vector<ReferenceSwitchState>& switches,
                          const ReferenceChannels& channels, SimTime now) {
    std::vector<Queue> given_up;
    if (watchdog_ == SimTime()) return given_up;
    for (SwitchId at = 0; at < switches.size(); ++at)
      for (const auto& [key, waiting] : switches[at].at_outputs) {
        const Queue queue{{at, key.first}, key.second};
        const bool is_paused = channels.is_paused(graph_.channel_from(queue.first), key.second);
        Watched& watched = watched_[queue];
        keep_since(watched.held_since, !waiting.empty() && is_paused, now);
        keep_since(watched.free_since, !is_paused, now);
        if (due(watched) > now) continue;
        watched.given_up = !watched.given_up;
        ++(watched.given_up ? given_up_ : restored_);
        if (!watched.given_up) continue;
        watched.held_since.reset();
        given_up.push_back(queue);
      }
    return given_up;
  }
  /// The first time at which a queue is given up or restored if all stays as it is; SimTime::max(): never.
  SimTime next() const {
    SimTime first = SimTime::max();
    for (const auto& [queue, watched] : watched_) first = std::min(first, due(watched));
    return first;
  }

  bool is_given_up(const Queue& queue) const {
    const auto found = watched_.find(queue);
    return found != watched_.end() && found->second.given_up;
  }
  /// How often a queue was.
  std::uint64_t given_up() const { return given_up_; }
  std::uint64_t restored() const { return restored_; }

 private:
  struct Watched {
    std::optional<SimTime> held_since;
    std::optional<SimTime> free_since;  // of a pause
    bool given_up = false;
  };

  static void keep_since(std::optional<SimTime>& since, bool is_so, SimTime now) {
    if (!is_so)
      since.reset();
    else if (!since)
      since = now;
  }
  SimTime due(const Watched& watched) const {
    const std::optional<SimTime>& since = watched.given_up ? watched.free_since : watched.held_since;
    if (!since) return SimTime::max();
    return *since + (watched.given_up ? restore_ : watchdog_);
  }

  const SwitchGraph& graph_;
  SimTime watchdog_, restore_;
  std::map<Queue, Watched> watched_;
  std::uint64_t given_up_ = 0, restored_ = 0;
};

}  // namespace morgana::testing
