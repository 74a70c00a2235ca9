#include "cli/command.h"

#include "emulator/core/error.h"

namespace morgana::cli {
namespace {

class ProgramUsage : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    const std::size_t end = usage.find_last_not_of('\n') + 1;
    return usage.insert(end, " -- PROGRAM [ARGUMENTS]");
  }
};

}  // namespace

void takes_program(CLI::App& command) {
  command.formatter(std::make_shared<ProgramUsage>());
}

const std::vector<std::string>& needed_program(const CommandLine& line, const std::string& example) {
  if (line.program.empty()) throw Error("no program to start: put it after \"--\", as in `" + example + "`");
  return line.program;
}

}  // namespace morgana::cli
