#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace morgana {

/// Detects that a program which is recorded over the real library does not progress: no rank has ended a call
/// of that library for long. The program may compute for long or be deadlocked, which only its user can know.
/// So this ends nothing and only gives a sentence. It reads the ranks' progress from their capture logs
/// alone.
class Standstill {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param logs  the folder of the ranks' capture logs (CaptureLogWriter)
  /// @param library  "MPI" or "PVM"
  /// @param longest  how long the logs must not have grown; they are looked at four times in it
  Standstill(std::filesystem::path logs, std::string library, std::chrono::seconds longest,
             Clock::time_point now)
      : logs_(std::move(logs)), library_(std::move(library)), longest_(longest), moved_(now), looked_(now) {}

  /// To be asked often. @return a sentence for the user, once for each standstill; otherwise nothing
  std::string look(Clock::time_point now);
  /// Prints what look() gives now on standard error.
  void tell();

 private:
  /// @return whether any log has grown since the last look
  bool any_has_grown();

  std::filesystem::path logs_;
  std::string library_;
  std::chrono::seconds longest_;
  Clock::time_point moved_, looked_;
  std::map<std::string, std::int64_t> lengths_;  ///< of the logs by name, up to the last word that is not 0
  bool said_ = false;
};

}  // namespace morgana
