#pragma once

#include <cstddef>

namespace morgana::openmpi {

// What the constants of Open MPI's interface (4.x and 5.x) are for MPICH, and the other way round. A number
// that is none of the constants stays what it is, unless it is said otherwise.

/// Ranks: MPI_ANY_SOURCE, MPI_PROC_NULL, MPI_ROOT.
int rank_to_mpich(int rank);
int rank_from_mpich(int rank);

/// Error classes and codes. Open MPI's codes are its classes; those that the program has added are MPICH's.
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

// Lengths of texts, the zero at the end counted.
inline constexpr std::size_t longest_processor_name = 256;
inline constexpr std::size_t longest_error_text = 256;
inline constexpr std::size_t longest_object_name = 64;
inline constexpr std::size_t longest_info_key = 36;
inline constexpr std::size_t longest_library_version = 256;
inline constexpr std::size_t longest_data_representation = 128;

// Values of Open MPI's that calls of ours look for.
inline constexpr int any_source = -1, null_process = -2, root_of_other_group = -4;
inline constexpr int tool_interface_not_initialized = 55, tool_interface_cannot_start = 56;
inline constexpr int keyval_io = 2, keyval_host = 1, keyval_window_model = 11;

}  // namespace morgana::openmpi
