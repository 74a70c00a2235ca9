#include "replay/schedule_replay.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/platform/placement_checks.h"
#include "replay/chakra_graph.h"
#include "replay/compute_variation.h"
#include "replay/execution_account.h"
#include "replay/graph_run.h"
#include "replay/network_watch.h"

namespace morgana {

namespace {

ReplayResult run_graph_on(const Platform& platform, const DependencyGraph& schedule,
                          const ReplayOptions& options, double compute_scale, ComputeTimes* times,
                          NodeObserver* nodes = nullptr) {
  const std::size_t ranks = schedule.ranks();
  Machine machine = platform.build(ranks, options.placement, options.seed, schedule.nics());
  machine.pairs = options.traffic;
  ReplayResult result{RunStatistics(ranks), {}};
  std::vector<OperationObserver*> observers{&result.statistics};
  observers.insert(observers.end(), options.observers.begin(), options.observers.end());
  std::optional<TraceWriter> writer;
  if (!options.write_trace.empty()) {
    writer.emplace(options.write_trace,
                   modelled_properties(platform, machine, schedule.file().filename().string(), ranks));
    observers.push_back(&*writer);
  }
  GraphRun::Options how;
  how.compute_scale = compute_scale;
  how.observers = observers;
  how.causes = options.causes;
  how.times = times;
  how.nodes = nodes;
  if (options.progress)
    how.progress = [&options](double share) {
      options.progress(reading_share + (1 - reading_share) * share);
    };
  GraphRun run(machine, schedule, how);
  NetworkWatch watch(machine, options.counters, options.links, options.links_over_time, writer.has_value());
  try {
    run.run([&watch](SimTime end) { watch.close(end); });
  } catch (const Deadlock&) {
    if (writer && options.trace_kept)
      options.trace_kept(keep_broken_off(*writer, options.write_trace, "a deadlock"));
    throw;
  }
  result.statistics.ran_on(run.host_use());
  result.statistics.ran_beside(background_use(machine));
  if (options.inspect) options.inspect(result.statistics, run, machine);
  result.notices = run.notices();
  if (writer) {
    writer->add(watch.metrics());
    if (std::string replaced = writer->finish(); !replaced.empty())
      result.notices.push_back(std::move(replaced));
  }
  if (std::string notice = surplus_notice(ranks, options.placement); !notice.empty())
    result.notices.push_back(std::move(notice));
  result.has_path = schedule.cpus() == 1;
  if (options.causes != nullptr && !result.has_path)
    result.notices.emplace_back(
        "no critical path is shown: ranks of this schedule do several things at once");
  result.counters = watch.account().counters();
  result.links = watch.account().links();
  result.history = watch.account().history();
  return result;
}

}  // namespace

ReplayResult run_schedule_on(const Platform& platform, const DependencyGraph& schedule,
                             const ReplayOptions& options) {
  std::optional<ComputeTimes> times = compute_times_of(options.variation, schedule.ranks(), options.seed);
  ReplayResult result =
      run_graph_on(platform, schedule, options, platform.compute_scale(), times ? &*times : nullptr);
  if (times) result.computed = times->computed();
  return result;
}

ReplayResult run_execution_on(const Platform& platform, const chakra::Trace& trace,
                              const ReplayOptions& options) {
  std::optional<ComputeTimes> times = compute_times_of(options.variation, trace.ranks.size(), options.seed);
  ExecutionRoles roles;
  std::string notice;
  const DependencyGraph graph =
      graph_of(trace, platform, options.placement, options.seed, &roles, times ? &*times : nullptr, &notice);
  ExecutionAccount account(roles);
  if (options.execution != nullptr) account.keep(*options.execution, graph);
  ReplayResult result = run_graph_on(platform, graph, options, 1, nullptr, &account);
  if (times) result.computed = times->computed();
  result.execution = account.use();
  if (!notice.empty()) result.notices.insert(result.notices.begin(), std::move(notice));
  result.notices.insert(result.notices.begin(), trace.notices.begin(), trace.notices.end());
  return result;
}

}  // namespace morgana
