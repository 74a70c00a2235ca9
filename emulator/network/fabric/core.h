#pragma once

#include "emulator/network/fabric/links.h"
#include "emulator/network/fabric/packet.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/routing/switch_tables.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::fabric {

/// What switches and hosts do to packets that is not theirs alone, and what they see of other switches.
class Carrier {
 public:
  /// A packet has started on a channel, which its tail leaves at `left`. @param frees  its space where it
  /// came from, which is free from `left` on
  virtual void started(Slot packet, CableChannel channel, unsigned virtual_channel, SimTime now, SimTime left,
                       bool frees) = 0;
  /// Its space where it came from is free from then on.
  virtual void space_free(const Packet& packet, SimTime at) = 0;
  /// From `effect` on these groups are paused on the channel, and no others.
  virtual void pause_told(CableChannel channel, GroupSet paused, SimTime effect) = 0;
  /// A packet is lost at `gone`. @param output  that it does not leave by; of a host: it departs then, too
  virtual void lost(Slot packet, Loss why, CableChannel output, SimTime gone) = 0;
  /// The load of another switch's output, as it was before anything was routed or started at this instant.
  virtual SimTime load(SwitchPort output) = 0;

 protected:
  ~Carrier() = default;
};

/// What all switches and hosts of a fabric share.
struct Core {
  const FabricParameters& parameters;
  const CabledGraph& network;
  const SwitchGraph& graph;
  const SwitchTables& tables;
  bool looks_at_other_switches;  ///< a routing of the tables
  /// The only routing always makes the same choice, so that it is asked when a packet starts for a switch.
  bool asks_ahead;
  VirtualChannels channels;
  Links& links;
  Packets& packets;
  TelemetryRecords& telemetry;
  Carrier& carrier;
};

}  // namespace morgana::fabric
