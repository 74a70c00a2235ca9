#pragma once

#include <cstdint>

namespace morgana::stand_in {

/// What a handle of Open MPI's interface points to: an object that the program knows by its address alone. It
/// holds MPICH's handle. A predefined one may lie in the program itself (a copy relocation), which took as
/// many bytes for it as Open MPI's own object has: more than this one.
struct Handle {
  std::intptr_t mpich;
  int fortran = -1;  ///< its number in Fortran, if that is Open MPI's own; -1: MPICH's
};

/// MPICH's handle; 0 for a null pointer.
inline std::intptr_t mpich_value(const Handle* handle) {
  return handle == nullptr ? 0 : handle->mpich;
}

/// The object for a handle of MPICH's; the same one whenever the same handle comes back, since MPICH gives
/// some handles twice (a datatype's contents) and uses the numbers of freed ones again. It lives as long as
/// the process.
Handle* from_mpich(std::intptr_t value);

/// From now on the handle stands for another one of MPICH's, which takes the place of the one before.
void replace_mpichs(Handle* handle, std::intptr_t value);

/// A handle's number in Fortran: Open MPI's own for predefined ones, MPICH's for others.
int fortran_number(const Handle* handle);
/// @param kind  a predefined handle of MPICH's, whose kind the number is of
Handle* from_fortran(int kind, int number);

/// The predefined objects that calls of ours name.
Handle* null_message();
Handle* no_process_message();
Handle* null_file();

}  // namespace morgana::stand_in
