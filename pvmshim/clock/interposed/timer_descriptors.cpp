// timerfd: its descriptor is an event counter, which counts expirations and can be read, polled and be part
// of epoll sets like one.

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "pvmshim/clock/event_counter.h"
#include "pvmshim/clock/interposed/armed_timers.h"
#include "pvmshim/clock/libc_call.h"
#include "pvmshim/clock/time_of_day.h"

using namespace morgana;

namespace {

using Timer = ProgramTimers::Timer;

static_assert(int{EFD_CLOEXEC} == int{TFD_CLOEXEC} && int{EFD_NONBLOCK} == int{TFD_NONBLOCK});

Timer* simulated(int descriptor) {
  return LiveRank::active() == nullptr ? nullptr : ProgramTimers::own().find_descriptor(descriptor);
}

/// Expirations that nobody has read are forgotten with a new setting.
void empty(int descriptor) {
  pollfd readable{descriptor, POLLIN, 0};
  const timespec none{};
  std::uint64_t count = 0;
  if (MORGANA_LIBC(ppoll)(&readable, 1, &none, nullptr) == 1)
    static_cast<void>(!MORGANA_LIBC(read)(descriptor, &count, sizeof count));
}

}  // namespace

MORGANA_EXPORT int timerfd_create(__clockid_t clock, int flags) noexcept {
  LiveRank* const rank = rank_for(__builtin_return_address(0));
  const auto kind = kind_of_clock(clock);
  if (rank == nullptr || !kind || *kind == ClockKind::processor ||
      (flags & ~(TFD_CLOEXEC | TFD_NONBLOCK)) != 0)
    return MORGANA_LIBC(timerfd_create)(clock, flags);
  const int descriptor = MORGANA_LIBC(eventfd)(0, flags);
  if (descriptor < 0) return descriptor;
  ProgramTimers::own().forget_descriptor(descriptor);
  TimerAction action;
  action.kind = TimerAction::Kind::descriptor;
  action.descriptor = descriptor;
  action.event_id = number_of_event_counter(descriptor);
  action.clock = clock;
  if (action.event_id == 0) {  // the kernel has no numbers of counters
    MORGANA_LIBC(close)(descriptor);
    return MORGANA_LIBC(timerfd_create)(clock, flags);
  }
  ProgramTimers::own().create(action);
  return descriptor;
}

/// It may have all the numbers of a timer that the program has closed.
MORGANA_EXPORT int eventfd(unsigned int count, int flags) noexcept {
  const int descriptor = MORGANA_LIBC(eventfd)(count, flags);
  if (descriptor >= 0 && LiveRank::active() != nullptr) ProgramTimers::own().forget_descriptor(descriptor);
  return descriptor;
}

MORGANA_EXPORT int timerfd_settime(int descriptor, int flags, const itimerspec* value,
                                   itimerspec* before) noexcept {
  Timer* const timer = simulated(descriptor);
  if (timer == nullptr) return MORGANA_LIBC(timerfd_settime)(descriptor, flags, value, before);
  if (value == nullptr || !is_valid(value->it_value) || !is_valid(value->it_interval)) {
    errno = EINVAL;
    return -1;
  }
  const timespec start = start_of_clock(timer->action.clock).value_or(timespec{});
  // Disarmed first, so that it can't expire between both.
  const auto old = arm_timer(*LiveRank::active(), *timer, {}, false, start);
  empty(descriptor);
  arm_timer(*LiveRank::active(), *timer, *value, (flags & TFD_TIMER_ABSTIME) != 0, start);
  if (before != nullptr) *before = as_itimerspec(old);
  return 0;
}

MORGANA_EXPORT int timerfd_gettime(int descriptor, itimerspec* value) noexcept {
  Timer* const timer = simulated(descriptor);
  if (timer == nullptr) return MORGANA_LIBC(timerfd_gettime)(descriptor, value);
  *value = as_itimerspec(ProgramTimers::own().read(*timer, time_for_timers(*LiveRank::active())));
  return 0;
}
