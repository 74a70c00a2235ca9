#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/traffic/traffic_options.h"
#include "emulator/core/network_shape.h"
#include "emulator/network/myrinet/traffic/myrinet_traffic.h"
#include "emulator/platform/platform_hint.h"

namespace morgana::cli {

/// Results that only a Myrinet has.
struct MyrinetFindings {
  std::int64_t most_in_transit_packets = 0, most_in_transit_bytes = 0;
  std::uint64_t in_transit = 0, overflows = 0;
  std::vector<ChannelDependency> deadlock;
};

/// A load and all that was found there.
struct LoadedPoint {
  double load = 0;
  NetworkTraffic traffic;
  std::optional<MyrinetFindings> myrinet;
  bool deadlock() const { return myrinet && !myrinet->deadlock.empty(); }
};

/// The network that `morgana traffic` loads, with what reports call it.
struct TrafficNetwork {
  std::string platform;     ///< its name; empty if there is none
  std::string name;         ///< "torus:4x4"; "myrinet-ud", with what was overridden
  std::string routes_word;  ///< "up-down"
  NetworkShape shape;
  SwitchGraph graph;

  /// A Myrinet and its routes, which are worked out once.
  struct Myrinet {
    RouteTable routes;
    MyrinetParameters parameters;
    NetworkFaults faults;
    std::string routing_unit;  ///< "each-output"
  };
  std::optional<Myrinet> myrinet;
  NetworkUnderTest other;                ///< else
  std::vector<PlatformHint> hints = {};  ///< Platform::hints()

  /// That generate messages: hosts.count, or all for which the network has ports.
  std::size_t hosts() const { return myrinet ? graph.hosts() : other.hosts; }

  /// "flits/ns/switch" of a Myrinet, where a flit is a byte; else "B/ns/switch".
  const char* load_unit() const { return myrinet ? "flits/ns/switch" : "B/ns/switch"; }
  LoadedPoint measure(const Destinations& destinations, double load, const TrafficSettings& settings) const;
  double idle_load(const TrafficSettings& settings) const;
  /// What the hosts can send, in load_unit(): no load beyond it reaches the network.
  double injection_limit(const TrafficSettings& settings) const;
};

/// @throws Error as named_network, Platform::load, PlatformMyrinet and PlatformNetwork
TrafficNetwork loaded_network(const TrafficOptions& options);

}  // namespace morgana::cli
