#include "pvmshim/mpi/emulate/messages.h"

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/completion.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/payloads.h"
#include "pvmshim/mpi/emulate/returned.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/statuses.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {

bool Outgoing::valid_on(const Communicator& comm) const {
  return is_message(buffer, count, type) && is_destination(comm, dest, tag);
}

bool Incoming::valid_on(const Communicator& comm) const {
  return is_message(buffer, count, type) && is_origin(comm, source, tag);
}

void post_plain(Call call, CallPart part) {
  Operation operation = plain_operation(OperationKind::nothing, call, part);
  me().live.post(operation);
}

void post_send(Call call, CallPart part, SendMode mode, const Communicator& comm, const Outgoing& message,
               RequestId request) {
  constexpr std::uint32_t one_reader = 1;
  const Content content = content_of(message.count, message.type);
  Operation send = send_operation(call, part, mode, comm, message.dest, message.tag, content, request);
  send.payload = deposit(message.buffer, message.count, message.type, content.bytes, one_reader);
  send.payload = me().foreseen.announce(send);
  me().live.post(send);
}

void post_receive(Call call, CallPart part, const Communicator& comm, const Incoming& message,
                  RequestId request, RequestId taken) {
  const Bytes room = packed_size(message.count, message.type);
  Operation receive = receive_operation(call, part, comm, message.source, message.tag, room, request);
  receive.taken = taken;
  me().live.post(receive);
  me().foreseen.started(receive);
}

bool must_await(SendMode mode, const Outgoing& message) {
  const LiveRank& live = me().live;
  const bool suspends_its_thread =
      live.settings().page_faults_suspend_threads != 0 && live.threads_take_turns();
  return mode == SendMode::synchronous || is_large(packed_size(message.count, message.type)) ||
         learns_of_returns() || suspends_its_thread;
}

bool lacks_buffer(SendMode mode, const Outgoing& message) {
  return mode == SendMode::buffered && message.dest != MPI_PROC_NULL &&
         !me().send_buffer.fits(packed_size(message.count, message.type));
}

int finish_send(Call call, const Communicator& comm, RequestId request, bool awaited) {
  Operation wait =
      completion_operation(OperationKind::wait, call, CallPart::last, Completion::all, {&request, 1});
  if (!awaited) {
    me().live.post(wait);
    return MPI_SUCCESS;
  }
  const Completed sent = me().live.ask(wait).completed.at(0);
  return error_of_outcome(sent) == MPI_SUCCESS ? MPI_SUCCESS : raise_returned(comm, call, sent.outcome);
}

int finish_blocking(Call call, const Communicator& comm, std::span<const RequestId> requests,
                    const Incoming& message, MPI_Status* status, bool sends_and_awaits) {
  Operation wait = completion_operation(OperationKind::wait, call, CallPart::last, Completion::all, requests);
  Answer foreseen;
  if (!sends_and_awaits && me().foresees(requests.front())) {
    me().live.post(wait);
    foreseen.completed.push_back(me().foreseen.take(requests.front()));
  }
  MPI_Status came{};
  int error = MPI_SUCCESS;
  Outcome outcome = Outcome::delivered;
  for (const Completed& completed :
       foreseen.completed.empty() ? me().live.ask(wait).completed : foreseen.completed) {
    me().foreseen.completed(completed);
    if (completed.outcome != Outcome::delivered) outcome = completed.outcome;
    if (completed.request == requests.front())
      error = take(completed, message.buffer, message.count, message.type, comm, came);
    else
      error_of_outcome(completed);
  }
  give(came, status);
  look_after_freed();
  if (outcome != Outcome::delivered) return raise_returned(comm, call, outcome);
  if (error == MPI_SUCCESS) return MPI_SUCCESS;
  return raise(comm, error, call, describe_truncation(came, message.count, message.type, comm));
}

}  // namespace morgana::mpi::emulated
