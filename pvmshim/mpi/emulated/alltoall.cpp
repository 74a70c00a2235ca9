// The collectives in which every member gives to every other.

#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/emulated/arguments.h"
#include "pvmshim/mpi/emulated/block_deposit.h"
#include "pvmshim/mpi/emulated/emulated_rank.h"
#include "pvmshim/mpi/emulated/exchange.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

/// Takes every other member's block for this rank, and copies this rank's own.
void alltoall_blocks(Exchange& exchange, const void* sent, const Blocks& out, void* received,
                     const Blocks& in) {
  const Communicator& comm = exchange.comm();
  const bool in_place = sent == MPI_IN_PLACE;
  exchange.contribute(
      deposit_blocks(in_place ? received : sent, in_place ? in : out, exchange.part().send_sizes, comm.me()));
  exchange.await();
  if (!in_place)
    copy(out.at(sent, comm.me()), out.count(comm.me()), out.type_of(comm.me()), in.at(received, comm.me()),
         in.count(comm.me()), in.type_of(comm.me()));
  for (int member = 0; member < comm.size(); ++member)
    if (member != comm.me())
      exchange.take_block(member, in.at(received, member), in.count(member), in.type_of(member));
}

}  // namespace

int Alltoall(const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
             MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Alltoall");
  const bool in_place = sent == MPI_IN_PLACE;
  if (comm == nullptr || !is_data(receive_count, receive_type) ||
      (!in_place && !is_data(send_count, send_type)))
    return real().MPI_Alltoall_c(sent, send_count, send_type, received, receive_count, receive_type, handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Alltoall, *comm,
                    alltoall_part(sent, send_count, send_type, receive_count, receive_type));
  const void* out = in_place ? received : sent;
  const MPI_Count out_count = in_place ? receive_count : send_count;
  const MPI_Datatype out_type = in_place ? receive_type : send_type;
  exchange.contribute(out, out_count * comm->size(), out_type, comm->size() - 1);
  exchange.await();
  if (!in_place)
    copy(item_at(sent, comm->me() * send_count, send_type), send_count, send_type,
         item_at(received, comm->me() * receive_count, receive_type), receive_count, receive_type);
  for (int member = 0; member < comm->size(); ++member)
    if (member != comm->me())
      exchange.take_even_share(member, item_at(received, member * receive_count, receive_type), receive_count,
                               receive_type);
  return exchange.result();
}

int Alltoallv(const void* sent, ListView send_counts, ListView send_places, MPI_Datatype send_type,
              void* received, ListView receive_counts, ListView receive_places, MPI_Datatype receive_type,
              MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Alltoallv");
  const Blocks out{send_counts, send_places, send_type}, in{receive_counts, receive_places, receive_type};
  if (comm == nullptr || !is_data(in, *comm) || (sent != MPI_IN_PLACE && !is_data(out, *comm)))
    return receive_counts.is_wide()
               ? real().MPI_Alltoallv_c(sent, send_counts.wide(), send_places.wide(), send_type, received,
                                        receive_counts.wide(), receive_places.wide(), receive_type, handle)
               : real().MPI_Alltoallv(sent, send_counts.narrow(), send_places.narrow(), send_type, received,
                                      receive_counts.narrow(), receive_places.narrow(), receive_type, handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Alltoallv, *comm,
                    alltoall_blocks_part(CollectiveKind::alltoallv, *comm, sent, out, in));
  alltoall_blocks(exchange, sent, out, received, in);
  return exchange.result();
}

int Alltoallw(const void* sent, ListView send_counts, ListView send_places, const MPI_Datatype* send_types,
              void* received, ListView receive_counts, ListView receive_places,
              const MPI_Datatype* receive_types, MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Alltoallw");
  const Blocks out{send_counts, send_places, MPI_DATATYPE_NULL, send_types};
  const Blocks in{receive_counts, receive_places, MPI_DATATYPE_NULL, receive_types};
  if (comm == nullptr || !is_data(in, *comm) || (sent != MPI_IN_PLACE && !is_data(out, *comm)))
    return receive_counts.is_wide()
               ? real().MPI_Alltoallw_c(sent, send_counts.wide(), send_places.wide(), send_types, received,
                                        receive_counts.wide(), receive_places.wide(), receive_types, handle)
               : real().MPI_Alltoallw(sent, send_counts.narrow(), send_places.narrow(), send_types, received,
                                      receive_counts.narrow(), receive_places.narrow(), receive_types,
                                      handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Alltoallw, *comm,
                    alltoall_blocks_part(CollectiveKind::alltoallw, *comm, sent, out, in));
  alltoall_blocks(exchange, sent, out, received, in);
  return exchange.result();
}

}  // namespace morgana::mpi::emulated
