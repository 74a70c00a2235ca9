#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
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

constexpr auto between_looks_for_news = 50ms;
/// A worker that has said nothing for so long is gone, or stopped: its runs are made elsewhere, and are the
/// same there.
constexpr auto longest_silence = 60s;

}  // namespace

/// A list of runs that is being made.
struct RunDistributor::List {
  RunList about;
  std::span<const Job> jobs;
  std::vector<std::size_t> missing;  ///< to be handed out, the last first
  std::vector<std::string> outcomes;
  std::size_t done = 0;
  const RunEnded& ended;

  /// For the workers, which have no use for details.
  void keep(std::size_t index, RunOutcome outcome) {
    outcome.details.clear();
    outcomes[index] = text_of(outcome);
  }
};

RunDistributor::RunDistributor(const Machines& machines, const std::vector<std::string>& arguments) {
  start_.emplace(machines, Guardian::Input::inherited_as(-1));
  for (ArrivedAgent& agent : start_->gather(AgentStart::patience_of(machines.engine)))
    workers_.push_back(std::make_unique<Worker>(std::move(agent)));
  const WorkOrder order{std::filesystem::current_path().string(), environment_here(), arguments};
  for (const auto& worker : workers_) worker->agent.stream->send(FrameKind::work, -1, encode(order));
  begin();
}

RunDistributor::RunDistributor(std::vector<ArrivedAgent> workers) {
  for (ArrivedAgent& agent : workers) workers_.push_back(std::make_unique<Worker>(std::move(agent)));
  begin();
}

void RunDistributor::begin() {
  for (std::size_t number = 0; number < workers_.size(); ++number) {
    workers_[number]->agent.stream->send_for_at_most(longest_silence);
    workers_[number]->thread = quiet_thread([this, number] { listen(number); });
  }
}

RunDistributor::~RunDistributor() {
  for (const auto& worker : workers_) {
    if (!worker->has_left) worker->agent.stream->send(FrameKind::quit);
    worker->agent.stream->shut();
    if (worker->thread.joinable()) worker->thread.join();
  }
  if (start_) start_->end();
}

/// On the thread of the worker's stream. Puts an empty `failed` into the inbox when the stream ends.
void RunDistributor::listen(std::size_t worker) {
  Stream& stream = *workers_[worker]->agent.stream;
  Frame frame;
  try {
    while (stream.receive(frame)) {
      frame.rank = static_cast<std::int32_t>(worker);
      inbox_.put(std::move(frame));
    }
  } catch (const MalformedFrame&) {
  }
  stream.shut();
  inbox_.put(Frame{FrameKind::failed, static_cast<std::int32_t>(worker), {}});
}

void RunDistributor::run(std::span<const Job> jobs, std::optional<std::size_t> side_by_side,
                         const RunEnded& ended, const RunIdle& idle) {
  List list{{made_.size() + 1, jobs.size(), hash_of(jobs), side_by_side.value_or(0)},
            jobs,
            {},
            std::vector<std::string>(jobs.size()),
            0,
            ended};
  if (!side_by_side) {
    Runner(1).run(
        jobs,
        [&](std::size_t index, const RunOutcome& outcome) {
          ended(index, outcome);
          list.keep(index, outcome);
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
    lose_the_silent(list);
    const std::size_t missing = jobs.size() - list.done;
    if (missing > 0 && std::ranges::all_of(workers_, &Worker::has_left))
      throw Error(fmt::format(
          "{} of {} runs {} missing: all agents have failed (their messages stand above); start the agents "
          "again",
          missing, jobs.size(), missing == 1 ? "is" : "are"));
    hand_out(list);
    std::size_t oldest = jobs.size();
    for (const auto& worker : workers_)
      if (!worker->making.empty()) oldest = std::min(oldest, *worker->making.begin());
    if (idle && oldest < jobs.size()) idle(oldest);
    if (list.done < jobs.size()) inbox_.sleep(between_looks_for_news);
  }
  made_.push_back({list.about, std::move(list.outcomes)});
  for (const auto& worker : workers_)
    if (!worker->has_left && worker->at == list.about.number) tell_outcomes(*worker, list.about.number);
}

void RunDistributor::take(List& list, Frame& frame) {
  Worker& worker = *workers_[static_cast<std::size_t>(frame.rank)];
  worker.heard = std::chrono::steady_clock::now();
  ContentReader content(frame.content);
  if (frame.kind == FrameKind::failed) return lose(list, worker);
  if (worker.has_left) return;  // what it says comes too late
  if (frame.kind == FrameKind::ready) {
    const RunList come = decode_run_list(frame.content);
    if (come.number != worker.at + 1 || come.number > list.about.number + 1)
      throw Error(fmt::format(
          "the agent on {} sent an unexpected list number: start it again, with the same version of Morgana",
          worker.agent.hello.machine));
    worker.at = come.number;
    worker.room = static_cast<std::size_t>(come.room);
    if (come.number < list.about.number) {
      check(worker, come, made_[come.number - 1].list);
      tell_outcomes(worker, come.number);
    } else if (come.number == list.about.number) {
      check(worker, come, list.about);
    }
  } else if (frame.kind == FrameKind::made) {
    const std::uint64_t number = content.number(), index = content.number();
    if (number != list.about.number || index >= list.jobs.size() ||
        worker.making.erase(static_cast<std::size_t>(index)) == 0)
      throw Error(fmt::format("the agent on {} sent the result of a run that was not assigned to it",
                              worker.agent.hello.machine));
    ++worker.room;
    RunOutcome outcome = outcome_of(content.text(), list.jobs[index]);
    ++list.done;
    list.ended(static_cast<std::size_t>(index), outcome);
    list.keep(static_cast<std::size_t>(index), std::move(outcome));
  }
}

/// @throws Error unless the worker has come to the list that this process has made
void RunDistributor::check(const Worker& worker, const RunList& come, const RunList& ours) const {
  if (come.jobs == ours.jobs && come.hash == ours.hash && (come.room == 0) == (ours.room == 0)) return;
  throw Error(fmt::format(
      "the agent on {} has a different list of runs: check that both machines read the same files "
      "and that both or neither are calibrated (morgana calibrate)",
      worker.agent.hello.machine));
}

/// Its runs are given to others.
void RunDistributor::lose(List& list, Worker& worker) {
  if (worker.has_left) return;
  worker.has_left = true;
  worker.agent.stream->shut();
  list.missing.insert(list.missing.end(), worker.making.begin(), worker.making.end());
  std::ranges::sort(list.missing, std::greater());
  worker.making.clear();
  print_error(fmt::format("morgana: note: the agent on {} ({}) is gone; others make its runs\n",
                          worker.agent.hello.machine, worker.agent.hello.number));
}

void RunDistributor::lose_the_silent(List& list) {
  const auto now = std::chrono::steady_clock::now();
  const bool slept = now - looked_ > longest_silence / 2;  // this process did: it has heard nobody
  looked_ = now;
  for (const auto& worker : workers_) {
    if (slept) worker->heard = now;
    if (worker->at > 0 && now - worker->heard > longest_silence) lose(list, *worker);
  }
}

/// In turn to each, so that few runs are spread over all machines.
void RunDistributor::hand_out(List& list) {
  for (bool has_given = true; has_given;) {
    has_given = false;
    for (const auto& worker : workers_) {
      if (list.missing.empty()) return;
      if (worker->has_left || worker->at != list.about.number || worker->room == 0) continue;
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
  const std::vector<std::string>& outcomes = made_.at(number - 1).outcomes;
  ContentWriter content;
  content.number(outcomes.size());
  for (const std::string& text : outcomes) content.text(text);
  worker.agent.stream->send(FrameKind::outcomes, -1, content.bytes());
}

}  // namespace morgana
