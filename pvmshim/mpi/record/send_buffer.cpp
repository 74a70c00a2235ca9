// MPICH's buffered sends need their buffer; the recording does not.

#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::captured {

int Buffer_attach(void* buffer, MPI_Count size) {
  return real().MPI_Buffer_attach_c(buffer, size);
}

int Buffer_detach(void* buffer, int* size) {
  return real().MPI_Buffer_detach(buffer, size);
}

int Buffer_detach(void* buffer, MPI_Count* size) {
  return real().MPI_Buffer_detach_c(buffer, size);
}

}  // namespace morgana::mpi::captured
