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

namespace morgana {

/// The rank whose threads take turns: one thread at a time uses it.
class RankInTurns {
 public:
  virtual ~RankInTurns() = default;
  /// Where its operations have brought it.
  virtual SimTime reached() = 0;
  /// Whether that is known; else reached() asks the emulator.
  virtual bool knows_reached() = 0;
  /// Posts an operation that begins there, and waits for its answer.
  virtual const Answer& carry_out(Operation& operation) = 0;
  /// No further operation lies before that.
  virtual void show(SimTime time) = 0;
  virtual bool has_exited() const = 0;
  /// What the emulator has said to the rank's last failed poll.
  struct Quiet {
    std::uint32_t news;  ///< Answer::news
    SimTime until;       ///< that stays the same until then
  };
  /// Nothing, if that may not hold any more: the rank has done something else since.
  virtual std::optional<Quiet> quiet() = 0;
  /// Time passes in the library, without the emulator: less than until the end of such a promise.
  virtual void let_pass(SimTime time) = 0;
};

/// The threads of a rank in the library at once (MPI_THREAD_MULTIPLE), over the rank's one channel.
///
/// Each thread has its own simulated time: in the program it goes on with the CPU time that the thread
/// uses, in a call with the rank's clock. One thread at a time goes on in a call: it has the turn. Turns are
/// given in the order of the threads' times, as far as can be known: a call at t has to wait for every thread
/// that may still call before t, which those can't that wait for another thread, in or out of the library.
/// (With ComputeMode::none no time says how far a thread is: then turns are given when no thread runs in the
/// program, and so are the same in every run.) A thread that others have waited for too long, because it
/// spins on a variable or waits for something outside of the process, is passed over until it calls.
///
/// A call that waits gives the turn away. What all threads wait for is one wait of the rank's, which ends
/// with the first that comes, or where a thread may be that is not in a call: who looks after that is any
/// thread that waits itself. So the emulator sees a rank with one clock, and a trace of it can be replayed.
///
/// Where all threads that call poll in vain, and nothing has come for the rank since each has, one polls
/// several times before the next one: as with a lock, which who gives it back and asks again gets before
/// those that have to be woken. And as long as the emulator has said that nothing happens a look after the
/// waits is known to find nothing. No order and no time depends on how long such a promise is: that depends
/// on how far other ranks have come in real time.
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
  /// So often a thread polls in vain before others do that poll in vain, too. Each time another one is woken.
  static constexpr int most_polls_in_turn = 64;
  /// What is known of the threads that are in no call.
  struct Outlook {
    bool somebody_runs = false;
    SimTime horizon = SimTime::max();  ///< no running thread calls before
    bool passed_over = false;          ///< a thread was, which may call at any time
  };

  std::optional<std::int64_t> used_in_passing(ProgramThread& self);
  SimTime time_of_arrival(ProgramThread& self);
  void left(ProgramThread& self, SimTime now);
  void serve(Lock& lock, ProgramThread& self);
  void pass_on();
  bool conduct(Lock& lock);
  bool act(Lock& lock);
  Outlook look();
  bool holds_up(ProgramThread& thread, Outlook& outlook);
  void give_turn(ProgramThread& thread);
  ProgramThread* polls_on();
  bool somebody_polls_on();
  ProgramThread* first_deadline();
  void end_at_deadline(ProgramThread& thread);
  bool have_waited_for(const ProgramTimers::First& timer);
  bool let_timer_expire(Lock& lock, SimTime limit, const Outlook& outlook);
  ProgramThread* first_parked();
  bool look_after_waits(Lock& lock, SimTime limit, const Outlook& outlook);
  bool are_waits_quiet(SimTime limit);
  bool look_for_messages(Lock& lock, SimTime& limit);
  std::optional<Operation> probe_of_all() const;
  void carry_out(Lock& lock, Operation& operation);
  Operation wait_of_all(const Operation* probe) const;
  const Completed* find_come(RequestId request, const ProgramThread* except);
  void take(const Completed& completed, ProgramThread& thread);
  ProgramThread* deliver(const Operation& operation);
  void end_wait_if_over(ProgramThread& thread);
  void nap(Lock& lock, std::chrono::nanoseconds shortest);
  bool nobody_else_serves() const;
  void run_clerk();

  ProgramThreads& threads_;
  RankInTurns& rank_;
  ChannelSettings settings_;
  bool measured_;
  ProgramThread* holder_ = nullptr;  ///< who has the turn
  bool all_sleep_ = false;           ///< who is in no call, since it was last looked: nobody has run since
  bool conducted_ = false;           ///< a thread attends to those that wait, or uses the rank for it
  const ProgramThread* napper_ = nullptr;  ///< who will look next, as nothing could be done; not the clerk
  Bell news_;                              ///< for who naps
  Bell clerk_;
  std::chrono::nanoseconds nap_{};  ///< the next one
  Answer answer_;
  SimTime looked_at_;                        ///< until there all waits have been looked after
  std::optional<std::uint32_t> nothing_at_;  ///< Answer::news when all waits were seen to find nothing
  bool looks_apart_ = false;                 ///< one probe for all has found what none of them asks for
  std::optional<std::size_t> poller_;        ///< the number of the thread that had the last turns
  int polls_in_turn_ = 0;                    ///< how many, up to most_polls_in_turn
  std::int64_t held_up_since_ = -1;  ///< wall clock: others wait for it, which is in the program; -1: no
  SimTime shown_;
  SimTime latest_;                            ///< at which a thread has gone on in the program
  std::int64_t patience_ns_ = 1'000'000'000;  ///< with a thread that others wait for, in its CPU time
  std::int64_t paced_since_ = 0;  ///< wall clock: where threads are passed over time passes as it does there
};

}  // namespace morgana
