// What threads wait for in their calls: one wait of the rank's for all of them.

#include <algorithm>

#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/clock/thread_turns.h"

namespace morgana {
namespace {

using Place = ProgramThread::Place;

/// The least time that a wait can be limited to.
constexpr SimTime moment = SimTime::from_ps(1);

std::int64_t wall_clock_ns() {
  return read_clock_ns(CLOCK_MONOTONIC).value_or(0);
}

}  // namespace

void ThreadTurns::begin_wait(const Operation& operation) {
  const Lock lock(threads_);
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
  Lock lock(threads_);
  serve(lock, self);
  self.has_begun_wait = false;
  return self.answer;
}

bool ThreadTurns::has_come(RequestId request) {
  const Lock lock(threads_);
  return find_come(request, nullptr) != nullptr;
}

const Answer* ThreadTurns::find_come(const Operation& test) {
  const Lock lock(threads_);
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
  const bool in_one = probes <= 1;
  if (limit == SimTime::max() && !outlook.passed_over && in_one) {
    Operation operation = wait_of_all(probe);
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
    const std::int64_t wall = wall_clock_ns();
    const SimTime pace = SimTime::from_ps(std::max<std::int64_t>(wall - paced_since_, 1000) * 1000);
    limit = std::min(limit, rank_.reached() + pace);
    paced_since_ = wall;
  }
  if (!in_one && look_for_messages(lock, limit)) return true;
  const SimTime reached = rank_.reached();
  if (limit <= reached && reached <= looked_at_) return false;
  Operation operation;
  if (in_one || waits > 0) {
    operation = wait_of_all(in_one ? probe : nullptr);
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

/// One wait can't contain several probes: then messages are looked for from time to time, the less often the
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
/// @param probe  the thread that waits for a message; null: none does, or not so
Operation ThreadTurns::wait_of_all(const ProgramThread* probe) const {
  Operation all;
  if (probe != nullptr) all = probe->wait;
  for (const ProgramThread& thread : threads_.all()) {
    if (thread.place != Place::waiting || thread.wait.kind != OperationKind::wait) continue;
    if (probe == nullptr && all.requests.empty()) {
      all = thread.wait;
      continue;
    }
    if (probe == nullptr) all.call = Call::MPI_Waitsome;
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
  const auto is_found = [&](const Completed& completed) {
    return std::ranges::find(operation.requests, completed.request) == operation.requests.end();
  };
  const auto waits_for = [&](const ProgramThread& thread, const Completed& completed) {
    if (thread.place != Place::waiting) return false;
    if (!is_found(completed))
      return std::ranges::find(thread.wait.requests, completed.request) != thread.wait.requests.end();
    return thread.wait.kind == OperationKind::probe && thread.wait.context == operation.context &&
           thread.wait.peer == operation.peer && thread.wait.tag == operation.tag &&
           thread.wait.taken == operation.taken;
  };
  for (const Completed& completed : answer_.completed) {
    for (ProgramThread& thread : threads_.all()) {
      if (!waits_for(thread, completed)) continue;
      take(completed, thread);
      if (is_found(completed)) break;
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
