#pragma once

#include <cstdint>
#include <span>

#include "emulator/operations/operation.h"

namespace morgana {

/// Why an operation could not end at once: whom its rank waited for. Scalasca's wait states.
enum class WaitCause : std::uint8_t {
  late_sender,    ///< a receive or probe: the send began only then
  late_receiver,  ///< a synchronous send, or one by rendezvous: the receive was posted only then
  collective,     ///< a collective: the member whose data it needs entered only then
};

/// Sees every operation of every rank once it has ended: statistics and the trace of a run are made from this
/// alone, whether the run was emulated, replayed or captured over the real library.
class OperationObserver {
 public:
  virtual ~OperationObserver() = default;
  /// Operations of one rank come in its program's order, with begin <= end <= next begin.
  /// @param completed  the requests that completed in it (wait, test) or the message found (probes)
  virtual void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                               std::span<const Completed> completed) = 0;
  /// The rank's operation that is about to end needed a partner who came at `at`: before the rank began to
  /// wait, then it has not waited for that, or while it did. Called only if the run is emulated.
  virtual void partner_came(Rank /*rank*/, WaitCause /*cause*/, SimTime /*at*/) {}
  /// A message of the program (not of a collective's schedule) is wholly at its receiver's host.
  /// @param sent  when its send began
  virtual void message_delivered(Rank /*from*/, Rank /*to*/, Bytes /*bytes*/, SimTime /*sent*/,
                                 SimTime /*now*/) {}
};

}  // namespace morgana
