#include "experiments/atm/kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/error.h"
#include "experiments/atm/paper.h"
#include "experiments/traffic_observer.h"
#include "pvmshim/launch/process/interrupt.h"
#include "replay/comparison.h"
#include "runs/live_run.h"
#include "runs/measure.h"

namespace morgana::atm_paper {
namespace {

namespace fs = std::filesystem;
using Told = std::function<void(const std::string&, double)>;

constexpr std::size_t hosts = 5;  // four workers and the master
constexpr const char* recorded_on = "atm-ideal";

/// What a kernel has needed on this machine when it was recorded.
struct Recording {
  fs::path trace;
  double computing = 0;  // mean of the workers, in seconds
};

std::vector<std::string> command_of(const std::string& kernel, const ExperimentOptions& options) {
  return {(options.programs / (kernel + ".pvm")).string(), "--tasks", "4", "--class", "paper"};
}

LiveRunOptions live_options(const std::string& kernel, const ExperimentOptions& options, std::uint64_t seed) {
  LiveRunOptions live;
  live.command = command_of(kernel, options);
  live.pvm = true;
  live.ranks = hosts;
  live.seed = seed;
  live.program_text = kernel + ".pvm --tasks 4 --class paper";
  return live;
}

/// The figures of a run; the first rank that counts is the master, which only waits.
Figures kernel_figures(const RunStatistics& statistics, const RunAccount& account, Machine& machine) {
  Figures figures = figures_of(statistics, account, machine);
  RunningStatistics communication;
  for (const RunStatistics::PerRank& worker : statistics.ranks().subspan(1))
    communication.add(worker.communication.seconds());
  figures["total_s"] = statistics.simulated_time().seconds();
  figures["communication_s"] = communication.mean();
  figures["share"] = communication.mean() / statistics.simulated_time().seconds();
  return figures;
}

/// Records a kernel, unless it is to be taken from its recording, and looks at its traffic.
RunOutcome record(const std::string& kernel, const ExperimentOptions& options, const fs::path& trace) {
  LiveRunOptions live = live_options(kernel, options, 1);
  live.write_trace = trace;
  const bool there = fs::exists(trace);
  if (options.from == ProgramSource::traces) {
    if (!there)
      throw Error(fmt::format("there is no recording {}; make it with --from live", trace.string()));
  } else {
    if (there)
      throw Error(
          fmt::format("there is a recording {} already: take it with --from traces, or name another folder",
                      trace.string()));
    const int code = run_live(Platform::load(recorded_on), live).exit_code;
    if (code != 0) throw Error(fmt::format("its exit code is {}: it has not solved its problem", code));
  }
  TrafficObserver traffic;
  ReplayOptions replay;
  replay.observers = {&traffic};
  replay_on(Platform::load(recorded_on), trace, replay);
  const Distribution& lengths = traffic.lengths();
  return {"finished",
          {{"computing", traffic.worker_computing()},
           {"messages", static_cast<double>(lengths.summary().count())},
           {"mean_bytes", lengths.summary().mean()},
           {"median_bytes", lengths.median()},
           {"during_computing", static_cast<double>(traffic.during_computing())}}};
}

/// How much faster or slower than on the emulated Alphas computing is on a platform.
double slowness(const std::string& platform) {
  const auto find = [](std::string_view name) {
    return std::find_if(processors.begin(), processors.end(),
                        [name](const Processor& one) { return one.platform == name; });
  };
  const auto there = find(platform);
  return there == processors.end() ? 1 : find(recorded_on)->gflops / there->gflops;
}

Workload kernel_workload(const std::string& name, const ExperimentOptions& options,
                         const Recording& recording) {
  const double scale = kernel(name).computing() / recording.computing;
  return [name, options, trace = recording.trace, translated = read_trace(recording.trace, {}), scale](
             const Condition& condition, const Platform& platform, std::uint64_t seed) -> RunOutcome {
    const Platform scaled = platform.with_compute_scale(scale * slowness(condition.platform));
    RunOutcome outcome;
    const RunInspector inspect = [&](const RunStatistics& statistics, const RunAccount& account,
                                     Machine& machine) {
      outcome.figures = kernel_figures(statistics, account, machine);
    };
    if (condition.live && options.from == ProgramSource::live_everywhere) {
      LiveRunOptions live = live_options(name, options, seed);
      live.inspect = inspect;
      const int code = run_live(scaled, live).exit_code;
      if (code != 0) return {fmt::format("exit {}", code), {}};
    } else {
      ReplayOptions replay;
      replay.seed = seed;
      replay.translated = translated;
      replay.progress = [](double) { throw_if_interrupted(); };
      replay.inspect = inspect;
      replay_on(scaled, trace, replay);
    }
    return outcome;
  };
}

}  // namespace

Condition on(const std::string& kernel, const std::string& platform) {
  Condition condition{kernel, platform};
  condition.random = platform == "ethernet-10-loaded";
  condition.live = !condition.random;
  return condition;
}

Condition on_atm(const std::string& kernel, int switches, int load, int host_delay) {
  Condition condition{kernel, recorded_on};
  condition.overrides = {fmt::format("network.switches={}", switches), "interface.model=atm-adapter",
                         fmt::format("interface.host-delay={} us", host_delay),
                         "network.estimate-buffer=500 cells"};
  if (load > 0) {
    condition.random = true;
    const std::vector<std::string> background{
        fmt::format("network.background.load={} %", load), "network.background.low=6.43 %",
        "network.background.on-share=87 %", "network.background.mean-on=0.435 ms",
        "network.background.copies=50 %"};
    condition.overrides.insert(condition.overrides.end(), background.begin(), background.end());
  }
  return condition;
}

void define_kernels(Laboratory& laboratory, const ExperimentOptions& options,
                    const std::set<std::string>& workloads, const Told& told) {
  std::vector<std::string> names;
  for (const PublishedKernel& one : kernels) {
    const std::string name(one.name);
    if (workloads.contains(name) || workloads.contains(name + " traffic")) names.push_back(name);
  }
  std::vector<Job> jobs;
  for (const std::string& name : names) {
    const fs::path trace = options.traces / (name + ".pvm.otf2");
    jobs.push_back({name, [&options, name, trace] { return record(name, options, trace); }});
  }
  // One at a time: their processor time is measured.
  laboratory.runner().one_at_a_time().run(
      jobs,
      [&](std::size_t job, const RunOutcome& outcome) {
        const std::string& name = names[job];
        const Recording recording{options.traces / (name + ".pvm.otf2"), outcome.figures.at("computing")};
        laboratory.define(name, kernel_workload(name, options, recording));
        laboratory.define(name + " traffic",
                          [outcome](const Condition&, const Platform&, std::uint64_t) { return outcome; });
      },
      [&](std::size_t job) {
        told("recording " + names[job], static_cast<double>(job) / static_cast<double>(names.size()));
      });
}

}  // namespace morgana::atm_paper
