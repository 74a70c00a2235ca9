#pragma once

#include <vector>

#include "pvmshim/pvm/record/recorder.h"

namespace morgana::pvm::captured {

/// A call of the program that is being recorded. Calls that PVM's libraries make themselves while they carry
/// it out are part of it: what they send and receive is recorded under its name.
class RecordedPvmCall {
 public:
  explicit RecordedPvmCall(Call call);
  ~RecordedPvmCall();
  RecordedPvmCall(const RecordedPvmCall&) = delete;
  RecordedPvmCall& operator=(const RecordedPvmCall&) = delete;

  /// Whether anything is recorded at all.
  bool active() const { return recorder_ != nullptr; }
  /// When this call (not the one that it is part of) began.
  SimTime begin() const { return begin_; }
  SimTime now() const { return recorder_->now(); }
  RequestId next_request() const { return recorder_->next_request(); }

  void add(Operation operation, SimTime begin, SimTime end, std::vector<Completed> completed = {});
  /// A wait for what was added since the last one.
  void add_wait(const std::vector<RequestId>& requests, SimTime begin, std::vector<Completed> completed);
  /// The call is to leave no trace.
  void forget() { forgotten_ = true; }

 private:
  TaskRecorder* recorder_;
  Call call_;
  SimTime begin_;
  bool outermost_ = false, forgotten_ = false;
};

/// Whether the program's call under way is one that asks the virtual machine: PVM's own messages for it are
/// not the program's.
class OwnMessages {
 public:
  OwnMessages();
  ~OwnMessages();
  OwnMessages(const OwnMessages&) = delete;
  OwnMessages& operator=(const OwnMessages&) = delete;
  static bool under_way();
};

}  // namespace morgana::pvm::captured
