#include "pvmshim/clock/timed_wait.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/clock/program_threads.h"
#include "pvmshim/clock/program_timers.h"
#include "pvmshim/clock/rank_waits.h"

namespace morgana {
namespace {

using Place = ProgramThread::Place;
using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds first_slice = 50us, longest_slice = 2ms;

/// How many threads wait on objects; and have so far.
std::atomic<int> waiting_on_objects{0};
std::atomic<std::uint64_t> arrivals{0};

std::int64_t on_wall_clock_ns() {
  return read_clock_ns(CLOCK_MONOTONIC).value_or(0);
}

/// Whoever looks at threads meanwhile must not take this one to be asleep because it waits for their lock.
void arrive(ProgramThread& self) {
  if (self.place == Place::program) self.place = Place::arriving;
}

/// The calling thread goes on as if it had not arrived.
void go_on(ProgramThread& self) {
  if (self.place == Place::arriving) self.place = Place::program;
}

/// Others may do something while the calling thread waits: threads (one that has ended is, for who joins it,
/// still there until the kernel says so), or timers.
bool is_accompanied() {
  ProgramThreads& threads = ProgramThreads::own();
  if (ProgramTimers::own().any() || threads.has_several()) return true;
  const ProgramThread& self = threads.self();
  if (!self.joins_within) return false;
  const ThreadsLock lock(threads);
  return threads.will_have_joined(self);
}

/// To be held: the threads' mutex.
void forget_object(ProgramThread& thread) {
  if (thread.timed.object == nullptr) return;
  thread.timed.object = nullptr;
  --waiting_on_objects;
}

}  // namespace

TimedWait::TimedWait(LiveRank& rank, Call call, TimeLimit limit, EndedBy ended_by)
    : rank_(rank), call_(call), is_span_(limit.is_span), span_(limit.time), deadline_(limit.time) {
  const WithoutHandlers without_handlers;
  ProgramThread& self = ProgramThreads::own().self();
  leave_abandoned_wait();
  arrive(self);
  const bool is_alone = rank.is_visited_by_caller() || !is_accompanied();
  if (!is_alone || ended_by == EndedBy::outside) {
    constexpr SimTime latest = SimTime::from_ps(SimTime::max().ps() / 2);
    begin_ = rank.look_at_clock(call).value_or(rank.latest());
    if (is_span_)
      deadline_ = begin_ + std::min(span_, latest);
    else
      span_ = std::max(SimTime(), deadline_ - begin_);
    real_begin_ns_ = on_wall_clock_ns();
  }
  if (ended_by == EndedBy::outside && span_ > SimTime())
    how_ = How::outside;
  else if (is_alone)
    how_ = limit.is_span ? How::alone_for_span : How::alone;
  else
    how_ = how_among_threads();
  go_on(self);
  interruptions_ = self.interruptions;  // what has expired until now has not come in the wait
}

/// After MPI_Finalize turns are not given any more.
TimedWait::How TimedWait::how_among_threads() const {
  if (rank_.turns() == nullptr) return How::by_rank;
  return rank_.is_over() ? How::outside : How::in_turns;
}

void TimedWait::begin_among_threads() {
  if (has_begun_ && !was_left()) return;
  has_begun_ = true;
  ProgramThread& self = ProgramThreads::own().self();
  arrive(self);
  number_ = ++self.timed.number;
  self.timed.is_over = self.timed.is_woken = false;
  self.timed.call = call_;
  self.timed.interruptions = interruptions_;
  if (how_ == How::in_turns) {
    // What it has computed before its call is known only now.
    begin_ = rank_.turns()->timed_wait_begins();
    if (std::exchange(is_span_, false)) deadline_ = begin_ + span_;
  }
  self.timed.deadline = deadline_;
  self.timed.real_span_ns = span_.ps() / 1000;
  self.timed.real_end_ns = real_begin_ns_ + self.timed.real_span_ns;
  if (deadline_ <= begin_)
    self.timed.is_over = true;
  else if (how_ == How::in_turns)
    rank_.turns()->waits_until_deadline();
  else
    RankWaits::own().begin(rank_, self);
}

void TimedWait::end_among_threads() {
  ProgramThread& self = ProgramThreads::own().self();
  self.waits_for_thread = false;  // it runs, whatever keeps it from the lock
  {
    // Whoever looks after waits may have ended this one in the same moment.
    const ThreadsLock lock;
    forget_object(self);
    if (how_ == How::by_rank) self.place = Place::program;
  }
  if (how_ == How::in_turns) rank_.turns()->timed_wait_ends();
}

/// Then the wait goes on as one that nothing from outside can end.
bool TimedWait::real_time_is_over() {
  slice_ = std::chrono::nanoseconds(real_begin_ns_ + span_.ps() / 1000 - on_wall_clock_ns());
  if (slice_ > 0ns) return false;
  slice_ = {};
  ProgramThread& self = ProgramThreads::own().self();
  arrive(self);
  const bool among_threads = !rank_.is_visited_by_caller() && !rank_.is_over() && is_accompanied();
  how_ = among_threads ? how_among_threads() : How::alone;
  go_on(self);
  is_span_ = false;
  return true;
}

bool TimedWait::was_left() const {
  return has_begun_ && number_ != ProgramThreads::own().self().timed.number;
}

bool TimedWait::is_over() {
  const WithoutHandlers without_handlers;
  switch (how_) {
    case How::alone_for_span:
      rank_.sleep(call_, span_);
      return true;
    case How::alone:
      rank_.sleep_until(call_, deadline_);
      return true;
    case How::outside:
      return real_time_is_over() && is_over();
    case How::by_rank:
    case How::in_turns:
      break;
  }
  begin_among_threads();
  if (ProgramThreads::own().self().timed.is_over) {
    end_among_threads();
    return true;
  }
  slice_ = slice_ == 0ns ? first_slice : std::min(2 * slice_, longest_slice);
  return false;
}

void TimedWait::slice_begins() {
  if (!has_begun_) return;
  ProgramThread& self = ProgramThreads::own().self();
  is_within_slice_ = self.is_in_slice.exchange(true);
  self.waits_for_thread = true;
  if (was_left()) self.waits_for_thread = false;  // a handler has waited since is_over()
}

void TimedWait::slice_ends() {
  if (!has_begun_) return;
  ProgramThread& self = ProgramThreads::own().self();
  self.waits_for_thread = false;
  self.timed.is_cancelled = false;  // it does not want to be, or is at the next slice
  self.is_in_slice = is_within_slice_;
}

bool TimedWait::was_interrupted() {
  if (!has_begun_) return false;
  ProgramThread& self = ProgramThreads::own().self();
  if (self.interruptions == interruptions_) return false;
  // Who has counted it has sent it when the lock is free; signals that are unblocked then come at once.
  const ThreadsLock lock;
  self.timed.interruptions = interruptions_ = self.interruptions;
  return true;
}

void TimedWait::has_come() {
  const WithoutHandlers without_handlers;
  const bool ends = has_begun_ && !was_left();
  has_begun_ = false;
  if (ends) end_among_threads();
}

void TimedWait::waits_on(const void* object) {
  if (how_ != How::by_rank && how_ != How::in_turns) return;
  const WithoutHandlers without_handlers;
  ProgramThread& self = ProgramThreads::own().self();
  {
    const ThreadsLock lock;
    self.timed.object = object;
    self.timed.arrival = ++arrivals;
    ++waiting_on_objects;
  }
  begin_among_threads();
}

TimedWait::Rest TimedWait::rest() {
  while (how_ == How::outside && !real_time_is_over()) {
    const timespec span{slice_.count() / 1'000'000'000, slice_.count() % 1'000'000'000};
    if (syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &span, nullptr) != 0) return Rest::interrupted;
  }
  if (how_ != How::by_rank && how_ != How::in_turns) {
    is_over();
    return Rest::over;
  }
  ProgramThread& self = ProgramThreads::own().self();
  {
    const WithoutHandlers without_handlers;
    begin_among_threads();
    if (how_ == How::by_rank) RankWaits::own().look_now(self);
  }
  bool is_interrupted = false;
  while (!is_interrupted) {
    const std::uint32_t heard = self.timed.bell.heard();
    if (was_left() || self.timed.is_over || self.timed.is_woken || self.timed.is_cancelled) break;
    self.waits_for_thread = true;  // asleep, it does; as long as it waits for a lock it does not
    is_interrupted = !self.timed.bell.wait_or_handle(heard);
  }
  const WithoutHandlers without_handlers;
  if (was_left()) return Rest::interrupted;
  if (self.timed.is_woken || self.timed.is_over) {
    const Rest why = self.timed.is_woken ? Rest::woken : Rest::over;
    end_among_threads();
    return why;
  }
  self.waits_for_thread = false;
  self.timed.interruptions = interruptions_ = self.interruptions;
  return self.timed.is_cancelled.exchange(false) ? Rest::cancelled : Rest::interrupted;
}

SimTime TimedWait::left() const {
  constexpr SimTime nanosecond = SimTime::from_ps(1000);
  return std::max(nanosecond, deadline_ - rank_.look_at_clock(call_).value_or(begin_));
}

SimTime rest_of(TimedWait& wait) {
  while (true) {
    switch (wait.rest()) {
      case TimedWait::Rest::over:
      case TimedWait::Rest::woken:
        return SimTime();
      case TimedWait::Rest::interrupted:
        wait.has_come();
        return wait.left();
      case TimedWait::Rest::cancelled:
        wait.has_come();
        pthread_testcancel();
    }
  }
}

bool somebody_waits_on_objects() {
  return waiting_on_objects.load(std::memory_order_relaxed) > 0;
}

bool wake_waiters_on(const void* object, std::size_t most) {
  const LiveRank* const rank = LiveRank::active();
  ThreadTurns* const turns = rank == nullptr ? nullptr : rank->turns();
  const SimTime now = turns == nullptr ? SimTime() : turns->now();
  ProgramThreads& threads = ProgramThreads::own();
  ProgramThread& self = threads.self();
  const bool arrives = self.place == Place::program;
  if (arrives) arrive(self);
  const ThreadsLock lock(threads);
  if (arrives) go_on(self);
  bool any = false;
  for (; most > 0; --most) {
    ProgramThread* first = nullptr;
    for (ProgramThread& thread : threads.all())
      if (thread.place == Place::timed && thread.timed.object == object &&
          (first == nullptr || thread.timed.arrival < first->timed.arrival))
        first = &thread;
    if (first == nullptr) break;
    first->timed.woken_at = now;
    forget_object(*first);
    first->end_timed_wait(first->timed.is_woken);
    any = true;
  }
  return any;
}

void wake_to_cancel(pthread_t handle) {
  ProgramThreads& threads = ProgramThreads::own();
  ProgramThread& self = threads.self();
  const bool arrives = self.place == Place::program;
  if (arrives) arrive(self);  // who waits for the lock runs
  const ThreadsLock lock(threads);
  if (arrives) go_on(self);
  for (ProgramThread& thread : threads.all()) {
    if (thread.kernel_number == 0 || pthread_equal(thread.handle, handle) == 0) continue;
    thread.timed.is_cancelled = true;  // also of one that is about to begin a wait
    thread.timed.bell.ring();
  }
}

void mark_wait_for_thread(bool waits) {
  ProgramThreads::own().self().waits_for_thread = waits;
}

void leave_abandoned_wait() {
  ProgramThread& self = ProgramThreads::own().self();
  self.waits_for_thread = false;
  self.lets_expire_until_ps = -1;
  const Place place = self.place;
  if (place != Place::timed && place != Place::arriving) return;  // it may have been woken, too
  const ThreadsLock lock;
  forget_object(self);
  self.place = Place::program;
  ++self.timed.number;
  self.timed.bell.ring();  // so that who was about to sleep on it looks again
}

WaitForTimer::WaitForTimer() {
  leave_abandoned_wait();
  mark_wait_for_thread(true);
}

}  // namespace morgana
