// The calls that read and write the memory of a window's members.

#include <algorithm>
#include <array>

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/messages.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/emulate/onesided/accesses.h"
#include "pvmshim/mpi/emulate/onesided/requested_access.h"
#include "pvmshim/mpi/emulate/onesided/windows.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/statuses.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

/// The target's side of a call.
struct Target {
  int rank;
  MPI_Aint displacement;
  MPI_Count count;
  MPI_Datatype type;
};

bool is_valid(const SharedWindow& window, const Target& target) {
  static const char somewhere = 0;
  return window != nullptr &&
         (target.rank == MPI_PROC_NULL || (target.rank >= 0 && target.rank < window->size())) &&
         is_block(&somewhere, target.count, target.type) && (target.displacement >= 0 || window->is_dynamic);
}

/// One of MPI's own operators.
bool is_predefined_op(MPI_Op op) {
  constexpr unsigned kind_mask = 0xC0000000U, predefined = 0x40000000U;  // of MPICH's handles
  return (static_cast<unsigned>(op) & kind_mask) == predefined;
}

/// Whether MPI_Compare_and_swap takes it: integers, logicals and bytes.
bool is_comparable(MPI_Datatype type) {
  constexpr std::array others{MPI_FLOAT,
                              MPI_DOUBLE,
                              MPI_LONG_DOUBLE,
                              MPI_C_FLOAT_COMPLEX,
                              MPI_C_DOUBLE_COMPLEX,
                              MPI_C_LONG_DOUBLE_COMPLEX,
                              MPI_CXX_FLOAT_COMPLEX,
                              MPI_CXX_DOUBLE_COMPLEX,
                              MPI_CXX_LONG_DOUBLE_COMPLEX,
                              MPI_REAL,
                              MPI_DOUBLE_PRECISION,
                              MPI_COMPLEX,
                              MPI_DOUBLE_COMPLEX,
                              MPI_REAL4,
                              MPI_REAL8,
                              MPI_REAL16,
                              MPI_COMPLEX8,
                              MPI_COMPLEX16,
                              MPI_COMPLEX32,
                              MPI_CHARACTER,
                              MPI_PACKED};
  return type != MPI_DATATYPE_NULL && is_plain(type) && std::ranges::find(others, type) == others.end();
}

/// An access of no bytes, or to nobody.
int access_nothing(const SharedWindow& window, Call call, MPI_Request* handle) {
  if (handle != nullptr) {
    Request& request = add_access_request(window, handle);
    set_empty(request.status);
    request.done = true;
  }
  post_plain(call);
  return MPI_SUCCESS;
}

/// @param make_move  std::function<int()>(TargetData): what moves the data
/// @param about  bytes of the target's data that it is about, at most
template <typename MakeMove>
int access(Call call, const SharedWindow& window, const Target& target, Bytes there, Bytes back, Bytes about,
           MPI_Request* handle, const MakeMove& make_move) {
  const Visit visit(me().live);
  if (target.rank == MPI_PROC_NULL) return access_nothing(window, call, handle);
  if (!window->epochs.access(target.rank)) return raise(*window, MPI_ERR_RMA_SYNC, call);
  const Bytes bytes = std::min(about, packed_size(target.count, target.type));
  if (bytes == Bytes()) return access_nothing(window, call, handle);
  auto data = std::make_shared<const TargetData>(window->memory[static_cast<std::size_t>(target.rank)],
                                                 target.displacement, target.count, target.type, bytes);
  if (!window->is_dynamic && !data->lies_within()) return raise(*window, MPI_ERR_RMA_RANGE, call);
  const RequestId id = handle == nullptr ? me().requests.next_id() : add_access_request(window, handle).id;
  Operation operation = window->window.start_access(
      call, target.rank, there, back,
      {id, target.rank, handle == nullptr ? MPI_REQUEST_NULL : *handle, make_move(std::move(data))});
  me().live.post(operation);
  return MPI_SUCCESS;
}

using SharedTarget = std::shared_ptr<const TargetData>;

template <typename RealCall>
int put(Call call, const void* data, MPI_Count count, MPI_Datatype type, const Target& target, MPI_Win win,
        MPI_Request* request, const RealCall& real_call) {
  const auto window = find_window(win);
  if (!is_valid(window, target) || !is_block(data, count, type)) return real_call();
  const Bytes bytes = packed_size(count, type);
  return access(call, window, target, bytes, Bytes(), bytes, request, [=](const SharedTarget& there) {
    auto origin = std::make_shared<OriginData>(data, count, type);
    return [=] { return move_put(*origin, *there); };
  });
}

template <typename RealCall>
int get(Call call, void* data, MPI_Count count, MPI_Datatype type, const Target& target, MPI_Win win,
        MPI_Request* request, const RealCall& real_call) {
  const auto window = find_window(win);
  if (!is_valid(window, target) || !is_block(data, count, type)) return real_call();
  const Bytes bytes = packed_size(count, type);
  return access(call, window, target, Bytes(), std::min(bytes, packed_size(target.count, target.type)), bytes,
                request, [=](const SharedTarget& there) {
                  auto room = std::make_shared<const OriginRoom>(data, count, type);
                  return [=] { return move_get(*room, *there); };
                });
}

template <typename RealCall>
int accumulate(Call call, const void* data, MPI_Count count, MPI_Datatype type, const Target& target,
               MPI_Op op, MPI_Win win, MPI_Request* request, const RealCall& real_call) {
  const auto window = find_window(win);
  if (!is_valid(window, target) || !is_block(data, count, type) || !is_predefined_op(op) || op == MPI_NO_OP)
    return real_call();
  const Bytes bytes = packed_size(count, type);
  return access(call, window, target, bytes, Bytes(), bytes, request, [=](const SharedTarget& there) {
    auto origin = std::make_shared<OriginData>(data, count, type);
    return [=] { return move_accumulate(*origin, nullptr, *there, op); };
  });
}

/// The origin's side of a call that brings something there and something back.
struct Fetching {
  const void* data;
  MPI_Count count;
  MPI_Datatype type;
  void* result;
  MPI_Count result_count;
  MPI_Datatype result_type;
};

template <typename RealCall>
int fetch(Call call, const Fetching& given, const Target& target, MPI_Op op, MPI_Win win,
          MPI_Request* request, const RealCall& real_call) {
  const auto window = find_window(win);
  Fetching origin = given;
  if (op == MPI_NO_OP)
    origin.data = nullptr, origin.count = 0, origin.type = MPI_BYTE;  // all of it is ignored
  if (!is_valid(window, target) || !is_block(origin.data, origin.count, origin.type) ||
      !is_block(origin.result, origin.result_count, origin.result_type) || !is_predefined_op(op))
    return real_call();
  const Bytes there_bytes = packed_size(origin.count, origin.type);
  const Bytes back = packed_size(origin.result_count, origin.result_type);
  const Bytes about = op == MPI_NO_OP ? back : std::min(there_bytes, back);
  return access(call, window, target, there_bytes, back, about, request, [=](const SharedTarget& there) {
    auto data = std::make_shared<OriginData>(origin.data, origin.count, origin.type);
    auto room = std::make_shared<const OriginRoom>(origin.result, origin.result_count, origin.result_type);
    return [=] { return move_accumulate(*data, room.get(), *there, op); };
  });
}

}  // namespace

int Put(const void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint place,
        MPI_Count target_count, MPI_Datatype target_type, MPI_Win win) {
  return put(Call::MPI_Put, data, count, type, {rank, place, target_count, target_type}, win, nullptr, [=] {
    return error_of_mpich(real().MPI_Put_c, data, count, type, rank_for_mpich(win, rank), place, target_count,
                          target_type, win);
  });
}

int Rput(const void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint place,
         MPI_Count target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request* request) {
  const auto real_call = [=] {
    return error_of_mpich(real().MPI_Rput_c, data, count, type, rank_for_mpich(win, rank), place,
                          target_count, target_type, win, request);
  };
  if (lacks_place(request)) return real_call();
  return put(Call::MPI_Rput, data, count, type, {rank, place, target_count, target_type}, win, request,
             real_call);
}

int Get(void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint place, MPI_Count target_count,
        MPI_Datatype target_type, MPI_Win win) {
  return get(Call::MPI_Get, data, count, type, {rank, place, target_count, target_type}, win, nullptr, [=] {
    return error_of_mpich(real().MPI_Get_c, data, count, type, rank_for_mpich(win, rank), place, target_count,
                          target_type, win);
  });
}

int Rget(void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint place, MPI_Count target_count,
         MPI_Datatype target_type, MPI_Win win, MPI_Request* request) {
  const auto real_call = [=] {
    return error_of_mpich(real().MPI_Rget_c, data, count, type, rank_for_mpich(win, rank), place,
                          target_count, target_type, win, request);
  };
  if (lacks_place(request)) return real_call();
  return get(Call::MPI_Rget, data, count, type, {rank, place, target_count, target_type}, win, request,
             real_call);
}

int Accumulate(const void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint place,
               MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
  return accumulate(Call::MPI_Accumulate, data, count, type, {rank, place, target_count, target_type}, op,
                    win, nullptr, [=] {
                      return error_of_mpich(real().MPI_Accumulate_c, data, count, type,
                                            rank_for_mpich(win, rank), place, target_count, target_type, op,
                                            win);
                    });
}

int Raccumulate(const void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint place,
                MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win,
                MPI_Request* request) {
  const auto real_call = [=] {
    return error_of_mpich(real().MPI_Raccumulate_c, data, count, type, rank_for_mpich(win, rank), place,
                          target_count, target_type, op, win, request);
  };
  if (lacks_place(request)) return real_call();
  return accumulate(Call::MPI_Raccumulate, data, count, type, {rank, place, target_count, target_type}, op,
                    win, request, real_call);
}

int Get_accumulate(const void* data, MPI_Count count, MPI_Datatype type, void* result, MPI_Count result_count,
                   MPI_Datatype result_type, int rank, MPI_Aint place, MPI_Count target_count,
                   MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
  return fetch(Call::MPI_Get_accumulate, {data, count, type, result, result_count, result_type},
               {rank, place, target_count, target_type}, op, win, nullptr, [=] {
                 return error_of_mpich(real().MPI_Get_accumulate_c, data, count, type, result, result_count,
                                       result_type, rank_for_mpich(win, rank), place, target_count,
                                       target_type, op, win);
               });
}

int Rget_accumulate(const void* data, MPI_Count count, MPI_Datatype type, void* result,
                    MPI_Count result_count, MPI_Datatype result_type, int rank, MPI_Aint place,
                    MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win,
                    MPI_Request* request) {
  const auto real_call = [=] {
    return error_of_mpich(real().MPI_Rget_accumulate_c, data, count, type, result, result_count, result_type,
                          rank_for_mpich(win, rank), place, target_count, target_type, op, win, request);
  };
  if (lacks_place(request)) return real_call();
  return fetch(Call::MPI_Rget_accumulate, {data, count, type, result, result_count, result_type},
               {rank, place, target_count, target_type}, op, win, request, real_call);
}

int Fetch_and_op(const void* data, void* result, MPI_Datatype type, int rank, MPI_Aint place, MPI_Op op,
                 MPI_Win win) {
  const auto real_call = [=] {
    return error_of_mpich(real().MPI_Fetch_and_op, data, result, type, rank_for_mpich(win, rank), place, op,
                          win);
  };
  if (type == MPI_DATATYPE_NULL || !is_predefined(type)) return real_call();
  return fetch(Call::MPI_Fetch_and_op, {data, 1, type, result, 1, type}, {rank, place, 1, type}, op, win,
               nullptr, real_call);
}

int Compare_and_swap(const void* data, const void* compared, void* result, MPI_Datatype type, int rank,
                     MPI_Aint place, MPI_Win win) {
  const auto window = find_window(win);
  const Target target{rank, place, 1, type};
  if (lacks_place(data, compared, result) || !is_comparable(type) || !is_valid(window, target))
    return error_of_mpich(real().MPI_Compare_and_swap, data, compared, result, type,
                          rank_for_mpich(win, rank), place, win);
  const Bytes one = packed_size(1, type);
  return access(Call::MPI_Compare_and_swap, window, target, one + one, one, one, nullptr,
                [=](const SharedTarget& there) {
                  auto origin = std::make_shared<OriginData>(data, 1, type);
                  auto expected = std::make_shared<OriginData>(compared, 1, type);
                  auto room = std::make_shared<const OriginRoom>(result, 1, type);
                  return [=] { return move_compare_and_swap(*origin, *expected, *room, *there); };
                });
}

}  // namespace morgana::mpi::emulated
