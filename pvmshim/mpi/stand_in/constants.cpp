#include "pvmshim/mpi/stand_in/constants.h"

#include <mpi.h>

#if defined(MORGANA_STANDARD_ABI)
#include "pvmshim/mpi/stand_in/abi/tables.h"
#else
#include "pvmshim/mpi/stand_in/openmpi/tables.h"
#endif

namespace morgana::stand_in {
namespace {

/// MPICH's codes hold the class in these bits, and a mark if the program has added them.
constexpr int class_bits = 0x7f, added_by_program = 0x40000000;

}  // namespace

int rank_to_mpich(int rank) {
  switch (rank) {
    case any_source:
      return MPI_ANY_SOURCE;
    case null_process:
      return MPI_PROC_NULL;
    case root_of_other_group:
      return MPI_ROOT;
    default:
      return rank < 0 ? no_constant : rank;
  }
}

int rank_from_mpich(int rank) {
  switch (rank) {
    case MPI_ANY_SOURCE:
      return any_source;
    case MPI_PROC_NULL:
      return null_process;
    case MPI_ROOT:
      return root_of_other_group;
    default:
      return rank;
  }
}

int error_to_mpich(int code) {
  if (code < 0 || (code & added_by_program) != 0) return code;
  if (code > errors.back().first) return MPI_ERR_UNKNOWN;
  return from_first(errors, code, MPI_ERR_UNKNOWN);
}

int error_from_mpich(int code) {
  if (code == MPI_SUCCESS || (code & added_by_program) != 0) return code;
  return from_second(errors, code & class_bits, from_second(errors, MPI_ERR_OTHER, code));
}

int keyval_to_mpich(int keyval) {
  return from_first(keyvals, keyval, keyval);
}
int keyval_from_mpich(int keyval) {
  return from_second(keyvals, keyval, keyval);
}

int assertions_to_mpich(int assertions) {
  return bits_from_first(assertions_of_windows, assertions);
}

int lock_to_mpich(int lock) {
  return from_first(locks, lock, no_constant);
}
int split_type_to_mpich(int type) {
  return type == MPI_UNDEFINED ? type : from_first(split_types, type, no_constant);
}
int type_class_to_mpich(int type_class) {
  return from_first(type_classes, type_class, no_constant);
}
int order_to_mpich(int order) {
  return from_first(orders, order, no_constant);
}
int order_from_mpich(int order) {
  return from_second(orders, order, order);
}
int distribution_to_mpich(int distribution) {
  return from_first(distributions, distribution, no_constant);
}
int distribution_from_mpich(int distribution) {
  return from_second(distributions, distribution, distribution);
}
int distribution_argument_to_mpich(int argument) {
  return from_first(distribution_arguments, argument, argument);
}
int distribution_argument_from_mpich(int argument) {
  return from_second(distribution_arguments, argument, argument);
}
int topology_from_mpich(int topology) {
  return from_second(topologies, topology, topology);
}
int combiner_from_mpich(int combiner) {
  return from_second(combiners, combiner, combiner);
}
int window_flavor_from_mpich(int flavor) {
  return from_second(window_flavors, flavor, flavor);
}
int window_model_from_mpich(int model) {
  return from_second(window_models, model, model);
}

}  // namespace morgana::stand_in
