#include "pvmshim/mpi/openmpi/constants.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace morgana::openmpi {
namespace {

/// An Open MPI value and MPICH's.
using Pair = std::pair<int, int>;

template <std::size_t size>
int from_first(const std::array<Pair, size>& pairs, int value, int otherwise) {
  for (const auto& [theirs, ours] : pairs)
    if (theirs == value) return ours;
  return otherwise;
}

template <std::size_t size>
int from_second(const std::array<Pair, size>& pairs, int value, int otherwise) {
  for (const auto& [theirs, ours] : pairs)
    if (ours == value) return theirs;
  return otherwise;
}

/// By Open MPI's numbers.
constexpr std::array errors{MPI_SUCCESS,
                            MPI_ERR_BUFFER,
                            MPI_ERR_COUNT,
                            MPI_ERR_TYPE,
                            MPI_ERR_TAG,
                            MPI_ERR_COMM,
                            MPI_ERR_RANK,
                            MPI_ERR_REQUEST,
                            MPI_ERR_ROOT,
                            MPI_ERR_GROUP,
                            MPI_ERR_OP,
                            MPI_ERR_TOPOLOGY,
                            MPI_ERR_DIMS,
                            MPI_ERR_ARG,
                            MPI_ERR_UNKNOWN,
                            MPI_ERR_TRUNCATE,
                            MPI_ERR_OTHER,
                            MPI_ERR_INTERN,
                            MPI_ERR_IN_STATUS,
                            MPI_ERR_PENDING,
                            MPI_ERR_ACCESS,
                            MPI_ERR_AMODE,
                            MPI_ERR_ASSERT,
                            MPI_ERR_BAD_FILE,
                            MPI_ERR_BASE,
                            MPI_ERR_CONVERSION,
                            MPI_ERR_DISP,
                            MPI_ERR_DUP_DATAREP,
                            MPI_ERR_FILE_EXISTS,
                            MPI_ERR_FILE_IN_USE,
                            MPI_ERR_FILE,
                            MPI_ERR_INFO_KEY,
                            MPI_ERR_INFO_NOKEY,
                            MPI_ERR_INFO_VALUE,
                            MPI_ERR_INFO,
                            MPI_ERR_IO,
                            MPI_ERR_KEYVAL,
                            MPI_ERR_LOCKTYPE,
                            MPI_ERR_NAME,
                            MPI_ERR_NO_MEM,
                            MPI_ERR_NOT_SAME,
                            MPI_ERR_NO_SPACE,
                            MPI_ERR_NO_SUCH_FILE,
                            MPI_ERR_PORT,
                            MPI_ERR_QUOTA,
                            MPI_ERR_READ_ONLY,
                            MPI_ERR_RMA_CONFLICT,
                            MPI_ERR_RMA_SYNC,
                            MPI_ERR_SERVICE,
                            MPI_ERR_SIZE,
                            MPI_ERR_SPAWN,
                            MPI_ERR_UNSUPPORTED_DATAREP,
                            MPI_ERR_UNSUPPORTED_OPERATION,
                            MPI_ERR_WIN,
                            MPI_T_ERR_MEMORY,
                            MPI_T_ERR_NOT_INITIALIZED,
                            MPI_T_ERR_CANNOT_INIT,
                            MPI_T_ERR_INVALID_INDEX,
                            MPI_T_ERR_INVALID_ITEM,
                            MPI_T_ERR_INVALID_HANDLE,
                            MPI_T_ERR_OUT_OF_HANDLES,
                            MPI_T_ERR_OUT_OF_SESSIONS,
                            MPI_T_ERR_INVALID_SESSION,
                            MPI_T_ERR_CVAR_SET_NOT_NOW,
                            MPI_T_ERR_CVAR_SET_NEVER,
                            MPI_T_ERR_PVAR_NO_STARTSTOP,
                            MPI_T_ERR_PVAR_NO_WRITE,
                            MPI_T_ERR_PVAR_NO_ATOMIC,
                            MPI_ERR_RMA_RANGE,
                            MPI_ERR_RMA_ATTACH,
                            MPI_ERR_RMA_FLAVOR,
                            MPI_ERR_RMA_SHARED,
                            MPI_T_ERR_INVALID,
                            MPI_T_ERR_INVALID_NAME};
/// MPICH's codes hold the class in these bits, and a mark if the program has added them.
constexpr int class_bits = 0x7f, added_by_program = 0x40000000;

constexpr std::array keyvals{Pair{-1, MPI_KEYVAL_INVALID},
                             Pair{0, MPI_TAG_UB},
                             Pair{keyval_host, MPI_HOST},
                             Pair{keyval_io, MPI_IO},
                             Pair{3, MPI_WTIME_IS_GLOBAL},
                             Pair{4, MPI_APPNUM},
                             Pair{5, MPI_LASTUSEDCODE},
                             Pair{6, MPI_UNIVERSE_SIZE},
                             Pair{7, MPI_WIN_BASE},
                             Pair{8, MPI_WIN_SIZE},
                             Pair{9, MPI_WIN_DISP_UNIT},
                             Pair{10, MPI_WIN_CREATE_FLAVOR},
                             Pair{keyval_window_model, MPI_WIN_MODEL}};
constexpr std::array assertions_of_windows{Pair{1, MPI_MODE_NOCHECK}, Pair{2, MPI_MODE_NOPRECEDE},
                                           Pair{4, MPI_MODE_NOPUT}, Pair{8, MPI_MODE_NOSTORE},
                                           Pair{16, MPI_MODE_NOSUCCEED}};
constexpr std::array locks{Pair{1, MPI_LOCK_EXCLUSIVE}, Pair{2, MPI_LOCK_SHARED}};
constexpr std::array type_classes{Pair{1, MPI_TYPECLASS_INTEGER}, Pair{2, MPI_TYPECLASS_REAL},
                                  Pair{3, MPI_TYPECLASS_COMPLEX}};
constexpr std::array orders{Pair{0, MPI_ORDER_C}, Pair{1, MPI_ORDER_FORTRAN}};
constexpr std::array distributions{Pair{0, MPI_DISTRIBUTE_BLOCK}, Pair{1, MPI_DISTRIBUTE_CYCLIC},
                                   Pair{2, MPI_DISTRIBUTE_NONE}};
constexpr std::array distribution_arguments{Pair{-1, MPI_DISTRIBUTE_DFLT_DARG}};
constexpr std::array topologies{Pair{1, MPI_CART}, Pair{2, MPI_GRAPH}, Pair{3, MPI_DIST_GRAPH}};
/// By Open MPI's numbers, from 0.
constexpr std::array combiners{MPI_COMBINER_NAMED,           MPI_COMBINER_DUP,
                               MPI_COMBINER_CONTIGUOUS,      MPI_COMBINER_VECTOR,
                               MPI_COMBINER_HVECTOR_INTEGER, MPI_COMBINER_HVECTOR,
                               MPI_COMBINER_INDEXED,         MPI_COMBINER_HINDEXED_INTEGER,
                               MPI_COMBINER_HINDEXED,        MPI_COMBINER_INDEXED_BLOCK,
                               MPI_COMBINER_STRUCT_INTEGER,  MPI_COMBINER_STRUCT,
                               MPI_COMBINER_SUBARRAY,        MPI_COMBINER_DARRAY,
                               MPI_COMBINER_F90_REAL,        MPI_COMBINER_F90_COMPLEX,
                               MPI_COMBINER_F90_INTEGER,     MPI_COMBINER_RESIZED,
                               MPI_COMBINER_HINDEXED_BLOCK};
/// No constant of MPICH's: its calls refuse it.
constexpr int no_constant = -12345;

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
  const auto number = static_cast<std::size_t>(code);
  return number < errors.size() ? errors[number] : MPI_ERR_UNKNOWN;
}

int error_from_mpich(int code) {
  if (code == MPI_SUCCESS || (code & added_by_program) != 0) return code;
  const auto* const found = std::ranges::find(errors, code & class_bits);
  return static_cast<int>(std::distance(
      errors.begin(), found == errors.end() ? std::ranges::find(errors, MPI_ERR_OTHER) : found));
}

int keyval_to_mpich(int keyval) {
  return from_first(keyvals, keyval, keyval);
}
int keyval_from_mpich(int keyval) {
  return from_second(keyvals, keyval, keyval);
}

int assertions_to_mpich(int assertions) {
  int found = 0;
  for (const auto& [theirs, ours] : assertions_of_windows) {
    if ((assertions & theirs) == 0) continue;
    found |= ours;
    assertions &= ~theirs;
  }
  return assertions == 0 ? found : no_constant;
}

int lock_to_mpich(int lock) {
  return from_first(locks, lock, no_constant);
}
int split_type_to_mpich(int type) {
  if (type == MPI_UNDEFINED) return type;
  return type == 0 ? MPI_COMM_TYPE_SHARED : no_constant;
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
  const auto* const found = std::ranges::find(combiners, combiner);
  return found == combiners.end() ? combiner : static_cast<int>(std::distance(combiners.begin(), found));
}

}  // namespace morgana::openmpi
