#include "pvmshim/clock/thread_outlook.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "pvmshim/channel/processor_clock.h"

namespace morgana {
namespace {

using Place = ProgramThread::Place;

/// Who waits for what is no thread is waited for so many times shorter than who runs.
constexpr std::int64_t least_patience_ns = 1'000'000, patience_of_waits = 5;

std::int64_t outlook_wall_ns() {
  return read_clock_ns(CLOCK_MONOTONIC).value_or(0);
}

/// It does nothing before it is given the turn, or something has come.
bool waits_in_shim(const ProgramThread& thread) {
  const Place place = thread.place;
  return place == Place::waiting || place == Place::joining || (place == Place::parked && thread.serves);
}

}  // namespace

void RealPace::begin() {
  since_ns_ = outlook_wall_ns();
}

SimTime RealPace::passed() {
  const std::int64_t wall = outlook_wall_ns();
  return SimTime::from_ps(std::max<std::int64_t>(wall - std::exchange(since_ns_, wall), 1000) * 1000);
}

bool ThreadOutlook::have_waited_for(const ProgramTimers::First& timer) {
  if (outlook_wall_ns() < timer.real_end_ns) return false;
  bool all = true;
  for (ProgramThread& thread : threads_.all()) {
    if (!thread.is_passed_over) continue;
    const bool reads_clock = thread.left_ps != thread.left_when_seen_ps;
    const bool runs = thread.in_kernel.what_does(thread.kernel_number) == ThreadDoes::run;
    const bool spins = threads_.used_by(thread) - thread.used_when_seen >= timer.real_span_ns;
    if (!reads_clock && runs && !spins) return false;
    all = all && !reads_clock;
  }
  for (ProgramThread& thread : threads_.all()) {
    if (!thread.is_passed_over) continue;
    thread.used_when_seen = thread.waits_since = -1;
    thread.is_passed_over = false;
  }
  return all;
}

ThreadOutlook::Seen ThreadOutlook::look() {
  Seen seen;
  // What a thread waits for may have come before it serves.
  const auto comes_back = [](const ProgramThread& thread) {
    return thread.place == Place::parked && !thread.serves;
  };
  if (all_sleep_ && std::ranges::none_of(threads_.all(), comes_back)) return seen;
  std::vector<std::pair<ProgramThread*, std::int64_t>> asked;
  for (ProgramThread& thread : threads_.all())
    if (!waits_in_shim(thread)) asked.emplace_back(&thread, threads_.used_by(thread));
  for (const auto& [asked_about, used] : asked) {
    ProgramThread& thread = *asked_about;
    const SimTime time =
        threads_.time_of(thread);  // before the look: who sleeps then may be woken only later
    if (!holds_up(thread, seen)) continue;
    seen.somebody_runs = true;
    if (!measured_) return seen;                          // no matter who else
    const bool has_come = thread.place == Place::parked;  // and has not noticed yet
    seen.horizon = std::min(seen.horizon, has_come ? thread.since : time);
  }
  if (seen.somebody_runs) return seen;
  // They have been seen asleep one after the other. A thread that is still asleep, and has not run meanwhile,
  // has slept all the time: so all of them have slept at once.
  for (const auto& [thread, used] : asked) {
    if (thread->is_passed_over) continue;
    if (thread->in_kernel.is_asleep(thread->kernel_number) && threads_.used_by(*thread) == used) continue;
    seen.somebody_runs = true;
    seen.horizon = std::min(seen.horizon, threads_.time_of(*thread));
  }
  all_sleep_ = !seen.somebody_runs && !seen.passed_over;
  return seen;
}

/// Whether the thread may do something before another one of the process has.
bool ThreadOutlook::holds_up(ProgramThread& thread, Seen& seen) {
  if (thread.place == Place::parked) return !thread.serves;
  if (thread.is_passed_over) {
    seen.passed_over = true;
    return false;
  }
  if (thread.kernel_number == 0) return true;
  if (thread.place == Place::timed && threads_.will_have_joined(thread)) return true;
  const Place place = thread.place;
  if (place == Place::timed || (place == Place::program && thread.waits_for_thread)) {
    if (!thread.sleeps_for_thread()) return true;
    thread.used_when_seen = -1;  // so it does not spin
    return false;
  }
  const ThreadDoes does = thread.in_kernel.what_does(thread.kernel_number);
  if (thread.place != Place::program) return true;  // asked last: it says so before it waits for our lock
  if (does == ThreadDoes::wait_for_thread) {
    thread.used_when_seen = thread.waits_since = -1;
    return false;
  }
  const std::int64_t used = threads_.used_by(thread);
  if (thread.used_when_seen < 0) {
    thread.used_when_seen = used;
    thread.left_when_seen_ps = thread.left_ps;
  }
  bool too_long = !measured_ && used - thread.used_when_seen > patience_ns_;
  if (does == ThreadDoes::wait_otherwise) {
    const std::int64_t wall = outlook_wall_ns();
    if (thread.waits_since < 0) thread.waits_since = wall;
    const std::int64_t least = thread.is_in_slice ? ProgramThread::patience_with_slices_ns : 0;
    too_long = too_long || wall - thread.waits_since > std::max(patience_ns_ / patience_of_waits, least);
  }
  if (!too_long) return true;
  patience_ns_ = std::max(patience_ns_ / 4, least_patience_ns);
  thread.is_passed_over = seen.passed_over = true;
  pace_.begin();
  return false;
}

}  // namespace morgana
