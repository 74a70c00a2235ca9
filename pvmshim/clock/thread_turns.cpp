#include "pvmshim/clock/thread_turns.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/clock/sleeping_thread.h"

namespace morgana {
namespace {

using Place = ProgramThread::Place;
using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds shortest_nap = 20us, longest_nap = 1ms;
/// A clerk's, while no thread waits.
constexpr std::chrono::nanoseconds rest = 1ms, long_rest = 100ms;
constexpr std::int64_t least_patience_ns = 1'000'000;
/// Who waits for what is no thread is waited for shorter than who runs.
constexpr std::int64_t patience_of_waits = 5;
/// The least time that a wait can be limited to.
constexpr SimTime moment = SimTime::from_ps(1);

std::int64_t wall_ns() {
  return read_clock_ns(CLOCK_MONOTONIC).value_or(0);
}

/// How often the calling thread has gone to sleep.
std::int64_t own_rests() {
  rusage use{};
  getrusage(RUSAGE_THREAD, &use);
  return use.ru_nvcsw;
}

bool is_in_call(const ProgramThread& thread) {
  const Place place = thread.place;
  return place == Place::parked || place == Place::waiting || place == Place::turn;
}

}  // namespace

ThreadTurns::ThreadTurns(ProgramThreads& threads, RankInTurns& rank, const ChannelSettings& settings,
                         SimTime now)
    : threads_(threads),
      rank_(rank),
      settings_(settings),
      measured_(settings.compute == ComputeMode::measured) {
  ProgramThread& self = threads_.self();
  const std::lock_guard lock(threads_.mutex());
  threads_.set_worth(measured_ ? 1e3 * settings.compute_scale : 0);
  threads_.tell_ends(&news_);
  for (ProgramThread& thread : threads_.all()) {
    thread.left_ps = now.ps();
    thread.used_when_left = threads_.used_by(thread);
    thread.used_before = 0;
  }
  self.place = Place::turn;
  holder_ = &self;
  looked_at_ = shown_ = now;
  std::thread([this] { run_clerk(); }).detach();
}

SimTime ThreadTurns::now() {
  return threads_.time_of(threads_.self());
}

void ThreadTurns::pass(SimTime time) {
  threads_.self().left_ps += time.ps();
}

// ---- Calls.

SimTime ThreadTurns::take() {
  ProgramThread& self = threads_.self();
  self.place = Place::arriving;  // before it may have to wait for the lock
  Lock lock(threads_.mutex());
  self.since = time_of_arrival(self);
  self.used_when_seen = self.waits_since = -1;
  self.is_passed_over = false;
  self.place = Place::parked;
  news_.notify_all();
  serve(lock, self);
  return std::max(self.since, shown_);
}

void ThreadTurns::give_back(SimTime now) {
  const Lock lock(threads_.mutex());
  ProgramThread& self = *holder_;
  holder_ = nullptr;
  left(self, now);
  self.place = Place::program;
  pass_on();
}

void ThreadTurns::begin_wait(const Operation& operation) {
  const Lock lock(threads_.mutex());
  ProgramThread& self = *holder_;
  holder_ = nullptr;
  self.wait = operation;
  self.asked = operation.requests;
  self.answer = Answer();
  self.has_begun_wait = true;
  self.since = SimTime();  // a probe looks at once
  self.place = Place::waiting;
  for (const RequestId request : self.asked)
    if (const Completed* known = find_come(request, &self)) take(*known, self);
  end_wait_if_over(self);
  pass_on();
}

const Answer& ThreadTurns::finish_wait() {
  ProgramThread& self = threads_.self();
  Lock lock(threads_.mutex());
  news_.notify_all();
  serve(lock, self);
  self.has_begun_wait = false;
  return self.answer;
}

bool ThreadTurns::has_come(RequestId request) {
  const Lock lock(threads_.mutex());
  return find_come(request, nullptr) != nullptr;
}

const Answer* ThreadTurns::find_come(const Operation& test) {
  const Lock lock(threads_.mutex());
  Answer found;
  for (const RequestId request : test.requests)
    if (const Completed* known = find_come(request, nullptr)) found.completed.push_back(*known);
  if (found.completed.empty()) return nullptr;
  if (test.completion == Completion::all && found.completed.size() < test.requests.size())
    found.completed.clear();
  found.clock = rank_.reached();
  holder_->answer = std::move(found);
  return &holder_->answer;
}

bool ThreadTurns::has_begun_wait() {
  return threads_.self().has_begun_wait;
}

/// It goes on in the program.
void ThreadTurns::left(ProgramThread& self, SimTime now) {
  self.left_ps = now.ps();
  if (!measured_) return;
  for (const ProgramThread& other : threads_.all())
    if (&other != &self) self.others_when_left[other.number] = used_in_program(other);
  self.rests_when_left = own_rests();
  self.used_when_left = threads_.used_by(self);
}

std::int64_t ThreadTurns::used_in_program(const ProgramThread& thread) const {
  return thread.used_before + (is_in_call(thread) ? 0 : threads_.used_by(thread) - thread.used_when_left);
}

/// What it has computed since it went on in the program. If it has slept meanwhile it has waited for others,
/// and comes as far as the one that has computed most.
SimTime ThreadTurns::time_of_arrival(ProgramThread& self) {
  const SimTime left = SimTime::from_ps(self.left_ps);
  if (!measured_) return left;
  const std::int64_t own = threads_.used_by(self) - self.used_when_left;
  std::int64_t way = own;
  if (own_rests() != self.rests_when_left || settings_.cores_per_rank > 0) {
    std::int64_t longest = own, all = own;
    for (const ProgramThread& other : threads_.all()) {
      if (&other == &self) continue;
      const auto before = self.others_when_left.find(other.number);
      const std::int64_t used =
          used_in_program(other) - (before == self.others_when_left.end() ? 0 : before->second);
      longest = std::max(longest, used);
      all += used;
    }
    if (own_rests() != self.rests_when_left) way = longest;
    if (settings_.cores_per_rank > 0) way = std::max<std::int64_t>(way, all / settings_.cores_per_rank);
  }
  self.used_before += own;
  self.others_when_left.clear();
  return left + simulated(std::chrono::nanoseconds(std::max<std::int64_t>(0, way)), settings_);
}

/// Until the calling thread has the turn.
void ThreadTurns::serve(Lock& lock, ProgramThread& self) {
  self.serves = true;
  while (holder_ != &self) {
    if (conducted_ || holder_ != nullptr) {
      self.turn_has_come.wait(lock);
      continue;
    }
    conducted_ = true;
    act(lock);
    conducted_ = false;
  }
  self.serves = false;
}

/// Somebody has to look after those that wait.
void ThreadTurns::pass_on() {
  if (conducted_ || holder_ != nullptr) return;
  ProgramThread* next = nullptr;
  bool waits = false;
  for (ProgramThread& thread : threads_.all()) {
    waits = waits || is_in_call(thread);
    if (thread.serves &&
        (next == nullptr || (next->place == Place::waiting && thread.place == Place::parked)))
      next = &thread;
  }
  if (next != nullptr)
    next->turn_has_come.notify_one();
  else if (waits)
    clerk_.notify_one();
}

void ThreadTurns::give_turn(ProgramThread& thread) {
  holder_ = &thread;
  thread.place = Place::turn;
  nap_ = {};
  thread.turn_has_come.notify_one();
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
  Lock lock(threads_.mutex());
  while (true) {
    const bool waits = std::ranges::any_of(threads_.all(), is_in_call);
    const bool acts = !conducted_ && holder_ == nullptr && nobody_else_serves() && (measured_ || waits) &&
                      !rank_.has_exited();
    if (acts) {
      conducted_ = true;
      act(lock);
      conducted_ = false;
      pass_on();
    }
    if (!acts || !waits) clerk_.wait_for(lock, measured_ ? rest : long_rest);
  }
}

// ---- Whose turn it is.

/// One step: gives somebody the turn, looks after waits, or naps.
void ThreadTurns::act(Lock& lock) {
  const Outlook outlook = look();
  ProgramThread* const first = first_parked();
  if (!measured_ && outlook.somebody_runs) return nap(lock);
  SimTime limit = outlook.horizon;
  if (first != nullptr) limit = std::min(limit, first->since);
  const bool waits =
      std::ranges::any_of(threads_.all(), [](const auto& thread) { return thread.place == Place::waiting; });
  if (waits && look_after_waits(lock, limit, outlook)) return;
  if (first != nullptr && first->since <= outlook.horizon) return give_turn(*first);
  if (!waits && measured_ && limit > shown_ && limit < SimTime::max()) rank_.show(shown_ = limit);
  nap(lock);
}

void ThreadTurns::nap(Lock& lock) {
  nap_ = std::clamp(2 * nap_, shortest_nap, longest_nap);
  news_.wait_for(lock, nap_);
}

ProgramThread* ThreadTurns::first_parked() {
  ProgramThread* first = nullptr;
  for (ProgramThread& thread : threads_.all())
    if (thread.place == Place::parked && thread.serves && (first == nullptr || thread.since < first->since))
      first = &thread;
  return first;
}

ThreadTurns::Outlook ThreadTurns::look() {
  Outlook outlook;
  std::vector<std::pair<ProgramThread*, std::int64_t>> asleep;
  for (ProgramThread& thread : threads_.all()) {
    const Place place = thread.place;
    if (place == Place::waiting || place == Place::joining || (place == Place::parked && thread.serves))
      continue;
    const std::int64_t used = threads_.used_by(thread);
    const SimTime time =
        threads_.time_of(thread);  // before the look: who sleeps then may be woken only later
    if (!holds_up(thread, outlook)) {
      if (thread.place == Place::program && !thread.is_passed_over) asleep.emplace_back(&thread, used);
      continue;
    }
    outlook.somebody_runs = true;
    const bool has_come = thread.place == Place::parked;  // and has not noticed yet
    outlook.horizon = std::min(outlook.horizon, has_come ? thread.since : time);
  }
  if (outlook.somebody_runs) return outlook;
  // One after the other they have been seen asleep. Only if none has run since the first of these looks did
  // all of them sleep at once.
  for (const auto& [thread, used] : asleep) {
    Outlook again;
    if (!holds_up(*thread, again) && threads_.used_by(*thread) == used) continue;
    outlook.somebody_runs = true;
    outlook.horizon = std::min(outlook.horizon, threads_.time_of(*thread));
  }
  return outlook;
}

/// Whether the thread may do something before another one of the process has.
bool ThreadTurns::holds_up(ProgramThread& thread, Outlook& outlook) {
  if (thread.place == Place::parked) return !thread.serves;
  if (thread.is_passed_over) {
    outlook.passed_over = true;
    return false;
  }
  if (thread.kernel_number == 0) return true;
  const ThreadDoes does = what_does(thread.kernel_number);
  if (thread.place != Place::program) return true;  // asked last: it says so before it waits for our lock
  if (does == ThreadDoes::wait_for_thread) return false;
  const std::int64_t used = threads_.used_by(thread);
  if (thread.used_when_seen < 0) thread.used_when_seen = used;
  bool too_long = !measured_ && used - thread.used_when_seen > thread.patience_ns;
  if (does == ThreadDoes::wait_otherwise) {
    const std::int64_t wall = wall_ns();
    if (thread.waits_since < 0) thread.waits_since = wall;
    too_long = too_long || wall - thread.waits_since > thread.patience_ns / patience_of_waits;
  }
  if (!too_long) return true;
  thread.patience_ns = std::max(thread.patience_ns / 4, least_patience_ns);
  thread.is_passed_over = outlook.passed_over = true;
  paced_since_ = wall_ns();
  return false;
}

// ---- Waits.

/// @return whether something has come, or time has passed without anybody's turn
bool ThreadTurns::look_after_waits(Lock& lock, SimTime limit, const Outlook& outlook) {
  std::size_t probes = 0, waits = 0;
  ProgramThread* probe = nullptr;
  for (ProgramThread& thread : threads_.all()) {
    if (thread.place != Place::waiting) continue;
    const bool probes_here = thread.wait.kind == OperationKind::probe;
    ++(probes_here ? probes : waits);
    if (probes_here) probe = &thread;
  }
  if (limit == SimTime::max() && !outlook.passed_over && probes + (waits > 0 ? 1 : 0) == 1) {
    Operation operation = waits > 0 ? wait_of_all() : probe->wait;
    carry_out(lock, operation);
    return true;
  }
  if (!rank_.knows_reached()) {
    lock.unlock();
    rank_.reached();
    lock.lock();
    return true;
  }
  if (outlook.passed_over) {
    const std::int64_t wall = wall_ns();
    const SimTime pace = SimTime::from_ps(std::max<std::int64_t>(wall - paced_since_, 1000) * 1000);
    limit = std::min(limit, rank_.reached() + pace);
    paced_since_ = wall;
  }
  if (probes > 0 && look_for_messages(lock, limit)) return true;
  const SimTime reached = rank_.reached();
  if (limit <= reached && reached <= looked_at_) return false;
  Operation operation;
  if (waits > 0) {
    operation = wait_of_all();
  } else {
    if (limit <= reached) return false;
    operation.kind = OperationKind::sleep;
    operation.call = probe->wait.call;
  }
  operation.duration = std::max(limit - reached, moment);
  const bool passes = limit > reached;
  carry_out(lock, operation);
  looked_at_ = rank_.reached();
  return passes;
}

/// Of several waits one can't be a probe's: messages are looked for from time to time, the less often the
/// longer it lasts. @param limit  lowered to when somebody looks again
/// @return whether something has come
bool ThreadTurns::look_for_messages(Lock& lock, SimTime& limit) {
  constexpr SimTime shortest = SimTime::from_ps(1'000'000);
  constexpr std::int64_t looks = 16;  ///< while the time since the begin doubles
  for (ProgramThread& thread : threads_.all()) {
    if (thread.place != Place::waiting || thread.wait.kind != OperationKind::probe) continue;
    if (thread.since <= rank_.reached()) {
      Operation look = thread.wait;
      look.kind = OperationKind::test_probe;
      if (thread.since == SimTime()) thread.waits_from = rank_.reached();
      carry_out(lock, look);
      if (!answer_.completed.empty()) return true;
      const SimTime waited = rank_.reached() - thread.waits_from;
      thread.since = rank_.reached() + std::max(shortest, SimTime::from_ps(waited.ps() / looks));
    }
    limit = std::min(limit, thread.since);
  }
  return false;
}

/// Until any of what all threads wait for has come.
Operation ThreadTurns::wait_of_all() const {
  Operation all;
  for (const ProgramThread& thread : threads_.all()) {
    if (thread.place != Place::waiting || thread.wait.kind != OperationKind::wait) continue;
    if (all.requests.empty()) {
      all = thread.wait;
      continue;
    }
    all.call = Call::MPI_Waitsome;
    all.completion = Completion::some;
    for (const RequestId request : thread.wait.requests)
      if (std::ranges::find(all.requests, request) == all.requests.end()) all.requests.push_back(request);
  }
  return all;
}

/// Others may come meanwhile; nobody is given the turn.
void ThreadTurns::carry_out(Lock& lock, Operation& operation) {
  nap_ = {};
  operation.part = CallPart::whole;
  lock.unlock();
  const Answer& answer = rank_.carry_out(operation);
  lock.lock();
  answer_ = answer;
  deliver(operation);
}

/// What another thread's wait has found, and that thread has not been told yet: accesses to a window complete
/// in any thread's flush.
const Completed* ThreadTurns::find_come(RequestId request, const ProgramThread* except) {
  for (const ProgramThread& thread : threads_.all()) {
    if (&thread == except || !thread.has_begun_wait) continue;
    const auto& come = thread.answer.completed;
    if (const auto found = std::ranges::find(come, request, &Completed::request); found != come.end())
      return &*found;
  }
  return nullptr;
}

/// As part of what the thread waits for.
void ThreadTurns::take(const Completed& completed, ProgramThread& thread) {
  auto& missing = thread.wait.requests;
  if (const auto found = std::ranges::find(missing, completed.request); found != missing.end())
    missing.erase(found);
  thread.answer.completed.push_back(completed);
}

void ThreadTurns::deliver(const Operation& operation) {
  const bool probed = operation.kind == OperationKind::probe || operation.kind == OperationKind::test_probe;
  const auto waits_for = [&](const ProgramThread& thread, const Completed& completed) {
    if (thread.place != Place::waiting) return false;
    if (!probed)
      return std::ranges::find(thread.wait.requests, completed.request) != thread.wait.requests.end();
    return thread.wait.kind == OperationKind::probe && thread.wait.context == operation.context &&
           thread.wait.peer == operation.peer && thread.wait.tag == operation.tag &&
           thread.wait.taken == operation.taken;
  };
  for (const Completed& completed : answer_.completed) {
    for (ProgramThread& thread : threads_.all()) {
      if (!waits_for(thread, completed)) continue;
      take(completed, thread);
      if (probed) break;
    }
  }
  for (ProgramThread& thread : threads_.all())
    if (thread.place == Place::waiting) end_wait_if_over(thread);
}

void ThreadTurns::end_wait_if_over(ProgramThread& thread) {
  const bool all = thread.wait.kind == OperationKind::wait &&
                   (thread.wait.completion == Completion::all || thread.asked.empty());
  if (all ? !thread.wait.requests.empty() : thread.answer.completed.empty()) return;
  thread.answer.clock = thread.since = answer_.clock;
  const auto place_of = [&](const Completed& one) { return std::ranges::find(thread.asked, one.request); };
  std::ranges::stable_sort(thread.answer.completed, {}, place_of);
  thread.place = Place::parked;
}

}  // namespace morgana
