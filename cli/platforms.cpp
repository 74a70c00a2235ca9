#include <fmt/core.h>

#include <algorithm>

#include "cli/command.h"
#include "emulator/platform/platform.h"

namespace morgana::cli {
namespace {

struct Options {
  std::string name;
  std::vector<std::string> overrides;
  bool reference = false;
  bool names = false;
};

void list() {
  const std::vector<std::string> names = Platform::names();
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  for (const std::string& name : names) {
    fmt::print("{:<{}}  {}\n", name, width, Platform::load(name).description());
  }
}

int platforms(const Options& options) {
  if (options.reference) {
    fmt::print("{}", platform_reference());
  } else if (options.names) {
    for (const std::string& name : Platform::names()) fmt::print("{}\n", name);
  } else if (options.name.empty()) {
    list();
  } else {
    fmt::print("{}", Platform::load(options.name, options.overrides).describe());
  }
  return 0;
}

}  // namespace

void add_platforms(CLI::App& app, CommandLine& line) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("platforms", "List what is modelled, or every parameter of one platform");
  command
      ->add_option("name", options->name, "Show this platform's parameters: value, meaning, default, source")
      ->type_name("NAME|FILE");
  command->add_option("--set", options->overrides, "Override a key before showing; may be repeated")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command->add_flag("--reference", options->reference,
                    "Every key that a platform file may hold, as Markdown");
  command->add_flag("--names", options->names, "Names only, one a line");
  command->footer(R"(
Examples:
  morgana platforms
  morgana platforms fast-ethernet
  morgana platforms fast-ethernet --set network.rate="1 Gb/s")");
  command->callback([options, &line] { line.action = [options] { return platforms(*options); }; });
}

}  // namespace morgana::cli
