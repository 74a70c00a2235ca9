#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pvmshim/channel/capture_log.h"

namespace morgana::pvm::captured {

/// A task's name in its log: the number of its id, as a rank (docs/decisions/0009). What is no task is 0.
Rank name_of_task(int task);

/// This process as a task of a recorded run: its log begins when it has become a task and ends when it leaves
/// the virtual machine. One that comes back has another id, and another log.
class TaskRecorder {
 public:
  TaskRecorder(const std::string& folder, int task);

  SimTime now() const;
  void write(const Operation& operation, SimTime begin, SimTime end, std::span<const Completed> completed);
  RequestId next_request() { return RequestId{++last_request_}; }
  /// The task leaves.
  void close();

 private:
  /// A program that polls would fill the disk: polls that find nothing, are alike and follow each other
  /// closely are one operation, as long as all of them.
  struct FailingPolls {
    Operation operation;
    SimTime begin, end;
  };
  void write_polls();

  CaptureLogWriter log_;
  std::int64_t origin_ns_;
  std::optional<FailingPolls> polls_;
  std::uint64_t last_request_ = 0;
};

/// Makes the process a task if it is none yet. @return null if that fails, or nothing is to be recorded
TaskRecorder* recorder();
/// While it lives nothing is recorded: calls that the real library makes itself are not the program's.
class Unrecorded {
 public:
  Unrecorded();
  ~Unrecorded();
  Unrecorded(const Unrecorded&) = delete;
  Unrecorded& operator=(const Unrecorded&) = delete;
};
/// The task leaves: ends its log.
void end_recording();

}  // namespace morgana::pvm::captured
