#include "replay/jobs_alone.h"

#include <algorithm>
#include <string>
#include <vector>

#include "replay/schedule_replay.h"

namespace morgana {

void find_times_alone(const Platform& platform, const std::filesystem::path& trace, const ReplayOptions& how,
                      ReplayResult& result) {
  std::vector<JobRanks> ranks;
  for (const JobResult& job : result.jobs) ranks.push_back({job.name, job.ranks});
  const Placement all = platform.place_jobs(ranks, how.placement);
  std::vector<std::string> said_before;
  const std::vector<TraceBeside> beside = (how.translated ? !how.translated->trace : is_graph(trace))
                                              ? schedules_beside(platform, how.beside, said_before)
                                              : how.beside;
  auto first = all.hosts.begin();
  for (std::size_t i = 0; i < result.jobs.size(); ++i) {
    JobResult& job = result.jobs[i];
    const auto behind = first + static_cast<std::ptrdiff_t>(job.ranks);
    ReplayOptions alone;
    alone.placement = all;
    alone.placement.hosts.assign(first, behind);
    alone.placement.open_hosts = 1 + std::ranges::max(all.hosts);
    alone.seed = how.seed;
    alone.progress = how.progress;
    if (i == 0) alone.variation = how.variation;
    alone.translated = i == 0 ? how.translated : beside[i - 1].translated;
    first = behind;
    if (job.times == 1 && !job.stands_still)
      job.alone =
          replay_on(platform, i == 0 ? trace : beside[i - 1].trace, alone).statistics.simulated_time();
  }
}

}  // namespace morgana
