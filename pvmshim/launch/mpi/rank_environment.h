#pragma once

#include "pvmshim/launch/mpi/mpi_job.h"

namespace morgana {

/// What every rank needs into which the shim is loaded: LD_PRELOAD.
/// @throws Error if the shim library is missing
MpiJob::Environment shim_environment();

/// In addition, for ranks whose communication is emulated. MPICH's own communication is then rare
/// (communicators, windows, files) and may be slow, but must start fast and must not keep cores busy that
/// others compute on.
/// @param channel  EmulatorChannel::path()
MpiJob::Environment emulated_environment(const std::string& channel);

/// In addition, for ranks that record. @param folder  for the logs, absolute
MpiJob::Environment capture_environment(const std::string& folder);

}  // namespace morgana
