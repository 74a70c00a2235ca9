#pragma once

#include <cstdint>

#include "emulator/network/myrinet/packet_store.h"
#include "emulator/network/myrinet/worms.h"

namespace morgana::myrinet {

/// What a host's NIC has to send: the host's own packets in their order, and packets in transit by
/// readiness, then by the arrival of their marks. Source: Flich, López, Malumbres and Duato, 2002, section 5:
/// packets in transit go first, until as many local ones wait as the priority threshold.
class SendQueues {
 public:
  bool empty() const { return first_local_ == none && first_in_transit_ == none; }
  void add_local(PacketStore& packets, Index packet);
  /// @param passage  by which it came; its `ready` and `order` are known
  void add_in_transit(PacketStore& packets, Index passage);
  /// Whether a local packet is next. With fewer of them than the threshold, one goes once the numbers that
  /// waited while in-transit ones went add up to it. There is a packet.
  bool choose_local(std::int64_t priority_threshold);
  /// The next one, as chosen: a packet.
  Index take_local(PacketStore& packets);
  /// A passage.
  Index take_in_transit(PacketStore& packets);

 private:
  Index first_local_ = none, last_local_ = none;
  std::int64_t locals_ = 0;
  Index first_in_transit_ = none, last_in_transit_ = none;
  std::int64_t claim_ = 0;  // of local packets to be next: how many waited, each time one in transit went
};

}  // namespace morgana::myrinet
