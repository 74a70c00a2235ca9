#pragma once

#include <mpi.h>

#include <cstddef>

namespace morgana::openmpi {

/// MPI_Status as programs built for Open MPI have it.
struct Status {
  int source;
  int tag;
  int error;
  int is_cancelled;
  std::size_t bytes;
};
static_assert(sizeof(Status) == 24);

MPI_Status to_mpich(const Status& status);
/// @param keep_error  the error stays what it is: only calls that complete several requests set it
void from_mpich(const MPI_Status& status, Status& to, bool keep_error);

/// A status for a call that may leave some of it untouched, and what of it the call has set.
MPI_Status untouched_status();
/// Takes over what has been set, but for the error.
void take_over(const MPI_Status& set, Status& to);

}  // namespace morgana::openmpi
