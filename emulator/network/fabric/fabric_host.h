#pragma once

#include <vector>

#include "emulator/network/fabric/arbiter.h"
#include "emulator/network/fabric/core.h"
#include "emulator/network/fabric/pause_storms.h"

namespace morgana::fabric {

/// A host's end of its cable: injection queues by traffic class, and the buffers that it empties.
/// docs/fabric.md, "Hosts". Like a switch it acts when it is looked at.
class FabricHost {
 public:
  /// @param core  must outlive it
  FabricHost(const Core& core, HostNumber host);

  /// At the end of its class's queue.
  void queue(Slot packet, SimTime now);
  /// Starts a packet if one may start. @return when to look again, as of FabricSwitch
  SimTime look(SimTime now);
  /// Its channel may be allowed to send from then on. @return whether to look at it then
  bool allowance_known(SimTime at);
  /// Its cable fails or comes back, now; it must be looked at.
  void set_down(bool down, SimTime now);
  /// A packet arrives; packets arrive in the order of these calls. @return when its space is free
  SimTime receive(Bytes size, SimTime head, SimTime tail);
  /// For how long it emptied its buffers up to `until`, at the rate of ejection, not counting what it waited
  /// for its cable in between.
  SimTime emptying(SimTime until) const;
  /// Whether it pauses its switch's port.
  bool pauses() const { return storms_.told() != 0; }
  /// Packets that have not left it. Looks at each of them.
  std::size_t waiting() const;

 private:
  bool owes_frame(SimTime now) const { return storms_.any() && wanted(now) != storms_.told(); }
  GroupSet wanted(SimTime now) const { return storms_.wanted(now, core_.channels); }
  void start_pause_frame(SimTime now);
  SimTime try_start(SimTime now);
  SimTime discard(SimTime now);

  const Core& core_;
  CableChannel channel_;
  std::vector<PacketQueue> queues_;  // by class
  GroupSet waiting_ = 0;             // groups of those that are not empty
  LaneArbiter lanes_;
  PauseStorms storms_;
  SimTime storm_changes_ = SimTime::max();
  SimTime try_ = SimTime::max();  // nothing can start before
  SimTime ejected_;               // what all packets so far have taken of the rate of ejection
  SimTime emptied_;               // when the last packet in its buffers will have left them
};

}  // namespace morgana::fabric
