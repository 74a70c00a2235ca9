#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/network/myrinet/routes/route.h"

namespace morgana {

/// What a host is known by throughout the network, and answers probes with.
using HostName = std::uint32_t;

/// Sends probes from the host that maps. Switches don't answer; hosts do.
class Prober {
 public:
  virtual ~Prober() = default;
  virtual HostName own_name() const = 0;
  /// Sends a probe along `route` and waits for what comes of it.
  /// @param answer_along  what a host that gets the probe sends its answer along; empty: it keeps silent
  /// @return the own name if the probe itself came back, the host's if its answer did; nothing if no more is
  /// to be expected: it led to a switch, to nothing or past a host, or was lost
  virtual std::optional<HostName> probe(Header route, Header answer_along) = 0;
};

struct MappingOptions {
  /// Ports that are tried on every switch, 1 .. 64.
  unsigned most_ports = 16;
  /// How often a probe is sent that isn't answered; more than once where probes get lost.
  unsigned attempts = 1;
  /// That nothing is at a port is believed if the way to its switch still works. While it doesn't (packets
  /// block each other) it is tried this often, >= 1, then the port again.
  unsigned control_attempts = 500;
};

/// What was found. Every switch has as many ports as were tried; switch 0 is the mapping host's.
struct NetworkMap {
  SwitchGraph graph;
  std::vector<HostName> names;  ///< of the hosts, ascending
  HostNumber mapper = 0;        ///< the mapping host
  std::uint64_t probes = 0;     ///< that it took

  /// The host whose map counts when several map: the one with the lowest name.
  HostName leader() const { return names.front(); }
};

/// Finds all switches, hosts and cables that the mapping host reaches, by probes alone.
///
/// A probe to a port, round and back the same way returns if a switch is there. A route by turns leads
/// different ways from different ports, and never to the same end. So if a probe to a switch goes on as from
/// a known one and comes home, it is that one; if it goes out of port n and comes back the way it came, it
/// came in by port n. Silence means nothing while the network is blocked: before a port is taken for empty,
/// the switch is reached once more.
///
/// Sources: Mainwaring, Chun, Schleimer and Wilkerson, "System Area Network Mapping", 1997, for probes and
/// turns; Chun, Mainwaring and Culler, "Virtual Network Transport Protocols for Myrinet", 1998, for the
/// mapper's part. Chosen: new switches are compared with all known ones at once, not merged later.
/// @throws Error if no switch is found, answers contradict each other, or what was reached is no more
NetworkMap map_network(Prober& prober, const MappingOptions& options = {});

/// The way back of a route made of turns alone.
std::vector<RouteByte> way_back(Header turns);

}  // namespace morgana
