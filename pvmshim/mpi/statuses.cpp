#include "pvmshim/mpi/statuses.h"

#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi {
namespace {

void set(MPI_Status& status, int source, int tag, MPI_Count bytes, bool cancelled) {
  status.MPI_SOURCE = source;
  status.MPI_TAG = tag;
  real().MPI_Status_set_elements_x(&status, MPI_BYTE, bytes);
  real().MPI_Status_set_cancelled(&status, cancelled ? 1 : 0);
}

}  // namespace

void set_empty(MPI_Status& status) {
  set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
}

void set_from_nobody(MPI_Status& status) {
  set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
}

void set_received(MPI_Status& status, const Completed& completed, const Communicator& comm) {
  if (completed.cancelled) {
    set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, true);
    return;
  }
  set(status, comm.member(completed.source), static_cast<int>(completed.tag), completed.bytes.count(), false);
}

Completed completed_of(const MPI_Status& status, const Communicator& comm, RequestId request) {
  Completed completed;
  completed.request = request;
  int cancelled = 0;
  real().MPI_Test_cancelled(&status, &cancelled);
  completed.cancelled = cancelled != 0;
  // After an error (a message that is too long) MPICH may leave anything there.
  const bool named = status.MPI_SOURCE >= 0 && status.MPI_SOURCE < comm.size();
  if (completed.cancelled || !named || status.MPI_TAG < 0) return completed;
  MPI_Count bytes = 0;
  real().MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  completed.source = comm.world_rank(status.MPI_SOURCE);
  completed.tag = Tag{status.MPI_TAG};
  completed.bytes = Bytes(bytes);
  return completed;
}

void give(const MPI_Status& status, MPI_Status* to) {
  if (to == MPI_STATUS_IGNORE) return;
  const int error = to->MPI_ERROR;
  *to = status;
  to->MPI_ERROR = error;
}

}  // namespace morgana::mpi
