// The C library's timers that count a wall clock or a clock since some start. Those that count CPU time
// (ITIMER_VIRTUAL, ITIMER_PROF) are the kernel's, and so are all that were made before the process was a
// rank.

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>

#include "pvmshim/clock/interposed/armed_timers.h"
#include "pvmshim/clock/interposed/program_thread.h"
#include "pvmshim/clock/libc_call.h"
#include "pvmshim/clock/time_of_day.h"

using namespace morgana;

namespace {

using Timer = ProgramTimers::Timer;

/// That of alarm() and setitimer().
Timer& alarm_timer() {
  static Timer& timer = [&]() -> Timer& {
    TimerAction action;
    action.kind = TimerAction::Kind::signal;
    action.signal = SIGALRM;
    return ProgramTimers::own().create(action);
  }();
  return timer;
}

itimerval as_itimerval(const itimerspec& value) {
  return {in_us(value.it_interval), in_us(value.it_value)};
}

constexpr timespec in_ns(const timeval& time) {
  return {time.tv_sec, time.tv_usec * 1000};
}

constexpr bool is_valid(const timeval& time) {
  return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < 1'000'000;
}

/// One that the program has set before it was a rank goes on in real time, until it sets another one.
itimerspec set_alarm(LiveRank& rank, const itimerspec& value) {
  constexpr itimerval none{};
  itimerval real{};
  MORGANA_LIBC(setitimer)(ITIMER_REAL, &none, &real);
  const itimerspec before = as_itimerspec(arm_timer(rank, alarm_timer(), value, false, {}));
  const bool was_real = real.it_value.tv_sec != 0 || real.it_value.tv_usec != 0;
  return was_real ? itimerspec{in_ns(real.it_interval), in_ns(real.it_value)} : before;
}

/// As alarm() does.
unsigned in_whole_seconds(const timespec& time) {
  constexpr long half = 500'000'000;
  const bool is_up = time.tv_nsec >= half || (time.tv_sec == 0 && time.tv_nsec > 0);
  return static_cast<unsigned>(time.tv_sec + (is_up ? 1 : 0));
}

/// A timer whose clock is simulated.
Timer* simulated(timer_t timer) {
  return LiveRank::active() == nullptr ? nullptr : ProgramTimers::own().find(timer);
}

/// What a helper thread needs to call a timer's function, each time in a thread of its own.
struct Caller {
  TimerCalls* calls;
  void (*function)(sigval);
  sigval value;
  std::optional<pthread_attr_t> attributes;
};

struct OneCall {
  void (*function)(sigval);
  sigval value;
};

void* run_call(void* given) {
  const OneCall call = *static_cast<OneCall*>(given);
  delete static_cast<OneCall*>(given);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  call.function(call.value);
  return nullptr;
}

void* run_caller(void* given) {
  const std::unique_ptr<Caller> caller(static_cast<Caller*>(given));
  while (caller->calls->take()) {
    auto call = std::make_unique<OneCall>(OneCall{caller->function, caller->value});
    pthread_t thread{};
    const pthread_attr_t* const attributes = caller->attributes ? &*caller->attributes : nullptr;
    if (create_program_thread(&thread, attributes, run_call, call.get()) != 0) continue;
    static_cast<void>(call.release());  // the thread's
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &state);
    if (state == PTHREAD_CREATE_JOINABLE) pthread_detach(thread);
  }
  ProgramTimers::own().destroy(caller->calls);
  return nullptr;
}

/// @return an error's number
int start_caller(const sigevent& event, TimerCalls* calls) {
  auto caller =
      std::make_unique<Caller>(Caller{calls, event.sigev_notify_function, event.sigev_value, std::nullopt});
  // The program may change its attributes, or destroy them.
  if (event.sigev_notify_attributes != nullptr) caller->attributes = *event.sigev_notify_attributes;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const int error = create_program_thread(&thread, nullptr, run_caller, caller.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return error;
  static_cast<void>(caller.release());  // the thread's
  pthread_detach(thread);
  return 0;
}

/// Nothing if the kernel knows better what is wrong with it.
std::optional<TimerAction> action_of(const sigevent& event) {
  TimerAction action;
  action.signal = event.sigev_signo;
  action.value = event.sigev_value;
  const bool has_signal = event.sigev_signo > 0 && event.sigev_signo < NSIG;
  switch (event.sigev_notify) {
    case SIGEV_NONE:
      return action;
    case SIGEV_SIGNAL:
      action.kind = TimerAction::Kind::signal;
      return has_signal ? std::optional(action) : std::nullopt;
    case SIGEV_THREAD_ID:
      action.kind = TimerAction::Kind::to_thread;
      action.thread = event._sigev_un._tid;
      return has_signal ? std::optional(action) : std::nullopt;
    case SIGEV_THREAD:
      action.kind = TimerAction::Kind::call;
      return action;
    default:
      return std::nullopt;
  }
}

}  // namespace

MORGANA_EXPORT unsigned int alarm(unsigned int seconds) noexcept {
  LiveRank* const rank = rank_for(__builtin_return_address(0));
  if (rank == nullptr) return MORGANA_LIBC(alarm)(seconds);
  return in_whole_seconds(set_alarm(*rank, {{}, {seconds, 0}}).it_value);
}

MORGANA_EXPORT useconds_t ualarm(useconds_t value, useconds_t interval) noexcept {
  LiveRank* const rank = rank_for(__builtin_return_address(0));
  if (rank == nullptr) return MORGANA_LIBC(ualarm)(value, interval);
  const auto in_parts = [](useconds_t us) { return timespec{us / 1'000'000, us % 1'000'000 * 1000L}; };
  const timespec left = set_alarm(*rank, {in_parts(interval), in_parts(value)}).it_value;
  return static_cast<useconds_t>(left.tv_sec * 1'000'000 + left.tv_nsec / 1000);
}

MORGANA_EXPORT int setitimer(__itimer_which_t which, const itimerval* value, itimerval* before) noexcept {
  LiveRank* const rank = which != ITIMER_REAL ? nullptr : rank_for(__builtin_return_address(0));
  if (rank == nullptr || value == nullptr || !is_valid(value->it_value) || !is_valid(value->it_interval))
    return MORGANA_LIBC(setitimer)(which, value, before);
  const itimerspec old = set_alarm(*rank, {in_ns(value->it_interval), in_ns(value->it_value)});
  if (before != nullptr) *before = as_itimerval(old);
  return 0;
}

MORGANA_EXPORT int getitimer(__itimer_which_t which, itimerval* value) noexcept {
  LiveRank* const rank = which != ITIMER_REAL ? nullptr : rank_for(__builtin_return_address(0));
  if (rank == nullptr) return MORGANA_LIBC(getitimer)(which, value);
  const int error = MORGANA_LIBC(getitimer)(which, value);
  if (error != 0 || value->it_value.tv_sec != 0 || value->it_value.tv_usec != 0) return error;
  *value = as_itimerval(as_itimerspec(ProgramTimers::own().read(alarm_timer(), time_for_timers(*rank))));
  return 0;
}

MORGANA_EXPORT int timer_create(clockid_t clock, sigevent* event, timer_t* timer) noexcept {
  LiveRank* const rank = rank_for(__builtin_return_address(0));
  const auto kind = kind_of_clock(clock);
  if (rank == nullptr || !kind || *kind == ClockKind::processor)
    return MORGANA_LIBC(timer_create)(clock, event, timer);
  sigevent standard{};
  standard.sigev_notify = SIGEV_SIGNAL;
  standard.sigev_signo = SIGALRM;
  auto action = action_of(event == nullptr ? standard : *event);
  if (!action) return MORGANA_LIBC(timer_create)(clock, event, timer);
  if (action->kind == TimerAction::Kind::call) {
    auto calls = std::make_unique<TimerCalls>();
    if (start_caller(*event, calls.get()) != 0) {
      errno = EAGAIN;
      return -1;
    }
    action->calls = calls.release();  // the helper's
  }
  action->clock = clock;
  Timer& made = ProgramTimers::own().create(*action);
  if (event == nullptr) made.action.value.sival_ptr = &made;
  *timer = &made;
  return 0;
}

MORGANA_EXPORT int timer_settime(timer_t timer, int flags, const itimerspec* value,
                                 itimerspec* before) noexcept {
  Timer* const made = simulated(timer);
  if (made == nullptr) return MORGANA_LIBC(timer_settime)(timer, flags, value, before);
  if (value == nullptr || !is_valid(value->it_value) || !is_valid(value->it_interval)) {
    errno = EINVAL;
    return -1;
  }
  const timespec start = start_of_clock(made->action.clock).value_or(timespec{});
  const auto old = arm_timer(*LiveRank::active(), *made, *value, (flags & TIMER_ABSTIME) != 0, start);
  if (before != nullptr) *before = as_itimerspec(old);
  return 0;
}

MORGANA_EXPORT int timer_gettime(timer_t timer, itimerspec* value) noexcept {
  Timer* const made = simulated(timer);
  if (made == nullptr) return MORGANA_LIBC(timer_gettime)(timer, value);
  *value = as_itimerspec(ProgramTimers::own().read(*made, time_for_timers(*LiveRank::active())));
  return 0;
}

MORGANA_EXPORT int timer_getoverrun(timer_t timer) noexcept {
  Timer* const made = simulated(timer);
  return made == nullptr ? MORGANA_LIBC(timer_getoverrun)(timer) : ProgramTimers::own().overrun(*made);
}

MORGANA_EXPORT int timer_delete(timer_t timer) noexcept {
  const auto action = LiveRank::active() == nullptr ? std::nullopt : ProgramTimers::own().remove(timer);
  return action ? 0 : MORGANA_LIBC(timer_delete)(timer);
}
