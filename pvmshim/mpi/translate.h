#pragma once

#include <mpi.h>

#include <span>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/communicators.h"
#include "pvmshim/mpi/packing.h"

namespace morgana::mpi {

// MPI calls as operations; an emulated run posts them, a capture records them. Peers are members of the
// communicator (or MPI_ANY_SOURCE, MPI_ANY_TAG), never MPI_PROC_NULL.

Operation send_operation(Call call, CallPart part, SendMode mode, const Communicator& comm, int dest, int tag,
                         const Content& content, RequestId request);
Operation receive_operation(Call call, CallPart part, const Communicator& comm, int source, int tag,
                            Bytes room, RequestId request);
Operation probe_operation(OperationKind kind, Call call, const Communicator& comm, int source, int tag);
/// @param kind  wait or test
Operation completion_operation(OperationKind kind, Call call, CallPart part, Completion completion,
                               std::span<const RequestId> requests);
Operation collective_operation(Call call, const Communicator& comm, CollectivePart part, RequestId request);
Operation context_operation(Call call, CallPart part, const Communicator& comm);
/// A call that moves no data, and whatever else only has a name.
Operation plain_operation(OperationKind kind, Call call, CallPart part = CallPart::whole);

}  // namespace morgana::mpi
