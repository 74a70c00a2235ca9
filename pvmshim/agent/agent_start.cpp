#include "pvmshim/agent/agent_start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "emulator/core/standard_error.h"
#include "pvmshim/agent/agent.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/process_tree.h"
#include "pvmshim/launch/process/program_check.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr auto patience_with_greetings = 5s;
constexpr auto between_looks_for_agents = 50ms;
constexpr auto patience_at_end = 2s;
constexpr auto between_looks_at_end = 5ms;
/// After so long a wait for agents a line says who is missing.
constexpr auto long_wait = 10s;

std::string own_program() {
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (unknown) throw Error("can't find this command's own file: is /proc mounted?");
  return program.string();
}

std::string come_text(std::span<const ArrivedAgent> come, const std::string& starter) {
  if (come.empty()) return fmt::format("no agent has come yet that {} was to start", starter);
  std::vector<std::string> names;
  for (const ArrivedAgent& agent : come) names.push_back(agent.hello.machine);
  return fmt::format("{} of {} agents have come, from {}", come.size(), come.front().hello.agents,
                     fmt::join(names, ", "));
}

/// What to do where it can't start them.
std::string advice_for(MachineEngine engine) {
  if (engine == MachineEngine::slurm)
    return "--on slurm needs Slurm set up on this machine, and machines of it: call morgana in an "
           "allocation (`salloc -N 4 morgana ...`) or say --with=--nodes=4. Without Slurm, --on mpi or --on "
           "ssh with --with=-hosts --with=one,two starts them by mpiexec";
  return "Does mpiexec reach the machines (--with=-hosts --with=one,two, or --with=-f --with=FILE; `ssh "
         "MACHINE true` must not ask for anything), do they reach this one, and is Morgana installed there "
         "in "
         "the same place? `morgana doctor` with the same options says more";
}

}  // namespace

std::vector<std::string> environment_here() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  return variables;
}

AgentStart::AgentStart(const Machines& machines, Guardian::Input input)
    : started_by_(machines.engine),
      secret_(new_secret()),
      command_(agents_command(machines, own_program(), own_addresses(), listener_.port())) {
  find_program(starter());
  std::vector<std::string> environment = environment_of_starter(machines.engine, environment_here());
  environment.push_back(fmt::format("{}={}", secret_variable, secret_));
  engine_.emplace(command_, environment, STDIN_FILENO, input);
}

AgentStart::Patience AgentStart::patience_of(MachineEngine engine) {
  if (engine == MachineEngine::slurm) return {std::nullopt, 120s};
  return {60s, 60s};
}

std::vector<ArrivedAgent> AgentStart::gather(
    const Patience& patience, const std::function<void(std::span<const ArrivedAgent>)>& waiting) {
  std::vector<ArrivedAgent> agents;
  const auto begun = std::chrono::steady_clock::now();
  std::chrono::milliseconds in_vain{0};  // looks since the last has come
  bool has_told = false;
  while (agents.empty() || agents.size() < agents.front().hello.agents) {
    throw_if_interrupted();
    throw_if_engine_ended();
    look_at_starters();
    waiting(agents);
    if (!has_told && std::chrono::steady_clock::now() - begun > long_wait) {
      has_told = true;
      print_error(fmt::format("morgana: note: {}; Ctrl-C ends the wait\n", come_text(agents, starter())));
    }
    const std::optional<std::chrono::seconds> limit = agents.empty() ? patience.first : patience.between;
    if (limit && in_vain >= *limit)
      throw Error(fmt::format("{} within {} s; what {} said stands above. {}",
                              agents.empty()
                                  ? fmt::format("no agent has come that {} was to start", starter())
                                  : come_text(agents, starter()) + ", and no other one",
                              limit->count(), starter(), advice_for(started_by_)));
    const auto socket = listener_.accept_within(between_looks_for_agents);
    if (!socket) in_vain += between_looks_for_agents;
    if (!socket) continue;
    if (auto agent = greet(*socket)) {
      agents.push_back(std::move(*agent));
      in_vain = 0s;
    }
  }
  std::ranges::sort(agents, {}, [](const ArrivedAgent& agent) { return agent.hello.number; });
  for (std::size_t number = 0; number < agents.size(); ++number)
    if (agents[number].hello.number != number)
      throw Error(fmt::format("two agents are number {}: is {} Hydra's or Slurm's?", number, starter()));
  return agents;
}

void AgentStart::look_at_starters() {
  stopped_.look([this] {
    StoppedHelpers::Helpers helpers{
        {"morgana-guard, which ends what the run has started,", engine_->process()},
        {starter(), engine_->launcher()}};
    for (const pid_t child : ProcessTree::children_of(engine_->launcher())) {
      helpers.push_back({fmt::format("what {} has started", starter()), child});
      for (const pid_t agent : ProcessTree::children_of(child))  // those on this machine
        helpers.push_back({fmt::format("an agent that {} has started", starter()), agent});
    }
    return helpers;
  });
}

void AgentStart::end(bool all_have_left) {
  const auto until = std::chrono::steady_clock::now() + (all_have_left ? patience_at_end : 0s);
  while (!engine_->launcher_status() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(between_looks_at_end);
  engine_->end_all();
}

std::optional<ArrivedAgent> AgentStart::greet(int socket) const {
  ArrivedAgent agent{std::make_unique<Stream>(socket), {}};
  Frame frame;
  bool is_ours = false;
  try {
    if (agent.stream->receive_within(frame, patience_with_greetings) && frame.kind == FrameKind::hello) {
      agent.hello = decode_hello(frame.content);
      is_ours = is_same_secret(agent.hello.secret, secret_);
    }
  } catch (const Error&) {
  }
  if (!is_ours) {
    print_error(fmt::format("morgana: note: {} has connected without this run's secret, and was dropped\n",
                            agent.stream->address()));
    return std::nullopt;
  }
  if (agent.hello.build != own_build())
    throw Error(fmt::format("{} has another build of Morgana: install the same on all machines",
                            agent.hello.machine));
  agent.stream->accept_up_to(largest_frame);
  return agent;
}

void AgentStart::throw_if_engine_ended() {
  const std::optional<int> status = engine_->launcher_status();
  if (!status) return;
  throw Error(
      fmt::format("{}, which was to start the agents, has ended before they had come ({}); what it said "
                  "stands above. {}",
                  starter(),
                  WIFEXITED(*status) ? fmt::format("exit code {}", WEXITSTATUS(*status))
                                     : fmt::format("signal {}", WTERMSIG(*status)),
                  advice_for(started_by_)));
}

}  // namespace morgana
