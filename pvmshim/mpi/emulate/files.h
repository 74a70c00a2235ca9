#pragma once

#include <mpi.h>

#include <functional>

#include "emulator/operations/call.h"

namespace morgana::mpi::emulated {

// Files: MPICH reads and writes them. What several ranks do together is also a meeting in simulated time
// (together.h); what a rank does alone, and the files of one rank, are MPICH's alone.

using MpichCall = std::function<int()>;

/// A call that MPICH carries out for all ranks of a file at once.
int with_file(Call call, MPI_File file, const MpichCall& by_mpich);
/// MPI_File_close, after which the file is no more.
int with_file(Call call, const MPI_File* file, const MpichCall& by_mpich);
/// A call that MPICH only begins; it leaves its own request in `request`.
int with_file_request(Call call, MPI_File file, MPI_Request* request, const MpichCall& by_mpich);

}  // namespace morgana::mpi::emulated
