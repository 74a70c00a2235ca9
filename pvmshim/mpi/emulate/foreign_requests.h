#pragma once

#include <mpi.h>

#include "pvmshim/mpi/emulate/request_list.h"

namespace morgana::mpi::emulated {

// The share of a completion call that is MPICH's own requests: what they wait for moves without the emulator.

/// Waits for one. Other threads may call during the wait.
int wait_for_foreign(MPI_Request* request, MPI_Status* status);
/// Waits for all of them. @return MPI_SUCCESS or MPI_ERR_IN_STATUS, with MPI_ERROR set in each status
int wait_for_foreign(const RequestList& list, MPI_Status* statuses);
/// Those that have completed become requests of ours that are done. @return whether none is left
bool adopt_done_foreign(const RequestList& list);
/// The position of one that has completed now, or MPI_UNDEFINED.
int test_any_foreign(const RequestList& list, MPI_Status* status, int& error);

}  // namespace morgana::mpi::emulated
