// Accesses to windows over MPICH, recorded.

#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/record/recorded_windows.h"
#include "pvmshim/mpi/record/timed_call.h"

namespace morgana::mpi::captured {
namespace {

/// What an access brings to its target, or back; its size is only known to be valid once MPICH has taken it.
struct Load {
  MPI_Count count;
  MPI_Datatype type;
};
constexpr Load no_load{0, MPI_BYTE};

template <typename RealCall>
int access(Call call, MPI_Win win, int target, const Load& there, const Load& back, MPI_Request* request,
           const RealCall& real_call) {
  TimedCall timed;
  const int result = real_call();
  timed.ended();
  Window* window = find_window(win);
  if (result != MPI_SUCCESS || window == nullptr || target == MPI_PROC_NULL) {
    timed.write_plain(call);
    return result;
  }
  const Bytes sent = packed_size(there.count, there.type), fetched = packed_size(back.count, back.type);
  if (sent + fetched == Bytes()) {
    timed.write_plain(call);
    return result;
  }
  const RequestId id = recorder().next_id();
  const MPI_Request handle = request == nullptr ? MPI_REQUEST_NULL : *request;
  timed.write(window->start_access(call, target, sent, fetched, {id, target, handle}));
  if (request != nullptr)
    recorder().add(handle, {id, false, recorder().communicators().find(MPI_COMM_WORLD)});
  return result;
}

/// What a call with an operator brings to the target: nothing where it only reads.
Load brought(MPI_Count count, MPI_Datatype type, MPI_Op op) {
  return op == MPI_NO_OP ? no_load : Load{count, type};
}

}  // namespace

int Put(const void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint place,
        MPI_Count target_count, MPI_Datatype target_type, MPI_Win win) {
  return access(Call::MPI_Put, win, rank, {count, type}, no_load, nullptr, [=] {
    return real().MPI_Put_c(data, count, type, rank, place, target_count, target_type, win);
  });
}

int Rput(const void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint place,
         MPI_Count target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request* request) {
  return access(Call::MPI_Rput, win, rank, {count, type}, no_load, request, [=] {
    return real().MPI_Rput_c(data, count, type, rank, place, target_count, target_type, win, request);
  });
}

int Get(void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint place, MPI_Count target_count,
        MPI_Datatype target_type, MPI_Win win) {
  return access(Call::MPI_Get, win, rank, no_load, {target_count, target_type}, nullptr, [=] {
    return real().MPI_Get_c(data, count, type, rank, place, target_count, target_type, win);
  });
}

int Rget(void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint place, MPI_Count target_count,
         MPI_Datatype target_type, MPI_Win win, MPI_Request* request) {
  return access(Call::MPI_Rget, win, rank, no_load, {target_count, target_type}, request, [=] {
    return real().MPI_Rget_c(data, count, type, rank, place, target_count, target_type, win, request);
  });
}

int Accumulate(const void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint place,
               MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
  return access(Call::MPI_Accumulate, win, rank, {count, type}, no_load, nullptr, [=] {
    return real().MPI_Accumulate_c(data, count, type, rank, place, target_count, target_type, op, win);
  });
}

int Raccumulate(const void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint place,
                MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win,
                MPI_Request* request) {
  return access(Call::MPI_Raccumulate, win, rank, {count, type}, no_load, request, [=] {
    return real().MPI_Raccumulate_c(data, count, type, rank, place, target_count, target_type, op, win,
                                    request);
  });
}

int Get_accumulate(const void* data, MPI_Count count, MPI_Datatype type, void* result, MPI_Count result_count,
                   MPI_Datatype result_type, int rank, MPI_Aint place, MPI_Count target_count,
                   MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
  return access(Call::MPI_Get_accumulate, win, rank, brought(count, type, op), {result_count, result_type},
                nullptr, [=] {
                  return real().MPI_Get_accumulate_c(data, count, type, result, result_count, result_type,
                                                     rank, place, target_count, target_type, op, win);
                });
}

int Rget_accumulate(const void* data, MPI_Count count, MPI_Datatype type, void* result,
                    MPI_Count result_count, MPI_Datatype result_type, int rank, MPI_Aint place,
                    MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win,
                    MPI_Request* request) {
  return access(Call::MPI_Rget_accumulate, win, rank, brought(count, type, op), {result_count, result_type},
                request, [=] {
                  return real().MPI_Rget_accumulate_c(data, count, type, result, result_count, result_type,
                                                      rank, place, target_count, target_type, op, win,
                                                      request);
                });
}

int Fetch_and_op(const void* data, void* result, MPI_Datatype type, int rank, MPI_Aint place, MPI_Op op,
                 MPI_Win win) {
  return access(Call::MPI_Fetch_and_op, win, rank, brought(1, type, op), {1, type}, nullptr,
                [=] { return real().MPI_Fetch_and_op(data, result, type, rank, place, op, win); });
}

int Compare_and_swap(const void* data, const void* compared, void* result, MPI_Datatype type, int rank,
                     MPI_Aint place, MPI_Win win) {
  return access(Call::MPI_Compare_and_swap, win, rank, {2, type}, {1, type}, nullptr,
                [=] { return real().MPI_Compare_and_swap(data, compared, result, type, rank, place, win); });
}

}  // namespace morgana::mpi::captured
