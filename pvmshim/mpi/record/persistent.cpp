// Persistent and partitioned sends and receives over MPICH, recorded.

#include <algorithm>
#include <span>
#include <vector>

#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/record/timed_call.h"

namespace morgana::mpi::captured {
namespace {

using SharedCommunicator = std::shared_ptr<const Communicator>;
using RealSendInit = decltype(&MPI_Send_init_c);

/// MPICH has made a request that moves something.
bool is_recorded(int result, const SharedCommunicator& comm, int peer) {
  return result == MPI_SUCCESS && comm != nullptr && peer != MPI_PROC_NULL;
}

int send_init(Call call, RealSendInit real_call, SendMode mode, const void* buffer, MPI_Count count,
              MPI_Datatype type, int dest, int tag, MPI_Comm handle, MPI_Request* request) {
  TimedCall timed;
  const int result = real_call(buffer, count, type, dest, tag, handle, request);
  timed.ended();
  timed.write_plain(call);
  const SharedCommunicator comm = recorder().communicators().find(handle);
  if (!is_recorded(result, comm, dest)) return result;
  const Content content = content_of(count, type);
  recorder().add_persistent(*request, {[=](Call start, CallPart part, RequestId id) {
                                         return send_operation(start, part, mode, *comm, dest, tag, content,
                                                               id);
                                       },
                                       {no_request, false, comm}});
  return result;
}

/// Requests have been started: writes what that started.
void write_starts(const TimedCall& timed, Call call, std::span<const MPI_Request> handles) {
  std::vector<Recorder::Persistent*> started;
  std::vector<RequestId> ids;
  for (const MPI_Request handle : handles) {
    Recorder::Persistent* persistent = recorder().find_persistent(handle);
    if (persistent == nullptr) continue;
    Recorder::Pending pending = persistent->pending;
    pending.id = recorder().next_id();
    persistent->missing = persistent->partitions;
    if (persistent->partitions > 0) {
      persistent->pending.id = pending.id;
    } else {
      started.push_back(persistent);
      ids.push_back(pending.id);
    }
    recorder().add(handle, std::move(pending));
  }
  if (started.empty()) timed.write_plain(call);
  for (std::size_t i = 0; i < started.size(); ++i) {
    const bool first = i == 0, last = i + 1 == started.size();
    const CallPart part = first && last ? CallPart::whole
                          : first       ? CallPart::first
                          : last        ? CallPart::last
                                        : CallPart::middle;
    const Operation operation = started[i]->operation(call, part, ids[i]);
    if (last)
      timed.write(operation);
    else
      timed.write_start(operation);
  }
}

/// Partitions of a send have become ready.
void write_ready(const TimedCall& timed, Call call, int count, MPI_Request handle, int result) {
  Recorder::Persistent* persistent = recorder().find_persistent(handle);
  if (result != MPI_SUCCESS || persistent == nullptr || count <= 0 || (persistent->missing -= count) != 0) {
    timed.write_plain(call);
    return;
  }
  timed.write(persistent->operation(call, CallPart::whole, persistent->pending.id));
}

}  // namespace

int Send_init(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return send_init(Call::MPI_Send_init, real().MPI_Send_init_c, SendMode::standard, buffer, count, type, dest,
                   tag, comm, request);
}

int Bsend_init(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return send_init(Call::MPI_Bsend_init, real().MPI_Bsend_init_c, SendMode::buffered, buffer, count, type,
                   dest, tag, comm, request);
}

int Ssend_init(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return send_init(Call::MPI_Ssend_init, real().MPI_Ssend_init_c, SendMode::synchronous, buffer, count, type,
                   dest, tag, comm, request);
}

int Rsend_init(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return send_init(Call::MPI_Rsend_init, real().MPI_Rsend_init_c, SendMode::ready, buffer, count, type, dest,
                   tag, comm, request);
}

int Recv_init(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm handle,
              MPI_Request* request) {
  TimedCall timed;
  const int result = real().MPI_Recv_init_c(buffer, count, type, source, tag, handle, request);
  timed.ended();
  timed.write_plain(Call::MPI_Recv_init);
  const SharedCommunicator comm = recorder().communicators().find(handle);
  if (!is_recorded(result, comm, source)) return result;
  const Bytes room = packed_size(count, type);
  recorder().add_persistent(*request, {[=](Call start, CallPart part, RequestId id) {
                                         return receive_operation(start, part, *comm, source, tag, room, id);
                                       },
                                       {no_request, true, comm, no_request, nullptr, nullptr, room}});
  return result;
}

int Start(MPI_Request* request) {
  TimedCall timed;
  const int result = real().MPI_Start(request);
  timed.ended();
  write_starts(timed, Call::MPI_Start, {request, result == MPI_SUCCESS ? 1U : 0U});
  return result;
}

int Startall(int count, MPI_Request* requests) {
  TimedCall timed;
  const int result = real().MPI_Startall(count, requests);
  timed.ended();
  write_starts(timed, Call::MPI_Startall,
               {requests, result == MPI_SUCCESS ? static_cast<std::size_t>(std::max(count, 0)) : 0});
  return result;
}

int Psend_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int dest, int tag,
               MPI_Comm handle, MPI_Info info, MPI_Request* request) {
  TimedCall timed;
  const int result = real().MPI_Psend_init(buffer, partitions, count, type, dest, tag, handle, info, request);
  timed.ended();
  const SharedCommunicator comm = recorder().communicators().find(handle);
  if (!is_recorded(result, comm, dest)) {
    timed.write_plain(Call::MPI_Psend_init);
    return result;
  }
  const auto partitioned = std::make_shared<const Communicator>(
      recorder().communicators().for_partitioned(*comm, true, dest, tag));
  timed.write(context_operation(Call::MPI_Psend_init, CallPart::whole, *partitioned));
  const Content content = content_of(partitions * count, type);
  recorder().add_persistent(*request, {[=](Call ready, CallPart part, RequestId id) {
                                         return send_operation(ready, part, SendMode::standard, *partitioned,
                                                               dest, tag, content, id);
                                       },
                                       {no_request, false, comm},
                                       partitions});
  return result;
}

int Precv_init(void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int source, int tag,
               MPI_Comm handle, MPI_Info info, MPI_Request* request) {
  TimedCall timed;
  const int result =
      real().MPI_Precv_init(buffer, partitions, count, type, source, tag, handle, info, request);
  timed.ended();
  const SharedCommunicator comm = recorder().communicators().find(handle);
  if (!is_recorded(result, comm, source)) {
    timed.write_plain(Call::MPI_Precv_init);
    return result;
  }
  const auto partitioned = std::make_shared<const Communicator>(
      recorder().communicators().for_partitioned(*comm, false, source, tag));
  timed.write(context_operation(Call::MPI_Precv_init, CallPart::whole, *partitioned));
  Completed known;
  known.source = comm->world_rank(source);
  known.tag = Tag{tag};
  known.bytes = packed_size(partitions * count, type);
  recorder().add_persistent(
      *request, {[=](Call start, CallPart part, RequestId id) {
                   return receive_operation(start, part, *partitioned, source, tag, known.bytes, id);
                 },
                 {no_request, true, comm, no_request, std::make_shared<const Completed>(known)}});
  return result;
}

int Pready(int partition, MPI_Request request) {
  TimedCall timed;
  const int result = real().MPI_Pready(partition, request);
  timed.ended();
  write_ready(timed, Call::MPI_Pready, 1, request, result);
  return result;
}

int Pready_range(int first, int last, MPI_Request request) {
  TimedCall timed;
  const int result = real().MPI_Pready_range(first, last, request);
  timed.ended();
  write_ready(timed, Call::MPI_Pready_range, last - first + 1, request, result);
  return result;
}

int Pready_list(int count, const int* partitions, MPI_Request request) {
  TimedCall timed;
  const int result = real().MPI_Pready_list(count, const_cast<int*>(partitions), request);
  timed.ended();
  write_ready(timed, Call::MPI_Pready_list, count, request, result);
  return result;
}

// One partition may be there before the others: that is no completion.
int Parrived(MPI_Request request, int partition, int* flag) {
  TimedCall timed;
  const int result = real().MPI_Parrived(request, partition, flag);
  timed.ended();
  timed.write_plain(Call::MPI_Parrived);
  return result;
}

}  // namespace morgana::mpi::captured
