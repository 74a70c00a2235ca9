#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/core/end_of_time.h"

namespace morgana {

/// What one rank's processor does for the collectives that the rank has under way. A blocking collective's
/// rank waits in its call meanwhile. A nonblocking one in the background goes on only while the rank is in a
/// call in which the library gets to work, as MPICH does without a progress thread; what happens to it in
/// between is owed until the next such call.
struct RankProgress {
  /// CPU time spent in a call: wanted from `released` on.
  struct Work {
    SimTime released, cost;
  };

  SimTime busy_until;            ///< the processor has something to do for collectives until here
  SimTime besides_until;         ///< the same of the one for asynchronous progress
  std::uint32_t background = 0;  ///< nonblocking collectives under way that go on in calls only
  bool in_call = false;
  std::vector<std::uint32_t> owed;  ///< parts of collectives that the next call has to go on with, in order
  std::vector<Work> work;           ///< of the current call
  // Of what comes into the rank's sockets (SocketReads):
  SimTime unread;           ///< what reading takes that the next call does
  bool overran = false;     ///< the processor may still be at it when the next call begins
  std::vector<Work> reads;  ///< of the current call, in time; those without a pause as one

  bool has_background() const { return background > 0; }
  /// Whether a call that began now would go on with something.
  bool owes() const { return !owed.empty() || unread > SimTime(); }
  /// Takes the processor for `cost` as soon as it is free from `released` on. @return the end
  SimTime spend(SimTime released, SimTime cost) {
    busy_until = time_before_end(std::max(busy_until, released) + cost);
    if (in_call && cost > SimTime()) record({released, cost});
    return busy_until;
  }
  /// Other work takes the processor for `cost`, which delays what is under way at `now`, and altogether
  /// up to `until`, before which nothing else begins.
  void interrupt(SimTime now, SimTime cost, SimTime until) {
    if (busy_until > now) busy_until = time_before_end(busy_until + cost);
    busy_until = std::max(busy_until, until);
  }
  /// The same of the processor for asynchronous progress.
  SimTime spend_besides(SimTime released, SimTime cost) {
    return besides_until = time_before_end(std::max(besides_until, released) + cost);
  }

 private:
  /// Not inlined: a blocking collective, whose every step comes by, records none.
  [[gnu::noinline]] void record(const Work& item) { work.push_back(item); }
};

}  // namespace morgana
