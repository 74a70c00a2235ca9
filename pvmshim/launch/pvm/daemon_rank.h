#pragma once

#include <deque>
#include <string>
#include <vector>

#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/pvmd/daemon.h"

namespace morgana {

/// What the daemon's actions mean for the tasks, other than operations.
class DaemonClient {
 public:
  virtual void begins(const pvm::StartRank& task) = 0;
  virtual void goes_on(const pvm::ContinueRank& task) = 0;
  /// The daemon's next operations end the task's rank.
  virtual void is_being_ended(Rank task) = 0;
  /// They have ended it: no operation of the task from before can come any more.
  virtual void is_ended(const pvm::EndRank& task) = 0;
  /// Waits until the signals that have been sent since this was asked last have done what they do.
  /// @return the tasks that they have ended
  virtual std::vector<Rank> ended_by_signals() = 0;

 protected:
  ~DaemonClient() = default;
};

/// The virtual machine's daemon as rank 0 of a run: it waits for a request, does what is asked, and waits
/// again (docs/decisions/0005).
class DaemonRank {
 public:
  /// @param channel  the path of the channel, for the payloads of what the daemon receives and sends
  DaemonRank(const std::string& channel, std::vector<pvm::VirtualHost> hosts, std::uint32_t task_limit,
             pvm::TaskLauncher& launcher, DaemonClient& client);

  /// Before the run: the first task, started by the user.
  void first_task(Rank rank, std::int32_t process, const std::string& program);
  /// Its next operation, if there is one, as OperationSource::next.
  bool next(Operation& operation);
  void answer(const Answer& answer);
  /// The operation by which a task would report to the daemon that it leaves, for one that can't any more.
  Operation farewell();
  /// As pvm::Daemon::shortfalls().
  const std::vector<pvm::SpawnShortfall>& shortfalls() const { return daemon_.shortfalls(); }

 private:
  void listen();
  void serve(const Answer& answer);
  void carry_out(const std::vector<pvm::Action>& actions);
  void carry_out(const pvm::SendMessage& message);
  void carry_out(const pvm::StartRank& start);
  void carry_out(const pvm::EndRank& end);
  void carry_out(const pvm::ContinueRank& goes_on);
  std::uint64_t put_block(const std::vector<std::byte>& block);

  DaemonClient& client_;
  RankChannel own_end_;
  pvm::Daemon daemon_;
  std::deque<Operation> operations_;
  std::deque<pvm::EndRank> ending_;  ///< what its next operations do
  std::uint64_t requests_ = 0;
  decltype(Operation::requests) sends_;  ///< since it last waited
};

}  // namespace morgana
