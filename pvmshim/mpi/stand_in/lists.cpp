// Calls with lists of requests and statuses.

#include <algorithm>
#include <cstddef>

#include "pvmshim/mpi/stand_in/by_hand.h"
#include "pvmshim/mpi/stand_in/list.h"

namespace morgana::stand_in::by_hand {
namespace {

/// The requests of a call, which may end some of them.
class Requests {
 public:
  Requests(int count, Handle** given) : given_(given), list_(given == nullptr ? 0 : count) {
    for (std::size_t i = 0; i < list_.size(); ++i) list_[i] = to_mpich<MPI_Request>(given[i]);
  }
  MPI_Request* data() { return list_.data(); }
  void finish() {
    for (std::size_t i = 0; i < list_.size(); ++i)
      if (list_[i] != to_mpich<MPI_Request>(given_[i])) given_[i] = from_mpich(list_[i]);
  }

 private:
  Handle** given_;
  List<MPI_Request> list_;
};

/// The statuses of a call that completes several requests, or MPI_STATUSES_IGNORE.
class Statuses {
 public:
  Statuses(int count, Status* given) : given_(given), list_(given == nullptr ? 0 : count) {
    for (std::size_t i = 0; i < list_.size(); ++i) list_[i].MPI_ERROR = error_to_mpich(given[i].error);
  }
  MPI_Status* data() { return given_ == nullptr ? MPI_STATUSES_IGNORE : list_.data(); }
  /// @param count  how many of them the call has filled in
  /// @param result  of the call: only where it is MPI_ERR_IN_STATUS is each status's error set
  void finish(int count, int result) {
    const bool has_errors = result != MPI_SUCCESS;
    const std::size_t filled = std::min(list_.size(), static_cast<std::size_t>(std::max(count, 0)));
    for (std::size_t i = 0; i < filled; ++i) from_mpich(list_[i], given_[i], !has_errors);
  }

 private:
  Status* given_;
  List<MPI_Status> list_;
};

}  // namespace

int MPI_Waitall(int count, Handle** requests, Status* statuses) {
  Requests ours(count, requests);
  Statuses filled(count, statuses);
  const int result = targets().MPI_Waitall(count, ours.data(), filled.data());
  ours.finish();
  filled.finish(count, result);
  return error_from_mpich(result);
}

int MPI_Testall(int count, Handle** requests, int* flag, Status* statuses) {
  Requests ours(count, requests);
  Statuses filled(count, statuses);
  const int result = targets().MPI_Testall(count, ours.data(), flag, filled.data());
  ours.finish();
  // Where not all have completed, the statuses are undefined.
  if (result != MPI_SUCCESS || *flag != 0) filled.finish(count, result);
  return error_from_mpich(result);
}

int MPI_Waitany(int count, Handle** requests, int* index, Status* status) {
  Requests ours(count, requests);
  Conversion<StatusOut> filled(StatusOut{status});
  const int result = targets().MPI_Waitany(count, ours.data(), index, filled.get());
  ours.finish();
  filled.finish(true);
  return error_from_mpich(result);
}

int MPI_Testany(int count, Handle** requests, int* index, int* flag, Status* status) {
  Requests ours(count, requests);
  Conversion<StatusOut> filled(StatusOut{status});
  const int result = targets().MPI_Testany(count, ours.data(), index, flag, filled.get());
  ours.finish();
  filled.finish(true);
  return error_from_mpich(result);
}

int MPI_Waitsome(int count, Handle** requests, int* completed, int* indices, Status* statuses) {
  Requests ours(count, requests);
  Statuses filled(count, statuses);
  const int result = targets().MPI_Waitsome(count, ours.data(), completed, indices, filled.data());
  ours.finish();
  filled.finish(*completed, result);
  return error_from_mpich(result);
}

int MPI_Testsome(int count, Handle** requests, int* completed, int* indices, Status* statuses) {
  Requests ours(count, requests);
  Statuses filled(count, statuses);
  const int result = targets().MPI_Testsome(count, ours.data(), completed, indices, filled.data());
  ours.finish();
  filled.finish(*completed, result);
  return error_from_mpich(result);
}

int MPI_Startall(int count, Handle** requests) {
  Requests ours(count, requests);
  const int result = targets().MPI_Startall(count, ours.data());
  ours.finish();
  return error_from_mpich(result);
}

int MPI_Improbe(Rank source, Tag tag, Comm comm, int* flag, Handle** message, StatusOut status) {
  MPI_Message found = MPI_MESSAGE_NULL;
  Conversion<StatusOut> filled(status);
  const int result = targets().MPI_Improbe(Conversion<Rank>(source).get(), Conversion<Tag>(tag).get(),
                                           to_mpich<MPI_Comm>(comm.given), flag, &found, filled.get());
  filled.finish(true);
  if (result == MPI_SUCCESS && *flag != 0) *message = message_from_mpich(found);
  return error_from_mpich(result);
}

}  // namespace morgana::stand_in::by_hand
