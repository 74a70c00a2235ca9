#pragma once

#include <mpi.h>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/communicators.h"

namespace morgana::mpi {

// MPI_Status. Its MPI_ERROR is left alone where MPI says so: in all of these.

/// What MPI calls the empty status (of sends too).
void set_empty(MPI_Status& status);
/// Of a receive from MPI_PROC_NULL.
void set_from_nobody(MPI_Status& status);
/// Of a received (or cancelled) message, as a member of `comm` sees it.
void set_received(MPI_Status& status, const Completed& completed, const Communicator& comm);
/// What MPICH says was received, as an operation's outcome.
Completed completed_of(const MPI_Status& status, const Communicator& comm, RequestId request);

/// Hands a status to the program, which may not want it.
void give(const MPI_Status& status, MPI_Status* to);

}  // namespace morgana::mpi
