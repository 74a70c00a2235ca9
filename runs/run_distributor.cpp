#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>

#include "emulator/core/error.h"
#include "emulator/core/standard_error.h"
#include "pvmshim/agent/quiet_thread.h"
#include "pvmshim/agent/work_order.h"
#include "pvmshim/launch/process/interrupt.h"
#include "runs/run_process.h"
#include "runs/shared_runs.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr auto between_looks_for_news = 200ms;

}  // namespace

/// A list of runs that is being made.
struct RunDistributor::List {
  std::uint64_t number;
  std::span<const Job> jobs;
  std::uint64_t names;               ///< hash_of_names()
  std::vector<std::size_t> missing;  ///< to be handed out, the last first
  std::vector<std::string> outcomes;
  std::size_t done = 0;
  const RunEnded& ended;
};

RunDistributor::RunDistributor(const Machines& machines, const std::vector<std::string>& arguments)
    : start_(machines) {
  for (ArrivedAgent& agent : start_.gather()) workers_.push_back(std::make_unique<Worker>(std::move(agent)));
  const WorkOrder order{std::filesystem::current_path().string(), environment_here(), arguments};
  for (std::size_t number = 0; number < workers_.size(); ++number) {
    workers_[number]->agent.stream->send(FrameKind::work, -1, encode(order));
    workers_[number]->thread = quiet_thread([this, number] { listen(number); });
  }
}

RunDistributor::~RunDistributor() {
  for (const auto& worker : workers_) {
    worker->agent.stream->send(FrameKind::quit);
    worker->agent.stream->shut();
    if (worker->thread.joinable()) worker->thread.join();
  }
  start_.end();
}

/// On the thread of the worker's stream. Its end is told by an empty `failed`.
void RunDistributor::listen(std::size_t worker) {
  Frame frame;
  try {
    while (workers_[worker]->agent.stream->receive(frame)) {
      frame.rank = static_cast<std::int32_t>(worker);
      inbox_.put(std::move(frame));
    }
  } catch (const MalformedFrame&) {
  }
  inbox_.put(Frame{FrameKind::failed, static_cast<std::int32_t>(worker), {}});
}

void RunDistributor::run(std::span<const Job> jobs, std::optional<std::size_t> side_by_side,
                         const RunEnded& ended, const RunIdle& idle) {
  List list{
      outcomes_.size() + 1, jobs, hash_of_names(jobs), {}, std::vector<std::string>(jobs.size()), 0, ended};
  if (!side_by_side) {
    Runner(1).run(
        jobs,
        [&](std::size_t index, const RunOutcome& outcome) {
          list.outcomes[index] = text_of(outcome);
          ended(index, outcome);
        },
        idle);
    list.done = jobs.size();
  } else {
    list.missing.resize(jobs.size());
    std::iota(list.missing.rbegin(), list.missing.rend(), 0U);
  }
  while (list.done < jobs.size()) {
    throw_if_interrupted();
    for (Frame& frame : inbox_.take()) take(list, frame);
    hand_out(list);
    std::size_t oldest = jobs.size();
    for (const auto& worker : workers_)
      if (!worker->making.empty()) oldest = std::min(oldest, *worker->making.begin());
    if (idle && oldest < jobs.size()) idle(oldest);
    if (list.done < jobs.size()) inbox_.sleep(between_looks_for_news);
  }
  outcomes_.push_back(std::move(list.outcomes));
  for (const auto& worker : workers_)
    if (worker->at == list.number) tell_outcomes(*worker, list.number);
}

void RunDistributor::take(List& list, Frame& frame) {
  Worker& worker = *workers_[static_cast<std::size_t>(frame.rank)];
  ContentReader content(frame.content);
  if (frame.kind == FrameKind::failed) return lose(list, worker);
  if (frame.kind == FrameKind::ready) {
    const RunList come = decode_run_list(frame.content);
    worker.at = come.number;
    worker.room = static_cast<std::size_t>(come.room);
    if (come.number < list.number) return tell_outcomes(worker, come.number);
    if (come.number == list.number && (come.jobs != list.jobs.size() || come.names != list.names))
      throw Error(
          fmt::format("{} has come to other runs than this machine: do both see the same files, and is "
                      "their environment the same?",
                      worker.agent.hello.machine));
  } else if (frame.kind == FrameKind::made) {
    const std::uint64_t number = content.number(), index = content.number();
    if (number != list.number || index >= list.jobs.size() ||
        worker.making.erase(static_cast<std::size_t>(index)) == 0)
      throw Error(fmt::format("{} has made a run that nobody asked for", worker.agent.hello.machine));
    ++worker.room;
    std::string& text = list.outcomes[index];
    text = content.text();
    ++list.done;
    list.ended(static_cast<std::size_t>(index), outcome_of(text, list.jobs[index]));
  }
}

/// Its runs are given to others.
void RunDistributor::lose(List& list, Worker& worker) {
  if (worker.has_left) return;
  worker.has_left = true;
  list.missing.insert(list.missing.end(), worker.making.begin(), worker.making.end());
  std::ranges::sort(list.missing, std::greater());
  const bool are_all_gone = std::ranges::all_of(workers_, [](const auto& one) { return one->has_left; });
  if (are_all_gone)
    throw Error(
        fmt::format("{} of {} runs were not made: no agent is left that would make them, and what they said "
                    "stands above",
                    list.jobs.size() - list.done, list.jobs.size()));
  print_error(fmt::format("morgana: note: the agent on {} ({}) is gone; others make its runs\n",
                          worker.agent.hello.machine, worker.agent.hello.number));
  worker.making.clear();
}

/// In turn to each, so that few runs are spread over all machines.
void RunDistributor::hand_out(List& list) {
  for (bool has_given = true; has_given;) {
    has_given = false;
    for (const auto& worker : workers_) {
      if (list.missing.empty()) return;
      if (worker->has_left || worker->at != list.number || worker->room == 0) continue;
      const std::size_t index = list.missing.back();
      list.missing.pop_back();
      --worker->room;
      worker->making.insert(index);
      worker->agent.stream->send(FrameKind::make, -1, ContentWriter().number(index).bytes());
      has_given = true;
    }
  }
}

void RunDistributor::tell_outcomes(Worker& worker, std::uint64_t number) {
  const std::vector<std::string>& outcomes = outcomes_.at(number - 1);
  ContentWriter content;
  content.number(outcomes.size());
  for (const std::string& text : outcomes) content.text(text);
  worker.agent.stream->send(FrameKind::outcomes, -1, content.bytes());
}

}  // namespace morgana
