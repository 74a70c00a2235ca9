#include "emulator/interface/am2/firmware.h"

#include <cassert>
#include <string>
#include <utility>

namespace morgana::am2 {

FirmwareCounters& FirmwareCounters::operator+=(const FirmwareCounters& other) {
  packets += other.packets;
  repeated += other.repeated;
  acks += other.acks;
  nacks += other.nacks;
  duplicates += other.duplicates;
  returned += other.returned;
  unloads += other.unloads;
  faults += other.faults;
  return *this;
}

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
      frames_(events, parameters, static_cast<FrameUser&>(*this),
              RandomStream(seed, "am2 interface " + std::to_string(static_cast<std::uint32_t>(self)) +
                                     " segment driver")),
      queues_(parameters, static_cast<SendGate&>(*this)),
      channels_(parameters),
      buffers_(parameters, static_cast<ReceiveLink&>(*this)) {}

/// An endpoint that finds a frame free was loaded when it was made.
EndpointNumber Firmware::look_up(EndpointId id) {
  const auto [place, added] = endpoint_numbers_.try_emplace(static_cast<std::uint32_t>(id),
                                                            static_cast<EndpointNumber>(endpoints_.size()));
  if (added) {
    endpoints_.emplace_back().id = id;
    queues_.add();
    frames_.add();
  }
  return place->second;
}

Residency Firmware::residency(EndpointId endpoint) const {
  const auto number = endpoint_numbers_.find(static_cast<std::uint32_t>(endpoint));
  return number != endpoint_numbers_.end() ? frames_.residency(number->second) : frames_.residency_of_next();
}

FirmwareCounters Firmware::counters() const {
  FirmwareCounters all = counters_;
  all.unloads = frames_.unloads();
  return all;
}

bool Firmware::idle() const {
  for (EndpointNumber number = 0; number < endpoints_.size(); ++number)
    if (queues_.waiting(number) > 0 || endpoints_[number].arriving > 0) return false;
  return channels_.in_use() == 0 && ready_.empty() && !channels_.repeats() && controls_.empty() &&
         !fetching_ && send_buffers_used_ == 0 && received_.empty() && buffers_.empty();
}

void Firmware::post(std::uint32_t message, PortId to, Bytes bytes, const Ends& ends, bool awaited) {
  assert(to != self_);
  const EndpointNumber number = number_of(ends.from);
  queues_.post(number, channels_.number_of(to), {message, bytes, Bytes(), ends});
  if (awaited && frames_.is_resident(number)) {
    written_.push_back(message);
    events_.schedule(events_.now(), *this, message_is_written);
  } else if (awaited) {
    ++counters_.faults;
    endpoint(number).faulting.push_back(message);
  }
  frames_.want(number);
  frames_.start_evictions();
  wake();
}

void Firmware::departed(const Packet& packet) {
  sending_ = false;
  if (packet.type == PacketType::data) {
    processor_.raise(finish_send);
    left(packet);
  }
  if (!controls_.empty() || !ready_.empty()) processor_.raise(start_send);
  frames_.unload_what_is_flushed();
}

void Firmware::received(const Packet& packet) {
  received_.push_back(packet);
  frames_.start_evictions();
  buffers_.take(size_of(packet));
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
      return p.scan * static_cast<std::int64_t>(channels_.peers());
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
      return frames_.unload_what_is_flushed();
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
  return parameters_.is_short(payload) || (!fetching_ && send_buffers_used_ < parameters_.send_buffers);
}

bool Firmware::may_send(EndpointNumber endpoint, Bytes payload) const {
  return frames_.is_resident(endpoint) && has_room_for(payload);
}

bool Firmware::has_work() const {
  return channels_.has_repetition([this](Bytes payload) { return has_room_for(payload); }) ||
         queues_.has_work();
}

void Firmware::wake() {
  if (has_work()) processor_.raise(serve);
}

/// What is sent again goes before what is new.
void Firmware::serve_next() {
  if (const Packet* again =
          channels_.next_repetition([this](Bytes payload) { return has_room_for(payload); }))
    bring(*again);
  else if (const auto number = queues_.next())
    take(*number);
  wake();
}

void Firmware::take(EndpointNumber number) {
  const auto [peer, posted, payload] = queues_.take(number);
  Packet packet;
  packet.from = self_;
  packet.to = channels_.port_of(peer);
  packet.message = posted.message;
  packet.number = ++taken_;
  packet.payload = payload;
  packet.ends = posted.ends;
  packet.again = posted.again;
  channels_.occupy(peer, packet);
  frames_.use(number);
  ++endpoint(number).outstanding;
  if (!has_channel(peer)) queues_.list_all(peer);
  if (channels_.in_use() == 1) events_.hold();
  start_clock();
  queues_.list(number, peer);
  bring(packet);
}

/// A short message lies in the interface's memory; a longer one is fetched, each time that it is sent.
void Firmware::bring(const Packet& packet) {
  ++endpoint(number_of(packet.ends.from)).copies;
  if (parameters_.is_short(packet.payload)) {
    ready_.push_back(packet);
    return send_ready();
  }
  ++send_buffers_used_;
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
    SendChannel& channel = channels_.channel_of(packet);
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
  --endpoint(number_of(packet.ends.from)).copies;
  if (!parameters_.is_short(packet.payload)) --send_buffers_used_;
  wake();
  frames_.unload_what_is_flushed();
}

}  // namespace morgana::am2
