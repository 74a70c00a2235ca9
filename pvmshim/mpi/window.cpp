#include "pvmshim/mpi/window.h"

#include <algorithm>
#include <numeric>

#include "pvmshim/mpi/translate.h"

namespace morgana::mpi {
namespace {

constexpr Tag posted{0}, completed{1};

Completed done(RequestId id) {
  Completed outcome;
  outcome.request = id;
  return outcome;
}

std::vector<RequestId> ids_of(const std::vector<Completed>& outcome) {
  std::vector<RequestId> ids;
  ids.reserve(outcome.size());
  for (const Completed& one : outcome) ids.push_back(one.request);
  return ids;
}

}  // namespace

Operation Window::start_access(Call call, int target, Bytes bytes, Bytes reply, PendingAccess access) {
  Operation operation = plain_operation(OperationKind::access, call);
  operation.context = members_.context();
  operation.peer = members_.world_rank(target);
  operation.bytes = bytes;
  operation.reply = reply;
  operation.request = access.id;
  pending_.push_back(std::move(access));
  return operation;
}

PendingAccess* Window::find_pending(RequestId id) {
  const auto found = std::ranges::find(pending_, id, &PendingAccess::id);
  return found == pending_.end() ? nullptr : &*found;
}

std::deque<PendingAccess> Window::take_pending(int target) {
  std::deque<PendingAccess> taken;
  if (target == everyone) {
    taken.swap(pending_);
    return taken;
  }
  std::deque<PendingAccess> left;
  for (PendingAccess& access : pending_)
    (access.target == target ? taken : left).push_back(std::move(access));
  pending_ = std::move(left);
  return taken;
}

std::deque<PendingAccess> Window::take_pending(const std::vector<Completed>& waited_for) {
  std::set<RequestId> ids;
  for (const Completed& one : waited_for) ids.insert(one.request);
  std::deque<PendingAccess> taken, left;
  for (PendingAccess& access : pending_)
    (ids.contains(access.id) ? taken : left).push_back(std::move(access));
  pending_ = std::move(left);
  return taken;
}

void Window::forget_pending(RequestId id) {
  const auto found = std::ranges::find(pending_, id, &PendingAccess::id);
  if (found != pending_.end()) pending_.erase(found);
}

void Window::add_wait(Call call, std::vector<Completed> outcome, bool awaited, WindowSteps& steps) const {
  const std::vector<RequestId> ids = ids_of(outcome);
  steps.push_back({completion_operation(OperationKind::wait, call, CallPart::whole, Completion::all, ids),
                   awaited, std::move(outcome)});
}

void Window::add_flush(Call call, int target, WindowSteps& steps) const {
  std::vector<Completed> outcome;
  for (const PendingAccess& access : pending_)
    if (target == everyone || access.target == target) outcome.push_back(done(access.id));
  if (outcome.empty()) return;
  add_wait(call, std::move(outcome), true, steps);
  steps.back().flushed = target;
}

Operation Window::signal(Call call, int member, Tag tag, RequestId id) const {
  return send_operation(call, CallPart::whole, SendMode::standard, members_, member, static_cast<int>(tag),
                        Content(), id);
}

Operation Window::expect(Call call, int member, Tag tag, RequestId id) const {
  return receive_operation(call, CallPart::whole, members_, member, static_cast<int>(tag), Bytes(), id);
}

Operation Window::lock_operation(OperationKind kind, Call call, int target, RequestId id) const {
  Operation operation = plain_operation(kind, call);
  operation.context = members_.context();
  operation.peer = members_.world_rank(target);
  operation.request = id;
  return operation;
}

WindowSteps Window::meet(Call call) {
  WindowSteps steps;
  const RequestId id = new_id_();
  CollectivePart barrier;
  barrier.kind = CollectiveKind::barrier;
  steps.push_back({collective_operation(call, members_, std::move(barrier), id)});
  add_wait(call, {done(id)}, true, steps);
  return steps;
}

WindowSteps Window::fence(Call call) {
  WindowSteps steps;
  add_flush(call, everyone, steps);
  for (WindowStep& step : meet(call)) steps.push_back(std::move(step));
  return steps;
}

WindowSteps Window::post(Call call, const std::vector<int>& origins, bool checked) {
  WindowSteps steps;
  for (const int origin : origins) {
    Completed arrived = done(new_id_());
    arrived.source = members_.world_rank(origin);
    arrived.tag = completed;
    steps.push_back({expect(call, origin, completed, arrived.request)});
    exposure_.push_back(std::move(arrived));
  }
  std::vector<Completed> sent;
  for (const int origin : origins) {
    if (!checked) break;
    sent.push_back(done(new_id_()));
    steps.push_back({signal(call, origin, posted, sent.back().request)});
  }
  if (!sent.empty()) add_wait(call, std::move(sent), false, steps);
  return steps;
}

WindowSteps Window::start(Call call, const std::vector<int>& targets, bool checked) {
  WindowSteps steps;
  std::vector<Completed> arrivals;
  started_ = targets;
  for (const int target : targets) {
    if (!checked) break;
    Completed arrived = done(new_id_());
    arrived.source = members_.world_rank(target);
    arrived.tag = posted;
    steps.push_back({expect(call, target, posted, arrived.request)});
    arrivals.push_back(std::move(arrived));
  }
  if (!arrivals.empty()) add_wait(call, std::move(arrivals), true, steps);
  return steps;
}

WindowSteps Window::complete(Call call) {
  WindowSteps steps;
  add_flush(call, everyone, steps);
  std::vector<Completed> sent;
  for (const int target : started_) {
    sent.push_back(done(new_id_()));
    steps.push_back({signal(call, target, completed, sent.back().request)});
  }
  if (!sent.empty()) add_wait(call, std::move(sent), false, steps);
  return steps;
}

WindowSteps Window::wait(Call call) {
  WindowSteps steps;
  if (!exposure_.empty()) add_wait(call, exposure_, true, steps);
  return steps;
}

Operation Window::test(Call call) const {
  return completion_operation(OperationKind::test, call, CallPart::whole, Completion::all, ids_of(exposure_));
}

WindowSteps Window::lock(Call call, const std::vector<int>& targets, bool exclusive, bool checked) {
  WindowSteps steps;
  std::vector<Completed> granted;
  for (const int target : targets) {
    if (!checked) break;
    granted.push_back(done(new_id_()));
    steps.push_back({lock_operation(OperationKind::lock, call, target, granted.back().request)});
    steps.back().operation.exclusive = exclusive;
    locked_.insert(target);
  }
  if (!granted.empty()) add_wait(call, std::move(granted), true, steps);
  return steps;
}

WindowSteps Window::unlock(Call call, const std::vector<int>& targets) {
  WindowSteps steps;
  add_flush(call, targets.size() == 1 ? targets.front() : everyone, steps);
  std::vector<Completed> returned;
  for (const int target : targets) {
    if (locked_.erase(target) == 0) continue;
    returned.push_back(done(new_id_()));
    steps.push_back({lock_operation(OperationKind::unlock, call, target, returned.back().request)});
  }
  if (!returned.empty()) add_wait(call, std::move(returned), false, steps);
  return steps;
}

WindowSteps Window::flush(Call call, int target) {
  WindowSteps steps;
  add_flush(call, target, steps);
  return steps;
}

std::vector<int> Window::all_members() const {
  std::vector<int> all(static_cast<std::size_t>(members_.size()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void number_parts(Call call, WindowSteps& steps) {
  if (steps.empty()) steps.push_back({plain_operation(OperationKind::nothing, call)});
  if (steps.size() == 1) return;
  for (WindowStep& step : steps) step.operation.part = CallPart::middle;
  steps.front().operation.part = CallPart::first;
  steps.back().operation.part = CallPart::last;
}

}  // namespace morgana::mpi
