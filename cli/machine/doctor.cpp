#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>

#include "cli/common/command.h"
#include "cli/common/machine_options.h"
#include "cli/common/progress_bar.h"
#include "cli/machine/machine_checks.h"
#include "emulator/report/readable.h"
#include "pvmshim/agent/examination.h"

namespace morgana::cli {
namespace {

using State = Check::State;

const char* word_for(State state) {
  switch (state) {
    case State::ok:
      return "ok";
    case State::warning:
      return "warning";
    case State::missing:
      return "missing";
    case State::failed:
      return "failed";
  }
  return "";
}

/// @return whether nothing is missing, and nothing has failed
bool print_checks(const std::vector<Check>& checks) {
  bool ready = true;
  for (const Check& check : checks) {
    fmt::print("{:<8} {:<22}  {}\n", word_for(check.state), check.what, check.detail);
    if (!check.mend.empty()) fmt::print("{:<8} {:<22}  -> {}\n", "", "", check.mend);
    ready = ready && check.state != State::missing && check.state != State::failed;
  }
  return ready;
}

/// With its agent's number where several are on one machine.
std::string name_of(const ExaminedMachine& machine, const std::vector<ExaminedMachine>& all) {
  const bool is_alone = std::ranges::count(all, machine.hello.machine,
                                           [](const ExaminedMachine& one) { return one.hello.machine; }) == 1;
  return is_alone ? machine.hello.machine
                  : fmt::format("{} (agent {})", machine.hello.machine, machine.hello.number);
}

Check check_processors(const std::vector<ExaminedMachine>& all) {
  constexpr const char* what = "processors";
  const ExaminedMachine& first = all.front();
  for (const ExaminedMachine& one : all)
    if (one.hello.processor != first.hello.processor)
      return {State::warning, what,
              fmt::format("{} has {}, {} has {}", name_of(first, all), first.hello.processor,
                          name_of(one, all), one.hello.processor),
              "computing can't be measured there: use machines of one kind, --compute none, or "
              "--compute recorded:TRACE"};
  return {State::ok, what,
          fmt::format("{}{}", all.size() == 1 ? "" : "all ",
                      first.hello.processor.empty() ? "of one kind" : first.hello.processor),
          ""};
}

Check check_speed(const std::vector<ExaminedMachine>& all) {
  constexpr const char* what = "processors' speed";
  constexpr double most = 1.1;
  const auto [fastest, slowest] =
      std::ranges::minmax_element(all, {}, [](const ExaminedMachine& one) { return one.findings.work; });
  const double ratio = slowest->findings.work / fastest->findings.work;
  if (ratio <= most)
    return {State::ok, what,
            fmt::format("the same work takes {}, within {:.0f} %", readable_seconds(fastest->findings.work),
                        100 * (ratio - 1)),
            ""};
  return {State::warning, what,
          fmt::format("{} takes {:.2f} times as long as {} for the same work", name_of(*slowest, all), ratio,
                      name_of(*fastest, all)),
          "measured computing will differ as much between ranks: is it busy, or is its clock another?"};
}

void check_files(const std::vector<ExaminedMachine>& all, std::vector<Check>& checks) {
  const std::size_t before = checks.size();
  for (const ExaminedMachine& one : all)
    if (!one.findings.no_files.empty())
      checks.push_back({State::missing, "files on " + name_of(one, all), one.findings.no_files,
                        "start runs in a folder that all machines see under one name"});
  if (checks.size() != before) return;
  const std::string folder = std::filesystem::current_path().string();
  if (all.front().has_file)
    checks.push_back({State::ok, "files", "all see " + folder, ""});
  else
    checks.push_back(
        {State::warning, "files",
         fmt::format("all have {}, in which no file can be written to see whether it is one", folder),
         "start this in a folder that you may write to"});
}

/// @return "21 us" or "21 us to 40 us"
std::string range_of(const std::vector<double>& seconds) {
  const auto [least, most] = std::ranges::minmax(seconds);
  const std::string from = readable_seconds(least), to = readable_seconds(most);
  return from == to ? from : from + " to " + to;
}

void check_connections(const std::vector<ExaminedMachine>& all, std::vector<Check>& checks) {
  std::vector<double> to_here, between;
  const std::size_t before = checks.size();
  for (const ExaminedMachine& one : all) {
    to_here.push_back(one.round_trip);
    for (const ReachedAgent& reached : one.findings.reached) {
      const auto other = std::ranges::find(
          all, reached.agent, [](const ExaminedMachine& machine) { return machine.hello.number; });
      if (other == all.end()) continue;
      if (reached.why_not.empty())
        between.push_back(reached.round_trip);
      else
        checks.push_back({State::missing, "connections",
                          fmt::format("{} does not reach {}: {}", name_of(one, all), name_of(*other, all),
                                      reached.why_not),
                          "let these machines open TCP connections to each other on any port"});
    }
  }
  if (checks.size() == before && !between.empty())
    checks.push_back(
        {State::ok, "connections", "between each two, there and back in " + range_of(between), ""});
  checks.push_back({State::ok, "to this machine", "there and back in " + range_of(to_here), ""});
}

/// What they have in common or not, then what each lacks.
std::vector<Check> check_machines(const std::vector<ExaminedMachine>& all) {
  std::vector<Check> checks;
  std::vector<ExaminedMachine> heard;
  for (const ExaminedMachine& one : all) {
    if (one.silent.empty())
      heard.push_back(one);
    else
      checks.push_back(
          {State::missing, "agent on " + name_of(one, all), one.silent, "does `morgana doctor` end there?"});
  }
  if (heard.empty()) return checks;
  checks.push_back(check_processors(heard));
  checks.push_back(check_speed(heard));
  check_files(heard, checks);
  check_connections(heard, checks);
  for (const ExaminedMachine& one : heard) {
    const std::string name = name_of(one, heard);
    const auto passed =
        std::ranges::count(one.findings.checks, State::ok, [](const Check& check) { return check.state; });
    checks.push_back(
        {State::ok, "on " + name, fmt::format("{} of {} checks", passed, one.findings.checks.size()), ""});
    for (const Check& check : one.findings.checks)
      if (check.state != State::ok)
        checks.push_back({check.state, "on " + name, check.what + ": " + check.detail, check.mend});
  }
  return checks;
}

int doctor(const MachineOptions& options) {
  const auto machines = options.machines();
  bool ready = print_checks(check_machine());
  if (machines) {
    std::fflush(stdout);
    std::vector<ExaminedMachine> all;
    const StopWatch watch;
    try {
      ProgressBar bar(false);
      all = examine(*machines, [&](const std::string& what) { bar.show(what, 0); });
    } catch (const Error& error) {
      print_checks({{State::failed, "agents", error.what(), ""}});
      fmt::print("Something has failed: fix the lines marked so.\n");
      return 1;
    }
    std::vector<std::string> names;
    for (const ExaminedMachine& one : all) names.push_back(one.hello.machine);
    std::vector<Check> checks{{State::ok, "agents",
                               fmt::format("{} in {}, all of this build: {}", all.size(),
                                           readable_seconds(watch.seconds()), fmt::join(names, ", ")),
                               ""}};
    std::ranges::move(check_machines(all), std::back_inserter(checks));
    ready = print_checks(checks) && ready;
  }
  fmt::print("{}\n", !ready     ? "Something is missing: fix the lines marked so."
                     : machines ? "These machines are ready."
                                : "This machine is ready.");
  return ready ? 0 : 1;
}

}  // namespace

void add_doctor(Commands& commands) {
  auto options = std::make_shared<MachineOptions>();
  Command& command = commands.add("doctor", "Check whether this machine, or several, can run Morgana");
  options->add_machines(command, "Look around");
  command.footer = R"(
With --on an agent is started on each machine, as for `morgana run --on` with the same options. They check what is
checked on this machine, and whether all have the same build, processors of one kind and speed, the files of this
folder, and connections to each other.

Agents that mpiexec starts must come within 30 s of each other; those of Slurm may wait in its queue.

Exit code 1 if something is missing or has failed.

Examples:
  morgana doctor
  morgana doctor --on mpi --with=-f --with=hosts
  salloc -N 4 morgana doctor --on slurm)";
  command.action = [options] { return doctor(*options); };
}

}  // namespace morgana::cli
