#pragma once

#include <cstddef>
#include <cstdint>

// Values of the standard ABI: MPI 5.0, chapter 20 and annex A.

namespace morgana::stand_in {

// What the stand-in says of itself, and the version of MPI that it carries out: MPICH 4.0's.
inline constexpr const char* stand_in_name = "the stand-in for the standard ABI's library";
inline constexpr const char* library_version =
    "Morgana's stand-in for the standard ABI's library (libmpi_abi.so.1, version 1.0), over MPICH";
inline constexpr int mpi_version = 4, mpi_subversion = 0;
inline constexpr int abi_version = 1, abi_subversion = 0;

// Lengths of texts, the zero at the end counted.
inline constexpr std::size_t longest_error_text = 512;
inline constexpr std::size_t longest_object_name = 128;
inline constexpr std::size_t longest_info_key = 256;
inline constexpr std::size_t longest_library_version = 8192;

// Values that calls of ours look for.
inline constexpr int any_source = -1, any_tag = -2, null_process = -3, root_of_other_group = -4;
inline constexpr int tool_interface_not_initialized = 1003, tool_interface_cannot_start = 1001;
inline constexpr int error_of_abi = 62;  ///< MPI_ERR_ABI
inline constexpr int keyval_io = 502, keyval_host = 503, keyval_window_flavor = 604,
                     keyval_window_model = 605;
inline constexpr std::int64_t current_displacement = -1;
/// MPI_FILE_NULL, and the first integer that MPI_File_toint gives for a file.
inline constexpr int null_file_number = 0x118, first_file_number = 0x400;
/// Addresses that are constants.
inline constexpr std::uintptr_t in_place_address = 1, automatic_buffer_address = 2, unweighted_address = 10,
                                empty_weights_address = 11;
/// MPI_COMM_DUP_FN and the like.
inline constexpr std::uintptr_t duplicating_function = 1;

int tag_to_mpich(int tag);
int tag_from_mpich(int tag);

}  // namespace morgana::stand_in
