#include "replay/jobs_alone.h"

#include <vector>

namespace morgana {

void find_times_alone(const Platform& platform, const std::filesystem::path& trace, const ReplayOptions& how,
                      ReplayResult& result) {
  std::vector<JobRanks> ranks;
  for (const JobResult& job : result.jobs) ranks.push_back({job.name, job.ranks});
  const Placement all = platform.place_jobs(ranks, how.placement);
  auto first = all.hosts.begin();
  for (std::size_t i = 0; i < result.jobs.size(); ++i) {
    JobResult& job = result.jobs[i];
    const auto behind = first + static_cast<std::ptrdiff_t>(job.ranks);
    ReplayOptions alone;
    alone.placement = all;
    alone.placement.hosts.assign(first, behind);
    alone.seed = how.seed;
    alone.progress = how.progress;
    if (i == 0) alone.variation = how.variation;
    alone.translated = i == 0 ? how.translated : how.beside[i - 1].translated;
    first = behind;
    if (job.times == 1 && !job.stands_still)
      job.alone =
          replay_on(platform, i == 0 ? trace : how.beside[i - 1].trace, alone).statistics.simulated_time();
  }
}

}  // namespace morgana
