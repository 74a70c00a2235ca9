#include "emulator/network/logp/logp_network.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace morgana {
namespace {

// What an event is about stands in the lowest bits, the slot or the interface above them.
enum What : std::uint64_t { departure, delivery, departure_and_delivery, next_start };
constexpr unsigned what_bits = 2;

std::uint64_t event(What what, std::uint32_t number) {
  return std::uint64_t{number} << what_bits | what;
}

}  // namespace

LogpNetwork::LogpNetwork(EventQueue& events, std::size_t ports, const LogpParameters& parameters)
    : events_(events), parameters_(parameters), interfaces_(ports) {}

Bytes LogpNetwork::largest_unit() const {
  return Bytes(std::numeric_limits<std::int64_t>::max());
}

void LogpNetwork::inject(const Unit& unit) {
  assert(unit.from != unit.to && static_cast<std::size_t>(unit.to) < interfaces_.size());
  const auto from = static_cast<std::uint32_t>(unit.from);
  Interface& interface = interfaces_[from];
  const Slot slot = store(unit);
  if (interface.first_waiting != none) {
    messages_[interface.last_waiting].next = slot;
    interface.last_waiting = slot;
  } else if (interface.sending_free > events_.now()) {
    interface.first_waiting = interface.last_waiting = slot;
    events_.schedule(interface.sending_free, *this, event(next_start, from));
  } else {
    start(slot);
  }
}

LogpNetwork::Slot LogpNetwork::store(const Unit& unit) {
  if (first_free_ == none) {
    messages_.push_back({unit, none});
    return static_cast<Slot>(messages_.size() - 1);
  }
  const Slot slot = first_free_;
  first_free_ = messages_[slot].next;
  messages_[slot] = {unit, none};
  return slot;
}

// Starts happen in order of time, and L is the same for all: so messages reach a receiving interface in the
// order of their starts, and its future can be settled here.
void LogpNetwork::start(Slot slot) {
  const Unit& unit = messages_[slot].unit;
  const SimTime now = events_.now();
  const SimTime transfer =
      parameters_.gap_per_byte.time_for(Bytes(std::max<std::int64_t>(unit.size.count(), 1) - 1));
  interfaces_[static_cast<std::size_t>(unit.from)].sending_free = now + parameters_.gap + transfer;

  SimTime& receiving_free = interfaces_[static_cast<std::size_t>(unit.to)].receiving_free;
  const SimTime received_from = std::max(now + parameters_.latency, receiving_free);
  receiving_free = received_from + parameters_.gap + transfer;

  if (received_from == now) {
    events_.schedule(now + transfer, *this, event(departure_and_delivery, slot));
  } else {
    events_.schedule(now + transfer, *this, event(departure, slot));
    events_.schedule(received_from + transfer, *this, event(delivery, slot));
  }
}

void LogpNetwork::start_next(Interface& interface) {
  const Slot slot = interface.first_waiting;
  interface.first_waiting = messages_[slot].next;
  start(slot);
  if (interface.first_waiting != none)
    events_.schedule(interface.sending_free, *this,
                     event(next_start, static_cast<std::uint32_t>(messages_[slot].unit.from)));
}

void LogpNetwork::handle(std::uint64_t what) {
  const auto number = static_cast<std::uint32_t>(what >> what_bits);
  const auto kind = static_cast<What>(what & ((1U << what_bits) - 1));
  if (kind == next_start) {
    start_next(interfaces_[number]);
    return;
  }
  const Unit unit = messages_[number].unit;  // a copy: the listener may inject
  if (kind != delivery) listener_->unit_departed(unit.id, unit.from);
  if (kind == departure) return;
  messages_[number].next = first_free_;
  first_free_ = number;
  listener_->unit_delivered(unit.id, unit.to);
}

}  // namespace morgana
