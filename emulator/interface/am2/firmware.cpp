#include "emulator/interface/am2/firmware.h"

#include <algorithm>
#include <cassert>

namespace morgana::am2 {

Firmware::Firmware(EventQueue& events, Surroundings& surroundings, PortId self, const Parameters& parameters)
    : parameters_(parameters),
      events_(events),
      surroundings_(surroundings),
      self_(self),
      processor_(events, *this, parameters.lanai.cycle, parameters.dispatch, DispatchOrder::in_turn),
      bus_(parameters.lanai.bus_latency, parameters.lanai.bus_rate, parameters.lanai.rate_to_host()),
      from_host_(events, bus_, processor_, finish_fetch, BusDirection::from_host),
      to_host_(events, bus_, processor_, finish_deliver, BusDirection::to_host) {}

void Firmware::post(std::uint32_t message, PortId to, Bytes bytes) {
  assert(to != self_);
  const PeerNumber number = number_of(to);
  peers_[number].queue.push_back({message, bytes, Bytes()});
  want();
  start_evictions();
  proceed(peers_[number], number);
}

void Firmware::departed(const Packet& packet) {
  sending_ = false;
  if (packet.type == PacketType::data) {
    if (!is_short(packet.payload)) --buffers_used_;
    processor_.raise(finish_send);
    wake();
  }
  if (!controls_.empty() || !ready_.empty()) processor_.raise(start_send);
  unload_if_flushed();
}

void Firmware::received(const Packet& packet) {
  received_.push_back(packet);
  start_evictions();
  if (received_.size() == receive_buffers()) surroundings_.stop_link(self_, true);
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
      --queued_;
      moved_ = true;
      surroundings_.delivered(packet);
      deliver_next();
      return unload_if_flushed();
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

bool Firmware::may_serve(const Peer& peer) const {
  return residency_ == Residency::resident && !peer.queue.empty() &&
         peer.unacknowledged < parameters_.channels && has_room_for(next_payload(peer.queue.front()));
}

/// A peer stands in line while it has something to send and a free channel.
void Firmware::proceed(Peer& peer, PeerNumber number) {
  if (!peer.in_line && !peer.queue.empty() && peer.unacknowledged < parameters_.channels) {
    peer.in_line = true;
    line_.push_back(number);
  }
  wake();
}

bool Firmware::has_work() const {
  return std::any_of(again_.begin(), again_.end(),
                     [this](const auto& place) {
                       const SendChannel& channel = peers_[place.first].send[place.second];
                       return has_room_for(channel.unacknowledged.payload);
                     }) ||
         std::any_of(line_.begin(), line_.end(),
                     [this](PeerNumber number) { return may_serve(peers_[number]); });
}

void Firmware::wake() {
  if (has_work()) processor_.raise(serve);
}

void Firmware::serve_next() {
  if (!serve_again())
    for (std::size_t looked = line_.size() + 1; looked > 0 && !line_.empty(); --looked) {
      const PeerNumber number = line_.front();
      Peer& peer = peers_[number];
      if (visit_ < parameters_.loiter && may_serve(peer)) {
        ++visit_;
        take(peer);
        break;
      }
      visit_ = 0;
      line_.pop_front();
      peer.in_line = !peer.queue.empty() && peer.unacknowledged < parameters_.channels;
      if (peer.in_line) line_.push_back(number);
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

void Firmware::take(Peer& peer) {
  Posted& posted = peer.queue.front();
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
  packet.payload = next_payload(posted);
  packet.again = posted.again;
  posted.taken = posted.taken + packet.payload;
  if (posted.taken == posted.bytes) peer.queue.pop_front();
  channel->in_use = channel->waits = true;
  channel->retries = 0;
  channel->feedback = false;
  channel->unacknowledged = packet;
  occupy(peer);
  bring(packet);
}

/// A short message lies in the interface's memory; a longer one is fetched, each time that it is sent.
void Firmware::bring(const Packet& packet) {
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

void Firmware::send_ready() {
  if (sending_ || ready_.empty()) return;
  Packet packet = ready_.front();
  ready_.pop_front();
  packet.timestamp = events_.now();
  SendChannel& channel = peer(packet.to).send[packet.channel];
  const bool current =
      channel.in_use && channel.session == packet.session && channel.next_sequence == packet.sequence;
  if (current) {  // else an ACK has come while a repetition was on its way
    channel.waits = channel.feedback = false;
    channel.unacknowledged.timestamp = packet.timestamp;
  }
  ++(packet.again ? counters_.repeated : counters_.packets);
  sending_ = true;
  surroundings_.send(packet);
}

}  // namespace morgana::am2
