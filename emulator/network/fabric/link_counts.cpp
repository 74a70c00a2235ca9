#include "emulator/network/fabric/link_counts.h"

namespace morgana::fabric {

LinkCount LinkCounts::carried(CableChannel channel) const {
  LinkCount all;
  for (unsigned virtual_channel = 0; virtual_channel < virtual_channels_; ++virtual_channel) {
    const LinkCount& one = carried(channel, virtual_channel);
    all.packets += one.packets;
    all.bytes += one.bytes;
  }
  return all;
}

void LinkCounts::follow(CableChannel channel, const Packet& packet) {
  if (are_both(ports_, {packet.id, packet.from, packet.to, Bytes(0)})) followed_[channel] = true;
}

}  // namespace morgana::fabric
