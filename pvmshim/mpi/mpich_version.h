#pragma once

#include <compare>
#include <string_view>

namespace morgana::mpi {

/// A release of MPICH: behaviour that programs see differs between them.
struct MpichVersion {
  int major = 0, minor = 0;

  auto operator<=>(const MpichVersion&) const = default;
};

/// From what MPI_Get_library_version says: "MPICH Version:", blanks, "4.2.1". 4.0 where it says something
/// else.
MpichVersion version_in(std::string_view library_version);

}  // namespace morgana::mpi
