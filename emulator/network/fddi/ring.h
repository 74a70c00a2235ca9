#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/network/network.h"

namespace morgana {

namespace fddi {
// Sizes of ISO 9314-2 (FDDI's media access control), with 16 symbols of preamble and long addresses.
constexpr Bytes token{11};  ///< preamble 8, starting delimiter 1, frame control 1, ending delimiter 1
constexpr Bytes frame_overhead{
    28};  ///< preamble 8, delimiters 3, control and status 1, addresses 12, check 4
constexpr Bytes largest_payload{4478};
}  // namespace fddi

struct FddiParameters {
  BitRate rate{100'000'000};
  SimTime target_rotation = SimTime::from_ps(8'000'000'000);  ///< TTRT
  SimTime station_latency = SimTime::from_ps(1'000'000);      ///< of a station that repeats
  SimTime propagation = SimTime::from_ps(250'000);            ///< along the fibre to the next station, > 0
  Bytes largest_payload = fddi::largest_payload;
};

/// An FDDI ring: the right to send goes round as a token (ANSI X3.139, ISO 9314-2), all traffic asynchronous
/// and of one priority. Port n is the station after n - 1; with N stations a quiet round takes N (station
/// latency + propagation).
///
/// The rules: A station expects the token a TTRT after it last came. If it comes earlier, the station may
/// send what waits: frames one behind the other as long as the time by which the token is early has not
/// passed when a frame begins; the first begins when the whole token has come in. Then the token goes on,
/// behind the last frame. If it comes late, it goes on at once, and the next one is expected a TTRT after
/// this one was. A station with nothing to send passes it on after its latency. A unit has departed when its
/// frame has been sent; it is delivered when the frame's end has come to its station, through the stations in
/// between. A unit that is injected at the very time at which the token arrives, or a frame ends, is seen by
/// then. At time 0 the token comes to station 0; on its first round each station may hold it for a whole
/// TTRT. Nothing is lost.
///
/// Simplifications: no claiming, beacons or management frames, no synchronous traffic; the sender's taking
/// its frames off the ring costs nothing; rounding to symbols is left out.
///
/// A quiet ring costs no events: rounds without sending are worked out when a unit is injected.
class FddiRing : public Network, private EventHandler {
 public:
  /// @throws Error if a parameter is out of range, or a quiet round with one largest frame and a token takes
  /// longer than the TTRT
  FddiRing(EventQueue& events, std::size_t ports, const FddiParameters& parameters);
  /// @throws Error if the unit is larger than the largest payload
  void inject(const Unit& unit) override;
  Bytes largest_unit() const override { return parameters_.largest_payload; }
  SimTime least_latency() const override;
  NetworkCapabilities capabilities() const override { return {.lossless = true}; }

 private:
  struct Station {
    SimTime expected;        ///< when the token has to come to be in time
    std::deque<Unit> queue;  ///< the first is being sent, if the station sends
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
  SimTime arrival_;               // when it comes there; until then stations have been passed
  bool sending_ = false;          // the station holds the token
  SimTime hold_until_;            // no frame begins at or after this
  std::uint64_t waiting_ = 0;     // units that have not departed
  std::uint64_t generation_ = 0;  // of the expected capture
  Pool<Unit> under_way_;          // departed, not delivered
};

}  // namespace morgana
