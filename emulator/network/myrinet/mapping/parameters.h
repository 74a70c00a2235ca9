#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/myrinet/mapping/mapping.h"

namespace morgana {

/// What the leader computes; none of them can deadlock.
enum class MappedRoutes : std::uint8_t {
  up_down,           ///< legal up*/down* paths, balanced
  in_transit,        ///< minimal paths through in-transit hosts
  shortest_up_down,  ///< the shortest legal paths, not balanced
};

/// How mapper daemons work. Sources: Chun, Mainwaring and Culler, "Virtual Network Transport Protocols for
/// Myrinet", 1998, 4.4.3, for what they do; its figure 5 for the overhead of a packet (o_s + o_r). All times
/// and numbers else are chosen.
struct MappingParameters {
  /// Ports tried on each switch, and how often a probe is sent that isn't answered.
  MappingOptions exploration{.most_ports = 16, .attempts = 3};
  /// From a packet's arrival until what it makes a host send is with the NIC: both its overheads.
  SimTime overhead = SimTime::from_ps(8'370'000);
  /// How long a mapper waits for a probe or its answer, > 0.
  SimTime probe_patience = SimTime::from_ps(200'000'000);
  /// How often a mapper begins again whose answers contradict each other, as when the network changes, and
  /// how long it waits before: longer than a deadlock lasts.
  unsigned restarts = 10;
  SimTime restart_pause = SimTime::from_ps(100'000'000'000);

  MappedRoutes routes = MappedRoutes::up_down;
  std::uint64_t routes_seed = 1;

  Bytes largest_table{1024};   ///< of routes in one packet, > 0
  unsigned table_window = 16;  ///< packets of routes that are out at once, > 0
  /// How long the leader waits for a host's receipt, > 0, twice as long after each copy of the packet; and
  /// how often it sends it before it gives the host up, 1 .. 20.
  SimTime receipt_patience = SimTime::from_ps(2'000'000'000);
  unsigned table_attempts = 8;

  /// How long a mapper that has stood back for another waits for routes before it maps again itself.
  SimTime succession = SimTime::from_ps(10'000'000'000'000);
  /// A mapper begins another round this long after it began the last one, or when that has ended; 0: never.
  SimTime period;

  /// @throws Error naming what is out of range
  void check() const;
};

}  // namespace morgana
