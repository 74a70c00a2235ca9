#include "pvmshim/mpi/emulated/arguments.h"
#include "pvmshim/mpi/emulated/emulated_rank.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/statuses.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {
namespace {

/// @return whether a message is there, of which `status` then tells
bool look(OperationKind kind, Call call, const Communicator& comm, int source, int tag, MPI_Status* status) {
  MPI_Status found{};
  if (source == MPI_PROC_NULL) {
    Operation nothing = plain_operation(OperationKind::nothing, call);
    me().live.post(nothing);
    set_from_nobody(found);
  } else {
    Operation probe = probe_operation(kind, call, comm, source, tag);
    const Answer& answer = kind == OperationKind::probe ? me().live.ask(probe) : me().live.poll(probe);
    if (answer.completed.empty()) return false;
    set_received(found, answer.completed.front(), comm);
  }
  give(found, status);
  return true;
}

}  // namespace

int Probe(int source, int tag, MPI_Comm handle, MPI_Status* status) {
  const auto comm = communicator(handle, "MPI_Probe");
  if (comm == nullptr || !is_origin(*comm, source, tag)) return real().MPI_Probe(source, tag, handle, status);
  const LiveRank::Visit visit(me().live);
  look(OperationKind::probe, Call::MPI_Probe, *comm, source, tag, status);
  return MPI_SUCCESS;
}

int Iprobe(int source, int tag, MPI_Comm handle, int* flag, MPI_Status* status) {
  const auto comm = communicator(handle, "MPI_Iprobe");
  if (comm == nullptr || !is_origin(*comm, source, tag))
    return real().MPI_Iprobe(source, tag, handle, flag, status);
  const LiveRank::Visit visit(me().live);
  *flag = look(OperationKind::test_probe, Call::MPI_Iprobe, *comm, source, tag, status) ? 1 : 0;
  return MPI_SUCCESS;
}

}  // namespace morgana::mpi::emulated
