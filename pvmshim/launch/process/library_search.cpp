#include "pvmshim/launch/process/library_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include "pvmshim/channel/other_mpis.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

constexpr std::array standard_folders{"/lib/x86_64-linux-gnu",
                                      "/usr/lib/x86_64-linux-gnu",
                                      "/usr/local/lib",
                                      "/lib64",
                                      "/lib",
                                      "/usr/lib64",
                                      "/usr/lib"};

/// The cache holds names as text, each ended by a 0.
bool is_in_linkers_cache(const std::string& name) {
  std::ifstream file("/etc/ld.so.cache", std::ios::binary);
  const std::string cache{std::istreambuf_iterator<char>(file), {}};
  return cache.find('\0' + name + '\0') != std::string::npos;
}

}  // namespace

std::vector<std::string> folders_in(const char* variable) {
  std::vector<std::string> folders;
  const char* value = std::getenv(variable);
  std::string rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.push_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  return folders;
}

fs::path find_library(const std::string& name, const std::vector<std::string>& search_path) {
  std::vector<std::string> folders = search_path;
  for (std::string& folder : folders_in("LD_LIBRARY_PATH")) folders.push_back(std::move(folder));
  folders.insert(folders.end(), standard_folders.begin(), standard_folders.end());
  for (const std::string& folder : folders)
    if (std::error_code ignored; fs::exists(fs::path(folder) / name, ignored)) return fs::path(folder) / name;
  return {};
}

bool is_missing(const std::string& name, const std::vector<std::string>& search_path) {
  return find_library(name, search_path).empty() && !is_in_linkers_cache(name);
}

std::string missing_binding_text(std::string_view program, std::string_view library) {
  const bool cxx = library.starts_with("libmpi_cxx");
  return fmt::format(
      "{} needs {}, Open MPI's library for {}, which is not here (Morgana stands in for libmpi.so.40 alone): "
      "install it (Debian 11 and 12, Ubuntu 22.04: apt install libopenmpi3; Ubuntu 24.04: libopenmpi3t64{}), "
      "or "
      "set LD_LIBRARY_PATH to the folder that has it",
      program, library, cxx ? "C++" : "Fortran", cxx ? "" : "; Debian 13: libopenmpi40");
}

std::string unsupported_part_text(std::string_view program, std::string_view library) {
  if (library.starts_with("libmpi_abi.so"))
    return fmt::format(
        "{} needs {}, and of the library of MPI 5.0's standard binary interface (ABI) Morgana stands in for "
        "version 1 ({}) only: build the program for that one, or with mpicc.mpich",
        program, library, standard_abi_library);

  const char* instead = library.starts_with("liboshmem")     ? "MPI in place of OpenSHMEM"
                        : library.starts_with("libmpi_java") ? "C in place of Java"
                                                             : "Open MPI 4 or 5, or with MPICH";
  return fmt::format(
      "{} needs {} of Open MPI, and Morgana stands in for its MPI library ({}) only, in C, C++ and Fortran: "
      "build the program with {}",
      program, library, openmpi_library, instead);
}

}  // namespace morgana
