// Blocking collectives over MPICH, recorded.

#include "pvmshim/mpi/captured/timed_call.h"
#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::captured {
namespace {

/// @param make_part  this rank's part, of the communicator
template <typename RealCall, typename MakePart>
int collective(Call call, MPI_Comm handle, const RealCall& real_call, const MakePart& make_part) {
  TimedCall timed;
  const int result = real_call();
  timed.ended();
  const auto& comm = recorder().communicators().find(handle);
  if (result != MPI_SUCCESS || comm == nullptr) {
    timed.write_plain(call);
    return result;
  }
  const RequestId request = recorder().next_id();
  timed.write_start(collective_operation(call, *comm, make_part(*comm), request));
  Completed completed;
  completed.request = request;
  timed.write_wait(call, {&request, 1}, {&completed, 1});
  return result;
}

}  // namespace

int Barrier(MPI_Comm comm) {
  return collective(
      Call::MPI_Barrier, comm, [&] { return real().MPI_Barrier(comm); },
      [](const Communicator&) { return plain_part(CollectiveKind::barrier, Bytes()); });
}

int Bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  return collective(
      Call::MPI_Bcast, comm, [&] { return real().MPI_Bcast_c(buffer, count, type, root, comm); },
      [&](const Communicator&) {
        return plain_part(CollectiveKind::broadcast, packed_size(count, type), root);
      });
}

int Gather(const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
           MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  return collective(
      Call::MPI_Gather, handle,
      [&] {
        return real().MPI_Gather_c(sent, send_count, send_type, received, receive_count, receive_type, root,
                                   handle);
      },
      [&](const Communicator& comm) {
        return gather_part(comm, sent, send_count, send_type, receive_count, receive_type, root);
      });
}

int Gatherv(const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received, ListView counts,
            ListView places, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  return collective(
      Call::MPI_Gatherv, handle,
      [&] {
        return counts.is_wide()
                   ? real().MPI_Gatherv_c(sent, send_count, send_type, received, counts.wide(), places.wide(),
                                          receive_type, root, handle)
                   : real().MPI_Gatherv(sent, static_cast<int>(send_count), send_type, received,
                                        counts.narrow(), places.narrow(), receive_type, root, handle);
      },
      [&](const Communicator& comm) {
        return gatherv_part(comm, sent, send_count, send_type, {counts, places, receive_type}, root);
      });
}

int Scatter(const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
            MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  return collective(
      Call::MPI_Scatter, handle,
      [&] {
        return real().MPI_Scatter_c(sent, send_count, send_type, received, receive_count, receive_type, root,
                                    handle);
      },
      [&](const Communicator& comm) {
        return scatter_part(comm, send_count, send_type, received, receive_count, receive_type, root);
      });
}

int Scatterv(const void* sent, ListView counts, ListView places, MPI_Datatype send_type, void* received,
             MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  return collective(
      Call::MPI_Scatterv, handle,
      [&] {
        return counts.is_wide()
                   ? real().MPI_Scatterv_c(sent, counts.wide(), places.wide(), send_type, received,
                                           receive_count, receive_type, root, handle)
                   : real().MPI_Scatterv(sent, counts.narrow(), places.narrow(), send_type, received,
                                         static_cast<int>(receive_count), receive_type, root, handle);
      },
      [&](const Communicator& comm) {
        return scatterv_part(comm, {counts, places, send_type}, received, receive_count, receive_type, root);
      });
}

int Allgather(const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
              MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm handle) {
  return collective(
      Call::MPI_Allgather, handle,
      [&] {
        return real().MPI_Allgather_c(sent, send_count, send_type, received, receive_count, receive_type,
                                      handle);
      },
      [&](const Communicator&) {
        return allgather_part(sent, send_count, send_type, receive_count, receive_type);
      });
}

int Allgatherv(const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
               ListView counts, ListView places, MPI_Datatype receive_type, MPI_Comm handle) {
  return collective(
      Call::MPI_Allgatherv, handle,
      [&] {
        return counts.is_wide()
                   ? real().MPI_Allgatherv_c(sent, send_count, send_type, received, counts.wide(),
                                             places.wide(), receive_type, handle)
                   : real().MPI_Allgatherv(sent, static_cast<int>(send_count), send_type, received,
                                           counts.narrow(), places.narrow(), receive_type, handle);
      },
      [&](const Communicator& comm) {
        return allgatherv_part(comm, sent, send_count, send_type, {counts, places, receive_type});
      });
}

int Alltoall(const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
             MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm handle) {
  return collective(
      Call::MPI_Alltoall, handle,
      [&] {
        return real().MPI_Alltoall_c(sent, send_count, send_type, received, receive_count, receive_type,
                                     handle);
      },
      [&](const Communicator&) {
        return alltoall_part(sent, send_count, send_type, receive_count, receive_type);
      });
}

int Alltoallv(const void* sent, ListView send_counts, ListView send_places, MPI_Datatype send_type,
              void* received, ListView receive_counts, ListView receive_places, MPI_Datatype receive_type,
              MPI_Comm handle) {
  return collective(
      Call::MPI_Alltoallv, handle,
      [&] {
        return receive_counts.is_wide()
                   ? real().MPI_Alltoallv_c(sent, send_counts.wide(), send_places.wide(), send_type, received,
                                            receive_counts.wide(), receive_places.wide(), receive_type,
                                            handle)
                   : real().MPI_Alltoallv(sent, send_counts.narrow(), send_places.narrow(), send_type,
                                          received, receive_counts.narrow(), receive_places.narrow(),
                                          receive_type, handle);
      },
      [&](const Communicator& comm) {
        return alltoall_blocks_part(CollectiveKind::alltoallv, comm, sent,
                                    {send_counts, send_places, send_type},
                                    {receive_counts, receive_places, receive_type});
      });
}

int Alltoallw(const void* sent, ListView send_counts, ListView send_places, const MPI_Datatype* send_types,
              void* received, ListView receive_counts, ListView receive_places,
              const MPI_Datatype* receive_types, MPI_Comm handle) {
  return collective(
      Call::MPI_Alltoallw, handle,
      [&] {
        return receive_counts.is_wide()
                   ? real().MPI_Alltoallw_c(sent, send_counts.wide(), send_places.wide(), send_types,
                                            received, receive_counts.wide(), receive_places.wide(),
                                            receive_types, handle)
                   : real().MPI_Alltoallw(sent, send_counts.narrow(), send_places.narrow(), send_types,
                                          received, receive_counts.narrow(), receive_places.narrow(),
                                          receive_types, handle);
      },
      [&](const Communicator& comm) {
        return alltoall_blocks_part(CollectiveKind::alltoallw, comm, sent,
                                    {send_counts, send_places, MPI_DATATYPE_NULL, send_types},
                                    {receive_counts, receive_places, MPI_DATATYPE_NULL, receive_types});
      });
}

int Reduce(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm handle) {
  return collective(
      Call::MPI_Reduce, handle,
      [&] { return real().MPI_Reduce_c(sent, received, count, type, op, root, handle); },
      [&](const Communicator&) {
        return reduction_part(CollectiveKind::reduce, sent, count, type, op, root);
      });
}

int Allreduce(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op,
              MPI_Comm handle) {
  return collective(
      Call::MPI_Allreduce, handle,
      [&] { return real().MPI_Allreduce_c(sent, received, count, type, op, handle); },
      [&](const Communicator&) { return reduction_part(CollectiveKind::allreduce, sent, count, type, op); });
}

int Reduce_scatter(const void* sent, void* received, ListView counts, MPI_Datatype type, MPI_Op op,
                   MPI_Comm handle) {
  return collective(
      Call::MPI_Reduce_scatter, handle,
      [&] {
        return counts.is_wide()
                   ? real().MPI_Reduce_scatter_c(sent, received, counts.wide(), type, op, handle)
                   : real().MPI_Reduce_scatter(sent, received, counts.narrow(), type, op, handle);
      },
      [&](const Communicator& comm) { return reduce_scatter_part(comm, sent, counts, type, op); });
}

int Reduce_scatter_block(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm handle) {
  return collective(
      Call::MPI_Reduce_scatter_block, handle,
      [&] { return real().MPI_Reduce_scatter_block_c(sent, received, count, type, op, handle); },
      [&](const Communicator&) {
        return reduction_part(CollectiveKind::reduce_scatter_block, sent, count, type, op);
      });
}

int Scan(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  return collective(
      Call::MPI_Scan, handle, [&] { return real().MPI_Scan_c(sent, received, count, type, op, handle); },
      [&](const Communicator&) { return reduction_part(CollectiveKind::scan, sent, count, type, op); });
}

int Exscan(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  return collective(
      Call::MPI_Exscan, handle, [&] { return real().MPI_Exscan_c(sent, received, count, type, op, handle); },
      [&](const Communicator&) { return reduction_part(CollectiveKind::exscan, sent, count, type, op); });
}

}  // namespace morgana::mpi::captured
