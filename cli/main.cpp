#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <system_error>

#include "cli/common/command.h"
#include "cli/common/exit_codes.h"
#include "cli/common/parser.h"
#include "cli/standard_output.h"
#include "cli/version.h"
#include "cli/work_notice.h"
#include "emulator/core/standard_error.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/rank_failure.h"
#include "runs/live_run.h"

namespace morgana::cli {
namespace {

constexpr const char* overview = R"(Runs real parallel programs on modelled networks.

A program under `morgana run` computes with real data; its communication goes through a modelled network, and
its clocks show the time that has passed there. `morgana capture` records a program over the real MPI;
`morgana replay` and `morgana compare` run the recorded trace on any modelled platform.)";

constexpr const char* footer = R"(
`morgana help COMMAND` is `morgana COMMAND --help`.

Examples:
  morgana demo
  morgana run -n 4 --platform hdr-fat-tree -- ./program 100
  morgana capture -n 4 -o program.otf2 -- ./program 100
  morgana replay program.otf2 --platform dragonfly-1056
  morgana compare program.otf2 --platforms hdr-fat-tree,dragonfly-1056,torus-3d
  source <(morgana completion bash)

Exit codes (standard error says which rank and why):
  the program's own  of run and capture; also of a rank that exits early or calls MPI_Abort (1 if that is 0)
  128 + N            signal N has killed a rank
  1                  a rank did what is not supported, or a run of a sweep did not finish
  2                  the request can't be met
  3                  the program deadlocked)";

bool is_quiet(const Command& command) {
  for (const Option& option : command.options)
    if (const auto* flag = std::get_if<bool*>(&option.target); flag && option.names.ends_with("--quiet"))
      return **flag;
  return false;
}

int run_command(int argc, char** argv) {
  std::vector<std::string> own(argv + 1, argv + argc);
  // What follows the first "--" belongs to the program, whatever it looks like.
  const CommandLine line = split_at_dashes(own);

  Commands commands{"morgana", overview, footer, std::string("morgana ") + version, {}};
  add_demo(commands);
  add_run(commands, line);
  add_capture(commands, line);
  add_replay(commands);
  add_compare(commands, line);
  add_sweep(commands, line);
  add_reproduce(commands);
  add_traffic(commands);
  add_map(commands);
  add_fragment(commands);
  add_probe(commands);
  add_collective(commands);
  add_place(commands);
  add_tune(commands, line);
  add_fit(commands);
  add_validate(commands, line);
  add_stats(commands);
  add_export(commands);
  add_import(commands);
  add_report(commands);
  add_platforms(commands);
  add_cache(commands);
  add_calibrate(commands);
  add_doctor(commands);
  add_completion(commands);
  add_manual(commands);
  add_agent(commands);

  const Parsed parsed = parse(commands, own, line.program_given);
  const auto* chosen = std::get_if<const Command*>(&parsed);
  if (chosen == nullptr) return std::get<int>(parsed);
  if (!line.others.empty() && !(*chosen)->takes_several)
    throw Error(
        fmt::format("morgana {} starts one program: a lone \":\" separates several for run, capture, "
                    "compare and validate, and a program's own argument of that kind is written \"\\:\"",
                    (*chosen)->name));
  if (!is_quiet(**chosen)) announce_long_work();
  return (*chosen)->action();
}

Error unwritten_output(int error) {
  return Error(fmt::format("can't write to standard output: {}",
                           error == 0 ? "it was closed, or is full" : std::strerror(error)));
}

/// What was written to standard output must have got there. @throws Error
void finish_output() {
  errno = 0;  // what failed earlier has left its reason to others
  const bool written = std::cout.flush().good();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && written) return;
  throw unwritten_output(errno);
}

/// What is opened later must not take the place of standard input, output or error, where they were closed.
/// (One that can only be read stands for an output that can't be written.)
void occupy_standard_streams() {
  constexpr const char* nothing = "/dev/null";
  int opened = 0;
  do opened = ::open(nothing, O_RDONLY);
  while (opened >= 0 && opened <= STDERR_FILENO);
  if (opened > STDERR_FILENO) ::close(opened);
}

}  // namespace
}  // namespace morgana::cli

int main(int argc, char** argv) {
  using namespace morgana;
  const auto failed = [](const std::exception& error, int code) {
    std::fflush(stdout);
    print_error(fmt::format("morgana: {}\n", error.what()));
    return code;
  };
  cli::occupy_standard_streams();
  install_signal_handlers();
  try {
    const int code = cli::run_command(argc, argv);
    cli::finish_output();
    return code;
  } catch (const Interrupted& interrupted) {
    return failed(interrupted, cli::exit_signal + interrupted.signal());
  } catch (const Deadlock& deadlock) {
    return failed(deadlock, cli::exit_deadlock);
  } catch (const RankFailed& failure) {
    // What carries the ranks' output ends them when it can't get rid of it.
    if (const std::string trouble = cli::trouble_with_standard_output(); !trouble.empty())
      return failed(RankFailed(trouble + ", and the run ended with it", cli::exit_user_error),
                    cli::exit_user_error);
    return failed(failure, failure.exit_code());
  } catch (const ProgramFailed& error) {
    return failed(error, cli::exit_program_failed);
  } catch (const std::system_error& error) {
    // fmt::print says of what it can't write only that it is a file.
    if (std::ferror(stdout) == 0) return failed(error, cli::exit_user_error);
    return failed(cli::unwritten_output(error.code().value()), cli::exit_user_error);
  } catch (const std::exception& error) {
    return failed(error, cli::exit_user_error);
  }
}
