// The MPI_* and PMPI_* functions that this library shows to the program.

#include <exception>
#include <string>
#include <string_view>

#include "pvmshim/mpi/emulated/files.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/refusal.h"

namespace {

using namespace morgana::mpi;

/// Calls that have a meaning before MPI_Init or after MPI_Finalize.
constexpr bool goes_any_time(std::string_view name) {
  for (const std::string_view one : {"MPI_Init", "MPI_Init_thread", "MPI_Session_init", "MPI_Initialized",
                                     "MPI_Finalized", "MPI_Wtime", "MPI_Wtick"})
    if (name == one) return true;
  return false;
}

/// Who carries out a call from this address.
inline Mode route(const void* caller, bool any_time) {
  if (mode() == Mode::pass || (!running() && !any_time) || lies_in_mpich(caller)) return Mode::pass;
  return mode();
}

template <typename Body>
auto guarded(const Body& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

}  // namespace

#define MORGANA_ALIAS(name, type, parameters) \
  extern "C" __attribute__((visibility("default"), alias(#name))) type P##name parameters;

#define MORGANA_COVERED(name, implementation, type, parameters, arguments)                \
  extern "C" __attribute__((visibility("default"))) type name parameters {                \
    switch (route(__builtin_return_address(0), goes_any_time(#name))) {                   \
      case Mode::emulate:                                                                 \
        return guarded([&] { return morgana::mpi::emulated::implementation arguments; }); \
      case Mode::capture:                                                                 \
        return guarded([&] { return morgana::mpi::captured::implementation arguments; }); \
      default:                                                                            \
        return guarded([&] { return real().name arguments; });                            \
    }                                                                                     \
  }                                                                                       \
  MORGANA_ALIAS(name, type, parameters)
#include "pvmshim/mpi/covered.def"
#undef MORGANA_COVERED

#define MORGANA_REFUSED(name, type, parameters, arguments)                   \
  extern "C" __attribute__((visibility("default"))) type name parameters {   \
    if (mode() != Mode::pass && !lies_in_mpich(__builtin_return_address(0))) \
      guarded([] { refuse_or_note(#name); });                                \
    return guarded([&] { return real().name arguments; });                   \
  }                                                                          \
  MORGANA_ALIAS(name, type, parameters)
#include "pvmshim/mpi/refused.def"
#undef MORGANA_REFUSED

#define MORGANA_FILE_CALL(name, parameters, emulation, real_call)                                  \
  extern "C" __attribute__((visibility("default"))) int name parameters {                          \
    if (route(__builtin_return_address(0), false) != Mode::emulate) return guarded([&] real_call); \
    return guarded([&] emulation);                                                                 \
  }                                                                                                \
  MORGANA_ALIAS(name, int, parameters)
#define MORGANA_FILE(name, call, parameters, arguments)                                                \
  MORGANA_FILE_CALL(                                                                                   \
      name, parameters,                                                                                \
      { return emulated::with_file(morgana::Call::call, fh, [&] { return real().name arguments; }); }, \
      { return real().name arguments; })
#define MORGANA_FILE_REQUEST(name, call, parameters, arguments)                    \
  MORGANA_FILE_CALL(                                                               \
      name, parameters,                                                            \
      {                                                                            \
        return emulated::with_file_request(morgana::Call::call, fh, request,       \
                                           [&] { return real().name arguments; }); \
      },                                                                           \
      { return real().name arguments; })
#include "pvmshim/mpi/files.def"
#undef MORGANA_FILE
#undef MORGANA_FILE_REQUEST
