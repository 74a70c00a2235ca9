#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "emulator/core/error.h"
#include "emulator/operations/operation.h"
#include "pvmshim/channel/announced_end.h"

namespace morgana {

/// One operation of a rank as it ran over the real library.
struct CapturedOperation {
  Operation operation;
  SimTime begin, end;  ///< of the operation, since the run's start, real time
  std::vector<Completed> completed;
};

/// What a rank's shim writes while it captures: a file of its own in a folder of the launcher's. A rank that
/// dies leaves a file that ends early, which the reader takes as far as it is whole.
class CaptureLogWriter {
 public:
  /// Environment variable that holds the folder.
  static constexpr const char* folder_variable = "MORGANA_CAPTURE";
  /// Environment variable: CLOCK_MONOTONIC's nanoseconds that are time 0.
  static constexpr const char* origin_variable = "MORGANA_CAPTURE_ORIGIN";

  CaptureLogWriter(const std::filesystem::path& folder, Rank rank);
  ~CaptureLogWriter();
  void write(const Operation& operation, SimTime begin, SimTime end, std::span<const Completed> completed);
  /// The rank's last word: without it the log counts as cut off.
  void close();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether the rank has begun its log; whether it has closed it. For who watches the rank while it runs.
bool capture_log_begun(const std::filesystem::path& folder, Rank rank);
bool capture_log_closed(const std::filesystem::path& folder, Rank rank);
/// Whether there are logs in the folder, and every rank that has begun one has closed it.
bool all_capture_logs_closed(const std::filesystem::path& folder);

/// The rank ends the whole run: a note beside its log. It can be taken back.
void announce_end(const std::filesystem::path& folder, Rank rank, const AnnouncedEnd& end);
void take_back_announced_end(const std::filesystem::path& folder, Rank rank);
std::optional<AnnouncedEnd> announced_end(const std::filesystem::path& folder, Rank rank);

class CaptureLogReader {
 public:
  CaptureLogReader(const std::filesystem::path& folder, Rank rank);
  ~CaptureLogReader();
  /// @return false at the end. @throws Error for nonsense
  bool read(CapturedOperation& captured);
  /// After the end: whether the rank closed its log.
  bool complete() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace morgana
