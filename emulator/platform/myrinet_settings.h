#pragma once

#include <cstdint>

#include "emulator/network/myrinet/parameters.h"
#include "emulator/platform/schema.h"
#include "emulator/routing/host_routes.h"
#include "emulator/topology/fat_tree.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// How its switches and hosts are joined.
enum class MyrinetShape : std::uint8_t { torus, express_torus, irregular, cplant, now, fat_tree };
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
  std::uint64_t topology_seed = 1;
  MyrinetRouting routing = MyrinetRouting::up_down;
  std::uint32_t root = 0;
  Sharing sharing = Sharing::switch_pair;
  std::uint64_t routing_seed = 1;
};

const Table<MyrinetSettings>& myrinet_table();

/// @throws Error for what can't be plugged together
SwitchGraph graph_of(const MyrinetSettings& settings);
RouteTable routes_of(const MyrinetSettings& settings, const SwitchGraph& graph);
MyrinetParameters parameters_of(const MyrinetSettings& settings);

}  // namespace morgana
