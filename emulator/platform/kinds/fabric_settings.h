#pragma once

#include <string>
#include <vector>

#include "emulator/network/fabric/parameters.h"
#include "emulator/platform/link_speed.h"
#include "emulator/routing/switch_tables.h"
#include "emulator/schema/schema.h"
#include "emulator/topology/network_topology.h"

namespace morgana {

/// [network] of a fabric, as it is written.
struct FabricSettings {
  fabric::FabricParameters parameters;
  BitRate rate{200'000'000'000};
  double ejection_share = 0;  ///< of the links' rate; 0: parameters.ejection says it
  LinkSpeed link_speed = LinkSpeed::from_rate;
  LinkWidth link_width = LinkWidth::x4;
  SimTime propagation = SimTime::from_ps(10'000);
  RoutesParameters routes{.routes = RoutesKind::d_mod_k};
  std::vector<std::string> route_table, faults, class_weights, high_priority, low_priority;
  SimTime convergence = SimTime::from_ps(100'000'000'000);
  unsigned virtual_lanes = 8;
  bool check_routes = true;  ///< refuse those that can deadlock
};

TopologyRules fabric_rules();

/// The keys of [network].
Table<FabricSettings> fabric_table();

/// That network.headroom doesn't hold what comes after a pause was asked for, and how many bytes do, in a
/// sentence; empty where nothing is lost for that. @param settings  that the kind's check has passed
std::string small_headroom(const Settings& settings);

/// What a packet and its answer take at least between the two hosts that are farthest from each other, where
/// nothing waits: cables, switches, and the packet's own length. Of tiers with different cables the shortest
/// and fastest count. @param settings  that the kind's check has passed. @param payload  of the packet
SimTime farthest_round_trip(const Settings& settings, Bytes payload);

}  // namespace morgana
