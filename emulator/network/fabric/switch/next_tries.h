#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::fabric {

/// For each output of a switch the time before which nothing can start there; most have none.
class NextTries {
 public:
  explicit NextTries(unsigned ports) : at_(ports, SimTime::max()), set_((ports + 63) / 64) {}

  SimTime operator[](PortNumber output) const { return at_[output]; }
  /// SimTime::max(): not before something changes. Within for_due only an output that is visited may be given
  /// a later time than it has.
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
  /// Of all outputs, as for_due has left them.
  SimTime soonest() const { return soonest_; }
  /// Calls visit(output) once for each output whose time has come, in ascending order from `first` on, round
  /// the ports; visit sets the output's time, and may set others'.
  template <typename Visit>
  void for_due(SimTime now, unsigned first, Visit visit) {
    soonest_ = SimTime::max();
    const auto ports = static_cast<unsigned>(at_.size());
    for_due_between(now, first, ports, visit);
    for_due_between(now, 0, first, visit);
  }

 private:
  template <typename Visit>
  void for_due_between(SimTime now, unsigned from, unsigned end, Visit visit) {
    while (from < end) {
      const std::uint64_t left = set_[from / 64] >> from % 64;
      if (left == 0) {
        from = (from / 64 + 1) * 64;
        continue;
      }
      from += static_cast<unsigned>(std::countr_zero(left));
      if (from >= end) return;
      if (at_[from] <= now)
        visit(static_cast<PortNumber>(from));
      else
        soonest_ = std::min(soonest_, at_[from]);
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
};

}  // namespace morgana::fabric
