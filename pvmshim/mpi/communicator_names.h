#pragma once

#include <mpi.h>

#include <string>

namespace morgana::mpi {

/// The name that the program (MPI_Comm_set_name) or MPI ("MPI_COMM_WORLD") gave it; empty if it has none.
/// @param comm  a valid communicator
std::string given_name(MPI_Comm comm);

/// " (communicator \"halo\")" where the program has named it, else nothing. @param comm  as above
std::string in_its_own_name(MPI_Comm comm);

}  // namespace morgana::mpi
