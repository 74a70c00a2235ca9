#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace morgana {

/// The one MPI that the shim stands in front of.
constexpr std::string_view mpich_library = "libmpich.so.12";

/// Whether a library's file name is that of another MPI. (libmpi.so.12 is Intel MPI's and others'.)
inline bool is_other_mpi(std::string_view name) {
  constexpr std::array<std::string_view, 7> beginnings{
      "libmpi.so",   "libmpi_cxx.so", "libmpi_mpifh.so", "libmpi_usempif08.so",
      "libmpich.so", "libmpigf.so",   "libmsmpi"};
  return !name.starts_with(mpich_library) &&
         std::any_of(beginnings.begin(), beginnings.end(),
                     [name](std::string_view one) { return name.starts_with(one); });
}

}  // namespace morgana
