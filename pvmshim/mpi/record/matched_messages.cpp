// Matched probes and receives over MPICH, recorded.

#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/record/timed_call.h"
#include "pvmshim/mpi/record/truncation.h"
#include "pvmshim/mpi/statuses.h"

namespace morgana::mpi::captured {
namespace {

MPI_Status* or_own(MPI_Status* wanted, MPI_Status& own) {
  return wanted == MPI_STATUS_IGNORE ? &own : wanted;
}

/// Writes a probe that was carried out, and notes the message that it has set aside, if any.
void write_probe(const TimedCall& timed, OperationKind kind, Call call, MPI_Comm handle, int source, int tag,
                 const MPI_Message* message, const MPI_Status& status) {
  const auto& comm = recorder().communicators().find(handle);
  if (comm == nullptr || source == MPI_PROC_NULL) {
    timed.write_plain(call);
    return;
  }
  Operation probe = probe_operation(kind, call, *comm, source, tag);
  if (message == nullptr) {
    timed.write(probe);
    return;
  }
  probe.taken = recorder().next_id();
  recorder().add_matched(*message, {probe.taken, comm, status.MPI_SOURCE, status.MPI_TAG});
  const Completed found = completed_of(status, *comm, probe.taken);
  timed.write(probe, {&found, 1});
}

Operation receive(Call call, CallPart part, const Recorder::Matched& matched, Bytes room, RequestId id) {
  Operation operation = receive_operation(call, part, *matched.comm, matched.source, matched.tag, room, id);
  operation.taken = matched.taken;
  return operation;
}

}  // namespace

int Mprobe(int source, int tag, MPI_Comm handle, MPI_Message* message, MPI_Status* wanted) {
  MPI_Status own{};
  MPI_Status* status = or_own(wanted, own);
  TimedCall timed;
  const int result = real().MPI_Mprobe(source, tag, handle, message, status);
  timed.ended();
  if (result == MPI_SUCCESS)
    write_probe(timed, OperationKind::probe, Call::MPI_Mprobe, handle, source, tag, message, *status);
  else
    timed.write_plain(Call::MPI_Mprobe);
  return result;
}

int Improbe(int source, int tag, MPI_Comm handle, int* flag, MPI_Message* message, MPI_Status* wanted) {
  MPI_Status own{};
  MPI_Status* status = or_own(wanted, own);
  TimedCall timed;
  const int result = real().MPI_Improbe(source, tag, handle, flag, message, status);
  timed.ended();
  if (result == MPI_SUCCESS)
    write_probe(timed, OperationKind::test_probe, Call::MPI_Improbe, handle, source, tag,
                *flag != 0 ? message : nullptr, *status);
  else
    timed.write_plain(Call::MPI_Improbe);
  return result;
}

int Mrecv(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* wanted) {
  const MPI_Message handle = *message;
  MPI_Status own{};
  MPI_Status* status = or_own(wanted, own);
  const auto matched = recorder().take_matched(handle);
  const BlockingReceive detail(*status, count, type, matched ? matched->comm->handle() : MPI_COMM_NULL);
  TimedCall timed;
  const int result = real().MPI_Mrecv_c(buffer, count, type, message, status);
  timed.ended();
  if (result != MPI_SUCCESS || !matched) {
    timed.write_plain(Call::MPI_Mrecv);
    return result;
  }
  const RequestId request = recorder().next_id();
  timed.write_start(receive(Call::MPI_Mrecv, CallPart::first, *matched, packed_size(count, type), request));
  const Completed completed = completed_of(*status, *matched->comm, request);
  timed.write_wait(Call::MPI_Mrecv, {&request, 1}, {&completed, 1});
  return result;
}

int Imrecv(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  const MPI_Message handle = *message;
  TimedCall timed;
  const int result = real().MPI_Imrecv_c(buffer, count, type, message, request);
  timed.ended();
  const auto matched = recorder().take_matched(handle);
  if (result != MPI_SUCCESS || !matched) {
    timed.write_plain(Call::MPI_Imrecv);
    return result;
  }
  const RequestId id = recorder().next_id();
  const Bytes room = packed_size(count, type);
  recorder().add(*request, {id, true, matched->comm, no_request, nullptr, nullptr, room});
  timed.write(receive(Call::MPI_Imrecv, CallPart::whole, *matched, room, id));
  return result;
}

}  // namespace morgana::mpi::captured
