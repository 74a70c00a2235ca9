#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "emulator/operations/operation.h"

namespace morgana {

/// Sees at once when a rank's process ends or mpiexec does, on a thread of its own: the first death is the
/// cause, and MPICH ends the other ranks right after it.
class RankWatch {
 public:
  /// A rank's process that has ended.
  struct End {
    Rank rank;
    std::optional<int> status;  ///< as wait(2) gives it, if the kernel could still tell
  };

  /// @param job  mpiexec's process
  /// @param is_death  whether the end of this rank's process now is the run's end
  /// @param news  called on the watching thread after something has ended
  RankWatch(pid_t job, std::function<bool(Rank)> is_death, std::function<void()> news);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  void add(Rank rank, pid_t process);

  /// The first rank that died, if one has.
  std::optional<End> death() const;
  bool job_ended() const { return job_ended_.load(); }

 private:
  void add(std::uint64_t key, int descriptor);
  void watch();
  void rank_ended(std::size_t key);

  struct Watched {
    Rank rank;
    pid_t process;
    int descriptor;
  };

  std::function<bool(Rank)> is_death_;
  std::function<void()> news_;
  int events_;
  int stop_;
  int job_descriptor_;
  mutable std::mutex mutex_;
  std::vector<Watched> watched_;
  std::optional<End> death_;
  std::atomic<bool> has_death_{false};
  std::atomic<bool> job_ended_{false};
  std::thread thread_;
};

/// How a process ended, from its pidfd: newer kernels keep it, others tell it while nobody has reaped it.
std::optional<int> exit_status_of(pid_t process, int descriptor);

/// "was killed by signal 9 (Killed)" or "exited with code 3".
std::string describe_status(int status);

}  // namespace morgana
