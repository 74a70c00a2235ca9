// Endpoints' way into frames of the interface's memory and out of them.
#include <algorithm>
#include <cassert>

#include "emulator/interface/am2/firmware.h"

namespace morgana::am2 {

bool Firmware::suspends(EndpointId endpoint) const {
  return residency(endpoint) != Residency::resident;
}

Residency Firmware::residency(EndpointId endpoint) const {
  const auto number = endpoint_numbers_.find(static_cast<std::uint32_t>(endpoint));
  if (number != endpoint_numbers_.end()) return endpoints_[number->second].residency;
  return frames_used_ < parameters_.frames ? Residency::resident : Residency::absent;
}

void Firmware::evict(EndpointId endpoint) {
  evict(this->endpoint(endpoint));
}

void Firmware::evict(Endpoint& endpoint) {
  if (endpoint.residency != Residency::resident) return;
  endpoint.residency = Residency::unloading;
  endpoint.wanted = false;
  unloading_.push_back(endpoint.number);
  unload_what_is_flushed();
}

/// No copy of a packet is in the interface or on its way out, no stale answer on its way in, and what has
/// been accepted is in the host's memory. Network and interfaces keep the order of packets, so that an answer
/// to the latest copy is the last one.
bool Firmware::is_flushed(const Endpoint& endpoint) const {
  if (endpoint.arriving > 0 || endpoint.copies > 0) return false;
  if (endpoint.outstanding == 0) return true;
  const auto answered = [&](const SendChannel& channel) {
    return !channel.in_use || channel.unacknowledged.ends.from != endpoint.id ||
           (channel.feedback && !channel.waits);
  };
  return std::all_of(peers_.begin(), peers_.end(), [&](const Peer& peer) {
    return peer.unacknowledged == 0 || std::all_of(peer.send.begin(), peer.send.end(), answered);
  });
}

void Firmware::unload_what_is_flushed() {
  const auto flushed = std::find_if(unloading_.begin(), unloading_.end(),
                                    [this](EndpointNumber number) { return is_flushed(endpoints_[number]); });
  if (flushed == unloading_.end()) return;
  Endpoint& endpoint = endpoints_[*flushed];
  unloading_.erase(flushed);
  unload(endpoint);
  unload_what_is_flushed();
}

void Firmware::unload(Endpoint& endpoint) {
  for (Peer& peer : peers_)
    for (SendChannel& channel : peer.send)
      if (channel.in_use && channel.unacknowledged.ends.from == endpoint.id) put_back(peer, channel);
  endpoint.residency = Residency::absent;
  --frames_used_;
  ++counters_.unloads;
  if (endpoint.wanted || endpoint.waiting > 0)
    want(endpoint);
  else
    give_frames();
}

/// It was not accepted, and no copy of it is under way: the sequence number is as good as unused.
void Firmware::put_back(Peer& peer, SendChannel& channel) {
  const Packet& packet = channel.unacknowledged;
  Endpoint& endpoint = this->endpoint(packet.ends.from);
  const PeerNumber number = peer.number;
  endpoint.queues.at(number).posted.push_front(
      {packet.message, packet.payload, Bytes(), packet.ends, 0, true});
  ++endpoint.waiting;
  release(peer, channel);
  list(endpoint.number, number);
}

/// There is something to send, or to receive.
void Firmware::want(Endpoint& endpoint) {
  endpoint.wanted = true;
  if (endpoint.residency != Residency::absent || endpoint.faults) return;
  endpoint.faults = true;
  faults_.push_back(endpoint.number);
  give_frames();
}

/// The segment driver serves one fault at a time. Where no frame is free, it waits until the endpoint that
/// has been used least recently is unloaded, of those that have had their frame for a while: a packet that
/// had an endpoint loaded was refused, and must find it when the scan sends it again. When its thread comes
/// to that is the kernel's affair: at random within the time that a load takes, as hosts that did all in step
/// could take each other's endpoints away for ever.
void Firmware::give_frames() {
  if (loading_ || faults_.empty()) return;
  if (frames_used_ == parameters_.frames) {
    if (!unloading_.empty() || taking_frame_) return;
    taking_frame_ = true;
    const std::int64_t longest = parameters_.load.ps();
    const SimTime delay =
        SimTime::from_ps(static_cast<std::int64_t>(driver_.below(static_cast<std::uint64_t>(longest))));
    return events_.schedule(events_.now() + delay, *this, frame_is_taken);
  }
  loading_ = faults_.front();
  faults_.pop_front();
  Endpoint& endpoint = endpoints_[*loading_];
  endpoint.faults = false;
  endpoint.residency = Residency::loading;
  ++frames_used_;
  events_.schedule(events_.now() + parameters_.load, *this, endpoint_is_loaded);
}

/// What was waited for may have come meanwhile, as endpoints are evicted for other reasons, too.
void Firmware::take_frame() {
  taking_frame_ = false;
  if (loading_ || faults_.empty()) return;  // loaded() comes back to give_frames()
  if (frames_used_ < parameters_.frames) return give_frames();
  if (!unloading_.empty()) return;
  Endpoint* least_recent = nullptr;
  SimTime first = SimTime::max();
  for (Endpoint& one : endpoints_) {
    if (one.residency != Residency::resident) continue;
    first = std::min(first, one.stays_until);
    if (one.stays_until <= events_.now() &&
        (least_recent == nullptr || one.last_use < least_recent->last_use))
      least_recent = &one;
  }
  if (least_recent != nullptr)
    return evict(*least_recent);  // comes back to give_frames() when it is unloaded
  taking_frame_ = true;
  events_.schedule(first, *this, frame_is_taken);
}

void Firmware::loaded() {
  Endpoint& endpoint = endpoints_[*loading_];
  loading_.reset();
  assert(endpoint.residency == Residency::loading);
  endpoint.residency = Residency::resident;
  endpoint.moved = false;
  endpoint.last_use = ++uses_;
  endpoint.stays_until = events_.now() + parameters_.residence;
  for (const std::uint32_t message : endpoint.faulting) {
    written_.push_back(message);
    events_.schedule(events_.now(), *this, message_is_written);
  }
  endpoint.faulting.clear();
  start_evictions();
  wake();
  give_frames();
}

/// At whole multiples of the time, while there is something to do.
void Firmware::start_evictions() {
  if (evictions_run_ || parameters_.evict_every == SimTime()) return;
  evictions_run_ = true;
  const std::int64_t period = parameters_.evict_every.ps();
  events_.schedule_upkeep((events_.now().ps() / period + 1) * parameters_.evict_every, *this,
                          eviction_is_due);
}

}  // namespace morgana::am2
