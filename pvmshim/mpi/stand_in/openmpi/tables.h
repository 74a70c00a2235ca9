#pragma once

#include <mpi.h>

#include <array>

#include "pvmshim/mpi/stand_in/openmpi/values.h"
#include "pvmshim/mpi/stand_in/pairs.h"

// The constants of Open MPI's interface (4.x and 5.x), and MPICH's. For constants.cpp.

namespace morgana::stand_in {

constexpr auto errors = counted(std::array{MPI_SUCCESS,
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
                                           MPI_T_ERR_INVALID_NAME});
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
                             Pair{keyval_window_flavor, MPI_WIN_CREATE_FLAVOR},
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
constexpr std::array split_types{Pair{0, MPI_COMM_TYPE_SHARED}};
constexpr std::array window_flavors{Pair{1, MPI_WIN_FLAVOR_CREATE}, Pair{2, MPI_WIN_FLAVOR_ALLOCATE},
                                    Pair{3, MPI_WIN_FLAVOR_DYNAMIC}, Pair{4, MPI_WIN_FLAVOR_SHARED}};
constexpr std::array window_models{Pair{0, MPI_WIN_UNIFIED}, Pair{1, MPI_WIN_SEPARATE}};
constexpr auto combiners = counted(std::array<int, 19>{
    MPI_COMBINER_NAMED, MPI_COMBINER_DUP, MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_VECTOR,
    MPI_COMBINER_HVECTOR_INTEGER, MPI_COMBINER_HVECTOR, MPI_COMBINER_INDEXED, MPI_COMBINER_HINDEXED_INTEGER,
    MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_STRUCT_INTEGER, MPI_COMBINER_STRUCT,
    MPI_COMBINER_SUBARRAY, MPI_COMBINER_DARRAY, MPI_COMBINER_F90_REAL, MPI_COMBINER_F90_COMPLEX,
    MPI_COMBINER_F90_INTEGER, MPI_COMBINER_RESIZED, MPI_COMBINER_HINDEXED_BLOCK});

}  // namespace morgana::stand_in
