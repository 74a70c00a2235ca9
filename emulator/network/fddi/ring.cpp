#include "emulator/network/fddi/ring.h"

#include <cassert>
#include <string>

#include "emulator/core/error.h"
#include "emulator/core/resource_load.h"

namespace morgana {
namespace {

// The kind of an event is its lowest bits; a generation or a slot above them.
enum What : std::uint64_t { capture, frame_end, delivery };
constexpr unsigned what_bits = 2;

std::uint64_t event(What what, std::uint64_t number) {
  return number << what_bits | what;
}

void require(bool right, const std::string& what) {
  if (!right) throw Error("FDDI ring: " + what);
}

}  // namespace

FddiRing::FddiRing(EventQueue& events, std::size_t ports, const FddiParameters& parameters)
    : events_(events), parameters_(parameters), stations_(ports) {
  require(parameters.propagation > SimTime() && parameters.station_latency >= SimTime(),
          "the propagation must be more than 0 and the stations' latency not negative");
  require(parameters.largest_payload.count() > 0 && parameters.largest_payload <= fddi::largest_payload,
          "a frame's payload is 1 to " + std::to_string(fddi::largest_payload.count()) + " bytes");
  const SimTime least = quiet_round() + parameters.rate.time_for(parameters.largest_payload +
                                                                 fddi::frame_overhead + fddi::token);
  require(parameters.target_rotation > least,
          "the token can't get round " + std::to_string(ports) +
              " stations with one frame in the target rotation time; raise network.target-rotation");
  for (std::size_t i = 0; i < ports; ++i)
    stations_[i].expected = static_cast<std::int64_t>(i) * hop() + parameters.target_rotation;
}

SimTime FddiRing::least_latency() const {
  return parameters_.rate.time_for(fddi::token) + parameters_.rate.time_for(fddi::frame_overhead) +
         parameters_.propagation;
}

void FddiRing::inject(const Unit& unit) {
  assert(unit.from != unit.to && static_cast<std::size_t>(unit.to) < stations_.size());
  require(unit.size <= parameters_.largest_payload, "a unit of " + std::to_string(unit.size.count()) +
                                                        " bytes does not fit into a frame of at most " +
                                                        std::to_string(parameters_.largest_payload.count()));
  if (!sending_) walk_before(events_.now());
  stations_[static_cast<std::size_t>(unit.from)].queue.push_back(unit);
  ++waiting_;
  if (!sending_) expect_capture();
}

void FddiRing::handle(std::uint64_t what) {
  const std::uint64_t number = what >> what_bits;
  switch (static_cast<What>(what & ((1U << what_bits) - 1))) {
    case capture:
      if (number == generation_) token_arrives();
      return;
    case frame_end:
      frame_ends();
      return;
    case delivery: {
      const auto slot = static_cast<std::uint32_t>(number);
      const Unit unit = under_way_[slot];  // a copy: the listener may inject
      under_way_.give_back(slot);
      listener_->unit_delivered(unit.id, unit.to);
      return;
    }
  }
}

/// At a station that has something to send and may.
void FddiRing::token_arrives() {
  walk_before(events_.now());
  Station& station = stations_[at_];
  assert(arrival_ == events_.now() && !station.queue.empty() && in_time(station, arrival_));
  sending_ = true;
  hold_until_ = station.expected;
  station.expected = arrival_ + parameters_.target_rotation;
  const SimTime whole_token = arrival_ + parameters_.rate.time_for(fddi::token);
  if (whole_token < hold_until_) return send_first(whole_token);
  // It was hardly early: nothing can be sent any more.
  sending_ = false;
  arrival_ = whole_token + parameters_.propagation;
  at_ = (at_ + 1) % stations_.size();
  expect_capture();
}

void FddiRing::send_first(SimTime begin) {
  events_.schedule(begin + wire(stations_[at_].queue.front()), *this, event(frame_end, 0));
}

void FddiRing::frame_ends() {
  const SimTime now = events_.now();
  const Unit unit = stations_[at_].queue.front();
  stations_[at_].queue.pop_front();
  --waiting_;
  busy_ += wire(unit);
  const auto from = static_cast<std::size_t>(unit.from), to = static_cast<std::size_t>(unit.to);
  const auto hops = static_cast<std::int64_t>((to + stations_.size() - from) % stations_.size());
  const std::uint32_t slot = under_way_.take(unit);
  events_.schedule(now + hops * hop() - parameters_.station_latency, *this, event(delivery, slot));
  listener_->unit_departed(unit.id, unit.from);  // which may inject the next one
  if (!stations_[at_].queue.empty() && now < hold_until_) return send_first(now);
  sending_ = false;
  arrival_ = now + parameters_.propagation;
  at_ = (at_ + 1) % stations_.size();
  expect_capture();
}

std::vector<CounterTable> FddiRing::counted(SimTime until) {
  CounterTable in_use = share_in_use(ResourceLoad::Place::shared, "the ring (network.rate)");
  if (until > SimTime()) in_use.rows = {{std::int64_t{0}, busy_.seconds() / until.seconds()}};
  return {in_use};
}

/// Takes the token past all stations that it comes to before `until`. None of them has something to send and
/// may: that would have been an event.
void FddiRing::walk_before(SimTime until) {
  std::size_t in_time_in_turn = 0;
  while (arrival_ < until) {
    in_time_in_turn = in_time(stations_[at_], arrival_) ? in_time_in_turn + 1 : 0;
    pass_on(stations_[at_]);
    if (in_time_in_turn == stations_.size()) skip_quiet_rounds(until);
  }
}

void FddiRing::pass_on(Station& station) {
  station.expected = (in_time(station, arrival_) ? arrival_ : station.expected) + parameters_.target_rotation;
  arrival_ += hop();
  at_ = (at_ + 1) % stations_.size();
}

/// When all stations have seen the token in time, they will in every further round in which nobody sends.
void FddiRing::skip_quiet_rounds(SimTime until) {
  if (arrival_ >= until) return;
  const SimTime skipped = (until - arrival_) / quiet_round() * quiet_round();
  arrival_ += skipped;
  for (Station& station : stations_) station.expected += skipped;
}

/// A unit that is injected before then makes the expectation void.
void FddiRing::expect_capture() {
  ++generation_;
  if (waiting_ == 0) return;
  std::vector<SimTime> expected;
  for (const Station& station : stations_) expected.push_back(station.expected);
  SimTime arrival = arrival_;
  for (std::size_t at = at_;; at = (at + 1) % stations_.size(), arrival += hop()) {
    const bool early = arrival < expected[at];
    if (early && !stations_[at].queue.empty()) break;
    expected[at] = (early ? arrival : expected[at]) + parameters_.target_rotation;
  }
  assert(arrival >= events_.now());
  events_.schedule(arrival, *this, event(capture, generation_));
}

}  // namespace morgana
