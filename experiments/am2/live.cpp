#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "experiments/am2/programs.h"
#include "runs/live_run.h"

// Programs of am2.h, which run live.
namespace morgana::am2_paper {
namespace {

struct ServerRun {
  Serving serving;
  int clients, milliseconds;
};

const char* word_of(Serving serving) {
  constexpr const char* words[] = {"one", "each"};
  return words[static_cast<std::size_t>(serving)];
}

std::string name_of(const ServerRun& run) {
  return fmt::format("am2.clients {} {}, {} clients", word_of(run.serving), run.milliseconds, run.clients);
}

/// By name: those that live_clients() has been asked for.
std::map<std::string, ServerRun>& server_runs() {
  static std::map<std::string, ServerRun> all;
  return all;
}

/// Each on a host of its own.
Placement placement_of(const ServerRun& run) {
  Placement placement;
  placement.kind = Placement::Kind::listed;
  placement.origin = "the experiment";
  for (int rank = 0; rank <= run.clients; ++rank) placement.hosts.push_back(static_cast<std::uint32_t>(rank));
  return placement;
}

RunOutcome play(const ServerRun& run, const std::filesystem::path& programs, const Platform& platform,
                std::uint64_t seed) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("morgana-am2-{}", getpid());
  LiveRunOptions live;
  live.command = {(programs / "am2.clients").string(), word_of(run.serving), std::to_string(run.milliseconds),
                  file.string()};
  live.placement = placement_of(run);
  live.ranks = live.placement.hosts.size();
  live.compute = ComputeMode::none;
  live.seed = seed;
  live.program_text = name_of(run);
  const int code = run_live(platform, live).exit_code;
  std::ifstream in(file);
  double rate = 0, least = 0, most = 0;
  const bool read = static_cast<bool>(in >> rate >> least >> most);
  std::filesystem::remove(file);
  if (code != 0 || !read) return {fmt::format("exit {}", code), {}};
  return {"finished", {{"rate", rate}, {"least", least}, {"most", most}}};
}

}  // namespace

Condition live_clients(Serving serving, int clients, int milliseconds) {
  const ServerRun run{serving, clients, milliseconds};
  server_runs().emplace(name_of(run), run);
  Condition condition = on_am2(name_of(run), {"messages.envelope=0 B", "messages.endpoints=tags"});
  condition.live = true;
  return condition;
}

void define_live_programs(Laboratory& laboratory, const std::filesystem::path& programs,
                          const std::set<std::string>& workloads) {
  for (const auto& [name, run] : server_runs()) {
    if (!workloads.contains(name)) continue;
    laboratory.define(name,
                      [run = run, programs](const Condition&, const Platform& platform, std::uint64_t seed) {
                        return play(run, programs, platform, seed);
                      });
  }
}

}  // namespace morgana::am2_paper
