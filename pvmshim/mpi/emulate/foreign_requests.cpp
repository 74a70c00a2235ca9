#include "pvmshim/mpi/emulate/foreign_requests.h"

#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/statuses.h"

namespace morgana::mpi::emulated {

int wait_for_foreign(MPI_Request* request, MPI_Status* status) {
  const LiveRank::Away away(me().live);
  return real().MPI_Wait(request, status);
}

int wait_for_foreign(const RequestList& list, MPI_Status* statuses) {
  int result = MPI_SUCCESS;
  for (int i = 0; i < list.size(); ++i) {
    if (!list.is_foreign(i)) continue;
    MPI_Status status{};
    const int error = wait_for_foreign(&list.request(i), &status);
    status.MPI_ERROR = error;
    if (statuses != MPI_STATUSES_IGNORE) statuses[i] = status;
    if (error != MPI_SUCCESS) result = MPI_ERR_IN_STATUS;
  }
  return result;
}

// To look first and take later would not do: MPI_Request_get_status leaves requests of files where they are,
// and MPI_Testall of MPICH 4.0 aborts over them.
bool adopt_done_foreign(const RequestList& list) {
  bool none_is_left = true;
  for (int i = 0; i < list.size(); ++i) {
    if (!list.is_foreign(i)) continue;
    MPI_Request handle = list.request(i);
    MPI_Status status{};
    int flag = 0;
    const int error = real().MPI_Test(&handle, &flag, &status);
    if (error == MPI_SUCCESS && flag == 0) {
      none_is_left = false;
      continue;
    }
    Request& done = me().requests.add(list.request(i));
    done.comm = me().communicators.find(MPI_COMM_WORLD);
    done.status = status;
    done.error = error;
    done.done = true;
  }
  return none_is_left;
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
