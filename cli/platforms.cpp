#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/platform_picture.h"
#include "emulator/platform/platform.h"

namespace morgana::cli {
namespace {

struct PlatformsArguments {
  std::string name;
  std::vector<std::string> overrides;
  bool reference = false;
  bool names = false;
  std::string plot, after;
};

void list() {
  const std::vector<std::string> names = Platform::names();
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  for (const std::string& name : names) {
    fmt::print("{:<{}}  {}\n", name, width, Platform::load(name).description());
  }
}

void draw(const PlatformsArguments& options) {
  if (options.name.empty())
    throw Error(
        "--plot draws one platform's network: name it, as in `morgana platforms myrinet-ud --plot p.svg`");
  const Platform platform = Platform::load(options.name, options.overrides);
  std::string name = platform.name();
  if (!options.overrides.empty()) name += fmt::format(" with {}", fmt::join(options.overrides, ", "));
  draw_platform(platform, name, options.plot, options.after);
}

int platforms(const PlatformsArguments& options) {
  if (!options.plot.empty()) {
    draw(options);
  } else if (options.reference) {
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

void add_platforms(Commands& commands) {
  auto options = std::make_shared<PlatformsArguments>();
  Command& command = commands.add("platforms", "List what is modelled, or every parameter of one platform");
  command.add("name", &options->name, "Show this platform's parameters: value, meaning, default, source")
      ->type_name("NAME|FILE");
  command.add("--set", &options->overrides, "Override a key before showing; may be repeated")
      ->type_name("KEY=VALUE")
      ->may_be_repeated();
  command.add("--reference", &options->reference, "Every key that a platform file may hold, as Markdown");
  command.add("--names", &options->names, "Names only, one a line");
  Option* plot = command.add("--plot", &options->plot, "Draw its switches, hosts and cables: .svg or .png")
                     ->type_name("FILE");
  command
      .add("--after", &options->after,
           "Colour the cables by their utilisation in a run: a report that run, replay or traffic "
           "--json has written on this platform (traffic: of its highest load)")
      ->type_name("REPORT.json")
      ->only_with(*plot);
  command.footer = R"(
A picture shows each direction of a cable on the right of who sends along it; cables that go round the edge of
a torus are cut in two. Myrinet, ATM and switched Ethernet networks can be drawn.

Examples:
  morgana platforms
  morgana platforms fast-ethernet
  morgana platforms fast-ethernet --set network.rate="1 Gb/s"
  morgana platforms myrinet-itb --set network.topology=now --plot now.svg
  morgana run -n 64 --platform myrinet-ud --json run.json -- ./program
  morgana platforms myrinet-ud --plot links.svg --after run.json)";
  command.action = [options] { return platforms(*options); };
}

}  // namespace morgana::cli
