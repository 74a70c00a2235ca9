#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "pvmshim/clock/live_rank.h"
#include "pvmshim/clock/program_threads.h"

namespace morgana {

/// The waits with a deadline (TimedWait) of threads that share the rank's clock: the program has not asked
/// for MPI_THREAD_MULTIPLE. They are over in the order of their deadlines: when the clock has come there
/// because threads compute, or when all threads sleep; then the clock goes to the earliest deadline.
///
/// A thread that runs is waited for, with two exceptions. With ComputeMode::none, one that has used more
/// processor time than the first wait lasts, and at least as much as `patience`, is passed over until it
/// sleeps: it spins on a variable, perhaps for the thread that waits. And while a thread waits for what is no
/// thread, a wait is over no sooner than it would be natively.
class RankWaits {
 public:
  static RankWaits& own();

  /// A thread's wait begins, from now on of Place::timed.
  void begin(LiveRank& rank, ProgramThread& thread);
  /// The calling thread, whose wait has begun, can be woken from now on: it looks whether it must wait at
  /// all.
  void look_now(const ProgramThread& self);

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct Outlook {
    bool somebody_runs = false;
    bool outside = false;  ///< somebody waits for what is no thread
  };

  ProgramThread* first();
  bool step(Lock& lock, const ProgramThread* self);
  bool end_by_real_time();
  Outlook look(const ProgramThread* self, const ProgramThread& first);
  void look_at(ProgramThread& thread, const ProgramThread& first, Outlook& outlook);
  bool is_passed_over(ProgramThread& thread, const ProgramThread& first);
  void run_clerk();

  LiveRank* rank_ = nullptr;
  bool has_clerk_ = false;
  bool somebody_looks_ = false;
  std::condition_variable clerk_;
  std::int64_t patience_ns_ = 1'000'000'000;
};

}  // namespace morgana
