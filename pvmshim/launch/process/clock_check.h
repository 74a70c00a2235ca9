#pragma once

#include <string>
#include <vector>

namespace morgana {

/// Whether the program that the command starts in the end, or a library that it needs, names MPI_Wtime or
/// MPI_Wtick. True if that can't be known: it may load more when it runs.
bool may_read_mpi_clock(const std::vector<std::string>& command);

}  // namespace morgana
