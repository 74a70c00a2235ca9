#include "emulator/transport/overlay/overlay.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "emulator/core/end_of_time.h"

namespace morgana {
using namespace overlay;

namespace {

constexpr Bytes header_bytes{static_cast<std::int64_t>(header_octets)};

/// What comes to a server interrupts the processor of it that can begin first.
InterruptParameters interrupts_of(const OverlayParameters& parameters) {
  return {InterruptParameters::Handling::least_loaded, parameters.relay, 0};
}

}  // namespace

Overlay::Overlay(EventQueue& events, std::unique_ptr<Transport> hops, std::size_t stations,
                 const OverlayParameters& parameters)
    : events_(events),
      hops_(std::move(hops)),
      stations_(stations),
      parameters_((parameters.check(), parameters)),
      servers_(parameters.shape, parameters.servers(stations), parameters.arity),
      kernel_(events, parameters.processors, interrupts_of(parameters)),
      server_counters_(servers_.count()),
      channels_(stations,
                parameters.identifiers > 0 ? std::optional(parameters.identifiers - 1) : std::nullopt) {
  if (parameters_.servers_direct) join_servers();
  if (parameters_.set_up == OverlayParameters::SetUp::before_run) open_before_run();
}

Overlay::PairNumber Overlay::pair_between(HostId from, HostId to) {
  const auto [place, added] =
      pair_.try_emplace(index(from) * stations_ + index(to), static_cast<PairNumber>(pairs_.size()));
  if (added) {
    pairs_.push_back({});
    pairs_.back().from = from;
    pairs_.back().to = to;
    pairs_.back().servers = servers_between(from, to);
  }
  return place->second;
}

void Overlay::send(const Shipment& shipment) {
  assert(shipment.from != shipment.to && index(shipment.from) < stations_ && index(shipment.to) < stations_);
  const PairNumber number = pair_between(shipment.from, shipment.to);
  Pair& pair = pairs_[number];
  const bool direct = goes_directly(shipment.from, shipment.to);
  const std::int64_t room = parameters_.packet.count();
  const std::int64_t packets =
      direct ? 1 : std::max<std::int64_t>((shipment.bytes.count() + room - 1) / room, 1);
  const MessageSlot slot =
      messages_.take({shipment, number, packets, packets, ++serial_, {}, {}, {}, false, {}});
  pair.line.push_back(slot);
  ++pair.messages;
  pair.bytes += shipment.bytes.count();
  if (direct) return send_directly(slot);
  send_by_servers(slot, packets);
  ask_for_channel(pair.from, pair.to);
}

// VPI and VCI tell where it comes from. Its number is known, too: servers have told how many packets had gone
// before when they agreed on the channel.
void Overlay::send_directly(MessageSlot slot) {
  const Shipment& shipment = messages_[slot].shipment;
  Pair& pair = pairs_[messages_[slot].pair];
  ++pair.direct;
  const PacketHeader header{PacketType::end, Way::shorter, static_cast<std::uint32_t>(shipment.from),
                            static_cast<std::uint32_t>(shipment.to), pair.next_number++};
  channels_.between(shipment.from, shipment.to).used_last = events_.now();
  hop(packets_.take({slot, header, shipment.bytes, shipment.from, shipment.to, messages_[slot].serial, 0}));
}

void Overlay::send_by_servers(MessageSlot slot, std::int64_t packets) {
  const Shipment shipment = messages_[slot].shipment;
  Pair& pair = pairs_[messages_[slot].pair];
  pair.packets += packets;
  PacketHeader header{PacketType::data, Way::shorter, static_cast<std::uint32_t>(shipment.from),
                      static_cast<std::uint32_t>(shipment.to), 0};
  const bool both_ways = parameters_.routing == OverlayParameters::Routing::replicated;
  if (both_ways) messages_[slot].copies.assign(static_cast<std::size_t>(packets), 1);
  const std::uint64_t serial = messages_[slot].serial;
  Bytes rest = shipment.bytes;
  // The message may be told with the last packet, so that nothing of it is looked at behind that.
  for (std::int64_t place = 0; place < packets; ++place, rest -= parameters_.packet) {
    header.number = pair.next_number++;
    if (place + 1 == packets) header.type = PacketType::end;
    hop(packets_.take({slot, header, std::min(rest, parameters_.packet) + header_bytes, shipment.from,
                       server_of(shipment.from), serial, static_cast<std::size_t>(place)}));
  }
}

HostId Overlay::next_after(HostId at, const PacketHeader& header) const {
  const HostId destination{header.destination};
  const ServerNumber last = number_of_server(destination);
  if (!is_server(at)) return server_of(at);
  if (server_at(at) == last) return destination;
  if (!server_joined_.empty() && server_joined_[server_at(at)][last]) return host_of(last);
  return host_of(servers_.next(server_at(at), last, header.way));
}

std::int64_t Overlay::servers_between(HostId from, HostId to) const {
  PacketHeader header;
  header.destination = static_cast<std::uint32_t>(to);
  std::int64_t count = 0;
  for (HostId at = server_of(from); at != to; at = next_after(at, header)) ++count;
  return count;
}

void Overlay::hop(PacketSlot slot) {
  const Packet& packet = packets_[slot];
  hops_->send({{slot, this}, packet.at, packet.next, packet.bytes});
}

void Overlay::shipment_departed(MessageId id) {
  const Packet& packet = packets_[static_cast<PacketSlot>(id.number)];
  if (is_server(packet.at) || packet.message == none) return;
  if (packet.header.type == PacketType::returned) return;
  Message& message = messages_[packet.message];
  if (--message.in_station > 0) return;
  const MessageId whole = message.shipment.id;
  whole.listener->shipment_departed(whole);
}

void Overlay::shipment_delivered(MessageId id) {
  const auto slot = static_cast<PacketSlot>(id.number);
  if (!failed_.empty()) failed_.erase({packets_[slot].at, packets_[slot].next});
  if (is_server(packets_[slot].next)) return relay(slot);
  if (is_signalling(packets_[slot].header.type)) return signal_came(slot);
  if (!is_server(packets_[slot].at))
    channels_.between(packets_[slot].at, packets_[slot].next).used_last = events_.now();
  end_copy(slot, false, std::nullopt);
}

void Overlay::relay(PacketSlot slot) {
  const Packet& packet = packets_[slot];
  ServerCounters& counters = server_counters_[server_at(packet.next)];
  ++counters.packets;
  counters.bytes += packet.bytes.count();
  counters.most_waiting = std::max(counters.most_waiting, ++counters.waiting);
  const SimTime by_bytes = time_before_end(parameters_.relay_per_byte, packet.bytes);
  counters.busy += parameters_.relay + by_bytes;
  const std::size_t processor = kernel_.interrupt(packet.next).processor;
  events_.schedule(kernel_.work(packet.next, processor, by_bytes), *this, slot);
}

// A server has done its work on a packet, or a direct channel that was granted has been set up.
void Overlay::handle(std::uint64_t what) {
  const auto slot = static_cast<PacketSlot>(what);
  Packet& packet = packets_[slot];
  if (!is_server(packet.next)) {
    channels_.opened(channels_.between(packet.next, HostId{packet.header.origin}), events_.now());
    return packets_.give_back(slot);
  }
  --server_counters_[server_at(packet.next)].waiting;
  packet.at = packet.next;
  if (is_signalling(packet.header.type)) return signal_at_server(slot);
  send_on(slot);
}

/// A server sends a packet on; at the first one of a ring, a copy goes the other way if both ways are taken.
void Overlay::send_on(PacketSlot slot) {
  const Packet packet = packets_[slot];
  const ServerNumber here = server_at(packet.at);
  const bool first = packet.header.way == Way::shorter && packet.header.type <= PacketType::end &&
                     number_of_server(HostId{packet.header.origin}) == here &&
                     number_of_server(HostId{packet.header.destination}) != here && servers_.count() > 2;
  if (first && parameters_.routing == OverlayParameters::Routing::replicated) {
    ++messages_[packet.message].copies[packet.place];
    packets_[slot].header.way = Way::upwards;
    Packet copy = packet;
    copy.header.way = Way::downwards;
    copy.next = packet.at;
    ++server_counters_[here].copied;
    relay(packets_.take(copy));
  }
  if (parameters_.routing == OverlayParameters::Routing::alternative) goes_other_way(slot);
  Packet& own = packets_[slot];
  own.next = next_after(own.at, own.header);
  hop(slot);
}

/// One packet more of a message has come or will never come.
void Overlay::decide(MessageSlot slot) {
  Message& message = messages_[slot];
  if (--message.undecided > 0) return;
  const PairNumber number = message.pair;
  if (message.failed()) {
    Pair& pair = pairs_[number];
    ++pair.not_delivered;
    const Message ended = std::move(message);
    std::erase(pair.line, slot);
    messages_[slot].serial = 0;
    messages_.give_back(slot);
    how_lost_ = ended.why;
    const MessageId id = ended.shipment.id;
    if (ended.returned)
      id.listener->shipment_returned(id, *ended.returned);
    else
      id.listener->shipment_lost(id);
  }
  deliver(number);
}

/// Messages are told in the order in which they were sent.
void Overlay::deliver(PairNumber number) {
  Pair& pair = pairs_[number];
  while (!pair.line.empty() && messages_[pair.line.front()].undecided == 0) {
    const MessageId id = messages_[pair.line.front()].shipment.id;
    messages_[pair.line.front()].serial = 0;
    messages_.give_back(pair.line.front());
    pair.line.pop_front();
    id.listener->shipment_delivered(id);
  }
}

std::vector<CounterTable> Overlay::counted() const {
  CounterTable servers{"overlay servers",
                       {{"server"},
                        {"host"},
                        {"packets relayed"},
                        {"bytes relayed"},
                        {"copies sent"},
                        {"sent the other way"},
                        {"CPU time (us)"},
                        {"most packets at once"}},
                       {}};
  constexpr double us_per_s = 1e6;
  for (ServerNumber number = 0; number < servers_.count(); ++number) {
    const ServerCounters& server = server_counters_[number];
    servers.rows.push_back({std::int64_t{number}, static_cast<std::int64_t>(index(host_of(number))),
                            server.packets, server.bytes, server.copied, server.other_way,
                            server.busy.seconds() * us_per_s, server.most_waiting});
  }
  CounterTable connections{"overlay connections",
                           {{"connection"},
                            {"messages"},
                            {"directly"},
                            {"user bytes"},
                            {"packets relayed"},
                            {"servers crossed"},
                            {.name = "messages not delivered", .trouble = true}},
                           {}};
  for (const Pair& pair : pairs_)
    connections.rows.push_back(
        {"host " + std::to_string(index(pair.from)) + " to " + std::to_string(index(pair.to)), pair.messages,
         pair.direct, pair.bytes, pair.packets, pair.servers, pair.not_delivered});
  std::vector<CounterTable> tables{std::move(servers), std::move(connections), channels_.counted()};
  for (CounterTable& table : hops_->counted()) tables.push_back(std::move(table));
  return tables;
}

}  // namespace morgana
