#include "replay/jobs/schedule_jobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/core/error.h"
#include "emulator/engine/engine.h"
#include "replay/jobs/job_results.h"
#include "traces/import/chakra.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

JobPlaces place_schedules(const Platform& platform, const std::string& name, std::size_t ranks,
                          const std::vector<TraceBeside>& beside, const Placement& placement) {
  JobPlaces places{{name}, {0, ranks}, placement, {placement}};
  if (beside.empty()) return places;
  std::vector<JobRanks> jobs{{"", ranks}};
  for (const TraceBeside& one : beside) {
    const ReplayInput& input = *one.translated;
    places.names.push_back(one.trace.string());
    jobs.push_back({places.names.back(),
                    input.schedule ? input.schedule->program_ranks() : input.execution->ranks.size()});
    places.first_ranks.push_back(places.first_ranks.back() + jobs.back().ranks);
  }
  places.all = platform.place_jobs(jobs, placement);
  places.of_job.clear();
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    Placement own = places.all;
    // A list that is too short is refused when the machine is built.
    const auto place = [&](std::size_t rank) {
      return own.hosts.begin() + static_cast<std::ptrdiff_t>(std::min(rank, places.all.hosts.size()));
    };
    own.hosts = std::vector(place(places.first_ranks[job]), place(places.first_ranks[job + 1]));
    places.of_job.push_back(std::move(own));
  }
  return places;
}

ScheduleJobs::ScheduleJobs(Machine& machine, const JobPlaces& places, const DependencyGraph& first,
                           GraphRun::Options how, std::vector<ScheduleBeside> beside)
    : machine_(machine), places_(places), beside_(std::move(beside)) {
  if (!beside_.empty() && machine_.kernel)
    throw Error(
        fmt::format("{}: schedules don't run beside each other where hosts' kernels take processors; leave "
                    "--beside out, or take a platform without interrupts",
                    places_.names.front()));
  if (!beside_.empty() && machine_.names_nics) {
    std::string which = places_.names.front();
    for (std::size_t i = 0; i < beside_.size(); ++i)
      if (beside_[i].graph->nics() > 1) which = places_.names[i + 1];
    throw Error(fmt::format(
        "{}: a schedule with several NICs a rank runs beside no other; leave --beside out", which));
  }
  // Switches of all jobs stand behind all ranks, job by job.
  how.first_unit = places_.first_ranks.back();
  std::size_t next_unit = how.first_unit + first.switches().size();
  runs_.push_back(std::make_unique<GraphRun>(machine_, first, how));
  for (std::size_t i = 0; i < beside_.size(); ++i) {
    const ScheduleBeside& one = beside_[i];
    statistics_.push_back(std::make_unique<RunStatistics>(one.graph->program_ranks()));
    GraphRun::Options of_other;
    of_other.compute_scale = one.compute_scale;
    of_other.statistics = statistics_.back().get();
    of_other.start = one.start;
    of_other.runs = one.runs;
    of_other.first_rank = places_.first_ranks[i + 1];
    of_other.first_unit = next_unit;
    next_unit += one.graph->switches().size();
    runs_.push_back(std::make_unique<GraphRun>(machine_, *one.graph, of_other));
  }
}

bool ScheduleJobs::all_have_ended() const {
  return std::ranges::all_of(runs_, [](const auto& run) { return run->has_ended(); });
}

std::string ScheduleJobs::run(const std::function<void(SimTime)>& all_ended) {
  if (runs_.size() == 1) {
    runs_.front()->run(all_ended);
    return {};
  }
  try {
    for (const auto& run : runs_) run->begin();
    while (!all_have_ended()) {
      if (machine_.events->idle() || (machine_.background && only_background_goes_on(machine_))) {
        if (!first().has_ended()) throw Deadlock(deadlock_text(), first().unstable());
        for (const auto& run : runs_) run->sum_up();
        return fmt::format("{}; job 1 has ended, and its results are complete:\n{}", standing_still(),
                           deadlock_text());
      }
      machine_.events->handle_next();
    }
  } catch (const TimePastEnd& refused) {
    throw Error(first().past_end_text(refused.what()));
  }
  SimTime last;
  for (const auto& run : runs_) last = std::max(last, std::ranges::max(run->ends()));
  finish_network(machine_, last, all_ended);
  return {};
}

/// "job 2 (b.goal) stands still".
std::string ScheduleJobs::standing_still() const {
  std::vector<std::string> names;
  for (std::size_t job = 1; job < runs_.size(); ++job)
    if (!runs_[job]->has_ended()) names.push_back(fmt::format("job {} ({})", job + 1, places_.names[job]));
  return fmt::format("{} stand{} still", fmt::join(names, ", "), names.size() == 1 ? "s" : "");
}

/// Each job's own, with its ranks as it numbers them.
std::string ScheduleJobs::deadlock_text() const {
  std::string text;
  for (std::size_t job = 0; job < runs_.size(); ++job)
    if (!runs_[job]->has_ended())
      text += fmt::format("{}job {} ({}): {}", text.empty() ? "" : "\n", job + 1, places_.names[job],
                          runs_[job]->deadlock_text());
  return text;
}

std::vector<std::string> ScheduleJobs::notices() const {
  std::vector<std::string> all;
  for (std::size_t job = 0; job < runs_.size(); ++job)
    if (runs_[job]->has_ended())
      for (std::string& notice : runs_[job]->notices())
        all.push_back(job == 0 ? std::move(notice) : fmt::format("{}: {}", places_.names[job], notice));
  // Sentences about losses number all ranks.
  if (runs_.size() > 1 && std::ranges::any_of(runs_, [](const auto& run) {
        return run->lost_messages() + run->returned_messages() > 0;
      }))
    all.push_back(numbers_of_jobs(places_.names, places_.first_ranks));
  return all;
}

std::vector<JobResult> ScheduleJobs::results(const RunStatistics& statistics) const {
  std::vector<JobResult> results;
  for (std::size_t job = 0; runs_.size() > 1 && job < runs_.size(); ++job) {
    const std::size_t first = places_.first_ranks[job];
    const auto hosts = std::span(machine_.host_of).subspan(first, places_.first_ranks[job + 1] - first);
    const bool stands_still = !runs_[job]->has_ended();
    if (job == 0)
      results.push_back(result_of_job(places_.names[0], hosts, statistics, SimTime(), 1, stands_still));
    else
      results.push_back(result_of_job(places_.names[job], hosts, *statistics_[job - 1],
                                      beside_[job - 1].start, beside_[job - 1].runs, stands_still));
  }
  return results;
}

}  // namespace morgana
