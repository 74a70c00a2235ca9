#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "pvmshim/agent/agent_start.h"
#include "pvmshim/agent/frame_inbox.h"
#include "pvmshim/agent/stream.h"
#include "pvmshim/agent/work_order.h"
#include "runs/runner.h"

namespace morgana {

// A command that shares its runs out among machines, and the same command on those machines (workers). Both
// come to the same lists of runs in the same order; the first hands runs out, a worker makes those that it is
// given, and each gets the outcomes of all.

/// Hands runs out. A worker that is gone is replaced by those that are left.
class RunDistributor : public RunExchange {
 public:
  /// Starts the workers. @param arguments  of `morgana` there: this command without its results
  /// @throws Error; Interrupted
  RunDistributor(const Machines& machines, const std::vector<std::string>& arguments);
  /// With workers that are there.
  explicit RunDistributor(std::vector<ArrivedAgent> workers);
  ~RunDistributor() override;
  RunDistributor(const RunDistributor&) = delete;
  RunDistributor& operator=(const RunDistributor&) = delete;

  void run(std::span<const Job> jobs, std::optional<std::size_t> side_by_side, const RunEnded& ended,
           const RunIdle& idle) override;

 private:
  struct Worker {
    explicit Worker(ArrivedAgent arrived) : agent(std::move(arrived)) {}
    ArrivedAgent agent;
    std::thread thread;
    std::uint64_t at = 0;  ///< the list that it has come to, from 1
    std::size_t room = 0;  ///< for so many runs more
    std::set<std::size_t> making;
    bool has_left = false;
    std::chrono::steady_clock::time_point heard = std::chrono::steady_clock::now();
  };
  struct Made {
    RunList list;
    std::vector<std::string> outcomes;
  };
  struct List;

  void begin();

  void listen(std::size_t worker);
  void take(List& list, Frame& frame);
  void check(const Worker& worker, const RunList& come, const RunList& ours) const;
  void lose(List& list, Worker& worker);
  void lose_the_silent(List& list);
  void hand_out(List& list);
  void tell_outcomes(Worker& worker, std::uint64_t number);

  std::optional<AgentStart> start_;
  FrameInbox inbox_;  ///< frames, each with its worker's number in the place of the rank
  std::vector<std::unique_ptr<Worker>> workers_;
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
  std::vector<Made> made_;  ///< each list that has been made
};

/// Makes the runs that it is given.
class RunWorker : public RunExchange {
 public:
  /// The process ends with the stream, or when `quit` comes. @param socket  to the RunDistributor
  explicit RunWorker(int socket);
  ~RunWorker() override;
  RunWorker(const RunWorker&) = delete;
  RunWorker& operator=(const RunWorker&) = delete;

  void run(std::span<const Job> jobs, std::optional<std::size_t> side_by_side, const RunEnded& ended,
           const RunIdle& idle) override;
  bool is_worker() const override { return true; }

 private:
  Stream stream_;
  FrameInbox inbox_;
  int news_;  ///< an eventfd: readable when something is in the inbox
  std::uint64_t at_ = 0;
  std::mutex mutex_;
  std::condition_variable ends_;  ///< with `mutex_`
  std::atomic<bool> is_over_{false};
  std::thread thread_, living_;
};

/// Differs between lists of runs.
std::uint64_t hash_of(std::span<const Job> jobs);

/// Whether this process is a worker. @throws nothing
bool is_worker();
/// The stream of a process that is a worker, and none in any other.
std::optional<int> worker_socket();

}  // namespace morgana
