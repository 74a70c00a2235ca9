#pragma once

#include "emulator/network/fabric/links.h"
#include "emulator/network/fabric/packet.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/routing/switch_tables.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::fabric {

/// What a switch or host of a fabric reports to the network, and asks about other switches.
class Carrier {
 public:
  /// A packet starts on a channel.
  /// @param now  when its head enters the channel
  /// @param left  when its tail has entered it
  /// @param frees  its space in the buffer that it comes from is free from `left` on
  virtual void started(Slot packet, CableChannel channel, unsigned virtual_channel, SimTime now, SimTime left,
                       bool frees) = 0;
  /// The packet's space in the buffer that it comes from is free from `at` on.
  virtual void space_free(const Packet& packet, SimTime at) = 0;
  /// A pause frame sets which groups of virtual channels are paused on a channel, from `effect` on.
  virtual void pause_told(CableChannel channel, GroupSet paused, SimTime effect) = 0;
  /// A packet is lost at `gone`. @param output  the channel that it would have left by. A host's packet then
  /// departs, too
  virtual void lost(Slot packet, Loss why, CableChannel output, SimTime gone) = 0;
  /// The load of another switch's output before anything is routed or started at this instant, as a time.
  virtual SimTime load(SwitchPort output) = 0;

 protected:
  ~Carrier() = default;
};

/// What all switches and hosts of a fabric share. All references must outlive them.
struct Core {
  const FabricParameters& parameters;
  const CabledGraph& network;
  const SwitchGraph& graph;
  const SwitchTables& tables;
  bool looks_at_other_switches;  ///< a routing in `tables` reads the loads of other switches
  /// There is one routing, whose choice does not depend on the time. So a packet is routed already when it
  /// starts on the channel to a switch.
  bool asks_ahead;
  VirtualChannels channels;
  Links& links;
  Packets& packets;
  TelemetryRecords& telemetry;
  Carrier& carrier;
};

}  // namespace morgana::fabric
