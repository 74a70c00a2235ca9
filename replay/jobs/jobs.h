#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/messaging/machine.h"
#include "emulator/operations/causality.h"
#include "emulator/operations/observer.h"
#include "emulator/platform/platform.h"
#include "emulator/report/job_report.h"
#include "emulator/report/run_statistics.h"
#include "replay/jobs/job_source.h"
#include "replay/replay_input.h"

namespace morgana {

/// A trace that is replayed beside another one, or a schedule or execution trace that runs beside one, on
/// hosts of its own and on the same network.
struct TraceBeside {
  std::filesystem::path trace;
  SimTime start;            ///< of its ranks
  std::uint32_t times = 1;  ///< how often it runs, one run after the other; > 0
  /// What read_trace() has read; if empty, the replay reads the trace.
  std::shared_ptr<const ReplayInput> translated = {};
};

/// @throws Error for a trace that can't be opened, for a schedule, and for tasks of PVM, which place
/// themselves
std::vector<JobBeside> jobs_of(const std::vector<TraceBeside>& traces, double compute_scale);

/// Parts what is seen of a run with several jobs: to the first job's observers what its ranks do, so that to
/// them it is a run of its own; statistics for each of the others.
class JobObserver final : public OperationObserver, public CausalityObserver {
 public:
  /// @param observers, causes  of the first job; `causes` may be null
  /// @param first_ended  called when the first job's last rank ends, with its time
  JobObserver(const JobSource& jobs, std::vector<OperationObserver*> observers, CausalityObserver* causes,
              std::function<void(SimTime)> first_ended);
  void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                       std::span<const Completed> completed) override;
  void partner_came(Rank rank, WaitCause cause, SimTime at) override;
  void message_delivered(Rank from, Rank to, Bytes bytes, SimTime sent, SimTime now) override;
  void released(const Release& release) override;

  /// @param job  > 0
  const RunStatistics& of(std::size_t job) const { return statistics_[job - 1]; }
  /// Whether all its ranks have.
  bool has_ended(std::size_t job) const { return running_[job] == 0; }

 private:
  Rank within(std::size_t job, Rank rank) const {
    return Rank{static_cast<std::int32_t>(index(rank) - jobs_.first_rank(job))};
  }

  const JobSource& jobs_;
  std::vector<OperationObserver*> observers_;
  CausalityObserver* causes_;
  std::function<void(SimTime)> first_ended_;
  std::vector<RunStatistics> statistics_;  // by job - 1
  Operation own_;                          // scratch: of another job, with ranks as it numbers them
  std::vector<std::size_t> running_;       // by job: ranks that have not ended
  SimTime last_exit_;
};

/// A program and the jobs beside it, if there are any: what a replay needs of them.
class ReplayedJobs {
 public:
  /// @param first  outlives this
  /// @throws Error as jobs_of
  ReplayedJobs(OperationSource& first, const std::vector<TraceBeside>& beside, double compute_scale);

  bool several() const { return source_.has_value(); }
  OperationSource& source() { return several() ? *source_ : first_; }
  /// As Platform::place_jobs; of one job the placement as it is.
  Placement place(const Platform& platform, const Placement& placement) const;
  /// The engine's observers. @param of_first, causes, first_ended  as JobObserver's
  /// @param causes  becomes what the engine gets
  std::vector<OperationObserver*> part(const std::vector<OperationObserver*>& of_first,
                                       CausalityObserver*& causes,
                                       const std::function<void(SimTime)>& first_ended);
  /// Whether those of all messages beside the first job do; true of one job.
  bool tags_name_endpoints() const;
  /// Whether all, or any, of the jobs' programs were. @param first  whether the first job's was
  bool all_built_for_openmpi(bool first) const;
  bool any_built_for_openmpi(bool first) const;
  /// Which ranks are whose, for reports that number all of them; empty of one job.
  std::string numbers() const;
  /// Of several jobs: the text says which ranks are whose, and the cycle and those that have ended are of the
  /// first job, whose ranks alone its trace has. The cycle is left out if it has others.
  Deadlock with_numbers(const Deadlock& deadlock) const;
  /// "job 2 (b.otf2) stands still": those that have not ended. Only of several.
  std::string standing_still() const;
  /// Of the traces beside the first, each with its name.
  std::vector<std::string> notices() const;
  /// Of jobs that share no link of the network with the first, as far as places say so: hosts of one of the
  /// two are all at one switch, by all their NICs, and the other has none there.
  /// @param links  of the network; without, nothing is known
  std::vector<std::string> apart(const Machine& machine, const NetworkLinks& links) const;
  /// After the run; empty of one job. @param name, statistics  of the first
  std::vector<JobResult> results(const std::string& name, const RunStatistics& statistics,
                                 const Machine& machine) const;

 private:
  std::vector<std::size_t> first_ranks() const;
  std::vector<std::string> names() const;
  std::size_t ranks(std::size_t job) const { return source_->first_rank(job + 1) - source_->first_rank(job); }

  OperationSource& first_;
  std::vector<JobBeside> beside_;
  std::optional<JobSource> source_;
  std::optional<JobObserver> observer_;
};

}  // namespace morgana
