#include "pvmshim/launch/pvm/pvm_program.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "emulator/core/event_queue.h"
#include "emulator/core/standard_error.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/program_check.h"
#include "pvmshim/launch/process/rank_watch.h"
#include "pvmshim/launch/process/waiting.h"
#include "pvmshim/launch/pvm/daemon_rank.h"
#include "pvmshim/launch/pvm/local_tasks.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr Rank first_rank{1};
/// How long processes, all together, may take from their last words to their ends where that is only looked
/// at for a report.
constexpr nanoseconds longest_ending = 5s;

}  // namespace

ChannelSettings channel_settings(const PvmLaunchOptions& options) {
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

void check_pvm_program(const PvmLaunchOptions& options) {
  find_program(options.command.at(0));
  check_pvm_command(options.command);
}

class PvmProgram::Impl final : private DaemonClient {
 public:
  Impl(const PvmLaunchOptions& options, std::unique_ptr<RunningTasks> running)
      : command_(options.command),
        tasks_(options.task_limit + 1),
        running_(std::move(running)),
        daemon_(running_->channel(), options.hosts, options.task_limit, *running_, *this) {
    const pid_t pid = running_->start_first(command_, first_rank, pvm::task_id(0, first_rank));
    daemon_.first_task(first_rank, pid, find_program(command_.at(0)).filename().string());
    tasks_[index(first_rank)].begun = true;
  }

  std::size_t ranks() const { return tasks_.size(); }

  bool next(Rank rank, Operation& operation) {
    if (rank == pvm::daemon_rank) return next_of_daemon(operation);
    Task& task = tasks_[index(rank)];
    if (next_of(task.last_words, operation) || take(rank, operation)) return true;
    if (!is_dead(rank)) return false;
    // What it has written just before its end has come since that look.
    if (take(rank, operation)) return true;
    speak_for(rank);
    return next_of(task.last_words, operation);
  }

  std::uint32_t most_threads() const { return running_->most_threads(); }

  void dropped(std::uint64_t payload) { running_->dropped(payload); }

  void answer(Rank rank, const Answer& answer) {
    if (rank == pvm::daemon_rank) return answer_daemon(answer);
    tasks_[index(rank)].asks = false;
    running_->answer(rank, answer);
  }

  std::optional<SimTime> computed(Rank rank) {
    Task& task = tasks_[index(rank)];
    const auto computed = running_->computed(rank);
    // One that has ended already will do nothing more before the daemon ends it in simulated time.
    if (task.is_being_ended && is_dead(rank) && (computed || running_->is_half_said(rank)))
      return EventQueue::latest;
    if (!computed) return std::nullopt;
    task.computed = *computed;
    if (is_dead(rank)) return std::nullopt;
    return task.computed;
  }

  void wait(std::span<const AwaitedRank> awaited) {
    throw_if_interrupted();
    throw_if_one_died_waiting();
    awaited_.clear();
    for (const AwaitedRank& one : awaited) {
      if (one.rank == pvm::daemon_rank) continue;
      if (is_dead(one.rank)) return;
      awaited_.push_back(one);
    }
    running_->wait(awaited_);
    throw_if_interrupted();
    throw_if_one_died_waiting();
  }

  bool first_task_ended() const { return tasks_[index(first_now_)].has_left || is_dead(first_now_); }

  int finish() {
    while (!is_dead(first_rank)) {
      throw_if_interrupted();
      running_->pause(longest_sleep);
    }
    const int status = *running_->ended(first_rank);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::vector<std::string> notices() const { return unstarted_programs(); }

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
      const std::optional<int> status = running_->ended(rank);
      if (!is_over || !status || *status == 0 || running_->was_ended(rank)) continue;
      failed.push_back(fmt::format("rank {}, {}, {}", i, name_of_task(rank), describe_status(*status)));
    }
    for (std::string& notice : unstarted_programs()) failed.push_back(std::move(notice));
    return failed;
  }

 private:
  bool next_of_daemon(Operation& operation) {
    if (!daemon_.next(operation)) return false;
    if (operation.payload != 0) operation.payload = running_->leaving(operation.payload, operation.peer);
    return true;
  }

  void answer_daemon(const Answer& answer) {
    Answer own = answer;
    for (Completed& completed : own.completed)
      if (completed.payload != 0) completed.payload = running_->coming(completed.payload);
    daemon_.answer(own);
  }

  struct Task {
    bool begun = false;
    bool asks = false;                 ///< waits for an answer
    SimTime computed;                  ///< since its last operation, as the engine was told last
    std::deque<Operation> last_words;  ///< of a task whose process has ended without them
    bool has_left = false;             ///< it does nothing any more, and its process is no other task
    bool process_ends = false;         ///< it has left because its process is about to end
    bool spoken_for = false;
    bool is_being_ended = false;  ///< by the daemon, as soon as simulated time has come to it
  };

  /// A sentence for each program of which pvm_spawn has started fewer tasks than it was asked for.
  std::vector<std::string> unstarted_programs() const {
    std::vector<std::string> all;
    const std::map<std::string, std::string> reasons = running_->unstarted();
    for (const pvm::SpawnShortfall& shortfall : daemon_.shortfalls()) {
      const auto why = reasons.find(shortfall.file);
      all.push_back(why == reasons.end()
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
    if (!running_->take(rank, operation)) return false;
    tasks_[index(rank)].asks = operation.wants_answer;
    if (operation.kind == OperationKind::exit) leave(rank, operation);
    return true;
  }

  bool is_dead(Rank rank) const { return running_->ended(rank).has_value(); }
  std::string name_of_task(Rank rank) const {
    return fmt::format("task t{:x}", pvm::task_id(tasks_host_[index(rank)], rank));
  }

  /// For behind its name; empty where all tasks run on this machine.
  std::string on_machine(Rank rank) const {
    const std::string machine = running_->machine_of(rank);
    return machine.empty() ? machine : fmt::format(" (on {})", machine);
  }

  void begins(const pvm::StartRank& start) override {
    tasks_.at(index(start.rank)).begun = true;
    tasks_host_[index(start.rank)] = start.host;
    running_->running_changes(1);
  }

  void goes_on(const pvm::ContinueRank& goes_on) override {
    successors_[goes_on.from] = goes_on.to;
    tasks_.at(index(goes_on.to)).begun = true;
    tasks_host_[index(goes_on.to)] = goes_on.host;
    running_->go_on_as(goes_on.from, goes_on.to);
    if (goes_on.from == first_now_) first_now_ = goes_on.to;
  }

  void is_being_ended(Rank rank) override { tasks_.at(index(rank)).is_being_ended = true; }

  /// Only now its process ends: that a run goes the same way every time must not depend on how fast that is.
  void is_ended(const pvm::EndRank& end) override {
    tasks_[index(end.rank)].spoken_for = true;
    running_->end(end.rank, end.politely);
  }

  std::vector<Rank> ended_by_signals() override {
    std::vector<Rank> ended;
    for (const SentSignal& sent : running_->take_sent_signals()) {
      running_->await_effect(sent, tasks_[index(sent.to)].asks);
      if (is_dead(sent.to)) ended.push_back(sent.to);
    }
    return ended;
  }

  /// Of a process that has said its last word.
  void await_end(Rank rank, std::chrono::steady_clock::time_point limit) {
    while (!is_dead(rank) && std::chrono::steady_clock::now() < limit) {
      throw_if_interrupted();
      running_->pause(longest_sleep);
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
    running_->running_changes(1);
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
    const int status = *running_->ended(rank);
    // To PVM it has left: the others go on, or wait for it.
    if (WIFSIGNALED(status) && !running_->was_ended(rank))
      print_error(fmt::format("morgana: note: {} {}{}\n", name_of_task(rank), describe_status(status),
                              on_machine(rank)));
    Operation send = daemon_.farewell();
    send.payload = running_->leaving(send.payload, pvm::daemon_rank);
    send.elapsed = task.computed;
    Operation exit;
    exit.kind = OperationKind::exit;
    exit.call = Call::pvm_exit;
    task.last_words.push_back(std::move(send));
    task.last_words.push_back(std::move(exit));
  }

  void throw_if_one_died_waiting() {
    for (std::size_t i = 1; i < tasks_.size() && tasks_[i].begun; ++i) {
      const Rank rank{static_cast<std::int32_t>(i)};
      if (!tasks_[i].asks || tasks_[i].is_being_ended || tasks_[i].spoken_for || !is_dead(rank)) continue;
      throw Error(fmt::format("{} {} while it waited{}", name_of_task(rank),
                              describe_status(*running_->ended(rank)), on_machine(rank)));
    }
  }

  std::vector<std::string> command_;
  std::vector<Task> tasks_;  ///< by rank; they begin one after the other
  std::vector<std::uint32_t> tasks_host_ = std::vector<std::uint32_t>(tasks_.size());
  std::vector<AwaitedRank> awaited_;  // scratch
  std::map<Rank, Rank> successors_;   ///< as what tasks' processes go on when these have ended
  Rank first_now_ = first_rank;       ///< the task that the first one's process is
  std::unique_ptr<RunningTasks> running_;
  DaemonRank daemon_;
};

PvmProgram::PvmProgram(const PvmLaunchOptions& options)
    : PvmProgram(options, [&] {
        check_pvm_program(options);
        return std::make_unique<LocalTasks>(channel_settings(options), options.payload_room);
      }()) {}
PvmProgram::PvmProgram(const PvmLaunchOptions& options, std::unique_ptr<RunningTasks> tasks)
    : impl_(std::make_unique<Impl>(options, std::move(tasks))) {}
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
