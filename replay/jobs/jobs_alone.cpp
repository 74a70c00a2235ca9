#include "replay/jobs/jobs_alone.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "emulator/core/confidence.h"
#include "emulator/report/readable.h"
#include "replay/schedule_replay.h"

namespace morgana {
namespace {

/// Marks, routes and times of background traffic are drawn by chance; what is further apart is no chance.
bool may_be_chance(SimTime time, SimTime alone) {
  constexpr double far = 0.1;
  return time != alone && std::abs(time.seconds() - alone.seconds()) < far * alone.seconds();
}

/// Whether a further run alone with yet another seed may take that long: by the prediction interval of 95 %,
/// of times that are normally distributed.
std::string scatter_text(const std::string& job, SimTime time, const RunningStatistics& alone) {
  constexpr double confidence = 0.95;
  const auto count = static_cast<double>(alone.count());
  const double radius =
      student_t(confidence, count - 1) * alone.standard_deviation() * std::sqrt(1 + 1 / count);
  const bool within = std::abs(time.seconds() - alone.mean()) <= radius;
  return fmt::format(
      "{} differs from alone by {} the scatter of seeds: alone it takes {} to {} with {} of them", job,
      within ? "no more than" : "more than", readable_seconds(alone.minimum()),
      readable_seconds(alone.maximum()), alone.count());
}

}  // namespace

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
    if (job.times != 1 || job.stands_still) continue;
    const auto time = [&] {
      return replay_on(platform, i == 0 ? trace : beside[i - 1].trace, alone).statistics.simulated_time();
    };
    job.alone = time();
    if (!may_be_chance(job.time(), *job.alone)) continue;
    constexpr int other_seeds = 2;
    RunningStatistics times;
    times.add(job.alone->seconds());
    for (int n = 0; n < other_seeds; ++n) {
      ++alone.seed;
      times.add(time().seconds());
    }
    if (times.minimum() < times.maximum())
      result.notices.push_back(scatter_text(fmt::format("job {}", i + 1), job.time(), times));
  }
}

}  // namespace morgana
