#include "runs/measure.h"

#include <fmt/format.h>

#include <utility>

#include "emulator/report/execution_division.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/rank_failure.h"
#include "replay/comparison.h"

namespace morgana {
namespace {

RunOutcome exited(int code) {
  return {fmt::format("exit {}", code), {}};
}

RunOutcome came_to(const Deadlock& deadlock) {
  return {deadlock.unstable().empty() ? "deadlock" : unstable_run, {}};
}

/// Of a run that came to its end, with or without all that its ranks sent.
RunOutcome ended(const RunStatistics& statistics, const RunAccount& account, Machine& machine) {
  if (!account.unstable().empty()) return {unstable_run, {}};
  RunOutcome outcome;
  outcome.figures = figures_of(statistics, account, machine);
  return outcome;
}

/// Of an execution trace, as the report of its replay has it.
void divide(Figures& figures, const ExecutionUse& use) {
  figures["compute_ps"] = static_cast<double>(computed(use).ps());
  figures["communication_ps"] = static_cast<double>(communicated(use).ps());
  figures["communication_share"] = communication_share(use);
}

}  // namespace

RunOutcome measure_replay(const Platform& platform, const std::filesystem::path& trace,
                          const Placement& placement, std::uint64_t seed,
                          std::shared_ptr<const ReplayInput> translated) {
  RunOutcome outcome;
  ReplayOptions options;
  options.placement = placement;
  options.seed = seed;
  options.translated = std::move(translated);
  options.progress = [](double) { throw_if_interrupted(); };
  options.inspect = [&](const RunStatistics& statistics, const RunAccount& account, Machine& machine) {
    outcome = ended(statistics, account, machine);
  };
  try {
    const ReplayResult result = replay_on(platform, trace, options);
    if (result.execution && !outcome.figures.empty()) divide(outcome.figures, *result.execution);
  } catch (const Deadlock& deadlock) {
    return came_to(deadlock);
  }
  return outcome;
}

RunOutcome measure_live(const Platform& platform, LiveRunOptions options) {
  RunOutcome outcome;
  options.inspect = [&](const RunStatistics& statistics, const RunAccount& account, Machine& machine) {
    outcome = ended(statistics, account, machine);
  };
  try {
    const int code = run_live(platform, options).exit_code;
    return code == 0 ? outcome : exited(code);
  } catch (const Deadlock& deadlock) {
    return came_to(deadlock);
  } catch (const RankFailed& failure) {
    return exited(failure.exit_code());
  }
}

}  // namespace morgana
