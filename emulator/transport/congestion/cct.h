#pragma once

#include <cstdint>

#include "emulator/transport/congestion/congestion_control.h"

namespace morgana {

/// The sender (channel adapter) of InfiniBand's congestion control. Defaults: Gran et al., "First experiences
/// with congestion control in InfiniBand hardware", IPDPS 2010, but for `step`, which is chosen.
struct CctParameters {
  std::uint32_t increase = 1;  ///< CCTI_Increase, at least 1
  std::uint32_t limit = 127;   ///< CCTI_Limit: the table's last index, least .. 16383
  std::uint32_t least = 0;     ///< CCTI_Min
  /// CCTI_Timer, > 0: 150 times 1.024 us.
  SimTime timer = SimTime::from_ps(153'600'000);
  /// Entry i of the table (CCT) is i times so many eighths: the gap after a packet, in times that the packet
  /// takes. At least 1; entry `limit` is at most 16383, as 14 bits hold it.
  std::uint32_t step = 8;
};

/// Congestion control of InfiniBand: InfiniBand Architecture Specification 1.3, volume 1, annex A10. Switches
/// mark packets (FECN), the receiver notifies the sender (BECN, here in a CNP for each marked packet, as far
/// as none waits to be sent yet), and the sender puts gaps behind its packets, as its table says.
///
/// A flow has an index c (CCTI), `least` at first.
///
/// Notified: c = min(limit, c + increase).
///
/// Timer: at each multiple of `timer` of simulated time, but 0, c decreases by 1 if it is more than `least`.
///
/// Pace: a packet of S bytes that starts at b lets the flow's next one start at b + W + W * c * step / 8,
/// rounded to the nearest picosecond (halves up), W being the time for S at the line rate in whole
/// picoseconds, and c as it is at b.
///
/// Rate: the line rate divided by 1 + c * step / 8, to the nearest bit per second.
///
/// At one instant the timer comes first, then the event that the transport reports.
class Cct final : public CongestionControl {
 public:
  /// @param line_rate  of the flow's first link
  Cct(const CctParameters& parameters, BitRate line_rate);

  void sent(SimTime now, Bytes size) override;
  void notified(SimTime now) override;
  SimTime may_send() const override { return may_send_; }
  BitRate rate(SimTime now) override;
  std::uint32_t index(SimTime now);

 private:
  const CctParameters& parameters_;
  BitRate line_rate_;
  std::uint32_t index_;
  std::int64_t timers_ = 0;  ///< multiples of the timer that have passed
  SimTime may_send_;
};

}  // namespace morgana
