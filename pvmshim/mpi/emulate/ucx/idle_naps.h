#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace morgana::mpi::emulated {

/// How long a rank that waits in MPICH sleeps after each look at what has come. What arrives ends the sleep:
/// it only has to be short for the rest that MPICH may wait for, which is what another thread of the program
/// completes. Ranks that wait for each other must not keep the processors from those whom they wait for, so
/// that each nap of a wait is twice as long as the one before.
class IdleNaps {
 public:
  static constexpr std::chrono::microseconds shortest{60};
  /// Looks of a call that are not followed by a sleep.
  static constexpr int first_looks = 8;

  explicit IdleNaps(std::chrono::microseconds longest) : longest_(longest) {}

  /// A call of the program's begins, unless it has this number already. MPICH also looks once where it waits
  /// for nobody: a call's first look is not slept after, however long those before have waited.
  void begin(std::uint64_t call);
  /// @param has_happened  the look has found something
  /// @param threads  other threads of the program may complete something
  /// @param is_lent  the rank sleeps in the emulator and has only lent MPICH a moment
  /// @return nothing: look again at once
  std::optional<std::chrono::microseconds> after(bool has_happened, bool threads, bool is_lent);

 private:
  std::chrono::microseconds longest_;
  std::uint64_t call_ = 0;
  int idle_ = 0;  ///< looks in a row that have found nothing
};

}  // namespace morgana::mpi::emulated
