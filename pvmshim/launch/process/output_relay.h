#pragma once

#include <sys/types.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "emulator/core/error.h"
#include "pvmshim/launch/process/interrupt.h"

namespace morgana {

/// A small process that carries what the ranks of a job write to this process's standard output and error. It
/// depends on no other process: however those end, it ends only when it has passed on all that was
/// written, or when there is no reader.
class OutputRelay {
 public:
  /// @throws Error if it can't be started
  OutputRelay();
  /// Ends it by force, if it still runs.
  ~OutputRelay();
  OutputRelay(const OutputRelay&) = delete;
  OutputRelay& operator=(const OutputRelay&) = delete;

  pid_t process() const { return process_; }
  /// The pipes' ends for writing, for others to open until this process and those that it forks have closed
  /// them.
  int output() const { return output_; }
  int errors() const { return errors_; }
  /// As long as any process holds this open, the relay waits for what may still be written; then it passes on
  /// what is there, and ends.
  int lifeline() const { return lifeline_; }
  /// Closes this process's ends for writing.
  void close_pipes();

  /// Readable as soon as there is trouble, or the relay has ended.
  int news() const { return news_; }
  /// What keeps it from passing on standard output, in words: "standard output is full". From any thread.
  std::optional<std::string> trouble();
  /// Waits for it to have passed on everything, at most so long.
  bool ended_within(std::chrono::milliseconds limit);

  /// When no writer is left: lets it pass on what is there, and end. Waits for it; if the user has
  /// interrupted this process, not for a reader that does not read.
  void drain();

 private:
  void read_news();

  pid_t process_ = -1;
  std::optional<HelperProcess> helper_;
  int output_ = -1, errors_ = -1, lifeline_ = -1, news_ = -1;
  std::mutex mutex_;
  std::optional<int> trouble_;  ///< an errno
  bool ended_ = false;
};

}  // namespace morgana
