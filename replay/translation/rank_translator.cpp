#include "replay/translation/rank_translator.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/otf2/call_traits.h"

namespace morgana {

Context RankTranslator::context_of(const TraceCommunicator& communicator) const {
  if (&communicator == trace_.world) return world_context;
  if (communicator.open_context) return *communicator.open_context;
  const std::uint64_t number = std::uint64_t{communicator.reference} + 1;
  if (communicator.kind != TraceCommunicator::Kind::self) return Context(number);
  // Each rank has an MPI_COMM_SELF of its own.
  return Context(number | (static_cast<std::uint64_t>(index(rank_)) + 1) << 32);
}

void RankTranslator::next(RecordedOperation& recorded) {
  while (step_ == plan_.steps.size()) {
    const bool planned = plan_call();
    // A rank that begins late counts its time from then on.
    if (last_end_ == SimTime() && !runs_at_start()) last_end_ = location_.begin_time();
    if (!planned) return exit(recorded);
  }
  if (!unannounced_.empty()) return announce(recorded);
  Operation& operation = recorded.operation;
  const std::size_t count = plan_.steps.size();
  const PlannedStep& step = plan_.steps[step_];
  operation.wants_answer = false;
  operation.payload = 0;
  operation.call = plan_.region == nullptr ? Call::unknown : plan_.region->call;
  operation.part = count == 1          ? CallPart::whole
                   : step_ == 0        ? CallPart::first
                   : step_ + 1 < count ? CallPart::middle
                                       : CallPart::last;
  recorded.computed = recorded.computed_within = SimTime();
  operation.polled = SimTime();
  operation.taken = no_request;
  operation.duration = SimTime();
  operation.requests.clear();  // probes may name some, but none that is recorded does
  if (step_ == 0) {
    set_elapsed(recorded);
    last_end_ = plan_.end;
  }
  fill(step, recorded);
  if (++step_ == count) location_.release(place_);
}

/// @return false at the rank's end
bool RankTranslator::plan_call() {
  location_.release(place_);
  step_ = 0;
  CallPlan& plan = plan_;
  if (!plan.read(location_, definitions_, form_, place_)) return false;
  const bool had_steps = !plan.steps.empty();
  for (std::size_t i = 0; i < plan.steps.size();) {
    if (!leave_out(plan.steps[i])) {
      ++i;
      continue;
    }
    // With a blocking collective goes its wait.
    const bool blocking = plan.steps[i].private_request != 0;
    const auto step = plan.steps.begin() + static_cast<std::ptrdiff_t>(i);
    plan.steps.erase(step, step + (blocking ? 2 : 1));
  }
  for (const PlannedStep& step : plan.steps) need(step);
  if (!plan.steps.empty()) return true;
  if (had_steps || (plan.region != nullptr && form_.is_operation(*plan.region)))
    plan.steps.push_back(PlannedStep{});
  return true;
}

bool RankTranslator::leave_out(const PlannedStep& step) {
  if (step.kind == OperationKind::receive) {
    resolve(step.record);
    if (!form_.leaves_out_receive(*location_.at(step.record))) return false;
    ++trace_.receives_left_out;
    return true;
  }
  if (step.kind != OperationKind::collective) return false;
  resolve(step.record);
  return form_.leaves_out_collective(*location_.at(step.record), plan_.among_neighbours(), location_);
}

/// Reads ahead until the record says all that it can.
void RankTranslator::resolve(std::size_t place) {
  if (!form_.needs_completion(*location_.at(place))) return;
  while (!location_.at(place)->resolved && location_.read_on()) {
  }
}

void RankTranslator::need(const PlannedStep& step) {
  const bool probes = step.kind == OperationKind::probe || step.kind == OperationKind::test_probe;
  const std::size_t place = probes ? step.marker : step.record;
  if (place == PlannedStep::no_place || step.kind == OperationKind::nothing) return;
  const TraceRecord& record = *location_.at(place);
  const TraceCommunicator* communicator = definitions_.communicators.find(record.communicator);
  if (communicator == nullptr) location_.fail(record.number, "names an unknown communicator");
  if (communicator == trace_.world || communicator->open_context) return;
  if (record.communicator >= announced_.size()) announced_.resize(record.communicator + 1);
  if (announced_[record.communicator]) return;
  announced_[record.communicator] = true;
  unannounced_.push_back(communicator);
}

void RankTranslator::announce(RecordedOperation& recorded) {
  Operation& operation = recorded.operation;
  const TraceCommunicator& communicator = *unannounced_.back();
  unannounced_.pop_back();
  operation.kind = OperationKind::context_created;
  operation.call = Call::unknown;
  operation.part = CallPart::whole;
  operation.wants_answer = false;
  operation.polled = SimTime();
  operation.context = context_of(communicator);
  recorded.computed = recorded.computed_within = SimTime();
  recorded.communicator = communicator.reference;
}

void RankTranslator::exit(RecordedOperation& recorded) {
  Operation& operation = recorded.operation;
  operation.kind = OperationKind::exit;
  operation.call = Call::unknown;
  operation.part = CallPart::whole;
  operation.wants_answer = false;
  plan_.begin = location_.last_time();
  recorded.computed_within = SimTime();
  set_elapsed(recorded);
}

/// Polls are no computing: a faster processor does not shorten them. What kernel work took is the platform's
/// affair, on which the replay runs.
void RankTranslator::set_elapsed(RecordedOperation& recorded) {
  const SimTime passed = plan_.begin - last_end_;
  const SimTime computed = passed - std::clamp(plan_.interrupted, SimTime(), passed);
  recorded.operation.polled = std::clamp(plan_.polled, SimTime(), computed);
  recorded.computed = computed - recorded.operation.polled;
}

}  // namespace morgana
