#pragma once

#include <string>

#include "cli/traffic_options.h"
#include "emulator/core/network_shape.h"
#include "emulator/traffic/myrinet_traffic.h"

namespace morgana::cli {

/// The Myrinet that `morgana traffic` loads, with what reports call it.
struct LoadedNetwork {
  std::string platform;      ///< its name; empty if there is none
  std::string name;          ///< "torus:4x4"; "myrinet-ud", with what was overridden
  std::string routes_word;   ///< "up-down"
  std::string routing_unit;  ///< "each-output"
  NetworkShape shape;
  SwitchGraph graph;
  RouteTable routes;
  MyrinetParameters parameters;
  MyrinetFaults faults;

  MyrinetUnderTest under_test() const { return {graph, routes, parameters, faults}; }
};

/// @throws Error as named_network, Platform::load and PlatformMyrinet
LoadedNetwork loaded_network(const TrafficOptions& options);

}  // namespace morgana::cli
