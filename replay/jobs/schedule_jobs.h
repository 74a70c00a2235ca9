#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/messaging/machine.h"
#include "emulator/report/job_report.h"
#include "emulator/report/run_statistics.h"
#include "replay/graph_run.h"
#include "replay/jobs/jobs.h"

namespace morgana {

/// Which of the machine's ranks are which job's, and where.
struct JobPlaces {
  std::vector<std::string> names;        ///< by job
  std::vector<std::size_t> first_ranks;  ///< by job; then the number of all ranks
  Placement all;                         ///< of all jobs' ranks
  std::vector<Placement> of_job;         ///< of each job's ranks, counted from 0

  std::size_t jobs() const { return names.size(); }
  bool several() const { return jobs() > 1; }
};

/// Places a schedule of so many ranks and those beside it.
/// @param beside  schedules and execution traces that have been read
/// @throws Error as Platform::place_jobs
JobPlaces place_schedules(const Platform& platform, const std::string& name, std::size_t ranks,
                          const std::vector<TraceBeside>& beside, const Placement& placement);

/// A schedule that runs beside another one.
struct ScheduleBeside {
  std::shared_ptr<const DependencyGraph> graph;
  double compute_scale = 1;
  SimTime start;
  std::uint32_t runs = 1;  ///< one after the other
};

/// Several dependency graphs on one machine and one event queue: each a job with hosts, ranks and messages of
/// its own. The first one is what the run is about; of the others the statistics are kept.
class ScheduleJobs {
 public:
  /// All but `beside` must outlive this.
  /// @param how  of the first; its all_ended is called when that has ended
  /// @throws Error for a machine that can't run several graphs
  ScheduleJobs(Machine& machine, const JobPlaces& places, const DependencyGraph& first, GraphRun::Options how,
               std::vector<ScheduleBeside> beside);

  /// All of them to their end. @param all_ended  as GraphRun::run's
  /// @return of those that stand still when the first has ended: who waits for whom; empty if there are none
  /// @throws Deadlock if the first one stands still
  std::string run(const std::function<void(SimTime)>& all_ended);

  const GraphRun& first() const { return *runs_.front(); }
  /// Sentences for the user, with the names of jobs beside the first.
  std::vector<std::string> notices() const;
  /// After run(); empty of one job. @param statistics  of the first
  std::vector<JobResult> results(const RunStatistics& statistics) const;

 private:
  bool all_have_ended() const;
  std::string standing_still() const;
  std::string deadlock_text() const;

  Machine& machine_;
  const JobPlaces& places_;
  std::vector<ScheduleBeside> beside_;
  std::vector<std::unique_ptr<RunStatistics>> statistics_;  ///< by job - 1
  std::vector<std::unique_ptr<GraphRun>> runs_;             ///< by job
};

}  // namespace morgana
