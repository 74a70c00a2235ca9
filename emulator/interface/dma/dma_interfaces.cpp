#include "emulator/interface/dma/dma_interfaces.h"

#include <utility>

#include "emulator/core/event_number.h"

namespace morgana {

DmaInterfaces::DmaInterfaces(EventQueue& events, const IoBusParameters& bus, const DmaParameters& parameters,
                             std::unique_ptr<Network> network)
    : InterfaceNetwork(std::move(network)), bus_(events, bus), parameters_(parameters) {
  network_->report_to(*this);
}

void DmaInterfaces::transfer(PortId port, IoBus::Master master, Bytes size, Step then) {
  bus_.transfer(static_cast<HostId>(port), master, size, *this,
                EventNumber{static_cast<std::uint32_t>(then), static_cast<std::uint32_t>(port)}.packed());
}

void DmaInterfaces::inject(const Unit& unit) {
  at(unit.from).leaving.push_back(unit);
  bring_next(unit.from);
}

void DmaInterfaces::bring_next(PortId number) {
  Port& port = at(number);
  if (port.moves || port.leaving.empty() || port.held == parameters_.units) return;
  port.moves = true;
  ++port.held;
  const Bytes size = port.leaving.front().size;
  if (size <= parameters_.programmed)
    transfer(number, IoBus::Master::processor, size, Step::moved);
  else if (parameters_.descriptor > Bytes())
    transfer(number, IoBus::Master::processor, parameters_.descriptor, Step::described);
  else
    transfer(number, IoBus::Master::outgoing, size, Step::moved);
}

// The listener may inject at once, and so make ports_ grow.
void DmaInterfaces::transferred(std::uint64_t what) {
  const EventNumber event = EventNumber::unpacked(what);
  const auto number = static_cast<PortId>(event.which);
  Port& port = at(number);
  switch (static_cast<Step>(event.what)) {
    case Step::described:
      return transfer(number, IoBus::Master::outgoing, port.leaving.front().size, Step::moved);
    case Step::moved: {
      const Unit unit = port.leaving.front();
      port.leaving.pop_front();
      port.moves = false;
      under_way_[static_cast<std::uint64_t>(unit.id)] = unit.size;
      network_->inject(unit);
      bring_next(number);
      return listener_->unit_departed(unit.id, number);
    }
    case Step::arrived: {
      const UnitId unit = port.arriving.front();
      port.arriving.pop_front();
      return listener_->unit_delivered(unit, number);
    }
  }
}

void DmaInterfaces::unit_departed(UnitId, PortId from) {
  --at(from).held;
  bring_next(from);
}

void DmaInterfaces::unit_delivered(UnitId id, PortId to) {
  const auto unit = under_way_.find(static_cast<std::uint64_t>(id));
  const Bytes size = unit->second;
  under_way_.erase(unit);
  at(to).arriving.push_back(id);
  transfer(to, IoBus::Master::incoming, size, Step::arrived);
}

void DmaInterfaces::unit_lost(UnitId id) {
  under_way_.erase(static_cast<std::uint64_t>(id));
  listener_->unit_lost(id);
}

std::vector<CounterTable> DmaInterfaces::counted(SimTime until) {
  std::vector<CounterTable> tables = network_->counted(until);
  tables.push_back(bus_.counted());
  return tables;
}

}  // namespace morgana
