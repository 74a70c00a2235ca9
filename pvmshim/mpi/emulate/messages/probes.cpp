#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/statuses.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {
namespace {

using SharedCommunicator = std::shared_ptr<const Communicator>;

/// @param message  if given, the message is set aside, and this is its handle
/// @return whether a message is there, of which `status` then tells
bool look(OperationKind kind, Call call, const SharedCommunicator& comm, int source, int tag,
          MPI_Message* message, MPI_Status* status) {
  MPI_Status found{};
  if (source == MPI_PROC_NULL) {
    Operation nothing = plain_operation(OperationKind::nothing, call);
    me().live.post(nothing);
    set_from_nobody(found);
    if (message != nullptr) *message = MPI_MESSAGE_NO_PROC;
  } else {
    Operation probe = probe_operation(kind, call, *comm, source, tag);
    if (message != nullptr) probe.taken = me().requests.next_id();
    const Answer& answer = kind == OperationKind::probe ? me().live.ask(probe) : me().live.poll(probe);
    if (answer.completed.empty()) return false;
    set_received(found, answer.completed.front(), *comm);
    if (message != nullptr) me().foreseen.set_aside(comm->context(), answer.completed.front());
    if (message != nullptr) *message = me().matched.add({probe.taken, comm, found.MPI_SOURCE, found.MPI_TAG});
  }
  give(found, status);
  return true;
}

}  // namespace

int Probe(int source, int tag, MPI_Comm handle, MPI_Status* status) {
  const auto comm = communicator(handle, "MPI_Probe");
  if (comm == nullptr || lacks_place(status) || !is_origin(*comm, source, tag))
    return error_of_mpich(real().MPI_Probe, source, tag, handle, status);
  const LiveRank::Visit visit(me().live);
  look(OperationKind::probe, Call::MPI_Probe, comm, source, tag, nullptr, status);
  return MPI_SUCCESS;
}

int Iprobe(int source, int tag, MPI_Comm handle, int* flag, MPI_Status* status) {
  const auto comm = communicator(handle, "MPI_Iprobe");
  if (comm == nullptr || lacks_place(flag, status) || !is_origin(*comm, source, tag))
    return error_of_mpich(real().MPI_Iprobe, source, tag, handle, flag, status);
  const LiveRank::Visit visit(me().live);
  *flag = look(OperationKind::test_probe, Call::MPI_Iprobe, comm, source, tag, nullptr, status) ? 1 : 0;
  return MPI_SUCCESS;
}

int Mprobe(int source, int tag, MPI_Comm handle, MPI_Message* message, MPI_Status* status) {
  const auto comm = communicator(handle, "MPI_Mprobe");
  if (comm == nullptr || lacks_place(message, status) || !is_origin(*comm, source, tag))
    return error_of_mpich(real().MPI_Mprobe, source, tag, handle, message, status);
  const LiveRank::Visit visit(me().live);
  look(OperationKind::probe, Call::MPI_Mprobe, comm, source, tag, message, status);
  return MPI_SUCCESS;
}

int Improbe(int source, int tag, MPI_Comm handle, int* flag, MPI_Message* message, MPI_Status* status) {
  const auto comm = communicator(handle, "MPI_Improbe");
  if (comm == nullptr || lacks_place(flag, message, status) || !is_origin(*comm, source, tag))
    return error_of_mpich(real().MPI_Improbe, source, tag, handle, flag, message, status);
  const LiveRank::Visit visit(me().live);
  *flag = look(OperationKind::test_probe, Call::MPI_Improbe, comm, source, tag, message, status) ? 1 : 0;
  return MPI_SUCCESS;
}

}  // namespace morgana::mpi::emulated
