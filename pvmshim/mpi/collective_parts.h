#pragma once

#include <mpi.h>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/communicators.h"
#include "pvmshim/mpi/list_view.h"
#include "pvmshim/mpi/topology.h"

namespace morgana::mpi {

// This rank's part of each collective, as operations say it: sizes in bytes of packed data.

/// The items that one rank sends to, or gets from, each of the others: a v-form has one datatype, a w-form
/// many.
struct ItemsByRank {
  ListView counts;
  ListView places;    ///< in extents of `type`, or in bytes where there are many types
  MPI_Datatype type;  ///< of all of them, unless
  const MPI_Datatype* types = nullptr;

  MPI_Count count(int member) const { return counts[member]; }
  MPI_Datatype type_of(int member) const { return types == nullptr ? type : types[member]; }
  Bytes bytes(int member) const;
  void* at(void* data, int member) const;
  const void* at(const void* data, int member) const;
};

/// The bytes of each member's block.
std::vector<Bytes> sizes_of(const ItemsByRank& blocks, const Communicator& comm);

/// What a call's root argument says to this rank.
struct Role {
  bool valid = false;
  bool is_root = false;
  bool stands_by = false;  ///< the root is another of this rank's group in an intercommunicator
  int place = 0;           ///< the root's number among the members, or that of one who stands in for it
};
Role role_of(const Communicator& comm, int root);

CollectivePart plain_part(CollectiveKind kind, Bytes bytes, int root = 0);
CollectivePart broadcast_part(const Communicator& comm, MPI_Count count, MPI_Datatype type, int root);
CollectivePart gather_part(const Communicator& comm, const void* sent, MPI_Count send_count,
                           MPI_Datatype send_type, MPI_Count receive_count, MPI_Datatype receive_type,
                           int root);
CollectivePart gatherv_part(const Communicator& comm, const void* sent, MPI_Count send_count,
                            MPI_Datatype send_type, const ItemsByRank& received, int root);
CollectivePart scatter_part(const Communicator& comm, MPI_Count send_count, MPI_Datatype send_type,
                            const void* received, MPI_Count receive_count, MPI_Datatype receive_type,
                            int root);
CollectivePart scatterv_part(const Communicator& comm, const ItemsByRank& sent, const void* received,
                             MPI_Count receive_count, MPI_Datatype receive_type, int root);
/// In place `send_sizes` has what the send count says, if that is not 0: MPI ignores it there, but Open MPI
/// chooses its algorithm by it.
CollectivePart allgather_part(const Communicator& comm, const void* sent, MPI_Count send_count,
                              MPI_Datatype send_type, MPI_Count receive_count, MPI_Datatype receive_type);
CollectivePart allgatherv_part(const Communicator& comm, const void* sent, MPI_Count send_count,
                               MPI_Datatype send_type, const ItemsByRank& received);
CollectivePart alltoall_part(const Communicator& comm, const void* sent, MPI_Count send_count,
                             MPI_Datatype send_type, MPI_Count receive_count, MPI_Datatype receive_type);
/// @param kind  alltoallv or alltoallw
CollectivePart alltoall_blocks_part(CollectiveKind kind, const Communicator& comm, const void* sent,
                                    const ItemsByRank& sent_blocks, const ItemsByRank& received_blocks);
CollectivePart reduce_part(const Communicator& comm, const void* sent, MPI_Count count, MPI_Datatype type,
                           MPI_Op op, int root);
/// @param kind  allreduce, scan, exscan or reduce_scatter_block (then `count` is one member's)
CollectivePart reduction_part(CollectiveKind kind, const void* sent, MPI_Count count, MPI_Datatype type,
                              MPI_Op op);
CollectivePart reduce_scatter_part(const Communicator& comm, const void* sent, ListView counts,
                                   MPI_Datatype type, MPI_Op op);

/// Neighbourhoods: only edges to and from members count.
/// @param kind  neighbor_allgather or neighbor_alltoall
CollectivePart neighbor_part(CollectiveKind kind, const Neighbours& neighbours, Bytes bytes);
CollectivePart neighbor_allgatherv_part(const Neighbours& neighbours, Bytes bytes,
                                        const ItemsByRank& received);
/// @param kind  neighbor_alltoallv or neighbor_alltoallw
CollectivePart neighbor_blocks_part(CollectiveKind kind, const Neighbours& neighbours,
                                    const ItemsByRank& sent, const ItemsByRank& received);

}  // namespace morgana::mpi
