#include "cli/command.h"

#include "emulator/core/error.h"

namespace morgana::cli {
const std::vector<std::string>& needed_program(const CommandLine& line, const std::string& example) {
  if (line.program.empty()) throw Error("no program to start: put it after \"--\", as in `" + example + "`");
  return line.program;
}

}  // namespace morgana::cli
