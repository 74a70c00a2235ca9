#include "pvmshim/launch/pvm/local_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "emulator/core/standard_error.h"
#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/launch/process/installation.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/waiting.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

/// After so much processor time without a word a task that keeps all others from going on is named.
constexpr nanoseconds longest_computing = 10s;
constexpr nanoseconds between_looks_at_signals = 1ms;
/// How often to look for tasks that will never go on.
constexpr std::chrono::milliseconds between_looks_at_waits{100};

std::vector<std::string> environment_for(const std::string& channel) {
  std::string preload = own_library("libmorgana-pvm.so").string();
  if (const char* others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0')
    preload = std::string(others) + ":" + preload;
  return {fmt::format("LD_PRELOAD={}", preload), fmt::format("{}={}", RankChannel::path_variable, channel)};
}

/// Ranks of several machines don't share processors with each other.
std::vector<std::uint32_t> machines_of(std::size_t ranks, bool are_shared) {
  return are_shared ? std::vector<std::uint32_t>(ranks) : std::vector<std::uint32_t>();
}

}  // namespace

LocalTasks::LocalTasks(const ChannelSettings& settings, Bytes payload_room, bool are_shared,
                       std::function<bool()> is_over, std::string machine)
    : settings_(settings),
      is_over_(std::move(is_over)),
      tasks_(settings.ranks),
      endless_(longest_computing),
      stopped_(std::move(machine)),
      channel_(settings, payload_room, {}, machines_of(settings.ranks, are_shared)),
      processes_(environment_for(channel_.path()), [this] { channel_.wake(); }) {
  channel_.running(0);
}

pid_t LocalTasks::start_first(const std::vector<std::string>& command, Rank rank, pvm::TaskId id) {
  channel_.running_changes(1);
  channel_.free_processors();
  const pid_t process = processes_.start_first(command, rank, id);
  tasks_[index(rank)].id = id;
  return process;
}

std::int32_t LocalTasks::start(const pvm::TaskStart& task) {
  channel_.free_processors();
  const std::int32_t process = processes_.start(task);
  if (process >= 0) tasks_.at(index(task.rank)).id = task.id;
  return process;
}

void LocalTasks::go_on_as(Rank from, Rank to) {
  tasks_.at(index(to)).id = pvm::task_id(pvm::host_of(tasks_[index(from)].id), to);
  processes_.go_on_as(from, to);
}

/// So a task that a signal ends has ended in simulated time when the signal came, whatever it was doing.
void LocalTasks::await_effect(const SentSignal& sent, bool slept) {
  while (!is_over_() && !ended(sent.to) && (sent.ends_it || is_under_way(sent.process, slept)) &&
         !is_stopped(sent.process)) {
    throw_if_interrupted();
    channel_.wait({}, between_looks_at_signals);
  }
}

bool LocalTasks::take(Rank rank, Operation& operation) {
  if (!channel_.take(rank, operation)) return false;
  endless_.spoke(rank);
  tasks_[index(rank)].answered.reset();
  return true;
}

void LocalTasks::answer(Rank rank, const Answer& answer) {
  tasks_[index(rank)].answered = answer.clock;
  if (!ended(rank)) channel_.answer(rank, answer);
}

std::optional<SimTime> LocalTasks::computed(Rank rank) {
  const auto used = channel_.computed(rank);
  if (!used) return std::nullopt;
  Task& task = tasks_[index(rank)];
  task.computed = simulated(*used, settings_);
  // Polls that it has answered itself cost time too; it shows where they have brought it.
  if (task.answered) task.computed = std::max(task.computed, channel_.reached(rank) - *task.answered);
  return task.computed;
}

void LocalTasks::wait(std::span<const OperationSource::AwaitedRank> awaited) {
  look_for_stopped();
  awaited_.clear();
  nanoseconds timeout = longest_sleep;
  for (const OperationSource::AwaitedRank& one : awaited) {
    awaited_.push_back(one.rank);
    warn_if_endless(one.rank);
    timeout = std::min(timeout, processor_time_missing(one, tasks_[index(one.rank)].computed, settings_));
  }
  channel_.wait(awaited_, std::max(timeout, shortest_sleep));
  throw_if_interrupted();
  throw_if_out_of_room(awaited);
}

std::string LocalTasks::name_of(Rank rank) const {
  return fmt::format("task t{:x}", tasks_[index(rank)].id);
}

void LocalTasks::look_for_stopped() {
  stopped_.look([this] {
    StoppedHelpers::Helpers begun;
    for (std::size_t i = 1; i < tasks_.size(); ++i) {
      const Rank rank{static_cast<std::int32_t>(i)};
      if (tasks_[i].id == 0 || ended(rank)) continue;
      // What was started may be a shell that waits for the task.
      const auto attached = channel_.pid_of(rank);
      if (const auto process = attached ? attached : processes_.process_of(rank))
        begun.push_back({name_of(rank), *process});
    }
    return begun;
  });
}

void LocalTasks::warn_if_endless(Rank rank) {
  if (settings_.compute != ComputeMode::none) return;
  const auto process = channel_.pid_of(rank);
  if (!process || !endless_.look(rank, *process)) return;
  print_error(fmt::format(
      "morgana: {} has computed for {} s without calling PVM, and everything else waits for it: with "
      "--compute none computing takes no simulated time. If it never calls, run it with measured "
      "computing\n",
      name_of(rank), longest_computing / 1s));
}

/// As LiveProgram's.
void LocalTasks::throw_if_out_of_room(std::span<const OperationSource::AwaitedRank> awaited) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return;
  next_look_ = now + between_looks_at_waits;
  const bool all_rest = every_task_rests();
  const auto full = std::ranges::find_if(awaited, [this](const OperationSource::AwaitedRank& one) {
    return channel_.rest(one.rank) == EmulatorChannel::Rest::for_room;
  });
  if (all_rest && full != awaited.end()) throw Error(out_of_room_text(full->rank));
}

std::string LocalTasks::out_of_room_text(Rank rank) const {
  return fmt::format(
      "{} has sent more than its shared memory holds, and nobody receives it: let tasks receive before they "
      "send more",
      name_of(rank));
}

RanksAtRest LocalTasks::at_rest() {
  RanksAtRest rest{every_task_rests(), {}};
  for (std::size_t i = 1; i < tasks_.size() && rest.out_of_room.empty(); ++i) {
    const Rank rank{static_cast<std::int32_t>(i)};
    if (tasks_[i].id != 0 && channel_.rest(rank) == EmulatorChannel::Rest::for_room)
      rest.out_of_room = out_of_room_text(rank);
  }
  return rest;
}

/// Asks each, so that the answer of none depends on another's.
bool LocalTasks::every_task_rests() {
  bool all = true;
  for (std::size_t i = 1; i < tasks_.size(); ++i) {
    if (tasks_[i].id == 0) continue;
    const Rank rank{static_cast<std::int32_t>(i)};
    const bool rests = channel_.rest(rank) != EmulatorChannel::Rest::none;
    all = all && (rests || ended(rank).has_value() || channel_.ended(rank));
  }
  return all;
}

}  // namespace morgana
