#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/refusal.h"

namespace morgana::mpi::captured {

int File_open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file) {
  refuse_or_note("MPI_File_open");
  return real().MPI_File_open(comm, name, mode, info, file);
}

}  // namespace morgana::mpi::captured
