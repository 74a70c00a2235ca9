#include "pvmshim/mpi/topology.h"

#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi {
namespace {

Neighbours in_grid(MPI_Comm comm) {
  int dimensions = 0;
  real().MPI_Cartdim_get(comm, &dimensions);
  Neighbours found;
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int before = MPI_PROC_NULL, after = MPI_PROC_NULL;
    real().MPI_Cart_shift(comm, dimension, 1, &before, &after);
    found.sources.insert(found.sources.end(), {before, after});
  }
  found.destinations = found.sources;
  return found;
}

Neighbours in_graph(MPI_Comm comm) {
  int me = 0, number = 0;
  real().MPI_Comm_rank(comm, &me);
  real().MPI_Graph_neighbors_count(comm, me, &number);
  Neighbours found;
  found.sources.resize(static_cast<std::size_t>(number));
  real().MPI_Graph_neighbors(comm, me, number, found.sources.data());
  found.destinations = found.sources;
  return found;
}

Neighbours in_distributed_graph(MPI_Comm comm) {
  int in = 0, out = 0, weighted = 0;
  real().MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  Neighbours found;
  found.sources.resize(static_cast<std::size_t>(in));
  found.destinations.resize(static_cast<std::size_t>(out));
  std::vector<int> in_weights(found.sources.size()), out_weights(found.destinations.size());
  real().MPI_Dist_graph_neighbors(comm, in, found.sources.data(), in_weights.data(), out,
                                  found.destinations.data(), out_weights.data());
  return found;
}

}  // namespace

std::optional<Neighbours> neighbours_in(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  real().MPI_Topo_test(comm, &topology);
  switch (topology) {
    case MPI_CART:
      return in_grid(comm);
    case MPI_GRAPH:
      return in_graph(comm);
    case MPI_DIST_GRAPH:
      return in_distributed_graph(comm);
    default:
      return std::nullopt;
  }
}

}  // namespace morgana::mpi
