#pragma once

#include <string>
#include <vector>

#include "cli/common/options.h"
#include "runs/command_text.h"

namespace morgana::cli {

/// What stood behind the options.
struct CommandLine {
  std::vector<std::string> program;  ///< what follows "--": a program and its arguments
  /// What follows each lone ":" behind it: a number of ranks (-n), variables (--env), a program, its
  /// arguments.
  std::vector<std::vector<std::string>> others;
  bool program_given = false;  ///< whether there was a "--"
};

/// Takes "--" and what follows it off the command's words. In that a word of backslashes before a colon loses
/// one of them: "\:" is how a program is given a lone ":".
CommandLine split_at_dashes(std::vector<std::string>& words);

// Each adds its command to `commands`. `line`, of those that start programs, must outlive the command's
// action.
void add_demo(Commands& commands);
void add_run(Commands& commands, const CommandLine& line);
void add_capture(Commands& commands, const CommandLine& line);
void add_replay(Commands& commands);
void add_compare(Commands& commands, const CommandLine& line);
void add_sweep(Commands& commands, const CommandLine& line);
void add_reproduce(Commands& commands);
void add_traffic(Commands& commands);
void add_map(Commands& commands);
void add_fragment(Commands& commands);
void add_probe(Commands& commands);
void add_collective(Commands& commands);
void add_place(Commands& commands);
void add_tune(Commands& commands, const CommandLine& line);
void add_fit(Commands& commands);
void add_validate(Commands& commands, const CommandLine& line);
void add_stats(Commands& commands);
void add_export(Commands& commands);
void add_import(Commands& commands);
void add_report(Commands& commands);
void add_platforms(Commands& commands);
void add_cache(Commands& commands);
void add_calibrate(Commands& commands);
void add_doctor(Commands& commands);
void add_completion(Commands& commands);
void add_manual(Commands& commands);
void add_agent(Commands& commands);

/// @throws Error unless there is a program after "--"; `example` shows how
const std::vector<std::string>& needed_program(const CommandLine& line, const std::string& example);

}  // namespace morgana::cli
