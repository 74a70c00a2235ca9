// The endpoint's way out of the interface's memory and back.
#include <algorithm>
#include <cassert>

#include "emulator/interface/am2/firmware.h"

namespace morgana::am2 {

void Firmware::evict() {
  if (residency_ != Residency::resident) return;
  residency_ = Residency::unloading;
  wanted_ = false;
  unload_if_flushed();
}

/// No copy of a packet is in the interface or on its way out, no stale answer on its way in, and what has
/// been accepted is in the host's memory. Network and interfaces keep the order of packets, so that an answer
/// to the latest copy is the last one.
bool Firmware::is_flushed() const {
  const auto answered = [](const SendChannel& channel) {
    return !channel.in_use || (channel.feedback && !channel.waits);
  };
  return queued_ == 0 && !fetching_ && ready_.empty() && !sending_ &&
         std::all_of(peers_.begin(), peers_.end(), [&](const Peer& peer) {
           return std::all_of(peer.send.begin(), peer.send.end(), answered);
         });
}

void Firmware::unload_if_flushed() {
  if (residency_ != Residency::unloading || !is_flushed()) return;
  bool has_messages = wanted_;
  for (Peer& peer : peers_) {
    for (SendChannel& channel : peer.send)
      if (channel.in_use) put_back(peer, channel);
    has_messages = has_messages || !peer.queue.empty();
  }
  residency_ = Residency::absent;
  ++counters_.unloads;
  if (has_messages) want();
}

/// It was not accepted, and no copy of it is under way: the sequence number is as good as unused.
void Firmware::put_back(Peer& peer, SendChannel& channel) {
  const Packet& packet = channel.unacknowledged;
  peer.queue.push_front({packet.message, packet.payload, Bytes(), true});
  release(peer, channel);
}

/// There is something to send, or to receive.
void Firmware::want() {
  wanted_ = true;
  if (residency_ != Residency::absent) return;
  residency_ = Residency::loading;
  events_.schedule(events_.now() + parameters_.load, *this, endpoint_is_loaded);
}

void Firmware::loaded() {
  assert(residency_ == Residency::loading);
  residency_ = Residency::resident;
  moved_ = false;
  start_evictions();
  wake();
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
