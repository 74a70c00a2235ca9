#pragma once

#include <cstdint>
#include <cstring>

#include "pvmshim/mpi/stand_in/by_hand.h"
#include "pvmshim/mpi/stand_in/openmpi/foreign_callbacks.h"
#include "pvmshim/mpi/stand_in/parameters.h"

/// Entry points of Open MPI's Fortran library (libmpi_mpifh.so.40) that read or write the insides of Open
/// MPI's objects. These definitions come before that library's; its other entry points call only the C
/// functions, and stay as they are. All parameters are passed by reference.
namespace morgana::stand_in::fortran {

using Integer = int;
using Logical = int;
/// INTEGER(KIND=MPI_ADDRESS_KIND)
using Address = MPI_Aint;

constexpr std::size_t integers_of_status = sizeof(Status) / sizeof(Integer);

/// Whether a status is Fortran's MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE.
bool is_ignored(const Integer* status);

/// Of kinds whose only predefined handle in Fortran is the null handle, which is 0 there.
template <typename Kind>
Kind from_integer(Integer number, Kind null) {
  return number == 0 ? null : static_cast<Kind>(number);
}
template <typename Kind>
Integer to_integer(Kind handle, Kind null) {
  return handle == null ? 0 : static_cast<Integer>(handle);
}

/// An entry point that modules call is named ompi_NAME_f; programs call mpi_NAME and pmpi_NAME, with the
/// number of underscores that their compiler adds.
#define MORGANA_ENTRY_POINT(name, ...)                                                    \
  extern "C" {                                                                            \
  MORGANA_EXPORTED void ompi_##name##_f(__VA_ARGS__);                                     \
  MORGANA_EXPORTED void mpi_##name(__VA_ARGS__) MORGANA_SAME_AS("ompi_" #name "_f");      \
  MORGANA_EXPORTED void mpi_##name##_(__VA_ARGS__) MORGANA_SAME_AS("ompi_" #name "_f");   \
  MORGANA_EXPORTED void mpi_##name##__(__VA_ARGS__) MORGANA_SAME_AS("ompi_" #name "_f");  \
  MORGANA_EXPORTED void pmpi_##name(__VA_ARGS__) MORGANA_SAME_AS("ompi_" #name "_f");     \
  MORGANA_EXPORTED void pmpi_##name##_(__VA_ARGS__) MORGANA_SAME_AS("ompi_" #name "_f");  \
  MORGANA_EXPORTED void pmpi_##name##__(__VA_ARGS__) MORGANA_SAME_AS("ompi_" #name "_f"); \
  }                                                                                       \
  void ompi_##name##_f(__VA_ARGS__)
#define MORGANA_EXPORTED __attribute__((visibility("default")))
#define MORGANA_SAME_AS(name) __attribute__((alias(name)))

}  // namespace morgana::stand_in::fortran
