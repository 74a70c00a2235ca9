#include "pvmshim/clock/rank_waits.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>
#include <vector>

#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/clock/program_timers.h"

namespace morgana {
namespace {

using Place = ProgramThread::Place;
using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds shortest_look = 20us, longest_look = 1ms;
constexpr std::int64_t least_patience_with_spinners_ns = 1'000'000;

std::int64_t real_now_ns() {
  return read_clock_ns(CLOCK_MONOTONIC).value_or(0);
}

}  // namespace

RankWaits& RankWaits::own() {
  // Never destroyed: threads may wait until the process ends.
  static auto* const waits = new RankWaits;
  return *waits;
}

void RankWaits::begin(LiveRank& rank, ProgramThread& thread) {
  const Lock lock;
  rank_ = &rank;
  thread.used_when_seen = -1;
  thread.is_passed_over = false;
  thread.place = Place::timed;
  start_clerk();
  clerk_.ring();
}

void RankWaits::timer_is_armed(LiveRank& rank) {
  rank_ = &rank;
  start_clerk();
  clerk_.ring();
}

void RankWaits::turns_are_over(LiveRank& rank) {
  const Lock lock;
  const bool any = ProgramTimers::own().any() ||
                   std::ranges::any_of(ProgramThreads::own().all(), [](const ProgramThread& thread) {
                     return thread.place == Place::timed;
                   });
  if (any) timer_is_armed(rank);
}

bool RankWaits::is_in_charge() const {
  const LiveRank* const rank = rank_;
  return rank != nullptr && (!rank->threads_take_turns() || rank->is_over());
}

void RankWaits::start_clerk() {
  const WithoutHandlers without_handlers;  // none runs in the clerk, either
  if (!has_clerk_.exchange(true)) std::thread([this] { run_clerk(); }).detach();
}

void RankWaits::look_now(const ProgramThread& self) {
  const WithoutHandlers without_handlers;
  Lock lock;
  if (somebody_looks_ || self.place != Place::timed) return;
  somebody_looks_ = true;
  while (self.place == Place::timed && step(lock, &self)) {
  }
  somebody_looks_ = false;
}

/// The shim's own thread, which looks after those that wait.
void RankWaits::run_clerk() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  Lock lock;
  std::chrono::nanoseconds pause{};
  while (true) {
    const std::uint32_t heard = clerk_.heard();
    if (first() == nullptr && !timer_comes_before(nullptr)) {
      pause = {};
      lock.unlock();
      clerk_.wait(heard);
      lock.lock();
      continue;
    }
    bool goes_on = false;
    if (!somebody_looks_) {
      somebody_looks_ = true;
      goes_on = step(lock, nullptr);
      somebody_looks_ = false;
    }
    pause = goes_on ? 0ns : std::clamp(2 * pause, shortest_look, longest_look);
    if (goes_on) continue;
    lock.unlock();
    clerk_.wait(heard, pause);
    lock.lock();
  }
}

/// Of equal deadlines that of the thread that is older.
ProgramThread* RankWaits::first() {
  ProgramThread* first = nullptr;
  if (!is_in_charge()) return first;
  for (ProgramThread& thread : ProgramThreads::own().all())
    if (thread.place == Place::timed && (first == nullptr || thread.timed.deadline < first->timed.deadline))
      first = &thread;
  return first;
}

/// Ends the first wait if it is over. @param self  the calling thread, if it waits itself
/// @return whether to look again at once
bool RankWaits::step(Lock& lock, const ProgramThread* self) {
  LiveRank& rank = *rank_;
  if (timer_comes_before(first())) {
    if (self == nullptr) return let_timer_expire(lock) || (goes_by_real_time() && end_by_real_time());
    clerk_.ring();  // its signal may be one for the calling thread, whose handler may jump
    return false;
  }
  lock.unlock();  // the emulator may have to be asked
  const std::optional<SimTime> now = rank.look_at_clock(Call::unknown);
  lock.lock();
  ProgramThread* const next = first();
  if (next == nullptr || timer_comes_before(next)) return false;
  if (!now) return end_by_real_time();
  if (next->timed.deadline > *now) {
    const Outlook outlook = look(self, next->timed.real_span_ns);
    if (outlook.somebody_runs) return false;
    if (outlook.outside && real_now_ns() < next->timed.real_end_ns) return false;
    // Since the clock was looked at somebody may have called MPI.
    if (rank.settings().processors_are_shared == 0 && !rank.known_clock()) return true;
    rank.sleep_until(next->timed.call, next->timed.deadline);
    rank.look_at_clock(Call::unknown);  // so that whoever goes on finds the new time
  }
  next->end_timed_wait(next->timed.is_over);
  return true;
}

/// A thread is in a call of MPI, where what others compute takes no time, or turns are over: the simulated
/// clock ends no wait, and no timer that comes first does.
bool RankWaits::goes_by_real_time() const {
  const LiveRank& rank = *rank_;
  return rank.threads_take_turns() || rank.is_in_call();
}

/// @return whether any wait was over
bool RankWaits::end_by_real_time() {
  const std::int64_t now = real_now_ns();
  bool any = false;
  for (ProgramThread& thread : ProgramThreads::own().all()) {
    if (thread.place != Place::timed || now < thread.timed.real_end_ns) continue;
    thread.end_timed_wait(thread.timed.is_over);
    any = true;
  }
  return any;
}

bool RankWaits::timer_comes_before(const ProgramThread* first) const {
  const SimTime timer = ProgramTimers::own().first();
  return is_in_charge() && timer < SimTime::max() && (first == nullptr || timer <= first->timed.deadline);
}

/// @return whether to look again at once
bool RankWaits::let_timer_expire(Lock& lock) {
  ProgramTimers& timers = ProgramTimers::own();
  const SimTime deadline = timers.first();
  if (ProgramThreads::own().any_lets_expire(deadline)) return false;
  const bool is_due = timer_is_due(lock);
  if (!is_due || timers.first() != deadline || ProgramThreads::own().any_lets_expire(deadline)) return false;
  lock.unlock();
  timers.expire_one(deadline);
  lock.lock();
  forget_who_spins();
  return true;
}

bool RankWaits::timer_is_due(Lock& lock) {
  LiveRank& rank = *rank_;
  const ProgramTimers::First timer = ProgramTimers::own().look_at_first();
  if (rank.threads_take_turns()) return real_now_ns() >= timer.real_end_ns;
  // A thread that calls, or reads the clock, does not spin.
  if (std::exchange(visits_seen_, rank.visits()) != rank.visits() ||
      std::exchange(shown_seen_, rank.latest()) != rank.latest())
    forget_who_spins();
  const Outlook outlook = look(nullptr, timer.real_span_ns);
  if (outlook.somebody_runs) {
    if (rank.settings().compute == ComputeMode::none) return false;
    const auto now = rank.known_clock();
    return now && *now >= timer.deadline;
  }
  if (outlook.outside && real_now_ns() < timer.real_end_ns) return false;
  lock.unlock();
  const std::optional<SimTime> now = rank.look_at_clock(Call::unknown);
  lock.lock();
  if (!now) return false;  // a thread is in a call of MPI
  if (*now >= timer.deadline) return true;
  // Meanwhile a thread may have been woken from outside.
  if (!timer_comes_before(first()) || look(nullptr, timer.real_span_ns).somebody_runs) return false;
  if (rank.settings().processors_are_shared == 0 && !rank.known_clock()) return false;
  rank.sleep_until(Call::nanosleep, timer.deadline);
  rank.look_at_clock(Call::unknown);
  return true;
}

void RankWaits::forget_who_spins() {
  for (ProgramThread& thread : ProgramThreads::own().all()) {
    thread.used_when_seen = -1;
    thread.is_passed_over = false;
  }
}

/// Of all threads but `self`. One after the other they are seen asleep; whoever sleeps again, woken by
/// nobody, and has not run meanwhile has slept all the time: so all of them have slept at once.
/// @param span_ns  how long the first wait would last natively
RankWaits::Outlook RankWaits::look(const ProgramThread* self, std::int64_t span_ns) {
  ProgramThreads& threads = ProgramThreads::own();
  Outlook outlook;
  outlook.somebody_runs = self != nullptr && (threads.will_have_joined(*self) || self->timed.is_cancelled);
  if (outlook.somebody_runs) return outlook;
  std::vector<std::pair<ProgramThread*, std::int64_t>> asleep;
  for (ProgramThread& thread : threads.all()) {
    if (&thread == self || thread.place == Place::joining) continue;
    const std::int64_t used = threads.used_by(thread);
    look_at(thread, span_ns, outlook);
    if (outlook.somebody_runs) return outlook;
    if (!thread.is_passed_over) asleep.emplace_back(&thread, used);
  }
  for (const auto& [thread, used] : asleep) {
    const bool sleeps = thread->place == Place::timed ? thread->sleeps_for_thread()
                                                      : thread->in_kernel.is_asleep(thread->kernel_number);
    if (!sleeps || threads.used_by(*thread) != used) outlook.somebody_runs = true;
  }
  return outlook;
}

void RankWaits::look_at(ProgramThread& thread, std::int64_t span_ns, Outlook& outlook) {
  const Place place = thread.place;
  if (place == Place::timed && ProgramThreads::own().will_have_joined(thread)) {
    outlook.somebody_runs = true;
    return;
  }
  if (place == Place::timed || (place == Place::program && thread.waits_for_thread)) {
    outlook.somebody_runs = !thread.sleeps_for_thread();
    return;
  }
  if (place != Place::program || thread.kernel_number == 0) {
    outlook.somebody_runs = true;
    return;
  }
  switch (thread.in_kernel.what_does(thread.kernel_number)) {
    case ThreadDoes::run:
      outlook.somebody_runs = !is_passed_over(thread, span_ns);
      return;
    case ThreadDoes::wait_otherwise:
      if (thread.is_in_slice && !has_slept_for_long(thread)) {
        outlook.somebody_runs = true;
        return;
      }
      outlook.outside = true;
      [[fallthrough]];
    case ThreadDoes::wait_for_thread:
      thread.used_when_seen = -1;
      thread.is_passed_over = false;
      return;
  }
}

/// Longer than any slice.
bool RankWaits::has_slept_for_long(ProgramThread& thread) {
  const std::int64_t now = real_now_ns();
  if (thread.waits_since < 0) thread.waits_since = now;
  return now - thread.waits_since > ProgramThread::patience_with_slices_ns;
}

bool RankWaits::is_passed_over(ProgramThread& thread, std::int64_t span_ns) {
  if (thread.is_passed_over) return true;
  if (rank_.load()->settings().compute == ComputeMode::measured) return false;
  const std::int64_t used = ProgramThreads::own().used_by(thread);
  if (thread.used_when_seen < 0) thread.used_when_seen = used;
  if (used - thread.used_when_seen <= std::max(patience_ns_, span_ns)) return false;
  patience_ns_ = std::max(patience_ns_ / 4, least_patience_with_spinners_ns);
  return thread.is_passed_over = true;
}

}  // namespace morgana
