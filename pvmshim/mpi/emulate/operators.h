#pragma once

#include <mpi.h>

namespace morgana::mpi::emulated {

// A program may free an operator that a pending reduction still uses; MPICH forgets it only when the
// reduction is over.

void keep_operator(MPI_Op op);
void release_operator(MPI_Op op);

}  // namespace morgana::mpi::emulated
