#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/random.h"
#include "emulator/network/ethernet/on_off_source.h"
#include "emulator/network/network.h"

namespace morgana {

/// Other stations' load on a segment: ON-OFF sources that each, while on, offer frames of one size at even
/// intervals. They are stations like all others and contend for the segment; what they can't send at once
/// waits, without limit.
struct BackgroundLoad {
  /// Mean share of the segment's time that is offered, 0 to 0.95; a frame takes its time on the wire and a
  /// gap.
  double load = 0;
  std::uint32_t stations = 4;                          ///< sources, each with its own share, > 0
  Bytes frame{512};                                    ///< payload of their frames, 46 to 1500
  SimTime mean_on = SimTime::from_ps(20'000'000'000);  ///< exponential, > 0
  double on_share = 0.25;                              ///< of the time that a source is on, in (0, 1]
};

struct SegmentParameters {
  BitRate rate{10'000'000};
  /// Between any two stations, > 0 and less than half a slot time (25.6 us at 10 Mb/s).
  SimTime propagation = SimTime::from_ps(5'000'000);
  BackgroundLoad background;
};

/// What happened on a segment so far.
struct SegmentCounters {
  std::uint64_t frames = 0;             ///< of ports, sent whole
  std::uint64_t background_frames = 0;  ///< sent whole
  std::uint64_t collisions = 0;         ///< each of two or more stations
  std::uint64_t given_up = 0;           ///< frames of any station, after 16 attempts
};

/// A shared Ethernet segment: carrier sense with collision detection and truncated binary exponential backoff
/// (IEEE 802.3-2018, clauses 4.2.3.2 and 4.2.8); a frame is lost after 16 attempts. A frame that is given up
/// has departed at the end of its last attempt.
///
/// The rules: a station that hears a carrier, its own included, defers until one interframe gap after it is
/// gone; a frame that became ready in that time then goes out, whatever is heard by then (the standard's
/// interFrameSpacingPart1 is 0). A station that hears another's carrier while it sends finishes its preamble,
/// jams for 32 bits, stops, and is ready again after 0 to 2^min(n, 10) - 1 slots, n being its attempts.
///
/// Simplifications: all stations are equally far from each other; time is not cut into bits (a jam starts in
/// the instant in which the collision is heard); stations hear carriers coming and going without delay of
/// their own.
///
/// A backoff is drawn from the stream "ethernet port N backoff" or "ethernet background N backoff", a source
/// from "ethernet background N source".
///
/// Background stations cost no events: their past is worked out when a unit is injected, and while no unit
/// waits, nothing of the segment is in the event queue.
class EthernetSegment : public Network, private EventHandler {
 public:
  /// @throws Error if a parameter is out of range
  EthernetSegment(EventQueue& events, std::size_t ports, const SegmentParameters& parameters,
                  std::uint64_t seed);
  ~EthernetSegment() override;
  /// @throws Error if the unit is larger than a frame's payload
  void inject(const Unit& unit) override;
  Bytes largest_unit() const override;
  SimTime least_latency() const override;
  const SegmentCounters& counters() const { return counters_; }
  std::vector<CounterTable> counted(SimTime until) override;

 private:
  using Slot = std::uint32_t;
  static constexpr Slot none = ~Slot{0};

  struct Frame {
    Unit unit;
    Slot next;  ///< in its port's queue, or in the list of free slots
  };
  struct Station {
    explicit Station(const RandomStream& backoff_stream) : backoff(backoff_stream) {}
    RandomStream backoff;
    std::optional<ethernet::OnOffSource> source;  ///< of a background station
    Slot first_frame = none, last_frame = none;   ///< of a port
    int attempts = 0;                             ///< of its first frame
    SimTime ready;                ///< when its first frame is, or was, ready; or when the station was done
    std::uint64_t took_part = 0;  ///< the last round in which it sent
    SimTime gap_over;             ///< after that round
  };
  struct Attempt {
    std::uint32_t station;
    SimTime start, end;
  };

  void handle(std::uint64_t what) override;
  SimTime gap_over(const Station& station) const;
  SimTime earliest_start(const Station& station) const;
  SimTime next_round_settled() const;
  void expect_next_round();
  void settle_round();
  void send_whole(Attempt attempt);
  void collide();
  void count_busy(SimTime from, SimTime end);
  void finish(std::uint32_t station, SimTime end, bool sent);
  Slot store(const Unit& unit);
  void release(Slot slot);

  EventQueue& events_;
  SegmentParameters parameters_;
  SimTime gap_, slot_, preamble_, jam_;
  std::vector<Station> stations_;               // the ports', then the background's
  std::vector<std::uint32_t> active_;           // stations with a frame to send, at present or in future
  std::vector<std::uint32_t> place_in_active_;  // by port
  std::vector<Attempt> attempts_;               // of the round in hand
  std::uint64_t round_ = 0;
  SimTime common_gap_over_;        // after the last round, for stations that took no part in it
  std::size_t units_waiting_ = 0;  // of ports, whose end is not settled yet
  SimTime expected_;               // when the round in the event queue is settled; if any
  bool expecting_ = false;
  std::uint64_t generation_ = 0;
  std::vector<Frame> frames_;  // by slot; a slot is free again once its frame is delivered or lost
  Slot first_free_ = none;
  SegmentCounters counters_;
  SimTime busy_;        // in all settled rounds, each with a gap
  SimTime busy_until_;  // the end of the last one and its gap
};

}  // namespace morgana
