// PVM's own clock and sleep.

#include <time.h>

#include "pvmshim/clock/libc_call.h"
#include "pvmshim/clock/time_of_day.h"
#include "pvmshim/pvm/emulate/errors.h"

using morgana::libc_call;

int pvmgetclock(timeval* now) {
  morgana::LiveRank* rank = morgana::LiveRank::active();
  if (rank == nullptr) return MORGANA_LIBC(gettimeofday)(now, nullptr);
  *now = morgana::timeval_of(rank->read_clock(morgana::Call::clock_gettime), rank->settings().epoch_s);
  return PvmOk;
}

int pvmsleep(int seconds) {
  morgana::LiveRank* rank = morgana::LiveRank::active();
  const timespec span{seconds > 0 ? seconds : 0, 0};
  if (rank == nullptr) return MORGANA_LIBC(nanosleep)(&span, nullptr);
  rank->sleep(morgana::Call::sleep, morgana::time_of(span));
  return PvmOk;
}
