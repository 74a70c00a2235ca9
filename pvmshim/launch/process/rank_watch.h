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

/// Sees at once when a process of a rank ends or mpiexec does, on a thread of its own, and keeps the order.
class RankWatch {
 public:
  /// A rank's process that has ended.
  struct End {
    Rank rank;
    bool finished;              ///< the rank had said all that it would say
    std::optional<int> status;  ///< as wait(2) gives it, if the kernel still had it
  };

  /// @param job  mpiexec's process
  /// @param output  readable when there is news of the ranks' output
  /// @param finished  whether the rank has said all that it will say; its process may end
  /// @param news  called on the watching thread after something has ended
  RankWatch(pid_t job, int output, std::function<bool(Rank)> finished, std::function<void()> news);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  /// A rank may have several processes (a script that starts the program); each is watched once.
  /// @return whether it is new
  bool add(Rank rank, pid_t process);

  /// The rank's death that ends the run, if there was one: the first process that ended before its rank had
  /// finished, or that was killed. Where MPICH has killed others because of it, they don't hide it.
  std::optional<End> death() const;
  /// That end of one of the rank's processes is no death of the rank: it goes on in another one. The job,
  /// which is stopped when a rank dies, goes on, too.
  void forget(const End& end);
  bool job_ended() const { return job_ended_.load(); }
  /// Whether there was news of the ranks' output.
  bool output_has_news() const { return output_has_news_.load(); }
  /// Whether a process that is watched has begun to end, or has ended, which was not reported yet.
  bool more_to_come() const;
  /// Whether a process of this rank runs, as far as was reported.
  bool runs(Rank rank) const;

 private:
  struct Watched {
    Rank rank;
    pid_t process;
    int descriptor;
    bool told = false;  ///< it has ended, and ended() was called
  };

  void add(std::uint64_t key, int descriptor);
  void watch();
  void rank_ended(std::size_t key);
  void ended(Watched& rank);

  std::function<bool(Rank)> finished_;
  std::function<void()> news_;
  int events_;
  int stop_;
  int job_descriptor_;
  int output_;
  mutable std::mutex mutex_;
  std::vector<Watched> watched_;
  std::vector<End> deaths_;
  std::atomic<bool> has_death_{false};
  std::atomic<bool> job_ended_{false};
  std::atomic<bool> output_has_news_{false};
  std::thread thread_;
};

/// How a process ended, from its pidfd: newer kernels keep it, others give it until the process is reaped.
std::optional<int> exit_status_of(pid_t process, int descriptor);

/// "was killed by signal 9 (Killed)" or "exited with code 3".
std::string describe_status(int status);

}  // namespace morgana
