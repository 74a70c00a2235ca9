#include "pvmshim/mpi/emulated/request_list.h"

#include <algorithm>

#include "pvmshim/mpi/emulated/completion.h"
#include "pvmshim/mpi/emulated/emulated_rank.h"
#include "pvmshim/mpi/emulated/payloads.h"
#include "pvmshim/mpi/statuses.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {
namespace {

using Pending = boost::container::small_vector<Request*, 8>;

Operation completion_of(OperationKind kind, Call call, Completion completion, const Pending& pending) {
  Operation operation = completion_operation(kind, call, CallPart::whole, completion, {});
  for (const Request* request : pending) operation.requests.push_back(request->id);
  return operation;
}

/// Whether the program learns nothing from the answer: it waits for sends alone, whatever their order, and
/// none that says something of its receiver.
bool outcome_is_known(const Pending& pending, OperationKind kind, Completion completion) {
  return kind == OperationKind::wait && (completion == Completion::all || pending.size() == 1) &&
         std::ranges::all_of(pending,
                             [](const Request* request) { return request->is_send && !request->is_awaited; });
}

void complete_send(Request& request) {
  set_empty(request.status);
  request.done = true;
}

}  // namespace

void complete(const Completed& completed) {
  Request& request = me().requests.with_id(completed.request);
  if (request.is_send) {
    complete_send(request);
    return;
  }
  request.error = take(completed, request.buffer, request.count, request.type, *request.comm, request.status);
  request.done = true;
}

RequestList::RequestList(int count, MPI_Request* requests)
    : requests_(requests, static_cast<std::size_t>(std::max(count, 0))) {
  for (int i = 0; i < size(); ++i) {
    if (is_active(i)) ++active_;
    if (is_foreign(i)) ++foreign_;
  }
}

void RequestList::settle(Call call, OperationKind kind, Completion completion) {
  LiveRank& live = me().live;
  Pending pending;
  for (const MPI_Request handle : requests_) {
    if (!RequestTable::is_ours(handle)) continue;
    Request& request = me().requests.at(handle);
    if (!request.done) pending.push_back(&request);
  }
  if (pending.empty()) {
    Operation nothing = plain_operation(OperationKind::nothing, call);
    live.post(nothing);
    return;
  }
  Operation operation = completion_of(kind, call, completion, pending);
  if (outcome_is_known(pending, kind, completion)) {
    live.post(operation);
    for (Request* request : pending) complete_send(*request);
    return;
  }
  const Answer& answer = kind == OperationKind::wait ? live.ask(operation) : live.poll(operation);
  for (const Completed& completed : answer.completed) complete(completed);
  look_after_freed();
}

bool RequestList::is_done(int position) const {
  return RequestTable::is_ours(request(position)) && me().requests.at(request(position)).done;
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

int RequestList::take(int position, MPI_Status* status, std::shared_ptr<const Communicator>& comm) const {
  Request& done = me().requests.at(request(position));
  give(done.status, status);
  const int error = done.error;
  comm = done.comm;
  me().requests.remove(request(position));
  request(position) = MPI_REQUEST_NULL;
  return error;
}

}  // namespace morgana::mpi::emulated
