#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace morgana {

/// The MPI library that the shim stands in front of.
constexpr std::string_view mpich_library = "libmpich.so.12";
/// The same interface under the name that MPICH built from source, Intel MPI and MVAPICH give it.
constexpr std::string_view mpich_family_library = "libmpi.so.12";
/// Open MPI's, of 4.x and 5.x.
constexpr std::string_view openmpi_library = "libmpi.so.40";

/// That of the standard's binary interface (version 1 of the ABI of MPI 5.0), which is of no MPI in
/// particular, as MPICH 5.0.2 and Open MPI 6.0 name it. MPICH before 5.0.2 and the MPI Forum's stubs number
/// it 0.
constexpr std::string_view standard_abi_library = "libmpi_abi.so.1";
constexpr std::string_view earlier_abi_library = "libmpi_abi.so.0";

/// Whether a library's file name is that of Open MPI's interface for Fortran or C++, which calls Open MPI's
/// library.
inline bool is_openmpi_binding(std::string_view name) {
  constexpr std::array<std::string_view, 4> names{"libmpi_mpifh.so.40", "libmpi_usempif08.so.40",
                                                  "libmpi_usempi_ignore_tkr.so.40", "libmpi_cxx.so.40"};
  return std::any_of(names.begin(), names.end(),
                     [name](std::string_view one) { return name.starts_with(one); });
}

/// Whether a library's file name is that of another MPI than Debian's MPICH, or of a part of it. Open MPI's
/// interfaces for Fortran and C++ bring its library (libmpi.so.40) along, which shows which one it is.
inline bool is_other_mpi(std::string_view name) {
  constexpr std::array<std::string_view, 10> beginnings{
      "libmpi.so",   "libmpi_cxx.so", "libmpi_mpifh.so", "libmpi_usempi",  "libmpich.so",
      "libmpigf.so", "libmsmpi",      "liboshmem.so",    "libmpi_java.so", "libmpi_abi"};
  return !name.starts_with(mpich_library) && !is_openmpi_binding(name) &&
         std::any_of(beginnings.begin(), beginnings.end(),
                     [name](std::string_view one) { return name.starts_with(one); });
}

}  // namespace morgana
