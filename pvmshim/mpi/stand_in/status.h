#pragma once

#include <mpi.h>

#if defined(MORGANA_STANDARD_ABI)
#include "pvmshim/mpi/stand_in/abi/program_status.h"
#else
#include "pvmshim/mpi/stand_in/openmpi/program_status.h"
#endif

namespace morgana::stand_in {

MPI_Status to_mpich(const Status& status);
/// @param keep_error  the error stays what it is: only calls that complete several requests set it
void from_mpich(const MPI_Status& status, Status& to, bool keep_error);

/// A status for a call that may leave some of it untouched, and what of it the call has set.
MPI_Status untouched_status();
/// Takes over what has been set, but for the error.
void take_over(const MPI_Status& set, Status& to);

}  // namespace morgana::stand_in
