// The calls that wait for requests or test them, over MPICH, recorded.

#include <boost/container/small_vector.hpp>

#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/record/timed_call.h"
#include "pvmshim/mpi/record/truncation.h"
#include "pvmshim/mpi/statuses.h"

namespace morgana::mpi::captured {
namespace {

int class_of(int error) {
  int error_class = MPI_SUCCESS;
  if (error != MPI_SUCCESS) real().MPI_Error_class(error, &error_class);
  return error_class;
}

/// A completion call under way: knows what its requests were before MPICH clears them.
class Completing : public ErrorDetail {
 public:
  /// @param statuses  that MPICH fills in: one, or one for each request
  Completing(Call call, OperationKind kind, Completion completion, int count, const MPI_Request* requests,
             const MPI_Status* statuses)
      : call_(call), kind_(kind), completion_(completion), statuses_(statuses) {
    for (int i = 0; i < count; ++i) {
      handles_.push_back(requests[i]);
      const auto* pending = recorder().find(requests[i]);
      if (pending == nullptr) continue;
      ids_.push_back(pending->id);
      if (pending->companion != no_request) ids_.push_back(pending->companion);
    }
  }

  /// MPICH has carried the call out.
  void ended() { timed_.ended(); }

  /// One request of the list has completed.
  /// @param result  the call's
  void completed(int position, const MPI_Status& status, int result) {
    const int failure = class_of(class_of(result) == MPI_ERR_IN_STATUS ? status.MPI_ERROR : result);
    if (failure == MPI_ERR_PENDING) return;
    const auto pending = recorder().take(handles_[static_cast<std::size_t>(position)]);
    if (!pending) return;
    if (pending->known != nullptr) {
      done_.push_back(*pending->known);
      done_.back().request = pending->id;
    } else if (pending->is_receive) {
      const Completed completed = completed_of(status, *pending->comm, pending->id);
      // One that failed or does not say what has come is left out: the receive is posted, and nothing waits
      // for it.
      const bool known = failure == MPI_SUCCESS && completed.source != any_rank;
      if (completed.cancelled || known) done_.push_back(completed);
    } else {
      done_.emplace_back().request = pending->id;
    }
    if (pending->companion != no_request) done_.emplace_back().request = pending->companion;
  }

  /// Of calls that complete all of their requests: with the others MPICH may not have said yet which these
  /// are.
  std::string why(bool of_list) const override {
    if (completion_ != Completion::all || (!of_list && handles_.size() != 1)) return {};
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (of_list && class_of(statuses_[i].MPI_ERROR) != MPI_ERR_TRUNCATE) continue;
      const auto* pending = recorder().find(handles_[i]);
      if (pending == nullptr || !pending->is_receive || pending->known != nullptr) return {};
      return describe_truncation(statuses_[i], pending->room, *pending->comm);
    }
    return {};
  }

  void write() const {
    if (ids_.empty()) {
      timed_.write_plain(call_);
      return;
    }
    timed_.write(completion_operation(kind_, call_, CallPart::whole, completion_, {ids_.data(), ids_.size()}),
                 {done_.data(), done_.size()});
  }

 private:
  Call call_;
  OperationKind kind_;
  Completion completion_;
  const MPI_Status* statuses_;
  boost::container::small_vector<MPI_Request, 8> handles_;
  boost::container::small_vector<RequestId, 8> ids_;
  boost::container::small_vector<Completed, 4> done_;
  TimedCall timed_;
};

/// The statuses that the program wants, or as many of ours.
class WantedStatuses {
 public:
  WantedStatuses(MPI_Status* wanted, int count) : statuses_(wanted) {
    if (wanted != MPI_STATUSES_IGNORE) return;
    own_.resize(static_cast<std::size_t>(count > 0 ? count : 0) + 1);
    statuses_ = own_.data();
  }
  MPI_Status* get() const { return statuses_; }
  const MPI_Status& operator[](int i) const { return statuses_[i]; }

 private:
  boost::container::small_vector<MPI_Status, 8> own_;
  MPI_Status* statuses_;
};

/// waitsome and testsome
template <typename RealCall>
int complete_some(Call call, OperationKind kind, RealCall real_call, int count, MPI_Request* requests,
                  int* done, int* indices, MPI_Status* wanted) {
  const WantedStatuses statuses(wanted, count);
  Completing completing(call, kind, Completion::some, count, requests, statuses.get());
  const int result = real_call(count, requests, done, indices, statuses.get());
  completing.ended();
  if (result == MPI_SUCCESS && *done != MPI_UNDEFINED)
    for (int i = 0; i < *done; ++i) completing.completed(indices[i], statuses[i], result);
  completing.write();
  return result;
}

}  // namespace

int Wait(MPI_Request* request, MPI_Status* wanted) {
  const WantedStatuses status(wanted, 1);
  Completing completing(Call::MPI_Wait, OperationKind::wait, Completion::all, 1, request, status.get());
  const int result = real().MPI_Wait(request, status.get());
  completing.ended();
  completing.completed(0, status[0], result);
  completing.write();
  return result;
}

int Waitall(int count, MPI_Request* requests, MPI_Status* wanted) {
  const WantedStatuses statuses(wanted, count);
  Completing completing(Call::MPI_Waitall, OperationKind::wait, Completion::all, count, requests,
                        statuses.get());
  const int result = real().MPI_Waitall(count, requests, statuses.get());
  completing.ended();
  for (int i = 0; i < count; ++i) completing.completed(i, statuses[i], result);
  completing.write();
  return result;
}

int Waitany(int count, MPI_Request* requests, int* index, MPI_Status* wanted) {
  const WantedStatuses status(wanted, 1);
  Completing completing(Call::MPI_Waitany, OperationKind::wait, Completion::any, count, requests,
                        status.get());
  const int result = real().MPI_Waitany(count, requests, index, status.get());
  completing.ended();
  if (*index != MPI_UNDEFINED) completing.completed(*index, status[0], result);
  completing.write();
  return result;
}

int Waitsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  return complete_some(Call::MPI_Waitsome, OperationKind::wait, real().MPI_Waitsome, count, requests, done,
                       indices, statuses);
}

int Test(MPI_Request* request, int* flag, MPI_Status* wanted) {
  const WantedStatuses status(wanted, 1);
  Completing completing(Call::MPI_Test, OperationKind::test, Completion::all, 1, request, status.get());
  const int result = real().MPI_Test(request, flag, status.get());
  completing.ended();
  if (*flag != 0) completing.completed(0, status[0], result);
  completing.write();
  return result;
}

int Testall(int count, MPI_Request* requests, int* flag, MPI_Status* wanted) {
  const WantedStatuses statuses(wanted, count);
  Completing completing(Call::MPI_Testall, OperationKind::test, Completion::all, count, requests,
                        statuses.get());
  const int result = real().MPI_Testall(count, requests, flag, statuses.get());
  completing.ended();
  for (int i = 0; i < count && *flag != 0; ++i) completing.completed(i, statuses[i], result);
  completing.write();
  return result;
}

int Testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* wanted) {
  const WantedStatuses status(wanted, 1);
  Completing completing(Call::MPI_Testany, OperationKind::test, Completion::any, count, requests,
                        status.get());
  const int result = real().MPI_Testany(count, requests, index, flag, status.get());
  completing.ended();
  if (*flag != 0 && *index != MPI_UNDEFINED) completing.completed(*index, status[0], result);
  completing.write();
  return result;
}

int Testsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  return complete_some(Call::MPI_Testsome, OperationKind::test, real().MPI_Testsome, count, requests, done,
                       indices, statuses);
}

int Request_free(MPI_Request* request) {
  const MPI_Request handle = *request;
  TimedCall timed;
  const int result = real().MPI_Request_free(request);
  timed.ended();
  recorder().take(handle);
  recorder().forget_persistent(handle);
  timed.write_plain(Call::MPI_Request_free);
  return result;
}

int Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  TimedCall timed;
  const int result = real().MPI_Request_get_status(request, flag, status);
  timed.ended();
  timed.write_plain(Call::MPI_Request_get_status);
  return result;
}

int Cancel(MPI_Request* request) {
  TimedCall timed;
  const int result = real().MPI_Cancel(request);
  timed.ended();
  const auto* pending = recorder().find(*request);
  const bool recorded = pending != nullptr;
  Operation cancel =
      plain_operation(recorded ? OperationKind::cancel : OperationKind::nothing, Call::MPI_Cancel);
  if (recorded) cancel.request = pending->id;
  timed.write(cancel);
  return result;
}

}  // namespace morgana::mpi::captured
