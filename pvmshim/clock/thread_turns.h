#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/channel/settings.h"
#include "pvmshim/clock/bell.h"
#include "pvmshim/clock/program_threads.h"
#include "pvmshim/clock/program_timers.h"
#include "pvmshim/clock/rank_in_turns.h"
#include "pvmshim/clock/thread_outlook.h"
#include "pvmshim/clock/thread_polls.h"
#include "pvmshim/clock/thread_waits.h"

namespace morgana {

/// The threads of a rank in the library at once (MPI_THREAD_MULTIPLE), over the rank's one channel.
///
/// Each thread has its own simulated time: in the program it goes on with the CPU time that the thread
/// uses, in a call with the rank's clock. One thread at a time goes on in a call: it has the turn. Turns are
/// given in the order of the threads' times, as far as can be known: a call at t has to wait for every thread
/// that may still call before t, which those can't that wait for another thread, in or out of the library.
/// (With ComputeMode::none no time says how far a thread is: then turns are given when no thread runs in the
/// program, and so are the same in every run.) How far the threads in the program are ThreadOutlook says.
///
/// A call that waits gives the turn away (ThreadWaits); any thread that waits itself looks after that.
/// A thread whose polls find nothing polls several times in its turn (ThreadPolls).
class ThreadTurns {
 public:
  /// The calling thread is in a call, and has the turn. Lives as long as the process.
  ThreadTurns(ProgramThreads& threads, RankInTurns& rank, const ChannelSettings& settings, SimTime now);

  /// The calling thread begins a call. @return when, once its turn has come
  SimTime take();
  /// It ends the call, in which it has the turn, and goes on in the program.
  void give_back(SimTime now);
  /// The call is about to end, when only the emulator knows: one question for that and for what others wait
  /// for, if any do.
  void look_as_call_ends();
  /// In a call, with the turn, which it gives away: it will wait for what `operation` (a wait or a probe)
  /// waits for. It must not use what belongs to the rank until finish_wait().
  void begin_wait(const Operation& operation);
  /// It has the turn again when that has come. @return the answer, valid until its next wait
  const Answer& finish_wait();
  /// Whether it has begun a wait.
  bool has_begun_wait();
  /// With the turn: whether a request has completed in the wait of a thread that does not know yet. The
  /// emulator knows it no more.
  bool has_come(RequestId request);
  /// Such requests of a test, which asks for the others only from then on.
  std::vector<Completed> take_come(Operation& test);

  /// With the turn, whose call polls: it has found nothing.
  /// @param news  Answer::news of its answer
  /// @param here  the emulator has not been asked
  void has_polled_in_vain(std::uint32_t news, bool here) {
    holder_->polled_at = news;
    holder_->asks_nobody = here;
  }

  /// The calling thread, in the program, is about to wait for others (TimedWait). @return its time
  SimTime timed_wait_begins();
  /// A timer of the program has been armed. Takes no lock, as a signal's handler may do that.
  void timer_is_armed() { clerk_.ring(); }
  /// It sleeps until its deadline, unless it is woken before.
  void waits_until_deadline();
  /// It goes on in the program: at its deadline if that is over, else when it was woken.
  void timed_wait_ends();

  /// The calling thread, in the program, has come to a time: whatever others do before comes first.
  /// @return false if it is in a wait, within a signal's handler
  bool come_to(SimTime time);

  /// The calling thread's time, in the program.
  SimTime now();
  /// Its time passes.
  void pass(SimTime time);

 private:
  using Lock = ThreadsLock;
  std::optional<std::int64_t> used_in_passing(ProgramThread& self);
  SimTime time_of_arrival(ProgramThread& self);
  void left(ProgramThread& self, SimTime now);
  void serve(Lock& lock, ProgramThread& self);
  void pass_on();
  bool conduct(Lock& lock);
  bool act(Lock& lock);
  void give_turn(ProgramThread& thread);
  ProgramThread* first_deadline();
  void end_at_deadline(ProgramThread& thread);
  bool let_timer_expire(Lock& lock, SimTime limit, const ThreadOutlook::Seen& seen);
  ProgramThread* first_parked();
  void nap(Lock& lock, std::chrono::nanoseconds shortest);
  bool nobody_else_serves() const;
  void run_clerk();

  ProgramThreads& threads_;
  RankInTurns& rank_;
  ChannelSettings settings_;
  bool measured_;
  ProgramThread* holder_ = nullptr;        ///< who has the turn
  bool conducted_ = false;                 ///< a thread attends to those that wait, or uses the rank for it
  const ProgramThread* napper_ = nullptr;  ///< who will look next, as nothing could be done; not the clerk
  Bell news_;                              ///< for who naps
  Bell clerk_;
  std::chrono::nanoseconds nap_{};  ///< the next one
  SimTime shown_;
  SimTime latest_;  ///< at which a thread has gone on in the program
  ThreadOutlook outlook_;
  ThreadWaits waits_;
  ThreadPolls polls_;
};

}  // namespace morgana
