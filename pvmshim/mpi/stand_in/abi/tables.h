#pragma once

#include <mpi.h>

#include <array>

#include "pvmshim/mpi/stand_in/abi/values.h"
#include "pvmshim/mpi/stand_in/pairs.h"

// The constants of the standard ABI (MPI 5.0, annex A), and MPICH's.

namespace morgana::stand_in {

/// By their numbers; the last ones of MPI 4.1 and 5.0, 61 and 62, MPICH 4.0 does not know.
constexpr std::array errors{Pair{0, MPI_SUCCESS},
                            Pair{1, MPI_ERR_BUFFER},
                            Pair{2, MPI_ERR_COUNT},
                            Pair{3, MPI_ERR_TYPE},
                            Pair{4, MPI_ERR_TAG},
                            Pair{5, MPI_ERR_COMM},
                            Pair{6, MPI_ERR_RANK},
                            Pair{7, MPI_ERR_REQUEST},
                            Pair{8, MPI_ERR_ROOT},
                            Pair{9, MPI_ERR_GROUP},
                            Pair{10, MPI_ERR_OP},
                            Pair{11, MPI_ERR_TOPOLOGY},
                            Pair{12, MPI_ERR_DIMS},
                            Pair{13, MPI_ERR_ARG},
                            Pair{14, MPI_ERR_UNKNOWN},
                            Pair{15, MPI_ERR_TRUNCATE},
                            Pair{16, MPI_ERR_OTHER},
                            Pair{17, MPI_ERR_INTERN},
                            Pair{18, MPI_ERR_PENDING},
                            Pair{19, MPI_ERR_IN_STATUS},
                            Pair{20, MPI_ERR_ACCESS},
                            Pair{21, MPI_ERR_AMODE},
                            Pair{22, MPI_ERR_ASSERT},
                            Pair{23, MPI_ERR_BAD_FILE},
                            Pair{24, MPI_ERR_BASE},
                            Pair{25, MPI_ERR_CONVERSION},
                            Pair{26, MPI_ERR_DISP},
                            Pair{27, MPI_ERR_DUP_DATAREP},
                            Pair{28, MPI_ERR_FILE_EXISTS},
                            Pair{29, MPI_ERR_FILE_IN_USE},
                            Pair{30, MPI_ERR_FILE},
                            Pair{31, MPI_ERR_INFO_KEY},
                            Pair{32, MPI_ERR_INFO_NOKEY},
                            Pair{33, MPI_ERR_INFO_VALUE},
                            Pair{34, MPI_ERR_INFO},
                            Pair{35, MPI_ERR_IO},
                            Pair{36, MPI_ERR_KEYVAL},
                            Pair{37, MPI_ERR_LOCKTYPE},
                            Pair{38, MPI_ERR_NAME},
                            Pair{39, MPI_ERR_NO_MEM},
                            Pair{40, MPI_ERR_NOT_SAME},
                            Pair{41, MPI_ERR_NO_SPACE},
                            Pair{42, MPI_ERR_NO_SUCH_FILE},
                            Pair{43, MPI_ERR_PORT},
                            Pair{44, MPI_ERR_QUOTA},
                            Pair{45, MPI_ERR_READ_ONLY},
                            Pair{46, MPI_ERR_RMA_ATTACH},
                            Pair{47, MPI_ERR_RMA_CONFLICT},
                            Pair{48, MPI_ERR_RMA_RANGE},
                            Pair{49, MPI_ERR_RMA_SHARED},
                            Pair{50, MPI_ERR_RMA_SYNC},
                            Pair{51, MPI_ERR_SERVICE},
                            Pair{52, MPI_ERR_SIZE},
                            Pair{53, MPI_ERR_SPAWN},
                            Pair{54, MPI_ERR_UNSUPPORTED_DATAREP},
                            Pair{55, MPI_ERR_UNSUPPORTED_OPERATION},
                            Pair{56, MPI_ERR_WIN},
                            Pair{57, MPI_ERR_RMA_FLAVOR},
                            Pair{58, MPI_ERR_PROC_ABORTED},
                            Pair{59, MPI_ERR_VALUE_TOO_LARGE},
                            Pair{60, MPI_ERR_SESSION},
                            Pair{1001, MPI_T_ERR_CANNOT_INIT},
                            Pair{1003, MPI_T_ERR_NOT_INITIALIZED},
                            Pair{1005, MPI_T_ERR_MEMORY},
                            Pair{1006, MPI_T_ERR_INVALID},
                            Pair{1007, MPI_T_ERR_INVALID_INDEX},
                            Pair{1008, MPI_T_ERR_INVALID_ITEM},
                            Pair{1009, MPI_T_ERR_INVALID_SESSION},
                            Pair{1010, MPI_T_ERR_INVALID_HANDLE},
                            Pair{1011, MPI_T_ERR_INVALID_NAME},
                            Pair{1012, MPI_T_ERR_OUT_OF_HANDLES},
                            Pair{1013, MPI_T_ERR_OUT_OF_SESSIONS},
                            Pair{1014, MPI_T_ERR_CVAR_SET_NOT_NOW},
                            Pair{1015, MPI_T_ERR_CVAR_SET_NEVER},
                            Pair{1016, MPI_T_ERR_PVAR_NO_WRITE},
                            Pair{1017, MPI_T_ERR_PVAR_NO_STARTSTOP},
                            Pair{1018, MPI_T_ERR_PVAR_NO_ATOMIC}};

constexpr std::array keyvals{Pair{0, MPI_KEYVAL_INVALID},
                             Pair{501, MPI_TAG_UB},
                             Pair{keyval_io, MPI_IO},
                             Pair{keyval_host, MPI_HOST},
                             Pair{504, MPI_WTIME_IS_GLOBAL},
                             Pair{505, MPI_APPNUM},
                             Pair{506, MPI_LASTUSEDCODE},
                             Pair{507, MPI_UNIVERSE_SIZE},
                             Pair{601, MPI_WIN_BASE},
                             Pair{602, MPI_WIN_DISP_UNIT},
                             Pair{603, MPI_WIN_SIZE},
                             Pair{keyval_window_flavor, MPI_WIN_CREATE_FLAVOR},
                             Pair{keyval_window_model, MPI_WIN_MODEL}};
constexpr std::array assertions_of_windows{Pair{1024, MPI_MODE_NOCHECK}, Pair{2048, MPI_MODE_NOPRECEDE},
                                           Pair{4096, MPI_MODE_NOPUT}, Pair{8192, MPI_MODE_NOSTORE},
                                           Pair{16384, MPI_MODE_NOSUCCEED}};
constexpr std::array file_modes{
    Pair{1, MPI_MODE_APPEND},      Pair{2, MPI_MODE_CREATE},        Pair{4, MPI_MODE_DELETE_ON_CLOSE},
    Pair{8, MPI_MODE_EXCL},        Pair{16, MPI_MODE_RDONLY},       Pair{32, MPI_MODE_RDWR},
    Pair{64, MPI_MODE_SEQUENTIAL}, Pair{128, MPI_MODE_UNIQUE_OPEN}, Pair{256, MPI_MODE_WRONLY}};
constexpr std::array seeks{Pair{401, MPI_SEEK_CUR}, Pair{402, MPI_SEEK_END}, Pair{403, MPI_SEEK_SET}};
constexpr std::array thread_levels{Pair{0, MPI_THREAD_SINGLE}, Pair{1024, MPI_THREAD_FUNNELED},
                                   Pair{2048, MPI_THREAD_SERIALIZED}, Pair{4096, MPI_THREAD_MULTIPLE}};
constexpr std::array comparisons{Pair{201, MPI_IDENT}, Pair{202, MPI_CONGRUENT}, Pair{203, MPI_SIMILAR},
                                 Pair{204, MPI_UNEQUAL}};
constexpr std::array locks{Pair{301, MPI_LOCK_EXCLUSIVE}, Pair{302, MPI_LOCK_SHARED}};
constexpr std::array split_types{Pair{221, MPI_COMM_TYPE_SHARED}, Pair{222, MPI_COMM_TYPE_HW_UNGUIDED},
                                 Pair{223, MPI_COMM_TYPE_HW_GUIDED}};
constexpr std::array window_flavors{Pair{311, MPI_WIN_FLAVOR_CREATE}, Pair{312, MPI_WIN_FLAVOR_ALLOCATE},
                                    Pair{313, MPI_WIN_FLAVOR_DYNAMIC}, Pair{314, MPI_WIN_FLAVOR_SHARED}};
constexpr std::array window_models{Pair{321, MPI_WIN_UNIFIED}, Pair{322, MPI_WIN_SEPARATE}};
constexpr std::array type_classes{Pair{192, MPI_TYPECLASS_INTEGER}, Pair{193, MPI_TYPECLASS_REAL},
                                  Pair{194, MPI_TYPECLASS_COMPLEX}};
constexpr std::array orders{Pair{12, MPI_ORDER_C}, Pair{15, MPI_ORDER_FORTRAN}};
constexpr std::array distributions{Pair{16, MPI_DISTRIBUTE_NONE}, Pair{17, MPI_DISTRIBUTE_BLOCK},
                                   Pair{18, MPI_DISTRIBUTE_CYCLIC}};
constexpr std::array distribution_arguments{Pair{19, MPI_DISTRIBUTE_DFLT_DARG}};
constexpr std::array topologies{Pair{211, MPI_CART}, Pair{212, MPI_GRAPH}, Pair{213, MPI_DIST_GRAPH}};
constexpr std::array combiners{Pair{101, MPI_COMBINER_NAMED},          Pair{102, MPI_COMBINER_DUP},
                               Pair{103, MPI_COMBINER_CONTIGUOUS},     Pair{104, MPI_COMBINER_VECTOR},
                               Pair{105, MPI_COMBINER_HVECTOR},        Pair{106, MPI_COMBINER_INDEXED},
                               Pair{107, MPI_COMBINER_HINDEXED},       Pair{108, MPI_COMBINER_INDEXED_BLOCK},
                               Pair{109, MPI_COMBINER_HINDEXED_BLOCK}, Pair{110, MPI_COMBINER_STRUCT},
                               Pair{111, MPI_COMBINER_SUBARRAY},       Pair{112, MPI_COMBINER_DARRAY},
                               Pair{113, MPI_COMBINER_F90_REAL},       Pair{114, MPI_COMBINER_F90_COMPLEX},
                               Pair{115, MPI_COMBINER_F90_INTEGER},    Pair{116, MPI_COMBINER_RESIZED}};

}  // namespace morgana::stand_in
