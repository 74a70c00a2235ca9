#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/channel/settings.h"
#include "pvmshim/launch/process/ranks_at_rest.h"
#include "pvmshim/launch/process/stopped_helpers.h"
#include "pvmshim/launch/pvm/endless_computing.h"
#include "pvmshim/launch/pvm/running_tasks.h"
#include "pvmshim/launch/pvm/task_processes.h"

namespace morgana {

/// Tasks that run on this machine: their processes are children of this one, and their operations come over
/// shared memory. All end with this object, and with the thread that makes it.
class LocalTasks final : public RunningTasks {
 public:
  /// @param are_shared  others of the program's tasks are on other machines
  /// @param is_over  asked while this waits: whether it need not any more
  /// @param machine  said of a task that is stopped: " on node7"; empty: this one
  LocalTasks(
      const ChannelSettings& settings, Bytes payload_room, bool are_shared = false,
      std::function<bool()> is_over = [] { return false; }, std::string machine = {});

  std::string channel() const override { return channel_.path(); }
  TaskProcesses& processes() { return processes_; }

  pid_t start_first(const std::vector<std::string>& command, Rank rank, pvm::TaskId id) override;
  std::int32_t start(const pvm::TaskStart& task) override;
  bool signal(Rank rank, int signal) override { return processes_.signal(rank, signal); }
  void catch_output(Rank parent, int descriptor) override { processes_.catch_output(parent, descriptor); }
  void go_on_as(Rank from, Rank to) override;
  void end(Rank rank, bool politely) override { processes_.end(rank, politely); }
  std::optional<int> ended(Rank rank) const override { return processes_.ended(rank); }
  bool was_ended(Rank rank) const override { return processes_.was_ended(rank); }
  std::vector<SentSignal> take_sent_signals() override { return processes_.take_sent_signals(); }
  void await_effect(const SentSignal& sent, bool slept) override;
  std::map<std::string, std::string> unstarted() const override { return processes_.unstarted(); }

  bool take(Rank rank, Operation& operation) override;
  void answer(Rank rank, const Answer& answer) override;
  void dropped(std::uint64_t payload) override { channel_.release(payload); }
  std::optional<SimTime> computed(Rank rank) override;
  bool is_half_said(Rank rank) const override { return channel_.is_half_said(rank); }
  std::uint32_t most_threads() const override { return channel_.most_threads(); }
  void running_changes(int by) override { channel_.running_changes(by); }

  void wait(std::span<const OperationSource::AwaitedRank> awaited) override;
  void pause(std::chrono::nanoseconds longest) override { channel_.wait({}, longest); }
  /// Sleeps until one of these tasks says something, or wake() is called, at most so long.
  void rest(std::span<const Rank> heard, std::chrono::nanoseconds longest) {
    look_for_stopped();
    channel_.wait(heard, longest);
  }
  /// Of the tasks here.
  RanksAtRest at_rest();
  /// From any thread.
  void wake() { channel_.wake(); }

  std::uint64_t leaving(std::uint64_t payload, Rank) override { return payload; }
  std::uint64_t coming(std::uint64_t payload) override { return payload; }

 private:
  struct Task {
    pvm::TaskId id = 0;               ///< once it has begun
    SimTime computed;                 ///< since its last operation, as was said last
    std::optional<SimTime> answered;  ///< its last answer's clock, until it says more
  };

  void look_for_stopped();
  void warn_if_endless(Rank rank);
  void throw_if_out_of_room(std::span<const OperationSource::AwaitedRank> awaited);
  bool every_task_rests();
  std::string name_of(Rank rank) const;
  std::string out_of_room_text(Rank rank) const;

  ChannelSettings settings_;
  std::function<bool()> is_over_;
  std::vector<Task> tasks_;    ///< by rank
  std::vector<Rank> awaited_;  // scratch
  std::chrono::steady_clock::time_point next_look_;
  EndlessComputing endless_;
  StoppedHelpers stopped_;
  EmulatorChannel channel_;
  TaskProcesses processes_;
};

}  // namespace morgana
