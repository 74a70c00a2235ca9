#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pvmshim/agent/frame.h"
#include "pvmshim/agent/setup.h"
#include "pvmshim/agent/task_request.h"
#include "pvmshim/launch/mpi/hosted_program.h"
#include "pvmshim/launch/pvm/local_tasks.h"

namespace morgana {

/// The tasks of a PVM program that run on this machine, as its agent has them. They begin and end as the
/// emulator, which has PVM's daemon, says.
class HostedTasks final : public HostedProgram {
 public:
  /// What this says to the emulator; behind all that tasks have said before.
  using Tell = std::function<void(FrameKind kind, Rank rank, const ContentWriter& content)>;
  /// A task's process has been started; called before that is said.
  using Begins = std::function<void(Rank rank)>;

  /// @param is_over  whether the emulator has gone, or ended the run
  HostedTasks(const LaunchOptions& launch, Tell tell, Begins begins, std::function<bool()> is_over);

  /// Does what the emulator asks. @return whether the task that the request is about begins here with it
  /// @throws MalformedFrame; Interrupted; Error if the first task can't be started
  bool carry_out(const TaskRequest& request);
  /// What tasks here print for one elsewhere that catches it. @param pass_on  called on another thread
  void take_output_elsewhere(TaskProcesses::Elsewhere pass_on);
  /// The same, for one here. From any thread.
  void caught(Rank taker, const std::string& lines) { tasks_.processes().caught(taker, lines); }

  std::size_t ranks() const override { return ranks_; }
  bool next(Rank rank, Operation& operation) override { return tasks_.take(rank, operation); }
  void answer(Rank rank, const Answer& answer) override { tasks_.answer(rank, answer); }
  std::optional<SimTime> computed(Rank rank) override { return tasks_.computed(rank); }
  void wait(std::span<const AwaitedRank> awaited) override { tasks_.wait(awaited); }
  int finish() override { return 0; }
  std::uint32_t most_threads() const override { return tasks_.most_threads(); }
  std::string channel_path() const override { return tasks_.channel(); }
  std::size_t begun() const override { return 0; }
  bool has_finished(Rank rank) const override { return tasks_.ended(rank).has_value(); }
  void end_ranks() override;
  bool has_ended() const override { return false; }
  std::optional<int> pid_of(Rank) const override { return std::nullopt; }
  RobustMutex& memory_of(Rank) override { throw MalformedFrame("PVM tasks have no windows"); }
  RanksAtRest at_rest() override { return tasks_.at_rest(); }
  bool is_unhurried() const override { return false; }
  void hurry(bool) override {}
  void rest(std::chrono::nanoseconds longest, std::span<const Rank> heard) override;
  void wake() override { tasks_.wake(); }
  void begin_hearing() override;
  void has_heard_all(Rank rank) override;
  void end_hearing() override;

 private:
  TaskReply start(const TaskRequest& request);
  TaskReply signal(const TaskRequest& request);

  std::size_t ranks_;
  Tell tell_;
  Begins begins_;
  std::optional<Rank> signalled_;  ///< the emulator waits for what the signal does
  std::set<Rank> here_;            ///< whose ends have not been reported
  std::set<Rank> ended_;           ///< of these, whose processes had ended when it was last looked
  LocalTasks tasks_;
};

}  // namespace morgana
