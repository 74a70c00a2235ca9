#include "emulator/report/run_statistics.h"

#include <algorithm>

#include "emulator/operations/collective_payload.h"

namespace morgana {
namespace {

/// Time that passes in a call of MPI's and is all that the call does.
bool is_sleep_of_mpi(const Operation& operation) {
  return operation.kind == OperationKind::sleep && operation.part == CallPart::whole &&
         name_of(operation.call).starts_with("MPI_");
}

/// Where threads of a rank take turns: a look after what some wait for, whose calls go on.
bool goes_on_waiting(const Operation& operation, std::span<const Completed> completed) {
  if (is_sleep_of_mpi(operation)) return operation.completion == Completion::some;  // that look in a replay
  if (operation.kind == OperationKind::wait)
    return operation.duration > SimTime() && completed.empty() && name_of(operation.call).starts_with("MPI_");
  if (operation.kind == OperationKind::test_probe)
    return completed.empty() && (operation.call == Call::MPI_Probe || operation.call == Call::MPI_Mprobe);
  // It has seen a message which a thread takes next.
  return operation.kind == OperationKind::probe && operation.call == Call::MPI_Mprobe &&
         operation.taken == no_request;
}

/// A blocking call, whose beginning counts.
bool begins_what_it_waits_for(Call call) {
  switch (call) {
    case Call::MPI_Recv:
    case Call::MPI_Mrecv:
    case Call::MPI_Send:
    case Call::MPI_Ssend:
    case Call::MPI_Bsend:
    case Call::MPI_Rsend:
    case Call::MPI_Sendrecv:
    case Call::MPI_Sendrecv_replace:
    case Call::MPI_Barrier:
    case Call::MPI_Bcast:
    case Call::MPI_Gather:
    case Call::MPI_Gatherv:
    case Call::MPI_Scatter:
    case Call::MPI_Scatterv:
    case Call::MPI_Allgather:
    case Call::MPI_Allgatherv:
    case Call::MPI_Alltoall:
    case Call::MPI_Alltoallv:
    case Call::MPI_Alltoallw:
    case Call::MPI_Reduce:
    case Call::MPI_Allreduce:
    case Call::MPI_Reduce_scatter:
    case Call::MPI_Reduce_scatter_block:
    case Call::MPI_Scan:
    case Call::MPI_Exscan:
    case Call::MPI_Neighbor_allgather:
    case Call::MPI_Neighbor_allgatherv:
    case Call::MPI_Neighbor_alltoall:
    case Call::MPI_Neighbor_alltoallv:
    case Call::MPI_Neighbor_alltoallw:
      return true;
    default:
      return false;
  }
}

/// Where threads of a rank take turns: the end of a call of one of them, apart from its beginning.
bool ends_begun_call(const Operation& operation) {
  return operation.kind == OperationKind::wait && operation.part == CallPart::whole &&
         begins_what_it_waits_for(operation.call);
}

/// As CallUses takes what is no further call: a clock's reading.
Operation without_count(const Operation& operation) {
  Operation part;
  part.kind = OperationKind::read_clock;
  part.call = operation.call;
  return part;
}

}  // namespace

double RunStatistics::PerRank::communication_share() const {
  return time() > SimTime() ? communication.seconds() / time().seconds() : 0.0;
}

RunStatistics::RunStatistics(std::size_t ranks, std::size_t services)
    : ranks_(std::max(ranks, services)),
      in_call_(ranks_.size()),
      services_(services),
      calls_(ranks_.size()) {}

void RunStatistics::operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                                    std::span<const Completed> completed) {
  if (operation.kind == OperationKind::spawn) {
    if (index(operation.peer) >= ranks_.size()) {
      ranks_.resize(index(operation.peer) + 1);
      in_call_.resize(ranks_.size());
      calls_.resize(ranks_.size());
    }
    PerRank& fresh = ranks_[index(operation.peer)];
    fresh.begin = fresh.end = end;
  }
  PerRank& mine = ranks_.at(index(rank));
  if (operation.polled > SimTime() && !in_call_[index(rank)]) {
    mine.communication += operation.polled;
    calls_.polled(rank, operation.polled);
  }
  SimTime entered = end;
  // A replay tells of a new communicator apart from the call that made it: what kernels took before belongs
  // to neither.
  const bool begins = begins_call(operation.part) || operation.kind == OperationKind::context_created;
  // A sleep inside of a call is part of its waiting; so is one that is all that a call of MPI's does.
  const bool communicates = operation.kind != OperationKind::sleep || operation.part != CallPart::whole ||
                            is_sleep_of_mpi(operation);
  if (communicates) {
    // Between the parts of one call the program doesn't run, so what lies between them belongs to the call.
    entered = begins ? begin : std::min(begin, mine.end);
    mine.communication += end - entered;
  }
  if (begins) mine.interrupted += operation.interrupted;
  // One that was ended in a call has waited there.
  if (operation.kind == OperationKind::exit && in_call_[index(rank)]) {
    mine.communication += begin - mine.end;
    calls_.ended_in_call(rank, begin - mine.end);
  }
  if (operation.kind == OperationKind::exit && end > entered) calls_.ended_in_call(rank, end - entered);
  in_call_[index(rank)] = !ends_call(operation.part);
  mine.end = end;

  const Bytes moved = count(rank, operation, completed);
  const bool goes_on = goes_on_waiting(operation, completed);
  if (goes_on || ends_begun_call(operation))
    calls_.operation_ended(rank, without_count(operation), entered, end, moved);
  else if (communicates && operation.kind != OperationKind::exit)
    calls_.operation_ended(rank, operation, entered, end, moved);
  const bool polls = operation.kind == OperationKind::test || operation.kind == OperationKind::test_probe;
  if (polls && !goes_on && completed.empty()) calls_.poll_failed(rank, end - entered);
}

/// Messages, collectives and accesses. @return the bytes that count as the call's
Bytes RunStatistics::count(Rank rank, const Operation& operation, std::span<const Completed> completed) {
  PerRank& mine = ranks_[index(rank)];
  Bytes moved;
  switch (operation.kind) {
    case OperationKind::send:
      if (is_service(operation.peer) || operation.context == service_context) break;
      ++mine.messages_sent;
      mine.bytes_sent += operation.bytes;
      moved = operation.bytes;
      break;
    case OperationKind::context_created:
      places_.announce(rank, operation.context, operation.members);
      break;
    case OperationKind::collective: {
      ++mine.collectives;
      const auto [members, me] = places_.find(rank, operation.context, ranks_.size());
      moved = payload_of(operation.collective, members, me).given;
      break;
    }
    case OperationKind::access:
      moved = operation.bytes + operation.reply;
      break;
    case OperationKind::wait:
    case OperationKind::test:
      if (operation.call == Call::pvm_siblings) break;  // it receives in service_context
      for (const Completed& done : completed) {
        if (done.source == any_rank || done.cancelled) continue;  // of a send or a collective
        if (is_service(done.source)) continue;
        ++mine.messages_received;
        mine.bytes_received += done.bytes;
        moved += done.bytes;
      }
      break;
    default:
      break;
  }
  return moved;
}

void RunStatistics::add(Rank rank, const PerRank& more, std::span<const CallUse> calls) {
  PerRank& mine = ranks_.at(index(rank));
  mine.end = std::max(mine.end, more.end);
  mine.communication += more.communication;
  mine.messages_sent += more.messages_sent;
  mine.messages_received += more.messages_received;
  mine.bytes_sent += more.bytes_sent;
  mine.bytes_received += more.bytes_received;
  for (const CallUse& use : calls) calls_.add(rank, use);
}

void RunStatistics::partner_came(Rank /*rank*/, WaitCause cause, SimTime at) {
  calls_.partner_came(cause, at);
}

void RunStatistics::message_delivered(Rank from, Rank to, Bytes /*bytes*/, SimTime sent, SimTime now) {
  if (is_service(from) || is_service(to)) return;
  latency_.add((now - sent).seconds());
}

SimTime RunStatistics::simulated_time() const {
  SimTime last;
  for (const PerRank& rank : ranks()) last = std::max(last, rank.end);
  return last;
}

SimTime RunStatistics::mean_communication() const {
  return ranks().empty()
             ? SimTime()
             : SimTime::from_ps(total().communication.ps() / static_cast<std::int64_t>(ranks().size()));
}

SimTime RunStatistics::mean_compute() const {
  const PerRank all = total();
  return ranks().empty() ? SimTime()
                         : SimTime::from_ps((all.time() - all.communication).ps() /
                                            static_cast<std::int64_t>(ranks().size()));
}

RunStatistics::PerRank RunStatistics::total() const {
  PerRank sum;
  for (const PerRank& rank : ranks()) {
    sum.begin += rank.begin;
    sum.end += rank.end;
    sum.communication += rank.communication;
    sum.interrupted += rank.interrupted;
    sum.messages_sent += rank.messages_sent;
    sum.messages_received += rank.messages_received;
    sum.bytes_sent += rank.bytes_sent;
    sum.bytes_received += rank.bytes_received;
    sum.collectives += rank.collectives;
  }
  return sum;
}

}  // namespace morgana
