#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "pvmshim/channel/announced_end.h"
#include "pvmshim/launch/mpi/mpi_job.h"
#include "pvmshim/launch/process/rank_failure.h"
#include "pvmshim/launch/process/rank_watch.h"

namespace morgana {

/// Finds out which rank has ended the run of an MPI program too early, and why.
class RankDeaths {
 public:
  /// What a rank has reported about itself; asked on any thread.
  struct Account {
    std::function<bool(Rank)> began;     ///< it has called MPI_Init
    std::function<bool(Rank)> finished;  ///< it has called MPI_Finalize
    /// Why it ends the whole run, if it has said so.
    std::function<std::optional<AnnouncedEnd>(Rank)> announced_end;
    /// Whether ranks that have called MPI_Init are killed with the proxy that has started them.
    bool bound_to_proxy;
    bool mpi_guessed;  ///< is_mpi_guessed() of one of its programs
  };

  /// @param ranks  of the run. @param own  those that the job starts
  /// @param news  called on another thread after something has ended
  RankDeaths(MpiJob& job, std::size_t ranks, std::span<const Rank> own, Account account,
             std::function<void()> news);

  /// Whether ranks are still missing: then look() should be called every few milliseconds, so that none ends
  /// unseen.
  bool starting() const { return starting_; }
  /// How many ranks have been seen.
  std::size_t seen() const;
  /// Looks which processes have become ranks and, now and then, whether any is stopped: then it says so on
  /// standard error, once for each rank. @throws RankFailed
  void look();
  /// A process that is this rank.
  void add(Rank rank, pid_t process);
  /// The rank's process that was seen last; 0: none.
  pid_t process_of(Rank rank) const;
  /// @throws RankFailed if a rank has died, or if mpiexec has ended before all ranks had finished
  void throw_if_failed();
  bool job_ended() const { return watch_.job_ended(); }

 private:
  using Clock = std::chrono::steady_clock;

  void find_new_ranks();
  std::optional<RankWatch::End> death();
  bool goes_on_elsewhere(const RankWatch::End& end);
  void tell_of_stopped();
  void throw_if_output_is_lost();
  /// @param status  of the process that has died, if it is known
  void throw_if_announced(std::optional<int> status) const;
  [[noreturn]] void throw_death(const RankWatch::End& death);
  void throw_unfinished();
  [[noreturn]] void throw_ended_unseen(std::size_t unfinished);

  MpiJob& job_;
  Account account_;
  std::size_t elsewhere_;   ///< how many ranks the job does not start
  std::vector<bool> seen_;  ///< by rank: a process of it was seen, or the job does not start it
  bool starting_ = true;    ///< not all were seen yet
  std::map<pid_t, Rank> processes_;
  std::vector<pid_t> process_of_;  ///< by rank: the last one; 0: none
  std::set<Rank> told_of_;         ///< as stopped
  /// Those that were stopped at the last look, and how often each had left a processor by then.
  std::map<pid_t, std::uint64_t> stopped_;
  Clock::time_point next_look_at_states_;
  RankWatch watch_;
};

}  // namespace morgana
