#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "pvmshim/clock/program_threads.h"
#include "pvmshim/clock/rank_in_turns.h"

namespace morgana {

/// Where all threads that call poll and find nothing, and nothing has come for the rank since each has, one
/// polls several times before the next one: as with a lock, which who gives it back and asks again gets
/// before those that have to be woken. No order and no time depends on how far ahead the emulator has
/// answered: that depends on how far other ranks have come in real time. The caller holds a ThreadsLock.
class ThreadPolls {
 public:
  /// So often a thread polls and finds nothing before others do that find nothing, too. Each time another one
  /// is woken.
  static constexpr int most_in_turn = 64;

  /// @param measured  computing takes simulated time
  ThreadPolls(ProgramThreads& threads, RankInTurns& rank, bool measured)
      : threads_(threads), rank_(rank), measured_(measured) {}

  /// The thread has been given a turn.
  void has_turn(ProgramThread& thread);
  /// The thread whose failed polls have had the last turns, if it may poll once more before others; else
  /// null. Their polls have failed, too, and nothing has come for the rank from the first of them to its
  /// latest one. Without measured computing nothing that this looks at depends on real time; with it, others
  /// wait for no question to the emulator.
  ProgramThread* next();
  /// Whether others wait for that one, which runs in the program: for a moment of real time only. It may spin
  /// there until one of them has done something. Without measured computing nobody runs when a turn is given.
  bool hold_up_others();

 private:
  ProgramThreads& threads_;
  RankInTurns& rank_;
  bool measured_;
  std::optional<std::size_t> poller_;  ///< the number of the thread that had the last turns
  int in_turn_ = 0;                    ///< how many, up to most_in_turn
  std::int64_t held_up_since_ = -1;    ///< wall clock: others wait for it, which is in the program; -1: no
};

}  // namespace morgana
