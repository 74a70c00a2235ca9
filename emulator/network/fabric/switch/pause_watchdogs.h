#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/network/fabric/arbiter.h"
#include "emulator/routing/routing.h"

namespace morgana::fabric {

/// Which queues of a switch's outputs have been paused for so long that they are given up. docs/fabric.md,
/// "Watchdogs". What a pause frame says is noted as soon as its time is known; it counts from then on.
class PauseWatchdogs {
 public:
  /// @param patience  > 0
  PauseWatchdogs(SimTime patience, SimTime restore, unsigned ports, unsigned groups);

  /// The other end of an output's channel pauses these groups, and no others, from `at` on.
  /// @param at  later than now
  void told(PortNumber output, GroupSet paused, SimTime at);
  /// A queue has come to hold a packet, or holds none any more.
  void filled(PortNumber output, unsigned group, SimTime now);
  void emptied(PortNumber output, unsigned group);

  /// Restores and gives up what is due by now. Calls give_up(output, group) for each queue given up, which
  /// has to empty it.
  template <typename GiveUp>
  void act(SimTime now, GiveUp give_up) {
    while (!due_.empty() && due_.front().at <= now) {
      const Due next = take();
      if (next.what == Due::What::told)
        pause(next);
      else if (is_given_up(next, now))
        give_up(next.output, next.group);
    }
  }
  /// When to act next; SimTime::max() if nothing is due.
  SimTime next() const { return due_.empty() ? SimTime::max() : due_.front().at; }
  /// The groups whose queues at this output are given up.
  GroupSet given_up(PortNumber output) const { return given_up_[output]; }
  /// Queues given up so far at an output.
  std::int64_t count(PortNumber output) const { return counts_[output]; }

 private:
  struct Due {
    SimTime at;
    enum class What : std::uint8_t { told, look } what;  // in this order at an instant
    PortNumber output;
    unsigned group;                           // look
    GroupSet paused;                          // as last reported
    bool operator<(const Due& other) const {  // std::push_heap keeps the first in front
      return at != other.at ? at > other.at : what > other.what;
    }
  };
  void push(const Due& due);
  void look_at(PortNumber output, unsigned group, SimTime at);
  Due take();
  void pause(const Due& told);
  bool is_given_up(const Due& due, SimTime now);

  SimTime patience_, restore_;
  unsigned groups_;
  std::vector<GroupSet> paused_, filled_, given_up_;  // by output
  std::vector<GroupSet> awaited_;                     // by output: queues that due_ has a look at, in time
  std::vector<SimTime> since_;                        // by output and group: that it is paused, or is not
  std::vector<SimTime> filled_since_;                 // likewise: that it holds a packet
  std::vector<std::int64_t> counts_;                  // by output
  std::vector<Due> due_;                              // a heap
};

}  // namespace morgana::fabric
