// The MPI_* and PMPI_* functions that this library shows to the program.

#include <dlfcn.h>

#include <exception>
#include <string>
#include <string_view>

#include "pvmshim/mpi/declared_types.h"
#include "pvmshim/mpi/emulate/call_turn.h"
#include "pvmshim/mpi/emulate/files/files.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/refusal.h"
#include "pvmshim/mpi/symbols.h"
#include "pvmshim/mpi/uncaught_errors.h"

namespace {

using namespace morgana::mpi;

/// Calls that have a meaning before MPI_Init or after MPI_Finalize.
consteval bool goes_any_time(std::string_view name) {
  for (const std::string_view one : {"MPI_Init", "MPI_Init_thread", "MPI_Session_init", "MPI_Initialized",
                                     "MPI_Finalized", "MPI_Wtime", "MPI_Wtick"})
    if (name == one) return true;
  return false;
}

/// Calls whose answer is the model's for MPICH, too: it chooses who writes a file by the names of hosts.
consteval bool answers_mpich(std::string_view name) {
  return name == "MPI_Get_processor_name";
}

/// Who carries out a call from this address.
inline Mode route(const void* caller, bool any_time, bool for_mpich_too = false) {
  if (mode() == Mode::pass || (!running() && !any_time)) return Mode::pass;
  if (lies_in_mpich(caller) && !(for_mpich_too && mode() == Mode::emulate)) return Mode::pass;
  return mode();
}

/// The function of this name in a library that stands between the program and MPICH (a profiler, a tracer):
/// the dynamic linker has us before it, but its functions are meant to be called, and call PMPI_ ones in
/// turn. Null if there is none.
void* tools(const char* name) {
  try {
    real();  // MPICH is loaded: where its code lies is known
    void* const next = libc_dlsym(RTLD_NEXT, name);
    return lies_in_mpich(next) ? nullptr : next;
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

}  // namespace

// (caller, a, b) of a caller and (a, b).
#define MORGANA_LISTED(...) __VA_ARGS__
#define MORGANA_PREPENDED(first, ...) (first __VA_OPT__(, ) __VA_ARGS__)
#define MORGANA_WITH_CALLER(caller, list) MORGANA_PREPENDED(caller, MORGANA_LISTED list)

// MPI_X and PMPI_X, with one body that knows who has called them. MPI_X leaves the call to a tool, if there
// is one.
#define MORGANA_EXPORT(name, type, parameters, arguments, body)                                \
  static type routed_##name MORGANA_WITH_CALLER(const void* caller, parameters) {              \
    try {                                                                                      \
      body                                                                                     \
    } catch (const std::exception& error) {                                                    \
      fail(error.what());                                                                      \
    }                                                                                          \
  }                                                                                            \
  extern "C" __attribute__((visibility("default"))) type P##name parameters {                  \
    return routed_##name MORGANA_WITH_CALLER(__builtin_return_address(0), arguments);          \
  }                                                                                            \
  extern "C" __attribute__((visibility("default"))) type name parameters {                     \
    static auto* const tool = reinterpret_cast<type(*) parameters>(tools(#name));              \
    if (tool != nullptr && !lies_in_mpich(__builtin_return_address(0))) return tool arguments; \
    return routed_##name MORGANA_WITH_CALLER(__builtin_return_address(0), arguments);          \
  }

#define MORGANA_COVERED(name, implementation, type, parameters, arguments)                    \
  MORGANA_EXPORT(name, type, parameters, arguments, {                                         \
    switch (route(caller, goes_any_time(#name), answers_mpich(#name))) {                      \
      case Mode::emulate: {                                                                   \
        const emulated::CallTurn turn(#name, !goes_any_time(#name) && !answers_mpich(#name)); \
        return morgana::mpi::emulated::implementation arguments;                              \
      }                                                                                       \
      case Mode::capture:                                                                     \
        return morgana::mpi::captured::implementation arguments;                              \
      default:                                                                                \
        return real().name arguments;                                                         \
    }                                                                                         \
  })
#include "pvmshim/mpi/covered.def"
#undef MORGANA_COVERED

#define MORGANA_REFUSED(name, type, parameters, arguments)                     \
  MORGANA_EXPORT(name, type, parameters, arguments, {                          \
    if (mode() != Mode::pass && !lies_in_mpich(caller)) refuse_or_note(#name); \
    return real().name arguments;                                              \
  })
#include "pvmshim/mpi/refused.def"
#undef MORGANA_REFUSED

#define MORGANA_FILE(name, call, parameters, arguments)            \
  MORGANA_EXPORT(name, int, parameters, arguments, {               \
    const auto by_mpich = [&] { return real().name arguments; };   \
    if (route(caller, false) != Mode::emulate) return by_mpich();  \
    const emulated::CallTurn turn(#name);                          \
    return emulated::with_file(morgana::Call::call, fh, by_mpich); \
  })
#define MORGANA_FILE_REQUEST(name, call, parameters, arguments)                                  \
  MORGANA_EXPORT(name, int, parameters, arguments, {                                             \
    const auto by_mpich = [&] { return real().name arguments; };                                 \
    if (route(caller, false) != Mode::emulate) return by_mpich();                                \
    const emulated::CallTurn turn(#name);                                                        \
    return emulated::with_file_request(morgana::Call::call, by_mpich, MORGANA_LISTED arguments); \
  })
#include "pvmshim/mpi/files.def"
#undef MORGANA_FILE
#undef MORGANA_FILE_REQUEST

#define MORGANA_HANDLER_SET(name, parameters, arguments)     \
  MORGANA_EXPORT(name, int, parameters, arguments, {         \
    if (!lies_in_mpich(caller)) note_error_handler(handler); \
    return real().name arguments;                            \
  })
MORGANA_HANDLER_SET(MPI_Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))
MORGANA_HANDLER_SET(MPI_Win_set_errhandler, (MPI_Win win, MPI_Errhandler handler), (win, handler))
MORGANA_HANDLER_SET(MPI_Errhandler_set, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))
#undef MORGANA_HANDLER_SET
