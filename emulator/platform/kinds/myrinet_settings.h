#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/network/myrinet/parameters.h"
#include "emulator/network/myrinet/routes/host_routes.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/schema/schema.h"
#include "emulator/topology/network_topology.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// Which way packets go: network.routes.
enum class MyrinetRouting : std::uint8_t { up_down, in_transit, minimal, shortest_up_down, listed };

/// [network] as it is written.
struct MyrinetSettings {
  BitRate rate{1'280'000'000};
  MyrinetParameters network;
  MyrinetRouting routing = MyrinetRouting::up_down;
  std::uint32_t root = 0;
  Sharing sharing = Sharing::switch_pair;
  std::uint64_t routing_seed = 1;
  std::vector<std::string> route_table;
  std::vector<std::string> faults;  ///< "cable 0.4 at 10 ms", "switch 7 at 2 s"
};

const Table<MyrinetSettings>& myrinet_table();

/// What is wrong with it. @param settings  what `myrinet` was read from
std::optional<Complaint> check(const MyrinetSettings& myrinet, const Settings& settings);

NetworkTopology myrinet_topology(const Settings& settings);
RouteTable routes_of(const MyrinetSettings& settings, const SwitchGraph& graph);
MyrinetParameters parameters_of(const MyrinetSettings& settings);

}  // namespace morgana
