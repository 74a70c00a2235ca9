#include "pvmshim/launch/mpi/rank_environment.h"

#include <cstdlib>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/launch/process/installation.h"

namespace morgana {

MpiJob::Environment shim_environment() {
  return {{"LD_PRELOAD", own_library("libmorgana-mpi.so").string()}};
}

MpiJob::Environment emulated_environment(const std::string& channel) {
  // MPICH agrees on contexts by an Allreduce. To one rank and back takes two letters a rank and wakes it once
  // or twice, recursive doubling as many as the ranks' number has bits.
  MpiJob::Environment environment{{RankChannel::path_variable, channel},
                                  {"MPIR_CVAR_NOLOCAL", "1"},
                                  {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "nb"},
                                  {"MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM", "sched_naive"},
                                  {"UCX_TLS", "sm,self"}};
  if (std::getenv("UCX_LOG_LEVEL") == nullptr) environment.emplace_back("UCX_LOG_LEVEL", "error");
  return environment;
}

MpiJob::Environment capture_environment(const std::string& folder) {
  const std::int64_t now = read_clock_ns(CLOCK_MONOTONIC).value_or(0);
  return {{CaptureLogWriter::folder_variable, folder},
          {CaptureLogWriter::origin_variable, std::to_string(now)}};
}

}  // namespace morgana
