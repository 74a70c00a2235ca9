#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/common/command.h"
#include "cli/common/compute_option.h"
#include "cli/common/compute_scale.h"
#include "cli/common/machine_options.h"
#include "cli/common/progress_bar.h"
#include "cli/common/recording.h"
#include "cli/common/result_files.h"
#include "cli/common/run_options.h"
#include "cli/common/temporary_folder.h"
#include "emulator/core/quantity.h"
#include "emulator/report/output_file.h"
#include "emulator/report/pictures/gnuplot.h"
#include "pvmshim/launch/process/program_check.h"
#include "runs/measure.h"
#include "runs/tuning_report.h"

namespace morgana::cli {
namespace {

struct TuneArguments {
  std::string trace;
  std::size_t ranks = 1;
  std::string platform;
  std::vector<std::string> overrides;
  std::optional<std::string> bytes, first, second;
  bool local = false;
  PlacementOptions map;
  std::string api = "auto";
  ComputeOption compute;
  std::uint64_t rounds = 4, seed = 1;
  std::size_t side_by_side = 0;
  MachineOptions machines;
  std::string csv, json, plot;
  bool quiet = false;
};

bool plays_ping_pong(const TuneArguments& options, const CommandLine& line) {
  return options.trace.empty() && line.program.empty();
}

Bytes pushed_size_of(const std::string& where, const std::string& text) {
  try {
    return parse_bytes(text);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", where, error.what()));
  }
}

/// Of the ping-pong. The greatest is no longer than what an MPI program can send in one call of bytes.
std::vector<Bytes> message_sizes(const TuneArguments& options) {
  constexpr Bytes longest = Bytes(std::int64_t{1} << 30);
  if (!options.bytes) return {Bytes(4096)};
  std::vector<Bytes> sizes;
  for (const std::string& text : parse_values(*options.bytes, "--bytes " + *options.bytes)) {
    const Bytes size = pushed_size_of("--bytes " + *options.bytes, text);
    if (size < Bytes(1))
      throw Error(fmt::format("--bytes {}: of a message without bytes none can be pushed", *options.bytes));
    if (size > longest)
      throw Error(fmt::format("--bytes {}: messages up to {} are tried", *options.bytes, to_text(longest)));
    sizes.push_back(size);
  }
  return sizes;
}

/// What no message is longer than, if that is known.
using Limit = std::optional<Bytes>;

std::vector<Bytes> given_grid(const std::string& option, const std::string& text, Limit longest) {
  const std::string where = option + " " + text;
  std::vector<Bytes> grid;
  for (const std::string& one : parse_values(text, where)) {
    grid.push_back(pushed_size_of(where, one));
    if (longest && grid.back() > *longest)
      throw Error(
          fmt::format("{}: {} is beyond the longest message of {}; give less, or a longer one (--bytes)",
                      where, to_text(grid.back()), to_text(*longest)));
  }
  return grid;
}

/// From 0 to `most` in about so many steps of 1, 2, 4, 5 or 8 times a power of ten.
std::vector<Bytes> even_grid(Bytes most, std::int64_t steps) {
  std::int64_t step = 1;
  for (std::int64_t power = 1; step * steps < most.count(); power *= 10)
    for (const std::int64_t digit : {1, 2, 4, 5, 8, 10}) {
      step = digit * power;
      if (step * steps >= most.count()) break;
    }
  std::vector<Bytes> grid;
  for (std::int64_t value = 0; value <= most.count(); value += step) grid.emplace_back(value);
  return grid;
}

TuningRequest request_of(const TuneArguments& options, Limit longest) {
  constexpr Bytes most_of_programs = Bytes(4096);
  constexpr std::int64_t steps_of_ping_pong = 52, steps_of_programs = 21;
  const auto grid = [&](const char* option, const std::optional<std::string>& text) {
    if (text) return given_grid(option, *text, longest);
    return longest ? even_grid(*longest, steps_of_ping_pong) : even_grid(most_of_programs, steps_of_programs);
  };
  if (options.local && options.second)
    throw Error("--second-push: nothing follows the first push within a host; leave it out, or --local");
  TuningRequest request;
  request.local = options.local;
  request.overrides = options.overrides;
  request.first = grid("--push", options.first);
  if (!options.local) request.second = grid("--second-push", options.second);
  return request;
}

SweepRequest sweep_of(const TuneArguments& options, const CommandLine& line) {
  SweepRequest sweep;
  sweep.trace = options.trace;
  sweep.command = line.program;
  sweep.pvm = options.trace.empty() && speaks_pvm(options.api, line.program);
  sweep.compute = options.compute.mode();
  sweep.recorded_compute = options.compute.recorded_trace();
  sweep.ranks = options.ranks;
  sweep.platform = options.platform;
  sweep.map = options.map.text();
  sweep.seeds = {options.seed};
  if (!options.compute.is_none() || !options.trace.empty())
    sweep.settle = [trace = options.trace](const Platform& platform) {
      return scaled_for(platform, trace).platform;
    };
  return sweep;
}

/// Runs the program once, so that all runs to come compute for the same times: else the search would find the
/// one that was disturbed least.
void record_computing(const TuneArguments& options, SweepRequest& sweep, const TemporaryFolder& folder,
                      const TuningTold& told) {
  sweep.overrides = options.overrides;
  const std::filesystem::path trace = folder.path() / "first.otf2";
  LiveRunOptions live;
  live.command = sweep.command;
  live.pvm = sweep.pvm;
  live.ranks = sweep.ranks;
  live.placement = read_placement(sweep.map);
  live.seed = options.seed;
  live.program_text = command_text(behind_dashes(sweep.command));
  live.write_trace = trace;
  const Platform platform = sweep.settle(Platform::load(options.platform, options.overrides));
  const Job job{"the first run, which measures computing", [&] { return measure_live(platform, live); }};
  Runner(1).run(
      {&job, 1},
      [](std::size_t, const RunOutcome& outcome) {
        if (!outcome.finished()) throw Error(fmt::format("the program can't be tuned for: {}", outcome.word));
      },
      [&](std::size_t) { told(job.name, 0); });
  sweep.compute = ComputeMode::none;
  sweep.recorded_compute = trace;
}

std::string joined(const std::vector<Bytes>& sizes) {
  std::string text;
  for (const Bytes size : sizes) text += (text.empty() ? "" : ", ") + to_text(size);
  return text;
}

void check(const TuneArguments& options, const CommandLine& line) {
  if (!options.trace.empty() && !line.program.empty())
    throw Error("tune takes a trace or a program after \"--\", not both: leave one out");
  if (!plays_ping_pong(options, line) && options.bytes)
    throw Error("--bytes is the ping-pong's: a program or a trace has the messages that it has");
  if (line.program.empty() && options.ranks != TuneArguments().ranks)
    throw Error(
        fmt::format("-n {} is for a program after \"--\": {}; leave it out", options.ranks,
                    options.trace.empty() ? "a ping-pong has two ranks" : "a trace has its own ranks"));
  if (!options.trace.empty() && options.compute.text != "measured")
    throw Error("--compute is for a program after \"--\"; a trace's compute times are its own");
  if (plays_ping_pong(options, line) && !options.machines.on.empty())
    throw Error(
        "--on distributes runs of a trace or a program; a ping-pong takes less time than that: leave it out");
  if (Platform::load(options.platform, options.overrides).native())
    throw Error(fmt::format("{} has no model whose pushes could be tuned: it is this machine's own MPI",
                            options.platform));
}

std::vector<std::string> arguments_of_workers(const TuneArguments& options, const CommandLine& line,
                                              const SweepRequest& sweep) {
  std::vector<std::string> words{"tune",
                                 "--quiet",
                                 "--platform=" + options.platform,
                                 "--map=" + options.map.map,
                                 "--api=" + options.api,
                                 fmt::format("--seed={}", options.seed)};
  for (const std::string& one : options.overrides) words.push_back("--set=" + one);
  if (options.first) words.push_back("--push=" + *options.first);
  if (options.second) words.push_back("--second-push=" + *options.second);
  if (options.local) words.emplace_back("--local");
  if (options.map.ranks_per_host > 0)
    words.push_back(fmt::format("--ranks-per-host={}", options.map.ranks_per_host));
  if (options.side_by_side > 0) words.push_back(fmt::format("--jobs={}", options.side_by_side));
  if (!options.trace.empty()) {
    words.push_back(options.trace);
    return words;
  }
  words.push_back("--compute=" + (sweep.recorded_compute.empty()
                                      ? options.compute.text
                                      : "recorded:" + sweep.recorded_compute.string()));
  words.push_back(fmt::format("--ranks={}", options.ranks));
  words.emplace_back("--");
  const std::vector<std::string> program = behind_dashes(line.program);
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

int tune_platform(const TuneArguments& options, const CommandLine& line) {
  claim_results({{"--json", options.json}, {"--csv", options.csv}, {"--plot", options.plot, false}});
  if (!options.plot.empty()) gnuplot::check(options.plot);
  check(options, line);
  TuningSubject subject{options.platform, {}};
  std::optional<TemporaryFolder> folder;
  Tuning tuning;
  {
    ProgressBar bar(options.quiet);
    const TuningTold told = [&bar](const std::string& what, double share) { bar.show(what, share); };
    if (plays_ping_pong(options, line)) {
      const std::vector<Bytes> sizes = message_sizes(options);
      subject.workload = fmt::format("ping-pong of {} {}, one way", joined(sizes),
                                     options.local ? "within a host" : "between two hosts");
      tuning = tune(request_of(options, *std::max_element(sizes.begin(), sizes.end())),
                    tuned_ping_pong(options.platform,
                                    options.local ? PingPongPlaces::one_host : PingPongPlaces::two_hosts,
                                    sizes, options.rounds, options.seed, told));
    } else {
      const TuningRequest request = request_of(options, std::nullopt);
      SweepRequest sweep = sweep_of(options, line);
      subject.workload = options.trace.empty() ? command_text(behind_dashes(line.program)) : options.trace;
      if (!options.trace.empty())
        sweep.translated = read_trace(options.trace, [](double) { throw_if_interrupted(); });
      if (options.trace.empty()) {
        find_program(line.program.front());
        if (options.compute.mode() == ComputeMode::measured)
          record_computing(options, sweep,
                           folder.emplace(parent_for_shared_runs(!options.machines.on.empty())), told);
      }
      const std::shared_ptr<RunExchange> exchange =
          options.machines.exchange([&] { return arguments_of_workers(options, line, sweep); });
      const std::size_t processors = options.trace.empty() ? 1 : processors_here();
      tuning = tune(
          request,
          tuned_sweep(sweep, Runner(options.side_by_side > 0 ? options.side_by_side : processors, exchange),
                      told));
    }
  }
  if (!options.quiet) fmt::print("{}", tuning_text(subject, tuning));
  if (!options.csv.empty()) write_output(options.csv, tuning_csv(tuning));
  if (!options.json.empty()) write_output(options.json, tuning_json(subject, tuning));
  if (!options.plot.empty()) draw(tuning_curves(subject, tuning), options.plot);
  return 0;
}

}  // namespace

void add_tune(Commands& commands, const CommandLine& line) {
  auto options = std::make_shared<TuneArguments>();
  Command& command =
      commands.add("tune", "Find the number of bytes of a message that a platform should push");
  command
      .add("trace", &options->trace,
           "An OTF2 trace or a GOAL schedule to tune for, or a program after \"--\"; default: a ping-pong")
      ->type_name("TRACE");
  add_platform(command, options->platform)->must_be_given();
  add_overrides(command, options->overrides);
  command
      .add("--bytes", &options->bytes,
           "Message sizes of the ping-pong; the mean of several counts; default: 4 KiB")
      ->type_name("VALUES");
  command
      .add("--second-push", &options->second,
           "Values of messages.second-push (BTP2) to be tried, as for `morgana sweep --over`; default: about "
           "50 "
           "steps up to the ping-pong's longest message, or 20 up to 4 KiB")
      ->type_name("VALUES");
  command
      .add("--push", &options->first,
           "Values of messages.push (BTP1) to be tried, or with --local of messages.local-push")
      ->type_name("VALUES");
  command.add("--local", &options->local,
              "Tune what is pushed within a host instead of between hosts; the ping-pong is within one");
  command.add("--rounds", &options->rounds, "Round trips of the ping-pong")
      ->type_name("N")
      ->check(whole_number(1, 100'000))
      ->show_default();
  command.add("--seed", &options->seed, "Seed of all random choices")
      ->type_name("N")
      ->check(seed_number())
      ->show_default();
  add_ranks(command, options->ranks);
  options->map.add(command);
  options->compute.add(command);
  add_api(command, options->api);
  options->machines.add_machines(command, "Distribute the runs");
  command
      .add("-j,--jobs", &options->side_by_side,
           "Runs at the same time, with --on on each machine; default: one per processor for a trace, one "
           "for a live program")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  command
      .add("--csv", &options->csv, "Write one line per value (times in picoseconds); - is standard output")
      ->type_name("FILE");
  command.add("--json", &options->json, "Write all results as JSON; - is standard output")->type_name("FILE");
  command.add("--plot", &options->plot, "Draw the curves: .svg or .png")->type_name("FILE");
  command.add("-q,--quiet", &options->quiet, "No text, no progress bar");
  command.footer = R"(
The search has two steps. With nothing pushed first (messages.push, BTP1) it tries values of the second push
(messages.second-push, BTP2); with the best of these it tries values of the first. What takes least is best; of equal
times, the least that is pushed. Every message is pushed in part, however short: messages.eager-limit is 0 B unless
--set says otherwise. Beside that stands what the platform takes as it is, and with everything pushed.

A ping-pong's time is that of one way, through the emulated machine, without a process. A trace's is that of its
replay, a program's that of its execution; where computing is measured, the program runs once more, before all
others, and these compute as long as that one did.

Source: Wong, Wang, Push-Pull Messaging: A High-Performance Communication Mechanism for Commodity SMP Clusters, 1999,
section 3.2.

Examples:
  morgana tune --platform fast-ethernet-smp --plot curve.svg
  morgana tune --platform myrinet-gm --bytes "1 KiB,64 KiB" --second-push "0..16 KiB:1 KiB"
  morgana tune --platform fast-ethernet-smp --local --push "0..512 B:16 B"
  morgana tune --platform fast-ethernet cg.otf2
  morgana tune --platform fast-ethernet-smp -n 8 --push "0 B,80 B" --second-push "0..1200 B:200 B" -- ./program)";
  command.action = [options, &line] { return tune_platform(*options, line); };
}

}  // namespace morgana::cli
