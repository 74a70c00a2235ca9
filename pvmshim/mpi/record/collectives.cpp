// Collectives over MPICH, recorded.

#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/record/recorded_collective.h"

namespace morgana::mpi::captured {

int Barrier(const Form& form, MPI_Comm handle) {
  return collective(
      form, handle, [&] { return by_mpich::Barrier(form, handle); },
      [&](const Communicator&) { return plain_part(CollectiveKind::barrier, Bytes()); });
}

int Bcast(const Form& form, void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm handle) {
  return collective(
      form, handle, [&] { return by_mpich::Bcast(form, buffer, count, type, root, handle); },
      [&](const Communicator& comm) { return broadcast_part(comm, count, type, root); });
}

int Gather(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
           MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  return collective(
      form, handle,
      [&] {
        return by_mpich::Gather(form, sent, send_count, send_type, received, receive_count, receive_type,
                                root, handle);
      },
      [&](const Communicator& comm) {
        return gather_part(comm, sent, send_count, send_type, receive_count, receive_type, root);
      });
}

int Gatherv(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
            ListView counts, ListView places, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  return collective(
      form, handle,
      [&] {
        return by_mpich::Gatherv(form, sent, send_count, send_type, received, counts, places, receive_type,
                                 root, handle);
      },
      [&](const Communicator& comm) {
        return gatherv_part(comm, sent, send_count, send_type, {counts, places, receive_type}, root);
      });
}

int Scatter(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
            MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  return collective(
      form, handle,
      [&] {
        return by_mpich::Scatter(form, sent, send_count, send_type, received, receive_count, receive_type,
                                 root, handle);
      },
      [&](const Communicator& comm) {
        return scatter_part(comm, send_count, send_type, received, receive_count, receive_type, root);
      });
}

int Scatterv(const Form& form, const void* sent, ListView counts, ListView places, MPI_Datatype send_type,
             void* received, MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  return collective(
      form, handle,
      [&] {
        return by_mpich::Scatterv(form, sent, counts, places, send_type, received, receive_count,
                                  receive_type, root, handle);
      },
      [&](const Communicator& comm) {
        return scatterv_part(comm, {counts, places, send_type}, received, receive_count, receive_type, root);
      });
}

int Allgather(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
              void* received, MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm handle) {
  return collective(
      form, handle,
      [&] {
        return by_mpich::Allgather(form, sent, send_count, send_type, received, receive_count, receive_type,
                                   handle);
      },
      [&](const Communicator& comm) {
        return allgather_part(comm, sent, send_count, send_type, receive_count, receive_type);
      });
}

int Allgatherv(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
               void* received, ListView counts, ListView places, MPI_Datatype receive_type, MPI_Comm handle) {
  return collective(
      form, handle,
      [&] {
        return by_mpich::Allgatherv(form, sent, send_count, send_type, received, counts, places, receive_type,
                                    handle);
      },
      [&](const Communicator& comm) {
        return allgatherv_part(comm, sent, send_count, send_type, {counts, places, receive_type});
      });
}

int Alltoall(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
             MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm handle) {
  return collective(
      form, handle,
      [&] {
        return by_mpich::Alltoall(form, sent, send_count, send_type, received, receive_count, receive_type,
                                  handle);
      },
      [&](const Communicator& comm) {
        return alltoall_part(comm, sent, send_count, send_type, receive_count, receive_type);
      });
}

int Alltoallv(const Form& form, const void* sent, ListView send_counts, ListView send_places,
              MPI_Datatype send_type, void* received, ListView receive_counts, ListView receive_places,
              MPI_Datatype receive_type, MPI_Comm handle) {
  return collective(
      form, handle,
      [&] {
        return by_mpich::Alltoallv(form, sent, send_counts, send_places, send_type, received, receive_counts,
                                   receive_places, receive_type, handle);
      },
      [&](const Communicator& comm) {
        return alltoall_blocks_part(CollectiveKind::alltoallv, comm, sent,
                                    {send_counts, send_places, send_type},
                                    {receive_counts, receive_places, receive_type});
      });
}

int Alltoallw(const Form& form, const void* sent, ListView send_counts, ListView send_places,
              const MPI_Datatype* send_types, void* received, ListView receive_counts,
              ListView receive_places, const MPI_Datatype* receive_types, MPI_Comm handle) {
  return collective(
      form, handle,
      [&] {
        return by_mpich::Alltoallw(form, sent, send_counts, send_places, send_types, received, receive_counts,
                                   receive_places, receive_types, handle);
      },
      [&](const Communicator& comm) {
        return alltoall_blocks_part(CollectiveKind::alltoallw, comm, sent,
                                    {send_counts, send_places, MPI_DATATYPE_NULL, send_types},
                                    {receive_counts, receive_places, MPI_DATATYPE_NULL, receive_types});
      });
}

int Reduce(const Form& form, const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op,
           int root, MPI_Comm handle) {
  return collective(
      form, handle, [&] { return by_mpich::Reduce(form, sent, received, count, type, op, root, handle); },
      [&](const Communicator& comm) { return reduce_part(comm, sent, count, type, op, root); });
}

int Allreduce(const Form& form, const void* sent, void* received, MPI_Count count, MPI_Datatype type,
              MPI_Op op, MPI_Comm handle) {
  return collective(
      form, handle, [&] { return by_mpich::Allreduce(form, sent, received, count, type, op, handle); },
      [&](const Communicator&) { return reduction_part(CollectiveKind::allreduce, sent, count, type, op); });
}

int Reduce_scatter(const Form& form, const void* sent, void* received, ListView counts, MPI_Datatype type,
                   MPI_Op op, MPI_Comm handle) {
  return collective(
      form, handle, [&] { return by_mpich::Reduce_scatter(form, sent, received, counts, type, op, handle); },
      [&](const Communicator& comm) { return reduce_scatter_part(comm, sent, counts, type, op); });
}

int Reduce_scatter_block(const Form& form, const void* sent, void* received, MPI_Count count,
                         MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  return collective(
      form, handle,
      [&] { return by_mpich::Reduce_scatter_block(form, sent, received, count, type, op, handle); },
      [&](const Communicator&) {
        return reduction_part(CollectiveKind::reduce_scatter_block, sent, count, type, op);
      });
}

int Scan(const Form& form, const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op,
         MPI_Comm handle) {
  return collective(
      form, handle, [&] { return by_mpich::Scan(form, sent, received, count, type, op, handle); },
      [&](const Communicator&) { return reduction_part(CollectiveKind::scan, sent, count, type, op); });
}

int Exscan(const Form& form, const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op,
           MPI_Comm handle) {
  return collective(
      form, handle, [&] { return by_mpich::Exscan(form, sent, received, count, type, op, handle); },
      [&](const Communicator&) { return reduction_part(CollectiveKind::exscan, sent, count, type, op); });
}

}  // namespace morgana::mpi::captured
