// The collectives in which one member gives to all, and the barrier.

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

}  // namespace

int Barrier(MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Barrier");
  if (comm == nullptr) return real().MPI_Barrier(handle);
  const Visit visit(me().live);
  // It brings no data, but programs rely on it outside of MPI, too: what the others did before, such as
  // writing a file, must have happened.
  Exchange(Call::MPI_Barrier, *comm, plain_part(CollectiveKind::barrier, Bytes())).await();
  return MPI_SUCCESS;
}

int Bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Bcast");
  if (comm == nullptr || !is_data(count, type) || !is_member(*comm, root))
    return real().MPI_Bcast_c(buffer, count, type, root, handle);
  const Visit visit(me().live);
  const Bytes bytes = packed_size(count, type);
  Exchange exchange(Call::MPI_Bcast, *comm, plain_part(CollectiveKind::broadcast, bytes, root));
  if (comm->me() == root) exchange.contribute(buffer, count, type, comm->size() - 1);
  if (comm->me() == root || bytes.count() == 0) {
    exchange.finish();
    return MPI_SUCCESS;
  }
  exchange.await();
  exchange.take(root, buffer, count, type);
  return exchange.result();
}

int Scatter(const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
            MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Scatter");
  const bool at_root = comm != nullptr && comm->me() == root;
  if (comm == nullptr || !is_member(*comm, root) || (at_root && !is_data(send_count, send_type)) ||
      (!(at_root && received == MPI_IN_PLACE) && !is_data(receive_count, receive_type)))
    return real().MPI_Scatter_c(sent, send_count, send_type, received, receive_count, receive_type, root,
                                handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Scatter, *comm,
                    scatter_part(*comm, send_count, send_type, received, receive_count, receive_type, root));
  if (at_root) {
    exchange.contribute(sent, send_count * comm->size(), send_type, comm->size() - 1);
    if (received != MPI_IN_PLACE)
      copy(item_at(sent, root * send_count, send_type), send_count, send_type, received, receive_count,
           receive_type);
  }
  if (at_root || exchange.part().bytes.count() == 0) {
    exchange.finish();
    return MPI_SUCCESS;
  }
  exchange.await();
  exchange.take_even_share(root, received, receive_count, receive_type);
  return exchange.result();
}

int Scatterv(const void* sent, ListView send_counts, ListView places, MPI_Datatype send_type, void* received,
             MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Scatterv");
  const bool at_root = comm != nullptr && comm->me() == root;
  const Blocks blocks{send_counts, places, send_type};
  if (comm == nullptr || !is_member(*comm, root) || (at_root && !is_data(blocks, *comm)) ||
      (!(at_root && received == MPI_IN_PLACE) && !is_data(receive_count, receive_type)))
    return send_counts.is_wide()
               ? real().MPI_Scatterv_c(sent, send_counts.wide(), places.wide(), send_type, received,
                                       receive_count, receive_type, root, handle)
               : real().MPI_Scatterv(sent, send_counts.narrow(), places.narrow(), send_type, received,
                                     static_cast<int>(receive_count), receive_type, root, handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Scatterv, *comm,
                    scatterv_part(*comm, blocks, received, receive_count, receive_type, root));
  if (at_root) {
    exchange.contribute(deposit_blocks(sent, blocks, exchange.part().send_sizes, root));
    if (received != MPI_IN_PLACE)
      copy(blocks.at(sent, root), blocks.count(root), send_type, received, receive_count, receive_type);
  }
  if (at_root || exchange.part().bytes.count() == 0) {
    exchange.finish();
    return MPI_SUCCESS;
  }
  exchange.await();
  exchange.take_block(root, received, receive_count, receive_type);
  return exchange.result();
}

}  // namespace morgana::mpi::emulated
