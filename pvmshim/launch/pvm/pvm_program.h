#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/engine/operation_source.h"
#include "pvmshim/channel/settings.h"
#include "pvmshim/launch/pvm/running_tasks.h"
#include "pvmshim/pvmd/daemon.h"

namespace morgana {

struct PvmLaunchOptions {
  std::vector<std::string> command;  ///< program and arguments, not empty
  std::vector<pvm::VirtualHost>
      hosts;                       ///< of the virtual machine, not empty; the first task runs on the first
  std::uint32_t task_limit = 255;  ///< that may begin in one run
  ComputeMode compute = ComputeMode::measured;
  double compute_scale = 1.0;
  /// What simulated time 0 is for clocks with a date, if that is chosen.
  std::optional<std::int64_t> epoch_s = {};
  std::uint32_t cores_per_rank = 0;           ///< as LaunchOptions::cores_per_rank
  SimTime least_distance{};                   ///< of the machine, as LaunchOptions::least_distance
  bool processors_are_shared = false;         ///< as LaunchOptions::processors_are_shared
  Bytes payload_room{std::int64_t{1} << 32};  ///< as LaunchOptions::payload_room
};

/// What the tasks' shims are given.
ChannelSettings channel_settings(const PvmLaunchOptions& options);
/// @throws Error if there is no such program, or it is not one for PVM
void check_pvm_program(const PvmLaunchOptions& options);

/// An unmodified PVM program: its tasks, on this machine or on several (RunningTasks), and the daemon that
/// serves them as rank 0 (docs/decisions/0005). The program is the ranks from 1 on, in the order
/// in which they begin. However it ends, no process and no shared memory stays behind. The thread that makes
/// it must also use it, and live as long as it does.
class PvmProgram : public OperationSource {
 public:
  /// Starts the first task. @throws Error if there is no such program, or it is not one for PVM
  explicit PvmProgram(const PvmLaunchOptions& options);
  /// Of a program that check_pvm_program() lets pass. @param tasks  where its tasks run
  PvmProgram(const PvmLaunchOptions& options, std::unique_ptr<RunningTasks> tasks);
  /// Ends whatever still runs.
  ~PvmProgram() override;

  std::size_t ranks() const override;
  bool runs_at_start(Rank rank) const override;
  bool is_service(Rank rank) const override { return rank == pvm::daemon_rank; }
  bool next(Rank rank, Operation& operation) override;
  void answer(Rank rank, const Answer& answer) override;
  void dropped(std::uint64_t payload) override;
  std::optional<SimTime> computed(Rank rank) override;
  /// @throws Error naming the task if one died while it waited; Interrupted (interrupt.h)
  void wait(std::span<const AwaitedRank> awaited) override;

  /// Whether the first task has ended or is about to end: tasks that still wait then may wait without bound.
  bool first_task_ended() const;
  /// Waits for the processes to end, those that are left over being ended.
  /// @return the first task's exit code (128 + signal, if one ended it). @throws Interrupted
  int finish();
  /// How many threads any one rank has had at once.
  std::uint32_t most_threads() const;
  /// Sentences for the user: tasks that ended otherwise than they should.
  std::vector<std::string> notices() const;
  /// A sentence for each program of which pvm_spawn has started fewer tasks than it was asked for.
  std::vector<std::string> shortfalls() const;
  /// "rank 2, task t40002, was killed by signal 11 (Segmentation fault)": tasks whose processes have ended by
  /// a signal or with an exit code that is not 0, unless pvm_kill has ended them.
  /// @throws Interrupted
  std::vector<std::string> failed_tasks();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace morgana
