#include "pvmshim/clock/thread_waits.h"

#include <algorithm>

namespace morgana {
namespace {

using Place = ProgramThread::Place;

/// The least time that a wait can be limited to.
constexpr SimTime moment = SimTime::from_ps(1);

bool waits_for_message(const ProgramThread& thread) {
  return thread.place == Place::waiting && thread.wait.kind == OperationKind::probe;
}

/// As part of what the thread waits for.
void take_completed(const Completed& completed, ProgramThread& thread) {
  auto& missing = thread.wait.requests;
  if (const auto found = std::ranges::find(missing, completed.request); found != missing.end())
    missing.erase(found);
  thread.answer.completed.push_back(completed);
}

}  // namespace

void ThreadWaits::begin(ProgramThread& thread, const Operation& operation) {
  thread.wait = operation;
  thread.asked = operation.requests;
  thread.answer = Answer();
  thread.has_begun_wait = true;
  thread.since = SimTime();  // a probe looks at once
  thread.place = Place::waiting;
  nothing_at_.reset();
  looks_apart_ = false;
  for (const RequestId request : thread.asked)
    if (const Completed* known = find_come(request, &thread)) take_completed(*known, thread);
  end_if_over(thread);
}

bool ThreadWaits::any() const {
  return std::ranges::any_of(threads_.all(),
                             [](const ProgramThread& thread) { return thread.place == Place::waiting; });
}

std::vector<Completed> ThreadWaits::take_come(Operation& test) const {
  std::vector<Completed> come;
  const auto has_come = [&](RequestId request) {
    const Completed* const known = find_come(request);
    if (known != nullptr) come.push_back(*known);
    return known != nullptr;
  };
  auto& missing = test.requests;
  missing.erase(std::remove_if(missing.begin(), missing.end(), has_come), missing.end());
  return come;
}

ThreadWaits::Looked ThreadWaits::look(ThreadsLock& lock, SimTime limit, RealPace* pace) {
  const Sought sought = this->sought();
  if (limit == SimTime::max() && pace == nullptr && sought.in_one()) {
    Operation operation = wait_for_all(sought);
    carry_out(lock, operation);
    return Looked::acted;
  }
  if (!rank_.knows_reached()) {
    lock.unlock();
    rank_.reached();
    lock.lock();
    return Looked::acted;
  }
  if (pace != nullptr)
    limit = std::min(limit, rank_.reached() + pace->passed());
  else if (measured_ && sought.in_one() && are_quiet(limit))
    return Looked::quiet;
  if (!sought.in_one() && look_for_messages(lock, limit)) return Looked::acted;
  const SimTime reached = rank_.reached();
  const bool passes = limit > reached;
  if (!passes && reached <= looked_at_) return Looked::nothing;
  if (!passes && sought.in_one() && pace == nullptr && are_quiet(reached)) {
    rank_.let_pass(moment);  // as the look would, which finds nothing
    looked_at_ = rank_.reached();
    return Looked::nothing;
  }
  Operation operation;
  if (sought.in_one() || sought.waits > 0) {
    operation = wait_for_all(sought);
  } else {
    if (!passes) return Looked::nothing;
    operation.kind = OperationKind::sleep;
    operation.call = Call::MPI_Probe;
  }
  operation.duration = std::max(limit - reached, moment);
  carry_out(lock, operation);
  looked_at_ = rank_.reached();
  return passes ? Looked::acted : Looked::nothing;
}

void ThreadWaits::look_as_call_ends(ThreadsLock& lock) {
  const Sought sought = this->sought();
  if (!any() || !sought.in_one()) return;
  Operation operation = wait_for_all(sought);
  operation.duration = moment;
  carry_out(lock, operation);
  looked_at_ = rank_.reached();
}

/// Whether all waits have been looked after since something has come, and the emulator has said that nothing
/// comes until the limit, or the rank's time if that is later.
bool ThreadWaits::are_quiet(SimTime limit) {
  if (!nothing_at_) return false;
  const auto quiet = rank_.quiet();
  return quiet && quiet->news == *nothing_at_ && std::max(limit, rank_.reached()) < quiet->until;
}

/// One wait can't contain several probes of different contexts, nor some while a message is there that none
/// of them asks for: then messages are looked for from time to time, the less often the longer it lasts.
/// @param limit  lowered to when somebody looks again
/// @return whether something has come
bool ThreadWaits::look_for_messages(ThreadsLock& lock, SimTime& limit) {
  constexpr SimTime shortest = SimTime::from_ps(1'000'000);
  constexpr std::int64_t looks = 16;  ///< while the time since the begin doubles
  for (ProgramThread& thread : threads_.all()) {
    if (!waits_for_message(thread)) continue;
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

ThreadWaits::Sought ThreadWaits::sought() const {
  Sought sought;
  bool apart = false;
  for (const ProgramThread& thread : threads_.all()) {
    if (thread.place != Place::waiting) continue;
    if (thread.wait.kind != OperationKind::probe) {
      ++sought.waits;
      continue;
    }
    auto& all = sought.probe;
    if (++sought.probes == 1) {
      all = thread.wait;
      continue;
    }
    apart = apart || looks_apart_ || thread.wait.context != all->context;
    all->peer = any_rank;
    all->tag = any_tag;
    all->taken = no_request;
    // It leaves open whose message is there (asks_itself), which RunStatistics takes for no end of a call.
    if (thread.wait.call != all->call) all->call = Call::MPI_Mprobe;
  }
  if (apart) sought.probe.reset();
  return sought;
}

/// Until any of what all threads wait for has come, messages only if one probe looks for all.
Operation ThreadWaits::wait_for_all(const Sought& sought) const {
  Operation all;
  if (sought.probe) all = *sought.probe;
  for (const ProgramThread& thread : threads_.all()) {
    if (thread.place != Place::waiting || thread.wait.kind != OperationKind::wait) continue;
    if (!sought.probe && all.requests.empty()) {
      all = thread.wait;
      continue;
    }
    if (!sought.probe) all.call = Call::MPI_Waitsome;
    all.completion = Completion::some;
    for (const RequestId request : thread.wait.requests)
      if (std::ranges::find(all.requests, request) == all.requests.end()) all.requests.push_back(request);
  }
  return all;
}

void ThreadWaits::carry_out(ThreadsLock& lock, Operation& operation) {
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

const Completed* ThreadWaits::find_come(RequestId request, const ProgramThread* except) const {
  for (const ProgramThread& thread : threads_.all()) {
    if (&thread == except || !thread.has_begun_wait) continue;
    const auto& come = thread.answer.completed;
    if (const auto found = std::ranges::find(come, request, &Completed::request); found != come.end())
      return &*found;
  }
  return nullptr;
}

/// @return who has asked for a message that has been found, and has to ask for it itself, as it takes it, or
/// its call is another one; else null
ProgramThread* ThreadWaits::deliver(const Operation& operation) {
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
      take_completed(completed, thread);
      if (is_found(completed)) break;
    }
    if (!is_asked_for) looks_apart_ = true;
  }
  for (ProgramThread& thread : threads_.all())
    if (thread.place == Place::waiting) end_if_over(thread);
  return asker;
}

void ThreadWaits::end_if_over(ProgramThread& thread) const {
  const bool all = thread.wait.kind == OperationKind::wait &&
                   (thread.wait.completion == Completion::all || thread.asked.empty());
  if (all ? !thread.wait.requests.empty() : thread.answer.completed.empty()) return;
  thread.answer.clock = thread.since = answer_.clock;
  const auto place_of = [&](const Completed& one) { return std::ranges::find(thread.asked, one.request); };
  std::ranges::stable_sort(thread.answer.completed, {}, place_of);
  thread.place = Place::parked;
}

}  // namespace morgana
