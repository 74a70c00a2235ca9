#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "emulator/core/time.h"

namespace morgana::testing {

/// What is to come. At an instant first what ends then ends, then watchdogs look at queues, then pauses
/// are no longer asked for, then packets become ready, those with lower numbers first, and then starts what
/// may start.
class ReferenceAgenda {
 public:
  enum Phase { ends, watched, has_ended, becomes_ready };

  SimTime now() const { return now_; }
  void add(SimTime at, Phase phase, std::size_t packet, std::function<void()> step) {
    steps_.emplace(std::tuple(at, phase, packet), std::move(step));
  }
  /// Makes an instant at which everyone looks at what they might start.
  void look_again(SimTime at) {
    if (at > now_) add(at, ends, 0, [] {});
  }
  /// Until nothing more can happen.
  /// @param begin  what precedes each instant. @param packets_move  what precedes all that happens to packets
  /// at it
  void run(const std::function<void()>& begin, const std::function<void()>& packets_move,
           const std::function<void()>& start_what_may_start) {
    while (!steps_.empty()) {
      now_ = next();
      begin();
      bool moved = false;
      while (!steps_.empty() && next() == now_) {
        if (std::get<Phase>(steps_.begin()->first) == becomes_ready && !moved) {
          moved = true;
          packets_move();
        }
        const auto step = std::move(steps_.begin()->second);
        steps_.erase(steps_.begin());
        step();
      }
      if (!moved) packets_move();
      start_what_may_start();
    }
  }

 private:
  SimTime next() const { return std::get<SimTime>(steps_.begin()->first); }

  std::multimap<std::tuple<SimTime, Phase, std::size_t>, std::function<void()>> steps_;
  SimTime now_;
};

}  // namespace morgana::testing
