// Starting the agents of a run, seeing that they live, and ending them.

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "pvmshim/agent/agent.h"
#include "pvmshim/agent/distributed_agent.h"
#include "pvmshim/agent/rank_places.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr auto between_looks_at_agents = 250ms;
/// How long agents may take to end their ranks and to send what these have written, as long as they say
/// that they live.
constexpr unsigned most_seconds_to_end = 60;
constexpr auto most_silent_at_end = 4s;

}  // namespace

void DistributedProgram::start_agents(const LaunchOptions& options, const Machines& machines) {
  try {
    for (ArrivedAgent& agent : start_.emplace(machines, Guardian::Input::of_launcher())
                                   .gather(AgentStart::patience_of(machines.engine)))
      agents_.push_back(std::make_unique<Agent>(std::move(agent)));
    if (agents_.size() > options.ranks)
      throw Error(fmt::format("{} machines for {} rank{}: start agents on fewer machines", agents_.size(),
                              options.ranks, options.ranks == 1 ? "" : "s"));
    set_up(options, machines);
  } catch (...) {
    end_agents();
    throw;
  }
}

void DistributedProgram::set_up(const LaunchOptions& options, const Machines& machines) {
  std::vector<double>& scales = compute_scales_;
  scales.assign(agents_.size(), 1.0);
  if (measures_ || !machines.speeds.empty()) {
    std::vector<MachineProcessor> processors;
    for (const auto& agent : agents_)
      processors.push_back({agent->hello.machine, agent->hello.processor, agent->hello.ep_seconds_per_pair,
                            agent->hello.why_not_calibrated});
    scales = morgana::compute_scales(machines, processors);
  }
  AgentSetup setup;
  setup.launch = options;
  setup.launch.messages_are_certain = messages_are_certain_;
  setup.runs_tasks = other_ != nullptr;
  if (setup.runs_tasks) {
    setup.launch.machine_of.assign(options.ranks, RankPlaces::nowhere);
    setup.launch.machine_of[0] = static_cast<std::uint32_t>(agents_.size());  // PVM's daemon is here
  } else {
    setup.launch.machine_of = distribute(machines.distribution, options.ranks, agents_.size());
  }
  if (setup.launch.host_of.empty())
    for (std::size_t rank = 0; rank < options.ranks; ++rank)
      setup.launch.host_of.push_back(static_cast<std::uint32_t>(rank));
  for (std::size_t rank = 0; rank < options.ranks; ++rank) {
    ranks_[rank].machine = setup.launch.machine_of[rank];
    if (setup.runs_tasks) continue;
    agents_[ranks_[rank].machine]->ranks.push_back(Rank{static_cast<std::int32_t>(rank)});
  }
  setup.folder = std::filesystem::current_path().string();
  setup.environment = environment_here();
  for (const auto& agent : agents_) setup.agents.push_back(peer_of(agent->hello, agent->stream));
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (const auto& agent : agents_) agent->sent = agent->told = std::vector<std::uint64_t>(agents_.size());
  for (const auto& agent : agents_) {
    setup.number = agent->hello.number;
    setup.launch.compute_scale = options.compute_scale * scales.at(agent->hello.number);
    setup.launch.share.of = options.ranks;
    setup.launch.share.ranks.clear();
    for (const Rank rank : agent->ranks) setup.launch.share.ranks.push_back(static_cast<int>(rank));
    agent->stream.send(FrameKind::setup, -1, encode(setup));
    agent->thread = std::thread([this, &one = *agent] { receive(one); });
  }
  living_ = std::thread([this] { give_signs_of_life(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

std::string DistributedProgram::ranks_text(const Agent& agent) const {
  if (agent.ranks.empty()) return "no rank";
  std::string text = agent.ranks.size() == 1 ? "rank " : "ranks ";
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < std::min(most, agent.ranks.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", static_cast<int>(agent.ranks[i]));
  if (agent.ranks.size() > most) text += fmt::format(" and {} more", agent.ranks.size() - most);
  return text;
}

/// On a thread of its own. Time in which this process has not run does not count against anybody.
void DistributedProgram::give_signs_of_life() {
  std::unique_lock lock(mutex_);
  std::chrono::milliseconds since_sign{0};
  while (!news_.wait_for(lock, between_looks_at_agents, [this] { return is_over_; })) {
    for (const auto& agent : agents_) {
      // What has come and was not read yet: its thread waits here, as for what takes the ranks' output.
      if (agent->has_left || agent->stream.has_unread()) continue;
      agent->silence.add(between_looks_at_agents);
      if (!agent->silence.is_too_long()) continue;
      fail({0, fmt::format("the agent on {} ({}), which runs {}, has not said anything for {} s: {}",
                           agent->hello.machine, agent->hello.number, ranks_text(*agent),
                           std::chrono::duration_cast<std::chrono::seconds>(agent->silence.lasted()).count(),
                           agent->stream.is_acknowledged()
                               ? "it is stopped; its machine still answers"
                               : "its machine does not answer, or cannot be reached")});
    }
    since_sign += between_looks_at_agents;
    if (since_sign < between_signs_of_life) continue;
    since_sign = 0ms;
    lock.unlock();
    start_->look_at_starters();
    for (const auto& agent : agents_) agent->stream.send(FrameKind::alive);
    lock.lock();
  }
}

void DistributedProgram::end_agents() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  news_.notify_all();
  if (living_.joinable()) living_.join();
  for (const auto& agent : agents_) {
    agent->stream.send(FrameKind::quit);
    agent->stream.finish_sending();
  }
  bool all_have_left = true;
  {
    // An agent that says nothing any more is not waited for.
    std::unique_lock lock(mutex_);
    const auto has_left = [](const auto& agent) {
      return agent->has_left || !agent->thread.joinable() || agent->silence.lasted() >= most_silent_at_end;
    };
    for (unsigned second = 0; second < most_seconds_to_end; ++second) {
      if (news_.wait_for(lock, 1s, [&] { return std::ranges::all_of(agents_, has_left); })) break;
      for (const auto& agent : agents_) agent->silence.add(1s);
    }
    for (const auto& agent : agents_) all_have_left &= agent->has_left || !agent->thread.joinable();
  }
  for (const auto& agent : agents_) {
    agent->stream.shut();
    if (agent->thread.joinable()) agent->thread.join();
  }
  if (start_) start_->end(all_have_left);
}

}  // namespace morgana
