// The collectives that combine data with an operator.

#include <limits>
#include <string>

#include "emulator/core/error.h"
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

/// Combines what the members first..last contributed, each at `offset` bytes into its packed data, into
/// `result`. The order is fixed, and the same on all ranks: first op (.. op (next-to-last op last)). It is
/// right for operators that do not commute, and gives all ranks the same bits.
void combine(const Exchange& exchange, int first, int last, std::size_t offset, void* result, MPI_Count count,
             MPI_Datatype type, MPI_Op op) {
  const auto bytes = static_cast<std::size_t>(packed_size(count, type).count());
  if (bytes == 0) return;
  for (int member = last; member >= first; --member) {
    const Payload payload(exchange.deposit_of(member));
    if (payload.data().size() < offset + bytes)
      throw Error(std::string(name_of(exchange.call())) + " gets different counts from different members");
    const auto packed = payload.data().subspan(offset, bytes);
    if (member == last) {
      unpack(packed, result, count, type);
      continue;
    }
    const UnpackedData operand(packed, count, type);
    if (count <= std::numeric_limits<int>::max())
      real().MPI_Reduce_local(operand.data(), result, static_cast<int>(count), type, op);
    else
      real().MPI_Reduce_local_c(operand.data(), result, count, type, op);
  }
}

const void* own_data(const void* sent, const void* received) {
  return sent == MPI_IN_PLACE ? received : sent;
}

bool is_reduction(MPI_Count count, MPI_Datatype type, MPI_Op op) {
  return is_data(count, type) && op != MPI_OP_NULL;
}

}  // namespace

int Reduce(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Reduce");
  if (comm == nullptr || !is_reduction(count, type, op) || !is_member(*comm, root))
    return real().MPI_Reduce_c(sent, received, count, type, op, root, handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Reduce, *comm,
                    reduction_part(CollectiveKind::reduce, sent, count, type, op, root));
  exchange.contribute(own_data(sent, received), count, type, 1);
  if (comm->me() != root || exchange.part().bytes.count() == 0) {
    exchange.finish();
    return MPI_SUCCESS;
  }
  exchange.await();
  combine(exchange, 0, comm->size() - 1, 0, received, count, type, op);
  return MPI_SUCCESS;
}

int Allreduce(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op,
              MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Allreduce");
  if (comm == nullptr || !is_reduction(count, type, op))
    return real().MPI_Allreduce_c(sent, received, count, type, op, handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Allreduce, *comm,
                    reduction_part(CollectiveKind::allreduce, sent, count, type, op));
  exchange.contribute(own_data(sent, received), count, type, comm->size());
  exchange.await();
  combine(exchange, 0, comm->size() - 1, 0, received, count, type, op);
  return MPI_SUCCESS;
}

int Reduce_scatter(const void* sent, void* received, ListView counts, MPI_Datatype type, MPI_Op op,
                   MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Reduce_scatter");
  if (comm == nullptr || op == MPI_OP_NULL || !is_data({counts, counts, type}, *comm))
    return counts.is_wide() ? real().MPI_Reduce_scatter_c(sent, received, counts.wide(), type, op, handle)
                            : real().MPI_Reduce_scatter(sent, received, counts.narrow(), type, op, handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Reduce_scatter, *comm, reduce_scatter_part(*comm, sent, counts, type, op));
  MPI_Count total = 0, before_mine = 0;
  int readers = 0;
  for (int member = 0; member < comm->size(); ++member) {
    if (member == comm->me()) before_mine = total;
    total += counts[member];
    if (exchange.part().send_sizes[static_cast<std::size_t>(member)].count() > 0) ++readers;
  }
  exchange.contribute(own_data(sent, received), total, type, readers);
  exchange.await();
  const auto offset = static_cast<std::size_t>(packed_size(before_mine, type).count());
  combine(exchange, 0, comm->size() - 1, offset, received, counts[comm->me()], type, op);
  return MPI_SUCCESS;
}

int Reduce_scatter_block(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Reduce_scatter_block");
  if (comm == nullptr || !is_reduction(count, type, op))
    return real().MPI_Reduce_scatter_block_c(sent, received, count, type, op, handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Reduce_scatter_block, *comm,
                    reduction_part(CollectiveKind::reduce_scatter_block, sent, count, type, op));
  exchange.contribute(own_data(sent, received), count * comm->size(), type, comm->size());
  exchange.await();
  const auto offset = static_cast<std::size_t>(packed_size(count * comm->me(), type).count());
  combine(exchange, 0, comm->size() - 1, offset, received, count, type, op);
  return MPI_SUCCESS;
}

int Scan(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Scan");
  if (comm == nullptr || !is_reduction(count, type, op))
    return real().MPI_Scan_c(sent, received, count, type, op, handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Scan, *comm, reduction_part(CollectiveKind::scan, sent, count, type, op));
  exchange.contribute(own_data(sent, received), count, type, comm->size() - comm->me());
  exchange.await();
  combine(exchange, 0, comm->me(), 0, received, count, type, op);
  return MPI_SUCCESS;
}

int Exscan(const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  const auto comm = communicator(handle, "MPI_Exscan");
  if (comm == nullptr || !is_reduction(count, type, op))
    return real().MPI_Exscan_c(sent, received, count, type, op, handle);
  const Visit visit(me().live);
  Exchange exchange(Call::MPI_Exscan, *comm, reduction_part(CollectiveKind::exscan, sent, count, type, op));
  exchange.contribute(own_data(sent, received), count, type, comm->size() - 1 - comm->me());
  if (comm->me() == 0) {
    exchange.finish();
    return MPI_SUCCESS;
  }
  exchange.await();
  combine(exchange, 0, comm->me() - 1, 0, received, count, type, op);
  return MPI_SUCCESS;
}

}  // namespace morgana::mpi::emulated
