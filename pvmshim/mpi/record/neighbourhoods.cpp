// Neighbourhood collectives over MPICH, recorded.

#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/record/recorded_collective.h"
#include "pvmshim/mpi/topology.h"

namespace morgana::mpi::captured {
namespace {

Neighbours neighbours_of(const Communicator& comm) {
  return neighbours_in(comm.handle()).value_or(Neighbours());
}

}  // namespace

int Neighbor_allgather(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
                       void* received, MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm handle) {
  return collective(
      form, handle,
      [&] {
        return by_mpich::Neighbor_allgather(form, sent, send_count, send_type, received, receive_count,
                                            receive_type, handle);
      },
      [&](const Communicator& comm) {
        return neighbor_part(CollectiveKind::neighbor_allgather, neighbours_of(comm),
                             packed_size(send_count, send_type));
      });
}

int Neighbor_allgatherv(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
                        void* received, ListView counts, ListView places, MPI_Datatype receive_type,
                        MPI_Comm handle) {
  return collective(
      form, handle,
      [&] {
        return by_mpich::Neighbor_allgatherv(form, sent, send_count, send_type, received, counts, places,
                                             receive_type, handle);
      },
      [&](const Communicator& comm) {
        return neighbor_allgatherv_part(neighbours_of(comm), packed_size(send_count, send_type),
                                        {counts, places, receive_type});
      });
}

int Neighbor_alltoall(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
                      void* received, MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm handle) {
  return collective(
      form, handle,
      [&] {
        return by_mpich::Neighbor_alltoall(form, sent, send_count, send_type, received, receive_count,
                                           receive_type, handle);
      },
      [&](const Communicator& comm) {
        return neighbor_part(CollectiveKind::neighbor_alltoall, neighbours_of(comm),
                             packed_size(send_count, send_type));
      });
}

int Neighbor_alltoallv(const Form& form, const void* sent, ListView send_counts, ListView send_places,
                       MPI_Datatype send_type, void* received, ListView receive_counts,
                       ListView receive_places, MPI_Datatype receive_type, MPI_Comm handle) {
  return collective(
      form, handle,
      [&] {
        return by_mpich::Neighbor_alltoallv(form, sent, send_counts, send_places, send_type, received,
                                            receive_counts, receive_places, receive_type, handle);
      },
      [&](const Communicator& comm) {
        return neighbor_blocks_part(CollectiveKind::neighbor_alltoallv, neighbours_of(comm),
                                    {send_counts, send_places, send_type},
                                    {receive_counts, receive_places, receive_type});
      });
}

int Neighbor_alltoallw(const Form& form, const void* sent, ListView send_counts, ListView send_places,
                       const MPI_Datatype* send_types, void* received, ListView receive_counts,
                       ListView receive_places, const MPI_Datatype* receive_types, MPI_Comm handle) {
  return collective(
      form, handle,
      [&] {
        return by_mpich::Neighbor_alltoallw(form, sent, send_counts, send_places, send_types, received,
                                            receive_counts, receive_places, receive_types, handle);
      },
      [&](const Communicator& comm) {
        return neighbor_blocks_part(CollectiveKind::neighbor_alltoallw, neighbours_of(comm),
                                    {send_counts, send_places, MPI_DATATYPE_NULL, send_types},
                                    {receive_counts, receive_places, MPI_DATATYPE_NULL, receive_types});
      });
}

}  // namespace morgana::mpi::captured
