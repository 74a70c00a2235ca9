#include "pvmshim/pvm/record/recorded_call.h"

#include <algorithm>
#include <utility>

namespace morgana::pvm::captured {
namespace {

struct Step {
  Operation operation;
  SimTime begin, end;
  std::vector<Completed> completed;
};

int call_depth = 0;
int own_messages = 0;

/// Of the outermost call under way.
std::vector<Step>& steps() {
  static auto& all = *new std::vector<Step>;
  return all;
}

}  // namespace

RecordedPvmCall::RecordedPvmCall(Call call) : recorder_(recorder()), call_(call) {
  if (recorder_ == nullptr) return;
  begin_ = recorder_->now();
  outermost_ = call_depth++ == 0;
}

RecordedPvmCall::~RecordedPvmCall() {
  if (recorder_ == nullptr) return;
  --call_depth;
  if (!outermost_) return;
  std::vector<Step> all = std::exchange(steps(), {});
  if (forgotten_) return;
  if (all.empty()) all.push_back({Operation{}, begin_, now(), {}});
  SimTime last = begin_;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Step& step = all[i];
    step.operation.call = call_;
    step.operation.part = all.size() == 1      ? CallPart::whole
                          : i == 0             ? CallPart::first
                          : i + 1 < all.size() ? CallPart::middle
                                               : CallPart::last;
    step.begin = std::max(step.begin, last);
    last = step.end = std::max(step.end, step.begin);
    recorder_->write(step.operation, step.begin, step.end, step.completed);
  }
}

void RecordedPvmCall::add(Operation operation, SimTime begin, SimTime end, std::vector<Completed> completed) {
  steps().push_back({std::move(operation), begin, end, std::move(completed)});
}

void RecordedPvmCall::add_wait(const std::vector<RequestId>& requests, SimTime begin,
                               std::vector<Completed> completed) {
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.requests.assign(requests.begin(), requests.end());
  add(std::move(wait), begin, now(), std::move(completed));
}

OwnMessages::OwnMessages() {
  ++own_messages;
}
OwnMessages::~OwnMessages() {
  --own_messages;
}
bool OwnMessages::under_way() {
  return own_messages > 0;
}

}  // namespace morgana::pvm::captured
