#pragma once

#include <mpi.h>

#include "pvmshim/mpi/collective_form.h"
#include "pvmshim/mpi/record/timed_call.h"

namespace morgana::mpi::captured {

/// MPICH has carried out a collective, or started it, or made a persistent request for it.
void write_collective(const TimedCall& timed, const Form& form,
                      const std::shared_ptr<const Communicator>& comm, CollectivePart part);

/// @param real_call  MPICH's call
/// @param make_part  this rank's part, of the communicator
template <typename RealCall, typename MakePart>
int collective(const Form& form, MPI_Comm handle, const RealCall& real_call, const MakePart& make_part) {
  TimedCall timed;
  const int result = real_call();
  timed.ended();
  const std::shared_ptr<const Communicator> comm = recorder().communicators().find(handle);
  if (result != MPI_SUCCESS || comm == nullptr)
    timed.write_plain(form.call());
  else
    write_collective(timed, form, comm, make_part(*comm));
  return result;
}

}  // namespace morgana::mpi::captured
