#pragma once

#include <deque>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/channel/capture_log.h"

namespace morgana {

/// The virtual machine's part in a captured PVM run, as operations of a rank: what it has got, started and
/// answered, each when the tasks saw it. Between two of these it waits: it computes nothing.
class CapturedMachine {
 public:
  // In any order.
  /// A task's message has come. @param message  the task's send
  void got(SimTime at, Rank from, const Operation& message);
  /// A task was started.
  void started(SimTime at, Rank task);
  /// A task has received an answer. @param answer  its receive; its tag and size are the message's
  void answered(SimTime at, Rank to, const Operation& answer);
  /// Nothing more is added.
  void sort();

  /// Appends the operations of the next event. @return false if there is none
  bool next(std::deque<CapturedOperation>& operations);
  /// The end of the last operation so far.
  SimTime last() const { return last_; }

 private:
  /// At the same time: a request, what it starts, its answer.
  enum class Kind { got, started, answered };
  struct Event {
    Kind kind = Kind::got;
    SimTime time;
    Rank peer{};
    Context context = world_context;
    Tag tag{};
    Bytes bytes;
  };

  std::vector<Event> events_;
  std::size_t next_ = 0;
  std::uint64_t requests_ = 0;
  SimTime last_;
};

}  // namespace morgana
