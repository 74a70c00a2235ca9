// Files that several ranks open together move data between them, which is not emulated. A rank's own files
// are MPICH's alone.

#include "pvmshim/mpi/emulated/arguments.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/refusal.h"

namespace morgana::mpi::emulated {

int File_open(MPI_Comm handle, const char* name, int mode, MPI_Info info, MPI_File* file) {
  const auto comm = communicator(handle, "MPI_File_open");
  if (comm != nullptr && comm->size() > 1) refuse("MPI_File_open", "by several ranks together");
  return real().MPI_File_open(handle, name, mode, info, file);
}

}  // namespace morgana::mpi::emulated
