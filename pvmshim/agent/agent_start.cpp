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
#include "pvmshim/launch/process/proc_file.h"
#include "pvmshim/launch/process/process_state.h"
#include "pvmshim/launch/process/process_tree.h"
#include "pvmshim/launch/process/program_check.h"
#include "pvmshim/launch/process/rank_failure.h"
#include "pvmshim/launch/process/rank_watch.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr auto patience_with_greetings = 5s;
constexpr auto between_looks_for_agents = 50ms;
constexpr auto patience_at_end = 2s;
constexpr auto patience_with_starter = 5s;
constexpr auto between_looks_at_end = 5ms;
/// After so long a wait for agents a line says who is missing.
constexpr auto long_wait = 10s;

/// @param status  as wait(2) gives it
std::string ending_text(int status) {
  return WIFEXITED(status) ? fmt::format("exit code {}", WEXITSTATUS(status))
                           : fmt::format("signal {}", WTERMSIG(status));
}

[[noreturn]] void throw_lost(const ArrivedAgent& agent, const std::string& why) {
  throw Error(fmt::format("the agent on {} ({}) is gone: {}", agent.hello.machine, agent.hello.number, why));
}

std::string own_program() {
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (unknown) throw Error("can't find this command's own file: is /proc mounted?");
  return program.string();
}

/// @return "one, two, three and 5 more"
std::string list_of(std::vector<std::string> names) {
  constexpr std::size_t most = 8;
  const std::size_t all = names.size();
  names.resize(std::min(all, most));
  return fmt::format("{}{}", fmt::join(names, ", "),
                     all > most ? fmt::format(" and {} more", all - most) : "");
}

/// @param named  machines, by the agents' numbers, where they are known
std::string missing_text(std::span<const ArrivedAgent> come, const std::vector<std::string>& named) {
  const std::size_t all = come.front().hello.agents;
  std::vector<std::string> missing;
  for (std::size_t number = 0; number < all; ++number)
    if (std::ranges::none_of(come, [&](const ArrivedAgent& one) { return one.hello.number == number; }))
      missing.push_back(named.size() == all ? fmt::format("agent {} on {}", number, named[number])
                                            : fmt::format("agent {}", number));
  return list_of(std::move(missing));
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
      command_(agents_command(machines, own_program(), own_addresses(), listener_.port())),
      named_(named_machines(machines)) {
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
  try {
    await_all(agents, patience, waiting);
  } catch (...) {
    for (const ArrivedAgent& agent : agents) agent.stream->send(FrameKind::quit);
    throw;
  }
  std::ranges::sort(agents, {}, [](const ArrivedAgent& agent) { return agent.hello.number; });
  for (std::size_t number = 0; number < agents.size(); ++number)
    if (agents[number].hello.number != number)
      throw Error(fmt::format("two agents are number {}: is {} Hydra's or Slurm's?", number, starter()));
  return agents;
}

void AgentStart::await_all(std::vector<ArrivedAgent>& agents, const Patience& patience,
                           const std::function<void(std::span<const ArrivedAgent>)>& waiting) {
  const auto begun = std::chrono::steady_clock::now();
  std::chrono::milliseconds in_vain{0};  // looks since the last has come
  bool has_told = false;
  while (agents.empty() || agents.size() < agents.front().hello.agents) {
    throw_if_interrupted();
    throw_if_one_left(agents);
    throw_if_engine_ended(agents);
    throw_if_one_was_not_started(agents);
    look_at_starters();
    waiting(agents);
    if (!has_told && std::chrono::steady_clock::now() - begun > long_wait) {
      has_told = true;
      print_error(fmt::format("morgana: note: {}; Ctrl-C ends the wait\n", come_text(agents)));
    }
    const std::optional<std::chrono::seconds> limit = agents.empty() ? patience.first : patience.between;
    if (limit && in_vain >= *limit)
      throw Error(fmt::format("{}{} within {} s; what {} said stands above. {}", come_text(agents),
                              agents.empty() ? "" : ", and no other one has come", limit->count(), starter(),
                              advice_for(started_by_)));
    const auto socket = listener_.accept_within(between_looks_for_agents);
    if (!socket) in_vain += between_looks_for_agents;
    if (!socket) continue;
    if (auto agent = greet(*socket)) {
      agents.push_back(std::move(*agent));
      in_vain = 0s;
    }
  }
}

std::string AgentStart::come_text(std::span<const ArrivedAgent> come) const {
  if (come.empty())
    return fmt::format("no agent has come that {} was to start{}{}", starter(), named_.empty() ? "" : " on ",
                       list_of(named_));
  std::vector<std::string> names;
  for (const ArrivedAgent& agent : come) names.push_back(agent.hello.machine);
  return fmt::format("{} of {} agents have come, from {}; missing: {}", come.size(),
                     come.front().hello.agents, list_of(std::move(names)), missing_text(come, named_));
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
    if (agent.stream->receive_within(frame, patience_with_greetings, throw_if_interrupted) &&
        frame.kind == FrameKind::hello) {
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
  if (!agent.hello.why_lost.empty()) throw_lost(agent, agent.hello.why_lost);
  agent.stream->accept_up_to(largest_frame);
  return agent;
}

/// If one is killed mpiexec ends all others, and says on which machine it was.
void AgentStart::throw_if_one_left(std::span<const ArrivedAgent> come) {
  const auto gone =
      std::ranges::find_if(come, [](const ArrivedAgent& agent) { return agent.stream->has_closed(); });
  if (gone == come.end()) return;
  const auto until = std::chrono::steady_clock::now() + patience_with_starter;
  while (std::chrono::steady_clock::now() < until) {
    throw_if_interrupted();
    throw_if_engine_ended(come);
    throw_if_one_was_not_started(come);
    std::this_thread::sleep_for(between_looks_at_end);
  }
  throw_lost(*gone, connection_has_closed);
}

void AgentStart::throw_if_engine_ended(std::span<const ArrivedAgent> come) {
  const std::optional<int> status = engine_->launcher_status();
  if (!status) return;
  throw Error(
      fmt::format("{}, which was to start the agents, has ended before they had come ({}): {}; what it said "
                  "stands above. {}",
                  starter(), ending_text(*status), come_text(come), advice_for(started_by_)));
}

/// mpiexec goes on when an ssh of it has failed, or an agent has ended by an exit code. What it has started
/// for each machine, in their order, stays its child then, as a zombie.
void AgentStart::throw_if_one_was_not_started(std::span<const ArrivedAgent> come) {
  if (started_by_ == MachineEngine::slurm) return;  // srun ends all
  const std::vector<pid_t> children = ProcessTree::children_of(engine_->launcher());
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (!state_of(children[i]).has_ended()) continue;
    const std::optional<int> status = exit_status_of(children[i], -1);
    std::string name = read_proc_file(fmt::format("/proc/{}/comm", children[i]));
    name.erase(std::min(name.find('\n'), name.size()));
    throw Error(fmt::format(
        "{}'s {}{} has ended before its agent had come{}: {}; what it said stands above. {}", starter(),
        name.empty() ? "helper" : name, children.size() == named_.size() ? " for " + named_[i] : "",
        status.value_or(0) != 0 ? fmt::format(" ({})", ending_text(*status)) : "", come_text(come),
        advice_for(started_by_)));
  }
}

}  // namespace morgana
