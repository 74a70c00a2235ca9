#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "emulator/operations/operation.h"
#include "pvmshim/channel/own_processor_clock.h"
#include "pvmshim/clock/bell.h"
#include "pvmshim/clock/sleeping_thread.h"
#include "pvmshim/clock/without_handlers.h"

namespace morgana {

/// One of the threads that the program has, as far as it takes turns with others in the library
/// (ThreadTurns). What is not atomic is guarded by a ThreadsLock, or only its own thread's.
struct ProgramThread {
  enum class Place : std::uint8_t {
    program,   ///< in the program, running or asleep
    arriving,  ///< it asks for something, and will have said in a moment for what
    joining,   ///< in the program, asleep until the thread that it `joins` has ended
    timed,     ///< in the program, in a wait with a deadline (TimedWait)
    parked,    ///< in a call, until its turn comes
    waiting,   ///< in a call, until what it waits for has come
    turn,      ///< in a call, and no other thread goes on in one
  };

  /// Real time for which others wait for a thread that may still be in a slice of a wait: many slices.
  static constexpr std::int64_t patience_with_slices_ns = 50'000'000;

  std::size_t number = 0;  ///< in the order of creation
  std::atomic<Place> place{Place::program};
  std::atomic<pid_t> kernel_number{0};  ///< 0: it has not begun
  pthread_t handle{};
  clockid_t clock{};  ///< of its CPU time
  /// For a moment it blocks all signals (WithoutHandlers). What the kernel shows is known while it is in one
  /// of the outer two for as long as that is looked at, as `mask_changes` says.
  enum class Handlers : std::uint8_t { may_run, changing, kept_away };
  std::atomic<Handlers> handlers{Handlers::may_run};
  std::atomic<std::uint32_t> mask_changes{0};        ///< how often that has begun or ended
  std::atomic<std::uint64_t> blocked_by_program{0};  ///< kept away: what it blocks itself, bit n - 1 is n
  pthread_t joins{};                                 ///< joining, and in a join with a deadline: whom
  bool joins_within = false;                         ///< the latter
  std::optional<WithoutHandlers> while_forking;  ///< no handler, which may ask for the list, runs meanwhile
  SleepingThread in_kernel;                      ///< its state in the kernel

  // Its own simulated time. In the program: `left` and what it has computed since.
  std::atomic<std::int64_t> left_ps{0};                  ///< when it went on in the program
  std::int64_t used_when_left = 0;                       ///< its CPU time then, ns
  OwnProcessorClock own_clock{CLOCK_THREAD_CPUTIME_ID};  ///< its own view of that, in passing
  std::int64_t used_before = 0;                          ///< in the program until then, of that
  std::int64_t rests_when_left = 0;                      ///< how often it had slept until then
  std::map<std::size_t, std::int64_t> others_when_left;  ///< what others had used in the program, by number
  SimTime since;                                         ///< parked: the time of its call
  bool only_comes = false;                               ///< parked: to be the first, and calls nothing
  std::optional<std::uint32_t> polled_at;  ///< Answer::news, if its last turn was a poll that found nothing
  bool asks_nobody = false;                ///< and that was known here

  // Parked or waiting.
  Bell turn_has_come;
  bool serves = false;  ///< it is in the shim and may look after all that wait; else it will come back
  int depth = 0;        ///< of its visits, while it has not the turn
  Operation wait;       ///< what it waits for: the requests that have not come yet, or a message to probe
  boost::container::small_vector<RequestId, 4> asked;  ///< all of the wait's
  SimTime waits_from;                                  ///< a probe's begin
  bool has_begun_wait = false;                         ///< a wait has begun whose answer was not taken yet
  Answer answer;

  // In a wait with a deadline.
  struct TimedWaitState {
    SimTime deadline;                   ///< on its clock
    Call call = Call::unknown;          ///< what the program has called
    std::int64_t real_end_ns = 0;       ///< when the wait would be over natively, on the wall clock
    std::int64_t real_span_ns = 0;      ///< how long it would last
    const void* object = nullptr;       ///< whose waiters can be woken (wake_waiters_on); null: none
    std::uint64_t arrival = 0;          ///< of those, the first is woken first
    SimTime woken_at;                   ///< on the clock of the thread or timer that wakes it; max: unknown
    std::atomic<bool> is_over{false};   ///< its deadline has been reached
    std::atomic<bool> is_woken{false};  ///< what it waits for has come
    /// The thread has been cancelled since it last looked, in a wait. It may have cancellation disabled.
    std::atomic<bool> is_cancelled{false};
    Bell bell;  ///< on which it sleeps if it can be woken
    /// Changes when a wait begins, or is left: a handler of a signal that waits itself leaves the one that it
    /// has interrupted, whose number is no longer this one.
    std::atomic<std::uint64_t> number{0};
    std::atomic<std::uint32_t> interruptions{0};  ///< of the thread, of which the wait knows
  } timed;
  /// How many signals with a handler timers have sent to this thread. Counted before they are sent.
  std::atomic<std::uint32_t> interruptions{0};
  /// Whatever limit the kernel has been given: while the thread sleeps, it waits for another thread.
  std::atomic<bool> waits_for_thread{false};
  /// A handler that waited itself has come back to a slice of a wait (TimedWait), which is over in a moment:
  /// it sleeps in it as one that waits for something else would. Stays set where the handler has jumped away.
  std::atomic<bool> is_in_slice{false};
  /// Whether it does. Asks the kernel. A thread that has been sent a signal in a slice of its wait, and may
  /// have begun another one meanwhile, notices when that is over: until then it does not.
  bool sleeps_for_thread();
  /// The timers of the program until then are this thread's to let expire (ProgramTimers::expire_until).
  std::atomic<std::int64_t> lets_expire_until_ps{-1};
  /// Whether it is in a call of the library.
  bool is_in_call() const {
    return place == Place::parked || place == Place::waiting || place == Place::turn;
  }
  /// Whether it is in a wait, as far as it has said itself; if a handler has left that by a jump it still
  /// seems to be.
  bool seems_to_wait() const { return place == Place::timed || place == Place::arriving || waits_for_thread; }
  /// Its wait with a deadline is over, as `why` says: it goes on in a moment.
  void end_timed_wait(std::atomic<bool>& why);

  // How others have seen it since it went on in the program (ThreadTurns).
  std::int64_t used_when_seen = -1;    ///< its CPU time when others waited for it first; -1: not yet
  std::int64_t left_when_seen_ps = 0;  ///< `left_ps` then
  std::int64_t waits_since =
      -1;  ///< the wall clock when it was first seen to wait for what is no thread, or so
  bool is_passed_over = false;  ///< others wait no longer for it
};

/// The threads of this process that the program has made, from the start of the process on.
class ProgramThreads {
 public:
  static ProgramThreads& own();

  /// To be held: all that live, in the order of creation.
  std::list<ProgramThread>& all() { return threads_; }
  /// The calling thread; null if it is not known. Takes no lock.
  static ProgramThread* known_self();
  /// Whether more than one lives. Takes no lock.
  bool has_several() const { return living_.load(std::memory_order_relaxed) > 1; }
  /// Of the calling thread; one that was not announced is added.
  ProgramThread& self();

  /// Before a thread is created. Its time begins with its creator's.
  ProgramThread* about_to_create();
  void not_created(ProgramThread* thread);
  /// In the new thread, first and last.
  void begins(ProgramThread* thread);
  void ends(ProgramThread* thread);
  /// Around a join.
  void joins(pthread_t handle);
  void joined(pthread_t handle);
  /// Around a join with a deadline, of the calling thread.
  void timed_join_begins(pthread_t handle);
  void timed_join_ends();
  /// To be held: whether a thread lets timers expire that are due at `time`.
  bool any_lets_expire(SimTime time) const {
    for (const ProgramThread& thread : threads_)
      if (thread.lets_expire_until_ps >= time.ps()) return true;
    return false;
  }
  /// To be held: the thread is in a join with a deadline, and whom it joins has ended already, though not for
  /// the kernel yet: the join is over in a moment of real time, and no deadline may pass before.
  bool will_have_joined(const ProgramThread& thread) const {
    return thread.joins_within && ended_.contains(thread.joins);
  }

  /// What the thread's own time is, in the program. @param scale  simulated ps for each ns that it has used
  SimTime time_of(const ProgramThread& thread) const;
  /// From now on CPU time is worth this much: ps for a ns; 0: nothing.
  void set_worth(double ps_per_ns) { ps_per_ns_ = ps_per_ns; }
  double worth() const { return ps_per_ns_; }
  std::int64_t used_by(const ProgramThread& thread) const;
  /// That in the program, without its calls, ns.
  std::int64_t used_in_program(const ProgramThread& thread) const;
  /// How often the calling thread has gone to sleep.
  static std::int64_t own_rests();
  /// To be held: what the thread will have computed, and slept, is counted from now on: it goes on in the
  /// program.
  void remember_others(ProgramThread& thread) const;

  /// To be held: rings the bell. Its sleepers, who will ask for the lock, are woken when it is given back.
  void ring(Bell& bell);

  /// Rung, within a ThreadsLock, when a thread has ended.
  void tell_ends(Bell* news) { news_ = news; }

 private:
  ProgramThreads();
  ProgramThread& add();
  ProgramThread& self_locked();

  std::mutex mutex_;
  std::list<ProgramThread> threads_;
  std::map<pthread_t, std::int64_t> ended_;  ///< and when, ps
  std::size_t created_ = 0;
  std::atomic<std::size_t> living_{0};
  std::atomic<double> ps_per_ns_{0};
  Bell* news_ = nullptr;
  /// Where those sleep whose bells have been rung since the lock was taken.
  using Rung = boost::container::static_vector<const void*, 4>;
  Rung rung_;
  friend class ThreadsLock;
};

/// Guards what is known of the threads. No handler of a signal runs in the thread that holds it, or waits for
/// it.
class ThreadsLock {
 public:
  explicit ThreadsLock(ProgramThreads& threads = ProgramThreads::own()) : threads_(threads) { lock(); }
  ~ThreadsLock() { unlock(); }
  ThreadsLock(const ThreadsLock&) = delete;
  ThreadsLock& operator=(const ThreadsLock&) = delete;
  void lock() {
    without_handlers_.emplace();
    if (threads_.mutex_.try_lock()) return;
    has_waited_ = true;
    threads_.mutex_.lock();
  }
  /// Whether the thread may have slept for it.
  bool has_waited() const { return has_waited_; }
  void unlock() {
    const ProgramThreads::Rung rung = std::exchange(threads_.rung_, {});
    threads_.mutex_.unlock();
    for (const void* place : rung) Bell::wake_at(place);
    without_handlers_.reset();
  }

 private:
  ProgramThreads& threads_;
  bool has_waited_ = false;
  std::optional<WithoutHandlers> without_handlers_;
};

}  // namespace morgana
