#include "pvmshim/clock/time_of_day.h"

namespace morgana {

std::optional<std::int64_t> start_of_clock(clockid_t clock, const ChannelSettings& settings) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return settings.epoch_s;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
      return monotonic_start_s;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      return 0;
    default:
      return std::nullopt;
  }
}

}  // namespace morgana
