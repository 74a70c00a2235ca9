#pragma once

#include <time.h>

#include "pvmshim/clock/live_rank.h"
#include "pvmshim/clock/program_timers.h"

namespace morgana {

/// The simulated time that a timer of the calling thread starts from.
SimTime time_for_timers(LiveRank& rank);

/// Arms a timer as timer_settime() does. @param value  valid; 0 disarms it. @param start  of the timer's
/// clock (start_of_clock). @return what it was set to
ProgramTimers::Setting arm_timer(LiveRank& rank, ProgramTimers::Timer& timer, const itimerspec& value,
                                 bool is_absolute, const timespec& start);

itimerspec as_itimerspec(const ProgramTimers::Setting& setting);

}  // namespace morgana
