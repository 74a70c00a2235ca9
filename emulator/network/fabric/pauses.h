#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/network/fabric/arbiter.h"

namespace morgana::fabric {

/// Which groups the other end of a channel has paused. What a pause frame says is noted as soon as its time
/// is known, which is before that time; it counts from then on.
class Pauses {
 public:
  /// @param now  never before an earlier call's
  GroupSet paused(SimTime now) {
    std::size_t past = 0;
    while (past < coming_.size() && coming_[past].at <= now) paused_ = coming_[past++].groups;
    coming_.erase(coming_.begin(), coming_.begin() + static_cast<std::ptrdiff_t>(past));
    return paused_;
  }
  /// @param at  not before earlier calls
  void tell(SimTime at, GroupSet groups) { coming_.push_back({at, groups}); }
  /// When the group may send; SimTime::max() if that is not known yet.
  SimTime may_send(unsigned group, SimTime now) {
    if ((paused(now) & only(group)) == 0) return now;
    const auto end = std::find_if(coming_.begin(), coming_.end(),
                                  [group](const Coming& told) { return (told.groups & only(group)) == 0; });
    return end == coming_.end() ? SimTime::max() : end->at;
  }

 private:
  struct Coming {
    SimTime at;
    GroupSet groups;
  };
  GroupSet paused_ = 0;
  std::vector<Coming> coming_;  // by time: few
};

}  // namespace morgana::fabric
