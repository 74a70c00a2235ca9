#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/network_shape.h"
#include "emulator/network/myrinet/parameters.h"
#include "emulator/platform/networks.h"
#include "emulator/platform/schema.h"
#include "emulator/routing/host_routes.h"
#include "emulator/topology/fat_tree.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// How its switches and hosts are joined.
enum class MyrinetShape : std::uint8_t { torus, express_torus, irregular, cplant, now, fat_tree, listed };
/// Which way packets go: network.routes.
enum class MyrinetRouting : std::uint8_t { up_down, in_transit, minimal, shortest_up_down };

/// [network] as it is written.
struct MyrinetSettings {
  BitRate rate{1'280'000'000};
  MyrinetParameters network;
  MyrinetShape shape = MyrinetShape::torus;
  std::uint32_t columns = 8, rows = 8, planes = 1;
  std::uint32_t hosts_per_switch = 8, ports_per_switch = 16;
  std::uint32_t switches = 16, cables_per_switch = 4;
  topology::FatTreeShape fat_tree;
  std::vector<std::string> cables;    ///< "0-1", "0.4-1.5"; listed only
  std::vector<std::string> hosts_at;  ///< by host: "0", "2.7"; listed only
  std::uint64_t topology_seed = 1;
  MyrinetRouting routing = MyrinetRouting::up_down;
  std::uint32_t root = 0;
  Sharing sharing = Sharing::switch_pair;
  std::uint64_t routing_seed = 1;
  std::vector<std::string> faults;  ///< "cable 0.4 at 10 ms", "switch 7 at 2 s"
};

const Table<MyrinetSettings>& myrinet_table();

/// What is wrong with it for this many hosts (0: as many as are needed).
std::optional<Complaint> check(const MyrinetSettings& settings, std::int64_t hosts);

/// @throws Error for what can't be plugged together
SwitchGraph graph_of(const MyrinetSettings& settings);
NetworkShape shape_of(const MyrinetSettings& settings);
RouteTable routes_of(const MyrinetSettings& settings, const SwitchGraph& graph);
MyrinetParameters parameters_of(const MyrinetSettings& settings);

}  // namespace morgana
