#include "emulator/network/smp/shared_bus.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "emulator/core/end_of_time.h"
#include "emulator/core/error.h"
#include "emulator/core/resource_load.h"

namespace morgana {
namespace {

// The kind of an event is its lowest bits; the message's slot, or the generation, above them.
enum What : std::uint64_t { copy_ends, departure, delivery };
constexpr unsigned what_bits = 2;

std::uint64_t event(What what, std::uint64_t number) {
  return number << what_bits | what;
}

void require(bool right, const char* what) {
  if (!right) throw Error(std::string("shared bus: ") + what);
}

smp::LineCosts costs_of(const SharedBusParameters& parameters) {
  require(parameters.cycle > SimTime(), "the bus's cycle must be more than 0");
  require(parameters.width.count() > 0 && parameters.line.count() > 0,
          "the width of the bus and the length of a line must be more than 0 bytes");
  require(parameters.work >= SimTime(), "the work on a line must not be negative");
  const std::int64_t occupancy = line_occupancy(parameters);
  require(parameters.miss >= occupancy, "a miss can't take fewer cycles than its line occupies the bus");
  const __int128 miss = __int128{parameters.miss} * parameters.cycle.ps();
  const SimTime line = time_before_end(miss + parameters.work.ps());
  return {parameters.cycle, occupancy * parameters.cycle, line - parameters.work, parameters.work};
}

}  // namespace

std::int64_t line_occupancy(const SharedBusParameters& parameters) {
  const std::int64_t width = parameters.width.count();
  const std::int64_t line = parameters.line.count();
  return line / width + (line % width != 0 ? 1 : 0) + parameters.turnaround;
}

SharedBus::SharedBus(EventQueue& events, std::size_t ports, const SharedBusParameters& parameters)
    : events_(events),
      parameters_(parameters),
      costs_(costs_of(parameters)),
      traffic_(costs_),
      copies_(ports) {}

Bytes SharedBus::largest_unit() const {
  return Bytes(std::numeric_limits<std::int64_t>::max());
}

SimTime SharedBus::least_latency() const {
  return 2 * (costs_.miss + costs_.work);
}

void SharedBus::inject(const Unit& unit) {
  assert(unit.from != unit.to && static_cast<std::size_t>(unit.to) < copies_.size());
  settle();
  wait_for_processor(static_cast<std::uint32_t>(unit.from), {store(unit), false});
  expect_next_end();
}

void SharedBus::handle(std::uint64_t what) {
  const std::uint64_t number = what >> what_bits;
  const auto kind = static_cast<What>(what & ((1U << what_bits) - 1));
  if (kind == copy_ends) {
    if (number != generation_) return;
    settle();
    expect_next_end();
    return;
  }
  const auto slot = static_cast<Slot>(number);
  const Unit unit = messages_[slot].unit;  // a copy: the listener may inject
  if (kind == departure) {
    listener_->unit_departed(unit.id, unit.from);
    return;
  }
  messages_[slot].next_free = first_free_;
  first_free_ = slot;
  listener_->unit_delivered(unit.id, unit.to);
}

/// Brings the bus up to the present: copies that end now have ended, what is granted now is still open.
void SharedBus::settle() {
  const SimTime now = events_.now();
  for (;;) {
    traffic_.grant_before(now);
    const std::vector<std::uint32_t> ended = traffic_.take_ended(now);
    if (ended.empty()) return;
    for (const std::uint32_t processor : ended) follow(processor);
  }
}

/// A copy has ended just now: its end is always expected.
void SharedBus::follow(std::uint32_t processor) {
  std::deque<Copy>& copies = copies_[processor];
  const Copy ended = copies.front();
  copies.pop_front();
  busy_ += lines_of(ended.message) * costs_.occupancy;
  events_.schedule(events_.now(), *this, event(ended.out ? delivery : departure, ended.message));
  if (!copies.empty()) begin_first(processor);
  if (!ended.out) {
    wait_for_processor(static_cast<std::uint32_t>(messages_[ended.message].unit.to), {ended.message, true});
  }
}

void SharedBus::wait_for_processor(std::uint32_t processor, Copy copy) {
  copies_[processor].push_back(copy);
  if (copies_[processor].size() == 1) begin_first(processor);
}

void SharedBus::begin_first(std::uint32_t processor) {
  traffic_.begin(processor, lines_of(copies_[processor].front().message), events_.now());
}

std::vector<CounterTable> SharedBus::counted(SimTime until) {
  CounterTable in_use = share_in_use(ResourceLoad::Place::shared, "the processors' bus (network.cycle)");
  if (until > SimTime()) in_use.rows = {{std::int64_t{0}, busy_.seconds() / until.seconds()}};
  return {in_use};
}

/// A unit that is injected before then makes the expectation void.
void SharedBus::expect_next_end() {
  ++generation_;
  if (traffic_.idle()) return;
  smp::BusTraffic ahead = traffic_;
  ahead.grant_before(SimTime::max());
  events_.schedule(ahead.next_end(), *this, event(copy_ends, generation_));
}

std::int64_t SharedBus::lines_of(Slot message) const {
  const std::int64_t bytes = std::max<std::int64_t>(messages_[message].unit.size.count(), 1);
  const std::int64_t line = parameters_.line.count();
  return bytes / line + (bytes % line != 0 ? 1 : 0);
}

SharedBus::Slot SharedBus::store(const Unit& unit) {
  if (first_free_ == none) {
    messages_.push_back({unit, none});
    return static_cast<Slot>(messages_.size() - 1);
  }
  const Slot slot = first_free_;
  first_free_ = messages_[slot].next_free;
  messages_[slot] = {unit, none};
  return slot;
}

}  // namespace morgana
