#include "pvmshim/launch/pvm/pvm_program.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "emulator/core/event_queue.h"
#include "emulator/core/standard_error.h"
#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/launch/process/installation.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/program_check.h"
#include "pvmshim/launch/process/rank_watch.h"
#include "pvmshim/launch/process/waiting.h"
#include "pvmshim/launch/pvm/daemon_rank.h"
#include "pvmshim/launch/pvm/endless_computing.h"
#include "pvmshim/launch/pvm/task_processes.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr Rank first_rank{1};
/// After so much processor time without a word a task that keeps all others from going on is named.
constexpr nanoseconds longest_computing = 10s;
/// How long processes, all together, may take from their last words to their ends where that is only looked
/// at for a report.
constexpr nanoseconds longest_ending = 5s;
constexpr nanoseconds between_looks_at_signals = 1ms;
/// How often to look for tasks that will never go on.
constexpr std::chrono::milliseconds between_careful_looks{100};

ChannelSettings settings_for(const PvmLaunchOptions& options) {
  ChannelSettings settings;
  settings.ranks = options.task_limit + 1;
  settings.compute = options.compute;
  settings.compute_scale = options.compute_scale;
  if (options.epoch_s) settings.choose_date(*options.epoch_s);
  settings.least_distance_ps = options.least_distance.ps();
  settings.cores_per_rank = options.cores_per_rank;
  settings.processors_are_shared = options.processors_are_shared ? 1 : 0;
  return settings;
}

std::vector<std::string> environment_for(const std::string& channel) {
  std::string preload = own_library("libmorgana-pvm.so").string();
  if (const char* others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0')
    preload = std::string(others) + ":" + preload;
  return {fmt::format("LD_PRELOAD={}", preload), fmt::format("{}={}", RankChannel::path_variable, channel)};
}

}  // namespace

class PvmProgram::Impl final : private DaemonClient {
 public:
  explicit Impl(const PvmLaunchOptions& options)
      : command_(options.command),
        settings_(settings_for(options)),
        tasks_(settings_.ranks),
        channel_(settings_, options.payload_room),
        processes_(environment_for(channel_.path()), [this] { channel_.wake(); }),
        daemon_(channel_.path(), options.hosts, options.task_limit, processes_, *this) {
    const auto program = find_program(command_.at(0));
    check_pvm_command(command_);
    channel_.running(1);
    const pid_t pid = processes_.start_first(command_, first_rank, pvm::task_id(0, first_rank));
    daemon_.first_task(first_rank, pid, program.filename().string());
    tasks_[index(first_rank)].begun = true;
  }

  std::size_t ranks() const { return tasks_.size(); }

  bool next(Rank rank, Operation& operation) {
    if (rank == pvm::daemon_rank) return daemon_.next(operation);
    Task& task = tasks_[index(rank)];
    if (next_of(task.last_words, operation) || take(rank, operation)) return true;
    if (!is_dead(rank)) return false;
    // What it has written just before its end has come since that look.
    if (take(rank, operation)) return true;
    speak_for(rank);
    return next_of(task.last_words, operation);
  }

  std::uint32_t most_threads() const { return channel_.most_threads(); }

  void dropped(std::uint64_t payload) { channel_.release(payload); }

  void answer(Rank rank, const Answer& answer) {
    if (rank == pvm::daemon_rank) return daemon_.answer(answer);
    tasks_[index(rank)].asks = false;
    tasks_[index(rank)].answered = answer.clock;
    if (!is_dead(rank)) channel_.answer(rank, answer);
  }

  std::optional<SimTime> computed(Rank rank) {
    Task& task = tasks_[index(rank)];
    const auto used = channel_.computed(rank);
    // One that has ended already will do nothing more before the daemon ends it in simulated time.
    if (task.is_being_ended && is_dead(rank) && (used || channel_.is_half_said(rank)))
      return EventQueue::latest;
    if (!used) return std::nullopt;
    task.computed = simulated(*used, settings_);
    if (task.answered) task.computed = std::max(task.computed, channel_.reached(rank) - *task.answered);
    if (is_dead(rank)) return std::nullopt;
    return task.computed;
  }

  void wait(std::span<const AwaitedRank> awaited) {
    throw_if_interrupted();
    throw_if_one_died_waiting();
    awaited_.clear();
    nanoseconds timeout = longest_sleep;
    for (const AwaitedRank& awaited_rank : awaited) {
      if (awaited_rank.rank == pvm::daemon_rank) continue;
      if (is_dead(awaited_rank.rank)) return;
      awaited_.push_back(awaited_rank.rank);
      warn_if_endless(awaited_rank.rank);
      timeout = std::min(timeout, processor_time_missing(
                                      awaited_rank, tasks_[index(awaited_rank.rank)].computed, settings_));
    }
    channel_.wait(awaited_, std::max(timeout, shortest_sleep));
    throw_if_interrupted();
    throw_if_one_died_waiting();
    throw_if_out_of_room(awaited);
  }

  bool first_task_ended() const { return tasks_[index(first_now_)].has_left || is_dead(first_now_); }

  int finish() {
    while (!is_dead(first_rank)) {
      throw_if_interrupted();
      channel_.wait({}, longest_sleep);
    }
    const int status = *processes_.ended(first_rank);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::vector<std::string> notices() const {
    std::vector<std::string> all = notices_;
    for (std::string& notice : unstarted_programs()) all.push_back(std::move(notice));
    return all;
  }

  std::vector<std::string> shortfalls() const {
    std::vector<std::string> all;
    for (const pvm::SpawnShortfall& one : daemon_.shortfalls()) all.push_back(pvm::text_of(one));
    return all;
  }

  std::vector<std::string> failed_tasks() {
    std::vector<std::string> failed;
    auto limit = std::chrono::steady_clock::now() + longest_ending;
    for (std::size_t i = 1; i < tasks_.size() && tasks_[i].begun; ++i) {
      const Rank rank{static_cast<std::int32_t>(i)};
      try {
        if (tasks_[i].process_ends) await_end(rank, limit);
      } catch (const Interrupted&) {
        limit = {};  // who loses patience here wants the report without what these still say
      }
      const bool is_over = tasks_[i].process_ends || tasks_[i].spoken_for;  // no other task's process by now
      const std::optional<int> status = processes_.ended(rank);
      if (!is_over || !status || *status == 0 || processes_.was_ended(rank)) continue;
      failed.push_back(fmt::format("rank {}, {}, {}", i, name_of_task(rank), describe_status(*status)));
    }
    for (std::string& notice : unstarted_programs()) failed.push_back(std::move(notice));
    return failed;
  }

 private:
  struct Task {
    bool begun = false;
    bool asks = false;                 ///< waits for an answer
    SimTime computed;                  ///< since its last operation, as the engine was told last
    std::optional<SimTime> answered;   ///< its last answer's clock, until it says more
    std::deque<Operation> last_words;  ///< of a task whose process has ended without them
    bool has_left = false;             ///< it does nothing any more, and its process is no other task
    bool process_ends = false;         ///< it has left because its process is about to end
    bool spoken_for = false;
    bool is_being_ended = false;  ///< by the daemon, as soon as simulated time has come to it
  };

  /// A sentence for each program of which pvm_spawn has started fewer tasks than it was asked for.
  std::vector<std::string> unstarted_programs() const {
    std::vector<std::string> all;
    for (const pvm::SpawnShortfall& shortfall : daemon_.shortfalls()) {
      const auto why = processes_.unstarted().find(shortfall.file);
      all.push_back(why == processes_.unstarted().end()
                        ? pvm::text_of(shortfall)
                        : fmt::format("pvm_spawn could not start {}: {}; it started {} of {} tasks",
                                      shortfall.file, why->second, shortfall.started, shortfall.asked));
    }
    return all;
  }

  static bool next_of(std::deque<Operation>& queue, Operation& operation) {
    if (queue.empty()) return false;
    operation = std::move(queue.front());
    queue.pop_front();
    return true;
  }

  /// What the task itself has said.
  bool take(Rank rank, Operation& operation) {
    if (!channel_.take(rank, operation)) return false;
    Task& task = tasks_[index(rank)];
    endless_.spoke(rank);
    task.asks = operation.wants_answer;
    task.answered.reset();
    if (operation.kind == OperationKind::exit) leave(rank, operation);
    return true;
  }

  bool is_dead(Rank rank) const { return processes_.ended(rank).has_value(); }
  std::string name_of_task(Rank rank) const {
    return fmt::format("task t{:x}", pvm::task_id(tasks_host_[index(rank)], rank));
  }

  void begins(const pvm::StartRank& start) override {
    tasks_.at(index(start.rank)).begun = true;
    tasks_host_[index(start.rank)] = start.host;
    channel_.running_changes(1);
  }

  void goes_on(const pvm::ContinueRank& goes_on) override {
    successors_[goes_on.from] = goes_on.to;
    tasks_.at(index(goes_on.to)).begun = true;
    tasks_host_[index(goes_on.to)] = goes_on.host;
    processes_.go_on_as(goes_on.from, goes_on.to);
    if (goes_on.from == first_now_) first_now_ = goes_on.to;
  }

  void is_being_ended(Rank rank) override { tasks_.at(index(rank)).is_being_ended = true; }

  /// Only now its process ends: that a run goes the same way every time must not depend on how fast that is.
  void is_ended(const pvm::EndRank& end) override {
    tasks_[index(end.rank)].spoken_for = true;
    processes_.end(end.rank, end.politely);
  }

  std::vector<Rank> ended_by_signals() override {
    std::vector<Rank> ended;
    for (const SentSignal& sent : processes_.take_sent_signals()) {
      await_effect(sent);
      if (is_dead(sent.to)) ended.push_back(sent.to);
    }
    return ended;
  }

  /// So a task that a signal ends has ended in simulated time when the signal came, whatever it was doing.
  void await_effect(const SentSignal& sent) {
    const bool slept = tasks_[index(sent.to)].asks;
    while (!is_dead(sent.to) && (sent.ends_it || is_under_way(sent.process, slept)) &&
           !is_stopped(sent.process)) {
      throw_if_interrupted();
      channel_.wait({}, between_looks_at_signals);
    }
  }

  /// Of a process that has said its last word.
  void await_end(Rank rank, std::chrono::steady_clock::time_point limit) {
    while (!is_dead(rank) && std::chrono::steady_clock::now() < limit) {
      throw_if_interrupted();
      channel_.wait({}, longest_sleep);
    }
  }

  /// The task's last operation. If its process goes on as another task, that one begins before.
  void leave(Rank rank, Operation& exit) {
    const auto successor = successors_.extract(rank);
    if (successor.empty()) {
      tasks_[index(rank)].has_left = true;
      tasks_[index(rank)].process_ends = exit.call == Call::pvm_exit;
      return;
    }
    channel_.running_changes(1);
    Operation spawn;
    spawn.kind = OperationKind::spawn;
    spawn.call = Call::pvm_mytid;
    spawn.elapsed = exit.elapsed;
    spawn.polled = exit.polled;
    spawn.peer = successor.mapped();
    spawn.host = static_cast<std::int32_t>(tasks_host_[index(successor.mapped())]);
    exit.elapsed = exit.polled = SimTime();
    tasks_[index(rank)].last_words.push_back(std::exchange(exit, std::move(spawn)));
  }

  /// A task whose process is gone: says for it that it has left, and ends its rank. The last that is known of
  /// its clock is when.
  void speak_for(Rank rank) {
    Task& task = tasks_[index(rank)];
    if (task.spoken_for) return;
    task.spoken_for = true;
    const int status = *processes_.ended(rank);
    if (WIFSIGNALED(status) && !processes_.was_ended(rank))
      notices_.push_back(fmt::format("{} {}", name_of_task(rank), describe_status(status)));
    Operation send = daemon_.farewell();
    send.elapsed = task.computed;
    Operation exit;
    exit.kind = OperationKind::exit;
    exit.call = Call::pvm_exit;
    task.last_words.push_back(std::move(send));
    task.last_words.push_back(std::move(exit));
  }

  void warn_if_endless(Rank rank) {
    if (settings_.compute != ComputeMode::none) return;
    const auto process = channel_.pid_of(rank);
    if (!process || !endless_.look(rank, *process)) return;
    print_error(fmt::format(
        "morgana: {} has computed for {} s without calling PVM, and everything else waits for it: with "
        "--compute none computing takes no simulated time. If it never calls, run it with measured "
        "computing\n",
        name_of_task(rank), longest_computing / 1s));
  }

  void throw_if_one_died_waiting() {
    for (std::size_t i = 1; i < tasks_.size() && tasks_[i].begun; ++i) {
      const Rank rank{static_cast<std::int32_t>(i)};
      if (!tasks_[i].asks || tasks_[i].is_being_ended || tasks_[i].spoken_for || !is_dead(rank)) continue;
      throw Error(
          fmt::format("{} {} while it waited", name_of_task(rank), describe_status(*processes_.ended(rank))));
    }
  }

  /// As LiveProgram's.
  void throw_if_out_of_room(std::span<const AwaitedRank> awaited) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_) return;
    next_look_ = now + between_careful_looks;
    const bool all_rest = every_task_rests();
    const auto full = std::find_if(awaited.begin(), awaited.end(), [this](const AwaitedRank& awaited_rank) {
      return awaited_rank.rank != pvm::daemon_rank &&
             channel_.rest(awaited_rank.rank) == EmulatorChannel::Rest::for_room;
    });
    if (all_rest && full != awaited.end())
      throw Error(
          fmt::format("{} has sent more than its shared memory holds, and nobody receives it: let "
                      "tasks receive before they send more",
                      name_of_task(full->rank)));
  }

  /// Asks each, so that the answer of none depends on another's.
  bool every_task_rests() {
    bool all = true;
    for (std::size_t i = 1; i < tasks_.size() && tasks_[i].begun; ++i) {
      const Rank rank{static_cast<std::int32_t>(i)};
      const bool rests = channel_.rest(rank) != EmulatorChannel::Rest::none;
      all = all && (rests || is_dead(rank) || channel_.ended(rank));
    }
    return all;
  }

  std::vector<std::string> command_;
  ChannelSettings settings_;
  std::vector<Task> tasks_;  ///< by rank; they begin one after the other
  std::vector<std::uint32_t> tasks_host_ = std::vector<std::uint32_t>(tasks_.size());
  std::vector<std::string> notices_;
  std::vector<Rank> awaited_;
  std::chrono::steady_clock::time_point next_look_;
  EndlessComputing endless_{longest_computing};
  std::map<Rank, Rank> successors_;  ///< as what tasks' processes go on when these have ended
  Rank first_now_ = first_rank;      ///< the task that the first one's process is
  EmulatorChannel channel_;
  TaskProcesses processes_;
  DaemonRank daemon_;
};

PvmProgram::PvmProgram(const PvmLaunchOptions& options) : impl_(std::make_unique<Impl>(options)) {}
PvmProgram::~PvmProgram() = default;
std::size_t PvmProgram::ranks() const {
  return impl_->ranks();
}
bool PvmProgram::runs_at_start(Rank rank) const {
  return rank <= first_rank;
}
bool PvmProgram::next(Rank rank, Operation& operation) {
  return impl_->next(rank, operation);
}
void PvmProgram::dropped(std::uint64_t payload) {
  impl_->dropped(payload);
}
void PvmProgram::answer(Rank rank, const Answer& answer) {
  impl_->answer(rank, answer);
}
std::optional<SimTime> PvmProgram::computed(Rank rank) {
  return impl_->computed(rank);
}
void PvmProgram::wait(std::span<const AwaitedRank> awaited) {
  impl_->wait(awaited);
}
bool PvmProgram::first_task_ended() const {
  return impl_->first_task_ended();
}
std::uint32_t PvmProgram::most_threads() const {
  return impl_->most_threads();
}
int PvmProgram::finish() {
  return impl_->finish();
}
std::vector<std::string> PvmProgram::notices() const {
  return impl_->notices();
}
std::vector<std::string> PvmProgram::shortfalls() const {
  return impl_->shortfalls();
}
std::vector<std::string> PvmProgram::failed_tasks() {
  return impl_->failed_tasks();
}

}  // namespace morgana
