#pragma once

#include <functional>
#include <string>
#include <vector>

#include "emulator/network/fabric/packet.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::fabric {

/// The buffer of one virtual channel at the end of a channel.
struct ChannelBuffer {
  CableChannel channel = 0;
  unsigned virtual_channel = 0;
  auto operator<=>(const ChannelBuffer&) const = default;
};

/// A packet in a switch that can't start until the receiver's buffer has space, or no longer pauses it, and
/// of which it is not known when that will be.
struct StuckPacket {
  Slot packet = no_packet;
  ChannelBuffer holds, wants;
  unsigned lanes = 1;  ///< from `wants` on: one of these buffers is enough
};

/// What the packets in switches wait for.
struct WaitingPackets {
  std::vector<StuckPacket> stuck;
  std::vector<ChannelBuffer> moving;  ///< which hold a packet that goes on, or may
};

/// The packets that are deadlocked: all buffers that one of them could take are held by others of them, and
/// none by a packet that moves or could move (a knot). @param memory_of  for buffers that share memory, in
/// which each gets space when another one's packet leaves: what stands for all of them; otherwise the buffer
/// itself
std::vector<StuckPacket> deadlocked(const WaitingPackets& waiting,
                                    const std::function<ChannelBuffer(const ChannelBuffer&)>& memory_of);

/// Packets of which each wants the buffer that the next one holds, and the last one that of the first. @param
/// all that are stuck. @return empty: they don't wait for each other in a cycle
std::vector<StuckPacket> cycle_of(const std::vector<StuckPacket>& all);

/// A line for each. @param all  that are stuck, of which the cycle is a part
std::string describe_cycle(const SwitchGraph& graph, const Packets& packets,
                           const std::vector<StuckPacket>& all, const std::vector<StuckPacket>& cycle);

}  // namespace morgana::fabric
