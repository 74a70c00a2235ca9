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

#if defined(MORGANA_STANDARD_ABI)
#include "pvmshim/mpi/stand_in/abi/handles.h"
#else
#include "pvmshim/mpi/stand_in/openmpi/handles.h"
#endif

// The interface that a library of this folder stands in for is chosen when it is compiled: the standard's
// (abi), or Open MPI's (openmpi). Of each its own part says what a `Handle` is, of which a program's handles
// are the addresses, and what MPICH has for it: mpich_value() and from_mpich().

namespace morgana::stand_in {

/// MPICH's handle of a kind (MPI_Comm ... MPI_File) as a value of its own width.
template <typename Kind>
std::intptr_t value_of(Kind mpich) {
  if constexpr (std::is_pointer_v<Kind>)
    return std::bit_cast<std::intptr_t>(mpich);
  else
    return static_cast<std::intptr_t>(static_cast<int>(mpich));
}

/// MPICH's handle; what is none becomes one that MPICH refuses.
template <typename Kind>
Kind to_mpich(const Handle* handle) {
  const std::intptr_t value = mpich_value(handle);
  if constexpr (std::is_pointer_v<Kind>)
    return std::bit_cast<Kind>(value);
  else
    return static_cast<Kind>(value);
}

template <typename Kind>
Handle* from_mpich(Kind mpich) {
  return from_mpich(value_of(mpich));
}

// Messages have numbers that requests have, too, and each is used once.
Handle* message_from_mpich(MPI_Message message);
void forget_message(Handle* message);

Handle* file_from_mpich(MPI_File file);

/// The handle of any kind of object that MPICH gives a function of the program's.
template <typename Object>
Handle* handle_of(Object object) {
  if constexpr (std::is_same_v<Object, MPI_File>)
    return file_from_mpich(object);
  else
    return from_mpich(object);
}

}  // namespace morgana::stand_in
