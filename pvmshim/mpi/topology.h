#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

namespace morgana::mpi {

/// A member's neighbours in its communicator's topology, in the order of neighbourhood collectives; beyond
/// the ends of a grid MPI_PROC_NULL.
struct Neighbours {
  std::vector<int> sources, destinations;
};

/// Nothing for a communicator without a topology.
std::optional<Neighbours> neighbours_in(MPI_Comm comm);

}  // namespace morgana::mpi
