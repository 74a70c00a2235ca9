#include "emulator/interface/am2/interfaces.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace morgana::am2 {

Interfaces::Interfaces(EventQueue& events, std::unique_ptr<MyrinetNetwork> network,
                       const Parameters& parameters, std::uint64_t seed)
    : InterfaceNetwork(std::move(network)), parameters_(parameters) {
  parameters.check();
  for (std::uint32_t host = 0; host < network_->hosts(); ++host)
    firmware_.push_back(std::make_unique<Firmware>(events, static_cast<Surroundings&>(*this), PortId{host},
                                                   parameters_, seed));
  network_->report_to(*this);
}

std::int64_t Interfaces::packets_of(Bytes bytes) const {
  const std::int64_t room = parameters_.largest_payload.count();
  return std::max<std::int64_t>((bytes.count() + room - 1) / room, 1);
}

void Interfaces::address_next(const EndpointAddress& address) {
  assert(!next_);
  next_ = address;
}

void Interfaces::inject(const Unit& unit) {
  Message message;
  message.unit = unit;
  message.address = std::exchange(next_, std::nullopt).value_or(EndpointAddress());
  message.packets = packets_of(unit.size);
  const Ends ends = message.address.ends;
  const bool awaited = message.address.writer != nullptr;
  if (!ends.held) message.line = &line_of(unit, ends);
  std::deque<std::uint32_t>* const line = message.line;
  const std::uint32_t slot = messages_.take(std::move(message));
  if (line != nullptr) line->push_back(slot);
  firmware(unit.from).post(slot, unit.to, unit.size, ends, awaited);
}

std::size_t Interfaces::BetweenHash::operator()(const Between& pair) const {
  std::uint64_t mixed = 0;
  for (const std::uint32_t part :
       {static_cast<std::uint32_t>(pair.from), static_cast<std::uint32_t>(pair.to),
        static_cast<std::uint32_t>(pair.from_endpoint), static_cast<std::uint32_t>(pair.to_endpoint)}) {
    mixed = (mixed ^ part) * 0x9e3779b97f4a7c15;
    mixed ^= mixed >> 29;
  }
  return mixed;
}

/// A message has no greatest length, but simulated time an end: its packets take buses and processors at most
/// 2^60 ps, a quarter of that, one after the other.
Bytes Interfaces::largest_unit() const {
  constexpr std::int64_t longest = std::int64_t{1} << 60;
  const Parameters& p = parameters_;
  const std::int64_t cycles = 2 * p.message + p.completion + 2 * p.control + 2 * p.transfer + 8 * p.dispatch;
  const SimTime packet = 2 * p.lanai.bus_latency + p.lanai.bus_rate.time_for(p.largest_payload) +
                         p.lanai.rate_to_host().time_for(p.largest_payload) + cycles * p.lanai.cycle;
  return std::min(network_->largest_unit(), longest / packet.ps() * p.largest_payload);
}

/// A short message: serve, the network, and finish_receive.
SimTime Interfaces::least_latency() const {
  const Parameters& p = parameters_;
  return network_->least_latency() + 2 * (p.dispatch + p.message) * p.lanai.cycle;
}

void Interfaces::send(const Packet& packet) {
  const UnitId id{packets_.take(packet)};
  const Bytes size =
      packet.type == PacketType::data ? parameters_.header + packet.payload : parameters_.control_size;
  network_->inject({id, packet.from, packet.to, size});
}

void Interfaces::unit_departed(UnitId id, PortId from) {
  const Packet packet = packets_[static_cast<std::uint32_t>(id)];
  firmware(from).departed(packet);
  if (packet.type != PacketType::data || packet.again) return;
  Message& message = messages_[packet.message];
  if (++message.departed == message.packets) listener_->unit_departed(message.unit.id, from);
}

void Interfaces::unit_delivered(UnitId id, PortId to) {
  const auto slot = static_cast<std::uint32_t>(id);
  const Packet packet = packets_[slot];
  packets_.give_back(slot);
  firmware(to).received(packet);
}

/// Nobody learns of it. How the last copy was lost is kept, for a message that will be returned.
void Interfaces::unit_lost(UnitId id) {
  const auto slot = static_cast<std::uint32_t>(id);
  const Packet packet = packets_[slot];
  packets_.give_back(slot);
  networks_remedy_ = networks_remedy_.empty() ? network_->remedy() : networks_remedy_;
  if (packet.type == PacketType::data && packet.retries == parameters_.tries)
    messages_[packet.message].how = network_->how_lost();
}

/// Of a message of several packets the library takes out all but the one that completes it.
bool Interfaces::delivered(const Packet& packet) {
  const Message& message = messages_[packet.message];
  const bool held = packet.ends.held && !message.returned && message.settled + 1 == message.packets;
  settle(packet.message, 1);
  return held;
}

void Interfaces::undeliverable(const Packet& packet, std::int64_t unsent) {
  Message& message = messages_[packet.message];
  message.returned = true;
  settle(packet.message, 1 + unsent);
}

/// Some of a message's packets have their fate; with the last one, and after the messages before, it has its.
void Interfaces::settle(std::uint32_t slot, std::int64_t packets) {
  messages_[slot].settled += packets;
  const auto is_settled = [&](std::uint32_t one) { return messages_[one].settled == messages_[one].packets; };
  std::deque<std::uint32_t>* const line = messages_[slot].line;
  if (line == nullptr) {
    if (is_settled(slot)) finish(slot);
    return;
  }
  while (!line->empty() && is_settled(line->front())) {
    const std::uint32_t first = line->front();
    line->pop_front();
    finish(first);
  }
}

void Interfaces::finish(std::uint32_t slot) {
  const Message message = std::move(messages_[slot]);
  messages_.give_back(slot);
  if (!message.returned) return listener_->unit_delivered(message.unit.id, message.unit.to);
  how_lost_ = "returned after " + std::to_string(parameters_.tries) + " retransmissions without ACK or NACK" +
              (message.how.empty() ? "" : "; the last of them: " + message.how);
  listener_->unit_lost(message.unit.id);
}

std::string Interfaces::remedy() const {
  const std::string own =
      "interface.am2.tries says how often Active Messages II sends again before it returns a message";
  return networks_remedy_.empty() ? own : own + "; " + networks_remedy_;
}

FirmwareCounters Interfaces::counters() const {
  FirmwareCounters all;
  for (const auto& one : firmware_) all += one->counters();
  return all;
}

std::vector<CounterTable> Interfaces::counted(SimTime until) {
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  std::vector<CounterTable> tables = network_->counted(until);
  const FirmwareCounters all = counters();
  tables.push_back({"Active Messages II",
                    {{"packets"},
                     {.name = "packets sent again", .trouble = true},
                     {"ACKs"},
                     {.name = "NACKs", .trouble = true},
                     {.name = "duplicates", .trouble = true},
                     {.name = "packets returned", .trouble = true},
                     {"endpoints unloaded"},
                     {"page faults"}},
                    {{count(all.packets), count(all.repeated), count(all.acks), count(all.nacks),
                      count(all.duplicates), count(all.returned), count(all.unloads), count(all.faults)}}});
  std::int64_t most = 0, sum = 0;
  for (const auto& one : firmware_) {
    sum += one->processor().cycles();
    most = std::max(most, one->processor().cycles());
  }
  const SimTime busiest = most * parameters_.lanai.cycle;
  const double share = until > SimTime() ? busiest.seconds() / until.seconds() : 0;
  tables.push_back({"LANai processors",
                    {{"cycles"}, {"of the busiest"}, {"its share of the time", true}},
                    {{sum, most, share}}});
  return tables;
}

}  // namespace morgana::am2
