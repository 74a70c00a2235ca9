// The collectives in which one member gives to all, and the barrier.

#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/block_deposit.h"
#include "pvmshim/mpi/emulate/collective.h"
#include "pvmshim/mpi/emulate/collectives/collective_arguments.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

}  // namespace

int Barrier(const Form& form, MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  if (comm == nullptr) return error_of_mpich(by_mpich::Barrier, form, handle);
  const Visit visit(me().live);
  // It brings no data, but programs rely on it outside of MPI, too: what the others did before, such as
  // writing a file, must have happened.
  return carry_out(form, comm, plain_part(CollectiveKind::barrier, Bytes()), ArgumentCopies(form),
                   CollectiveSteps{true, &no_step, &no_step});
}

int Bcast(const Form& form, void* buffer, MPI_Count count, MPI_Datatype given_type, int root,
          MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  const Role role = comm == nullptr ? Role() : role_of(*comm, root);
  if (role.stands_by && role.valid) return stand_by(form, comm, CollectiveKind::broadcast, role);
  if (!role.valid || !is_message(buffer, count, given_type))
    return error_of_mpich(by_mpich::Bcast, form, buffer, count, given_type, root, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype type = kept.type(given_type, count);
  const Bytes bytes = packed_size(count, type);
  const bool at_root = role.is_root;
  const auto contribute = [=](Exchange& exchange) {
    if (at_root) exchange.contribute(buffer, count, type, exchange.comm().others());
  };
  const auto collect = [=](Exchange& exchange) { exchange.take_all(root, buffer, count, type); };
  return carry_out(form, comm, broadcast_part(*comm, count, type, root), std::move(kept),
                   CollectiveSteps{!at_root && bytes.count() > 0, contribute, collect});
}

int Scatter(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
            MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  const Role role = comm == nullptr ? Role() : role_of(*comm, root);
  if (role.stands_by && role.valid) return stand_by(form, comm, CollectiveKind::scatter, role);
  const bool at_root = role.is_root, gets = !at_root || (comm->is_me(root) && received != MPI_IN_PLACE);
  const Side giving{sent, send_count, send_type}, getting{received, receive_count, receive_type};
  if (!role.valid || (at_root && !giving.is_valid()) || (gets && !getting.is_valid_part(*comm)) ||
      (at_root && is_aliased(*comm, getting, giving)))
    return error_of_mpich(by_mpich::Scatter, form, sent, send_count, send_type, received, receive_count,
                          receive_type, root, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype from = at_root ? kept.type(send_type, send_count) : send_type;
  const MPI_Datatype to = gets ? kept.type(receive_type, receive_count) : receive_type;
  CollectivePart part =
      scatter_part(*comm, send_count, send_type, received, receive_count, receive_type, root);
  const auto contribute = [=](Exchange& exchange) {
    if (!at_root) return;
    const Communicator& members = exchange.comm();
    exchange.contribute(sent, send_count * members.size(), from, members.others());
    if (gets)
      exchange.keep(item_at(sent, root * send_count, from), send_count, from, received, receive_count, to);
  };
  const auto collect = [=](Exchange& exchange) {
    exchange.take_even_share(root, received, receive_count, to);
  };
  const bool brings_data = !at_root && part.bytes.count() > 0;
  return carry_out(form, comm, std::move(part), std::move(kept),
                   CollectiveSteps{brings_data, contribute, collect});
}

int Scatterv(const Form& form, const void* sent, ListView send_counts, ListView places,
             MPI_Datatype send_type, void* received, MPI_Count receive_count, MPI_Datatype receive_type,
             int root, MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  const Role role = comm == nullptr ? Role() : role_of(*comm, root);
  if (role.stands_by && role.valid) return stand_by(form, comm, CollectiveKind::scatterv, role);
  const bool at_root = role.is_root, gets = !at_root || (comm->is_me(root) && received != MPI_IN_PLACE);
  const ItemsByRank given{send_counts, places, send_type};
  const Side giving{sent, 0, MPI_DATATYPE_NULL, &given, at_root ? comm->size() : 0};
  const Side getting{received, receive_count, receive_type};
  if (!role.valid || (at_root && !giving.is_valid()) || (gets && !getting.is_valid_part(*comm)) ||
      (at_root && is_aliased(*comm, getting, giving)))
    return error_of_mpich(by_mpich::Scatterv, form, sent, send_counts, places, send_type, received,
                          receive_count, receive_type, root, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const ItemsByRank blocks = at_root ? kept.blocks(given, comm->size()) : given;
  const MPI_Datatype to = gets ? kept.type(receive_type, receive_count) : receive_type;
  const bool gives_itself = comm->is_me(root);
  CollectivePart part = scatterv_part(*comm, given, received, receive_count, receive_type, root);
  const auto contribute = [=](Exchange& exchange) {
    if (!at_root) return;
    exchange.contribute(
        deposit_blocks(sent, blocks, exchange.part().send_sizes, gives_itself ? root : MPI_PROC_NULL));
    if (gets)
      exchange.keep(blocks.at(sent, root), blocks.count(root), blocks.type, received, receive_count, to);
  };
  const auto collect = [=](Exchange& exchange) { exchange.take_block(root, received, receive_count, to); };
  const bool brings_data = !at_root && part.bytes.count() > 0;
  return carry_out(form, comm, std::move(part), std::move(kept),
                   CollectiveSteps{brings_data, contribute, collect});
}

}  // namespace morgana::mpi::emulated
