#include "pvmshim/launch/mpi/rank_environment.h"

#include <cstdlib>
#include <map>
#include <string>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/launch/process/installation.h"

namespace morgana {

MpiJob::Environment shim_environment() {
  return {{"LD_PRELOAD", own_library("libmorgana-mpi.so").string()}};
}

void add_interface(RankProgram& program, MpiInterface interface, std::size_t ranks,
                   const std::vector<std::uint32_t>& host_of) {
  if (interface == MpiInterface::mpich_family)
    program.preloaded.push_back(own_library("libmorgana-mpich-family.so").string());
  if (interface == MpiInterface::abi)
    for (const char* name : {"libmorgana-abi.so", "libmorgana-abi-0.so"})
      program.preloaded.push_back(own_library(name).string());
  if (interface != MpiInterface::openmpi) return;
  program.preloaded.push_back(own_library("libmorgana-openmpi.so").string());
  std::map<std::uint32_t, std::size_t> ranks_of_host;
  std::vector<std::size_t> local_ranks;
  const auto host = [&](std::size_t rank) {
    return rank < host_of.size() ? host_of[rank] : static_cast<std::uint32_t>(rank);
  };
  for (std::size_t rank = 0; rank < ranks; ++rank) local_ranks.push_back(ranks_of_host[host(rank)]++);
  std::vector<std::string> numbers, sizes, of_host, on_host;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    numbers.push_back(std::to_string(rank));
    sizes.push_back(std::to_string(ranks));
    of_host.push_back(std::to_string(local_ranks[rank]));
    on_host.push_back(std::to_string(ranks_of_host[host(rank)]));
  }
  program.by_rank.insert(program.by_rank.end(), {{"OMPI_COMM_WORLD_RANK", numbers},
                                                 {"OMPI_COMM_WORLD_SIZE", sizes},
                                                 {"OMPI_COMM_WORLD_LOCAL_RANK", of_host},
                                                 {"OMPI_COMM_WORLD_LOCAL_SIZE", on_host},
                                                 {"OMPI_COMM_WORLD_NODE_RANK", of_host},
                                                 {"OMPI_UNIVERSE_SIZE", sizes}});
}

MpiJob::Environment emulated_environment(const std::string& channel, bool is_whole) {
  MpiJob::Environment environment{
      {RankChannel::path_variable, channel}, {"MPIR_CVAR_NOLOCAL", "1"}, {"UCX_TLS", "sm,self"}};
  // MPICH agrees on contexts by an Allreduce. To one rank and back takes two letters a rank and wakes it once
  // or twice, recursive doubling as many as the ranks' number has bits. As they are told of this, ranks take
  // it to be possible to agree in the memory that all share (context_agreement.h).
  if (is_whole)
    environment.insert(environment.end(), {{"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "nb"},
                                           {"MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM", "sched_naive"}});
  if (std::getenv("UCX_LOG_LEVEL") == nullptr) environment.emplace_back("UCX_LOG_LEVEL", "error");
  return environment;
}

MpiJob::Environment capture_environment(const std::string& folder) {
  const std::int64_t now = read_clock_ns(CLOCK_MONOTONIC).value_or(0);
  return {{CaptureLogWriter::folder_variable, folder},
          {CaptureLogWriter::origin_variable, std::to_string(now)}};
}

}  // namespace morgana
