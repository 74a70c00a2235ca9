#include "emulator/network/ethernet/segment.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "emulator/core/error.h"
#include "emulator/core/resource_load.h"
#include "emulator/network/ethernet/frame.h"

// The segment lives in rounds. A round begins when a station starts to send at s; until s + propagation,
// others that have not heard it yet may start as well; then it is settled who takes part. If it is one
// station alone, its frame goes through. Otherwise all that do collide, and what each will hear, and until
// when, follows.
//
// Why that is exact: everybody hears the end of a round within one propagation of each other, so that whoever
// waited for it starts, one gap later, at most one propagation after the first. And a collision's
// fragment (preamble and jam) is no shorter than a gap, so that no carrier comes and goes unnoticed within
// one.

namespace morgana {
namespace {

// The kind of an event is its lowest bits, above them a frame's slot or the round's generation.
enum What : std::uint64_t { departure, delivery, loss, round_settled };
constexpr unsigned what_bits = 2;

std::uint64_t event(What what, std::uint64_t number) {
  return number << what_bits | what;
}

void require(bool condition, const char* what) {
  if (!condition) throw Error(std::string("shared Ethernet: ") + what);
}

SimTime interval_while_on(const SegmentParameters& parameters);

void check(const SegmentParameters& parameters) {
  require(parameters.rate > BitRate(0), "the rate must be more than 0");
  require(parameters.propagation > SimTime() &&
              2 * parameters.propagation < parameters.rate.time_for_bits(ethernet::slot_bits),
          "the propagation must be more than 0 and less than half a slot time (256 bits): set a shorter one");
  const BackgroundLoad& background = parameters.background;
  require(background.load >= 0 && background.load <= 0.95, "the background's load must lie in 0 to 0.95");
  if (background.load == 0) return;
  require(background.stations > 0, "a background load needs at least one station");
  require(background.frame >= ethernet::least_payload && background.frame <= ethernet::largest_payload,
          "the background's frames must carry 46 to 1500 bytes");
  require(background.mean_on > SimTime(), "the background's mean time on must be more than 0");
  require(background.on_share > 0 && background.on_share <= 1,
          "the share of time that the background is on must be more than 0 and at most 1");
  // Each burst is worked out, also those in which nothing comes.
  constexpr double most_bursts = 1e6;
  require(background.on_share == 1 ||
              interval_while_on(parameters).seconds() <= most_bursts * background.mean_on.seconds(),
          "the background offers less than a frame in a million bursts: set network.background.load to 0, or "
          "to more, or make the bursts longer (network.background.mean-on)");
}

/// Between the frames of one background station.
SimTime interval_while_on(const SegmentParameters& parameters) {
  const BackgroundLoad& background = parameters.background;
  const SimTime frame =
      parameters.rate.time_for(ethernet::on_wire(background.frame) + ethernet::interframe_gap);
  const double seconds = frame.seconds() * background.stations * background.on_share / background.load;
  return SimTime::from_seconds(std::min(seconds, EventQueue::latest.seconds()));
}

}  // namespace

EthernetSegment::EthernetSegment(EventQueue& events, std::size_t ports, const SegmentParameters& parameters,
                                 std::uint64_t seed)
    : events_(events), parameters_(parameters), place_in_active_(ports) {
  check(parameters);
  gap_ = parameters.rate.time_for(ethernet::interframe_gap);
  slot_ = parameters.rate.time_for_bits(ethernet::slot_bits);
  preamble_ = parameters.rate.time_for(ethernet::preamble);
  jam_ = parameters.rate.time_for_bits(ethernet::jam_bits);
  for (std::size_t port = 0; port < ports; ++port)
    stations_.emplace_back(RandomStream(seed, "ethernet port " + std::to_string(port) + " backoff"));
  const BackgroundLoad& background = parameters.background;
  if (background.load == 0) return;
  for (std::uint32_t number = 0; number < background.stations; ++number) {
    const std::string name = "ethernet background " + std::to_string(number);
    active_.push_back(static_cast<std::uint32_t>(stations_.size()));
    Station& station = stations_.emplace_back(RandomStream(seed, name + " backoff"));
    station.source.emplace(RandomStream(seed, name + " source"), interval_while_on(parameters),
                           background.mean_on, background.on_share);
    station.ready = station.source->next();
  }
}

EthernetSegment::~EthernetSegment() = default;

Bytes EthernetSegment::largest_unit() const {
  return ethernet::largest_payload;
}

SimTime EthernetSegment::least_latency() const {
  return parameters_.rate.time_for(ethernet::on_wire(Bytes(0))) + parameters_.propagation;
}

void EthernetSegment::inject(const Unit& unit) {
  ethernet::require_payload(unit.size, ethernet::largest_payload);
  const auto number = static_cast<std::uint32_t>(unit.from);
  assert(unit.from != unit.to && number < place_in_active_.size());
  if (units_waiting_ == 0)
    while (!active_.empty() && next_round_settled() <= events_.now()) settle_round();

  ++units_waiting_;
  const Slot slot = store(unit);
  Station& station = stations_[number];
  if (station.first_frame != none) {
    frames_[station.last_frame].next = slot;
    station.last_frame = slot;
    return;
  }
  station.first_frame = station.last_frame = slot;
  station.ready = std::max(station.ready, events_.now());
  place_in_active_[number] = static_cast<std::uint32_t>(active_.size());
  active_.push_back(number);
  expect_next_round();
}

/// When the station may send again after what it heard last, if it hears nothing more.
SimTime EthernetSegment::gap_over(const Station& station) const {
  return station.took_part == round_ ? station.gap_over : common_gap_over_;
}

SimTime EthernetSegment::earliest_start(const Station& station) const {
  return std::max(station.ready, gap_over(station));
}

SimTime EthernetSegment::next_round_settled() const {
  SimTime first = SimTime::max() - parameters_.propagation;
  for (const std::uint32_t number : active_) first = std::min(first, earliest_start(stations_[number]));
  return first + parameters_.propagation;
}

// An injection may bring the next round forward; it never puts it off.
void EthernetSegment::expect_next_round() {
  if (units_waiting_ == 0) return;
  const SimTime at = next_round_settled();
  if (expecting_ && expected_ <= at) return;
  expecting_ = true;
  expected_ = at;
  events_.schedule(at, *this, event(round_settled, ++generation_));
}

// A carrier that comes in the instant in which a gap ends doesn't stop who waited for that end; it
// does stop who becomes ready only then.
void EthernetSegment::settle_round() {
  const SimTime heard_by_all = next_round_settled();
  attempts_.clear();
  for (const std::uint32_t number : active_) {
    const Station& station = stations_[number];
    const SimTime start = earliest_start(station);
    if (start < heard_by_all || (start == heard_by_all && station.ready < start))
      attempts_.push_back({number, start, start});
  }
  ++round_;
  if (attempts_.size() == 1)
    send_whole(attempts_.front());
  else
    collide();
}

void EthernetSegment::send_whole(Attempt attempt) {
  Station& station = stations_[attempt.station];
  const Bytes payload =
      station.source ? parameters_.background.frame : frames_[station.first_frame].unit.size;
  ++(station.source ? counters_.background_frames : counters_.frames);
  attempt.end = attempt.start + parameters_.rate.time_for(ethernet::on_wire(payload));
  common_gap_over_ = attempt.end + parameters_.propagation + gap_;
  count_busy(attempt.start, attempt.end);
  station.took_part = round_;
  station.gap_over = attempt.end + gap_;
  finish(attempt.station, attempt.end, true);
}

void EthernetSegment::collide() {
  ++counters_.collisions;
  // Each station is stopped by the first of the others, and hears the last of the others fall silent.
  SimTime first = SimTime::max(), second = SimTime::max();
  for (const Attempt& attempt : attempts_) {
    second = std::min(second, std::max(first, attempt.start));
    first = std::min(first, attempt.start);
  }
  const bool one_was_first = first < second;
  SimTime last_end, end_before_last;
  for (Attempt& attempt : attempts_) {
    const SimTime first_of_others = one_was_first && attempt.start == first ? second : first;
    const SimTime collision_heard = std::max(attempt.start, first_of_others + parameters_.propagation);
    attempt.end = std::max(attempt.start + preamble_, collision_heard) + jam_;
    end_before_last = std::max(end_before_last, std::min(last_end, attempt.end));
    last_end = std::max(last_end, attempt.end);
  }
  common_gap_over_ = last_end + parameters_.propagation + gap_;
  count_busy(first, last_end);
  const bool one_was_last = end_before_last < last_end;
  for (const Attempt& attempt : attempts_) {
    Station& station = stations_[attempt.station];
    const SimTime last_of_others = one_was_last && attempt.end == last_end ? end_before_last : last_end;
    station.took_part = round_;
    station.gap_over = std::max(attempt.end, last_of_others + parameters_.propagation) + gap_;
    if (++station.attempts == ethernet::attempt_limit) {
      ++counters_.given_up;
      finish(attempt.station, attempt.end, false);
    } else {
      const int exponent = std::min(station.attempts, ethernet::backoff_limit);
      const std::uint64_t slots = station.backoff.below(std::uint64_t{1} << exponent);
      station.ready = attempt.end + static_cast<std::int64_t>(slots) * slot_;
    }
  }
}

/// Rounds do not overlap; the propagation of one may reach into the gap before the next.
void EthernetSegment::count_busy(SimTime from, SimTime end) {
  busy_ += end + gap_ - std::max(from, busy_until_);
  busy_until_ = end + gap_;
}

/// The station is done with its first frame at `end`, for better or for worse.
void EthernetSegment::finish(std::uint32_t number, SimTime end, bool sent) {
  Station& station = stations_[number];
  station.attempts = 0;
  station.ready = end;
  if (station.source) {
    station.ready = std::max(end, station.source->next());
    return;
  }
  const Slot slot = station.first_frame;
  station.first_frame = frames_[slot].next;
  --units_waiting_;
  events_.schedule(end, *this, event(departure, slot));
  events_.schedule(sent ? end + parameters_.propagation : end, *this, event(sent ? delivery : loss, slot));
  if (station.first_frame != none) return;
  const std::uint32_t place = place_in_active_[number];
  active_[place] = active_.back();
  if (active_[place] < place_in_active_.size()) place_in_active_[active_[place]] = place;
  active_.pop_back();
}

void EthernetSegment::handle(std::uint64_t what) {
  const std::uint64_t number = what >> what_bits;
  const auto kind = static_cast<What>(what & ((1U << what_bits) - 1));
  if (kind == round_settled) {
    if (number != generation_) return;
    expecting_ = false;
    settle_round();
    expect_next_round();
    return;
  }
  const auto slot = static_cast<Slot>(number);
  const Unit unit = frames_[slot].unit;  // a copy: the listener may inject
  if (kind == departure) {
    listener_->unit_departed(unit.id, unit.from);
    return;
  }
  release(slot);
  if (kind == delivery)
    listener_->unit_delivered(unit.id, unit.to);
  else
    listener_->unit_lost(unit.id);
}

EthernetSegment::Slot EthernetSegment::store(const Unit& unit) {
  if (first_free_ == none) {
    frames_.push_back({unit, none});
    return static_cast<Slot>(frames_.size() - 1);
  }
  const Slot slot = first_free_;
  first_free_ = frames_[slot].next;
  frames_[slot] = {unit, none};
  return slot;
}

void EthernetSegment::release(Slot slot) {
  frames_[slot].next = first_free_;
  first_free_ = slot;
}

/// The segment is in use by a frame or a collision, and for a gap after it.
std::vector<CounterTable> EthernetSegment::counted(SimTime until) {
  if (units_waiting_ == 0)  // else the next round is an event
    while (!active_.empty() && next_round_settled() <= until) settle_round();
  const SimTime later = std::max(busy_until_, until) - until;
  CounterTable in_use = share_in_use(ResourceLoad::Place::shared, "the shared segment (network.rate)");
  if (until > SimTime())
    in_use.rows = {{std::int64_t{0}, (std::max(busy_, later) - later).seconds() / until.seconds()}};
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  return {{"Ethernet segment",
           {{"frames"},
            {"background frames"},
            {.name = "collisions", .trouble = true},
            {.name = "given up", .trouble = true}},
           {{count(counters_.frames), count(counters_.background_frames), count(counters_.collisions),
             count(counters_.given_up)}}},
          std::move(in_use)};
}

}  // namespace morgana
