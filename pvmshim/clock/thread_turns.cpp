#include "pvmshim/clock/thread_turns.h"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/clock/program_timers.h"

namespace morgana {
namespace {

using Place = ProgramThread::Place;
using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds shortest_nap = 20us, longest_nap = 1ms;
/// While a thread has the turn there is nothing to look for.
constexpr std::chrono::nanoseconds shortest_nap_beside_turn = 100us;
/// A clerk's, while no thread waits.
constexpr std::chrono::nanoseconds rest = 1ms, long_rest = 100ms;

std::int64_t wall_ns() {
  return read_clock_ns(CLOCK_MONOTONIC).value_or(0);
}

}  // namespace

ThreadTurns::ThreadTurns(ProgramThreads& threads, RankInTurns& rank, const ChannelSettings& settings,
                         SimTime now)
    : threads_(threads),
      rank_(rank),
      settings_(settings),
      measured_(settings.compute == ComputeMode::measured),
      outlook_(threads, measured_),
      waits_(threads, rank, measured_, now),
      polls_(threads, rank, measured_) {
  ProgramThread& self = threads_.self();
  const Lock lock(threads_);
  threads_.set_worth(measured_ ? 1e3 * settings.compute_scale : 0);
  threads_.tell_ends(&news_);
  for (ProgramThread& thread : threads_.all()) {
    thread.left_ps = now.ps();
    thread.used_when_left = threads_.used_by(thread);
    thread.used_before = 0;
  }
  self.place = Place::turn;
  holder_ = &self;
  shown_ = now;
  std::thread([this] { run_clerk(); }).detach();
}

SimTime ThreadTurns::now() {
  return threads_.time_of(threads_.self());
}

void ThreadTurns::pass(SimTime time) {
  threads_.self().left_ps += time.ps();
}

SimTime ThreadTurns::take() {
  ProgramThread& self = threads_.self();
  self.place = Place::arriving;  // before it may have to wait for the lock
  self.is_in_slice = false;
  Lock lock(threads_);
  outlook_.somebody_may_run();
  if (lock.has_waited()) self.own_clock.has_rested();
  self.since = time_of_arrival(self);
  self.used_when_seen = self.waits_since = -1;
  self.is_passed_over = false;
  self.place = Place::parked;
  serve(lock, self);
  return std::max(self.since, shown_);
}

bool ThreadTurns::come_to(SimTime time) {
  ProgramThread& self = threads_.self();
  if (self.place != Place::program || self.waits_for_thread) return false;
  const WithoutHandlers without_handlers;
  self.place = Place::arriving;
  Lock lock(threads_);
  outlook_.somebody_may_run();
  self.since = time;
  self.used_when_seen = self.waits_since = -1;
  self.is_passed_over = false;
  self.only_comes = true;
  self.place = Place::parked;
  serve(lock, self);
  self.only_comes = false;
  holder_ = nullptr;
  self.place = Place::program;
  pass_on();
  return true;
}

void ThreadTurns::give_back(SimTime now) {
  const Lock lock(threads_);
  ProgramThread& self = *holder_;
  holder_ = nullptr;
  if (!self.asks_nobody || lock.has_waited()) self.own_clock.has_rested();
  left(self, now);
  self.place = Place::program;
  pass_on();
}

/// Its CPU time without asking the kernel. Nothing, if only that can tell, or what the others use counts,
/// too.
std::optional<std::int64_t> ThreadTurns::used_in_passing(ProgramThread& self) {
  return settings_.cores_per_rank == 0 ? self.own_clock.in_passing() : std::nullopt;
}

/// It goes on in the program.
void ThreadTurns::left(ProgramThread& self, SimTime now) {
  self.left_ps = now.ps();
  latest_ = std::max(latest_, now);
  if (!measured_) return;
  if (const auto used = used_in_passing(self)) {
    self.used_when_left = *used;
    return;
  }
  threads_.remember_others(self);
  self.rests_when_left = ProgramThreads::own_rests();
  self.used_when_left = self.own_clock.at_exit();
}

/// What it has computed since it went on in the program: within some microseconds of a full reading of its
/// clock, as much as has passed on the wall clock. If it has slept meanwhile it has waited for others,
/// and comes as far as the one that has computed most.
SimTime ThreadTurns::time_of_arrival(ProgramThread& self) {
  const SimTime left = SimTime::from_ps(self.left_ps);
  if (!measured_) return left;
  if (const auto used = used_in_passing(self)) {
    const std::int64_t computed = *used - self.used_when_left;
    self.used_before += computed;
    return left + simulated(std::chrono::nanoseconds(computed), settings_);
  }
  const std::int64_t own = self.own_clock.at_entry() - self.used_when_left;
  std::int64_t way = own;
  if (ProgramThreads::own_rests() != self.rests_when_left || settings_.cores_per_rank > 0) {
    std::int64_t longest = own, all = own;
    for (const ProgramThread& other : threads_.all()) {
      if (&other == &self) continue;
      const auto before = self.others_when_left.find(other.number);
      const std::int64_t used =
          threads_.used_in_program(other) - (before == self.others_when_left.end() ? 0 : before->second);
      longest = std::max(longest, used);
      all += used;
    }
    if (ProgramThreads::own_rests() != self.rests_when_left) way = longest;
    if (settings_.cores_per_rank > 0) way = std::max<std::int64_t>(way, all / settings_.cores_per_rank);
  }
  self.used_before += own;
  self.others_when_left.clear();
  self.own_clock.has_rested();  // what others use counts anew from when this one leaves, as do its rests
  return left + simulated(std::chrono::nanoseconds(std::max<std::int64_t>(0, way)), settings_);
}

/// Until the calling thread has the turn. A thread that arrives acts itself, also while another one naps: who
/// is the first by its time goes on without waking anybody.
void ThreadTurns::serve(Lock& lock, ProgramThread& self) {
  self.serves = true;
  bool has_napped = false;
  while (holder_ != &self) {
    const bool may_act = !conducted_ && holder_ == nullptr;
    if (may_act && conduct(lock)) {
      if (std::exchange(has_napped, false)) nap_ = shortest_nap;
      continue;
    }
    self.own_clock.has_rested();
    // Who has the turn will be in the program in a moment, and mostly calls again: nobody has to be woken for
    // that, if somebody looks from time to time.
    if (!conducted_ && napper_ == nullptr) {
      napper_ = &self;
      nap(lock, may_act ? shortest_nap : shortest_nap_beside_turn);
      napper_ = nullptr;
      has_napped = true;
      continue;
    }
    const std::uint32_t heard = self.turn_has_come.heard();
    lock.unlock();
    self.turn_has_come.wait(heard);
    lock.lock();
  }
  self.serves = false;
}

/// @return as act()
bool ThreadTurns::conduct(Lock& lock) {
  conducted_ = true;
  const bool has_acted = act(lock);
  conducted_ = false;
  return has_acted;
}

/// Somebody has to look after those that wait. Who naps does so when that is over, which is soon.
void ThreadTurns::pass_on() {
  if (conducted_ || holder_ != nullptr) return;
  if (napper_ != nullptr) return;
  ProgramThread* next = nullptr;
  bool waits = ProgramTimers::own().any();
  for (ProgramThread& thread : threads_.all()) {
    waits = waits || thread.is_in_call() || thread.place == Place::timed;
    if (thread.serves &&
        (next == nullptr || (next->place == Place::waiting && thread.place == Place::parked)))
      next = &thread;
  }
  if (next != nullptr)
    threads_.ring(next->turn_has_come);
  else if (waits)
    threads_.ring(clerk_);
}

void ThreadTurns::give_turn(ProgramThread& thread) {
  holder_ = &thread;
  outlook_.somebody_may_run();  // in its call it may wake others: by a reduction of its own, say
  thread.place = Place::turn;
  polls_.has_turn(thread);
  const bool wakes_napper = &thread == napper_;
  threads_.ring(thread.turn_has_come);
  if (wakes_napper) threads_.ring(news_);
}

bool ThreadTurns::nobody_else_serves() const {
  return std::ranges::none_of(threads_.all(), [](const ProgramThread& thread) { return thread.serves; });
}

/// The shim's own thread: where no thread waits in here it shows how far they have come, and looks after
/// those that wait in the real library.
void ThreadTurns::run_clerk() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  Lock lock(threads_);
  while (true) {
    const std::uint32_t heard = clerk_.heard();
    const bool waits =
        ProgramTimers::own().any() || std::ranges::any_of(threads_.all(), [](const ProgramThread& thread) {
          return thread.is_in_call() || thread.place == Place::timed;
        });
    const bool acts = !conducted_ && holder_ == nullptr && nobody_else_serves() && (measured_ || waits) &&
                      !rank_.has_exited();
    if (acts) {
      if (conduct(lock))
        nap_ = shortest_nap;
      else
        nap(lock, shortest_nap);
      pass_on();
    }
    if (acts && waits) continue;
    lock.unlock();
    clerk_.wait(heard, measured_ ? rest : long_rest);
    lock.lock();
  }
}

ProgramThread* ThreadTurns::first_parked() {
  ProgramThread* first = nullptr;
  for (ProgramThread& thread : threads_.all())
    if (thread.place == Place::parked && thread.serves && (first == nullptr || thread.since < first->since))
      first = &thread;
  return first;
}

/// One step: gives somebody the turn, or looks after waits. @return false if nothing can be done yet
bool ThreadTurns::act(Lock& lock) {
  const ThreadOutlook::Seen seen = outlook_.look();
  ProgramThread* const first = first_parked();
  SimTime limit = seen.horizon;
  if (first != nullptr) limit = std::min(limit, first->since);
  ProgramThread* const timed = first_deadline();
  if (timed != nullptr) limit = std::min(limit, timed->timed.deadline);
  limit = std::min(limit, ProgramTimers::own().first());
  if (!measured_ && seen.somebody_runs) return false;
  const bool waits = waits_.any();
  if (waits) {
    const auto looked = waits_.look(lock, limit, seen.passed_over ? &outlook_.pace() : nullptr);
    if (looked == ThreadWaits::Looked::acted) return true;
    if (looked == ThreadWaits::Looked::quiet && limit > std::max(shown_, rank_.reached()))
      rank_.show(shown_ = limit);
  }
  if (let_timer_expire(lock, limit, seen)) return true;
  const SimTime timer = ProgramTimers::own().first();  // comes first, even if it has to wait for real time
  const bool is_first_over = timed != nullptr && timed->timed.deadline <= seen.horizon &&
                             timed->timed.deadline < timer &&
                             (first == nullptr || timed->timed.deadline <= first->since) &&
                             (!seen.passed_over || wall_ns() >= timed->timed.real_end_ns);
  if (is_first_over) {
    end_at_deadline(*timed);
    return true;
  }
  const bool comes_first = first != nullptr && (first->since < timer || first->only_comes);
  // Who polls on has called later, and goes before the first all the same if nothing else comes in between.
  ProgramThread* const poller = first == nullptr ? nullptr : polls_.next();
  if (poller != nullptr && poller->place == Place::parked && poller->serves && !poller->only_comes) {
    const SimTime deadline = timed == nullptr ? timer : std::min(timer, timed->timed.deadline);
    if (poller->since <= seen.horizon && poller->since < deadline) {
      give_turn(*poller);
      return true;
    }
  }
  if (comes_first && first->since <= seen.horizon && !(first->polled_at && polls_.hold_up_others())) {
    give_turn(*first);
    return true;
  }
  if (!waits && measured_ && limit > shown_ && limit < SimTime::max()) rank_.show(shown_ = limit);
  return false;
}

/// A nap that nobody has cut short is followed by one a quarter longer, while nothing is found: so what one
/// finds it finds late by a quarter of that time at most.
void ThreadTurns::nap(Lock& lock, std::chrono::nanoseconds shortest) {
  const std::chrono::nanoseconds longest = std::clamp(nap_, shortest, longest_nap);
  const std::uint32_t heard = news_.heard();
  lock.unlock();
  news_.wait(heard, longest);
  lock.lock();
  if (news_.heard() == heard) nap_ = longest + longest / 4;
}

/// Once nobody can act before. @param limit  when anybody, or a timer, acts first
bool ThreadTurns::let_timer_expire(Lock& lock, SimTime limit, const ThreadOutlook::Seen& seen) {
  ProgramTimers& timers = ProgramTimers::own();
  const SimTime deadline = timers.first();
  if (deadline == SimTime::max() || deadline > limit || threads_.any_lets_expire(deadline)) return false;
  const ProgramThread* const first = first_parked();
  if (first != nullptr && first->only_comes && first->since <= deadline) return false;  // who lets it expire
  if (seen.passed_over && !outlook_.have_waited_for(timers.look_at_first())) return false;
  outlook_.somebody_may_run();
  latest_ = std::max(latest_, deadline);
  // A thread that it wakes has waited until then, and so have all that sleep or spin.
  for (ProgramThread& thread : threads_.all()) {
    if (thread.is_in_call()) continue;
    if (thread.place == Place::timed) thread.timed.woken_at = deadline;
    const SimTime time = threads_.time_of(thread);
    if (time < deadline) thread.left_ps += (deadline - time).ps();
  }
  lock.unlock();
  const bool has_expired = timers.expire_one(deadline);
  lock.lock();
  return has_expired;
}

void ThreadTurns::begin_wait(const Operation& operation) {
  const Lock lock(threads_);
  ProgramThread& self = *holder_;
  holder_ = nullptr;
  waits_.begin(self, operation);
  pass_on();
}

const Answer& ThreadTurns::finish_wait() {
  ProgramThread& self = threads_.self();
  Lock lock(threads_);
  serve(lock, self);
  self.has_begun_wait = false;
  return self.answer;
}

bool ThreadTurns::has_begun_wait() {
  return threads_.self().has_begun_wait;
}

void ThreadTurns::look_as_call_ends() {
  Lock lock(threads_);
  waits_.look_as_call_ends(lock);
}

bool ThreadTurns::has_come(RequestId request) {
  const Lock lock(threads_);
  return waits_.find_come(request) != nullptr;
}

std::vector<Completed> ThreadTurns::take_come(Operation& test) {
  const Lock lock(threads_);
  return waits_.take_come(test);
}

ProgramThread* ThreadTurns::first_deadline() {
  ProgramThread* first = nullptr;
  for (ProgramThread& thread : threads_.all())
    if (thread.place == Place::timed && (first == nullptr || thread.timed.deadline < first->timed.deadline))
      first = &thread;
  return first;
}

void ThreadTurns::end_at_deadline(ProgramThread& thread) {
  outlook_.somebody_may_run();
  thread.left_ps = thread.timed.deadline.ps();  // before it notices, nobody may go on to a later time
  thread.end_timed_wait(thread.timed.is_over);
}

SimTime ThreadTurns::timed_wait_begins() {
  ProgramThread& self = threads_.self();
  self.place = Place::arriving;
  const Lock lock(threads_);
  outlook_.somebody_may_run();
  self.own_clock.has_rested();  // it will have
  const SimTime now = time_of_arrival(self);
  left(self, now);
  self.used_when_seen = self.waits_since = -1;
  self.is_passed_over = false;
  return now;
}

void ThreadTurns::waits_until_deadline() {
  const Lock lock(threads_);
  ProgramThread& self = threads_.self();
  self.timed.woken_at = SimTime::max();
  self.place = Place::timed;
  threads_.ring(news_);
  pass_on();
}

void ThreadTurns::timed_wait_ends() {
  ProgramThread& self = threads_.self();
  self.place = Place::arriving;
  const Lock lock(threads_);
  outlook_.somebody_may_run();
  self.own_clock.has_rested();
  const SimTime begin = SimTime::from_ps(self.left_ps);
  const SimTime woken = self.timed.woken_at < SimTime::max() ? self.timed.woken_at : latest_;
  left(self,
       std::max(begin, self.timed.is_over ? self.timed.deadline : std::min(woken, self.timed.deadline)));
  self.place = Place::program;
}

}  // namespace morgana
