#pragma once

#include <optional>

#include "pvmshim/pvm/emulate/task.h"

namespace morgana::pvm {

/// A call of the program that becomes operations of this task's rank, in order: marks the first and the last
/// one. While it lives the task is in the shim, and its CPU time does not count.
class OpenCall {
 public:
  explicit OpenCall(Call call) : call_(call) { visit_.emplace(me().live); }
  ~OpenCall() { end(); }
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;

  enum class Last : bool { no, yes };

  void post(Operation& operation, Last last = Last::no);
  const Answer& ask(Operation& operation, Last last = Last::no);
  /// A call in itself, which may be answered without the emulator; or a part of this one (keep_polls_within).
  const Answer& poll(Operation& operation);
  /// From now on polls are part of this call.
  void keep_polls_within() { polls_within_ = true; }

  /// Before the program's own code runs within the call: the call ends here, and what follows is another one.
  void end();

  Call call() const { return call_; }

 private:
  void mark(Operation& operation, Last last);

  Call call_;
  std::optional<LiveRank::Visit> visit_;
  bool begun_ = false, polls_within_ = false;
};

/// Whether the task sleeps in the emulator now: nothing can be asked meanwhile (from a signal's handler).
bool is_asleep();

}  // namespace morgana::pvm
