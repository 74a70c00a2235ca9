// Calls with lists of datatypes, and what else must live for as long as a request.

#include "pvmshim/mpi/stand_in/type_lists.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace morgana::stand_in {

Types types_of(Handle* const* types, MPI_Count count) {
  Types ours;
  if (types == nullptr) return ours;
  for (MPI_Count i = 0; i < count; ++i) ours.push_back(to_mpich<MPI_Datatype>(types[i]));
  return ours;
}

void keep_with(MPI_Request request, std::shared_ptr<void> kept) {
  static std::mutex changing;
  static auto& all = *new std::unordered_map<MPI_Request, std::shared_ptr<void>>;
  const std::lock_guard lock(changing);
  all[request] = std::move(kept);
}

Members members_of(Comm given) {
  const auto comm = to_mpich<MPI_Comm>(given.given);
  int is_inter = 0, size = 0;
  if (targets().MPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return {};
  if (is_inter != 0)
    targets().MPI_Comm_remote_size(comm, &size);
  else
    targets().MPI_Comm_size(comm, &size);
  return {size, size};
}

Members neighbours_of(Comm given) {
  const auto comm = to_mpich<MPI_Comm>(given.given);
  int topology = MPI_UNDEFINED;
  if (targets().MPI_Topo_test(comm, &topology) != MPI_SUCCESS) return {};
  Members found;
  int rank = 0, weighted = 0;
  switch (topology) {
    case MPI_CART:
      targets().MPI_Cartdim_get(comm, &found.senders);
      found.senders *= 2;
      found.receivers = found.senders;
      break;
    case MPI_GRAPH:
      targets().MPI_Comm_rank(comm, &rank);
      targets().MPI_Graph_neighbors_count(comm, rank, &found.senders);
      found.receivers = found.senders;
      break;
    case MPI_DIST_GRAPH:
      targets().MPI_Dist_graph_neighbors_count(comm, &found.senders, &found.receivers, &weighted);
      break;
    default:
      break;
  }
  return found;
}

std::shared_ptr<ExchangedTypes> exchanged_types(Members members, Buffer sent, Handle* const* sent_types,
                                                Handle* const* received_types) {
  const bool in_place = buffer_to_mpich(sent.given) == MPI_IN_PLACE;
  return std::make_shared<ExchangedTypes>(
      ExchangedTypes{in_place ? Types() : types_of(sent_types, members.receivers),
                     types_of(received_types, members.senders)});
}

void translate_contents(int combiner, MPI_Count used, bool sizes_apart, int* integers) {
  const bool is_darray = combiner == MPI_COMBINER_DARRAY && used > 3;
  if (!is_darray && (combiner != MPI_COMBINER_SUBARRAY || used == 0)) return;
  integers[used - 1] = order_from_mpich(integers[used - 1]);
  if (!is_darray) return;
  const int dimensions = integers[2];
  int* const distributions = integers + 3 + (sizes_apart ? 0 : dimensions);
  int* const arguments = distributions + dimensions;
  std::transform(distributions, arguments, distributions, distribution_from_mpich);
  std::transform(arguments, arguments + dimensions, arguments, distribution_argument_from_mpich);
}

}  // namespace morgana::stand_in

namespace morgana::stand_in::by_hand {
namespace {

MPI_Info info_of(Info info) {
  return to_mpich<MPI_Info>(info.given);
}

/// Where MPICH writes a communicator when a request completes.
template <typename Call>
int duplicate(Handle** made, Handle** request, Call call) {
  const auto place = std::make_shared<MPI_Comm>(MPI_COMM_NULL);
  MPI_Request pending = MPI_REQUEST_NULL;
  const int result = call(place.get(), &pending);
  if (result == MPI_SUCCESS) {
    keep_with(pending, place);
    *made = from_mpich(*place);
    *request = from_mpich(pending);
  }
  return error_from_mpich(result);
}

}  // namespace

int MPI_Alltoallw(Buffer sent, const int* sent_counts, const int* sent_places, Handle* const* sent_types,
                  Buffer received, const int* received_counts, const int* received_places,
                  Handle* const* received_types, Comm comm) {
  return exchange(targets().MPI_Alltoallw, members_of(comm), sent, sent_counts, sent_places, sent_types,
                  received, received_counts, received_places, received_types, comm, nullptr);
}

int MPI_Ialltoallw(Buffer sent, const int* sent_counts, const int* sent_places, Handle* const* sent_types,
                   Buffer received, const int* received_counts, const int* received_places,
                   Handle* const* received_types, Comm comm, Handle** request) {
  return exchange(targets().MPI_Ialltoallw, members_of(comm), sent, sent_counts, sent_places, sent_types,
                  received, received_counts, received_places, received_types, comm, request);
}

int MPI_Alltoallw_init(Buffer sent, const int* sent_counts, const int* sent_places, Handle* const* sent_types,
                       Buffer received, const int* received_counts, const int* received_places,
                       Handle* const* received_types, Comm comm, Info info, Handle** request) {
  return exchange(targets().MPI_Alltoallw_init, members_of(comm), sent, sent_counts, sent_places, sent_types,
                  received, received_counts, received_places, received_types, comm, request, info_of(info));
}

int MPI_Neighbor_alltoallw(Buffer sent, const int* sent_counts, const MPI_Aint* sent_places,
                           Handle* const* sent_types, Buffer received, const int* received_counts,
                           const MPI_Aint* received_places, Handle* const* received_types, Comm comm) {
  return exchange(targets().MPI_Neighbor_alltoallw, neighbours_of(comm), sent, sent_counts, sent_places,
                  sent_types, received, received_counts, received_places, received_types, comm, nullptr);
}

int MPI_Ineighbor_alltoallw(Buffer sent, const int* sent_counts, const MPI_Aint* sent_places,
                            Handle* const* sent_types, Buffer received, const int* received_counts,
                            const MPI_Aint* received_places, Handle* const* received_types, Comm comm,
                            Handle** request) {
  return exchange(targets().MPI_Ineighbor_alltoallw, neighbours_of(comm), sent, sent_counts, sent_places,
                  sent_types, received, received_counts, received_places, received_types, comm, request);
}

int MPI_Neighbor_alltoallw_init(Buffer sent, const int* sent_counts, const MPI_Aint* sent_places,
                                Handle* const* sent_types, Buffer received, const int* received_counts,
                                const MPI_Aint* received_places, Handle* const* received_types, Comm comm,
                                Info info, Handle** request) {
  return exchange(targets().MPI_Neighbor_alltoallw_init, neighbours_of(comm), sent, sent_counts, sent_places,
                  sent_types, received, received_counts, received_places, received_types, comm, request,
                  info_of(info));
}

int MPI_Comm_idup(Comm comm, Handle** made, Handle** request) {
  return duplicate(made, request, [&](MPI_Comm* place, MPI_Request* pending) {
    return targets().MPI_Comm_idup(to_mpich<MPI_Comm>(comm.given), place, pending);
  });
}

int MPI_Comm_idup_with_info(Comm comm, Info info, Handle** made, Handle** request) {
  return duplicate(made, request, [&](MPI_Comm* place, MPI_Request* pending) {
    return targets().MPI_Comm_idup_with_info(to_mpich<MPI_Comm>(comm.given), info_of(info), place, pending);
  });
}

int MPI_Type_create_struct(int count, const int* lengths, const MPI_Aint* places, Handle* const* types,
                           Handle** made) {
  const Types ours = types_of(types, count);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int result = targets().MPI_Type_create_struct(count, lengths, places, ours.data(), &type);
  if (result == MPI_SUCCESS) *made = from_mpich(type);
  return error_from_mpich(result);
}

int MPI_Type_create_darray(int size, int rank, int dimensions, const int* sizes, const int* distributions,
                           const int* arguments, const int* processes, Order order, Type type, TypeOut made) {
  std::vector<int> ours, ours_arguments;
  for (int i = 0; i < dimensions; ++i) {
    ours.push_back(distribution_to_mpich(distributions[i]));
    ours_arguments.push_back(distribution_argument_to_mpich(arguments[i]));
  }
  return carry_out(targets().MPI_Type_create_darray, size, rank, dimensions, sizes, ours.data(),
                   ours_arguments.data(), processes, order, type, made);
}

int MPI_Type_get_contents(Type type, int integers, int addresses, int types, int* integer_values,
                          MPI_Aint* address_values, Handle** type_values) {
  Types ours(static_cast<std::size_t>(std::max(types, 1)), MPI_DATATYPE_NULL);
  const auto mpichs = to_mpich<MPI_Datatype>(type.given);
  const int result = targets().MPI_Type_get_contents(mpichs, integers, addresses, types, integer_values,
                                                     address_values, ours.data());
  if (result != MPI_SUCCESS) return error_from_mpich(result);
  int numbers_used = 0, addresses_used = 0, types_used = 0, combiner = MPI_COMBINER_NAMED;
  targets().MPI_Type_get_envelope(mpichs, &numbers_used, &addresses_used, &types_used, &combiner);
  for (int i = 0; i < std::min(types_used, types); ++i)
    type_values[i] = from_mpich(ours[static_cast<std::size_t>(i)]);
  translate_contents(combiner, numbers_used, false, integer_values);
  return MPI_SUCCESS;
}

int MPI_Comm_spawn_multiple(int count, char** commands, char*** arguments, const int* processes,
                            Handle* const* infos, Rank root, Comm comm, CommOut made, int* codes) {
  std::vector<MPI_Info> ours;
  for (int i = 0; infos != nullptr && i < count; ++i) ours.push_back(to_mpich<MPI_Info>(infos[i]));
  return carry_out(targets().MPI_Comm_spawn_multiple, count, commands, arguments, processes, ours.data(),
                   root, comm, made, codes);
}

}  // namespace morgana::stand_in::by_hand
