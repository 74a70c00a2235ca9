#pragma once

#include <string_view>

namespace morgana::mpi {

/// What the shim does in this process; said by the environment that the launcher gave it.
enum class Mode {
  pass,     ///< nothing: everything goes to MPICH
  emulate,  ///< MORGANA_CHANNEL names the channel to an emulator
  capture,  ///< MORGANA_CAPTURE names the folder for the recording
};
Mode mode();

/// Whether MPI is initialised, and not finalised, in this process, and it is not a forked child.
bool running();
void set_running(bool running);

/// Says "morgana: rank R: ..." on stderr and ends the process with exit code 2, whereupon mpiexec or the
/// launcher ends the run.
[[noreturn]] void fail(std::string_view what);

}  // namespace morgana::mpi
