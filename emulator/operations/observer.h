#pragma once

#include <span>

#include "emulator/operations/operation.h"

namespace morgana {

/// Sees every operation of every rank once it has ended: statistics and the trace of a run are made from this
/// alone, whether the run was emulated, replayed or captured over the real library.
class OperationObserver {
 public:
  virtual ~OperationObserver() = default;
  /// Operations of one rank come in its program's order, with begin <= end <= next begin.
  /// @param completed  the requests that completed in it (wait, test) or the message found (probes)
  virtual void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                               std::span<const Completed> completed) = 0;
  /// A message of the program (not of a collective's schedule) is wholly at its receiver's host.
  /// @param sent  when its send began
  virtual void message_delivered(Rank /*from*/, Rank /*to*/, Bytes /*bytes*/, SimTime /*sent*/,
                                 SimTime /*now*/) {}
};

}  // namespace morgana
