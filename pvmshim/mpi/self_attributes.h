#pragma once

#include <mpi.h>

namespace morgana::mpi {

// MPI_Finalize begins with deleting the attributes of MPI_COMM_SELF, in the reverse order of their setting,
// and what is called for that may still communicate. MPICH does so when for us the rank has ended already; so
// it is done before. (What Fortran programs set is not seen here, and left to MPICH.)

/// MPI_Comm_set_attr and MPI_Comm_delete_attr of any communicator.
int set_attribute(MPI_Comm comm, int keyval, void* value);
int delete_attribute(MPI_Comm comm, int keyval);

/// In MPI_Finalize, while the rank still runs.
void delete_self_attributes();

}  // namespace morgana::mpi
