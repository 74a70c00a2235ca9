#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/exit_codes.h"
#include "cli/common/own_command.h"
#include "emulator/core/error.h"
#include "emulator/report/output_file.h"
#include "pvmshim/launch/process/installation.h"
#include "runs/command_text.h"

namespace morgana::cli {
namespace {

namespace fs = std::filesystem;

struct DemoArguments {
  std::string output = "morgana-demo";
};

/// One command of the tour.
struct DemoStep {
  std::string heading;  ///< above it; empty: the last one's goes on
  std::vector<std::string> arguments;
  std::string explanation;  ///< below its output; may be empty
  int exit_code = 0;        ///< that it ends with on purpose
};

struct DemoPage {
  const char* name;
  const char* content;
};

constexpr DemoPage pages[] = {
    {"run.html", "the exchange: critical path, links, who sent whom how much, timeline"},
    {"compare.html", "the same exchange on four networks"},
    {"sweep.html", "the same exchange over four bandwidths"},
    {"deadlock.html", "who waits for whom"},
};

fs::path sample_program(const std::string& name) {
  fs::path program = own_programs() / name;
  if (!fs::exists(program))
    throw Error(fmt::format("{} is missing: `ninja -C build examples` makes it", program.string()));
  return program;
}

std::vector<DemoStep> tour() {
  const std::string ring = name_as_called(sample_program("ring")),
                    exchange = name_as_called(sample_program("exchange")),
                    deadlock = name_as_called(sample_program("deadlock"));
  const auto ring_on = [&](const std::string& platform) {
    return std::vector<std::string>{"run",    "-n",        "8",    "--platform", platform, "--map",
                                    "spread", "--compute", "none", "--quiet",    "--",     ring};
  };
  return {
      {"1. One program, three networks: numbers travel around a ring of 8 processes on a fat tree, a "
       "dragonfly "
       "and a torus.",
       ring_on("hdr-fat-tree"), ""},
      {"", ring_on("dragonfly-1056"), ""},
      {"", ring_on("torus-3d"),
       "The checksum comes from real data and is the same everywhere. The time is that of each network."},
      {"2. Where is the bottleneck? An all-to-all of 8 hosts on a fat tree of two leaves, with half as many "
       "uplinks as hosts (2:1).",
       {"run",
        "-n",
        "8",
        "--platform",
        "edr-fat-tree-2to1",
        "--set",
        "network.hosts-per-switch=4",
        "--set",
        "network.arity=2",
        "--ranks-per-host",
        "1",
        "--compute",
        "none",
        "--trace",
        "exchange.otf2",
        "--report",
        "run.html",
        "--",
        exchange,
        "alltoall",
        "262144"},
       "The critical path says which part of the time is the network's, and the line \"limit\" which tier of "
       "links; run.html shows "
       "it by rank and link. "
       "--trace has recorded the run."},
      {"3. The recording on four networks, without running the program again.",
       {"compare", "exchange.otf2", "--platforms", "hdr-fat-tree,edr-fat-tree-2to1,dragonfly-1056,torus-3d",
        "--map", "spread", "--report", "compare.html"},
       "The column ratio divides each time by that of the first network."},
      {"4. What if? Half, twice and four times the bandwidth.",
       {"sweep", "exchange.otf2", "--platform", "edr-fat-tree-2to1", "--set", "network.hosts-per-switch=4",
        "--set", "network.arity=2", "--ranks-per-host", "1", "--over", "network.bandwidth=x0.5,x1,x2,x4",
        "--report", "sweep.html"},
       ""},
      {"5. A program with a mistake: each of 3 ranks waits for a message that nobody sends.",
       {"run", "-n", "3", "--platform", "hdr-fat-tree", "--compute", "none", "--report", "deadlock.html",
        "--", deadlock},
       "That was on purpose: exit code 3 stands for a deadlock, and the lines above name who waits for whom. "
       "The real MPI would wait without bound.",
       exit_deadlock},
  };
}

fs::path new_folder(const std::string& name) {
  std::error_code unknown;
  if (fs::exists(fs::symlink_status(name, unknown)))
    throw Error(
        fmt::format("{} is there already, and the tour overwrites nothing: remove it, or name another folder "
                    "by --output",
                    name));
  make_output_folder(name);
  return fs::canonical(name);
}

void take(const DemoStep& step, const fs::path& folder, const std::string& own_name) {
  if (!step.heading.empty()) fmt::print("\n{}\n", step.heading);
  fmt::print("\n$ {} {}\n", own_name, command_text(step.arguments));
  const int code = run_own_command(step.arguments, folder);
  if (code != step.exit_code)
    throw Error(
        fmt::format("the tour ends here: `{} {}` ended with exit code {} instead of {}; `morgana doctor` "
                    "checks the machine, and what was made is in {}",
                    own_name, command_text(step.arguments), code, step.exit_code, folder.string()));
  if (!step.explanation.empty()) fmt::print("\n{}\n", step.explanation);
}

int demo(const DemoArguments& options) {
  const std::vector<DemoStep> steps = tour();
  const fs::path folder = new_folder(options.output);
  const std::string own_name = name_as_called(fs::read_symlink("/proc/self/exe"));
  fmt::print("A tour of Morgana: {} commands, each as you would type it in the folder {}.\n", steps.size(),
             folder.string());
  for (const DemoStep& step : steps) take(step, folder, own_name);
  fmt::print("\nThe tour has left these pages in {}; open them in a browser:\n", folder.string());
  for (const DemoPage& page : pages) fmt::print("  {:<14} {}\n", page.name, page.content);
  fmt::print(
      "The recording is exchange.otf2. Next: `{0} platforms`, `{0} run --help`, and docs/tutorial.md.\n",
      own_name);
  return 0;
}

}  // namespace

void add_demo(Commands& commands) {
  auto options = std::make_shared<DemoArguments>();
  Command& command = commands.add("demo", "Take a two-minute tour: commands, their output, web pages");
  command.add("-o,--output", &options->output, "New folder for the tour's pages and trace")
      ->type_name("FOLDER")
      ->show_default();
  command.footer = R"(
The tour runs a ring of processes on three networks, finds the bottleneck of an all-to-all, compares a recording of
it on four networks, varies the bandwidth, and ends with a deadlock. It prints each command before the command's
output, and the command can be typed again in the folder. Compute times are left out (--compute none), so the
times are the same on every machine. The exit code is 0 if every command ended as intended: the deadlock with 3.

Example:
  morgana demo --output /tmp/tour)";
  command.action = [options] { return demo(*options); };
}

}  // namespace morgana::cli
