#pragma once

#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana {

/// Decides when one flow may send its next packet, from what the flow learns of the network. A reliable
/// transport tells it what happens, in the order of time, and asks.
class CongestionControl {
 public:
  virtual ~CongestionControl() = default;
  /// A packet of so many bytes on the link starts. The next one may start once may_send() says so.
  virtual void sent(SimTime now, Bytes size) = 0;
  /// The receiver has seen marked packets, and said so by a packet of its own (CNP).
  virtual void notified(SimTime now) = 0;
  /// The earliest time at which the flow's next packet may start: that time or an earlier one if it may now.
  virtual SimTime may_send() const = 0;
  /// At which it sends at that time.
  virtual BitRate rate(SimTime now) = 0;
};

}  // namespace morgana
