#pragma once

#include <mpi.h>

#include <cstdint>

#include "pvmshim/mpi/stand_in/handles.h"

namespace morgana::stand_in {

/// The functions of MPICH's interface that the calls become: the shim's (libmorgana-mpi.so), and MPICH's own
/// where the shim takes nothing over.
struct Targets {
#define MORGANA_CALL(name, ...) decltype(&::P##name) name;
#define MORGANA_BY_HAND(name, ...) decltype(&::P##name) name;
#define MORGANA_CALL_AS(name, other, ...)
#define MORGANA_ALONE(name, ...)
#include "pvmshim/mpi/stand_in/calls.def"
#undef MORGANA_CALL
#undef MORGANA_BY_HAND
#undef MORGANA_CALL_AS
#undef MORGANA_ALONE

  struct Code {
    std::uintptr_t begin = 0, size = 0;
    bool holds(std::uintptr_t address) const { return address - begin < size; }
  };
  Code mpich, shim, own;

  /// Whether a call from this address is MPICH's own and has MPICH's handles: MPICH calls some of its
  /// functions by their public names, and the linker finds this library's. (Where MPICH jumps to such a
  /// function as its last act, the address is that of MPICH's caller: the shim or this library.)
  bool is_below(const void* caller) const {
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    return mpich.holds(address) || shim.holds(address) || own.holds(address);
  }
};

/// MPICH's own functions, for the calls that MPICH makes of itself.
const Targets& targets_of_mpich();
/// Found at the first call. Ends the process with one sentence where the shim or MPICH is missing.
const Targets& targets();

/// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY of MPICH, which are addresses in it.
int* unweighted();
int* empty_weights();

/// The function of this name in a library that stands between the program and the MPI library (a profiler, a
/// tracer) and that the linker has behind this one; null if there is none.
void* function_of_tool(const char* name);

/// Says "morgana: ..." on stderr and ends the process.
[[noreturn]] void end_with(const char* what, const char* more = "");

}  // namespace morgana::stand_in
