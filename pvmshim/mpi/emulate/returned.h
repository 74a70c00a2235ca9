#pragma once

#include <mpi.h>

#include "emulator/operations/operation.h"
#include "pvmshim/channel/announced_end.h"
#include "pvmshim/mpi/communicators.h"

namespace morgana::mpi::emulated {

// What the modelled network's transport returns is an error of the call that waits for it.

/// MPI has no class of its own for it.
constexpr int error_of_returned = MPI_ERR_OTHER;
static_assert(error_of_returned == code_of_returned);

/// Whether to expect that messages are returned: then this rank waits in real time for the ends of its sends,
/// too, so that it does nothing that it would not do after the error. (Where that is not to be expected and
/// happens all the same, the emulator ends the run.)
bool learns_of_returns();

/// MPI_SUCCESS, or the error that the request's end is; then its payload is given back.
int error_of_outcome(const Completed& completed);

/// Hands the error to the communicator's error handler. @return the error
int raise_returned(const Communicator& comm, Call call, Outcome outcome);

}  // namespace morgana::mpi::emulated
