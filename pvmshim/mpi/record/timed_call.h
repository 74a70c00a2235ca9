#pragma once

#include "pvmshim/mpi/record/recorder.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::captured {

/// A call of the program that is being recorded: begins when it is made.
class TimedCall {
 public:
  TimedCall() : begin_(recorder().now()) {}

  /// MPICH has carried it out.
  void ended() { end_ = recorder().now(); }

  SimTime end() const { return end_; }

  /// The call as one operation.
  void write(const Operation& operation, std::span<const Completed> completed = {}) const {
    recorder().write(operation, begin_, end_, completed);
  }
  /// What a blocking call starts with, and the wait that takes its time.
  void write_start(const Operation& operation, std::span<const Completed> completed = {}) const {
    recorder().write(operation, begin_, begin_, completed);
  }
  void write_wait(Call call, std::span<const RequestId> requests,
                  std::span<const Completed> completed) const {
    write(completion_operation(OperationKind::wait, call, CallPart::last, Completion::all, requests),
          completed);
  }
  void write_plain(Call call) const { write(plain_operation(OperationKind::nothing, call)); }

 private:
  SimTime begin_, end_;
};

}  // namespace morgana::mpi::captured
