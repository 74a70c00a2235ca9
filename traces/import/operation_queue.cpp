#include "traces/import/operation_queue.h"

namespace morgana {

void OperationQueue::add(Operation operation) {
  operation.elapsed = std::exchange(computed_, SimTime());
  ready_.push_back(std::move(operation));
}

RequestId OperationQueue::start(Operation operation) {
  const RequestId request{++requests_};
  operation.request = request;
  add(std::move(operation));
  return request;
}

void OperationQueue::wait(Call call, CallPart part, std::span<const RequestId> requests) {
  if (requests.empty()) return;
  Operation operation;
  operation.kind = OperationKind::wait;
  operation.call = call;
  operation.part = part;
  operation.requests.assign(requests.begin(), requests.end());
  add(std::move(operation));
}

void OperationQueue::exit() {
  Operation operation;
  operation.kind = OperationKind::exit;
  add(std::move(operation));
}

}  // namespace morgana
