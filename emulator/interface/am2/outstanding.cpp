// What the firmware does with packets that have no answer: the scan, and endpoints that leave their frames.
#include "emulator/interface/am2/firmware.h"

namespace morgana::am2 {

void Firmware::release(PeerNumber peer, SendChannel& channel) {
  const bool was_full = !has_channel(peer);
  channels_.release(peer, channel);
  --endpoint(number_of(channel.unacknowledged.ends.from)).outstanding;
  if (was_full) queues_.list_all(peer);
  if (channels_.in_use() == 0) events_.release();
  wake();
}

/// Scans are at whole quanta; those that would find all tables empty are left out.
void Firmware::start_clock() {
  if (clock_runs_) return;
  clock_runs_ = true;
  const std::int64_t quantum = parameters_.quantum.ps();
  events_.schedule_upkeep((events_.now().ps() / quantum + 1) * SimTime::from_ps(quantum), *this,
                          quantum_is_over);
}

void Firmware::handle(std::uint64_t what) {
  if (what == message_is_written) {
    const std::uint32_t message = written_.front();
    written_.pop_front();
    return surroundings_.written(message);
  }
  events_.upkeep_handled();
  clock_runs_ = false;
  if (channels_.in_use() == 0) return;
  start_clock();
  processor_.raise(scan);
}

/// A packet that was sent within half a quantum may still be answered.
void Firmware::scan_tables() {
  channels_.for_each_in_use([this](PeerNumber peer, SendChannel& channel) {
    if (channel.waits) return;
    const EndpointNumber from = number_of(channel.unacknowledged.ends.from);
    if (channel.feedback && frames_.residency(from) == Residency::unloading) return;
    if (2 * (events_.now() - channel.unacknowledged.timestamp) < parameters_.quantum) return;
    if (channel.retries == parameters_.tries)
      give_up(peer, channel);
    else
      channels_.repeat(peer, channel);
  });
  wake();
}

void Firmware::give_up(PeerNumber peer, SendChannel& channel) {
  const Packet packet = channel.unacknowledged;
  const bool accepted = surroundings_.end_session(packet);
  channels_.end_session(channel);
  std::int64_t unsent = 0;
  if (!accepted) unsent = queues_.forget(number_of(packet.ends.from), peer, packet.message);
  release(peer, channel);
  frames_.unload_what_is_flushed();
  if (accepted) return;
  ++counters_.returned;
  surroundings_.undeliverable(packet, unsent);
}

/// No copy of a packet is in the NIC or on its way out, no stale answer on its way in, and what has been
/// accepted is in the host's memory. Network and NICs keep the order of packets, so that an answer to the
/// latest copy is the last one.
bool Firmware::is_flushed(EndpointNumber number) const {
  const Endpoint& endpoint = endpoints_[number];
  if (endpoint.arriving > 0 || endpoint.copies > 0) return false;
  if (endpoint.outstanding == 0) return true;
  return channels_.all_in_use([&](const SendChannel& channel) {
    return channel.unacknowledged.ends.from != endpoint.id || (channel.feedback && !channel.waits);
  });
}

bool Firmware::unload(EndpointNumber number) {
  channels_.for_each_in_use([&](PeerNumber peer, SendChannel& channel) {
    if (channel.unacknowledged.ends.from == endpoint(number).id) put_back(peer, channel);
  });
  return queues_.waiting(number) > 0;
}

/// It was not accepted, and no copy of it is under way: the sequence number is as good as unused.
void Firmware::put_back(PeerNumber peer, SendChannel& channel) {
  const Packet packet = channel.unacknowledged;
  const EndpointNumber number = number_of(packet.ends.from);
  queues_.put_back(number, peer, {packet.message, packet.payload, Bytes(), packet.ends, 0, true});
  release(peer, channel);
  queues_.list(number, peer);
}

void Firmware::loaded(EndpointNumber number) {
  for (const std::uint32_t message : endpoint(number).faulting) {
    written_.push_back(message);
    events_.schedule(events_.now(), *this, message_is_written);
  }
  endpoint(number).faulting.clear();
  wake();
}

}  // namespace morgana::am2
