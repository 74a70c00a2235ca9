#pragma once

#include <atomic>

#include "pvmshim/clock/operation_stream.h"
#include "pvmshim/clock/thread_turns.h"
#include "pvmshim/clock/visitor.h"

namespace morgana {

/// What a rank's calls ask the emulator, of one thread or of several that take turns (ThreadTurns): what
/// waits lets others go on then, and what has completed in another thread's wait is left out of a test.
///
/// All within a visit, but for what says otherwise.
class RankCalls {
 public:
  RankCalls(OperationStream& stream, Visitor& visitor) : stream_(stream), visitor_(visitor) {}

  // As LiveRank has them.
  void post(Operation& operation);
  const Answer& ask(Operation& operation);
  const Answer& poll(Operation& operation);
  const Answer& await();
  /// The clock. Asks the emulator if it is not known here.
  SimTime now(Call call);

  /// Null: threads take no turns. At any time.
  ThreadTurns* turns() const { return turns_.load(std::memory_order_acquire); }
  /// Several threads take turns from now on: the channel takes the program to be in the shim, and how far its
  /// threads have come is shown to it.
  void begin_turns();

  // Where threads take turns.
  /// The calling thread's visit begins once its turn has come.
  void enter();
  /// It ends.
  void leave();
  /// It may wait for what only another thread brings. @return how many visits it has been in
  int go_away();
  void come_back(int depth);
  /// The calling thread's own clock, in a call or not.
  SimTime read_clock();

 private:
  void post_to_channel(Operation& operation);
  const Answer& ask_emulator(Operation& operation);
  bool blocks_other_threads(const Operation& operation) const;
  void wait_in_turn(Operation& operation);
  bool begin_wait(const Operation& operation);
  const Answer* finish_wait();
  const Answer* find_come(Operation& operation);
  void leave_out_what_has_come(Operation& operation) const;
  void let_timers_expire(SimTime now);

  OperationStream& stream_;
  Visitor& visitor_;
  Answer come_;  // what of the latest test has completed in another thread's wait
  std::atomic<ThreadTurns*> turns_{nullptr};  // from the first thread on; never destroyed
};

}  // namespace morgana
