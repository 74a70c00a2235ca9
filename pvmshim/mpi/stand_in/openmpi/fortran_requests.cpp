// Fortran's calls that complete requests.

#include "pvmshim/mpi/stand_in/list.h"
#include "pvmshim/mpi/stand_in/openmpi/fortran.h"

namespace morgana::stand_in::fortran {
namespace {

/// The requests of a call, which may complete some of them.
class FortranRequests {
 public:
  FortranRequests(Integer count, Integer* given) : given_(given), list_(count) {
    for (std::size_t i = 0; i < list_.size(); ++i)
      list_[i] = from_integer<MPI_Request>(given[i], MPI_REQUEST_NULL);
  }
  MPI_Request* data() { return list_.data(); }
  void finish() {
    for (std::size_t i = 0; i < list_.size(); ++i)
      given_[i] = to_integer<MPI_Request>(list_[i], MPI_REQUEST_NULL);
  }

 private:
  Integer* given_;
  List<MPI_Request> list_;
};

Status status_of(const Integer* words) {
  Status status;
  std::memcpy(&status, words, sizeof status);
  return status;
}

/// The status of a call that completes one request.
class FortranStatus {
 public:
  explicit FortranStatus(Integer* given)
      : given_(is_ignored(given) ? nullptr : given),
        status_(given_ == nullptr ? Status{} : status_of(given_)),
        conversion_(StatusOut{given_ == nullptr ? nullptr : &status_}) {}
  MPI_Status* get() { return conversion_.get(); }
  void finish() {
    conversion_.finish(true);
    if (given_ != nullptr) std::memcpy(given_, &status_, sizeof status_);
  }

 private:
  Integer* given_;
  Status status_;
  Conversion<StatusOut> conversion_;
};

/// The statuses of a call that may complete several.
class FortranStatuses {
 public:
  FortranStatuses(Integer count, Integer* given)
      : given_(is_ignored(given) ? nullptr : given), list_(given_ == nullptr ? 0 : count) {
    for (std::size_t i = 0; i < list_.size(); ++i) list_[i].MPI_ERROR = error_to_mpich(at(i).error);
  }
  MPI_Status* data() { return given_ == nullptr ? MPI_STATUSES_IGNORE : list_.data(); }
  /// @param count  how many of them the call has set
  void finish(int count, int result) {
    const std::size_t filled = std::min(list_.size(), static_cast<std::size_t>(std::max(count, 0)));
    for (std::size_t i = 0; i < filled; ++i) {
      Status status = at(i);
      from_mpich(list_[i], status, result == MPI_SUCCESS);
      std::memcpy(given_ + i * integers_of_status, &status, sizeof status);
    }
  }

 private:
  Status at(std::size_t place) const { return status_of(given_ + place * integers_of_status); }

  Integer* given_;
  List<MPI_Status> list_;
};

/// Places in a list count from 1 in Fortran.
void count_from_one(Integer& place) {
  if (place != MPI_UNDEFINED) ++place;
}

void count_from_one(Integer count, Integer* places) {
  for (Integer i = 0; count != MPI_UNDEFINED && i < count; ++i) ++places[i];
}

}  // namespace

MORGANA_ENTRY_POINT(wait, Integer* request, Integer* status, Integer* error) {
  FortranRequests ours(1, request);
  FortranStatus filled(status);
  const int result = targets().MPI_Wait(ours.data(), filled.get());
  ours.finish();
  filled.finish();
  *error = error_from_mpich(result);
}

MORGANA_ENTRY_POINT(test, Integer* request, Logical* flag, Integer* status, Integer* error) {
  FortranRequests ours(1, request);
  FortranStatus filled(status);
  const int result = targets().MPI_Test(ours.data(), flag, filled.get());
  ours.finish();
  filled.finish();
  *error = error_from_mpich(result);
}

MORGANA_ENTRY_POINT(request_free, Integer* request, Integer* error) {
  FortranRequests ours(1, request);
  const int result = targets().MPI_Request_free(ours.data());
  ours.finish();
  *error = error_from_mpich(result);
}

MORGANA_ENTRY_POINT(parrived, Integer* request, Integer* partition, Logical* flag, Integer* error) {
  *error = error_from_mpich(
      targets().MPI_Parrived(from_integer<MPI_Request>(*request, MPI_REQUEST_NULL), *partition, flag));
}

MORGANA_ENTRY_POINT(waitall, Integer* count, Integer* requests, Integer* statuses, Integer* error) {
  FortranRequests ours(*count, requests);
  FortranStatuses filled(*count, statuses);
  const int result = targets().MPI_Waitall(*count, ours.data(), filled.data());
  ours.finish();
  filled.finish(*count, result);
  *error = error_from_mpich(result);
}

MORGANA_ENTRY_POINT(testall, Integer* count, Integer* requests, Logical* flag, Integer* statuses,
                    Integer* error) {
  FortranRequests ours(*count, requests);
  FortranStatuses filled(*count, statuses);
  const int result = targets().MPI_Testall(*count, ours.data(), flag, filled.data());
  ours.finish();
  if (result != MPI_SUCCESS || *flag != 0) filled.finish(*count, result);
  *error = error_from_mpich(result);
}

MORGANA_ENTRY_POINT(waitany, Integer* count, Integer* requests, Integer* index, Integer* status,
                    Integer* error) {
  FortranRequests ours(*count, requests);
  FortranStatus filled(status);
  const int result = targets().MPI_Waitany(*count, ours.data(), index, filled.get());
  ours.finish();
  filled.finish();
  count_from_one(*index);
  *error = error_from_mpich(result);
}

MORGANA_ENTRY_POINT(testany, Integer* count, Integer* requests, Integer* index, Logical* flag,
                    Integer* status, Integer* error) {
  FortranRequests ours(*count, requests);
  FortranStatus filled(status);
  const int result = targets().MPI_Testany(*count, ours.data(), index, flag, filled.get());
  ours.finish();
  filled.finish();
  count_from_one(*index);
  *error = error_from_mpich(result);
}

MORGANA_ENTRY_POINT(waitsome, Integer* count, Integer* requests, Integer* completed, Integer* indices,
                    Integer* statuses, Integer* error) {
  FortranRequests ours(*count, requests);
  FortranStatuses filled(*count, statuses);
  const int result = targets().MPI_Waitsome(*count, ours.data(), completed, indices, filled.data());
  ours.finish();
  filled.finish(*completed, result);
  count_from_one(*completed, indices);
  *error = error_from_mpich(result);
}

MORGANA_ENTRY_POINT(testsome, Integer* count, Integer* requests, Integer* completed, Integer* indices,
                    Integer* statuses, Integer* error) {
  FortranRequests ours(*count, requests);
  FortranStatuses filled(*count, statuses);
  const int result = targets().MPI_Testsome(*count, ours.data(), completed, indices, filled.data());
  ours.finish();
  filled.finish(*completed, result);
  count_from_one(*completed, indices);
  *error = error_from_mpich(result);
}

}  // namespace morgana::stand_in::fortran
