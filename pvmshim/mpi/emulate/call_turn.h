#pragma once

#include "pvmshim/clock/live_rank.h"

namespace morgana::mpi::emulated {

/// Where several threads of the program may call at once, a whole call is a turn of its thread: what a call
/// looks up before its visit is guarded, too.
class CallTurn {
 public:
  /// @param wanted  false: the call needs nothing of the rank's
  explicit CallTurn(bool wanted = true) : visit_(wanted ? rank_in_turns() : nullptr) {}

 private:
  static LiveRank* rank_in_turns() {
    LiveRank* const rank = LiveRank::active();
    return rank != nullptr && rank->threads_take_turns() ? rank : nullptr;
  }

  const LiveRank::Visit visit_;
};

}  // namespace morgana::mpi::emulated
