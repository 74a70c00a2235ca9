#pragma once

#include <thread>

#include "pvmshim/agent/stream.h"

namespace morgana {

/// Sends what this process, and those that it starts, write to standard output and error to the emulator.
class OutputSender {
 public:
  /// @throws Error
  explicit OutputSender(Stream& emulator);
  /// Sends what is left and restores the two streams. Processes that have inherited them must have ended.
  ~OutputSender();
  OutputSender(const OutputSender&) = delete;
  OutputSender& operator=(const OutputSender&) = delete;

 private:
  struct Way {
    int standard, before, reading;
    std::thread thread;
  };
  Way way(int standard);

  Stream& emulator_;
  Way output_, errors_;
};

}  // namespace morgana
