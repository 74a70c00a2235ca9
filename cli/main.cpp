#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>

#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/standard_output.h"
#include "cli/version.h"
#include "emulator/platform/nearest.h"
#include "experiments/live_run.h"
#include "pvmshim/launch/interrupt.h"
#include "pvmshim/launch/rank_failure.h"

namespace morgana::cli {
namespace {

constexpr const char* overview = R"(Runs real parallel programs on networks that are not there.

A program under `morgana run` computes with real data; its communication goes through a modelled network, and
its clocks show the time that has passed there. `morgana capture` records a program over the real MPI;
`morgana replay` and `morgana compare` carry a recording over to any modelled environment.)";

constexpr const char* footer = R"(
Examples:
  morgana run -n 4 --platform fast-ethernet -- ./program 100
  morgana capture -n 4 -o program.otf2 -- ./program 100
  morgana replay program.otf2 --platform ethernet-10
  morgana compare program.otf2 --platforms ethernet-10,fast-ethernet,infiniband-hdr
  source <(morgana completion bash)

Exit codes: the program's own for run and capture, also of a rank that exits early or calls MPI_Abort (1, if
that is 0), and 128 + N if signal N kills it; 1 if a rank did what is not supported; 2 for a request that
can't be met; 3 for a program that deadlocked. Standard error then says which rank and why.)";

void check_subcommand(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return;
    names.push_back(command->get_name());
  }
  const auto meant = nearest(name, names);
  throw Error(fmt::format("there is no command {}{}; see `morgana --help`", name,
                          meant ? "; did you mean " + *meant + "?" : ""));
}

bool starts_programs(const std::vector<CLI::App*>& chosen) {
  const std::vector<std::string> names{"run", "capture", "compare", "sweep"};
  return chosen.empty() || std::find(names.begin(), names.end(), chosen.front()->get_name()) != names.end();
}

/// "; did you mean --platform?", of an option that the chosen command does not have.
std::string meant(const std::vector<std::string>& unknown, const std::vector<CLI::App*>& chosen) {
  std::vector<std::string> names;
  for (const CLI::App* command : chosen)
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const auto near = nearest(unknown.front().substr(0, unknown.front().find('=')), names);
  return near ? "; did you mean " + *near + "?" : "";
}

/// What is wrong with the options, in one sentence.
std::string explain(const CLI::ParseError& error, const CLI::App& app, const CommandLine& line) {
  const auto chosen = app.get_subcommands();
  const std::string help =
      fmt::format("see `morgana{} --help`", chosen.empty() ? "" : " " + chosen.front()->get_name());
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    std::vector<std::string> unknown = app.remaining(true);
    const bool option = !unknown.empty() && unknown.front().starts_with('-');
    if (option)
      return fmt::format("{} was not expected{}; {}", command_text(unknown), meant(unknown, chosen), help);
    const char* advice =
        line.program_given || !starts_programs(chosen) ? "" : "a program to start goes after \"--\"; ";
    return fmt::format("{} was not expected; {}{}", command_text(unknown), advice, help);
  }
  std::string what = error.what();
  // CLI11 begins with a capital, unless with an option's name.
  if (what.size() > 1 && (what[1] == ' ' || std::islower(static_cast<unsigned char>(what[1])) != 0)) {
    what[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(what[0])));
  }
  return fmt::format("{}; {}", what, help);
}

int run_command(int argc, char** argv) {
  CommandLine line;
  std::vector<std::string> own(argv + 1, argv + argc);
  // What follows the first "--" belongs to the program, whatever it looks like.
  if (const auto dashes = std::find(own.begin(), own.end(), "--"); dashes != own.end()) {
    line.program_given = true;
    line.program.assign(dashes + 1, own.end());
    own.erase(dashes, own.end());
  }

  CLI::App app(overview, "morgana");
  app.footer(footer);
  app.set_version_flag("--version", std::string("morgana ") + version);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  add_run(app, line);
  add_capture(app, line);
  add_replay(app, line);
  add_compare(app, line);
  add_sweep(app, line);
  add_reproduce(app, line);
  add_traffic(app, line);
  add_map(app, line);
  add_stats(app, line);
  add_platforms(app, line);
  add_calibrate(app, line);
  add_doctor(app, line);
  add_completion(app, line);

  if (!own.empty() && !own.front().starts_with('-')) check_subcommand(app, own.front());
  std::reverse(own.begin(), own.end());  // as CLI11 wants them
  try {
    app.parse(own);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    throw Error(explain(error, app, line));
  }
  return line.action();
}

/// What was written to standard output must have got there. @throws Error
void finish_output() {
  const bool written = std::cout.flush().good();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && written) return;
  throw Error(fmt::format("can't write to standard output: {}", std::strerror(errno)));
}

}  // namespace
}  // namespace morgana::cli

int main(int argc, char** argv) {
  using namespace morgana;
  const auto failed = [](const std::exception& error, int code) {
    std::fflush(stdout);
    fmt::print(stderr, "morgana: {}\n", error.what());
    return code;
  };
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
  } catch (const std::exception& error) {
    return failed(error, cli::exit_user_error);
  }
}
