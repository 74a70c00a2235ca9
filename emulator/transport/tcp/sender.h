#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "emulator/transport/congestion/window_control.h"
#include "emulator/transport/tcp/parameters.h"
#include "emulator/transport/tcp/rack.h"
#include "emulator/transport/tcp/round_trip.h"
#include "emulator/transport/tcp/scoreboard.h"
#include "emulator/transport/tcp/segment.h"

namespace morgana::tcp {

/// What the sending half did so far.
struct TcpSenderCounters {
  std::uint64_t segments = 0;  ///< with data, for the first time
  std::uint64_t repeated = 0;  ///< segments
  std::uint64_t fast_recoveries = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t reductions = 0;  ///< of the window, because of marks
  std::uint64_t probes = 0;      ///< for lost tails; part of the first two

  TcpSenderCounters& operator+=(const TcpSenderCounters& more);
};

/// The half of an endpoint that sends a stream of bytes: what goes next, what is lost, and how large the
/// window is. It knows neither network nor timers. S is the segment's payload; in flight are the bytes sent
/// and not acknowledged, FlightSize in the RFCs.
///
/// The stream. The program's bytes are in the socket's buffer as far as that reaches: send_buffer bytes
/// from the oldest unacknowledged one on. New data goes in segments of S bytes; a smaller one only if it
/// ends with the last byte that the program has written and, with nagle, nothing is in flight or it begins
/// with bytes that were sent before (RFC 9293, 3.8.6.2.1; RFC 896). It never goes beyond receive_buffer
/// bytes from the oldest unacknowledged one.
///
/// Window W: of WindowControl. New data may go, where nothing is being repaired,
///   - with sack: if in flight, less what is acknowledged selectively, plus the new segment, is at most W;
///   - without: if in flight plus the new segment is at most W + S for each duplicate acknowledgement, of
///     which two count (RFC 3042).
/// What of a new segment lies beyond W of bytes in flight, where nothing is being repaired (limited
/// transmit), does not count as in flight when a loss is found or the timer runs out before something new
/// is acknowledged (RFC 5681, 3.2; RFC 6675, 5).
///
/// Acknowledgements. One of less than what is acknowledged already is ignored, whatever it says. A
/// duplicate, with sack, reports bytes that were not acknowledged selectively before; without sack, it
/// acknowledges nothing new while something is in flight, and carries no data.
///
/// Loss with sack (RFC 6675). At a duplicate outside of recovery, and not before all is acknowledged that
/// had been sent when the last recovery began or the timer ran out: the third one, or any at which the
/// oldest byte is lost (IsLost, Scoreboard::lost_before), begins recovery: the recovery point is what has
/// been sent, WindowControl learns of a loss, and the oldest segment goes, whatever the window is. From
/// then on a segment goes while the pipe is at least S less than W; NextSeg() names it by its four rules (a
/// rescue included). The pipe has the bytes that are neither acknowledged nor lost, and those that were
/// repeated and are not acknowledged. Recovery ends when the recovery point is acknowledged.
///
/// With prr (RFC 6937, 3.1) it is not the pipe that says when a segment goes in recovery, but what may go,
/// which has to be S or more. It is computed at each acknowledgement in recovery, the one that begins it
/// included, and shrinks with what goes. D are the bytes that the acknowledgement reports for the first time,
/// by its number or selectively, "delivered" is the sum of D in this recovery, "out" what has gone in it, F
/// what was in flight when it began. If the pipe is more than W: ceil(delivered W / F) - out. Otherwise W
/// less the pipe, but at most max(delivered - out, D) + S (the slow start reduction bound).
///
/// Loss with rack (RFC 8985; Rack says which segments are lost). Outside of recovery and of the repair after
/// a timeout, any lost segment begins recovery, as above. In recovery one that was sent after the window was
/// cut last begins it anew (RFC 5681, 4.3: the loss of a repetition is another indication), with no more in
/// flight than W. At the begin of
/// recovery, and after a timeout, the first lost segment goes, whatever the window is. From then on a lost
/// segment goes, or new data if there is none: in recovery while the pipe is at least S less than W (or by
/// prr, below), otherwise where the pipe plus the segment is at most W. The pipe has the bytes that are
/// neither acknowledged nor lost.
///
/// Tail loss probe (RFC 8985, section 7). The wait for one may begin when new data that is not itself a probe
/// has gone, and at an acknowledgement of something new: outside of recovery and repair, while nothing is
/// acknowledged selectively, no other probe is out, and a round trip was measured since the last one. It
/// takes two smoothed round trips and timer_margin, and acknowledge_delay more if one segment is in flight.
/// The probe is the next new segment, whatever window and Nagle's rule say, or else the last segment again.
/// It waits for its turn, and is given up if something is acknowledged or found lost before. A probe that was
/// a repetition has repaired a loss if more than what had been sent then is acknowledged, and no
/// acknowledgement of just that, without ranges and data, has come before: WindowControl learns of the loss.
/// Recovery, and a timeout, end what a probe is out for.
///
/// Loss without sack (RFC 6582, 3.2). The third duplicate outside of recovery, if more is acknowledged than
/// the last recovery point (or that is the first byte): likewise, and W is used with an inflation: 3 S now,
/// S more for each further duplicate; an acknowledgement of n bytes that does not end recovery takes n
/// bytes off it, adds S if n is at least S, and sends the oldest segment again. (In recovery W + inflation
/// counts as at least S.) At the end WindowControl::recovered.
///
/// Timeout: WindowControl learns of it, recovery ends, the recovery point is what has been sent, and
///   - with sack (RFC 6675, 5.1): all below the recovery point that is not acknowledged is lost and goes
///     again in order, where the pipe plus the segment is at most W; new data when no such byte is left;
///   - without: the next segment begins with the oldest byte, and each goes on from there, as far as W from
///     the oldest byte reaches, what was sent before and what is new.
/// Until the recovery point is acknowledged no duplicate counts.
///
/// The window may grow (WindowControl::Acknowledged) at an acknowledgement of something new outside of
/// recovery, without an echo of a mark, if the window was in use: it held a segment back, or in slow start
/// W is less than twice the most in flight. What is known of that is of the last window of data (as Linux
/// has it): after each segment of the stream that goes outside of recovery, `held` is whether a further one
/// would go then but for W. If held, or if all is acknowledged that had been sent when this was noted last,
/// or if it was not held then and more is in flight now, then held and what is in flight are noted, and
/// what has been sent.
///
/// Marks that are echoed (ECE), with ecn or DCTCP: the first one of a window of data, outside of recovery
/// and not before the recovery point of a timeout is acknowledged, is reported to WindowControl with what was
/// in flight before it. The report follows that of the acknowledgement itself; after a report of a loss there
/// is none. A window of data ends when more is acknowledged than had been sent at the last
/// mark, recovery or timeout. The next new segment after each of these carries CWR.
///
/// The round trip is measured by each acknowledgement of something new with timestamps; without, by one
/// segment at a time, from its first sending until it is acknowledged, given up with any repetition (Karn).
///
/// Rest: when the program writes, all is acknowledged, and data was last sent more than a timeout ago,
/// WindowControl::rested (RFC 5681, 4.1).
class Sender {
 public:
  /// @param parameters  must outlive it; S is their window.segment
  explicit Sender(const TcpParameters& parameters);

  /// The program hands over more.
  void write(SimTime now, Bytes bytes);
  /// All before this place is in the socket's buffer, or has been.
  Place buffered() const;
  Place written() const { return written_; }
  /// All before it is acknowledged.
  Place oldest() const { return oldest_; }

  /// Whether echoes of marks mean anything to it.
  bool hears_marks() const { return parameters_.ecn || parameters_.control == TcpParameters::Control::dctcp; }

  struct Outgoing {
    enum class Kind : std::uint8_t { stream, oldest, hole, rescue, probe };
    Range data;
    Kind kind = Kind::stream;
    bool repeated = false;  ///< begins with what was sent before
    bool reduced = false;   ///< says that the window was cut (CWR)
  };
  /// What may go now.
  std::optional<Outgoing> next() const;
  /// It goes.
  void send(SimTime now, const Outgoing& outgoing);

  /// @param carries_data  so that it is no duplicate, without sack
  /// @return whether something new is acknowledged
  bool acknowledged(SimTime now, const Segment& by, bool carries_data);
  /// What an endpoint's timer is about.
  enum class Wait : std::uint8_t { timeout, probe, reordering };
  void ran_out(SimTime now, Wait what);
  /// When the wait for reordered segments ends, if there is one; with rack.
  std::optional<SimTime> reordering_ends() const;
  /// How long to wait for a probe, if there may be one; with rack.
  std::optional<SimTime> probe_after() const;
  /// The handshake took so long; 0: not known. @param repeated  a SYN went more than once
  void opened(SimTime took, bool repeated);

  bool in_flight() const { return sent_ > oldest_; }
  /// Whether an acknowledgement of something new starts the timer anew, now that it has been taken. In
  /// recovery without sack only the first one does (RFC 6582, "impatient").
  bool restarts_timer() const { return restarts_timer_; }
  SimTime timeout() const { return round_trip_.timeout(); }
  std::int64_t futile_timeouts() const { return futile_; }
  void handshake_timed_out() { round_trip_.back_off(); }

  const TcpSenderCounters& counters() const { return counters_; }
  const WindowControl& control() const { return *control_; }

 private:
  enum class Repair : std::uint8_t { none, recovery, after_timeout };

  bool has_rack() const { return parameters_.loss_detection == TcpParameters::LossDetection::rack; }
  Bytes flight() const { return Bytes(sent_ - oldest_); }
  std::optional<Outgoing> from_stream() const;
  std::optional<Outgoing> next_with_sack() const;
  std::optional<Outgoing> next_without_sack() const;
  std::optional<Outgoing> next_with_rack() const;
  Outgoing next_probe() const;
  std::optional<Outgoing> next_seg() const;
  bool fits(const Outgoing& next) const;
  void note_use();
  Bytes pipe() const;
  Bytes may_go() const;
  Bytes take_blocks(const Segment& by);
  void take_new(SimTime now, const Segment& by);
  void measure(SimTime now, const Segment& by);
  void measured(SimTime round_trip);
  void repair_after(Bytes acknowledged);
  void duplicate(SimTime now);
  void resolve_probe(SimTime now, Bytes in_flight_before, bool of_the_same);
  void look_for_losses(SimTime now);
  void timed_out(SimTime now);
  void begin_recovery(SimTime now);
  void reduce_in_proportion(Bytes newly_delivered);
  void reduced();

  const TcpParameters& parameters_;
  Bytes segment_;
  std::unique_ptr<WindowControl> control_;
  RoundTrip round_trip_;
  TcpSenderCounters counters_;

  // The stream: oldest_ <= next_ <= sent_ <= written_
  Place oldest_ = 0;  // not acknowledged
  Place next_ = 0;    // new data begins here; less than sent_ after a timeout without sack
  Place sent_ = 0;    // all before it was sent
  Place written_ = 0;

  // Repair
  Repair repair_ = Repair::none;
  Place recovery_point_ = 0;
  bool oldest_goes_ = false;  // whatever the window is
  int duplicates_ = 0;
  Bytes limited_;            // limited transmit
  std::int64_t futile_ = 0;  // timeouts since something new was acknowledged
  bool restarts_timer_ = true;
  // with sack
  Scoreboard selective_;
  Place repeated_up_to_ = 0;  // HighRxt
  Place rescued_up_to_ = 0;   // RescueRxt
  struct ProportionalReduction {
    Bytes delivered, out, in_flight;  // since recovery began, and then
    Bytes may_go;
  };
  ProportionalReduction reduction_;
  // with rack
  Rack rack_;
  struct Probe {
    std::optional<Place> end;  // what had been sent with it, while it is out
    bool repeats = false;
    bool goes = false;      // next
    bool measured = false;  // a round trip, since the last one
  };
  Probe probe_;
  // without
  Bytes inflation_;
  bool partial_ = false;  // an acknowledgement in this recovery has not ended it

  // Whether the window is in use
  bool held_back_ = false;
  Bytes most_in_flight_;
  Place noted_at_ = 0;

  // Marks
  Place reduced_at_ = -1;  // sent when the window was cut last
  bool tells_reduction_ = false;

  // Round trip without timestamps
  Place timed_ = -1;  // end of the segment that is being timed; -1: none is
  SimTime timed_from_, last_sent_;
};

}  // namespace morgana::tcp
