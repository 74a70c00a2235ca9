#pragma once

#include <string>
#include <vector>

#include "cli/common/options.h"
#include "runs/command_text.h"

namespace morgana::cli {

/// The programs on a command line: all words from the first "--" on. An example with two programs:
/// `morgana run -n 2 -- ./a x : -n 2 --env A=1 ./b`.
struct CommandLine {
  std::vector<std::string> program;  ///< the first program and its arguments: "./a", "x"
  /// The further programs, each after a lone ":": its options (-n, --env), the program and its arguments.
  std::vector<std::vector<std::string>> others;
  bool program_given = false;  ///< whether there is a "--"
};

/// Removes the first "--" and everything after it from `words`, and returns that part. In it, a word of
/// backslashes and a final colon loses one backslash: "\:" stands for a program's own argument ":".
CommandLine split_at_dashes(std::vector<std::string>& words);

// Each function adds its command to `commands`. `line` has the programs that the command starts, and must
// outlive the command's action.
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

/// @return the first program and its arguments, at least one word
/// @param example  a complete command line, for the error's sentence
/// @throws Error if there is no program after "--"
const std::vector<std::string>& needed_program(const CommandLine& line, const std::string& example);

}  // namespace morgana::cli
