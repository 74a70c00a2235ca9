#include "replay/translation/call_plan.h"

namespace morgana {
namespace {

using Kind = TraceRecord::Kind;

bool is_completion(Kind kind) {
  return kind == Kind::isend_complete || kind == Kind::ireceive || kind == Kind::icollective ||
         kind == Kind::request_cancelled || kind == Kind::request_completed;
}

bool begins_operation(Kind kind) {
  return kind == Kind::isend || kind == Kind::ireceive_posted || kind == Kind::icollective_begun;
}

}  // namespace

bool CallPlan::read(LocationReader& location, const TraceDefinitions& definitions, const TraceForm& form,
                    std::size_t& place) {
  steps.clear();
  region = nullptr;
  const TraceRecord* first = location.at(place);
  if (first == nullptr) return false;
  begin = first->time;
  polled = SimTime::from_ps(location.extras(*first)[Attribute::polled]);
  interrupted = SimTime::from_ps(location.extras(*first)[Attribute::interrupted]);
  if (first->kind == Kind::program_end) return false;
  if (first->kind == Kind::leave) location.fail(first->number, "leaves a call that it has not entered");
  if (first->kind != Kind::enter) {
    plan(location, place, place + 1, form);
    end = begin;
    ++place;
    return true;
  }
  region = definitions.regions.find(first->region);
  const std::uint64_t entered = first->number;
  const std::uint32_t entered_region = first->region;
  std::size_t depth = 1;
  std::size_t after = place + 1;
  for (;; ++after) {
    const TraceRecord* record = location.at(after);
    if (record == nullptr) location.fail(entered, "enters " + region->name + " and never leaves it");
    if (record->kind == Kind::enter) ++depth;
    if (record->kind != Kind::leave || --depth > 0) continue;
    if (record->region != entered_region)
      location.fail(record->number, "leaves another call than " + region->name + ", which it has entered");
    end = record->time;
    break;
  }
  if (after > place + 1) {
    if (location.at(place + 1)->kind == Kind::operation)
      plan_marked(location, place + 1, after);
    else
      plan(location, place + 1, after, form);
  }
  place = after + 1;
  return true;
}

void CallPlan::plan(LocationReader& location, std::size_t from, std::size_t to, const TraceForm& form) {
  std::uint32_t privates = 0;
  std::size_t completions = 0, tests = 0, sends = 0, collectives = 0;
  for (std::size_t i = from; i < to; ++i) {
    const TraceRecord& record = *location.at(i);
    PlannedStep step;
    step.record = i;
    switch (record.kind) {
      case Kind::receive:
        step.private_request = ++privates;
        [[fallthrough]];
      case Kind::ireceive_posted:
        step.kind = OperationKind::receive;
        steps.push_back(step);
        break;
      case Kind::send:
      case Kind::isend:
      case Kind::icollective_begun:
        ++sends;
        break;
      case Kind::collective:
        ++collectives;
        break;
      case Kind::request_test:
        ++tests;
        break;
      case Kind::one_sided:
        location.fail(record.number,
                      "accesses another rank's memory: one-sided communication can't be replayed");
      case Kind::operation:
        location.fail(record.number, "begins an operation in the middle of a call");
      default:
        completions += is_completion(record.kind) ? 1 : 0;
    }
  }
  for (std::size_t i = from; sends > 0 && i < to; ++i) {
    const Kind kind = location.at(i)->kind;
    if (kind != Kind::send && kind != Kind::isend && kind != Kind::icollective_begun) continue;
    PlannedStep step;
    step.record = i;
    step.kind = kind == Kind::icollective_begun ? OperationKind::collective : OperationKind::send;
    step.never_awaited = kind == Kind::send && region != nullptr && form.is_never_awaited(*region);
    if (kind == Kind::send && !step.never_awaited) step.private_request = ++privates;
    steps.push_back(step);
    --sends;
  }
  if (privates > 0 || completions > 0 || tests > 0) {
    PlannedStep step;
    step.kind = privates == 0 && completions == 0 ? OperationKind::test : OperationKind::wait;
    step.from = from;
    step.to = to;
    step.first_private = 1;
    step.last_private = privates;
    steps.push_back(step);
  }
  for (std::size_t i = from; collectives > 0 && i < to; ++i) {
    if (location.at(i)->kind != Kind::collective) continue;
    PlannedStep step;
    step.kind = OperationKind::collective;
    step.record = i;
    step.private_request = ++privates;
    steps.push_back(step);
    step = PlannedStep{};
    step.kind = OperationKind::wait;
    step.first_private = step.last_private = privates;
    steps.push_back(step);
    --collectives;
  }
}

void CallPlan::plan_marked(LocationReader& location, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    const TraceRecord& record = *location.at(i);
    if (record.kind == Kind::operation) {
      PlannedStep step;
      step.kind = record.operation;
      step.marker = i;
      step.from = step.to = i + 1;
      step.first_private = 1;  // none
      const bool has_record = step.kind == OperationKind::send || step.kind == OperationKind::receive ||
                              step.kind == OperationKind::collective;
      if (has_record) {
        const TraceRecord* start = i + 1 < to ? location.at(i + 1) : nullptr;
        if (start == nullptr || !begins_operation(start->kind))
          location.fail(location.at(i)->number, "begins an operation that does not follow");
        step.record = ++i;
      } else if (step.kind == OperationKind::exit || step.kind == OperationKind::context_created) {
        location.fail(record.number, "begins an operation that is part of no call");
      }
      steps.push_back(step);
    } else {
      steps.back().to = i + 1;
      if (!is_completion(record.kind) && record.kind != Kind::request_test)
        location.fail(record.number, "is not a part of the operation before it");
    }
  }
}

}  // namespace morgana
