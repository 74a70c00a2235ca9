#include "emulator/network/cell_faults.h"

#include <cstdio>
#include <utility>

namespace morgana {

CellFaults::CellFaults(EventQueue& events, std::unique_ptr<CellNetwork> network,
                       std::vector<CellFault> faults)
    : events_(events), network_(std::move(network)), faults_(std::move(faults)) {
  static_cast<Network&>(*network_).report_to(*this);
}

ChannelId CellFaults::open(PortId from, PortId to, const TrafficContract& contract) {
  const ChannelId channel = network_->open(from, to, contract);
  const auto number = static_cast<std::size_t>(channel);
  if (channels_.size() <= number) channels_.resize(number + 1);
  channels_[number] = {from, to};
  return channel;
}

void CellFaults::report_to(ChannelId channel, UnitListener& listener) {
  channels_.at(static_cast<std::size_t>(channel)).listener = &listener;
}

void CellFaults::inject(const CellTrain& train) {
  const Ends& ends = channels_.at(static_cast<std::size_t>(train.channel));
  CellTrain own = train;
  own.id = UnitId{under_way_.take({train.id, ends.from, ends.to, ends.listener})};
  network_->inject(own);
}

void CellFaults::inject(const Unit& unit) {
  Unit own = unit;
  own.id = UnitId{under_way_.take({unit.id, unit.from, unit.to, nullptr})};
  network_->inject(own);
}

/// The first one that is on the way by now.
const CellFault* CellFaults::fault_on(PortId from, PortId to) const {
  const CellFault* first = nullptr;
  for (const CellFault& fault : faults_) {
    if (fault.when > events_.now() || (first != nullptr && first->when <= fault.when)) continue;
    const bool hit = fault.b ? (fault.a == from && *fault.b == to) || (fault.a == to && *fault.b == from)
                             : fault.a == from || fault.a == to;
    if (hit) first = &fault;
  }
  return first;
}

void CellFaults::unit_departed(UnitId slot, PortId from) {
  listener_of(at(slot)).unit_departed(at(slot).id, from);
}

void CellFaults::unit_delivered(UnitId slot, PortId to) {
  const UnderWay unit = at(slot);
  under_way_.give_back(static_cast<std::uint32_t>(slot));
  const CellFault* fault = fault_on(unit.from, unit.to);
  if (fault == nullptr) return listener_of(unit).unit_delivered(unit.id, to);
  char when[32];
  std::snprintf(when, sizeof when, "%.9f s", fault->when.seconds());
  how_lost_ = fault->what + " is dead since " + when;
  listener_of(unit).unit_lost(unit.id);
  how_lost_.clear();
}

void CellFaults::unit_lost(UnitId slot) {
  const UnderWay unit = at(slot);
  under_way_.give_back(static_cast<std::uint32_t>(slot));
  listener_of(unit).unit_lost(unit.id);
}

}  // namespace morgana
