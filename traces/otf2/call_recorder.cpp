#include "traces/otf2/call_recorder.h"

#include <algorithm>
#include <array>

#include "traces/otf2/call_traits.h"
#include "traces/otf2/otf2_error.h"
#include "traces/otf2/record_form.h"

namespace morgana {
namespace {

void check(OTF2_ErrorCode code) {
  check_otf2(code, "write the trace");
}

OTF2_TimeStamp stamp(SimTime time) {
  return static_cast<OTF2_TimeStamp>(time.ps());
}

std::uint64_t count_of(Bytes bytes) {
  return static_cast<std::uint64_t>(bytes.count());
}

std::uint64_t number_of(RequestId request) {
  return static_cast<std::uint64_t>(request);
}

/// The traits of every call, looked up once.
const CallTraits& call_traits(Call call) {
  static const auto table = [] {
    std::array<CallTraits, static_cast<std::size_t>(Call::count_)> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = traits_of(name_of(static_cast<Call>(i)));
    return all;
  }();
  return table[static_cast<std::size_t>(call)];
}

bool failed(const RecordedStep& test) {
  return test.completed.empty();
}

}  // namespace

CallRecorder::CallRecorder(TraceArchive& archive, TraceCommunicators& communicators, std::size_t ranks)
    : archive_(archive), communicators_(communicators), pending_(ranks), attributes_(archive) {}

/// A receive is written as streamed if a wait of its call found its message on its way. One that found all of
/// it there waits for all of it in a replay too: the program has not waited for parts of it any more.
void CallRecorder::note_heads(RecordedCall& call) {
  for (std::size_t i = 0; i < call.size(); ++i) {
    Operation& receive = call[i].operation;
    if (receive.kind != OperationKind::receive || !receive.streamed) continue;
    for (std::size_t later = i + 1; later < call.size(); ++later)
      for (const RecordedStep::Completion& completed : call[later].completed)
        if (completed.request == receive.request) receive.streamed = completed.coming > Bytes();
  }
}

void CallRecorder::write(Rank rank, RecordedCall& call) {
  note_heads(call);
  rank_ = rank;
  events_ = archive_.events(rank);
  call_ = call.call;
  const OTF2_RegionRef region = archive_.region(call.call);
  add_time_before(call.polled, call.interrupted);
  check(OTF2_EvtWriter_Enter(events_, attributes_.get(), stamp(call.begin), region));
  switch (form_of(call)) {
    case RecordForm::plain:
      if (!call.empty()) write_plain(call[0]);
      break;
    case RecordForm::blocking_messages:
      write_blocking_messages(call);
      break;
    case RecordForm::blocking_collective:
      write_blocking_collective(call[0], call[1]);
      break;
    case RecordForm::marked:
      for (std::size_t i = 0; i < call.size(); ++i) write_marked(call[i]);
      break;
  }
  check(OTF2_EvtWriter_Leave(events_, nullptr, stamp(call.end), region));
}

void CallRecorder::add_time_before(SimTime polled, SimTime interrupted) {
  if (polled > SimTime()) attributes_.add(Attribute::polled, polled);
  if (interrupted > SimTime()) attributes_.add(Attribute::interrupted, interrupted);
}

void CallRecorder::write_exit(Rank rank, SimTime at, SimTime polled, SimTime interrupted) {
  add_time_before(polled, interrupted);
  check(OTF2_EvtWriter_ProgramEnd(archive_.events(rank), attributes_.get(), stamp(at), 0));
}

void CallRecorder::write_plain(const RecordedStep& step) {
  switch (step.operation.kind) {
    case OperationKind::send:
      return write_send(step, false);
    case OperationKind::receive:
      return write_receive(step);
    case OperationKind::collective:
      return write_collective(step);
    case OperationKind::wait:
      return write_completions(step);
    case OperationKind::test:
      return failed(step) ? write_failed_test(step) : write_completions(step);
    default:
      return;
  }
}

void CallRecorder::write_marked(const RecordedStep& step) {
  const Operation& operation = step.operation;
  OperationKind kind = operation.kind;
  if (kind == OperationKind::test && !failed(step)) kind = OperationKind::wait;
  // A wait whose limit has passed is time that passes.
  if (kind == OperationKind::wait && step.completed.empty())
    kind = operation.duration > SimTime() ? OperationKind::sleep : OperationKind::nothing;
  if (kind == OperationKind::test_probe && !failed(step)) kind = OperationKind::probe;
  if (step.elapsed > SimTime()) attributes_.add(Attribute::elapsed, step.elapsed);
  if (step.polled > SimTime()) attributes_.add(Attribute::polled, step.polled);
  if (kind == OperationKind::probe || kind == OperationKind::test_probe) {
    if (step.completed.empty())
      add_envelope(operation, operation.peer, operation.tag);
    else
      add_envelope(operation, step.completed[0].source, step.completed[0].tag);
  }
  if (kind == OperationKind::probe && operation.taken != no_request)
    attributes_.add(Attribute::taken, operation.taken);
  if (kind == OperationKind::sleep) attributes_.add(Attribute::duration, operation.duration);
  if (kind == OperationKind::access || kind == OperationKind::lock || kind == OperationKind::unlock)
    write_access(step);
  if (kind == OperationKind::wait_part) write_wait_part(step);
  if (kind == OperationKind::spawn || kind == OperationKind::kill) {
    attributes_.add_signed(Attribute::target, static_cast<std::int32_t>(operation.peer));
    if (kind == OperationKind::spawn) attributes_.add_signed(Attribute::host, operation.host);
  }
  if (kind == OperationKind::cancel) attributes_.add(Attribute::request, operation.request);
  check(OTF2_EvtWriter_ParameterUnsignedInt(events_, attributes_.get(), stamp(step.begin),
                                            TraceArchive::operation_parameter_reference,
                                            static_cast<std::uint64_t>(kind)));
  write_plain(step);
}

void CallRecorder::write_blocking_messages(const RecordedCall& call) {
  const RecordedStep& wait = call[call.size() - 1];
  for (std::size_t i = 0; i + 1 < call.size(); ++i)
    if (call[i].operation.kind == OperationKind::send) write_send(call[i], true);
  for (std::size_t i = 0; i + 1 < call.size(); ++i) {
    const Operation& receive = call[i].operation;
    if (receive.kind != OperationKind::receive) continue;
    const WrittenCommunicator& communicator = communicators_.find(rank_, receive.context);
    const RecordedStep::Completion& message = wait.completed[i];
    if (receive.bytes != message.bytes) attributes_.add(Attribute::room, receive.bytes);
    if (receive.taken != no_request) attributes_.add(Attribute::taken, receive.taken);
    if (receive.context == any_context) attributes_.add(Attribute::every_context, std::uint64_t{1});
    check(OTF2_EvtWriter_MpiRecv(events_, attributes_.get(), stamp(wait.end),
                                 communicator.place(message.source), communicator.reference,
                                 static_cast<std::uint32_t>(message.tag), count_of(message.bytes)));
  }
}

void CallRecorder::write_blocking_collective(const RecordedStep& start, const RecordedStep& wait) {
  const CollectivePart& part = start.operation.collective;
  const WrittenCommunicator& communicator = communicators_.find(rank_, start.operation.context);
  const std::uint32_t me = communicator.place(rank_);
  const CollectiveTotals totals = totals_of(part, communicator.size(), me);
  const OTF2_CollectiveOp operation = otf2_collective(part.kind);
  const std::uint32_t root =
      has_root(part.kind) ? static_cast<std::uint32_t>(part.root) : OTF2_COLLECTIVE_ROOT_NONE;
  check(OTF2_EvtWriter_MpiCollectiveBegin(events_, nullptr, stamp(start.begin)));
  const auto told = collective_kind(operation, call_traits(call_).neighbourhood);
  if (told != part.kind) attributes_.add(Attribute::kind, static_cast<std::uint64_t>(part.kind));
  derived_.root = has_root(part.kind) ? part.root : 0;
  derived_.blocking = true;
  derive_part(part.kind, communicator.size(), me, totals, derived_);
  attributes_.add_differences(part, derived_);
  check(OTF2_EvtWriter_MpiCollectiveEnd(events_, attributes_.get(), stamp(wait.end), operation,
                                        communicator.reference, root, totals.sent, totals.received));
}

void CallRecorder::write_send(const RecordedStep& step, bool blocking) {
  const Operation& send = step.operation;
  const WrittenCommunicator& communicator = communicators_.find(rank_, send.context);
  const std::uint32_t receiver = communicator.place(send.peer);
  if (send.mode != call_traits(call_).mode)
    attributes_.add(Attribute::mode, static_cast<std::uint64_t>(send.mode));
  if (!send.parts.empty()) attributes_.add_parts(send.parts);
  if (blocking) {
    check(OTF2_EvtWriter_MpiSend(events_, attributes_.get(), stamp(step.begin), receiver,
                                 communicator.reference, static_cast<std::uint32_t>(send.tag),
                                 count_of(send.bytes)));
    return;
  }
  check(OTF2_EvtWriter_MpiIsend(events_, attributes_.get(), stamp(step.begin), receiver,
                                communicator.reference, static_cast<std::uint32_t>(send.tag),
                                count_of(send.bytes), number_of(send.request)));
  pending_[index(rank_)].insert(number_of(send.request), Pending{});
}

void CallRecorder::write_receive(const RecordedStep& step) {
  const Operation& receive = step.operation;
  add_envelope(receive, receive.peer, receive.tag);
  attributes_.add(Attribute::room, receive.bytes);
  if (receive.taken != no_request) attributes_.add(Attribute::taken, receive.taken);
  if (receive.streamed) attributes_.add(Attribute::streamed, std::uint64_t{1});
  check(OTF2_EvtWriter_MpiIrecvRequest(events_, attributes_.get(), stamp(step.begin),
                                       number_of(receive.request)));
  Pending pending;
  pending.kind = OperationKind::receive;
  pending.communicator = communicators_.find(rank_, receive.context).reference;
  pending_[index(rank_)].insert(number_of(receive.request), pending);
}

void CallRecorder::write_collective(const RecordedStep& step) {
  const CollectivePart& part = step.operation.collective;
  const WrittenCommunicator& communicator = communicators_.find(rank_, step.operation.context);
  const std::uint32_t me = communicator.place(rank_);
  if (communicator.reference != 0)
    attributes_.add(Attribute::communicator, std::uint64_t{communicator.reference});
  attributes_.add(Attribute::kind, static_cast<std::uint64_t>(part.kind));
  derived_.root = has_root(part.kind) ? part.root : 0;
  if (derived_.root != 0) attributes_.add_signed(Attribute::root, part.root);
  derived_.blocking = false;
  derive_part(part.kind, communicator.size(), me, {}, derived_);
  attributes_.add_differences(part, derived_);
  check(OTF2_EvtWriter_NonBlockingCollectiveRequest(events_, attributes_.get(), stamp(step.begin),
                                                    number_of(step.operation.request)));
  Pending pending;
  pending.kind = OperationKind::collective;
  pending.communicator = communicator.reference;
  pending.collective = part.kind;
  if (has_root(part.kind)) pending.root = static_cast<std::uint32_t>(part.root);
  pending.totals = totals_of(part, communicator.size(), me);
  pending_[index(rank_)].insert(number_of(step.operation.request), pending);
}

/// With the last part that was waited for the rest had come too: a replay waits for that.
void CallRecorder::write_wait_part(const RecordedStep& step) {
  const bool whole = !step.completed.empty() && step.completed[0].coming == Bytes();
  attributes_.add(Attribute::request, step.operation.request);
  attributes_.add(Attribute::bytes, whole ? step.completed[0].bytes : step.operation.bytes);
}

/// The attributes of the record that begins the operation: it has no other.
void CallRecorder::write_access(const RecordedStep& step) {
  const Operation& access = step.operation;
  attributes_.add_signed(Attribute::target, static_cast<std::int32_t>(access.peer));
  attributes_.add(Attribute::window, static_cast<std::uint64_t>(access.context));
  attributes_.add(Attribute::request, access.request);
  if (access.kind == OperationKind::access) {
    attributes_.add(Attribute::bytes, access.bytes);
    attributes_.add(Attribute::reply, access.reply);
  }
  if (access.exclusive) attributes_.add(Attribute::exclusive, std::uint64_t{1});
  Pending pending;
  pending.kind = access.kind;
  pending_[index(rank_)].insert(number_of(access.request), pending);
}

void CallRecorder::write_completions(const RecordedStep& step) {
  // In the order in which the operation names the requests: a replay waits for them in this order.
  std::size_t expected = 0;
  for (const RequestId request : step.operation.requests) {
    const auto matches = [request](const RecordedStep::Completion& c) { return c.request == request; };
    if (expected < step.completed.size() && matches(step.completed[expected])) {
      write_completion(step.completed[expected++], step.end);
      continue;
    }
    const auto found = std::ranges::find_if(step.completed, matches);
    if (found == step.completed.end()) continue;
    write_completion(*found, step.end);
    expected = static_cast<std::size_t>(found - step.completed.begin()) + 1;
  }
}

void CallRecorder::write_completion(const RecordedStep::Completion& completed, SimTime at) {
  const std::uint64_t number = number_of(completed.request);
  TraceRequests<Pending>& table = pending_[index(rank_)];
  const Pending* pending = table.find(number);
  if (pending == nullptr) return;
  if (completed.outcome != Outcome::delivered)
    attributes_.add(Attribute::outcome, static_cast<std::uint64_t>(completed.outcome));
  if (completed.cancelled) {
    check(OTF2_EvtWriter_MpiRequestCancelled(events_, nullptr, stamp(at), number));
  } else if (pending->kind == OperationKind::send) {
    check(OTF2_EvtWriter_MpiIsendComplete(events_, attributes_.get(), stamp(at), number));
  } else if (pending->kind == OperationKind::receive) {
    const WrittenCommunicator& communicator = communicators_.all()[pending->communicator];
    check(OTF2_EvtWriter_MpiIrecv(events_, attributes_.get(), stamp(at), communicator.place(completed.source),
                                  communicator.reference, static_cast<std::uint32_t>(completed.tag),
                                  count_of(completed.bytes), number));
  } else if (pending->kind != OperationKind::collective) {
    check(OTF2_EvtWriter_ParameterUnsignedInt(events_, attributes_.get(), stamp(at),
                                              TraceArchive::completed_parameter_reference, number));
  } else {
    check(OTF2_EvtWriter_NonBlockingCollectiveComplete(
        events_, attributes_.get(), stamp(at), otf2_collective(pending->collective), pending->communicator,
        pending->root, pending->totals.sent, pending->totals.received, number));
  }
  table.erase(number);
}

void CallRecorder::write_failed_test(const RecordedStep& step) {
  const Operation& test = step.operation;
  for (std::size_t i = 0; i < test.requests.size(); ++i) {
    if (i == 0 && test.completion != call_traits(call_).completion)
      attributes_.add(Attribute::completion, static_cast<std::uint64_t>(test.completion));
    check(OTF2_EvtWriter_MpiRequestTest(events_, attributes_.get(), stamp(step.end),
                                        number_of(test.requests[i])));
  }
}

void CallRecorder::add_envelope(const Operation& operation, Rank source, Tag tag) {
  const WrittenCommunicator& communicator = communicators_.find(rank_, operation.context);
  attributes_.add_signed(Attribute::source,
                         source == any_rank ? -1 : static_cast<std::int32_t>(communicator.place(source)));
  attributes_.add_signed(Attribute::tag, static_cast<std::int32_t>(tag));
  if (communicator.reference != 0)
    attributes_.add(Attribute::communicator, std::uint64_t{communicator.reference});
  if (operation.context == any_context) attributes_.add(Attribute::every_context, std::uint64_t{1});
}

}  // namespace morgana
