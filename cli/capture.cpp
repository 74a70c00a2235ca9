#include <fmt/core.h>

#include "cli/common/command.h"
#include "cli/common/recording.h"
#include "emulator/core/error.h"

namespace morgana::cli {
namespace {

constexpr const char* capture_example = "morgana capture -n 4 -o program.otf2 -- ./program";

struct CaptureArguments {
  ProgramOptions programs;
  std::string output;
  std::string api = "auto";
  bool quiet = false;
};

int capture(const CaptureArguments& options, const CommandLine& line) {
  LaunchOptions launch = options.programs.launch(line, capture_example);
  launch.quiet = options.quiet;
  const Recording recording = record(launch, options.output, options.api);
  if (!options.quiet) {
    print_notices(recording.notices);
    fmt::print("recorded {}\n", options.output);
  } else {  // the trace is not of the program that was asked for
    print_notices(recording.shortfalls);
  }
  return recording.exit_code;
}

}  // namespace

void add_capture(Commands& commands, const CommandLine& line) {
  auto options = std::make_shared<CaptureArguments>();
  Command& command = commands.add("capture", "Record a program over the real MPI or PVM as an OTF2 trace");
  options->programs.add(command);
  command.add("-o,--output", &options->output, "Folder of the trace; replaces an older trace of Morgana's")
      ->type_name("DIR")
      ->must_be_given();
  add_api(command, options->api);
  command.add("-q,--quiet", &options->quiet, "No notes, except of tasks that pvm_spawn did not start");
  command.takes_program = true;
  command.footer = R"(
Record with at most as many ranks as there are cores: a rank that waits for a core is recorded as computing (a note
says so). With more ranks use `morgana run --platform ideal --trace DIR`, which counts CPU time.
The exit code is the program's, as of `morgana run`.
A PVM program is recorded over a PVM daemon of its own, which ends with it; it spawns as many tasks as it
likes (-n is MPI's). What spawned tasks print goes to standard error at the end, unless the program catches it.
If no call ends for 30 s a line says so: the program may compute, or wait forever; Ctrl-C ends it.

Examples:
  morgana capture -n 4 -o cg.otf2 -- ./cg.A.4
  morgana capture -n 1 -o pair.otf2 -- ./server : -n 3 --env ROLE=client ./client
  morgana capture -o workers.otf2 -- ./pvm-master
  morgana capture -n 2 -o np.otf2 -- NPmpich2 -u 1024 -o np.out && otf2-print np.otf2/traces.otf2)";
  command.action = [options, &line] { return capture(*options, line); };
}

}  // namespace morgana::cli
