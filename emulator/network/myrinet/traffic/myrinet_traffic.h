#pragma once

#include <vector>

#include "emulator/network/myrinet/myrinet_network.h"
#include "emulator/network/myrinet/routes/route_deadlock.h"
#include "emulator/traffic/network_traffic.h"
#include "emulator/traffic/saturation.h"

namespace morgana {

/// A Myrinet to be loaded.
struct MyrinetUnderTest {
  const SwitchGraph& graph;
  const RouteTable& routes;
  MyrinetParameters parameters = {};
  NetworkFaults faults = {};  ///< at times from the very start, warm-up included
  double hosts_per_switch() const {
    return static_cast<double>(graph.hosts()) / static_cast<double>(graph.switches());
  }
};

/// In-transit packets in a NIC's pool.
struct InTransitUse {
  double mean_packets = 0;        ///< while measured
  std::int64_t most_packets = 0;  ///< at once, from the very start
};

/// What a load makes of it, payload in flits (bytes), and its links in flits of all kinds: routes, types and
/// CRCs, too.
struct MyrinetTraffic : NetworkTraffic {
  /// While measured, by channel: the share of its flit times in which it carried one (routes, types and CRCs
  /// are flits too).
  std::vector<double> utilisation;
  std::vector<InTransitUse> interfaces;      ///< by host
  std::int64_t most_in_transit_packets = 0;  ///< at once at any one NIC, from the very start
  std::int64_t most_in_transit_bytes = 0;
  std::uint64_t in_transit = 0, overflows = 0;  ///< from the very start
  /// Of a network that stands still: how packets on its routes can wait for each other in a cycle. Empty
  /// while packets move, and where the routes can't deadlock.
  std::vector<ChannelDependency> deadlock;
};

/// @param load  payload flits a nanosecond and switch; settings.load is not used
/// @throws Error as measure_traffic and MyrinetNetwork
MyrinetTraffic measure_myrinet(const MyrinetUnderTest& network, const Destinations& destinations, double load,
                               const TrafficSettings& settings);

/// What the hosts' own cables carry, in flits a nanosecond and switch.
double injection_limit(const MyrinetUnderTest& network);

/// A fiftieth of what the hosts' own cables carry: little for any network, in flits a nanosecond and switch.
double idle_load(const MyrinetUnderTest& network);

/// Its saturation, in flits a nanosecond and switch, latencies in ns. Each load is measured on a fresh
/// network.
/// @param told  called before each load
Saturation saturate_myrinet(const MyrinetUnderTest& network, const Destinations& destinations,
                            const TrafficSettings& settings);

/// The channels between switches: those whose utilisation the paper's figures show.
std::vector<CableChannel> switch_channels(const SwitchGraph& graph);

}  // namespace morgana
