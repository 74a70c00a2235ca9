#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/network/network.h"

namespace morgana {

namespace fddi {
// Sizes of ISO 9314-2 (FDDI's media access control), with 16 symbols (8 bytes) of preamble and long
// addresses.
/// Preamble 8, starting delimiter 1, frame control 1, ending delimiter 1.
constexpr Bytes token{11};
/// Preamble 8, delimiters 3, control and status 1, addresses 12, check sequence 4.
constexpr Bytes frame_overhead{28};
constexpr Bytes largest_payload{4478};
}  // namespace fddi

struct FddiParameters {
  BitRate rate{100'000'000};
  SimTime target_rotation = SimTime::from_ps(8'000'000'000);  ///< target token rotation time, TTRT (8 ms)
  SimTime station_latency = SimTime::from_ps(1'000'000);      ///< a station's delay when it repeats, >= 0
  SimTime propagation = SimTime::from_ps(250'000);            ///< along the fibre to the next station, > 0
  Bytes largest_payload = fddi::largest_payload;              ///< of a frame, 1 to fddi::largest_payload
};

/// An FDDI ring with the timed token protocol (ANSI X3.139, ISO 9314-2). All traffic is asynchronous and of
/// one priority. A port is a station, and station n follows station n - 1. With N stations, a round of the
/// token without sending takes N x (station latency + propagation).
///
/// The rules:
/// - A station expects the token a TTRT after it last came. At time 0 the token comes to station 0. On the
///   first round every station expects it a TTRT after the earliest time at which it can come.
/// - If the token comes early, the station may send. Its first frame starts when the whole token has come in,
///   and another one may start until the expected time is reached. Then the token follows the last frame.
/// - If the token comes late, the station passes it on at once. It expects the next one a TTRT after the time
///   at which it expected this one.
/// - A station that has nothing to send passes the token on after its latency.
/// - A unit departs when the last bit of its frame has been sent. It is delivered when that bit has passed
///   the stations in between and has reached its own. Nothing is lost.
/// - A unit that is injected at the instant at which the token arrives, or a frame ends, is queued by then.
///
/// Simplifications: no claiming, beacons or management frames, no synchronous traffic; a sender strips its
/// frames off the ring at no cost; times are not rounded to symbols.
///
/// Cost: a ring without traffic needs no events. The next injection computes where the token is by then.
class FddiRing : public Network, private EventHandler {
 public:
  /// @param ports  the number of stations
  /// @throws Error if a parameter is out of range, or if the TTRT is not longer than a round in which one
  /// station sends a frame of the largest payload
  FddiRing(EventQueue& events, std::size_t ports, const FddiParameters& parameters);
  /// @throws Error if the unit is larger than FddiParameters::largest_payload
  void inject(const Unit& unit) override;
  Bytes largest_unit() const override { return parameters_.largest_payload; }
  SimTime least_latency() const override;
  NetworkCapabilities capabilities() const override { return {.lossless = true}; }
  /// The ring is in use by frames that have been sent. The token is none.
  std::vector<CounterTable> counted(SimTime until) override;

 private:
  struct Station {
    SimTime expected;        ///< a token that comes before this is early
    std::deque<Unit> queue;  ///< while the station holds the token, the first unit is being sent
  };

  void handle(std::uint64_t what) override;
  void token_arrives();
  void frame_ends();
  void send_first(SimTime begin);
  void walk_before(SimTime until);
  void pass_on(Station& station);
  void skip_quiet_rounds(SimTime until);
  void expect_capture();
  bool in_time(const Station& station, SimTime arrival) const { return arrival < station.expected; }
  SimTime wire(const Unit& unit) const { return parameters_.rate.time_for(unit.size + fddi::frame_overhead); }
  SimTime hop() const { return parameters_.station_latency + parameters_.propagation; }
  SimTime quiet_round() const { return static_cast<std::int64_t>(stations_.size()) * hop(); }

  EventQueue& events_;
  FddiParameters parameters_;
  std::vector<Station> stations_;
  std::size_t at_ = 0;            // the station that the token comes to next, or that holds it
  SimTime arrival_;               // when it comes there
  bool sending_ = false;          // the station holds the token
  SimTime hold_until_;            // no frame starts at or after this
  std::uint64_t waiting_ = 0;     // units that have not departed
  std::uint64_t generation_ = 0;  // of the valid capture event; events of earlier generations are void
  SimTime busy_;                  // all frames that have been sent
  Pool<Unit> under_way_;          // departed, not delivered
};

}  // namespace morgana
