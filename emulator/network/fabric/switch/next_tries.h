#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::fabric {

/// For each output of a switch the time before which nothing can start there; most have none. Outputs have
/// their turns from one on that moves on with each round in which something starts.
class NextTries {
 public:
  /// What an attempt at an output has come to.
  struct Attempt {
    SimTime next = SimTime::max();  ///< when to try again; SimTime::max(): not before something changes
    bool started = false;           ///< a packet
  };

  explicit NextTries(unsigned ports) : at_(ports, SimTime::max()), set_((ports + 63) / 64) {}

  SimTime operator[](PortNumber output) const { return at_[output]; }
  /// SimTime::max(): not before something changes. Within a round only the output that has its turn may be
  /// given a later time than it has.
  void set(PortNumber output, SimTime at) {
    at_[output] = at;
    soonest_ = std::min(soonest_, at);
    const std::uint64_t bit = std::uint64_t{1} << output % 64;
    std::uint64_t& word = set_[output / 64];
    word = at == SimTime::max() ? word & ~bit : word | bit;
  }
  void no_later(PortNumber output, SimTime at) {
    if (at < at_[output]) set(output, at);
  }
  /// As set, at any time and with any time: the soonest one stays known.
  void replace(PortNumber output, SimTime at) {
    const SimTime before = at_[output];
    set(output, at);
    if (before == soonest_ && at > before) find_soonest();
  }
  /// Of all outputs, as the last round has left them.
  SimTime soonest() const { return soonest_; }
  /// Calls attempt(output) once for each output whose time has come, in ascending order from the first one
  /// on, round the ports. An attempt may set other outputs' times.
  template <typename Try>
  void round(SimTime now, Try attempt) {
    soonest_ = SimTime::max();
    bool started = false;
    const unsigned first = first_;
    round_between(now, first, ports(), attempt, started);
    round_between(now, 0, first, attempt, started);
    if (started) start_elsewhere();
  }
  /// The next round begins at the next output: something has started.
  void start_elsewhere() { first_ = first_ + 1 < ports() ? first_ + 1 : 0; }
  /// Whether property(output) holds for each output whose time has come.
  template <typename Property>
  bool all_due(SimTime now, Property property) const {
    for (unsigned output = 0; output < ports(); ++output)
      if (at_[output] <= now && !property(static_cast<PortNumber>(output))) return false;
    return true;
  }

 private:
  unsigned ports() const { return static_cast<unsigned>(at_.size()); }
  template <typename Try>
  void round_between(SimTime now, unsigned from, unsigned end, Try& attempt, bool& started) {
    while (from < end) {
      const std::uint64_t left = set_[from / 64] >> from % 64;
      if (left == 0) {
        from = (from / 64 + 1) * 64;
        continue;
      }
      from += static_cast<unsigned>(std::countr_zero(left));
      if (from >= end) return;
      if (at_[from] <= now) {
        const auto output = static_cast<PortNumber>(from);
        const Attempt result = attempt(output);
        set(output, result.next);
        started = started || result.started;
      } else {
        soonest_ = std::min(soonest_, at_[from]);
      }
      ++from;
    }
  }

  void find_soonest() {
    soonest_ = SimTime::max();
    for (std::size_t word = 0; word < set_.size(); ++word)
      for (std::uint64_t left = set_[word]; left != 0; left &= left - 1)
        soonest_ = std::min(soonest_, at_[word * 64 + static_cast<unsigned>(std::countr_zero(left))]);
  }

  std::vector<SimTime> at_;
  std::vector<std::uint64_t> set_;  // a bit for each output that has a time
  SimTime soonest_ = SimTime::max();
  unsigned first_ = 0;  // has the first turn in the next round
};

}  // namespace morgana::fabric
