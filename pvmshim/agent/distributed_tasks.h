#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pvmshim/agent/distributed_program.h"
#include "pvmshim/agent/payload_mirror.h"
#include "pvmshim/agent/task_request.h"
#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/launch/pvm/pvm_program.h"
#include "pvmshim/launch/pvm/running_tasks.h"

namespace morgana {

/// Tasks of a PVM program that run on several machines. Each of the platform's hosts belongs to one of the
/// machines (Machines::distribution), on which all of its tasks run. An agent there starts and ends them as
/// PVM's daemon, which lives here, says; what tasks ask the daemon and what it answers goes over the agents'
/// connections, what tasks send to each other does not come here.
class DistributedTasks final : public RunningTasks {
 public:
  /// Starts the agents. @throws Error; RankFailed; Interrupted
  DistributedTasks(const PvmLaunchOptions& options, const Machines& machines);

  const std::vector<double>& compute_scales() const { return program_.compute_scales(); }

  std::string channel() const override { return channel_.path(); }
  pid_t start_first(const std::vector<std::string>& command, Rank rank, pvm::TaskId id) override;
  std::int32_t start(const pvm::TaskStart& task) override;
  bool signal(Rank rank, int signal) override;
  void catch_output(Rank parent, int descriptor) override;
  void go_on_as(Rank from, Rank to) override;
  void end(Rank rank, bool politely) override;
  std::optional<int> ended(Rank rank) const override;
  bool was_ended(Rank rank) const override;
  std::string machine_of(Rank rank) const override { return program_.machine_of(rank); }
  std::vector<SentSignal> take_sent_signals() override;
  void await_effect(const SentSignal& sent, bool slept) override;
  std::map<std::string, std::string> unstarted() const override { return unstarted_; }

  bool take(Rank rank, Operation& operation) override { return program_.next(rank, operation); }
  void answer(Rank rank, const Answer& answer) override;
  void dropped(std::uint64_t payload) override;
  std::optional<SimTime> computed(Rank rank) override;
  bool is_half_said(Rank) const override { return false; }  // agents pass on whole ones
  std::uint32_t most_threads() const override;
  void running_changes(int) override {}
  void wait(std::span<const OperationSource::AwaitedRank> awaited) override;
  void pause(std::chrono::nanoseconds longest) override;
  std::uint64_t leaving(std::uint64_t payload, Rank to) override;
  std::uint64_t coming(std::uint64_t payload) override;

 private:
  struct Ended {
    int status = 0;
    bool by_us = false;  ///< end()
    SimTime computed;
  };

  void assign(Rank rank, std::uint32_t host);
  bool take_from(std::size_t agent, Frame& frame);
  void ask(const TaskRequest& request);
  TaskReply await_reply(const TaskRequest& request);
  void report_released();

  std::vector<std::uint32_t> machine_of_host_;
  std::map<std::string, std::string> unstarted_;
  std::vector<SentSignal> sent_signals_;
  EmulatorChannel channel_;  ///< of the daemon's payloads, and copies of those for it
  PayloadMirror mirror_;
  AwaitedReply reply_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::map<Rank, Ended> ended_;
  std::uint32_t most_threads_ = 1;
  DistributedProgram program_;
};

}  // namespace morgana
