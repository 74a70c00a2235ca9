#include "pvmshim/launch/process/captured_machine.h"

#include <algorithm>
#include <utility>

namespace morgana {
namespace {

Operation machine_operation(OperationKind kind, CallPart part) {
  Operation operation;
  operation.kind = kind;
  operation.call = Call::pvmd;
  operation.part = part;
  return operation;
}

}  // namespace

void CapturedMachine::got(SimTime at, Rank from, const Operation& message) {
  events_.push_back({Kind::got, at, from, message.context, message.tag, message.bytes});
}

void CapturedMachine::started(SimTime at, Rank task) {
  Event event;
  event.kind = Kind::started;
  event.time = at;
  event.peer = task;
  events_.push_back(event);
}

void CapturedMachine::answered(SimTime at, Rank to, const Operation& answer) {
  events_.push_back({Kind::answered, at, to, answer.context, answer.tag, answer.bytes});
}

void CapturedMachine::sort() {
  std::ranges::stable_sort(events_, [](const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.kind < b.kind;
  });
}

bool CapturedMachine::next(std::deque<CapturedOperation>& operations) {
  if (next_ == events_.size()) return false;
  const Event& event = events_[next_++];
  const SimTime begin = std::exchange(last_, event.time);
  const auto add = [&](Operation operation, SimTime from, SimTime to, std::vector<Completed> completed = {}) {
    operations.push_back({std::move(operation), from, to, std::move(completed)});
  };
  Completed done;
  done.request = RequestId{++requests_};
  Operation wait = machine_operation(OperationKind::wait, CallPart::last);
  wait.requests.push_back(done.request);
  Operation message = machine_operation(OperationKind::send, CallPart::middle);
  message.request = done.request;
  message.peer = event.peer;
  message.context = event.context;
  message.tag = event.tag;
  message.bytes = event.bytes;
  switch (event.kind) {
    case Kind::got:
      message.kind = OperationKind::receive;
      message.part = CallPart::first;
      done.source = event.peer;
      done.tag = event.tag;
      done.bytes = event.bytes;
      add(message, begin, begin);
      add(wait, begin, event.time, {done});
      break;
    case Kind::started: {
      Operation spawn = machine_operation(OperationKind::spawn, CallPart::last);
      spawn.peer = event.peer;
      // One host each, as if there were enough; a replay has as many as its platform.
      spawn.host = static_cast<std::int32_t>(event.peer) - 1;
      add(machine_operation(OperationKind::nothing, CallPart::first), begin, event.time);
      add(spawn, event.time, event.time);
      break;
    }
    case Kind::answered:
      message.mode = SendMode::buffered;
      add(machine_operation(OperationKind::nothing, CallPart::first), begin, event.time);
      add(message, event.time, event.time);
      add(wait, event.time, event.time, {done});
      break;
  }
  return true;
}

}  // namespace morgana
