#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulator/messaging/machine.h"
#include "emulator/report/job_report.h"
#include "emulator/report/run_statistics.h"

namespace morgana {

/// Of a job whose run is over. @param hosts  by its ranks  @param statistics  of its ranks alone
JobResult result_of_job(const std::string& name, std::span<const HostId> hosts,
                        const RunStatistics& statistics, SimTime start, std::uint32_t times,
                        bool stands_still);

/// "ranks 0 to 3 are job 1's, 4 to 7 those of job 2 (b.goal)": for reports that number all ranks.
/// @param names  by job; the first one's is not needed  @param first_ranks  by job; then the number of all
std::string numbers_of_jobs(std::span<const std::string> names, std::span<const std::size_t> first_ranks);

/// Sentences on jobs that share no link of the network with the first, as far as places say so: hosts of one
/// of the two are all at one switch, by all their NICs, and the other has none there; or the network has two
/// levels, and they have hosts at different leaves.
/// @param links  of the network; without, nothing is known
std::vector<std::string> jobs_apart(std::span<const std::string> names,
                                    std::span<const std::size_t> first_ranks, const Machine& machine,
                                    const NetworkLinks& links);

}  // namespace morgana
