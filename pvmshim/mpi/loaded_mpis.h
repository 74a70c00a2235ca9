#pragma once

#include <string>

namespace morgana::mpi {

/// The sentence about another MPI's library that this process has loaded (a Python module's, say), by its
/// file; empty if there is none.
std::string complaint_about_loaded_mpi();

}  // namespace morgana::mpi
