#include "emulator/interface/am2/firmware.h"

#include <algorithm>
#include <cassert>
#include <string>

namespace morgana::am2 {

Firmware::Firmware(EventQueue& events, Surroundings& surroundings, PortId self, const Parameters& parameters,
                   std::uint64_t seed)
    : parameters_(parameters),
      events_(events),
      surroundings_(surroundings),
      self_(self),
      processor_(events, *this, parameters.lanai.cycle, parameters.dispatch, DispatchOrder::in_turn),
      bus_(parameters.lanai.bus_latency, parameters.lanai.bus_rate, parameters.lanai.rate_to_host()),
      from_host_(events, bus_, processor_, finish_fetch, BusDirection::from_host),
      to_host_(events, bus_, processor_, finish_deliver, BusDirection::to_host),
      driver_(seed, "am2 interface " + std::to_string(static_cast<std::uint32_t>(self)) + " segment driver") {
}

void Firmware::post(std::uint32_t message, PortId to, Bytes bytes, const Ends& ends, bool awaited) {
  assert(to != self_);
  const PeerNumber peer = number_of(to);
  const EndpointNumber number = number_of(ends.from);
  Endpoint& endpoint = endpoints_[number];
  const auto [queue, first] = endpoint.queues.try_emplace(peer);
  if (first) peers_[peer].senders.push_back(number);
  queue->second.posted.push_back({message, bytes, Bytes(), ends, ++endpoint.posts});
  ++endpoint.waiting;
  if (awaited && endpoint.residency == Residency::resident) {
    written_.push_back(message);
    events_.schedule(events_.now(), *this, message_is_written);
  } else if (awaited) {
    ++counters_.faults;
    endpoint.faulting.push_back(message);
  }
  list(number, peer);
  want(endpoint);
  start_evictions();
  wake();
}

void Firmware::departed(const Packet& packet) {
  sending_ = false;
  if (packet.type == PacketType::data) {
    processor_.raise(finish_send);
    left(packet);
  }
  if (!controls_.empty() || !ready_.empty()) processor_.raise(start_send);
  unload_what_is_flushed();
}

void Firmware::received(const Packet& packet) {
  received_.push_back(packet);
  held_ += room_of(packet);
  start_evictions();
  stop_or_start_link();
  processor_.raise(finish_receive);
}

std::int64_t Firmware::begin(unsigned event) {
  const Parameters& p = parameters_;
  switch (static_cast<Event>(event)) {
    case finish_receive:
      return received_.front().type == PacketType::data ? p.message : p.control;
    case start_send:
      makes_control_ = !sending_ && !controls_.empty();
      return makes_control_ ? p.control : 0;
    case serve:
      serves_ = has_work();
      return serves_ ? p.message : 0;
    case finish_send:
      return p.completion;
    case finish_fetch:
    case finish_deliver:
      return p.transfer;
    case scan:
      return p.scan * static_cast<std::int64_t>(peers_.size());
  }
  return 0;
}

void Firmware::end(unsigned event) {
  switch (static_cast<Event>(event)) {
    case finish_receive:
      return take_in();
    case finish_deliver: {
      const Packet packet = *std::exchange(delivering_, std::nullopt);
      arrived(packet);
      deliver_next();
      return unload_what_is_flushed();
    }
    case start_send:
      return makes_control_ ? send_control() : send_ready();
    case finish_fetch:
      ready_.push_back(*std::exchange(fetching_, std::nullopt));
      wake();
      return send_ready();
    case serve:
      return serves_ ? serve_next() : wake();
    case finish_send:
      return;
    case scan:
      return scan_tables();
  }
}

bool Firmware::has_room_for(Bytes payload) const {
  return is_short(payload) || (!fetching_ && buffers_used_ < parameters_.send_buffers);
}

Bytes Firmware::next_payload(const Posted& posted) const {
  return std::min(parameters_.largest_payload, posted.bytes - posted.taken);
}

bool Firmware::may_serve(const Endpoint& endpoint) const {
  if (endpoint.residency != Residency::resident || endpoint.sendable.empty()) return false;
  return has_room_for(next_payload(endpoint.sendable.begin()->queue->posted.front()));
}

/// Notes whether the endpoint's first message for the peer can be sent. An endpoint stands in line while it
/// has such a one.
void Firmware::list(EndpointNumber number, PeerNumber peer) {
  Endpoint& endpoint = endpoints_[number];
  Endpoint::ToPeer& queue = endpoint.queues.at(peer);
  std::optional<std::uint64_t> order;
  if (!queue.posted.empty() && has_channel(peers_[peer])) order = queue.posted.front().order;
  if (order == queue.listed) return;
  if (queue.listed && order) {
    auto place = endpoint.sendable.extract({*queue.listed, peer});
    place.value().order = *order;
    endpoint.sendable.insert(std::move(place));
  } else if (order) {
    endpoint.sendable.insert({*order, peer, &queue});
  } else {
    endpoint.sendable.erase({*queue.listed, peer});
  }
  queue.listed = order;
  if (endpoint.in_line || endpoint.sendable.empty()) return;
  endpoint.in_line = true;
  line_.push_back(number);
}

void Firmware::list_all(PeerNumber peer) {
  for (const EndpointNumber sender : peers_[peer].senders) list(sender, peer);
}

bool Firmware::has_work() const {
  return std::any_of(again_.begin(), again_.end(),
                     [this](const auto& place) {
                       const SendChannel& channel = peers_[place.first].send[place.second];
                       return has_room_for(channel.unacknowledged.payload);
                     }) ||
         std::any_of(line_.begin(), line_.end(),
                     [this](EndpointNumber number) { return may_serve(endpoints_[number]); });
}

void Firmware::wake() {
  if (has_work()) processor_.raise(serve);
}

void Firmware::serve_next() {
  if (!serve_again())
    for (std::size_t looked = line_.size() + 1; looked > 0 && !line_.empty(); --looked) {
      const EndpointNumber number = line_.front();
      Endpoint& endpoint = endpoints_[number];
      if (visit_ < parameters_.loiter && may_serve(endpoint)) {
        ++visit_;
        take(endpoint);
        break;
      }
      visit_ = 0;
      line_.pop_front();
      endpoint.in_line = !endpoint.sendable.empty();
      if (endpoint.in_line) line_.push_back(number);
    }
  wake();
}

/// What is sent again goes before what is new. An ACK may have come since the scan.
bool Firmware::serve_again() {
  for (auto place = again_.begin(); place != again_.end();) {
    SendChannel& channel = peers_[place->first].send[place->second];
    if (channel.in_use && channel.waits) {
      if (!has_room_for(channel.unacknowledged.payload)) {
        ++place;
        continue;
      }
      again_.erase(place);
      bring(channel.unacknowledged);
      return true;
    }
    place = again_.erase(place);
  }
  return false;
}

void Firmware::take(Endpoint& endpoint) {
  const PeerNumber number = endpoint.sendable.begin()->peer;
  Peer& peer = peers_[number];
  Endpoint::ToPeer& queue = *endpoint.sendable.begin()->queue;
  Posted& posted = queue.posted.front();
  const auto channel =
      std::find_if(peer.send.begin(), peer.send.end(), [](const SendChannel& one) { return !one.in_use; });
  assert(channel != peer.send.end());
  Packet packet;
  packet.from = self_;
  packet.to = peer.port;
  packet.channel = static_cast<std::uint32_t>(channel - peer.send.begin());
  packet.sequence = channel->next_sequence;
  packet.session = channel->session;
  packet.message = posted.message;
  packet.number = ++taken_;
  packet.payload = next_payload(posted);
  packet.ends = posted.ends;
  packet.again = posted.again;
  posted.taken = posted.taken + packet.payload;
  if (posted.taken == posted.bytes) {
    queue.posted.pop_front();
    --endpoint.waiting;
  }
  channel->in_use = channel->waits = true;
  channel->retries = 0;
  channel->feedback = false;
  channel->unacknowledged = packet;
  endpoint.last_use = ++uses_;
  occupy(peer, endpoint);
  list(endpoint.number, number);
  bring(packet);
}

/// A short message lies in the interface's memory; a longer one is fetched, each time that it is sent.
void Firmware::bring(const Packet& packet) {
  ++endpoint(packet.ends.from).copies;
  if (is_short(packet.payload)) {
    ready_.push_back(packet);
    return send_ready();
  }
  ++buffers_used_;
  fetching_ = packet;
  from_host_.start(packet.payload);
}

void Firmware::send_control() {
  const Packet control = controls_.front();
  controls_.pop_front();
  ++(control.type == PacketType::ack ? counters_.acks : counters_.nacks);
  sending_ = true;
  surroundings_.send(control);
}

/// A repetition whose ACK has come while it was on its way is dropped: behind the channel's next packet it
/// would be taken for the one after that. Its sequence number does not tell, as the channel may have come to
/// the same one again while a long packet was being fetched.
void Firmware::send_ready() {
  while (!sending_ && !ready_.empty()) {
    Packet packet = ready_.front();
    ready_.pop_front();
    SendChannel& channel = peer(packet.to).send[packet.channel];
    if (!channel.in_use || channel.unacknowledged.number != packet.number) {
      left(packet);
      continue;
    }
    packet.timestamp = channel.unacknowledged.timestamp = events_.now();
    channel.waits = channel.feedback = false;
    ++(packet.again ? counters_.repeated : counters_.packets);
    sending_ = true;
    surroundings_.send(packet);
  }
}

/// It is no longer in the interface.
void Firmware::left(const Packet& packet) {
  --endpoint(packet.ends.from).copies;
  if (!is_short(packet.payload)) --buffers_used_;
  wake();
  unload_what_is_flushed();
}

}  // namespace morgana::am2
