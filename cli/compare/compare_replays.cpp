#include "cli/compare/compare_replays.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <utility>

#include "cli/common/run_options.h"
#include "cli/common/temporary_folder.h"
#include "emulator/engine/engine.h"
#include "emulator/report/execution_division.h"
#include "emulator/report/limits/bottleneck.h"
#include "emulator/report/limits/communication_limit.h"
#include "emulator/report/link_report.h"
#include "pvmshim/launch/process/interrupt.h"
#include "runs/path_alone.h"
#include "runs/shared_progress.h"

namespace morgana::cli {
namespace {

/// Of an execution trace the time is divided as the table "overlap" has it.
void divide(ComparedRun& run, ExecutionUse use) {
  run.compute = computed(use);
  run.communication = communicated(use);
  run.communication_share = communication_share(use);
  run.execution = std::move(use);
}

constexpr const char* deadlocked = "deadlock";

ComparedReplay replayed(const Platform& platform, const std::filesystem::path& trace, ReplayOptions how,
                        const ComparePage& page) {
  std::optional<TemporaryFolder> folder;
  if (page.is_wanted()) {
    how.write_trace = folder.emplace().path() / "run.otf2";
    how.links_over_time = true;
  }
  CriticalPathRecorder causes(page.is_wanted() ? std::numeric_limits<std::size_t>::max() : usual_path_limit);
  how.observers = {&causes};
  how.causes = &causes;
  how.links = how.counters = true;
  ReplayResult result = replay_on(platform, trace, how);
  std::optional<CriticalPath> path;
  if (result.has_path && causes.has_path()) path = causes.path(result.statistics.first_rank());
  if (path && result.statistics.first_rank() == 0)
    find_alone(*path, platform, result.statistics.ranks().size(), how.placement, how.seed);
  ComparedReplay replay{compared_run(platform.name(), result.statistics, platform.compute_scale()),
                        std::move(result.notices),
                        {},
                        std::move(result.stands_still)};
  replay.run.openmpi_collectives = result.openmpi_collectives;
  replay.run.stands_still = !replay.stands_still.empty();
  const NetworkLinks links = links_of_program(result.links);
  if (const LinkLoad* const link = busiest(links))
    replay.run.busiest_link = BusiestLink{text_of(*link), link->utilisation};
  replay.run.limit = limit_text(
      result.statistics, path ? &*path : nullptr,
      loads_of_program(result.links, result.counters, result.statistics.simulated_time()),
      result.execution ? &*result.execution : nullptr,
      platform.collective_library() == CollectiveLibrary::nccl ? LinkedHosts::gpus : LinkedHosts::computers);
  if (path) replay.run.path = path->times;
  if (result.execution) divide(replay.run, std::move(*result.execution));
  if (!causes.has_path())
    replay.notices.push_back(
        fmt::format("on {} more than {} waits and stretches between them were seen, so its "
                    "critical path was not kept; --report FILE.html keeps all of them",
                    platform.name(), usual_path_limit));
  if (page.is_wanted()) replay.page = page.data_of(how.write_trace, path ? &*path : nullptr, result.history);
  return replay;
}

/// A deadlock is an outcome, its text the details: the process that compares throws it.
RunOutcome outcome_of_replay(const Platform& platform, const ReplaysToCompare& replays,
                             const ReplayOptions& how) {
  try {
    RunOutcome outcome;
    outcome.details = text_of(replayed(platform, replays.trace, how, replays.page));
    return outcome;
  } catch (const Deadlock& deadlock) {
    return {deadlocked, {}, fmt::format("on {}: {}", platform.name(), deadlock.what())};
  }
}

}  // namespace

std::vector<ComparedReplay> made(ReplaysToCompare replays, const Runner& runner, ProgressBar& bar) {
  const std::size_t all = replays.platforms.size();
  if (all == 0) return {};
  const SharedProgress progress(all);
  if (!replays.how.translated)
    replays.how.translated = read_trace(replays.trace, [&](double share) {
      throw_if_interrupted();
      bar.show("reading the trace", share);
    });
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < all; ++i) {
    const Platform& platform = replays.platforms[i];
    const auto action = [&replays, &platform, &progress, i] {
      ReplayOptions how = replays.how;
      how.progress = [&progress, i](double share) {
        throw_if_interrupted();
        progress.set(i, share);
      };
      return outcome_of_replay(platform, replays, how);
    };
    jobs.push_back(
        {platform.name(), action,
         fmt::format("{}{} x {}", size_of_trace(replays.trace), replays.request, platform.compute_scale())});
  }
  std::vector<ComparedReplay> results(all);
  std::vector<std::string> deadlocks(all);
  runner.run(
      jobs,
      [&](std::size_t job, const RunOutcome& outcome) {
        progress.set(job, 1);
        if (outcome.word == deadlocked)
          deadlocks[job] = outcome.details;
        else if (!outcome.details.empty())  // empty in a worker, which is not told them
          results[job] = compared_replay_of(outcome.details);
      },
      [&](std::size_t job) { bar.show(jobs[job].name, progress.mean()); });
  for (const std::string& deadlock : deadlocks)
    if (!deadlock.empty()) throw Deadlock(deadlock);
  return results;
}

}  // namespace morgana::cli
