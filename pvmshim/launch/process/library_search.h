#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace morgana {

/// The folders that an environment variable lists, separated by colons.
std::vector<std::string> folders_in(const char* variable);

/// Where the dynamic linker would most probably find the library; empty if nowhere.
/// @param search_path  of the file that needs it
std::filesystem::path find_library(const std::string& name, const std::vector<std::string>& search_path);

/// Whether the library is neither in those folders nor in the dynamic linker's cache (/etc/ld.so.cache).
bool is_missing(const std::string& name, const std::vector<std::string>& search_path);

/// That a program needs one of Open MPI's libraries for Fortran or C++, and which package has it.
std::string missing_binding_text(std::string_view program, std::string_view library);

/// That a program needs a library for MPI that nothing stands in for, and what to build it with: one of Open
/// MPI's, or another version of the standard ABI's (MPI 5.0).
std::string unsupported_part_text(std::string_view program, std::string_view library);

}  // namespace morgana
