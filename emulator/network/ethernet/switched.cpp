#include "emulator/network/ethernet/switched.h"

#include <algorithm>
#include <cassert>

#include "emulator/network/ethernet/frame.h"

namespace morgana {
namespace {

// What an event is about stands in the lowest bits, the frame's slot above them.
enum What : std::uint64_t { departure, delivery, loss };
constexpr unsigned what_bits = 2;

std::uint64_t event(What what, std::uint32_t slot) {
  return std::uint64_t{slot} << what_bits | what;
}

}  // namespace

SwitchedEthernet::SwitchedEthernet(EventQueue& events, std::size_t ports,
                                   const SwitchedEthernetParameters& parameters)
    : events_(events),
      parameters_(parameters),
      gap_(parameters.rate.time_for(ethernet::interframe_gap)),
      ports_(ports) {}

SwitchedEthernet::~SwitchedEthernet() = default;

Bytes SwitchedEthernet::largest_unit() const {
  return parameters_.largest_payload;
}

SimTime SwitchedEthernet::least_latency() const {
  return 2 * parameters_.rate.time_for(ethernet::on_wire(Bytes(0))) + 2 * parameters_.propagation +
         parameters_.forwarding;
}

void SwitchedEthernet::inject(const Unit& unit) {
  ethernet::require_payload(unit.size, parameters_.largest_payload);
  assert(unit.from != unit.to && static_cast<std::size_t>(unit.to) < ports_.size());
  const Slot slot = store(unit);
  SimTime& link_free = ports_[static_cast<std::size_t>(unit.from)].link_free;
  const SimTime departed = std::max(events_.now(), link_free) + frames_[slot].wire;
  link_free = departed + gap_;
  events_.schedule(departed, *this, event(departure, slot));
}

// Departures happen in order of time, and from a departure to the output's queue it is equally far for all:
// so frames reach an output in the order of their departures, and its future can be settled here.
void SwitchedEthernet::depart(Slot slot) {
  const Frame& frame = frames_[slot];
  Port& output = ports_[static_cast<std::size_t>(frame.unit.to)];
  const SimTime offered = events_.now() + parameters_.propagation + parameters_.forwarding;
  if (parameters_.buffer_frames > 0) {
    while (!output.leaving.empty() && output.leaving.front() <= offered) output.leaving.pop_front();
    if (static_cast<std::int64_t>(output.leaving.size()) >= parameters_.buffer_frames) {
      events_.schedule(offered, *this, event(loss, slot));
      return;
    }
  }
  const SimTime left = std::max(offered, output.output_free) + frame.wire;
  output.output_free = left + gap_;
  if (parameters_.buffer_frames > 0) output.leaving.push_back(left);
  events_.schedule(left + parameters_.propagation, *this, event(delivery, slot));
}

void SwitchedEthernet::handle(std::uint64_t what) {
  const auto slot = static_cast<Slot>(what >> what_bits);
  const Unit unit = frames_[slot].unit;  // a copy: the listener may inject
  switch (static_cast<What>(what & ((1U << what_bits) - 1))) {
    case departure:
      depart(slot);
      listener_->unit_departed(unit.id, unit.from);
      break;
    case delivery:
      release(slot);
      listener_->unit_delivered(unit.id, unit.to);
      break;
    case loss:
      release(slot);
      listener_->unit_lost(unit.id);
      break;
  }
}

SwitchedEthernet::Slot SwitchedEthernet::store(const Unit& unit) {
  const SimTime wire = parameters_.rate.time_for(ethernet::on_wire(unit.size));
  if (first_free_ == none) {
    frames_.push_back({unit, wire, none});
    return static_cast<Slot>(frames_.size() - 1);
  }
  const Slot slot = first_free_;
  first_free_ = frames_[slot].next_free;
  frames_[slot] = {unit, wire, none};
  return slot;
}

void SwitchedEthernet::release(Slot slot) {
  frames_[slot].next_free = first_free_;
  first_free_ = slot;
}

}  // namespace morgana
