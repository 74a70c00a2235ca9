#include "replay/jobs/jobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "emulator/core/error.h"
#include "replay/jobs/job_results.h"
#include "replay/trace_source.h"

namespace morgana {

std::vector<JobBeside> jobs_of(const std::vector<TraceBeside>& traces, double compute_scale) {
  std::vector<JobBeside> jobs;
  for (const TraceBeside& one : traces) {
    const std::string name = one.trace.string();
    const std::shared_ptr<const ReplayInput> input =
        one.translated ? one.translated : read_trace(one.trace, {});
    if (!input->trace)
      throw Error(
          fmt::format("{}: a schedule runs beside schedules, not beside a trace; `morgana export --to goal` "
                      "makes a schedule of the trace, `morgana import` a trace of the schedule",
                      name));
    const auto trace = input->trace;
    if (TraceSource(trace).places_its_ranks())
      throw Error(
          fmt::format("{}: tasks of PVM are where their own machine starts them, so they can't run beside "
                      "another program; give a trace of an MPI program",
                      name));
    jobs.push_back({name,
                    [trace, compute_scale] { return std::make_unique<TraceSource>(trace, compute_scale); },
                    one.start, one.times, TraceSource(trace).notices(),
                    TraceSource(trace).tags_name_endpoints(), TraceSource(trace).built_for_openmpi()});
  }
  return jobs;
}

bool ReplayedJobs::tags_name_endpoints() const {
  return std::ranges::all_of(beside_, &JobBeside::tags_name_endpoints);
}

bool ReplayedJobs::all_built_for_openmpi(bool first) const {
  return first && std::ranges::all_of(beside_, &JobBeside::built_for_openmpi);
}

bool ReplayedJobs::any_built_for_openmpi(bool first) const {
  return first || std::ranges::any_of(beside_, &JobBeside::built_for_openmpi);
}

std::vector<std::string> ReplayedJobs::apart(const Machine& machine, const NetworkLinks& links) const {
  return several() ? jobs_apart(names(), first_ranks(), machine, links) : std::vector<std::string>();
}

std::vector<std::size_t> ReplayedJobs::first_ranks() const {
  std::vector<std::size_t> all;
  for (std::size_t job = 0; job <= source_->jobs(); ++job) all.push_back(source_->first_rank(job));
  return all;
}

std::vector<std::string> ReplayedJobs::names() const {
  std::vector<std::string> all{""};
  for (const JobBeside& job : beside_) all.push_back(job.name);
  return all;
}

std::vector<std::string> ReplayedJobs::notices() const {
  std::vector<std::string> all;
  for (const JobBeside& job : beside_)
    for (const std::string& notice : job.notices) all.push_back(job.name + ": " + notice);
  return all;
}

JobObserver::JobObserver(const JobSource& jobs, std::vector<OperationObserver*> observers,
                         CausalityObserver* causes, std::function<void(SimTime)> first_ended)
    : jobs_(jobs), observers_(std::move(observers)), causes_(causes), first_ended_(std::move(first_ended)) {
  for (std::size_t job = 0; job < jobs.jobs(); ++job) {
    running_.push_back(jobs.first_rank(job + 1) - jobs.first_rank(job));
    if (job > 0) statistics_.emplace_back(running_.back());
  }
}

void JobObserver::operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                                  std::span<const Completed> completed) {
  const std::size_t job = jobs_.job_of(rank);
  if (operation.kind == OperationKind::exit) --running_[job];
  if (job > 0) {
    own_ = operation;
    if (own_.peer != any_rank) own_.peer = within(job, own_.peer);
    for (Rank& member : own_.members) member = within(job, member);
    return statistics_[job - 1].operation_ended(within(job, rank), own_, begin, end, completed);
  }
  for (OperationObserver* observer : observers_)
    observer->operation_ended(rank, operation, begin, end, completed);
  if (operation.kind != OperationKind::exit) return;
  last_exit_ = std::max(last_exit_, end);
  if (has_ended(0)) first_ended_(last_exit_);
}

void JobObserver::partner_came(Rank rank, WaitCause cause, SimTime at) {
  const std::size_t job = jobs_.job_of(rank);
  if (job > 0) return statistics_[job - 1].partner_came(within(job, rank), cause, at);
  for (OperationObserver* observer : observers_) observer->partner_came(rank, cause, at);
}

void JobObserver::message_delivered(Rank from, Rank to, Bytes bytes, SimTime sent, SimTime now) {
  const std::size_t job = jobs_.job_of(from);
  if (job > 0)
    return statistics_[job - 1].message_delivered(within(job, from), within(job, to), bytes, sent, now);
  for (OperationObserver* observer : observers_) observer->message_delivered(from, to, bytes, sent, now);
}

void JobObserver::released(const Release& release) {
  if (causes_ != nullptr && jobs_.job_of(release.who.rank) == 0) causes_->released(release);
}

ReplayedJobs::ReplayedJobs(OperationSource& first, const std::vector<TraceBeside>& beside,
                           double compute_scale)
    : first_(first), beside_(jobs_of(beside, compute_scale)) {
  if (!beside_.empty()) source_.emplace(first_, beside_);
}

Placement ReplayedJobs::place(const Platform& platform, const Placement& placement) const {
  if (!several()) return placement;
  std::vector<JobRanks> jobs;
  for (std::size_t job = 0; job < source_->jobs(); ++job)
    jobs.push_back({job == 0 ? std::string() : beside_[job - 1].name, ranks(job)});
  return platform.place_jobs(jobs, placement);
}

std::vector<OperationObserver*> ReplayedJobs::part(const std::vector<OperationObserver*>& of_first,
                                                   CausalityObserver*& causes,
                                                   const std::function<void(SimTime)>& first_ended) {
  if (!several()) return of_first;
  observer_.emplace(*source_, of_first, causes, first_ended);
  if (causes != nullptr) causes = &*observer_;
  return {&*observer_};
}

std::string ReplayedJobs::numbers() const {
  return several() ? numbers_of_jobs(names(), first_ranks()) : std::string();
}

Deadlock ReplayedJobs::with_numbers(const Deadlock& deadlock) const {
  const auto is_of_first = [this](Rank rank) { return source_->job_of(rank) == 0; };
  std::vector<Deadlock::Waiting> cycle;
  if (std::ranges::all_of(deadlock.cycle(), is_of_first, &Deadlock::Waiting::rank)) cycle = deadlock.cycle();
  std::vector<Rank> ended;
  std::ranges::copy_if(deadlock.ended(), std::back_inserter(ended), is_of_first);
  return Deadlock(fmt::format("{}\n  jobs: {}", deadlock.what(), numbers()), deadlock.unstable(),
                  std::move(cycle), std::move(ended));
}

std::string ReplayedJobs::standing_still() const {
  std::vector<std::string> names;
  for (std::size_t job = 1; job < source_->jobs(); ++job)
    if (!observer_->has_ended(job))
      names.push_back(fmt::format("job {} ({})", job + 1, beside_[job - 1].name));
  return fmt::format("{} stand{} still", fmt::join(names, ", "), names.size() == 1 ? "s" : "");
}

std::vector<JobResult> ReplayedJobs::results(const std::string& name, const RunStatistics& statistics,
                                             const Machine& machine) const {
  std::vector<JobResult> results;
  for (std::size_t job = 0; several() && job < source_->jobs(); ++job) {
    const auto hosts = std::span(machine.host_of).subspan(source_->first_rank(job), ranks(job));
    const bool stands_still = !observer_->has_ended(job);
    if (job == 0)
      results.push_back(result_of_job(name, hosts, statistics, SimTime(), 1, stands_still));
    else
      results.push_back(result_of_job(beside_[job - 1].name, hosts, observer_->of(job),
                                      beside_[job - 1].start, beside_[job - 1].times, stands_still));
  }
  return results;
}

}  // namespace morgana
