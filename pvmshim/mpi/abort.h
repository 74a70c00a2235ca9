#pragma once

#include <mpi.h>

namespace morgana::mpi {

/// MPI_Abort, when the rank has announced it: ends the world, whatever the communicator. MPICH's own does so
/// for MPI_COMM_WORLD alone; for others it waits until all of their ranks have heard of it, and those that
/// sleep in the shim, or compute, don't.
int abort_world(MPI_Comm comm, int code);

}  // namespace morgana::mpi
