#include "traces/otf2/record_form.h"

namespace morgana {
namespace {

bool is_blocking_exchange(const RecordedCall& call) {
  const std::size_t starts = call.size() - 1;
  const RecordedStep& wait = call[starts];
  if (wait.operation.kind != OperationKind::wait || wait.operation.completion != Completion::all ||
      wait.operation.requests.size() != starts || wait.completed.size() != starts)
    return false;
  const bool collective = call[0].operation.kind == OperationKind::collective;
  if (collective && starts != 1) return false;
  for (std::size_t i = 0; i < starts; ++i) {
    const Operation& start = call[i].operation;
    const bool follows = start.kind == OperationKind::send ||
                         (start.kind == OperationKind::receive &&
                          (i == 0 || call[i - 1].operation.kind == OperationKind::receive));
    if (!collective && !follows) return false;
    if (wait.operation.requests[i] != start.request || wait.completed[i].request != start.request ||
        wait.completed[i].cancelled || wait.completed[i].coming > Bytes() ||
        wait.completed[i].outcome != Outcome::delivered)
      return false;
  }
  return true;
}

}  // namespace

RecordForm form_of(const RecordedCall& call) {
  for (std::size_t i = 0; i < call.size(); ++i)
    if (call[i].elapsed > SimTime() || call[i].polled > SimTime()) return RecordForm::marked;
  if (call.empty()) return RecordForm::plain;
  if (call.size() == 1) {
    const Operation& operation = call[0].operation;
    switch (operation.kind) {
      case OperationKind::send:
      case OperationKind::receive:
      case OperationKind::collective:
        return RecordForm::plain;
      case OperationKind::wait:
        return call[0].completed.empty() ? RecordForm::marked : RecordForm::plain;
      case OperationKind::test:
        return operation.requests.empty() ? RecordForm::marked : RecordForm::plain;
      default:
        return RecordForm::marked;
    }
  }
  return !is_blocking_exchange(call)                           ? RecordForm::marked
         : call[0].operation.kind == OperationKind::collective ? RecordForm::blocking_collective
                                                               : RecordForm::blocking_messages;
}

}  // namespace morgana
