#include "pvmshim/clock/program_timers.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <csignal>
#include <cstdint>

#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/clock/event_counter.h"
#include "pvmshim/clock/program_threads.h"
#include "pvmshim/clock/signal_target.h"
#include "pvmshim/clock/without_handlers.h"

namespace morgana {
namespace {

/// The calling thread lets timers expire, with these signals blocked. A handler blocks its own signal
/// besides.
struct Expiring {
  bool is_under_way = false;
  sigset_t blocked{};
};
thread_local Expiring expiring;

std::int64_t wall_now_ns() {
  return read_clock_ns(CLOCK_MONOTONIC).value_or(0);
}

bool is_signal(const TimerAction& action) {
  return action.kind == TimerAction::Kind::signal || action.kind == TimerAction::Kind::to_thread;
}

bool has_handler(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL &&
         action.sa_handler != SIG_IGN;
}

/// Before the signal is sent. To be held: a ThreadsLock.
void count_interruption(int signal, const SignalTarget& target) {
  if (target.thread == 0 || !has_handler(signal)) return;
  for (ProgramThread& thread : ProgramThreads::own().all())
    if (thread.kernel_number == target.thread) ++thread.interruptions;
}

/// Whether one pending signal may be that of either.
bool go_the_same_way(const TimerAction& one, const TimerAction& other) {
  return is_signal(one) && is_signal(other) && one.signal == other.signal && one.thread == other.thread;
}

/// @param thread  0: the process
void send(int signal, siginfo_t about, pid_t thread) {
  const pid_t process = getpid();
  if (thread != 0 && syscall(SYS_rt_tgsigqueueinfo, process, thread, signal, &about) == 0) return;
  if (syscall(SYS_rt_sigqueueinfo, process, signal, &about) != 0) kill(process, signal);  // too many wait
}

void send(const TimerAction& action, pid_t thread, const void* timer) {
  siginfo_t about{};
  about.si_signo = action.signal;
  about.si_code = SI_TIMER;
  about.si_value = action.value;
  about.si_timerid = static_cast<int>(reinterpret_cast<std::uintptr_t>(timer) & INT_MAX);
  if (action.kind == TimerAction::Kind::signal) return send(action.signal, about, thread);
  syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, action.signal, &about);
}

void carry_out(const TimerAction& action, const SignalTarget& target, std::uint64_t times,
               const void* timer) {
  switch (action.kind) {
    case TimerAction::Kind::none:
      return;
    case TimerAction::Kind::signal:
      return send(action, target.thread, timer);
    case TimerAction::Kind::to_thread:
      return send(action, action.thread, timer);
    case TimerAction::Kind::call:
      return;  // has been told in take_due()
    case TimerAction::Kind::descriptor:
      return add_to_event_counter(action.descriptor, times);
  }
}

}  // namespace

/// While it lives no handler runs in the calling thread, which counts as running, although it may wait for a
/// lock.
class AtWork {
 public:
  AtWork() : thread_(ProgramThreads::known_self()) {
    if (thread_ != nullptr && thread_->place != ProgramThread::Place::program) thread_ = nullptr;
    if (thread_ != nullptr) thread_->place = ProgramThread::Place::arriving;
  }
  ~AtWork() {
    if (thread_ != nullptr) thread_->place = ProgramThread::Place::program;
  }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  WithoutHandlers without_handlers_;
  ProgramThread* thread_;
};

/// Handlers of the program must find the lock free.
class ProgramTimers::Lock {
 public:
  explicit Lock(ProgramTimers& timers) : guard_(timers.mutex_) {}

 private:
  AtWork at_work_;
  std::lock_guard<std::mutex> guard_;
};

ProgramTimers& ProgramTimers::own() {
  // Never destroyed: timers may expire until the process ends.
  static auto* const timers = new ProgramTimers;
  return *timers;
}

/// A forked child has none.
ProgramTimers::ProgramTimers() : first_ps_(SimTime::max().ps()) {
  pthread_atfork(nullptr, nullptr, [] { own().first_ps_ = SimTime::max().ps(); });
}

ProgramTimers::Timer& ProgramTimers::create(const TimerAction& action) {
  const Lock lock(*this);
  const auto free = std::ranges::find(timers_, false, &Timer::exists);
  Timer& timer = free == timers_.end() ? timers_.emplace_back() : *free;
  timer = Timer();
  timer.action = action;
  return timer;
}

std::optional<TimerAction> ProgramTimers::remove(const void* timer) {
  const Lock lock(*this);
  for (Timer& one : timers_) {
    if (&one != timer || !one.exists) continue;
    one.exists = false;
    one.deadline = SimTime::max();
    find_first();
    if (one.action.calls != nullptr) one.action.calls->end();
    return one.action;
  }
  return std::nullopt;
}

void ProgramTimers::destroy(TimerCalls* calls) {
  {
    const Lock lock(*this);  // who has ended them is ready with them
  }
  delete calls;
}

ProgramTimers::Timer* ProgramTimers::find(const void* timer) {
  const Lock lock(*this);
  for (Timer& one : timers_)
    if (&one == timer && one.exists) return &one;
  return nullptr;
}

ProgramTimers::Timer* ProgramTimers::find_descriptor(int descriptor) {
  const Lock lock(*this);
  for (Timer& one : timers_)
    if (one.exists && one.action.kind == TimerAction::Kind::descriptor &&
        one.action.descriptor == descriptor && is_event_counter(descriptor, one.action.event_id))
      return &one;
  return nullptr;
}

void ProgramTimers::forget_descriptor(int descriptor) {
  const Lock lock(*this);
  for (Timer& one : timers_) {
    if (one.action.kind != TimerAction::Kind::descriptor || one.action.descriptor != descriptor) continue;
    one.exists = false;
    one.deadline = SimTime::max();
  }
  find_first();
}

void ProgramTimers::find_first() {
  SimTime first = SimTime::max();
  for (const Timer& timer : timers_)
    if (timer.action.kind != TimerAction::Kind::none) first = std::min(first, timer.deadline);
  first_ps_.store(first.ps(), std::memory_order_release);
}

ProgramTimers::Setting ProgramTimers::set(Timer& timer, SimTime deadline, SimTime interval, SimTime now) {
  const Setting before = read(timer, now);
  if (deadline < SimTime::max()) expect_handlers();
  const Lock lock(*this);
  timer.deadline = deadline;
  timer.interval = interval;
  timer.overrun = 0;
  timer.is_queued = false;
  timer.real_span_ns = deadline == SimTime::max() ? 0 : std::max(SimTime(), deadline - now).ps() / 1000;
  timer.real_end_ns = wall_now_ns() + timer.real_span_ns;
  find_first();
  return before;
}

/// One that has expired without anything that could be seen goes on when it is read.
ProgramTimers::Setting ProgramTimers::read(Timer& timer, SimTime now) {
  constexpr SimTime nanosecond = SimTime::from_ps(1000);
  const Lock lock(*this);
  if (timer.deadline == SimTime::max()) return {SimTime(), timer.interval};
  if (timer.deadline > now) return {std::max(nanosecond, timer.deadline - now), timer.interval};
  // A one-shot timer that has expired shows 0; the next expiration of the others may not have been due.
  if (timer.interval == SimTime())
    return {timer.action.kind == TimerAction::Kind::none ? SimTime() : nanosecond, timer.interval};
  const std::int64_t past = (now - timer.deadline).ps() % timer.interval.ps();
  return {std::max(nanosecond, timer.interval - SimTime::from_ps(past)), timer.interval};
}

int ProgramTimers::overrun(Timer& timer) {
  const Lock lock(*this);
  return timer.overrun;
}

ProgramTimers::First ProgramTimers::look_at_first() {
  const Lock lock(*this);
  for (const Timer& timer : timers_)
    if (timer.deadline == first() && timer.action.kind != TimerAction::Kind::none)
      return {timer.deadline, timer.real_span_ns, timer.real_end_ns};
  return {SimTime::max(), 0, 0};
}

ProgramTimers::Timer* ProgramTimers::find_due(SimTime now) {
  Timer* due = nullptr;
  for (Timer& timer : timers_) {
    if (timer.action.kind == TimerAction::Kind::none || timer.deadline > now) continue;
    if (due == nullptr || timer.deadline < due->deadline) due = &timer;
  }
  return due != nullptr && due->deadline < SimTime::max() ? due : nullptr;
}

std::optional<ProgramTimers::Due> ProgramTimers::look_at_due(SimTime now) {
  const Lock lock(*this);
  const Timer* const due = find_due(now);
  return due == nullptr ? std::nullopt : std::optional(Due{due->action, 0, due});
}

/// Of a signal that can be handled each expiration is one; else those until `now` are one with a number. A
/// signal without a queue is one for all timers, else each timer has its own.
/// @param seen  what was due. @param target  where its signal goes, if it has one
/// @return nothing if it is not due any more
std::optional<ProgramTimers::Due> ProgramTimers::take_due(SimTime now, const Due& seen,
                                                          const SignalTarget& target) {
  const Lock lock(*this);
  Timer* const due = find_due(now);
  if (due == nullptr || due != seen.timer) return std::nullopt;
  if (due->action.kind == TimerAction::Kind::descriptor &&
      !is_event_counter(due->action.descriptor, due->action.event_id)) {  // the program has closed it
    due->exists = false;
    due->deadline = SimTime::max();
    find_first();
    return Due{due->action, 0, due};
  }
  if (!target.is_pending)
    for (Timer& timer : timers_)
      if (go_the_same_way(timer.action, due->action)) timer.is_queued = false;
  const bool merges =
      is_signal(due->action) && target.is_pending && (due->is_queued || due->action.signal < SIGRTMIN);
  std::uint64_t times = 1;
  if (due->interval == SimTime()) {
    due->deadline = SimTime::max();
  } else {
    if (merges || !is_signal(due->action))
      times += static_cast<std::uint64_t>((now - due->deadline).ps() / due->interval.ps());
    due->deadline = due->deadline + SimTime::from_ps(static_cast<std::int64_t>(times) * due->interval.ps());
    due->real_span_ns = due->interval.ps() / 1000;
    due->real_end_ns += static_cast<std::int64_t>(times) * due->real_span_ns;
  }
  if (is_signal(due->action)) {
    constexpr std::uint64_t most = INT_MAX;
    due->overrun =
        merges ? static_cast<int>(std::min(most, static_cast<std::uint64_t>(due->overrun) + times)) : 0;
    if (merges) times = 0;
    due->is_queued = target.thread == 0;
  }
  if (due->action.kind == TimerAction::Kind::call) due->action.calls->add(times);
  find_first();
  return Due{due->action, times, due};
}

void ProgramTimers::pass_on_signals() {
  std::uint64_t of_timers = 0;
  {
    const Lock lock(*this);
    for (const Timer& timer : timers_)
      if (timer.action.kind == TimerAction::Kind::signal)
        of_timers |= std::uint64_t{1} << (timer.action.signal - 1);
  }
  if (of_timers == 0) return;
  while (const std::uint64_t stuck = pending_for_caller() & of_timers) {
    const int signal = std::countr_zero(stuck) + 1;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    siginfo_t about{};
    constexpr timespec at_once{};
    if (syscall(SYS_rt_sigtimedwait, &one, &about, &at_once, sizeof stuck) != signal) return;
    if (about.si_code != SI_TIMER) continue;  // it was for this thread
    const ThreadsLock lock;
    const SignalTarget target = find_target(signal);
    count_interruption(signal, target);
    send(signal, about, target.thread);
  }
}

bool ProgramTimers::expire_one(SimTime now) {
  const AtWork at_work;
  const ThreadsLock threads_lock;
  const auto seen = look_at_due(now);
  if (!seen) return false;
  const SignalTarget target =
      is_signal(seen->action) ? find_target(seen->action.signal, seen->action.thread) : SignalTarget();
  if (target.thread != 0 && target.is_pending) return false;  // it will be taken in a moment
  const auto due = take_due(now, *seen, target);
  if (!due) return false;
  if (due->times == 0) return true;
  if (is_signal(due->action)) count_interruption(due->action.signal, target);
  carry_out(due->action, target, due->times, due->timer);
  return true;
}

void ProgramTimers::expire_until(SimTime now) {
  pthread_sigmask(SIG_BLOCK, nullptr, &expiring.blocked);
  expiring.is_under_way = true;
  // Each handler is to run before the next signal is sent; so nobody else sends one.
  ProgramThread* const self = ProgramThreads::known_self();
  if (self != nullptr) self->lets_expire_until_ps = now.ps();
  while (first() <= now && expire_one(now)) {
  }
  if (self != nullptr) self->lets_expire_until_ps = -1;
  expiring.is_under_way = false;
}

void ProgramTimers::expire_in_passing(SimTime now) {
  if (!is_within_handler()) expire_until(now);
}

bool ProgramTimers::is_within_handler() const {
  if (!expiring.is_under_way) return false;
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  for (int signal = 1; signal < NSIG; ++signal)
    if (sigismember(&blocked, signal) == 1 && sigismember(&expiring.blocked, signal) == 0) return true;
  return false;
}

void TimerCalls::add(std::uint64_t times) {
  due_ += times;
  bell_.ring();
}

void TimerCalls::end() {
  has_ended_ = true;
  add(0);
}

bool TimerCalls::take() {
  while (true) {
    const std::uint32_t heard = bell_.heard();
    if (due_ > 0) {
      --due_;
      return true;
    }
    if (has_ended_) return false;
    bell_.wait(heard);
  }
}

}  // namespace morgana
