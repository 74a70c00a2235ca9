// The collectives that collect every member's contribution.

#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/emulated/arguments.h"
#include "pvmshim/mpi/emulated/emulated_rank.h"
#include "pvmshim/mpi/emulated/exchange.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

}  // namespace

int Gather(const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
           MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Gather");
  const bool at_root = comm != nullptr && comm->me() == root;
  if (comm == nullptr || !is_member(*comm, root) || (at_root && !is_data(receive_count, receive_type)) ||
      (!(at_root && sent == MPI_IN_PLACE) && !is_data(send_count, send_type)))
    return real().MPI_Gather_c(sent, send_count, send_type, received, receive_count, receive_type, root,
                               handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Gather, *comm,
                    gather_part(*comm, sent, send_count, send_type, receive_count, receive_type, root));
  if (!at_root) {
    exchange.contribute(sent, send_count, send_type, 1);
    exchange.finish();
    return MPI_SUCCESS;
  }
  exchange.await();
  if (sent != MPI_IN_PLACE)
    copy(sent, send_count, send_type, item_at(received, root * receive_count, receive_type), receive_count,
         receive_type);
  exchange.take_even(received, receive_count, receive_type);
  return exchange.result();
}

int Gatherv(const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
            ListView receive_counts, ListView places, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Gatherv");
  const bool at_root = comm != nullptr && comm->me() == root;
  const Blocks blocks{receive_counts, places, receive_type};
  if (comm == nullptr || !is_member(*comm, root) || (at_root && !is_data(blocks, *comm)) ||
      (!(at_root && sent == MPI_IN_PLACE) && !is_data(send_count, send_type)))
    return receive_counts.is_wide()
               ? real().MPI_Gatherv_c(sent, send_count, send_type, received, receive_counts.wide(),
                                      places.wide(), receive_type, root, handle)
               : real().MPI_Gatherv(sent, static_cast<int>(send_count), send_type, received,
                                    receive_counts.narrow(), places.narrow(), receive_type, root, handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Gatherv, *comm, gatherv_part(*comm, sent, send_count, send_type, blocks, root));
  if (!at_root) {
    exchange.contribute(sent, send_count, send_type, 1);
    exchange.finish();
    return MPI_SUCCESS;
  }
  exchange.await();
  if (sent != MPI_IN_PLACE)
    copy(sent, send_count, send_type, blocks.at(received, root), blocks.count(root), receive_type);
  exchange.take_blocks(received, blocks);
  return exchange.result();
}

int Allgather(const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
              MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Allgather");
  if (comm == nullptr || !is_data(receive_count, receive_type) ||
      (sent != MPI_IN_PLACE && !is_data(send_count, send_type)))
    return real().MPI_Allgather_c(sent, send_count, send_type, received, receive_count, receive_type, handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Allgather, *comm,
                    allgather_part(sent, send_count, send_type, receive_count, receive_type));
  void* own = item_at(received, comm->me() * receive_count, receive_type);
  if (sent != MPI_IN_PLACE) copy(sent, send_count, send_type, own, receive_count, receive_type);
  exchange.contribute(own, receive_count, receive_type, comm->size() - 1);
  exchange.await();
  exchange.take_even(received, receive_count, receive_type);
  return exchange.result();
}

int Allgatherv(const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
               ListView receive_counts, ListView places, MPI_Datatype receive_type, MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Allgatherv");
  const Blocks blocks{receive_counts, places, receive_type};
  if (comm == nullptr || !is_data(blocks, *comm) || (sent != MPI_IN_PLACE && !is_data(send_count, send_type)))
    return receive_counts.is_wide()
               ? real().MPI_Allgatherv_c(sent, send_count, send_type, received, receive_counts.wide(),
                                         places.wide(), receive_type, handle)
               : real().MPI_Allgatherv(sent, static_cast<int>(send_count), send_type, received,
                                       receive_counts.narrow(), places.narrow(), receive_type, handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Allgatherv, *comm, allgatherv_part(*comm, sent, send_count, send_type, blocks));
  void* own = blocks.at(received, comm->me());
  if (sent != MPI_IN_PLACE) copy(sent, send_count, send_type, own, blocks.count(comm->me()), receive_type);
  exchange.contribute(own, blocks.count(comm->me()), receive_type, comm->size() - 1);
  exchange.await();
  exchange.take_blocks(received, blocks);
  return exchange.result();
}

}  // namespace morgana::mpi::emulated
