#include "pvmshim/clock/interposed/armed_timers.h"

#include <algorithm>

#include "pvmshim/clock/rank_waits.h"
#include "pvmshim/clock/time_of_day.h"

namespace morgana {

SimTime time_for_timers(LiveRank& rank) {
  if (ThreadTurns* const turns = rank.turns()) return turns->now();
  return rank.look_at_clock(Call::unknown).value_or(rank.latest());
}

ProgramTimers::Setting arm_timer(LiveRank& rank, ProgramTimers::Timer& timer, const itimerspec& value,
                                 bool is_absolute, const timespec& start) {
  ProgramTimers& timers = ProgramTimers::own();
  const SimTime now = time_for_timers(rank);
  const bool is_armed = value.it_value.tv_sec != 0 || value.it_value.tv_nsec != 0;
  const SimTime point = is_absolute ? point_of(value.it_value, start) : now + time_of(value.it_value);
  const auto before = timers.set(timer, is_armed ? point : SimTime::max(),
                                 is_armed ? time_of(value.it_interval) : SimTime(), now);
  if (!is_armed) return before;
  if (point <= now) timers.expire_until(now);
  RankWaits::own().timer_is_armed(rank);
  if (ThreadTurns* const turns = rank.turns()) turns->timer_is_armed();
  return before;
}

itimerspec as_itimerspec(const ProgramTimers::Setting& setting) {
  return {timespec_of(setting.interval), timespec_of(setting.left)};
}

}  // namespace morgana
