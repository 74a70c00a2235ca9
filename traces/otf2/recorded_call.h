#pragma once

#include <cstdint>
#include <vector>

#include "emulator/operations/operation.h"

namespace morgana {

/// One operation of a call, with what the trace needs of its end.
struct RecordedStep {
  struct Completion {
    RequestId request = no_request;
    Rank source = any_rank;
    Tag tag = any_tag;
    Bytes bytes;
    bool cancelled = false;
    Bytes coming;
    Outcome outcome = Outcome::delivered;
  };
  Operation operation;
  SimTime begin, end;
  SimTime elapsed;  ///< computed since the call's previous operation
  SimTime polled;   ///< part of it that went into polls
  std::vector<Completion> completed;
};

/// A call of a rank's program: its operations that leave records. Keeps its storage from call to call.
class RecordedCall {
 public:
  Call call = Call::unknown;
  SimTime begin, end;
  SimTime polled;       ///< part of the computing before the call that went into polls
  SimTime interrupted;  ///< part of the time before the call that the host's kernel took from the rank

  void clear() { count_ = 0; }
  RecordedStep& add() {
    if (count_ == steps_.size()) steps_.emplace_back();
    return steps_[count_++];
  }
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  RecordedStep& operator[](std::size_t i) { return steps_[i]; }
  const RecordedStep& operator[](std::size_t i) const { return steps_[i]; }

 private:
  std::vector<RecordedStep> steps_;
  std::size_t count_ = 0;
};

}  // namespace morgana
