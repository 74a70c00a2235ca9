#include "pvmshim/channel/own_processor_clock.h"

#include <dlfcn.h>

#include <algorithm>

#include "pvmshim/channel/processor_clock.h"

namespace morgana {
namespace {

using ReadClock = int (*)(clockid_t, timespec*);

/// The C library's own, which needs no system call; the one that a plain call would find is the shim's.
ReadClock find_read_clock() {
  void* const library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : reinterpret_cast<ReadClock>(dlsym(library, "clock_gettime"));
}

std::int64_t wall_ns() {
  static const ReadClock read_clock = find_read_clock();
  timespec now{};
  if (read_clock == nullptr || read_clock(CLOCK_MONOTONIC, &now) != 0)
    return read_clock_ns(CLOCK_MONOTONIC).value_or(0);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

/// How much processor time may pass in a span of the wall clock without a second thread: neither clock is
/// exact to more than a thousandth.
constexpr std::int64_t most_of_one_thread(std::int64_t wall) {
  return wall + wall / 1000 + 1000;
}

}  // namespace

void OwnProcessorClock::calibrate() {
  reading_overhead_ = reckoning_overhead_ = 1'000'000;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t processor = own_processor_ns();
    reading_overhead_ = std::min(reading_overhead_, own_processor_ns() - processor);
    const std::int64_t wall = wall_ns();
    reckoning_overhead_ = std::min(reckoning_overhead_, wall_ns() - wall);
  }
  has_rested();
}

std::int64_t OwnProcessorClock::at_entry() {
  const std::int64_t wall = wall_ns();
  if (may_reckon(wall)) return reckon(wall);
  read_fully(wall);
  return latest_;
}

std::optional<std::int64_t> OwnProcessorClock::in_passing() {
  const std::int64_t wall = wall_ns();
  return may_reckon(wall) ? std::optional(reckon(wall)) : std::nullopt;
}

std::int64_t OwnProcessorClock::at_exit() {
  overhead_ = reckoning_overhead_;
  // After a full reading, reckoned too: without the time that the reading has taken. Again if the thread was
  // kept from the processor meanwhile.
  constexpr int attempts = 4;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const std::int64_t wall = wall_ns();
    if (may_reckon(wall)) return reckon(wall);
    if (exact_readings_ > 0) break;
    read_fully(wall);
  }
  read_fully(wall_ns());
  overhead_ = reading_overhead_;
  return latest_;
}

std::int64_t OwnProcessorClock::reckon(std::int64_t wall) {
  return latest_ = std::max(latest_, processor_ + (wall - wall_));
}

/// @param wall  read before: so what is reckoned from it is never behind the processor clock
void OwnProcessorClock::read_fully(std::int64_t wall) {
  const std::int64_t processor = read_clock_ns(clock_).value_or(processor_);
  if (exact_readings_ > 0) --exact_readings_;
  if (processor - processor_ > most_of_one_thread(wall_ns() - wall_))
    exact_readings_ = exact_readings_with_threads;
  processor_ = processor;
  wall_ = wall;
  rested_ = false;
  latest_ = std::max(latest_, processor);
}

}  // namespace morgana
