// The collectives in which every member gives to every other.

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

bool are_valid(const Communicator& comm, const void* sent, const ItemsByRank& out, const void* received,
               const ItemsByRank& in) {
  const Side giving{sent, 0, MPI_DATATYPE_NULL, &out, comm.size()};
  const Side getting{received, 0, MPI_DATATYPE_NULL, &in, comm.size()};
  return getting.is_valid() && giving.is_valid_or_in_place(comm) && !is_aliased_to_all(comm, giving, getting);
}

/// The v- and w-forms: takes every other member's block for this rank, and copies this rank's own.
int alltoall_blocks(const Form& form, const std::shared_ptr<const Communicator>& comm, CollectiveKind kind,
                    const void* sent, const ItemsByRank& given_out, void* received,
                    const ItemsByRank& given_in) {
  const Visit visit(me().live);
  const bool in_place = sent == MPI_IN_PLACE;
  ArgumentCopies kept(form);
  const ItemsByRank in = kept.blocks(given_in, comm->size());
  const ItemsByRank out = in_place ? in : kept.blocks(given_out, comm->size());
  const int self = comm->me();
  const bool gives_itself = comm->is_me(self);
  const auto contribute = [=](Exchange& exchange) {
    exchange.contribute(deposit_blocks(in_place ? received : sent, out, exchange.part().send_sizes,
                                       gives_itself ? self : MPI_PROC_NULL));
    if (!in_place && gives_itself)
      exchange.keep(out.at(sent, self), out.count(self), out.type_of(self), in.at(received, self),
                    in.count(self), in.type_of(self));
  };
  const auto collect = [=](Exchange& exchange) {
    for (int member = 0; member < exchange.comm().size(); ++member)
      if (!exchange.comm().is_me(member))
        exchange.take_block(member, in.at(received, member), in.count(member), in.type_of(member));
  };
  return carry_out(form, comm, alltoall_blocks_part(kind, *comm, sent, given_out, given_in), std::move(kept),
                   CollectiveSteps{true, contribute, collect});
}

}  // namespace

int Alltoall(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
             MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  const bool in_place = sent == MPI_IN_PLACE;
  const Side giving{sent, send_count, send_type}, getting{received, receive_count, receive_type};
  if (comm == nullptr || !getting.is_valid() || !giving.is_valid_or_in_place(*comm) ||
      is_aliased_to_all(*comm, giving, getting))
    return error_of_mpich(by_mpich::Alltoall, form, sent, send_count, send_type, received, receive_count,
                          receive_type, handle);
  const Visit visit(me().live);
  ArgumentCopies kept(form);
  const MPI_Datatype to = kept.type(receive_type, receive_count);
  const MPI_Datatype from = in_place ? to : kept.type(send_type, send_count);
  const void* out = in_place ? received : sent;
  const MPI_Count out_count = in_place ? receive_count : send_count;
  const auto contribute = [=](Exchange& exchange) {
    const Communicator& members = exchange.comm();
    const int self = members.me();
    exchange.contribute(out, out_count * members.size(), from, members.others());
    if (!in_place && !members.is_inter())
      exchange.keep(item_at(sent, self * send_count, from), send_count, from,
                    item_at(received, self * receive_count, to), receive_count, to);
  };
  const auto collect = [=](Exchange& exchange) {
    for (int member = 0; member < exchange.comm().size(); ++member)
      if (!exchange.comm().is_me(member))
        exchange.take_even_share(member, item_at(received, member * receive_count, to), receive_count, to);
  };
  return carry_out(form, comm, alltoall_part(*comm, sent, send_count, send_type, receive_count, receive_type),
                   std::move(kept), CollectiveSteps{true, contribute, collect});
}

int Alltoallv(const Form& form, const void* sent, ListView send_counts, ListView send_places,
              MPI_Datatype send_type, void* received, ListView receive_counts, ListView receive_places,
              MPI_Datatype receive_type, MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  const ItemsByRank out{send_counts, send_places, send_type},
      in{receive_counts, receive_places, receive_type};
  if (comm == nullptr || !are_valid(*comm, sent, out, received, in))
    return error_of_mpich(by_mpich::Alltoallv, form, sent, send_counts, send_places, send_type, received,
                          receive_counts, receive_places, receive_type, handle);
  return alltoall_blocks(form, comm, CollectiveKind::alltoallv, sent, out, received, in);
}

int Alltoallw(const Form& form, const void* sent, ListView send_counts, ListView send_places,
              const MPI_Datatype* send_types, void* received, ListView receive_counts,
              ListView receive_places, const MPI_Datatype* receive_types, MPI_Comm handle) {
  const auto comm = communicator(handle, form);
  const ItemsByRank out{send_counts, send_places, MPI_DATATYPE_NULL, send_types};
  const ItemsByRank in{receive_counts, receive_places, MPI_DATATYPE_NULL, receive_types};
  if (comm == nullptr || !are_valid(*comm, sent, out, received, in))
    return error_of_mpich(by_mpich::Alltoallw, form, sent, send_counts, send_places, send_types, received,
                          receive_counts, receive_places, receive_types, handle);
  return alltoall_blocks(form, comm, CollectiveKind::alltoallw, sent, out, received, in);
}

}  // namespace morgana::mpi::emulated
