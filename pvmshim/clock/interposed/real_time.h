#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>

#include "pvmshim/channel/processor_clock.h"

namespace morgana {

constexpr timespec as_timespec(std::chrono::nanoseconds span) {
  return {span.count() / 1'000'000'000, span.count() % 1'000'000'000};
}

/// A point of a real clock so far from now, for a call of the kernel.
inline timespec real_time_in(std::chrono::nanoseconds span, clockid_t clock) {
  return as_timespec(std::chrono::nanoseconds(read_clock_ns(clock).value_or(0)) + span);
}

}  // namespace morgana
