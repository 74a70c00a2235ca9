// Calls with large counts and lists of datatypes.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "pvmshim/mpi/stand_in/type_lists.h"

namespace morgana::stand_in::by_hand {

int MPI_Alltoallw_c(Buffer sent, const MPI_Count* sent_counts, const MPI_Aint* sent_places,
                    Handle* const* sent_types, Buffer received, const MPI_Count* received_counts,
                    const MPI_Aint* received_places, Handle* const* received_types, Comm comm) {
  return exchange(targets().MPI_Alltoallw_c, members_of(comm), sent, sent_counts, sent_places, sent_types,
                  received, received_counts, received_places, received_types, comm, nullptr);
}
int MPI_Ialltoallw_c(Buffer sent, const MPI_Count* sent_counts, const MPI_Aint* sent_places,
                     Handle* const* sent_types, Buffer received, const MPI_Count* received_counts,
                     const MPI_Aint* received_places, Handle* const* received_types, Comm comm,
                     Handle** request) {
  return exchange(targets().MPI_Ialltoallw_c, members_of(comm), sent, sent_counts, sent_places, sent_types,
                  received, received_counts, received_places, received_types, comm, request);
}
int MPI_Alltoallw_init_c(Buffer sent, const MPI_Count* sent_counts, const MPI_Aint* sent_places,
                         Handle* const* sent_types, Buffer received, const MPI_Count* received_counts,
                         const MPI_Aint* received_places, Handle* const* received_types, Comm comm, Info info,
                         Handle** request) {
  return exchange(targets().MPI_Alltoallw_init_c, members_of(comm), sent, sent_counts, sent_places,
                  sent_types, received, received_counts, received_places, received_types, comm, request,
                  to_mpich<MPI_Info>(info.given));
}
int MPI_Neighbor_alltoallw_c(Buffer sent, const MPI_Count* sent_counts, const MPI_Aint* sent_places,
                             Handle* const* sent_types, Buffer received, const MPI_Count* received_counts,
                             const MPI_Aint* received_places, Handle* const* received_types, Comm comm) {
  return exchange(targets().MPI_Neighbor_alltoallw_c, neighbours_of(comm), sent, sent_counts, sent_places,
                  sent_types, received, received_counts, received_places, received_types, comm, nullptr);
}
int MPI_Ineighbor_alltoallw_c(Buffer sent, const MPI_Count* sent_counts, const MPI_Aint* sent_places,
                              Handle* const* sent_types, Buffer received, const MPI_Count* received_counts,
                              const MPI_Aint* received_places, Handle* const* received_types, Comm comm,
                              Handle** request) {
  return exchange(targets().MPI_Ineighbor_alltoallw_c, neighbours_of(comm), sent, sent_counts, sent_places,
                  sent_types, received, received_counts, received_places, received_types, comm, request);
}
int MPI_Neighbor_alltoallw_init_c(Buffer sent, const MPI_Count* sent_counts, const MPI_Aint* sent_places,
                                  Handle* const* sent_types, Buffer received,
                                  const MPI_Count* received_counts, const MPI_Aint* received_places,
                                  Handle* const* received_types, Comm comm, Info info, Handle** request) {
  return exchange(targets().MPI_Neighbor_alltoallw_init_c, neighbours_of(comm), sent, sent_counts,
                  sent_places, sent_types, received, received_counts, received_places, received_types, comm,
                  request, to_mpich<MPI_Info>(info.given));
}

int MPI_Type_create_struct_c(MPI_Count count, const MPI_Count* lengths, const MPI_Count* places,
                             Handle* const* types, Handle** made) {
  const Types ours = types_of(types, count);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int result = targets().MPI_Type_create_struct_c(count, lengths, places, ours.data(), &type);
  if (result == MPI_SUCCESS) *made = from_mpich(type);
  return error_from_mpich(result);
}

int MPI_Type_create_darray_c(int size, int rank, int dimensions, const MPI_Count* sizes,
                             const int* distributions, const int* arguments, const int* processes,
                             Order order, Type type, TypeOut made) {
  const auto translated = [dimensions](const int* values, int (*one)(int)) {
    std::vector<int> ours(static_cast<std::size_t>(std::max(dimensions, 0)));
    std::transform(values, values + ours.size(), ours.begin(), one);
    return ours;
  };
  return carry_out(targets().MPI_Type_create_darray_c, size, rank, dimensions, sizes,
                   translated(distributions, distribution_to_mpich).data(),
                   translated(arguments, distribution_argument_to_mpich).data(), processes, order, type,
                   made);
}

int MPI_Type_get_contents_c(Type type, MPI_Count integers, MPI_Count addresses, MPI_Count counts,
                            MPI_Count types, int* integer_values, MPI_Aint* address_values,
                            MPI_Count* count_values, Handle** type_values) {
  Types ours(static_cast<std::size_t>(std::max<MPI_Count>(types, 1)), MPI_DATATYPE_NULL);
  const auto mpichs = to_mpich<MPI_Datatype>(type.given);
  const int result = targets().MPI_Type_get_contents_c(
      mpichs, integers, addresses, counts, types, integer_values, address_values, count_values, ours.data());
  if (result != MPI_SUCCESS) return error_from_mpich(result);
  MPI_Count integers_used = 0, addresses_used = 0, counts_used = 0, types_used = 0;
  int combiner = MPI_COMBINER_NAMED;
  targets().MPI_Type_get_envelope_c(mpichs, &integers_used, &addresses_used, &counts_used, &types_used,
                                    &combiner);
  for (MPI_Count i = 0; i < std::min(types_used, types); ++i)
    type_values[i] = from_mpich(ours[static_cast<std::size_t>(i)]);
  translate_contents(combiner, integers_used, counts_used > 0, integer_values);
  return MPI_SUCCESS;
}

}  // namespace morgana::stand_in::by_hand
