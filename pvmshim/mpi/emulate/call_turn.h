#pragma once

#include <utility>

#include "pvmshim/clock/live_rank.h"

namespace morgana::mpi::emulated {

/// A call of the program's, from its beginning to its end. Where several threads of the program may call at
/// once, a whole call is a turn of its thread: what a call looks up before its visit is guarded, too.
class CallTurn {
 public:
  /// @param name  of the call; not copied
  /// @param wanted  false: the call needs nothing of the rank's
  explicit CallTurn(const char* name, bool wanted = true)
      : around_(std::exchange(current_, name)), visit_(wanted ? rank_in_turns() : nullptr) {}
  ~CallTurn() { current_ = around_; }
  CallTurn(const CallTurn&) = delete;
  CallTurn& operator=(const CallTurn&) = delete;

  /// The name of the call that this thread is in, the innermost if it is in a callback; null if it is in
  /// none.
  static const char* current() { return current_; }

 private:
  static LiveRank* rank_in_turns() {
    LiveRank* const rank = LiveRank::active();
    return rank != nullptr && rank->threads_take_turns() ? rank : nullptr;
  }

  static inline thread_local const char* current_ = nullptr;

  const char* const around_;
  const LiveRank::Visit visit_;
};

}  // namespace morgana::mpi::emulated
