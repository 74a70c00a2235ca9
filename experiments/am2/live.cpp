#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "experiments/am2/programs.h"
#include "pvmshim/agent/setup.h"
#include "runs/live_run.h"

// Programs of am2.h, which run live.
namespace morgana::am2_paper {
namespace {

/// What it prints is what its figures are, in this order.
struct LiveProgram {
  std::string program;
  std::vector<std::string> words;
  int ranks;
  std::vector<std::string> figures;
};

/// By name: those that conditions have been asked for.
std::map<std::string, LiveProgram>& live_programs() {
  static std::map<std::string, LiveProgram> all;
  return all;
}

std::string name_of(const LiveProgram& live) {
  return fmt::format("{} {}, {} processes", live.program, fmt::join(live.words, " "), live.ranks);
}

/// Each on a host of its own.
Placement placement_of(const LiveProgram& live) {
  Placement placement;
  placement.kind = Placement::Kind::listed;
  placement.origin = "the experiment";
  for (int rank = 0; rank < live.ranks; ++rank) placement.hosts.push_back(static_cast<std::uint32_t>(rank));
  return placement;
}

/// Where chance plays a part, it also draws which of the shortest routes there are.
Platform platform_of(const Condition& condition, const Platform& platform, std::uint64_t seed) {
  if (!condition.random) return platform;
  std::vector<std::string> overrides = condition.overrides;
  overrides.push_back(fmt::format("network.routes-seed={}", seed));
  return Platform::load(condition.platform, overrides);
}

RunOutcome play(const LiveProgram& program, const ExperimentOptions& options, const Platform& platform,
                std::uint64_t seed) {
  const std::filesystem::path file =
      options.traces / fmt::format("morgana-am2.{}.{}", own_machine(), getpid());
  LiveRunOptions live;
  live.command = {(options.programs / program.program).string()};
  live.command.insert(live.command.end(), program.words.begin(), program.words.end());
  live.command.push_back(file.string());
  live.placement = placement_of(program);
  live.ranks = live.placement.hosts.size();
  live.compute = ComputeMode::none;
  live.seed = seed;
  live.program_text = name_of(program);
  const int code = run_live(platform, live).exit_code;
  std::ifstream in(file);
  Figures figures;
  for (const std::string& figure : program.figures)
    if (double value = 0; in >> value) figures[figure] = value;
  std::filesystem::remove(file);
  if (code != 0 || figures.size() != program.figures.size()) return {fmt::format("exit {}", code), {}};
  return {"finished", figures};
}

/// On the network that the paper's programs ran on.
Condition live_condition(const LiveProgram& program) {
  live_programs().emplace(name_of(program), program);
  Condition condition{
      name_of(program), "myrinet-am2-92", {"messages.envelope=0 B", "messages.endpoints=tags"}};
  condition.live = true;
  return condition;
}

}  // namespace

Condition live_clients(Serving serving, int clients, int milliseconds, int bytes) {
  constexpr const char* words[] = {"one", "each", "threads"};
  Condition condition = live_condition(
      {"am2.clients",
       {words[static_cast<std::size_t>(serving)], std::to_string(milliseconds), std::to_string(bytes)},
       clients + 1,
       {"rate", "least", "most"}});
  condition.overrides.emplace_back("hosts.count=93");  // of 100: 92 clients and their server
  if (serving == Serving::threads) {
    condition.overrides.emplace_back("messages.page-fault=thread");
    condition.random = true;  // who is served when depends on which cables clients share
  }
  return condition;
}

Condition live_exchange(ExchangePattern pattern, int nodes, int bytes) {
  constexpr const char* words[] = {"neighbours", "bisection", "shift"};
  constexpr int rounds = 160;
  Condition condition = live_condition(
      {"am2.exchange",
       {words[static_cast<std::size_t>(pattern)], std::to_string(bytes), std::to_string(rounds)},
       nodes,
       {"mb_per_s", "us"}});
  condition.random =
      pattern == ExchangePattern::bisection;  // all pairs share the few cables between subclusters
  return condition;
}

void define_live_programs(Laboratory& laboratory, const ExperimentOptions& options,
                          const std::set<std::string>& workloads) {
  for (const auto& [name, run] : live_programs()) {
    if (!workloads.contains(name)) continue;
    laboratory.define(
        name, [run = run, options](const Condition& condition, const Platform& platform, std::uint64_t seed) {
          return play(run, options, platform_of(condition, platform, seed), seed);
        });
  }
}

}  // namespace morgana::am2_paper
