#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "experiments/command_text.h"

namespace morgana::cli {

/// What every subcommand is given, and where the chosen one leaves what is to be done.
struct CommandLine {
  std::vector<std::string> program;  ///< what follows "--": a program and its arguments
  bool program_given = false;        ///< whether there was a "--"
  std::function<int()> action;       ///< returns the exit code
};

// Each adds its subcommand to `app`; when the user has chosen it, `line.action` carries it out. `line` must
// outlive `app`.
void add_run(CLI::App& app, CommandLine& line);
void add_capture(CLI::App& app, CommandLine& line);
void add_replay(CLI::App& app, CommandLine& line);
void add_compare(CLI::App& app, CommandLine& line);
void add_sweep(CLI::App& app, CommandLine& line);
void add_reproduce(CLI::App& app, CommandLine& line);
void add_traffic(CLI::App& app, CommandLine& line);
void add_map(CLI::App& app, CommandLine& line);
void add_stats(CLI::App& app, CommandLine& line);
void add_platforms(CLI::App& app, CommandLine& line);
void add_calibrate(CLI::App& app, CommandLine& line);
void add_doctor(CLI::App& app, CommandLine& line);
void add_completion(CLI::App& app, CommandLine& line);

/// Makes the command's help say that a program follows "--".
void takes_program(CLI::App& command);
/// @throws Error unless there is a program after "--"; `example` shows how
const std::vector<std::string>& needed_program(const CommandLine& line, const std::string& example);

}  // namespace morgana::cli
