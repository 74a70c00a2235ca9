#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "emulator/core/time.h"
#include "emulator/transport/tcp/segment.h"

namespace morgana::tcp {

/// When each segment under way was sent, and which of them are lost because later ones have come: recent
/// acknowledgement. Source: RFC 8985 (RACK-TLP), section 6; its names are in brackets.
///
/// The latest segment is the one sent last of those that have come [RACK.segment], by time, and by place
/// where times are equal. A segment that went again counts for it only if its round trip is at least the
/// shortest one and, where the acknowledgement's number covers it and echoes a time, the echo is not from
/// before. (What is acknowledged selectively has another segment's echo.)
///
/// A segment that was sent before the latest one is lost once the latest one's round trip [RACK.rtt] and the
/// reordering window have passed since it was sent. That window [RACK.reo_wnd] is a quarter of the shortest
/// round trip, at most the smoothed one, or nothing as long as no reordering has been seen and losses are
/// being repaired or three segments are acknowledged selectively. Reordering is seen when a segment comes
/// that was sent once and lies below another that had come.
///
/// When the timer runs out, the oldest segment is lost, and of the others those for which that time has
/// passed. The shortest round trip is that of the whole connection, and the window does not learn from
/// duplicate SACK, which receivers here do not send.
class Rack {
 public:
  void sent(Range data, SimTime now);
  /// The segment that begins at this place goes again.
  void repeated(Place begin, SimTime now);
  /// A round trip was measured.
  void measured(SimTime took);
  /// The window has been cut.
  void cut();

  /// What an acknowledgement reports. @param echo  if it echoes a time, and is of something new
  void acknowledged(SimTime now, const Segment& by, std::optional<SimTime> echo);
  struct Found {
    bool any = false;
    bool since_cut = false;  ///< one of them was sent after the window was cut
  };
  /// After each acknowledgement, and when reordering_ends() is over. @param smoothed  round trip
  Found detect(SimTime now, bool repairing, SimTime smoothed);
  /// The retransmission timer ran out.
  void timed_out(SimTime now);

  /// When what is not lost yet may be, unless it comes.
  std::optional<SimTime> reordering_ends() const { return reordering_ends_; }
  std::optional<Range> first_lost() const;
  Bytes lost() const { return lost_; }
  /// The last one under way; there is one.
  Range last() const { return segments_.back().data; }
  std::size_t under_way() const { return segments_.size(); }
  bool any_selective() const { return selective_ > 0; }

 private:
  struct Sent {
    Range data;
    SimTime at;
    bool repeated = false, lost = false;
    bool selective = false;  // it has come
    bool since_cut = true;
  };
  void comes(Sent& segment, SimTime now, bool echo_is_older);
  void lose(Sent& segment);
  bool latest_was_sent_after(const Sent& segment) const;

  std::deque<Sent> segments_;  // not acknowledged by number, in their order
  std::size_t selective_ = 0;
  Bytes lost_;
  SimTime shortest_, round_trip_, window_;
  SimTime latest_at_;
  SimTime newest_at_;  // of those that this acknowledgement reports
  Place latest_end_ = 0;
  Place highest_ = 0, highest_before_ = 0;  // that has come; and before this acknowledgement
  bool has_latest_ = false, reordering_seen_ = false;
  std::optional<SimTime> reordering_ends_;
};

}  // namespace morgana::tcp
