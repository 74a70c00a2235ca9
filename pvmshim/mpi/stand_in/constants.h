#pragma once

#if defined(MORGANA_STANDARD_ABI)
#include "pvmshim/mpi/stand_in/abi/values.h"
#else
#include "pvmshim/mpi/stand_in/openmpi/values.h"
#endif

namespace morgana::stand_in {

// What the constants of the program's interface are for MPICH, and the other way round. A number that is none
// of the constants stays what it is, unless it is said otherwise.

/// Ranks: MPI_ANY_SOURCE, MPI_PROC_NULL, MPI_ROOT.
int rank_to_mpich(int rank);
int rank_from_mpich(int rank);

/// Error classes and codes. The program's codes are its classes; those that it has added are MPICH's.
int error_to_mpich(int code);
int error_from_mpich(int code);

/// Attributes of MPI's own: MPI_TAG_UB ..., MPI_KEYVAL_INVALID.
int keyval_to_mpich(int keyval);
int keyval_from_mpich(int keyval);

/// Assertions of MPI_Win_fence and others (MPI_MODE_NOCHECK ...), or-ed.
int assertions_to_mpich(int assertions);
int lock_to_mpich(int lock);
int split_type_to_mpich(int type);
int type_class_to_mpich(int type_class);
int order_to_mpich(int order);
int order_from_mpich(int order);
int distribution_to_mpich(int distribution);
int distribution_from_mpich(int distribution);
int distribution_argument_to_mpich(int argument);
int distribution_argument_from_mpich(int argument);
int topology_from_mpich(int topology);
int combiner_from_mpich(int combiner);
int window_flavor_from_mpich(int flavor);
int window_model_from_mpich(int model);

}  // namespace morgana::stand_in
