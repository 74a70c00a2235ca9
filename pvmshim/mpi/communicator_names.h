#pragma once

#include <mpi.h>

#include <string>

namespace morgana::mpi {

/// The communicator's name, from the program (MPI_Comm_set_name) or from MPI ("MPI_COMM_WORLD"); empty if it
/// has none.
/// @param comm  a valid communicator
std::string given_name(MPI_Comm comm);

/// For the end of a sentence: " (communicator \"halo\")" if the program has named the communicator; else
/// empty.
/// @param comm  a valid communicator
std::string in_its_own_name(MPI_Comm comm);

}  // namespace morgana::mpi
