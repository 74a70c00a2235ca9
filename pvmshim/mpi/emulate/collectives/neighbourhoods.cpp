// The collectives in which every member gives to its neighbours in the communicator's topology.

#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/collective.h"
#include "pvmshim/mpi/emulate/edge_deposit.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/topology.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

/// Several edges may lead from one member to another. Which of them an edge is, for the one at its end: the
/// first sent is the first listed there, but with equal blocks (MPI_Neighbor_alltoall) MPICH takes the list
/// from its end, so that on a torus the way forward of the one is the way back of the other.
enum class Order { as_listed, from_the_end };

int number_among_equals(const std::vector<int>& sources, std::size_t edge, Order order) {
  const auto first = order == Order::as_listed ? 0 : edge + 1;
  const auto last = order == Order::as_listed ? edge : sources.size();
  int number = 0;
  for (std::size_t i = first; i < last; ++i)
    if (sources[i] == sources[edge]) ++number;
  return number;
}

int length(const std::vector<int>& edges) {
  return static_cast<int>(edges.size());
}

/// `number` blocks of `count` items one after the other.
ItemsByRank even_blocks(ArgumentCopies& kept, int number, MPI_Count count, MPI_Datatype type) {
  std::vector<MPI_Count> places;
  for (int i = 0; i < number; ++i) places.push_back(i * count);
  const ListView counts = kept.list(std::vector<MPI_Count>(static_cast<std::size_t>(number), count));
  return {counts, kept.list(std::move(places)), type};
}

int gather_from_neighbours(const Form& form, const std::shared_ptr<const Communicator>& comm,
                           const Neighbours& neighbours, CollectivePart part, ArgumentCopies kept,
                           const void* sent, MPI_Count send_count, MPI_Datatype from, void* received,
                           const ItemsByRank& in) {
  const int readers = static_cast<int>(part.destinations.size());
  const auto contribute = [=](Exchange& exchange) { exchange.contribute(sent, send_count, from, readers); };
  const auto collect = [=, sources = neighbours.sources](Exchange& exchange) {
    for (int edge = 0; edge < length(sources); ++edge) {
      const int source = sources[static_cast<std::size_t>(edge)];
      if (source != MPI_PROC_NULL) exchange.take(source, in.at(received, edge), in.count(edge), in.type);
    }
  };
  return carry_out(form, comm, std::move(part), std::move(kept), CollectiveSteps{true, contribute, collect});
}

int exchange_with_neighbours(const Form& form, const std::shared_ptr<const Communicator>& comm,
                             const Neighbours& neighbours, CollectivePart part, ArgumentCopies kept,
                             const void* sent, const ItemsByRank& out, void* received, const ItemsByRank& in,
                             Order order) {
  const auto contribute = [=, destinations = neighbours.destinations](Exchange& exchange) {
    exchange.contribute(deposit_edges(sent, out, destinations));
  };
  const auto collect = [=, sources = neighbours.sources](Exchange& exchange) {
    for (int edge = 0; edge < length(sources); ++edge) {
      const auto place = static_cast<std::size_t>(edge);
      if (sources[place] != MPI_PROC_NULL)
        exchange.take_edge(sources[place], number_among_equals(sources, place, order), in.at(received, edge),
                           in.count(edge), in.type_of(edge));
    }
  };
  return carry_out(form, comm, std::move(part), std::move(kept), CollectiveSteps{true, contribute, collect});
}

}  // namespace

int Neighbor_allgather(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
                       void* received, MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm handle) {
  const auto comm = intracommunicator(handle, form);
  const auto neighbours = comm == nullptr ? std::nullopt : neighbours_in(handle);
  if (!neighbours || !is_message(sent, send_count, send_type) ||
      !is_message(received, receive_count, receive_type))
    return error_of_mpich(by_mpich::Neighbor_allgather, form, sent, send_count, send_type, received,
                          receive_count, receive_type, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype from = kept.type(send_type, send_count), to = kept.type(receive_type, receive_count);
  const ItemsByRank in = even_blocks(kept, length(neighbours->sources), receive_count, to);
  return gather_from_neighbours(
      form, comm, *neighbours,
      neighbor_part(CollectiveKind::neighbor_allgather, *neighbours, packed_size(send_count, send_type)),
      std::move(kept), sent, send_count, from, received, in);
}

int Neighbor_allgatherv(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
                        void* received, ListView counts, ListView places, MPI_Datatype receive_type,
                        MPI_Comm handle) {
  const auto comm = intracommunicator(handle, form);
  const auto neighbours = comm == nullptr ? std::nullopt : neighbours_in(handle);
  const ItemsByRank given{counts, places, receive_type};
  if (!neighbours || !is_message(sent, send_count, send_type) ||
      !are_blocks(received, given, length(neighbours->sources)))
    return error_of_mpich(by_mpich::Neighbor_allgatherv, form, sent, send_count, send_type, received, counts,
                          places, receive_type, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype from = kept.type(send_type, send_count);
  const ItemsByRank in = kept.blocks(given, length(neighbours->sources));
  return gather_from_neighbours(
      form, comm, *neighbours,
      neighbor_allgatherv_part(*neighbours, packed_size(send_count, send_type), given), std::move(kept), sent,
      send_count, from, received, in);
}

int Neighbor_alltoall(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
                      void* received, MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm handle) {
  const auto comm = intracommunicator(handle, form);
  const auto neighbours = comm == nullptr ? std::nullopt : neighbours_in(handle);
  if (!neighbours || !is_message(sent, send_count, send_type) ||
      !is_message(received, receive_count, receive_type))
    return error_of_mpich(by_mpich::Neighbor_alltoall, form, sent, send_count, send_type, received,
                          receive_count, receive_type, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype from = kept.type(send_type, send_count), to = kept.type(receive_type, receive_count);
  const ItemsByRank out = even_blocks(kept, length(neighbours->destinations), send_count, from);
  const ItemsByRank in = even_blocks(kept, length(neighbours->sources), receive_count, to);
  return exchange_with_neighbours(
      form, comm, *neighbours,
      neighbor_part(CollectiveKind::neighbor_alltoall, *neighbours, packed_size(send_count, send_type)),
      std::move(kept), sent, out, received, in, Order::from_the_end);
}

int Neighbor_alltoallv(const Form& form, const void* sent, ListView send_counts, ListView send_places,
                       MPI_Datatype send_type, void* received, ListView receive_counts,
                       ListView receive_places, MPI_Datatype receive_type, MPI_Comm handle) {
  const auto comm = intracommunicator(handle, form);
  const auto neighbours = comm == nullptr ? std::nullopt : neighbours_in(handle);
  const ItemsByRank out{send_counts, send_places, send_type},
      in{receive_counts, receive_places, receive_type};
  if (!neighbours || !are_blocks(sent, out, length(neighbours->destinations)) ||
      !are_blocks(received, in, length(neighbours->sources)))
    return error_of_mpich(by_mpich::Neighbor_alltoallv, form, sent, send_counts, send_places, send_type,
                          received, receive_counts, receive_places, receive_type, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const ItemsByRank kept_out = kept.blocks(out, length(neighbours->destinations));
  const ItemsByRank kept_in = kept.blocks(in, length(neighbours->sources));
  return exchange_with_neighbours(
      form, comm, *neighbours, neighbor_blocks_part(CollectiveKind::neighbor_alltoallv, *neighbours, out, in),
      std::move(kept), sent, kept_out, received, kept_in, Order::as_listed);
}

int Neighbor_alltoallw(const Form& form, const void* sent, ListView send_counts, ListView send_places,
                       const MPI_Datatype* send_types, void* received, ListView receive_counts,
                       ListView receive_places, const MPI_Datatype* receive_types, MPI_Comm handle) {
  const auto comm = intracommunicator(handle, form);
  const auto neighbours = comm == nullptr ? std::nullopt : neighbours_in(handle);
  const ItemsByRank out{send_counts, send_places, MPI_DATATYPE_NULL, send_types};
  const ItemsByRank in{receive_counts, receive_places, MPI_DATATYPE_NULL, receive_types};
  if (!neighbours || !are_blocks(sent, out, length(neighbours->destinations)) ||
      !are_blocks(received, in, length(neighbours->sources)))
    return error_of_mpich(by_mpich::Neighbor_alltoallw, form, sent, send_counts, send_places, send_types,
                          received, receive_counts, receive_places, receive_types, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const ItemsByRank kept_out = kept.blocks(out, length(neighbours->destinations));
  const ItemsByRank kept_in = kept.blocks(in, length(neighbours->sources));
  return exchange_with_neighbours(
      form, comm, *neighbours, neighbor_blocks_part(CollectiveKind::neighbor_alltoallw, *neighbours, out, in),
      std::move(kept), sent, kept_out, received, kept_in, Order::as_listed);
}

}  // namespace morgana::mpi::emulated
