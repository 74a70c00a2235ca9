#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pvmshim/launch/mpi/mpi_job.h"
#include "pvmshim/launch/mpi/rank_program.h"
#include "pvmshim/launch/process/program_check.h"

namespace morgana {

/// What every rank needs into which the shim is loaded: LD_PRELOAD.
/// @throws Error if the shim library is missing
MpiJob::Environment shim_environment();

/// What a program that was built for this interface needs in addition: the library that stands in for the one
/// it was linked to, and of Open MPI's mpiexec the variables that programs read (OMPI_COMM_WORLD_RANK and
/// others).
/// @param ranks  of the job. @param host_of  of each of them; empty: each is alone
/// @throws Error if a library is missing
void add_interface(RankProgram& program, MpiInterface interface, std::size_t ranks,
                   const std::vector<std::uint32_t>& host_of);

/// In addition, for ranks whose communication is emulated. MPICH's own communication is then rare
/// (communicators, windows, files) and may be slow, but must start fast and must not keep cores busy that
/// others compute on.
/// @param channel  EmulatorChannel::path()
/// @param is_whole  all ranks of the run share it; else some are on other machines
MpiJob::Environment emulated_environment(const std::string& channel, bool is_whole = true);

/// In addition, for ranks that record. @param folder  for the logs, absolute
MpiJob::Environment capture_environment(const std::string& folder);

}  // namespace morgana
