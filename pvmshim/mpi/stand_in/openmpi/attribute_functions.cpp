#include <mpi.h>

#include "pvmshim/mpi/stand_in/handles.h"

using morgana::stand_in::Handle;

#define MORGANA_SHOWN extern "C" __attribute__((visibility("default")))

// The attribute functions that MPI itself has: MPI_COMM_DUP_FN and others are macros for these.
#define MORGANA_ATTRIBUTE_FUNCTIONS(prefix)                                                   \
  MORGANA_SHOWN int prefix##NULL_COPY_FN(Handle*, int, void*, void*, void*, int* flag) {      \
    *flag = 0;                                                                                \
    return MPI_SUCCESS;                                                                       \
  }                                                                                           \
  MORGANA_SHOWN int prefix##NULL_DELETE_FN(Handle*, int, void*, void*) {                      \
    return MPI_SUCCESS;                                                                       \
  }                                                                                           \
  MORGANA_SHOWN int prefix##DUP_FN(Handle*, int, void*, void* value, void* copy, int* flag) { \
    *flag = 1;                                                                                \
    *static_cast<void**>(copy) = value;                                                       \
    return MPI_SUCCESS;                                                                       \
  }
MORGANA_ATTRIBUTE_FUNCTIONS(OMPI_C_MPI_)
MORGANA_ATTRIBUTE_FUNCTIONS(OMPI_C_MPI_COMM_)
MORGANA_ATTRIBUTE_FUNCTIONS(OMPI_C_MPI_TYPE_)
MORGANA_ATTRIBUTE_FUNCTIONS(OMPI_C_MPI_WIN_)
