#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana {

/// Decides how much one flow may have under way, from what the flow learns of the network: a congestion
/// window. A reliable transport reports to it what happens, in the order of time.
class WindowControl {
 public:
  /// An acknowledgement of something new.
  struct Acknowledged {
    SimTime now;
    Bytes bytes;                  ///< newly acknowledged, more than 0
    std::int64_t up_to = 0;       ///< all before this place in the stream is acknowledged
    std::int64_t sent_up_to = 0;  ///< and all before this one has been sent
    bool marked = false;          ///< it echoes a mark (ECE)
    /// The window may grow: it was in full use, nothing is being repaired, and the acknowledgement echoes no
    /// mark.
    bool grows = false;
    SimTime round_trip;  ///< smoothed; 0: none was measured yet
  };
  enum class Congestion : std::uint8_t { loss, mark };

  virtual ~WindowControl() = default;
  virtual void acknowledged(const Acknowledged& what) = 0;
  /// A segment is taken for lost, or a mark was echoed: once a window. @param in_flight  sent and not
  /// acknowledged
  virtual void congested(SimTime now, Bytes in_flight, Congestion why) = 0;
  /// The retransmission timer ran out. @param again  without anything new acknowledged since the last time
  virtual void timed_out(SimTime now, Bytes in_flight, bool again) = 0;
  /// What was lost is repaired, without selective acknowledgements. @param in_flight  as above
  virtual void recovered(Bytes in_flight) = 0;
  /// Nothing was sent for longer than a retransmission timeout; something will be now.
  virtual void rested() = 0;
  /// Nothing but one segment may be under way at first: the handshake lost a segment.
  virtual void begin_with(Bytes window) = 0;
  virtual Bytes window() const = 0;
  virtual bool in_slow_start() const = 0;
};

}  // namespace morgana
