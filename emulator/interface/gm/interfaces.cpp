#include "emulator/interface/gm/interfaces.h"

#include <algorithm>

namespace morgana::gm {

Interfaces::Interfaces(EventQueue& events, std::unique_ptr<MyrinetNetwork> network,
                       const Parameters& parameters)
    : InterfaceNetwork(std::move(network)), parameters_(parameters) {
  parameters.check();
  for (std::uint32_t host = 0; host < network_->hosts(); ++host) {
    programs_.push_back(std::make_unique<ControlProgram>(
        events, static_cast<NetworkSide&>(*this), static_cast<HostSide&>(*this), PortId{host}, parameters_));
  }
  network_->report_to(*this);
  network_->run_at_interfaces(*this);
}

void Interfaces::inject(const Unit& unit) {
  if (!parameters_.acknowledge) {
    const std::int64_t room = parameters_.largest_payload.count();
    const std::int64_t packets = std::max<std::int64_t>((unit.size.count() + room - 1) / room, 1);
    unacknowledged_.insert_or_assign(static_cast<std::uint64_t>(unit.id), Unacknowledged{packets, false, {}});
  }
  program(unit.from).post(unit.id, unit.to, unit.size);
}

/// A message has no greatest length, but simulated time an end: its packets take buses and processors at most
/// 2^60 ps, a quarter of that, one after the other.
Bytes Interfaces::largest_unit() const {
  constexpr std::int64_t longest = std::int64_t{1} << 60, handlers = 12;
  const Parameters& p = parameters_;
  const SimTime packet = 2 * p.lanai.bus_latency + p.lanai.bus_rate.time_for(p.largest_payload) +
                         p.lanai.rate_to_host().time_for(p.largest_payload) +
                         handlers * (p.dispatch + p.handler + p.type_test) * p.lanai.cycle;
  return std::min(network_->largest_unit(), longest / packet.ps() * p.largest_payload);
}

/// A message crosses both buses and the network, whatever the programs take.
SimTime Interfaces::least_latency() const {
  return network_->least_latency() + 2 * parameters_.lanai.bus_latency;
}

void Interfaces::send(const Packet& packet) {
  const UnitId id{under_way_.take(packet)};
  network_->inject({id, packet.from, packet.to, parameters_.header + packet.payload});
}

void Interfaces::unit_departed(UnitId id, PortId from) {
  program(from).departed(Packet(under_way_[static_cast<std::uint32_t>(id)]));
}

void Interfaces::unit_delivered(UnitId id, PortId to) {
  const auto slot = static_cast<std::uint32_t>(id);
  const Packet packet = under_way_[slot];
  under_way_.give_back(slot);
  program(to).received(packet);
}

void Interfaces::unit_lost(UnitId id) {
  const auto slot = static_cast<std::uint32_t>(id);
  const Packet packet = under_way_[slot];
  under_way_.give_back(slot);
  if (!parameters_.acknowledge) return settle(packet, true);
  if (packet.type == PacketType::acknowledgement) return note_loss(packet.to, packet.from);
  note_loss(packet.from, packet.to);
}

/// Formatting how a packet was lost takes time, and most losses are mended by the first repetition.
void Interfaces::note_loss(PortId from, PortId to) {
  if (!program(from).repeats(to)) return;
  program(from).note_loss(to, network_->how_lost());
  networks_remedy_ = network_->remedy();
}

/// A message without acknowledgements has its fate when all of its packets have theirs, the last of which
/// has departed then.
void Interfaces::settle(const Packet& packet, bool lost) {
  const auto place = unacknowledged_.find(static_cast<std::uint64_t>(packet.message));
  Unacknowledged& message = place->second;
  if (lost && !message.lost) {
    message.lost = true;
    message.how = network_->how_lost();
    networks_remedy_ = network_->remedy();
  }
  if (--message.packets_left > 0) return;
  const Unacknowledged settled = std::move(message);
  unacknowledged_.erase(place);
  if (!settled.lost) return listener_->unit_delivered(packet.message, packet.to);
  how_lost_ = settled.how;
  listener_->unit_lost(packet.message);
}

void Interfaces::early_received(PortId host, PacketAtInterface packet, ArrivalKind kind) {
  program(host).early_received(packet, kind);
}

void Interfaces::in_transit_received(PortId host, PacketAtInterface /*packet*/) {
  program(host).in_transit_received();
}

void Interfaces::in_transit_departed(PortId host, PacketAtInterface packet) {
  program(host).in_transit_departed(packet);
}

void Interfaces::message_departed(UnitId message, PortId from) {
  listener_->unit_departed(message, from);
}

/// Packets are accepted in order, so that all of a message has come with its last one.
void Interfaces::packet_received(const Packet& packet) {
  if (packet.type != PacketType::gm) return;
  if (!parameters_.acknowledge) return settle(packet, false);
  if (packet.completes_message) listener_->unit_delivered(packet.message, packet.to);
}

void Interfaces::message_returned(UnitId message, const std::string& how) {
  how_lost_ = how;
  listener_->unit_lost(message);
}

std::string Interfaces::remedy() const {
  const std::string own = parameters_.acknowledge
                              ? "interface.gm.tries says how often GM repeats before it gives up"
                              : "--set interface.gm.acknowledge=on repeats what is lost";
  return networks_remedy_.empty() ? own : own + "; " + networks_remedy_;
}

ControlProgramCounters Interfaces::counters() const {
  ControlProgramCounters all;
  for (const auto& one : programs_) all += one->counters();
  return all;
}

std::vector<CounterTable> Interfaces::counted(SimTime until) {
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  std::vector<CounterTable> tables = network_->counted(until);
  const ControlProgramCounters all = counters();
  tables.push_back({"GM",
                    {{"packets"},
                     {.name = "packets sent again", .trouble = true},
                     {"acknowledgements"},
                     {.name = "refusals", .trouble = true},
                     {.name = "timeouts", .trouble = true},
                     {.name = "given up", .trouble = true}},
                    {{count(all.packets), count(all.repeated), count(all.acknowledgements),
                      count(all.refusals), count(all.timeouts), count(all.given_up)}}});
  std::int64_t most = 0, sum = 0;
  for (const auto& one : programs_) {
    const std::int64_t cycles = one->processor().cycles();
    sum += cycles;
    most = std::max(most, cycles);
  }
  const SimTime busiest = most * parameters_.lanai.cycle;
  const double share = until > SimTime() ? busiest.seconds() / until.seconds() : 0;
  tables.push_back({"LANai processors",
                    {{"cycles"}, {"of the busiest"}, {"its share of the time", true}},
                    {{sum, most, share}}});
  return tables;
}

}  // namespace morgana::gm
