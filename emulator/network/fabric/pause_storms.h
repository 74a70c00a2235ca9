#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/network/fabric/arbiter.h"
#include "emulator/network/fabric/links.h"

namespace morgana::fabric {

/// The pauses that a host with a broken NIC asks for. docs/fabric.md, "Storms".
class PauseStorms {
 public:
  /// @param all  also those of other hosts
  PauseStorms(const std::vector<PauseStorm>& all, HostNumber host) {
    std::copy_if(all.begin(), all.end(), std::back_inserter(storms_),
                 [host](const PauseStorm& storm) { return storm.host == host; });
  }
  bool any() const { return !storms_.empty(); }
  GroupSet wanted(SimTime now, const VirtualChannels& channels) const {
    GroupSet groups = 0;
    for (const PauseStorm& storm : storms_)
      for (unsigned one = 0; one < channels.classes; ++one)
        if ((storm.classes >> one & 1U) != 0 && storm.from <= now && now < storm.until)
          groups |= channels.groups_of(one);
    return groups;
  }
  /// When one begins or ends next; SimTime::max(): none does.
  SimTime next_change(SimTime now) const {
    SimTime next = SimTime::max();
    for (const PauseStorm& storm : storms_) {
      if (storm.from > now) next = std::min(next, storm.from);
      if (storm.until > now) next = std::min(next, storm.until);
    }
    return next;
  }
  /// What the last frame paused.
  GroupSet told() const { return told_; }
  GroupSet tell(GroupSet groups) { return told_ = groups; }

 private:
  std::vector<PauseStorm> storms_;
  GroupSet told_ = 0;
};

}  // namespace morgana::fabric
