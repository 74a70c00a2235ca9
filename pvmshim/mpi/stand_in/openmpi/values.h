#pragma once

#include <cstddef>
#include <cstdint>

namespace morgana::stand_in {

// What the stand-in says of itself, and the version of MPI that it carries out.
inline constexpr const char* stand_in_name = "the stand-in for Open MPI's library";
inline constexpr const char* library_version =
    "Morgana's stand-in for Open MPI's library (libmpi.so.40, version 4.1), over MPICH";
inline constexpr int mpi_version = 3, mpi_subversion = 1;

// Lengths of texts, the zero at the end counted.
inline constexpr std::size_t longest_error_text = 256;
inline constexpr std::size_t longest_object_name = 64;
inline constexpr std::size_t longest_info_key = 36;
inline constexpr std::size_t longest_library_version = 256;

// Values that calls of ours look for.
inline constexpr int any_source = -1, null_process = -2, root_of_other_group = -4;
inline constexpr int tool_interface_not_initialized = 55, tool_interface_cannot_start = 56;
inline constexpr int keyval_io = 2, keyval_host = 1, keyval_window_flavor = 10, keyval_window_model = 11;
/// Addresses that are constants.
inline constexpr std::uintptr_t in_place_address = 1, unweighted_address = 2, empty_weights_address = 3;
/// MPI_COMM_DUP_FN and the like are functions of the library (attribute_functions.cpp), not constants.
inline constexpr std::uintptr_t duplicating_function = 0;

// The tags' constant is MPICH's.
inline int tag_from_mpich(int tag) {
  return tag;
}
inline int tag_to_mpich(int tag) {
  return tag;
}

}  // namespace morgana::stand_in
