#pragma once

#include <time.h>

#include <cstdint>
#include <optional>

namespace morgana {

/// The CPU time that this process has used (of all its threads), or the calling thread, for a rank that
/// asks at the begin and the end of every visit to the shim. Only a system call can tell it, and that costs
/// more than most visits. So within a few microseconds of a full reading the time is reckoned: a thread that
/// runs uses as much CPU time as passes on the wall clock, which can be read without the kernel.
///
/// What is shown never goes back. While one thread runs it is never behind the processor clock, nor more than
/// those few microseconds ahead of it: a rest that hides between full readings is made good by the next one,
/// and the spans between readings add up to CPU time. If the processor clock is found to run ahead of
/// the wall clock, several threads run: then every reading is a full one, until that has not been seen for
/// long.
/// Nanoseconds.
class OwnProcessorClock {
 public:
  /// How long a full reading serves: a hundredth of the shortest turn that a scheduler gives, and ten times
  /// what the reading costs.
  static constexpr std::int64_t longest_reckoned = 10'000;

  /// @param clock  the process's, or CLOCK_THREAD_CPUTIME_ID: then one thread uses the object
  explicit OwnProcessorClock(clockid_t clock = CLOCK_PROCESS_CPUTIME_ID) : clock_(clock) {}

  /// Finds out what readings cost. Before overhead() is asked for.
  void calibrate();

  /// Now, as seen when the call begins: ends a span of the program.
  std::int64_t at_entry();
  /// Now, as the program goes on; nothing if that takes a full reading.
  std::optional<std::int64_t> in_passing();
  /// Now, as seen when the call ends: begins a span of the program.
  std::int64_t at_exit();
  /// What a span measures too much that began with the last at_exit().
  std::int64_t overhead() const { return overhead_; }
  /// The thread may have slept, or given way to another, since the last reading.
  void has_rested() { rested_ = true; }

 private:
  static constexpr unsigned exact_readings_with_threads = 1000;

  bool may_reckon(std::int64_t wall) const {
    return !rested_ && exact_readings_ == 0 && wall - wall_ <= longest_reckoned;
  }
  std::int64_t reckon(std::int64_t wall);
  void read_fully(std::int64_t wall);

  clockid_t clock_;
  std::int64_t processor_ = 0, wall_ = 0;  ///< of the last full reading
  std::int64_t latest_ = 0;                ///< that was shown
  bool rested_ = true;
  unsigned exact_readings_ = 0;  ///< still to come, because several threads run
  std::int64_t overhead_ = 0, reckoning_overhead_ = 0, reading_overhead_ = 0;
};

}  // namespace morgana
