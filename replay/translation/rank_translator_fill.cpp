#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "replay/translation/rank_translator.h"
#include "traces/otf2/call_traits.h"
#include "traces/otf2/number_list.h"

namespace morgana {
namespace {

RequestId taken_request(const TraceExtras& extras) {
  return extras.has(Attribute::taken) ? RequestId(static_cast<std::uint64_t>(extras[Attribute::taken]))
                                      : no_request;
}

}  // namespace

void RankTranslator::fill(const PlannedStep& step, RecordedOperation& recorded) {
  Operation& operation = recorded.operation;
  operation.kind = step.kind;
  if (step.marker != PlannedStep::no_place) fill_marked(step, recorded);
  switch (step.kind) {
    case OperationKind::send:
    case OperationKind::receive:
      return fill_message(step, operation);
    case OperationKind::collective:
      return fill_collective(step, operation);
    case OperationKind::wait:
    case OperationKind::test:
      return fill_requests(step, operation);
    default:
      return;
  }
}

RequestId RankTranslator::request_of(const PlannedStep& step, const TraceRecord& record) {
  if (step.never_awaited) return RequestId(never_awaited_requests + ++never_awaited_);
  if (step.private_request != 0) return RequestId(private_requests + step.private_request);
  if (!pending_.insert(record.request, 0))
    location_.fail(record.number, fmt::format("starts request {} while it is pending", record.request));
  return RequestId(record.request);
}

void RankTranslator::fill_message(const PlannedStep& step, Operation& operation) {
  const TraceRecord& record = *location_.at(step.record);
  operation.request = request_of(step, record);
  operation.context = context_of(*definitions_.communicators.find(record.communicator));
  operation.peer = record.peer;
  operation.tag = record.tag;
  if (step.kind == OperationKind::receive) {
    operation.bytes = record.room;
    operation.streamed = false;
    if (record.extras != 0) {
      const TraceExtras& extras = location_.extras(record);
      operation.taken = taken_request(extras);
      operation.streamed = extras[Attribute::streamed] != 0;
      if (extras[Attribute::every_context] != 0) operation.context = any_context;
    }
    return;
  }
  operation.bytes = record.bytes;
  operation.parts.clear();
  operation.mode = plan_.region == nullptr ? SendMode::standard : plan_.region->traits.mode;
  if (record.extras != 0) {
    const TraceExtras extras = location_.extras(record);
    if (extras.has(Attribute::mode)) {
      if (extras[Attribute::mode] > static_cast<std::int64_t>(SendMode::ready))
        location_.fail(record.number, "has an unknown send mode");
      operation.mode = static_cast<SendMode>(extras[Attribute::mode]);
    }
    if (extras.has(Attribute::parts)) fill_parts(record, extras[Attribute::parts], operation.parts);
  }
}

void RankTranslator::fill_parts(const TraceRecord& record, std::int64_t text,
                                std::vector<MessagePart>& parts) const {
  const auto [entry, fresh] = trace_.parts.try_emplace(text);
  if (fresh) {
    const std::string& list = definitions_.text(static_cast<OTF2_StringRef>(text));
    const auto numbers = parse_number_list(list, 3 * most_message_parts);
    bool sound = numbers && numbers->size() % 3 == 0;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    for (std::size_t i = 0; sound && i < numbers->size(); i += 3) {
      const std::int64_t type = (*numbers)[i], count = (*numbers)[i + 1], end = (*numbers)[i + 2];
      const std::int64_t before = entry->second.empty() ? 0 : entry->second.back().end;
      sound = type >= 0 && type <= last_part_type && count >= 0 && count <= most && end >= before;
      entry->second.push_back({static_cast<std::int32_t>(type), static_cast<std::int32_t>(count), end});
    }
    if (!sound) location_.fail(record.number, fmt::format("has the malformed parts \"{:.60}\"", list));
  }
  parts = entry->second;
  if (!parts.empty() && parts.back().end > record.bytes.count())
    location_.fail(record.number,
                   fmt::format("has parts that end behind its {} bytes", record.bytes.count()));
}

void RankTranslator::fill_collective(const PlannedStep& step, Operation& operation) {
  const TraceRecord& record = *location_.at(step.record);
  const TraceCommunicator& communicator = *definitions_.communicators.find(record.communicator);
  if (communicator.kind == TraceCommunicator::Kind::between_groups)
    location_.fail(record.number, "is a collective between two groups, which can't be replayed");
  operation.request = request_of(step, record);
  operation.context = context_of(communicator);
  trace_.collectives.read(location_, record, plan_.among_neighbours(), operation.collective);
}

void RankTranslator::fill_requests(const PlannedStep& step, Operation& operation) {
  using Kind = TraceRecord::Kind;
  operation.requests.clear();
  operation.completion = Completion::all;
  for (std::uint32_t i = step.first_private; i <= step.last_private && i != 0; ++i)
    operation.requests.push_back(RequestId(private_requests + i));
  const bool tests = step.kind == OperationKind::test;
  if (tests && plan_.region != nullptr) operation.completion = plan_.region->traits.completion;
  for (std::size_t i = step.from; i < step.to; ++i) {
    const TraceRecord& record = *location_.at(i);
    if (tests && record.kind == Kind::request_test) {
      if (pending_.find(record.request) != nullptr) operation.requests.push_back(RequestId(record.request));
      if (record.extras == 0) continue;
      const TraceExtras extras = location_.extras(record);
      if (extras.has(Attribute::completion) &&
          extras[Attribute::completion] <= static_cast<std::int64_t>(Completion::some))
        operation.completion = static_cast<Completion>(extras[Attribute::completion]);
    } else if (!tests && (record.kind == Kind::isend_complete || record.kind == Kind::ireceive ||
                          record.kind == Kind::icollective || record.kind == Kind::request_cancelled ||
                          record.kind == Kind::request_completed)) {
      // Not pending: a receive that was left out, or a request that a test found complete already.
      if (pending_.erase(record.request)) operation.requests.push_back(RequestId(record.request));
    }
  }
  // On a faster platform it may find what it did not find when it was recorded.
  operation.wants_answer = tests;
}

void RankTranslator::fill_marked(const PlannedStep& step, RecordedOperation& recorded) {
  Operation& operation = recorded.operation;
  const TraceRecord& record = *location_.at(step.marker);
  if (step.kind == OperationKind::probe || step.kind == OperationKind::test_probe) {
    operation.context = context_of(*definitions_.communicators.find(record.communicator));
    operation.peer = record.peer;
    operation.tag = record.tag;
  }
  if (step.kind == OperationKind::cancel) {
    operation.request = RequestId(record.request);
    if (pending_.find(record.request) == nullptr) operation.kind = OperationKind::nothing;
  }
  operation.duration = SimTime();
  const TraceExtras extras = location_.extras(record);
  operation.taken = taken_request(extras);
  const bool probes = step.kind == OperationKind::probe || step.kind == OperationKind::test_probe;
  if (probes && extras[Attribute::every_context] != 0) operation.context = any_context;
  if (step.kind == OperationKind::access || step.kind == OperationKind::lock ||
      step.kind == OperationKind::unlock) {
    operation.request = request_of(step, record);
    operation.peer = record.peer;
    operation.context = Context(static_cast<std::uint64_t>(extras[Attribute::window]));
    operation.bytes = Bytes(extras[Attribute::bytes]);
    operation.reply = Bytes(extras[Attribute::reply]);
    operation.exclusive = extras[Attribute::exclusive] != 0;
    if (record.peer < Rank{0} || operation.bytes < Bytes(0) || operation.reply < Bytes(0))
      location_.fail(record.number, "accesses memory without saying whose, or of a negative size");
  }
  if (step.kind == OperationKind::wait_part) {
    operation.request = RequestId(record.request);
    operation.bytes = Bytes(extras[Attribute::bytes]);
    if (operation.bytes < Bytes(0)) location_.fail(record.number, "waits for a part of negative size");
  }
  if (step.kind == OperationKind::spawn || step.kind == OperationKind::kill) {
    operation.peer = record.peer;
    const std::int64_t host = extras[Attribute::host];
    if (record.peer < Rank{0} || host < 0)
      location_.fail(record.number, "starts or ends a rank without saying which or where");
    recorded.host = host;
  }
  const SimTime polled = SimTime::from_ps(extras[Attribute::polled]);
  const SimTime elapsed = SimTime::from_ps(extras[Attribute::elapsed]);
  operation.duration = SimTime::from_ps(extras[Attribute::duration]);
  constexpr SimTime longest = SimTime::from_ps(std::int64_t{1} << 62);
  if (elapsed < SimTime() || elapsed > longest || operation.duration < SimTime() ||
      operation.duration > longest)
    location_.fail(record.number, "lasts longer than 50 days");
  const SimTime in_polls = std::clamp(polled, SimTime(), elapsed);
  recorded.computed_within = elapsed - in_polls;
  operation.polled += in_polls;
}

}  // namespace morgana
