// The collectives that collect every member's contribution.

#include "pvmshim/mpi/collective_parts.h"
#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/collective.h"
#include "pvmshim/mpi/emulate/collectives/collective_arguments.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

}  // namespace

int Gather(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
           MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  const Role role = comm == nullptr ? Role() : role_of(*comm, root);
  if (role.stands_by && role.valid) return stand_by(form, comm, CollectiveKind::gather, role);
  const bool at_root = role.is_root, gives = !at_root || (comm->is_me(root) && sent != MPI_IN_PLACE);
  const Side giving{sent, send_count, send_type}, getting{received, receive_count, receive_type};
  if (!role.valid || (at_root && !getting.is_valid()) || (gives && !giving.is_valid_part(*comm)) ||
      (at_root && is_aliased(*comm, giving, getting)))
    return error_of_mpich(by_mpich::Gather, form, sent, send_count, send_type, received, receive_count,
                          receive_type, root, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype from = gives ? kept.type(send_type, send_count) : send_type;
  const MPI_Datatype to = at_root ? kept.type(receive_type, receive_count) : receive_type;
  const auto contribute = [=](Exchange& exchange) {
    if (!at_root)
      exchange.contribute(sent, send_count, from, 1);
    else if (gives)
      exchange.keep(sent, send_count, from, item_at(received, root * receive_count, to), receive_count, to);
  };
  const auto collect = [=](Exchange& exchange) { exchange.take_even(received, receive_count, to); };
  return carry_out(form, comm,
                   gather_part(*comm, sent, send_count, send_type, receive_count, receive_type, root),
                   std::move(kept), CollectiveSteps{at_root, contribute, collect});
}

int Gatherv(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
            ListView receive_counts, ListView places, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  const Role role = comm == nullptr ? Role() : role_of(*comm, root);
  if (role.stands_by && role.valid) return stand_by(form, comm, CollectiveKind::gatherv, role);
  const bool at_root = role.is_root, gives = !at_root || (comm->is_me(root) && sent != MPI_IN_PLACE);
  const ItemsByRank given{receive_counts, places, receive_type};
  const Side giving{sent, send_count, send_type};
  const Side getting{received, 0, MPI_DATATYPE_NULL, &given, at_root ? comm->size() : 0};
  if (!role.valid || (at_root && !getting.is_valid()) || (gives && !giving.is_valid_part(*comm)) ||
      (at_root && is_aliased(*comm, giving, getting)))
    return error_of_mpich(by_mpich::Gatherv, form, sent, send_count, send_type, received, receive_counts,
                          places, receive_type, root, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype from = gives ? kept.type(send_type, send_count) : send_type;
  const ItemsByRank blocks = at_root ? kept.blocks(given, comm->size()) : given;
  const auto contribute = [=](Exchange& exchange) {
    if (!at_root)
      exchange.contribute(sent, send_count, from, 1);
    else if (gives)
      exchange.keep(sent, send_count, from, blocks.at(received, root), blocks.count(root), blocks.type);
  };
  const auto collect = [=](Exchange& exchange) { exchange.take_blocks(received, blocks); };
  return carry_out(form, comm, gatherv_part(*comm, sent, send_count, send_type, given, root), std::move(kept),
                   CollectiveSteps{at_root, contribute, collect});
}

int Allgather(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
              void* received, MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  const bool in_place = sent == MPI_IN_PLACE;
  const Side giving{sent, send_count, send_type}, getting{received, receive_count, receive_type};
  if (comm == nullptr || !getting.is_valid() || !giving.is_valid_or_in_place(*comm) ||
      is_aliased(*comm, giving, getting))
    return error_of_mpich(by_mpich::Allgather, form, sent, send_count, send_type, received, receive_count,
                          receive_type, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype from = in_place ? send_type : kept.type(send_type, send_count);
  const MPI_Datatype to = kept.type(receive_type, receive_count);
  const auto contribute = [=](Exchange& exchange) {
    const Communicator& members = exchange.comm();
    if (members.is_inter()) {
      exchange.contribute(sent, send_count, from, members.size());
      return;
    }
    void* own = item_at(received, members.me() * receive_count, to);
    if (!in_place) exchange.keep(sent, send_count, from, own, receive_count, to);
    exchange.contribute(own, receive_count, to, members.size() - 1);
  };
  const auto collect = [=](Exchange& exchange) { exchange.take_even(received, receive_count, to); };
  return carry_out(form, comm,
                   allgather_part(*comm, sent, send_count, send_type, receive_count, receive_type),
                   std::move(kept), CollectiveSteps{true, contribute, collect});
}

int Allgatherv(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
               void* received, ListView receive_counts, ListView places, MPI_Datatype receive_type,
               MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  const bool in_place = sent == MPI_IN_PLACE;
  const ItemsByRank given{receive_counts, places, receive_type};
  const Side giving{sent, send_count, send_type};
  const Side getting{received, 0, MPI_DATATYPE_NULL, &given, comm == nullptr ? 0 : comm->size()};
  if (comm == nullptr || !getting.is_valid() || !giving.is_valid_or_in_place(*comm) ||
      is_aliased(*comm, giving, getting))
    return error_of_mpich(by_mpich::Allgatherv, form, sent, send_count, send_type, received, receive_counts,
                          places, receive_type, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype from = in_place ? send_type : kept.type(send_type, send_count);
  const ItemsByRank blocks = kept.blocks(given, comm->size());
  const auto contribute = [=](Exchange& exchange) {
    const Communicator& members = exchange.comm();
    if (members.is_inter()) {
      exchange.contribute(sent, send_count, from, members.size());
      return;
    }
    void* own = blocks.at(received, members.me());
    if (!in_place) exchange.keep(sent, send_count, from, own, blocks.count(members.me()), blocks.type);
    exchange.contribute(own, blocks.count(members.me()), blocks.type, members.size() - 1);
  };
  const auto collect = [=](Exchange& exchange) { exchange.take_blocks(received, blocks); };
  return carry_out(form, comm, allgatherv_part(*comm, sent, send_count, send_type, given), std::move(kept),
                   CollectiveSteps{true, contribute, collect});
}

}  // namespace morgana::mpi::emulated
