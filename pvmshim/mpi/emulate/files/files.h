#pragma once

#include <mpi.h>

#include <functional>
#include <memory>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/communicators.h"

namespace morgana::mpi::emulated {

// Files: MPICH reads and writes them. What several ranks do together is also a meeting in simulated time
// (together.h); what a rank does alone, and the files of one rank, are MPICH's alone.

using MpichCall = std::function<int()>;

/// A file of several ranks.
struct JointFile {
  std::shared_ptr<const Communicator> comm;
  Context context;  ///< its own: what is done with a file has no order with what is done on the communicator
};
/// Null for a file of this rank alone, and for what is none.
const JointFile* joint_file(MPI_File file);

/// A call that MPICH carries out for all ranks of a file at once.
int with_file(Call call, MPI_File file, const MpichCall& by_mpich);
/// MPI_File_close, after which the file is no more.
int with_file(Call call, const MPI_File* file, const MpichCall& by_mpich);

// The calls that begin a collective access and give a request: at a place of the file, or where the rank's
// own pointer stands, which then moves on. Several may be under way on one file. MPICH's steps of each are
// collective operations on one communicator, so that all ranks must take them in one order, whenever each of
// them comes to it: MPICH begins an access when it has completed those before it.

int with_file_request(Call call, const MpichCall& by_mpich, MPI_File file, MPI_Offset place,
                      const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Request* request);
int with_file_request(Call call, const MpichCall& by_mpich, MPI_File file, const void* buffer,
                      MPI_Count count, MPI_Datatype type, MPI_Request* request);

}  // namespace morgana::mpi::emulated
