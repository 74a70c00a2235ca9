// The calls that wait for requests or test them.

#include "pvmshim/mpi/emulate/completion.h"

#include <algorithm>
#include <vector>

#include "emulator/core/error.h"
#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/foreign_requests.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/emulate/request_list.h"
#include "pvmshim/mpi/emulate/returned.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/statuses.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

void give_empty(MPI_Status* status) {
  MPI_Status empty{};
  set_empty(empty);
  give(empty, status);
}

MPI_Status* status_at(MPI_Status* statuses, int position) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + position;
}

/// Whether MPICH must say what is wrong with a list: to it a handle of ours is none either.
/// @param places  that the call fills in
template <typename... Places>
bool is_wrong(int count, const MPI_Request* requests, const Places*... places) {
  if (count < 0 || (count > 0 && (requests == nullptr || lacks_place(places...)))) return true;
  return !std::all_of(requests, requests + count,
                      [](MPI_Request request) { return me().requests.knows(request); });
}

/// Hands over one request that is done, and its error to its communicator.
int take_one(Call call, const RequestList& list, int position, MPI_Status* status) {
  const RequestList::Ended ended = list.take(position, status);
  if (ended.outcome != Outcome::delivered) return raise_returned(*ended.comm, call, ended.outcome);
  return ended.error == MPI_SUCCESS ? MPI_SUCCESS : raise(*ended.comm, ended.error, call, ended.why);
}

/// Hands over one of several; their errors go into their statuses, and the call reports MPI_ERR_IN_STATUS.
class ManyTaken {
 public:
  ManyTaken(Call call, const RequestList& list) : call_(call), list_(list) {}
  void take(int position, MPI_Status* status) {
    const RequestList::Ended ended = list_.take(position, status);
    if (why_.empty())
      why_ = ended.outcome == Outcome::delivered ? ended.why : describe_returned(ended.outcome);
    note(ended.error, status, ended.comm);
  }
  void note(int error, MPI_Status* status, std::shared_ptr<const Communicator> comm = nullptr) {
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
    if (error == MPI_SUCCESS) return;
    failed_ = true;
    if (comm != nullptr) failed_on_ = std::move(comm);
  }
  int result() const {
    if (!failed_) return MPI_SUCCESS;
    if (failed_on_ == nullptr) return MPI_ERR_IN_STATUS;
    return raise(*failed_on_, MPI_ERR_IN_STATUS, call_, why_);
  }

 private:
  Call call_;
  const RequestList& list_;
  std::string why_;  ///< of the first of which more is known than its error's class says
  bool failed_ = false;
  std::shared_ptr<const Communicator> failed_on_;
};

int take_all(Call call, const RequestList& list, MPI_Status* statuses) {
  ManyTaken taken(call, list);
  for (int i = 0; i < list.size(); ++i)
    if (!list.is_active(i)) give_empty(status_at(statuses, i));
  if (list.has_foreign() && wait_for_foreign(list, statuses) != MPI_SUCCESS)
    taken.note(MPI_ERR_IN_STATUS, MPI_STATUS_IGNORE);
  for (int i = 0; i < list.size(); ++i) {
    if (list.is_done(i)) taken.take(i, status_at(statuses, i));
  }
  return taken.result();
}

/// Hands over all that are done, in the order of the list.
int take_some(Call call, const RequestList& list, int* done, int* indices, MPI_Status* statuses) {
  ManyTaken taken(call, list);
  *done = 0;
  for (int i = 0; i < list.size(); ++i) {
    if (list.is_done(i)) {
      taken.take(i, status_at(statuses, *done));
    } else if (list.is_foreign(i)) {
      int flag = 0;
      MPI_Status status{};
      const int error = real().MPI_Test(&list.request(i), &flag, &status);
      if (error == MPI_SUCCESS && flag == 0) continue;
      give(status, status_at(statuses, *done));
      taken.note(error, status_at(statuses, *done));
    } else {
      continue;
    }
    indices[(*done)++] = i;
  }
  return taken.result();
}

/// One look at everything: hands over one request if any is done.
int test_any(Call call, RequestList& list, int* position, MPI_Status* status) {
  int error = MPI_SUCCESS;
  if (list.has_ours() && list.first_done() == MPI_UNDEFINED)
    list.settle(call, OperationKind::test, Completion::any);
  *position = list.first_done();
  if (*position != MPI_UNDEFINED) return take_one(call, list, *position, status);
  *position = test_any_foreign(list, status, error);
  return error;
}

}  // namespace

void look_after_freed() {
  auto& freed = me().requests.freed();
  if (freed.empty()) return;
  std::vector<RequestId> ids;
  for (const MPI_Request handle : freed) ids.push_back(me().requests.freed_id(handle));
  Operation test = completion_operation(OperationKind::test, Call::MPI_Request_free, CallPart::whole,
                                        Completion::some, ids);
  for (const Completed& completed : me().live.ask(test).completed) complete(completed);
  std::erase_if(freed, [](MPI_Request handle) { return me().requests.remove_if_done(handle); });
}

int Wait(MPI_Request* request, MPI_Status* status) {
  const Visit visit(me().live);
  if (is_wrong(1, request, status)) return error_of_mpich(real().MPI_Wait, request, status);
  RequestList list(1, request);
  if (list.has_foreign()) return wait_for_foreign(request, status);
  list.settle(Call::MPI_Wait, OperationKind::wait, Completion::all);
  if (list.has_active()) return take_one(Call::MPI_Wait, list, 0, status);
  give_empty(status);
  return MPI_SUCCESS;
}

int Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  const Visit visit(me().live);
  if (is_wrong(count, requests, statuses))
    return error_of_mpich(real().MPI_Waitall, count, requests, statuses);
  RequestList list(count, requests);
  list.settle(Call::MPI_Waitall, OperationKind::wait, Completion::all);
  return take_all(Call::MPI_Waitall, list, statuses);
}

int Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  const Visit visit(me().live);
  if (is_wrong(count, requests, index, status))
    return error_of_mpich(real().MPI_Waitany, count, requests, index, status);
  RequestList list(count, requests);
  *index = MPI_UNDEFINED;
  if (!list.has_foreign()) {
    if (list.first_done() == MPI_UNDEFINED)
      list.settle(Call::MPI_Waitany, OperationKind::wait, Completion::any);
    *index = list.first_done();
    if (*index != MPI_UNDEFINED) return take_one(Call::MPI_Waitany, list, *index, status);
    give_empty(status);
    return MPI_SUCCESS;
  }
  while (true) {
    const int error = test_any(Call::MPI_Waitany, list, index, status);
    if (*index != MPI_UNDEFINED) return error;
    const LiveRank::Away away(me().live);
  }
}

int Waitsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  const Visit visit(me().live);
  if (is_wrong(count, requests, done, indices, statuses))
    return error_of_mpich(real().MPI_Waitsome, count, requests, done, indices, statuses);
  RequestList list(count, requests);
  if (!list.has_active()) {
    list.settle(Call::MPI_Waitsome, OperationKind::wait, Completion::some);
    *done = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  const bool must_wait = list.first_done() == MPI_UNDEFINED && !list.has_foreign();
  while (true) {
    list.settle(Call::MPI_Waitsome, must_wait ? OperationKind::wait : OperationKind::test, Completion::some);
    const int error = take_some(Call::MPI_Waitsome, list, done, indices, statuses);
    if (*done != 0) return error;
    const LiveRank::Away away(me().live);
  }
}

int Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const Visit visit(me().live);
  if (is_wrong(1, request, flag, status)) return error_of_mpich(real().MPI_Test, request, flag, status);
  RequestList list(1, request);
  if (list.has_foreign()) return real().MPI_Test(request, flag, status);
  list.settle(Call::MPI_Test, OperationKind::test, Completion::all);
  if (!list.has_active()) {
    *flag = 1;
    give_empty(status);
    return MPI_SUCCESS;
  }
  *flag = list.is_done(0) ? 1 : 0;
  return *flag != 0 ? take_one(Call::MPI_Test, list, 0, status) : MPI_SUCCESS;
}

int Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  const Visit visit(me().live);
  if (is_wrong(count, requests, flag, statuses))
    return error_of_mpich(real().MPI_Testall, count, requests, flag, statuses);
  RequestList list(count, requests);
  list.settle(Call::MPI_Testall, OperationKind::test, Completion::all);
  *flag = list.all_done() && adopt_done_foreign(list) ? 1 : 0;
  return *flag != 0 ? take_all(Call::MPI_Testall, list, statuses) : MPI_SUCCESS;
}

int Testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  const Visit visit(me().live);
  if (is_wrong(count, requests, index, flag, status))
    return error_of_mpich(real().MPI_Testany, count, requests, index, flag, status);
  RequestList list(count, requests);
  *index = MPI_UNDEFINED;
  *flag = 1;
  if (!list.has_active()) {
    list.settle(Call::MPI_Testany, OperationKind::test, Completion::any);
    give_empty(status);
    return MPI_SUCCESS;
  }
  const int error = test_any(Call::MPI_Testany, list, index, status);
  *flag = *index != MPI_UNDEFINED ? 1 : 0;
  return error;
}

int Testsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  const Visit visit(me().live);
  if (is_wrong(count, requests, done, indices, statuses))
    return error_of_mpich(real().MPI_Testsome, count, requests, done, indices, statuses);
  RequestList list(count, requests);
  list.settle(Call::MPI_Testsome, OperationKind::test, Completion::some);
  if (list.has_active()) return take_some(Call::MPI_Testsome, list, done, indices, statuses);
  *done = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int Request_free(MPI_Request* request) {
  const Visit visit(me().live);
  if (is_wrong(1, request)) return error_of_mpich(real().MPI_Request_free, request);
  if (!RequestHandles::is_ours(*request)) return real().MPI_Request_free(request);
  me().requests.free(*request);
  *request = MPI_REQUEST_NULL;
  Operation nothing = plain_operation(OperationKind::nothing, Call::MPI_Request_free);
  me().live.post(nothing);
  return MPI_SUCCESS;
}

int Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  const Visit visit(me().live);
  if (is_wrong(1, &request, flag, status))
    return error_of_mpich(real().MPI_Request_get_status, request, flag, status);
  if (!RequestHandles::is_ours(request)) return real().MPI_Request_get_status(request, flag, status);
  RequestList list(1, &request);
  list.settle(Call::MPI_Request_get_status, OperationKind::test, Completion::all);
  *flag = list.is_done(0) || !list.has_active() ? 1 : 0;
  if (list.is_done(0)) give(me().requests.at(request).status, status);
  if (!list.has_active()) give_empty(status);
  return MPI_SUCCESS;
}

int Cancel(MPI_Request* request) {
  const Visit visit(me().live);
  if (is_wrong(1, request)) return error_of_mpich(real().MPI_Cancel, request);
  if (!RequestHandles::is_ours(*request)) return real().MPI_Cancel(request);
  Request& found = me().requests.at(*request);
  if (me().live.settings().messages_are_certain != 0)
    throw Error(
        "MPI_Cancel is called, but by a library that was not known when the run began: link the program "
        "to it");
  const bool possible = found.completion_handler == nullptr && found.is_posted && !found.done &&
                        !found.has_come && !found.inactive;
  Operation cancel =
      plain_operation(possible ? OperationKind::cancel : OperationKind::nothing, Call::MPI_Cancel);
  cancel.request = found.id;
  if (found.is_send) found.is_awaited = true;  // only the emulator knows how it ends
  if (found.is_send && possible) found.is_cancelled = true;
  me().live.post(cancel);
  return MPI_SUCCESS;
}

}  // namespace morgana::mpi::emulated
