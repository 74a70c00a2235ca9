#include "pvmshim/mpi/emulate/request_list.h"

#include <algorithm>
#include <string>

#include "emulator/core/error.h"
#include "pvmshim/mpi/emulate/collective.h"
#include "pvmshim/mpi/emulate/completion.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/payloads.h"
#include "pvmshim/mpi/emulate/returned.h"
#include "pvmshim/mpi/statuses.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {
namespace {

using Pending = boost::container::small_vector<Request*, 8>;

Operation completion_of(OperationKind kind, Call call, Completion completion, const Pending& pending) {
  Operation operation = completion_operation(kind, call, CallPart::whole, completion, {});
  for (const Request* request : pending) {
    if (!request->has_come) operation.requests.push_back(request->id);
    if (request->companion != no_request) operation.requests.push_back(request->companion);
  }
  return operation;
}

/// Whether the program learns nothing from the answer: it waits, whatever their order, for sends that say
/// nothing of their receivers and for receives whose messages are foreseen.
bool outcome_is_known(const Pending& pending, OperationKind kind, Completion completion) {
  return kind == OperationKind::wait && (completion == Completion::all || pending.size() == 1) &&
         std::ranges::all_of(pending, [](const Request* request) {
           return request->is_send ? !request->is_awaited
                                   : request->companion == no_request && me().foresees(request->id);
         });
}

/// Of a send.
void note_end(Request& request, const Completed& completed) {
  const int error = error_of_outcome(completed);
  if (error == MPI_SUCCESS) return;
  request.error = error;
  request.outcome = completed.outcome;
}

void complete_send(Request& request) {
  set_empty(request.status);
  request.done = true;
}

}  // namespace

void complete(const Completed& completed) {
  me().foreseen.completed(completed);
  Request& request = me().requests.with_id(completed.request);
  if (completed.request == request.companion) {
    note_end(request, completed);
    request.companion = no_request;
    request.done = request.has_come;
    return;
  }
  if (request.completion_handler != nullptr) {
    set_empty(request.status);
    request.completion_handler->complete(request, completed);
    request.done = true;
    return;
  }
  if (request.is_send) {
    note_end(request, completed);
    complete_send(request);
    if (completed.cancelled) {
      const Payload taken_back(completed.payload);
      set_received(request.status, completed, *request.comm);
    }
    return;
  }
  const int error =
      take(completed, request.buffer, request.count, request.type, *request.comm, request.status);
  if (error != MPI_SUCCESS) request.error = error;
  if (completed.outcome != Outcome::delivered) request.outcome = completed.outcome;
  request.has_come = true;
  request.done = request.companion == no_request;
}

RequestList::RequestList(int count, MPI_Request* requests)
    : requests_(requests, static_cast<std::size_t>(std::max(count, 0))) {
  for (int i = 0; i < size(); ++i) {
    if (is_active(i)) ++active_;
    if (is_foreign(i)) ++foreign_;
  }
}

// A cancelled send ends as soon as its receiver's side has answered, whatever the receiver does. A look that
// did not wait for that would find it neither cancelled nor complete, and programs take that for a cancel
// that has failed: they go on to receive the message.
bool RequestList::settle_cancelled_sends(Call call) {
  Pending cancelled;
  for (const MPI_Request handle : requests_) {
    if (!RequestHandles::is_ours(handle)) continue;
    Request& request = me().requests.at(handle);
    if (request.is_cancelled && !request.done && !request.inactive) cancelled.push_back(&request);
  }
  if (cancelled.empty()) return false;
  Operation wait = completion_of(OperationKind::wait, call, Completion::all, cancelled);
  wait.part = CallPart::first;
  for (const Completed& completed : me().live.ask(wait).completed) complete(completed);
  return true;
}

void RequestList::settle(Call call, OperationKind kind, Completion completion) {
  LiveRank& live = me().live;
  const CallPart part =
      kind == OperationKind::test && settle_cancelled_sends(call) ? CallPart::last : CallPart::whole;
  Pending pending;
  bool some_unposted = false;
  for (const MPI_Request handle : requests_) {
    if (!RequestHandles::is_ours(handle)) continue;
    Request& request = me().requests.at(handle);
    if (request.done || request.inactive) continue;
    if (request.is_posted)
      pending.push_back(&request);
    else
      some_unposted = true;
  }
  const bool completes_nothing = some_unposted && (pending.empty() || completion == Completion::all);
  if (completes_nothing && kind == OperationKind::wait)
    throw Error(std::string(name_of(call)) +
                " waits for a partitioned send before all of its partitions are ready: it would never end");
  if (pending.empty() || completes_nothing) {
    Operation nothing = plain_operation(OperationKind::nothing, call, part);
    live.post(nothing);
    return;
  }
  Operation operation = completion_of(kind, call, completion, pending);
  operation.part = part;
  if (outcome_is_known(pending, kind, completion)) {
    live.post(operation);
    for (Request* request : pending)
      request->is_send ? complete_send(*request) : complete(me().foreseen.take(request->id));
    look_after_freed();
    return;
  }
  const bool waits = kind == OperationKind::wait;
  for (const Completed& completed : (waits ? live.ask(operation) : live.poll(operation)).completed)
    complete(completed);
  // One of a request's two messages is not enough.
  while (waits && std::ranges::none_of(pending, &Request::done)) {
    operation = completion_of(kind, call, completion, pending);
    for (const Completed& completed : live.ask(operation).completed) complete(completed);
  }
  look_after_freed();
}

bool RequestList::is_active(int position) const {
  const MPI_Request handle = request(position);
  return handle != MPI_REQUEST_NULL &&
         !(RequestHandles::is_ours(handle) && me().requests.at(handle).inactive);
}

bool RequestList::is_done(int position) const {
  return RequestHandles::is_ours(request(position)) && me().requests.at(request(position)).done;
}

int RequestList::first_done() const {
  for (int i = 0; i < size(); ++i)
    if (is_done(i)) return i;
  return MPI_UNDEFINED;
}

bool RequestList::all_done() const {
  for (int i = 0; i < size(); ++i)
    if (is_active(i) && !is_foreign(i) && !is_done(i)) return false;
  return true;
}

RequestList::Ended RequestList::take(int position, MPI_Status* status) const {
  Request& done = me().requests.at(request(position));
  give(done.status, status);
  Ended ended{done.error, done.outcome, done.comm, {}};
  if (done.error == MPI_ERR_TRUNCATE && done.completion_handler == nullptr)
    ended.why = describe_truncation(done.status, done.count, done.type, *done.comm);
  request(position) = me().requests.retire(request(position));
  return ended;
}

}  // namespace morgana::mpi::emulated
