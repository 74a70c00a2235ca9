#include "emulator/network/ethernet/switched.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>

#include "emulator/core/error.h"
#include "emulator/network/ethernet/frame.h"
#include "emulator/topology/switch_plan.h"

namespace morgana {
namespace {

CabledGraph around_one_switch(std::size_t hosts, const SwitchedEthernetParameters& parameters) {
  const std::vector<SwitchId> at(hosts, 0);
  return CabledGraph::uniform(topology::graph_of(topology::chain(1), at),
                              {parameters.rate, parameters.propagation});
}

/// All at the same distance from the only switch.
bool equally_far(const CabledGraph& network) {
  return network.graph.switches() == 1 && network.graph.cables().empty() &&
         std::all_of(network.hosts.begin(), network.hosts.end(),
                     [&](const Link& link) { return link.propagation == network.hosts.front().propagation; });
}

SwitchTables tables_of(const CabledGraph& network, const SwitchedEthernetParameters& parameters,
                       const NetworkFaults& faults) {
  const std::size_t switches = network.graph.switches();
  const SwitchId root = parameters.routes.root;
  if (root >= switches) {
    throw Error("switched Ethernet: there is no switch " + std::to_string(root) +
                " to be the spanning tree's root, only " + std::to_string(switches) + " numbered from 0");
  }
  return {network, parameters.routes, faults, parameters.convergence};
}

}  // namespace

SwitchedEthernet::SwitchedEthernet(EventQueue& events, CabledGraph network,
                                   const SwitchedEthernetParameters& parameters, SwitchTables tables,
                                   const NetworkFaults& faults)
    : events_(events),
      network_(std::move(network)),
      parameters_(parameters),
      tables_(std::move(tables)),
      by_load_(tables_.routing(0).chooses_by_load()),
      settled_at_departure_(equally_far(network_) && !by_load_),
      faults_(!faults.empty()) {
  const SwitchGraph& graph = network_.graph;
  const std::vector<Link> links = network_.links();
  const std::vector<SimTime> death = times_of_death(graph, faults);
  ports_.resize(graph.channels());
  first_host_ = graph.channel_from(HostNumber{0});
  for (CableChannel channel = 0; channel < ports_.size(); ++channel) {
    Port& port = ports_[channel];
    port.rate = links[channel].rate;
    port.gap = port.rate.time_for(ethernet::interframe_gap);
    port.propagation = links[channel].propagation;
    port.dead_from = death[channel];
    port.to = graph.receiver(channel);
  }
  const std::size_t outputs = graph.channels() - graph.hosts();
  if (parameters_.buffer_frames > 0) leaving_.resize(outputs);
  if (!settled_at_departure_) offers_.resize(by_load_ ? graph.switches() : outputs);
  if (settled_at_departure_ && !faults_) {
    for (HostNumber host = 0; host < graph.hosts(); ++host)
      output_to_.push_back(graph.channel_from(graph.port_of(host)));
  }
  find_least_latency();
}

SwitchedEthernet::SwitchedEthernet(EventQueue& events, const CabledGraph& network,
                                   const SwitchedEthernetParameters& parameters, const NetworkFaults& faults)
    : SwitchedEthernet(events, network, parameters, tables_of(network, parameters, faults), faults) {}

SwitchedEthernet::SwitchedEthernet(EventQueue& events, const CabledGraph& network,
                                   const SwitchedEthernetParameters& parameters,
                                   std::shared_ptr<const Routing> routing)
    : SwitchedEthernet(events, network, parameters, {network, std::move(routing)}, {}) {}

SwitchedEthernet::SwitchedEthernet(EventQueue& events, std::size_t ports,
                                   const SwitchedEthernetParameters& parameters)
    : SwitchedEthernet(events, around_one_switch(ports, parameters), parameters) {}

SwitchedEthernet::~SwitchedEthernet() = default;

Bytes SwitchedEthernet::largest_unit() const {
  return parameters_.largest_payload;
}

/// Between two hosts on the same switch, each of which has the fastest and shortest link.
void SwitchedEthernet::find_least_latency() {
  if (network_.hosts.empty()) return;
  SimTime link = SimTime::max();
  for (const Link& one : network_.hosts)
    link = std::min(link, one.rate.time_for(ethernet::on_wire(Bytes(0))) + one.propagation);
  least_latency_ = 2 * link + parameters_.forwarding;
}

/// Takes a port from `start` on for a frame. @return when its last bit leaves
inline SimTime SwitchedEthernet::send(Port& port, const Unit& unit, SimTime start) {
  const Bytes payload = unit.size;
  if (port.timed != payload) {
    port.timed = payload;
    port.wire = port.rate.time_for(ethernet::on_wire(payload));
  }
  const SimTime left = start + port.wire;
  const SimTime free = left + port.gap;
  port.free = free;
  port.taken += free - start;
  ++port.frames;
  if (!followed_.empty() && are_both(followed_, unit)) port.followed = true;
  return left;
}

/// Puts a frame at the end of an output's queue. @return when its last bit leaves; nothing if it is lost
std::optional<SimTime> SwitchedEthernet::queue(Slot slot, CableChannel output, SimTime offered) {
  Port& port = ports_[output];
  std::deque<SimTime>* const leaving = leaving_.empty() ? nullptr : &leaving_[output];
  if (leaving != nullptr) {
    while (!leaving->empty() && leaving->front() <= offered) leaving->pop_front();
    if (static_cast<std::int64_t>(leaving->size()) >= parameters_.buffer_frames) {
      ++port.lost;
      lose(slot, Loss::buffer_full, output, offered);
      return std::nullopt;
    }
  }
  SimTime start = offered;
  if (port.free > offered) {
    start = port.free;
    const SimTime wait = start - offered;
    port.waited += wait;
    port.longest_wait = std::max(port.longest_wait, wait);
  } else if (start > events_.now()) {
    std::erase_if(port.pauses, [&](const Pause& pause) { return pause.end <= events_.now(); });
    if (start > port.free) port.pauses.push_back({port.free, start});
  }
  const SimTime left = send(port, frames_[slot].unit, start);
  if (leaving != nullptr) leaving->push_back(left);
  return left;
}

void SwitchedEthernet::inject(const Unit& unit) {
  ethernet::require_payload(unit.size, parameters_.largest_payload);
  assert(unit.from != unit.to && static_cast<std::size_t>(unit.to) < network_.graph.hosts());
  Port& own = ports_[channel_of(unit.from)];
  const SimTime left = send(own, unit, std::max(events_.now(), own.free));
  events_.schedule(left, *this, event(departure, store(unit)));
}

/// The host's link has taken the last bit. Around one switch all frames have it equally far from there to
/// their outputs, so that these see them in the order of their departures: an output's future is settled now.
void SwitchedEthernet::depart(Slot slot) {
  const Unit& unit = frames_[slot].unit;
  const UnitId id = unit.id;
  const PortId from = unit.from;
  const CableChannel own = channel_of(from);
  if (output_to_.empty()) {
    carry(slot, own, events_.now());
  } else {
    const CableChannel output = output_to_[static_cast<std::size_t>(unit.to)];
    const SimTime offered = events_.now() + ports_[own].propagation + parameters_.forwarding;
    if (const auto left = queue(slot, output, offered))
      events_.schedule(*left + ports_[output].propagation, *this, event(delivery, slot));
  }
  listener_->unit_departed(id, from);  // which may inject
}

/// From the end of its transmission to whatever the channel leads to.
void SwitchedEthernet::carry(Slot slot, CableChannel channel, SimTime left) {
  const Port& port = ports_[channel];
  frames_[slot].at = channel;
  const SimTime arrived = left + port.propagation;
  if (arrived > port.dead_from)
    lose(slot, Loss::dead_cable, channel, arrived);
  else if (port.to.is_host())
    events_.schedule(arrived, *this, event(delivery, slot));
  else
    forward(slot, port.to.id, arrived + parameters_.forwarding);
}

void SwitchedEthernet::lose(Slot slot, Loss why, CableChannel at, SimTime when) {
  frames_[slot].why = why;
  frames_[slot].at = at;
  events_.schedule(when, *this, event(loss, slot));
}

void SwitchedEthernet::report_loss(Slot slot) {
  lost_ = frames_[slot];
  lost_at_ = events_.now();
  lost_on_dead_cables_ += lost_.why == Loss::dead_cable;
  lost_without_way_ += lost_.why == Loss::no_way;
  lost_with_their_way_ += lost_.why == Loss::way_changed;
  release(slot);
  listener_->unit_lost(lost_.unit.id);
}

void SwitchedEthernet::handle(std::uint64_t what) {
  const auto number = static_cast<std::uint32_t>(what >> what_bits);
  switch (static_cast<What>(what & ((1U << what_bits) - 1))) {
    case departure:
      return depart(number);
    case delivery: {
      const Unit& unit = frames_[number].unit;
      const UnitId id = unit.id;
      const PortId to = unit.to;
      release(number);
      return listener_->unit_delivered(id, to);  // which may inject
    }
    case loss:
      return report_loss(number);
    case offered_to_output:
      return take_at_output(number);
    case offered_to_switch:
      return take_at_switch(number);
  }
}

SwitchedEthernet::Slot SwitchedEthernet::store(const Unit& unit) {
  Slot slot = first_free_;
  if (slot == none) {
    slot = static_cast<Slot>(frames_.size());
    frames_.emplace_back();
  } else {
    first_free_ = frames_[slot].next_free;
  }
  // The rest is written where it is first needed.
  frames_[slot].unit = unit;
  frames_[slot].number = injected_++;
  return slot;
}

void SwitchedEthernet::release(Slot slot) {
  frames_[slot].next_free = first_free_;
  first_free_ = slot;
}

}  // namespace morgana
