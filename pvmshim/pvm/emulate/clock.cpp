// PVM's own clock and sleep.

#include <time.h>

#include "pvmshim/clock/libc_call.h"
#include "pvmshim/clock/time_of_day.h"
#include "pvmshim/clock/timed_wait.h"
#include "pvmshim/pvm/emulate/errors.h"

using morgana::libc_call;

int pvmgetclock(timeval* now) {
  morgana::LiveRank* rank = morgana::LiveRank::active();
  if (rank == nullptr) return MORGANA_LIBC(gettimeofday)(now, nullptr);
  const morgana::SimTime time = rank->read_clock(morgana::Call::clock_gettime);
  *now = morgana::in_us(morgana::timespec_of(time, *morgana::start_of_clock(CLOCK_REALTIME)));
  return PvmOk;
}

int pvmsleep(int seconds) {
  morgana::LiveRank* rank = morgana::LiveRank::active();
  const timespec span{seconds > 0 ? seconds : 0, 0};
  if (rank == nullptr) return MORGANA_LIBC(nanosleep)(&span, nullptr);
  morgana::TimedWait wait(*rank, morgana::Call::sleep, morgana::TimeLimit::within(morgana::time_of(span)),
                          morgana::EndedBy::threads);
  morgana::rest_of(wait);
  return PvmOk;
}
