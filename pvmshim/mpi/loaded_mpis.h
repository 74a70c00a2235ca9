#pragma once

#include <string>

namespace morgana::mpi {

/// The sentence about another MPI's library that this process has loaded (such as a Python module's), by its
/// file; empty if there is none.
std::string complaint_about_loaded_mpi();

}  // namespace morgana::mpi
