#include "emulator/network/fabric/fabric_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "emulator/core/error.h"
#include "emulator/network/fabric/check.h"

namespace morgana {

using fabric::Packet;

namespace {

/// The network, if the parameters are valid for it.
const CabledGraph& checked(const CabledGraph& network, const fabric::FabricParameters& parameters,
                           const fabric::VirtualChannels& channels) {
  fabric::require_valid(network, parameters, channels);
  return network;
}

bool always_chooses_the_same(const Routing& routing) {
  return !routing.chooses_by_load() && !routing.looks_at_other_switches() && !routing.spreads_flowlets();
}

template <typename Property>
bool any_of(const SwitchTables& tables, Property property) {
  for (std::size_t n = 0; n < tables.count(); ++n)
    if (property(tables.routing(n))) return true;
  return false;
}

}  // namespace

FabricNetwork::FabricNetwork(EventQueue& events, CabledGraph network,
                             const fabric::FabricParameters& parameters, SwitchTables tables,
                             const NetworkFaults& faults)
    : events_(events),
      network_(std::move(network)),
      parameters_(parameters),
      tables_(std::move(tables)),
      outages_(network_.graph, faults),
      channels_{tables_.virtual_channels(), parameters.classes, parameters.lanes},
      links_(checked(network_, parameters_, channels_), parameters_, channels_),
      core_{parameters_,
            network_,
            network_.graph,
            tables_,
            any_of(tables_, [](const Routing& routing) { return routing.looks_at_other_switches(); }),
            tables_.count() == 1 && always_chooses_the_same(tables_.routing(0)),
            channels_,
            links_,
            packets_,
            telemetry_,
            *this},
      spoils_(outages_.any() || parameters.bit_error_rate > 0),
      dropped_(network_.graph.channels() * channels_.count()) {
  const SwitchGraph& graph = network_.graph;
  switches_.reserve(graph.switches());
  for (SwitchId at = 0; at < graph.switches(); ++at) switches_.emplace_back(core_, at);
  hosts_.reserve(graph.hosts());
  for (HostNumber host = 0; host < graph.hosts(); ++host) hosts_.emplace_back(core_, host);
  switch_looks_.resize(graph.switches());
  host_looks_.resize(graph.hosts());
  least_latency_ = find_least_latency();
  for (const SimTime change : outages_.changes())
    if (change > events_.now()) events_.schedule_upkeep(change, *this, event(outage, 0));
  for (const fabric::PauseStorm& each : parameters_.storms)
    events_.schedule_upkeep(each.from, *this, event(storm, each.host));
  take_down();
}

FabricNetwork::~FabricNetwork() = default;

NetworkCapabilities FabricNetwork::capabilities() const {
  using Order = NetworkCapabilities::Order;
  const bool ways_part = parameters_.lanes > 1 || any_of(tables_, [](const Routing& routing) {
                           return !routing.keeps_flows_together();
                         });
  const Order with_one_way = tables_.count() > 1 ? Order::but_for_outages : Order::of_port_pair;
  const bool never_full =
      parameters_.flow_control == fabric::FlowControl::credits ||
      (parameters_.flow_control == fabric::FlowControl::pause && parameters_.shared.headroom == Bytes(0)) ||
      (parameters_.flow_control == fabric::FlowControl::none && parameters_.output_queue == Bytes(0) &&
       parameters_.output_packets == 0 && parameters_.shared.size == Bytes(0));
  return {
      .order = ways_part ? Order::none : with_one_way,
      .traffic_classes = parameters_.classes,
      .lossless = never_full && !outages_.any() && parameters_.bit_error_rate == 0 && !parameters_.watches(),
      .fails = outages_.any() || !parameters_.storms.empty()};
}

/// Between two hosts at one switch, each of which has the fastest and shortest cable.
SimTime FabricNetwork::find_least_latency() const {
  if (network_.hosts.empty()) return {};
  SimTime wire = SimTime::max(), propagation = SimTime::max();
  for (const Link& link : network_.hosts) {
    wire = std::min(wire, link.rate.time_for(parameters_.packet.on_link(Bytes(0))));
    propagation = std::min(propagation, link.propagation);
  }
  const bool stores = parameters_.forwarding == fabric::Forwarding::store_and_forward;
  return parameters_.injection_latency + 2 * propagation + parameters_.latency + (stores ? 2 : 1) * wire +
         parameters_.delivery_latency;
}

void FabricNetwork::inject(const Unit& unit) {
  if (unit.size > parameters_.packet.largest) {
    throw Error(fmt::format("fabric: a unit of {} bytes is larger than the largest packet's payload of {}",
                            unit.size.count(), parameters_.packet.largest.count()));
  }
  assert(unit.from != unit.to && static_cast<std::size_t>(unit.to) < network_.graph.hosts());
  assert(unit.traffic_class < parameters_.classes);
  take_down();  // what fails at this instant fails before anything starts
  const Slot slot = packets_.take();
  Packet& packet = packets_[slot];
  packet.id = unit.id;
  packet.from = unit.from;
  packet.to = unit.to;
  packet.entropy = unit.entropy;
  packet.telemetry_ports = unit.telemetry_ports;
  packet.may_be_trimmed = unit.may_be_trimmed;
  packet.number = injected_++;
  packet.size = parameters_.packet.on_link(unit.size);
  packet.units = static_cast<std::uint32_t>((packet.size.count() + parameters_.credit_unit.count() - 1) /
                                            parameters_.credit_unit.count());
  packet.note = 0;
  packet.corrupt = packet.marked = false;
  packet.trimmed = Trimmed::no;
  packet.hops = 0;
  packet.tables = 0;
  if (unit.telemetry_ports > 0) telemetry_[packet.records = telemetry_.take()].clear();
  packet.traffic_class = unit.traffic_class;
  packet.group = static_cast<std::uint8_t>(channels_.group_of(unit.traffic_class, 0));
  const auto host = static_cast<HostNumber>(unit.from);
  hosts_[host].queue(slot, events_.now());
  // With one class the order of injection decides, with several all that is injected at the same time.
  const SimTime may_start = events_.now() + parameters_.injection_latency;
  if (parameters_.classes == 1 && may_start == events_.now())
    look_now(host);
  else
    look_at_host_at(host, may_start);
}

void FabricNetwork::look_now(HostNumber host) {
  if (const SimTime next = hosts_[host].look(events_.now()); next != SimTime::max())
    look_at_host_at(host, next);
}

void FabricNetwork::look_at(SwitchId at, SimTime when) {
  if (switch_looks_[at].add(when)) events_.schedule(when, *this, event(look_at_switch, at));
}

void FabricNetwork::look_at_host_at(HostNumber host, SimTime when) {
  if (!host_looks_[host].add(when)) return;
  if (parameters_.classes == 1)
    events_.schedule(when, *this, event(look_at_host, host));
  else
    events_.schedule_late(when, *this, event(look_at_host, host));
}

void FabricNetwork::started(Slot slot, CableChannel channel, unsigned virtual_channel, SimTime now,
                            SimTime left, bool frees) {
  Packet& packet = packets_[slot];
  if (frees) space_free(packet, left);
  if (observer_ != nullptr)
    observer_->started(packet.number, channel, static_cast<VirtualChannel>(virtual_channel), now);
  if (network_.graph.sent_by_host(channel)) events_.schedule(left, *this, event(departure, slot));
  packet.came_by = channel;
  packet.came_on = static_cast<VirtualChannel>(virtual_channel);
  const Neighbour& to = links_.to(channel);
  const SimTime propagation = links_.propagation(channel), head = now + propagation,
                tail = left + propagation;
  if (spoils_) packet.corrupt = packet.corrupt || is_spoilt(packet, channel, now, tail);
  if (to.is_host()) {
    const SimTime out = hosts_[to.id].receive(packet.size, head, tail);
    space_free(packet, out);
    if (packet.corrupt) return lost(slot, fabric::Loss::corrupt, channel, out);
    events_.schedule(out + parameters_.delivery_latency, *this, event(delivery, slot));
    return;
  }
  packet.input = to.port;
  packet.tail_ready = tail + parameters_.latency;
  const SimTime ready = parameters_.forwarding == fabric::Forwarding::store_and_forward
                            ? packet.tail_ready
                            : head + parameters_.latency;
  switches_[to.id].arrive(slot, ready);
  look_at(to.id, ready);
}

void FabricNetwork::space_free(const Packet& packet, SimTime at) {
  if (!links_.has_credits()) return;
  const SimTime known = links_.give_back(packet.came_by, packet.came_on, packet.units, at);
  if (parameters_.loads.is_late() && !network_.graph.sent_by_host(packet.came_by)) {
    const SwitchPort sender = network_.graph.sending_port(packet.came_by);
    switches_[sender.at].credits_come(sender.port, known, packet.units);
  }
  sender_may_be_allowed(packet.came_by, known);
}

void FabricNetwork::pause_told(CableChannel channel, fabric::GroupSet paused, SimTime effect) {
  const SwitchGraph& graph = network_.graph;
  if (graph.sent_by_host(channel)) return sender_may_be_allowed(channel, effect);
  const SwitchPort sender = graph.sending_port(channel);
  if (switches_[sender.at].pause_told(sender.port, paused, effect)) look_at(sender.at, effect);
}

/// From then on the channel has more credits, or is not paused any more.
void FabricNetwork::sender_may_be_allowed(CableChannel channel, SimTime at) {
  if (!links_.stalls(channel)) return;
  const SwitchGraph& graph = network_.graph;
  if (graph.sent_by_host(channel)) {
    const HostNumber host = graph.sending_host(channel);
    if (hosts_[host].allowance_known(at)) look_at_host_at(host, at);
  } else {
    const SwitchPort sender = graph.sending_port(channel);
    if (switches_[sender.at].allowance_known(sender.port, at)) look_at(sender.at, at);
  }
}

void FabricNetwork::lost(Slot slot, fabric::Loss why, CableChannel output, SimTime gone) {
  Packet& packet = packets_[slot];
  packet.came_by = output;
  packet.why = why;
  if (network_.graph.sent_by_host(output)) events_.schedule(gone, *this, event(departure, slot));
  events_.schedule(gone, *this, event(loss, slot));
}

/// Whether a packet that starts on the channel now is not as it was when its tail arrives.
bool FabricNetwork::is_spoilt(const Packet& packet, CableChannel channel, SimTime now, SimTime tail) const {
  return outages_.next_down(channel, now) < tail ||
         fabric::has_bit_error(parameters_.bit_error_rate, packet.size, packet.number, channel);
}

/// The channels whose state is another one from now on.
void FabricNetwork::take_down() {
  const std::vector<SimTime>& changes = outages_.changes();
  if (next_change_ == changes.size() || changes[next_change_] > events_.now()) return;
  while (next_change_ < changes.size() && changes[next_change_] <= events_.now()) ++next_change_;
  const SwitchGraph& graph = network_.graph;
  for (CableChannel channel = 0; channel < links_.size(); ++channel) {
    const bool down = outages_.is_down(channel, events_.now());
    if (down == links_.is_down(channel)) continue;
    if (graph.sent_by_host(channel)) {
      const HostNumber host = graph.sending_host(channel);
      hosts_[host].set_down(down, events_.now());
      look_at_host_at(host, events_.now());
    } else {
      const SwitchPort output = graph.sending_port(channel);
      switches_[output.at].set_down(output.port, down, events_.now());
      look_at(output.at, events_.now());
    }
  }
}

void FabricNetwork::depart(Slot slot) {
  const UnitId id = packets_[slot].id;
  const PortId from = packets_[slot].from;
  listener_->unit_departed(id, from);  // which may inject
}

void FabricNetwork::deliver(Slot slot) {
  const Packet& packet = packets_[slot];
  const UnitId id = packet.id;
  const PortId to = packet.to;
  delivered_marked_ = packet.marked;
  delivered_hops_ = packet.hops;
  delivered_trimmed_ = packet.trimmed;
  delivered_telemetry_.clear();
  if (packet.telemetry_ports > 0) delivered_telemetry_.swap(telemetry_[packet.records]);
  give_back(slot);
  listener_->unit_delivered(id, to);  // which may inject
}

void FabricNetwork::give_back(Slot slot) {
  if (packets_[slot].telemetry_ports > 0) telemetry_.give_back(packets_[slot].records);
  packets_.give_back(slot);
}

void FabricNetwork::handle(std::uint64_t what) {
  const auto number = static_cast<std::uint32_t>(what >> what_bits);
  switch (static_cast<What>(what & ((1U << what_bits) - 1))) {
    case departure:
      return depart(number);
    case delivery:
      return deliver(number);
    case loss: {
      const Packet& packet = packets_[number];
      const UnitId id = packet.id;
      lost_ = Lost{packet.why, packet.came_by, events_.now(), static_cast<HostNumber>(packet.to)};
      switch (packet.why) {
        case fabric::Loss::no_way:
          ++without_way_;
          break;
        case fabric::Loss::queue_full:
          ++dropped_[packet.came_by * channels_.count() + channels_.first_of(packet.group)];
          break;
        case fabric::Loss::cable_down:
          ++before_dead_cables_;
          break;
        case fabric::Loss::corrupt:
          ++corrupt_;
          break;
        case fabric::Loss::given_up:
          ++given_up_;
          break;
      }
      give_back(number);
      return listener_->unit_lost(id);
    }
    case look_at_switch: {
      switch_looks_[number].take();
      const SimTime next = switches_[number].look(events_.now());
      if (next != SimTime::max()) look_at(number, next);
      return;
    }
    case outage:
      events_.upkeep_handled();
      return take_down();
    case storm:
      events_.upkeep_handled();
      return look_at_host_at(number, events_.now());  // once all that is injected at this instant is there
    case look_at_host:
      host_looks_[number].take();
      return look_now(number);
  }
}

}  // namespace morgana
