#include "replay/schedule_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/engine/engine.h"
#include "emulator/platform/placement_checks.h"
#include "emulator/platform/platform_network.h"
#include "replay/chakra_graph.h"
#include "replay/compute_variation.h"
#include "replay/execution_account.h"
#include "replay/jobs/job_results.h"
#include "replay/jobs/schedule_jobs.h"
#include "replay/network_watch.h"
#include "replay/trace_schedule.h"
#include "replay/translation/trace_translation.h"

namespace morgana {

std::vector<TraceBeside> schedules_beside(const Platform& platform, const std::vector<TraceBeside>& beside,
                                          std::vector<std::string>& notices) {
  std::vector<TraceBeside> all = beside;
  for (TraceBeside& one : all) {
    if (!one.translated) one.translated = read_trace(one.trace, {});
    if (!one.translated->trace) continue;
    const std::shared_ptr<const TraceTranslation> trace = one.translated->trace;
    Machine machine = platform.build(trace->ranks(), Placement(), 1);
    machine.collectives.settle(trace->definitions().properties.built_for_openmpi);
    const TraceSchedule made = schedule_of(one.trace, trace, machine);
    notices.push_back(
        fmt::format("{}: beside a schedule the trace runs as the schedule that `morgana export "
                    "--to goal` makes of it",
                    one.trace.string()));
    for (const std::string& notice : made.notices)
      notices.push_back(fmt::format("{}: {}", one.trace.string(), notice));
    auto input = std::make_shared<ReplayInput>();
    input->schedule = made.graph;
    one.translated = std::move(input);
  }
  return all;
}

namespace {

/// Graphs of the jobs beside the first. @param notices  gets what is to be said of them
std::vector<ScheduleBeside> graphs_beside(const Platform& platform, const JobPlaces& places,
                                          const std::vector<TraceBeside>& beside, std::uint64_t seed,
                                          std::vector<std::string>& notices) {
  std::vector<ScheduleBeside> all;
  for (std::size_t i = 0; i < beside.size(); ++i) {
    const ReplayInput& input = *beside[i].translated;
    ScheduleBeside job{input.schedule, platform.compute_scale(), beside[i].start, beside[i].times};
    if (input.execution) {
      std::string notice;
      job.graph = std::make_shared<DependencyGraph>(
          graph_of(*input.execution, platform, places.of_job[i + 1], seed, nullptr, nullptr, &notice));
      job.compute_scale = 1;
      for (const std::string& one : input.execution->notices)
        notices.push_back(fmt::format("{}: {}", places.names[i + 1], one));
      if (!notice.empty()) notices.push_back(fmt::format("{}: {}", places.names[i + 1], notice));
    }
    all.push_back(std::move(job));
  }
  return all;
}

/// A schedule that is run, and what goes with it.
struct ScheduleRun {
  const DependencyGraph& schedule;
  double compute_scale;
  ComputeTimes* times = nullptr;
  NodeObserver* nodes = nullptr;
};

ReplayResult run_graph_on(const Platform& platform, const ScheduleRun& what, const JobPlaces& places,
                          const std::vector<TraceBeside>& beside, const ReplayOptions& options) {
  const DependencyGraph& schedule = what.schedule;
  const std::size_t ranks = schedule.program_ranks();
  std::vector<std::string> of_others;
  std::vector<ScheduleBeside> others = graphs_beside(platform, places, beside, options.seed, of_others);
  std::size_t nics = schedule.nics();
  std::vector<SwitchId> units = schedule.switches();
  for (const ScheduleBeside& other : others) {
    nics = std::max(nics, other.graph->nics());
    units.insert(units.end(), other.graph->switches().begin(), other.graph->switches().end());
  }
  if (!units.empty() && nics > 1)
    throw Error(fmt::format(
        "{}: a schedule with several NICs a rank does not run beside an execution trace whose collectives "
        "switches add up; leave --beside out, or set nccl.nvls=no and nccl.collnet=no",
        places.names.front()));
  Machine machine = units.empty() ? platform.build(places.first_ranks.back(), places.all, options.seed, nics)
                                  : PlatformNetwork::with_units(platform, places.first_ranks.back(),
                                                                places.all, options.seed, units);
  machine.program_units = schedule.switches().size();
  if (places.several()) machine.program_ranks = ranks;
  machine.pairs = options.traffic;
  ReplayResult result{RunStatistics(ranks), {}};
  std::vector<OperationObserver*> observers = options.observers;
  std::optional<TraceWriter> writer;
  if (!options.write_trace.empty()) {
    TraceProperties properties =
        modelled_properties(platform, machine, schedule.file().filename().string(), ranks);
    properties.waits_for_switches = !schedule.switches().empty();
    writer.emplace(options.write_trace, properties);
    observers.push_back(&*writer);
  }
  NetworkWatch watch(machine, options.counters, options.links, options.links_over_time, writer.has_value());
  std::optional<BackgroundUse> background;
  bool first_has_ended = false;
  const auto ended = [&](SimTime end) {
    watch.close(end);
    if (!std::exchange(first_has_ended, true)) background = background_use(machine);
  };
  GraphRun::Options how;
  how.compute_scale = what.compute_scale;
  how.statistics = &result.statistics;
  how.observers = observers;
  how.causes = options.causes;
  how.times = what.times;
  how.nodes = what.nodes;
  // Of a schedule alone that is when what happens until its end has happened.
  if (places.several()) how.all_ended = ended;
  if (options.progress)
    how.progress = [&options](double share) {
      options.progress(reading_share + (1 - reading_share) * share);
    };
  ScheduleJobs jobs(machine, places, schedule, how, std::move(others));
  try {
    result.stands_still = jobs.run(ended);
    if (!result.stands_still.empty())
      result.stands_still = fmt::format("on {} {}", platform.name(), result.stands_still);
  } catch (const Deadlock&) {
    if (writer && options.trace_kept)
      options.trace_kept(keep_broken_off(*writer, options.write_trace, "a deadlock"));
    throw;
  }
  result.statistics.ran_on(jobs.first().host_use());
  result.statistics.ran_beside(background);
  if (options.inspect) options.inspect(result.statistics, jobs.first(), machine);
  result.notices = jobs.notices();
  result.notices.insert(result.notices.begin(), of_others.begin(), of_others.end());
  if (writer) {
    writer->add(watch.metrics());
    if (std::string replaced = writer->finish(); !replaced.empty())
      result.notices.push_back(std::move(replaced));
  }
  if (std::string notice = surplus_notice(places.first_ranks.back(), options.placement); !notice.empty())
    result.notices.push_back(std::move(notice));
  result.waits_for_switches = !schedule.switches().empty();
  result.has_path = schedule.cpus() == 1;
  if (options.causes != nullptr && !result.has_path)
    result.notices.emplace_back(
        "no critical path is shown: ranks of this schedule do several things at once");
  result.jobs = jobs.results(result.statistics);
  result.counters = watch.account().counters();
  result.links = watch.account().links();
  if (places.several())
    std::ranges::move(jobs_apart(places.names, places.first_ranks, machine, result.links),
                      std::back_inserter(result.notices));
  result.history = watch.account().history();
  return result;
}

}  // namespace

ReplayResult run_schedule_on(const Platform& platform, const DependencyGraph& schedule,
                             const ReplayOptions& options) {
  std::optional<ComputeTimes> times = compute_times_of(options.variation, schedule.ranks(), options.seed);
  std::vector<std::string> of_beside;
  const std::vector<TraceBeside> beside = schedules_beside(platform, options.beside, of_beside);
  const JobPlaces places =
      place_schedules(platform, schedule.file().string(), schedule.ranks(), beside, options.placement);
  ReplayResult result = run_graph_on(
      platform, {schedule, platform.compute_scale(), times ? &*times : nullptr}, places, beside, options);
  result.notices.insert(result.notices.begin(), of_beside.begin(), of_beside.end());
  if (times) result.computed = times->computed();
  return result;
}

ReplayResult run_execution_on(const Platform& platform, const chakra::Trace& trace,
                              const ReplayOptions& options) {
  std::optional<ComputeTimes> times = compute_times_of(options.variation, trace.ranks.size(), options.seed);
  ExecutionRoles roles;
  std::string notice;
  std::vector<std::string> of_beside;
  const std::vector<TraceBeside> beside = schedules_beside(platform, options.beside, of_beside);
  const JobPlaces places =
      place_schedules(platform, trace.name.string(), trace.ranks.size(), beside, options.placement);
  const DependencyGraph graph =
      graph_of(trace, platform, places.of_job[0], options.seed, &roles, times ? &*times : nullptr, &notice);
  ExecutionAccount account(roles, graph);
  if (options.execution != nullptr) account.keep(*options.execution);
  ReplayResult result = run_graph_on(platform, {graph, 1, nullptr, &account}, places, beside, options);
  result.notices.insert(result.notices.begin(), of_beside.begin(), of_beside.end());
  if (times) result.computed = times->computed();
  result.execution = account.use();
  if (!notice.empty()) result.notices.insert(result.notices.begin(), std::move(notice));
  result.notices.insert(result.notices.begin(), trace.notices.begin(), trace.notices.end());
  return result;
}

}  // namespace morgana
