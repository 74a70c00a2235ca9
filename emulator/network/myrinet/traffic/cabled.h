#pragma once

#include <cstdint>
#include <string>

#include "emulator/network/myrinet/routes/host_routes.h"
#include "emulator/network/myrinet/routes/route.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// Makes the network that a text names: "torus" or "torus:4x4x4" (8 hosts a switch), "express-torus"
/// likewise, "cplant", "now", "irregular:32" (switches, 4 hosts each, drawn from the seed), "fat-tree:4x2"
/// (arity and levels); any other text with a slash or ending in .txt is a file with a list
/// (docs/topologies-and-routing.md).
/// @throws Error for anything else
SwitchGraph named_network(const std::string& text, std::uint64_t seed);

enum class RouteKind : std::uint8_t {
  up_down,           ///< legal up*/down* paths, balanced
  in_transit,        ///< minimal paths through in-transit hosts
  minimal,           ///< minimal paths as they are: they can deadlock
  shortest_up_down,  ///< the shortest legal paths, not balanced
};
/// "up-down", "in-transit", "minimal", "shortest-up-down". @throws Error for anything else
RouteKind parse_route_kind(const std::string& text);
std::string to_text(RouteKind kind);

/// Root: switch 0.
RouteTable routes_of(const SwitchGraph& graph, RouteKind kind, std::uint64_t seed,
                     Sharing sharing = Sharing::switch_pair);

}  // namespace morgana
