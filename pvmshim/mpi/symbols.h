#pragma once

namespace morgana::mpi {

/// The C library's dlsym. This library exports another, which gives a program that asks MPICH for a function
/// by its name (having loaded it with dlopen, even RTLD_LOCAL) the one of this library.
void* libc_dlsym(void* handle, const char* name);

}  // namespace morgana::mpi
