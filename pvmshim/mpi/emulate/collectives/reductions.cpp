// The collectives that combine data with an operator.

#include <limits>
#include <optional>

#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/collective.h"
#include "pvmshim/mpi/emulate/collectives/collective_arguments.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

/// Which items of all that each member contributes a rank gets combined.
struct Extract {
  MPI_Count total, before, count;
};

/// Combines what the members first..last contributed into `result`. The order is fixed, and the same on all
/// ranks: first op (.. op (next-to-last op last)). It is right for operators that do not commute, and gives
/// all ranks the same bits.
void combine(Exchange& exchange, int first, int last, Extract items, void* result, MPI_Datatype type,
             MPI_Op op) {
  const MPI_Count count = items.count;
  const auto offset = static_cast<std::size_t>(packed_size(items.before, type).count());
  const auto bytes = static_cast<std::size_t>(packed_size(count, type).count());
  if (!exchange.have_given(first, last, packed_size(items.total, type)) || bytes == 0) return;
  for (int member = last; member >= first; --member) {
    const Payload payload(exchange.deposit_of(member));
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

/// How many items of the whole each member of this rank's group gets.
struct Shares {
  MPI_Count total = 0, before_mine = 0, mine = 0;
  int in_need = 0;  ///< members with a share
};

/// Nothing for counts that are not valid.
std::optional<Shares> shares_of(const Communicator& comm, ListView counts) {
  Shares shares;
  for (int member = 0; member < comm.group_size(); ++member) {
    if (counts[member] < 0) return std::nullopt;
    if (member == comm.me()) shares.before_mine = shares.total;
    if (counts[member] > 0) ++shares.in_need;
    shares.total += counts[member];
  }
  shares.mine = counts[comm.me()];
  return shares;
}

const void* own_data(const void* sent, const void* received) {
  return sent == MPI_IN_PLACE ? received : sent;
}

}  // namespace

// MPICH 4.0 does not look at the counts of reductions, and would crash over negative ones.

int Reduce(const Form& form, const void* sent, void* received, MPI_Count count, MPI_Datatype given_type,
           MPI_Op given_op, int root, MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  if (comm != nullptr && count < 0) return raise(*comm, MPI_ERR_COUNT, form.call());
  const Role role = comm == nullptr ? Role() : role_of(*comm, root);
  if (role.stands_by && role.valid) return stand_by(form, comm, CollectiveKind::reduce, role);
  if (!role.valid || !is_rooted_reduction(*comm, role, sent, received, count, given_type, given_op))
    return error_of_mpich(by_mpich::Reduce, form, sent, received, count, given_type, given_op, root, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype type = kept.type(given_type);
  const MPI_Op op = kept.op(given_op);
  CollectivePart part = reduce_part(*comm, sent, count, type, op, root);
  const bool gives = !role.is_root || !comm->is_inter();
  const auto contribute = [=](Exchange& exchange) {
    if (gives) exchange.contribute(own_data(sent, received), count, type, 1);
  };
  const auto collect = [=](Exchange& exchange) {
    combine(exchange, 0, exchange.comm().size() - 1, {count, 0, count}, received, type, op);
  };
  const bool brings_data = role.is_root && part.bytes.count() > 0;
  return carry_out(form, comm, std::move(part), std::move(kept),
                   CollectiveSteps{brings_data, contribute, collect});
}

int Allreduce(const Form& form, const void* sent, void* received, MPI_Count count, MPI_Datatype given_type,
              MPI_Op given_op, MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  if (comm != nullptr && count < 0) return raise(*comm, MPI_ERR_COUNT, form.call());
  if (comm == nullptr || !is_reduction(*comm, sent, count, received, count, given_type, given_op))
    return error_of_mpich(by_mpich::Allreduce, form, sent, received, count, given_type, given_op, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype type = kept.type(given_type);
  const MPI_Op op = kept.op(given_op);
  const auto contribute = [=](Exchange& exchange) {
    exchange.contribute(own_data(sent, received), count, type, exchange.comm().size());
  };
  const auto collect = [=](Exchange& exchange) {
    combine(exchange, 0, exchange.comm().size() - 1, {count, 0, count}, received, type, op);
  };
  return carry_out(form, comm, reduction_part(CollectiveKind::allreduce, sent, count, type, op),
                   std::move(kept), CollectiveSteps{true, contribute, collect});
}

int Reduce_scatter(const Form& form, const void* sent, void* received, ListView counts,
                   MPI_Datatype given_type, MPI_Op given_op, MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  const auto shares = comm == nullptr ? std::nullopt : shares_of(*comm, counts);
  if (!shares || !is_reduction(*comm, sent, shares->total, received, shares->mine, given_type, given_op))
    return error_of_mpich(by_mpich::Reduce_scatter, form, sent, received, counts, given_type, given_op,
                          handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype type = kept.type(given_type);
  const MPI_Op op = kept.op(given_op);
  const auto [total, before_mine, mine, in_need] = *shares;
  // Who of the other group has a share is not known here: there all read.
  const int readers = comm->is_inter() ? comm->size() : in_need;
  const auto contribute = [=, total = total](Exchange& exchange) {
    exchange.contribute(own_data(sent, received), total, type, readers);
  };
  const auto collect = [=, total = total, before_mine = before_mine, mine = mine](Exchange& exchange) {
    const Communicator& members = exchange.comm();
    const int last = members.size() - 1;
    if (mine > 0)
      combine(exchange, 0, last, {total, before_mine, mine}, received, type, op);
    else if (members.is_inter() && exchange.have_given(0, last, packed_size(total, type)))
      for (int member = 0; member <= last; ++member) Payload(exchange.deposit_of(member));
  };
  return carry_out(form, comm, reduce_scatter_part(*comm, sent, counts, type, op), std::move(kept),
                   CollectiveSteps{true, contribute, collect});
}

int Reduce_scatter_block(const Form& form, const void* sent, void* received, MPI_Count count,
                         MPI_Datatype given_type, MPI_Op given_op, MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  if (comm != nullptr && count < 0) return raise(*comm, MPI_ERR_COUNT, form.call());
  if (comm == nullptr || !is_reduction(*comm, sent, count, received, count, given_type, given_op))
    return error_of_mpich(by_mpich::Reduce_scatter_block, form, sent, received, count, given_type, given_op,
                          handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype type = kept.type(given_type);
  const MPI_Op op = kept.op(given_op);
  const auto contribute = [=](Exchange& exchange) {
    const Communicator& members = exchange.comm();
    exchange.contribute(own_data(sent, received), count * members.group_size(), type, members.size());
  };
  const auto collect = [=](Exchange& exchange) {
    const Communicator& members = exchange.comm();
    combine(exchange, 0, members.size() - 1, {count * members.group_size(), count * members.me(), count},
            received, type, op);
  };
  return carry_out(form, comm, reduction_part(CollectiveKind::reduce_scatter_block, sent, count, type, op),
                   std::move(kept), CollectiveSteps{true, contribute, collect});
}

int Scan(const Form& form, const void* sent, void* received, MPI_Count count, MPI_Datatype given_type,
         MPI_Op given_op, MPI_Comm handle) {
  const auto comm = intracommunicator(handle, form);
  if (comm != nullptr && count < 0) return raise(*comm, MPI_ERR_COUNT, form.call());
  if (comm == nullptr || !is_reduction(*comm, sent, count, received, count, given_type, given_op))
    return error_of_mpich(by_mpich::Scan, form, sent, received, count, given_type, given_op, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype type = kept.type(given_type);
  const MPI_Op op = kept.op(given_op);
  const auto contribute = [=](Exchange& exchange) {
    const Communicator& members = exchange.comm();
    exchange.contribute(own_data(sent, received), count, type, members.size() - members.me());
  };
  const auto collect = [=](Exchange& exchange) {
    combine(exchange, 0, exchange.comm().me(), {count, 0, count}, received, type, op);
  };
  return carry_out(form, comm, reduction_part(CollectiveKind::scan, sent, count, type, op), std::move(kept),
                   CollectiveSteps{true, contribute, collect});
}

int Exscan(const Form& form, const void* sent, void* received, MPI_Count count, MPI_Datatype given_type,
           MPI_Op given_op, MPI_Comm handle) {
  const auto comm = intracommunicator(handle, form);
  if (comm != nullptr && count < 0) return raise(*comm, MPI_ERR_COUNT, form.call());
  if (comm == nullptr || !is_reduction(*comm, sent, count, received, count, given_type, given_op))
    return error_of_mpich(by_mpich::Exscan, form, sent, received, count, given_type, given_op, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype type = kept.type(given_type);
  const MPI_Op op = kept.op(given_op);
  const auto contribute = [=](Exchange& exchange) {
    const Communicator& members = exchange.comm();
    exchange.contribute(own_data(sent, received), count, type, members.size() - 1 - members.me());
  };
  const auto collect = [=](Exchange& exchange) {
    combine(exchange, 0, exchange.comm().me() - 1, {count, 0, count}, received, type, op);
  };
  return carry_out(form, comm, reduction_part(CollectiveKind::exscan, sent, count, type, op), std::move(kept),
                   CollectiveSteps{comm->me() > 0, contribute, collect});
}

}  // namespace morgana::mpi::emulated
