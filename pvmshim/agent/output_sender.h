#pragma once

#include <thread>

#include "pvmshim/agent/stream.h"

namespace morgana {

/// Sends what this process, and those that it starts, write to standard output and error to the emulator.
class OutputSender {
 public:
  /// @throws Error
  explicit OutputSender(Stream& emulator);
  /// The streams are again what they were, once all that was written has been sent. Whoever else has
  /// inherited them must have ended.
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
