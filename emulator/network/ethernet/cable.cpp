#include "emulator/network/ethernet/cable.h"

#include <algorithm>
#include <string>

#include "emulator/core/error.h"
#include "emulator/core/resource_load.h"

namespace morgana {
namespace {

// What an event is about: the end in the lowest bit, whether a frame has come there above it.
constexpr std::uint64_t cable_departure = 0, cable_delivery = 2;

}  // namespace

EthernetCable::EthernetCable(EventQueue& events, std::size_t ports, const EthernetCableParameters& parameters)
    : events_(events), parameters_(parameters) {
  if (ports > 2)
    throw Error("an Ethernet cable has two ends, not " + std::to_string(ports) +
                ": join more hosts by a switch (network.kind = \"ethernet-switched\")");
}

SimTime EthernetCable::least_latency() const {
  return parameters_.rate.time_for(ethernet::on_wire(Bytes(0))) + parameters_.propagation;
}

void EthernetCable::inject(const Unit& unit) {
  ethernet::require_payload(unit.size, parameters_.largest_payload);
  const auto number = static_cast<std::size_t>(unit.from);
  End& end = ends_[number];
  const SimTime start = std::max(end.free, events_.now());
  const SimTime left = start + parameters_.rate.time_for(ethernet::on_wire(unit.size));
  end.free = left + parameters_.rate.time_for(ethernet::interframe_gap);
  end.taken += end.free - start;
  end.waiting.push_back(unit);
  events_.schedule(left, *this, cable_departure | number);
}

void EthernetCable::handle(std::uint64_t what) {
  const auto number = static_cast<std::size_t>(what & 1U);
  End& end = ends_[number];
  if ((what & cable_delivery) != 0) {
    const Unit unit = end.sent.front();
    end.sent.pop_front();
    return listener_->unit_delivered(unit.id, unit.to);
  }
  const Unit unit = end.waiting.front();
  end.waiting.pop_front();
  end.sent.push_back(unit);
  ++end.frames;
  events_.schedule(events_.now() + parameters_.propagation, *this, cable_delivery | number);
  listener_->unit_departed(unit.id, unit.from);
}

/// What has been handed over by then is all that is on the wire, but for what goes on after it.
double EthernetCable::utilisation(const End& end, SimTime until) const {
  if (until <= SimTime()) return 0;
  const SimTime ahead = std::max(end.free, until) - until;
  return static_cast<double>((end.taken - ahead).ps()) / static_cast<double>(until.ps());
}

std::vector<CounterTable> EthernetCable::counted(SimTime until) {
  CounterTable table{"cable", {{"from host"}, {"frames"}, {"utilisation", true}}, {}};
  for (std::size_t number = 0; number < ends_.size(); ++number)
    table.rows.push_back(
        {static_cast<std::int64_t>(number), ends_[number].frames, utilisation(ends_[number], until)});
  return {table};
}

}  // namespace morgana
