#include "pvmshim/mpi/emulated/foreign_requests.h"

#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/statuses.h"

namespace morgana::mpi::emulated {

int wait_for_foreign(const RequestList& list, MPI_Status* statuses) {
  int result = MPI_SUCCESS;
  for (int i = 0; i < list.size(); ++i) {
    if (!list.is_foreign(i)) continue;
    MPI_Status status{};
    const int error = real().MPI_Wait(&list.request(i), &status);
    status.MPI_ERROR = error;
    if (statuses != MPI_STATUSES_IGNORE) statuses[i] = status;
    if (error != MPI_SUCCESS) result = MPI_ERR_IN_STATUS;
  }
  return result;
}

int test_any_foreign(const RequestList& list, MPI_Status* status, int& error) {
  for (int i = 0; i < list.size(); ++i) {
    if (!list.is_foreign(i)) continue;
    int flag = 0;
    MPI_Status found{};
    error = real().MPI_Test(&list.request(i), &flag, &found);
    if (error == MPI_SUCCESS && flag == 0) continue;
    give(found, status);
    return i;
  }
  return MPI_UNDEFINED;
}

}  // namespace morgana::mpi::emulated
