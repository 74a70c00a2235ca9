#include "experiments/atmtransport/programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "emulator/core/error.h"
#include "experiments/traffic_observer.h"
#include "replay/comparison.h"
#include "runs/live_run.h"
#include "runs/measure.h"

namespace morgana::atm_transport_paper {
namespace {

namespace fs = std::filesystem;

constexpr const char* quiet_platform = "atm-ideal";  // on which programs are recorded

/// What of class `paper` is run, and what the thesis says of the whole.
struct Program {
  std::string_view name;
  std::vector<std::string> part;
  double messages;   ///< Table A.1
  double computing;  ///< Table 2.2, ideal ATM: in seconds, outside of communication
};

const Program& program_named(const std::string& name) {
  static const Program all[] = {{"pde1", {"--iterations", "3"}, 5608, 24.5 - 12.0},
                                {"solver", {"--iterations", "1"}, 4792, 13.2 - 1.4},
                                {"pde2", {"--size", "16", "--cycles", "1"}, 8068, 32.8 - 8.25}};
  return *std::find_if(std::begin(all), std::end(all),
                       [&name](const Program& program) { return program.name == name; });
}

fs::path trace_of(const std::string& name, const ExperimentOptions& options) {
  return options.traces / (name + ".part.pvm.otf2");
}

/// Figures: the computing of the recording, mean of the workers, in seconds; messages.
RunOutcome record_part(const std::string& name, const ExperimentOptions& options) {
  const fs::path trace = trace_of(name, options);
  const bool there = fs::exists(trace);
  if (options.from == ProgramSource::traces && !there)
    throw Error(fmt::format("there is no recording {}; make it with --from live", trace.string()));
  if (options.from != ProgramSource::traces) {
    if (there)
      throw Error(
          fmt::format("there is a recording {} already: take it with --from traces, or name another folder",
                      trace.string()));
    LiveRunOptions live;
    live.command = {(options.programs / (name + ".pvm")).string(), "--tasks", "4", "--class", "paper"};
    const std::vector<std::string>& part = program_named(name).part;
    live.command.insert(live.command.end(), part.begin(), part.end());
    live.pvm = true;
    live.ranks = 5;  // four workers and the master
    live.seed = 1;
    live.program_text = fmt::format("{}.pvm --tasks 4 --class paper {}", name, fmt::join(part, " "));
    live.write_trace = trace;
    // A part of the iterations does not solve the problem, which is exit code 1.
    const int code = run_live(Platform::load(quiet_platform), live).exit_code;
    if (code > 1) throw Error(fmt::format("its exit code is {}", code));
  }
  atm_paper::TrafficObserver traffic;
  ReplayOptions replay;
  replay.observers = {&traffic};
  replay_on(Platform::load(quiet_platform), trace, replay);
  return {"finished",
          {{"computing", traffic.worker_computing()},
           {"messages", static_cast<double>(traffic.lengths().summary().count())}}};
}

Workload replayed(const std::string& name, const fs::path& trace, const Figures& recorded) {
  const Program& whole = program_named(name);
  const double share = recorded.at("messages") / whole.messages;
  const double scale = share * whole.computing / recorded.at("computing");
  return [trace, translated = read_trace(trace, {}), scale](const Condition&, const Platform& platform,
                                                            std::uint64_t seed) -> RunOutcome {
    RunOutcome run = measure_replay(platform.with_compute_scale(scale), trace, Placement(), seed, translated);
    if (!run.finished()) return run;
    constexpr double second = 1e-12;
    return {run.word,
            {{"total_s", run.figures.at("total_ps") * second},
             {"latency_s", run.figures.at("mean_latency_ps") * second},
             {"loss", run.figures.at("cells_lost") / run.figures.at("cells")}}};
  };
}

}  // namespace

Condition program(const std::string& name, const BurstSetting& point) {
  Condition condition = loaded(point);
  condition.workload = name;
  return condition;
}

void define_programs(Laboratory& laboratory, const ExperimentOptions& options,
                     const std::set<std::string>& workloads,
                     const std::function<void(const std::string&, double)>& told) {
  std::vector<std::string> wanted;
  for (const std::string& name : programs)
    if (workloads.contains(name)) wanted.push_back(name);
  std::vector<Job> jobs;
  for (const std::string& name : wanted)
    jobs.push_back({name, [&options, name] { return record_part(name, options); }});
  // One at a time: their processor time is measured.
  laboratory.runner().one_at_a_time().run(
      jobs,
      [&](std::size_t job, const RunOutcome& outcome) {
        laboratory.define(wanted[job],
                          replayed(wanted[job], trace_of(wanted[job], options), outcome.figures));
      },
      [&](std::size_t job) {
        told("recording " + wanted[job], static_cast<double>(job) / static_cast<double>(wanted.size()));
      });
}

}  // namespace morgana::atm_transport_paper
