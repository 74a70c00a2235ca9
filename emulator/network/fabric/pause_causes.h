#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::fabric {

/// How long the groups of each channel are paused, and the congested channel behind each pause.
///
/// A switch that pauses an input names the output that most of the input's packets wait for. Where what waits
/// there has itself been held by a pause, the cause of that pause is the cause of this one, too; so all
/// pauses of a tree have its root as their cause.
class PauseCauses {
 public:
  /// @param groups  of virtual channels
  PauseCauses(std::size_t channels, unsigned groups) : groups_(groups), holds_(channels * groups) {}

  /// A group of the channel is paused from `effect` on. @param traffic_class  of the group
  void pause(CableChannel channel, unsigned group, unsigned traffic_class, SimTime effect,
             CableChannel cause);
  /// It may send again from `effect` on, not before its pause began.
  void resume(CableChannel channel, unsigned group, SimTime effect);
  /// The cause of what is held on the channel, if a pause was in force at some time after `since`.
  std::optional<CableChannel> cause(CableChannel channel, unsigned group, SimTime since) const;
  /// So much from that host waits for a congested channel as a pause begins there.
  void queued(CableChannel congested, unsigned traffic_class, HostNumber from, Bytes size) {
    roots_[{congested, traffic_class}].queued[from] += size.count();
  }

  /// What has become of a group of a channel. @param until  not before the start of the last reported pause
  struct Total {
    std::int64_t pauses = 0;
    SimTime paused;
    SimTime open;            ///< of the last pause, if it goes on
    CableChannel cause = 0;  ///< of the last pause
    unsigned traffic_class = 0;
  };
  Total total(CableChannel channel, unsigned group, SimTime until) const;
  /// What a congested channel has caused.
  struct Root {
    std::int64_t pauses = 0;
    SimTime paused;  ///< of all channels and groups, added up; of pauses that ended
    std::map<HostNumber, std::int64_t> queued;   ///< bytes, by the sender
    std::map<CableChannel, std::int64_t> links;  ///< that it has paused, and how often
  };
  const std::map<std::pair<CableChannel, unsigned>, Root>& roots() const { return roots_; }
  unsigned groups() const { return groups_; }

 private:
  struct Hold {
    std::int64_t pauses = 0;
    SimTime before;  // of all pauses but the last
    SimTime begin, end;
    bool open = false;
    CableChannel cause = 0;
    unsigned traffic_class = 0;
  };
  Hold& hold(CableChannel channel, unsigned group) { return holds_[channel * groups_ + group]; }
  const Hold& hold(CableChannel channel, unsigned group) const { return holds_[channel * groups_ + group]; }

  unsigned groups_;
  std::vector<Hold> holds_;  // by channel and group
  std::map<std::pair<CableChannel, unsigned>, Root> roots_;
};

}  // namespace morgana::fabric
