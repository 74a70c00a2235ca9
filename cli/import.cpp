#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "cli/common/command.h"
#include "cli/common/recording.h"
#include "cli/common/result_files.h"
#include "emulator/core/quantity.h"
#include "emulator/core/standard_error.h"
#include "emulator/engine/engine.h"
#include "emulator/report/readable.h"
#include "replay/trace_import.h"
#include "traces/import/goal.h"

namespace morgana::cli {
namespace {

struct ImportArguments {
  std::string file, format = "auto", output, flops_per_second;
  bool quiet = false;
};

/// What a file is, if --from does not say it.
std::string format_of(const ImportArguments& options) {
  if (options.format != "auto") return options.format;
  if (is_goal(options.file)) return "goal";
  const std::optional<ProgramForm> form = program_form(options.file);
  if (!form) return "ti";
  return *form == ProgramForm::dumpi ? "dumpi" : *form == ProgramForm::dimemas ? "dimemas" : "paraver";
}

std::unique_ptr<ImportedProgram> read(const ImportArguments& options, std::optional<double> rate) {
  const std::string format = format_of(options);
  if (format == "goal") return read_goal(options.file);
  if (format == "dumpi") return read_dumpi(options.file);
  if (format == "dimemas") return read_dimemas(options.file);
  if (format == "paraver") return read_paraver(options.file);
  return read_time_independent(options.file, rate);
}

/// Imports; prints the reader's guesses as well if the import ends with a deadlock, as they may be its cause.
TraceImport import_telling(ImportedProgram& program, const ImportArguments& options) {
  try {
    return import_trace(program, options.file, options.output);
  } catch (const Deadlock&) {
    print_notices(program.notices());
    throw;
  }
}

int import(const ImportArguments& options) {
  std::optional<double> rate;
  if (!options.flops_per_second.empty()) {
    rate = parse_factor(options.flops_per_second);
    if (*rate <= 0) throw Error("--flops-per-second: a rank computes at more than 0 flop/s, e.g. 1e9");
  }
  claim_results({{"--output", options.output, false}});
  const auto program = read(options, rate);
  const TraceImport imported = import_telling(*program, options);
  print_notices(imported.notices);
  if (options.quiet) return 0;
  print_error(fmt::format("{}: {} ranks, {} messages; where messages take no time it takes {}\n",
                          options.output, program->ranks(), imported.statistics.latency().summary().count(),
                          readable(imported.statistics.simulated_time())));
  return 0;
}

}  // namespace

void add_import(Commands& commands) {
  auto options = std::make_shared<ImportArguments>();
  Command& command = commands.add("import", "Convert another simulator's trace or schedule to an OTF2 trace");
  command
      .add("file", &options->file,
           "A trace of SST's DUMPI (its .meta file, or that of any rank), Dimemas (.dim) or Paraver (.prv); "
           "SMPI's time-independent trace (the list of its ranks' files, or one file of all ranks); or a "
           "schedule of LogGOPSim in GOAL's text or binary form")
      ->type_name("FILE")
      ->must_be_given();
  command
      .add("--from", &options->format,
           "Format: dumpi (SST), dimemas, paraver, ti (SMPI), goal (LogGOPSim), or auto, which looks at the "
           "file")
      ->type_name("auto|dumpi|dimemas|paraver|ti|goal")
      ->check(one_of({"auto", "dumpi", "dimemas", "paraver", "ti", "goal"}))
      ->show_default();
  command
      .add("--flops-per-second", &options->flops_per_second,
           "Speed at which ranks compute, e.g. 1e9; needed for SMPI's traces, which give computing in flops")
      ->type_name("NUMBER");
  command.add("-o,--output", &options->output, "Folder of the trace, made new")
      ->type_name("TRACE")
      ->must_be_given();
  command.add("-q,--quiet", &options->quiet,
              "No summary; only notes that the result differs from what was asked for");
  command.footer = R"(
The trace is that of a run on the platform "ideal", where messages take no time: it holds what ranks compute and which
calls they make, and replays on any platform. In a trace a rank of a schedule does one thing after the other: `morgana
replay` runs the schedule itself, with its CPUs and NICs. Notes count what is not in a trace (sizes, peers).

Examples:
  smpirun -np 16 -platform cluster.xml -hostfile hosts -trace-ti --cfg=tracing/filename:app.ti ./app
  morgana import app.ti --flops-per-second 1e9 -o app.otf2
  morgana import dumpi-2019.05.22.11.54.43.meta -o app.otf2
  morgana import app.prv -o app.otf2
  morgana import broadcast.goal -o broadcast.otf2
  morgana replay broadcast.otf2 --platform myrinet-gm)";
  command.action = [options] { return import(*options); };
}

}  // namespace morgana::cli
