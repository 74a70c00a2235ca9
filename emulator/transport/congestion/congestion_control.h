#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/telemetry.h"

namespace morgana {

/// What an acknowledgement reports of the flow's packet that it is for. All bytes are those on the flow's
/// first link, headers and gaps included.
struct FlowFeedback {
  SimTime now{};  ///< the acknowledgement has come
  /// Bytes that the flow had sent with that packet: more than in any feedback before.
  std::int64_t place = 0;
  std::int64_t sent = 0;                   ///< bytes that it has sent by now
  Bytes returned{};                        ///< by which `place` has grown since the last feedback
  SimTime round_trip{};                    ///< from the packet's start until now; 0: not measured
  SimTime delay{};                         ///< the part of it that was not spent at the receiving host
  unsigned hops = 0;                       ///< switches that the packet passed
  std::span<const PortTelemetry> ports{};  ///< their records, in the order of the packet's way
  bool marked = false;                     ///< the packet came so
  Bytes marked_bytes{};                    ///< that came so, as far as no feedback before has said
  Bytes under_way{};                       ///< of what was sent, without what has come or is known to be lost
};

/// The flow's receiver has got a packet's header alone (Trimmed), and said so.
struct TrimFeedback {
  SimTime now{};
  Bytes packet{};         ///< on the flow's first link
  Bytes under_way{};      ///< with that packet
  bool credited = false;  ///< its receiver gives credit, and its own link was full
  SimTime round_trip{};   ///< from the packet's start until now; 0: not measured
};

/// Decides when one flow may send its next packet, from what the flow learns of the network. A reliable
/// transport reports to it what happens, in the order of time, and asks it.
class CongestionControl {
 public:
  enum class Repetition : std::uint8_t {
    by_receiver,  ///< the receiver asked for what it lacks
    by_timeout    ///< nothing was acknowledged for the timeout
  };
  static constexpr Bytes unlimited{std::numeric_limits<std::int64_t>::max()};

  virtual ~CongestionControl() = default;
  /// A packet of so many bytes on the link starts. The next one may start once may_send() says so.
  virtual void sent(SimTime now, Bytes size) = 0;
  /// The receiver has seen marked packets, and said so by a packet of its own (CNP).
  virtual void notified(SimTime /*now*/) {}
  /// An acknowledgement reports a packet later than those of all before it.
  virtual void acknowledged(const FlowFeedback& /*feedback*/) {}
  /// A switch had no space for one of its packets.
  virtual void trimmed(const TrimFeedback& /*feedback*/) {}
  /// The flow is going to send again what was sent already.
  virtual void repeats(SimTime /*now*/, Repetition /*why*/) {}
  /// The earliest time at which the flow's next packet may start: that time or an earlier one if it may now.
  virtual SimTime may_send() const = 0;
  /// At which it sends at that time.
  virtual BitRate rate(SimTime now) = 0;
  /// What the flow may have under way, in bytes on its first link. A flow with nothing under way may send a
  /// packet in any case.
  virtual Bytes window() const { return unlimited; }
};

}  // namespace morgana
