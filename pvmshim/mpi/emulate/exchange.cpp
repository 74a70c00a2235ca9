#include "pvmshim/mpi/emulate/exchange.h"

#include <iterator>

#include "pvmshim/mpi/emulate/block_deposit.h"
#include "pvmshim/mpi/emulate/edge_deposit.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/returned.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {

Exchange::Exchange(Call call, std::shared_ptr<const Communicator> comm, CollectivePart part)
    : call_(call), comm_(std::move(comm)), part_(std::move(part)) {}

void Exchange::contribute(const void* data, MPI_Count count, MPI_Datatype type, int readers) {
  payload_ = deposit(data, count, type, packed_size(count, type), static_cast<std::uint32_t>(readers));
}

bool Exchange::must_await() const {
  return (payload_ != 0 && is_large(Bytes(std::ssize(me().live.channel().data(payload_))))) ||
         learns_of_returns();
}

void Exchange::receive(const Completed& completed) {
  deposits_ = completed.deposits;
  outcome_ = completed.outcome;
  if (outcome_ != Outcome::delivered) note(error_of_returned);
}

std::string Exchange::why() const {
  return outcome_ == Outcome::delivered ? "its members have given counts that do not fit"
                                        : describe_returned(outcome_);
}

void Exchange::post(Call call, CallPart part, RequestId id) {
  Operation start = collective_operation(call, *comm_, part_, id);
  start.part = part;
  start.payload = payload_;
  me().live.post(start);
}

Operation Exchange::post_blocking() {
  const RequestId id = me().requests.next_id();
  post(call_, CallPart::first, id);
  return completion_operation(OperationKind::wait, call_, CallPart::last, Completion::all, {&id, 1});
}

void Exchange::finish() {
  const bool waits = must_await();
  Operation wait = post_blocking();
  if (waits)
    receive(me().live.ask(wait).completed.at(0));
  else
    me().live.post(wait);
}

void Exchange::await() {
  if (comm_->members().size() == 1) {
    finish();
    return;
  }
  Operation wait = post_blocking();
  const Answer& answer = me().live.ask(wait);
  if (!answer.completed.empty()) receive(answer.completed.front());
}

void Exchange::restart() {
  payload_ = 0;
  deposits_.clear();
  error_ = MPI_SUCCESS;
  outcome_ = Outcome::delivered;
}

void Exchange::keep(const void* from, MPI_Count from_count, MPI_Datatype from_type, void* to,
                    MPI_Count to_count, MPI_Datatype to_type) {
  if (!copy(from, from_count, from_type, to, to_count, to_type)) note(MPI_ERR_TRUNCATE);
}

std::uint64_t Exchange::deposit_of(int member) const {
  if (comm_->is_me(member) && payload_ != 0) return payload_;
  const std::size_t place = comm_->place(member);
  return place < deposits_.size() ? deposits_[place] : 0;
}

void Exchange::take(int member, void* data, MPI_Count count, MPI_Datatype type) {
  const Payload payload(deposit_of(member));
  unpack_into(payload.data(), data, count, type);
}

void Exchange::take_all(int member, void* data, MPI_Count count, MPI_Datatype type) {
  const Payload payload(deposit_of(member));
  unpack_into(payload.data(), data, count, type);
  if (std::ssize(payload.data()) < packed_size(count, type).count()) note(MPI_ERR_OTHER);
}

bool Exchange::have_given(int first, int last, Bytes total) {
  const auto given = [this](int member) {
    const std::uint64_t handle = deposit_of(member);
    return Bytes(handle == 0 ? 0 : std::ssize(me().live.channel().data(handle)));
  };
  bool more = false, less = false;
  for (int member = first; member <= last; ++member) {
    more = more || given(member) > total;
    less = less || given(member) < total;
  }
  if (!more && !less) return true;
  for (int member = first; member <= last; ++member) Payload(deposit_of(member));
  note(more ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER);
  return false;
}

void Exchange::take_blocks(void* data, const ItemsByRank& blocks) {
  for (int member = 0; member < comm_->size(); ++member)
    if (!comm_->is_me(member))
      take(member, blocks.at(data, member), blocks.count(member), blocks.type_of(member));
}

void Exchange::take_even(void* data, MPI_Count count, MPI_Datatype type) {
  for (int member = 0; member < comm_->size(); ++member)
    if (!comm_->is_me(member)) take(member, item_at(data, member * count, type), count, type);
}

void Exchange::take_even_share(int member, void* data, MPI_Count count, MPI_Datatype type) {
  const Payload payload(deposit_of(member));
  const std::size_t share = payload.data().size() / static_cast<std::size_t>(comm_->group_size());
  unpack_into(payload.data().subspan(share * static_cast<std::size_t>(comm_->me()), share), data, count,
              type);
}

void Exchange::take_block(int member, void* data, MPI_Count count, MPI_Datatype type) {
  if (packed_size(count, type).count() == 0 || !has_given(member)) return;
  const Payload payload(deposit_of(member));
  unpack_into(block_in(payload, comm_->me(), comm_->group_size()), data, count, type);
}

void Exchange::take_edge(int member, int number, void* data, MPI_Count count, MPI_Datatype type) {
  if (packed_size(count, type).count() == 0 || !has_given(member)) return;
  const Payload payload(deposit_of(member));
  unpack_into(edge_in(payload, comm_->me(), number), data, count, type);
}

bool Exchange::has_given(int member) {
  if (deposit_of(member) != 0) return true;
  note(MPI_ERR_OTHER);
  return false;
}

void Exchange::unpack_into(std::span<const std::byte> packed, void* data, MPI_Count count,
                           MPI_Datatype type) {
  if (!unpack(packed, data, count, type)) note(MPI_ERR_TRUNCATE);
}

}  // namespace morgana::mpi::emulated
