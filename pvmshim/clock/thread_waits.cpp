// What threads wait for in their calls: one wait of the rank's for all of them. And waits with a deadline.

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
  nothing_at_.reset();
  looks_apart_ = false;
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

std::vector<Completed> ThreadTurns::take_come(Operation& test) {
  const Lock lock(threads_);
  std::vector<Completed> come;
  const auto has_come = [&](RequestId request) {
    const Completed* const known = find_come(request, nullptr);
    if (known != nullptr) come.push_back(*known);
    return known != nullptr;
  };
  auto& missing = test.requests;
  missing.erase(std::remove_if(missing.begin(), missing.end(), has_come), missing.end());
  return come;
}

bool ThreadTurns::has_begun_wait() {
  return threads_.self().has_begun_wait;
}

/// @return whether something has come, or time has passed without anybody's turn
bool ThreadTurns::look_after_waits(Lock& lock, SimTime limit, const Outlook& outlook) {
  std::size_t probes = 0, waits = 0;
  for (const ProgramThread& thread : threads_.all())
    if (thread.place == Place::waiting) ++(thread.wait.kind == OperationKind::probe ? probes : waits);
  const std::optional<Operation> probe = probe_of_all();
  const bool in_one = probe || probes == 0;
  if (limit == SimTime::max() && !outlook.passed_over && in_one) {
    Operation operation = wait_of_all(probe ? &*probe : nullptr);
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
  } else if (measured_ && in_one && are_waits_quiet(limit)) {
    if (limit > std::max(shown_, rank_.reached())) rank_.show(shown_ = limit);
    return false;
  }
  if (!in_one && look_for_messages(lock, limit)) return true;
  const SimTime reached = rank_.reached();
  const bool passes = limit > reached;
  if (!passes && reached <= looked_at_) return false;
  if (!passes && in_one && !outlook.passed_over && are_waits_quiet(reached)) {
    rank_.let_pass(moment);  // as the look would, which finds nothing
    looked_at_ = rank_.reached();
    return false;
  }
  Operation operation;
  if (in_one || waits > 0) {
    operation = wait_of_all(probe ? &*probe : nullptr);
  } else {
    if (!passes) return false;
    operation.kind = OperationKind::sleep;
    operation.call = Call::MPI_Probe;
  }
  operation.duration = std::max(limit - reached, moment);
  carry_out(lock, operation);
  looked_at_ = rank_.reached();
  return passes;
}

void ThreadTurns::look_as_call_ends() {
  Lock lock(threads_);
  std::size_t probes = 0, waits = 0;
  for (const ProgramThread& thread : threads_.all())
    if (thread.place == Place::waiting) ++(thread.wait.kind == OperationKind::probe ? probes : waits);
  const std::optional<Operation> probe = probe_of_all();
  if (probes + waits == 0 || (probes > 0 && !probe)) return;
  Operation operation = wait_of_all(probe ? &*probe : nullptr);
  operation.duration = moment;
  carry_out(lock, operation);
  looked_at_ = rank_.reached();
}

/// Whether all waits have been looked after since something has come, and the emulator has said that nothing
/// comes until the limit, or the rank's time if that is later.
bool ThreadTurns::are_waits_quiet(SimTime limit) {
  if (!nothing_at_) return false;
  const auto quiet = rank_.quiet();
  return quiet && quiet->news == *nothing_at_ && std::max(limit, rank_.reached()) < quiet->until;
}

/// One wait can't contain several probes of different contexts, nor some while a message is there that none
/// of them asks for: then messages are looked for from time to time, the less often the longer it lasts.
/// @param limit  lowered to when somebody looks again
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

/// What all threads look for that wait for a message, in one probe: of any message if they are several, which
/// stays where it is. Nothing, if none does, or not so.
std::optional<Operation> ThreadTurns::probe_of_all() const {
  std::optional<Operation> all;
  for (const ProgramThread& thread : threads_.all()) {
    if (thread.place != Place::waiting || thread.wait.kind != OperationKind::probe) continue;
    if (!all) {
      all = thread.wait;
      continue;
    }
    if (looks_apart_ || thread.wait.context != all->context) return std::nullopt;
    all->peer = any_rank;
    all->tag = any_tag;
    all->taken = no_request;
    // It leaves open whose message is there (asks_itself), which RunStatistics takes for no end of a call.
    if (thread.wait.call != all->call) all->call = Call::MPI_Mprobe;
  }
  return all;
}

/// Until any of what all threads wait for has come.
/// @param probe  for messages; null: none
Operation ThreadTurns::wait_of_all(const Operation* probe) const {
  Operation all;
  if (probe != nullptr) all = *probe;
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
  operation.part = CallPart::whole;
  lock.unlock();
  const Answer& answer = rank_.carry_out(operation);
  lock.lock();
  answer_ = answer;
  const bool looks_for_all = operation.kind == OperationKind::wait || operation.kind == OperationKind::probe;
  nothing_at_ = looks_for_all && answer_.completed.empty() ? std::optional(answer_.news) : std::nullopt;
  if (const ProgramThread* const asker = deliver(operation)) {
    Operation own = asker->wait;
    own.duration = moment;  // the message is there
    carry_out(lock, own);
  }
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

/// @return who has asked for a message that has been found, and has to ask for it itself, as it takes it, or
/// its call is another one; else null
ProgramThread* ThreadTurns::deliver(const Operation& operation) {
  const auto is_found = [&](const Completed& completed) {
    return std::ranges::find(operation.requests, completed.request) == operation.requests.end();
  };
  const auto waits_for = [&](const ProgramThread& thread, const Completed& completed) {
    if (thread.place != Place::waiting) return false;
    if (!is_found(completed))
      return std::ranges::find(thread.wait.requests, completed.request) != thread.wait.requests.end();
    const Operation& probe = thread.wait;
    return probe.kind == OperationKind::probe && probe.context == operation.context &&
           (probe.peer == any_rank || probe.peer == completed.source) &&
           (probe.tag == any_tag || probe.tag == completed.tag) &&
           (operation.taken == no_request || probe.taken == operation.taken);
  };
  const auto asks_itself = [&](const ProgramThread& thread) {
    return thread.wait.taken != operation.taken || thread.wait.call != operation.call;
  };
  ProgramThread* asker = nullptr;
  for (const Completed& completed : answer_.completed) {
    bool is_asked_for = false;
    for (ProgramThread& thread : threads_.all()) {
      if (!waits_for(thread, completed)) continue;
      is_asked_for = true;
      if (is_found(completed) && asks_itself(thread)) {
        asker = &thread;
        break;
      }
      take(completed, thread);
      if (is_found(completed)) break;
    }
    if (!is_asked_for) looks_apart_ = true;
  }
  for (ProgramThread& thread : threads_.all())
    if (thread.place == Place::waiting) end_wait_if_over(thread);
  return asker;
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

ProgramThread* ThreadTurns::first_deadline() {
  ProgramThread* first = nullptr;
  for (ProgramThread& thread : threads_.all())
    if (thread.place == Place::timed && (first == nullptr || thread.timed.deadline < first->timed.deadline))
      first = &thread;
  return first;
}

void ThreadTurns::end_at_deadline(ProgramThread& thread) {
  all_sleep_ = false;
  thread.left_ps = thread.timed.deadline.ps();  // before it notices, nobody may go on to a later time
  thread.end_timed_wait(thread.timed.is_over);
}

SimTime ThreadTurns::timed_wait_begins() {
  ProgramThread& self = threads_.self();
  self.place = Place::arriving;
  const Lock lock(threads_);
  all_sleep_ = false;
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
  all_sleep_ = false;
  self.own_clock.has_rested();
  const SimTime begin = SimTime::from_ps(self.left_ps);
  const SimTime woken = self.timed.woken_at < SimTime::max() ? self.timed.woken_at : latest_;
  left(self,
       std::max(begin, self.timed.is_over ? self.timed.deadline : std::min(woken, self.timed.deadline)));
  self.place = Place::program;
}

}  // namespace morgana
