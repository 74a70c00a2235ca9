#include "pvmshim/mpi/emulate/returned.h"

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/payloads.h"

namespace morgana::mpi::emulated {

bool learns_of_returns() {
  return me().live.settings().messages_may_return != 0;
}

int error_of_outcome(const Completed& completed) {
  if (completed.outcome == Outcome::delivered) return MPI_SUCCESS;
  const Payload given_back(completed.payload);
  return error_of_returned;
}

int raise_returned(const Communicator& comm, Call call, Outcome outcome) {
  return raise(comm, error_of_returned, call, describe_returned(outcome));
}

}  // namespace morgana::mpi::emulated
