#include "cli/common/command.h"

#include <algorithm>

#include "emulator/core/error.h"

namespace morgana::cli {

CommandLine split_at_dashes(std::vector<std::string>& words) {
  CommandLine line;
  const auto dashes = std::ranges::find(words, "--");
  if (dashes == words.end()) return line;
  line.program_given = true;
  std::vector<std::string>* into = &line.program;
  for (auto word = dashes + 1; word != words.end(); ++word) {
    if (*word == ":") {
      into = &line.others.emplace_back();
      continue;
    }
    into->push_back(is_colon_behind_backslashes(*word) ? word->substr(1) : *word);
  }
  words.erase(dashes, words.end());
  return line;
}

const std::vector<std::string>& needed_program(const CommandLine& line, const std::string& example) {
  if (line.program.empty()) throw Error("no program to start: put it after \"--\", as in `" + example + "`");
  return line.program;
}

}  // namespace morgana::cli
