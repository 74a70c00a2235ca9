#pragma once

#include <compare>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// Who does something in a run: a rank's processor, or what stands beside it and carries out its nonblocking
/// collectives where these make progress by themselves.
struct Actor {
  Rank rank{};
  bool besides = false;
  bool operator==(const Actor&) const = default;
};

/// A message's data on their way through the network; from rank -1: none, or not known.
struct CarriedMessage {
  Rank from{-1}, to{-1};
  Bytes bytes;
  bool is_known() const { return from >= Rank{0}; }
  auto operator<=>(const CarriedMessage&) const = default;
};

/// The cause of a message that is waited for.
struct Origin {
  /// Whose doing was the last that it needed: the sender's, or the receiver's where the data were asked for
  /// only when the receive was posted.
  Rank by{-1};
  SimTime ready;             ///< when that was done; the rest is the protocol's, the wire's and timers'
  SimTime wire;              ///< while the data were with the transport; of what passed since `ready`
  SimTime came;              ///< when it was at its receiver; 0 if that is not known
  bool in_memory = false;    ///< it stays within a host: what passes is a copy's time
  SimTime timer_wait{};      ///< what it waited for retransmission timers since `ready`; no part of `wire`
  CarriedMessage carried{};  ///< what was with the transport for `wire`
};

/// An actor had nothing to do before `at`, and goes on then because of what `by` had done at `ready`.
struct Release {
  Actor who;
  SimTime at;
  Actor by;
  SimTime ready;           ///< <= at
  SimTime wire;            ///< of at - ready: the data were with the transport
  bool in_memory = false;  ///< all of at - ready is a copy within a host
  bool polled = false;  ///< found by a test or probe: the actor waited only if polls before had found nothing
  SimTime timer_wait{};      ///< of at - ready: for retransmission timers
  CarriedMessage carried{};  ///< what was with the transport for `wire`
};

/// Sees what makes ranks go on that wait: critical paths are made from this.
class CausalityObserver {
 public:
  virtual ~CausalityObserver() = default;
  /// Within the operation of the rank that waits, before its end is reported. An actor's releases come
  /// nearly, but not always, in the order of time.
  virtual void released(const Release& release) = 0;
};

}  // namespace morgana
