#pragma once

#include <mpi.h>

#include <bit>
#include <cstdint>
#include <type_traits>

// To MPICH these are macros; here they are functions.
#undef MPI_Comm_c2f
#undef PMPI_Comm_c2f
#undef MPI_Comm_f2c
#undef PMPI_Comm_f2c
#undef MPI_Type_c2f
#undef PMPI_Type_c2f
#undef MPI_Type_f2c
#undef PMPI_Type_f2c
#undef MPI_Group_c2f
#undef PMPI_Group_c2f
#undef MPI_Group_f2c
#undef PMPI_Group_f2c
#undef MPI_Info_c2f
#undef PMPI_Info_c2f
#undef MPI_Info_f2c
#undef PMPI_Info_f2c
#undef MPI_Request_c2f
#undef PMPI_Request_c2f
#undef MPI_Request_f2c
#undef PMPI_Request_f2c
#undef MPI_Op_c2f
#undef PMPI_Op_c2f
#undef MPI_Op_f2c
#undef PMPI_Op_f2c
#undef MPI_Errhandler_c2f
#undef PMPI_Errhandler_c2f
#undef MPI_Errhandler_f2c
#undef PMPI_Errhandler_f2c
#undef MPI_Win_c2f
#undef PMPI_Win_c2f
#undef MPI_Win_f2c
#undef PMPI_Win_f2c
#undef MPI_Message_c2f
#undef PMPI_Message_c2f
#undef MPI_Message_f2c
#undef PMPI_Message_f2c

namespace morgana::openmpi {

/// What a handle of Open MPI's interface points to: an object that the program knows by its address alone. It
/// holds MPICH's handle. A predefined one may lie in the program itself (a copy relocation), which took as
/// many bytes for it as Open MPI's own object has: more than this one.
struct Handle {
  std::intptr_t mpich;
  int fortran = -1;  ///< its number in Fortran, if that is Open MPI's own; -1: MPICH's
};

/// MPICH's handle of a kind (MPI_Comm ... MPI_File) as a value of its own width.
template <typename Kind>
std::intptr_t value_of(Kind mpich) {
  if constexpr (std::is_pointer_v<Kind>)
    return std::bit_cast<std::intptr_t>(mpich);
  else
    return static_cast<std::intptr_t>(static_cast<int>(mpich));
}

/// MPICH's handle; a null pointer becomes one that MPICH refuses.
template <typename Kind>
Kind to_mpich(const Handle* handle) {
  const std::intptr_t value = handle == nullptr ? 0 : handle->mpich;
  if constexpr (std::is_pointer_v<Kind>)
    return std::bit_cast<Kind>(value);
  else
    return static_cast<Kind>(value);
}

/// The object for a handle of MPICH's; the same one whenever the same handle comes back, since MPICH gives
/// some handles twice (a datatype's contents) and uses the numbers of freed ones again. It lives as long as
/// the process.
Handle* from_mpich(std::intptr_t value);
template <typename Kind>
Handle* from_mpich(Kind mpich) {
  return from_mpich(value_of(mpich));
}

/// From now on the handle stands for another one of MPICH's, which takes the place of the one before.
void replace_mpichs(Handle* handle, std::intptr_t value);

// Messages have numbers that requests have, too, and each is used once.
Handle* message_from_mpich(MPI_Message message);
void forget_message(Handle* message);

Handle* file_from_mpich(MPI_File file);

/// A handle's number in Fortran: Open MPI's own for predefined ones, MPICH's for others.
int fortran_number(const Handle* handle);
/// @param kind  a predefined handle of MPICH's, whose kind the number is of
Handle* from_fortran(int kind, int number);

/// The predefined objects that calls of ours name.
Handle* null_message();
Handle* no_process_message();
Handle* null_file();

}  // namespace morgana::openmpi
