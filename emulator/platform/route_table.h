#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/routing/routing.h"
#include "emulator/schema/complaint.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

// network.route-table, the entries of switches' tables where network.routes = "listed": the same key for all
// networks of switches.

inline constexpr const char* route_table_meaning =
    "where network.routes = \"listed\": by which cable packets leave a switch, as in \"switch 3 over 0-1\" "
    "(at "
    "switch 0, those for hosts at switch 3 leave for switch 1), \"host 5 over 0.4\" (by port 4 of switch 0) "
    "or "
    "\"any over 0-1\" (all others)";

/// @param listed  whether network.routes says so
/// @param graph  null where the number of hosts, and so of ports, is not known yet
std::optional<Complaint> check_route_table(const std::vector<std::string>& items, bool listed,
                                           const SwitchGraph* graph);

/// @param as_listed  the graph that the entries are about. @param graph  which may have more hosts
/// @throws Error naming the key
std::shared_ptr<const Routing> route_table(const std::vector<std::string>& items,
                                           const SwitchGraph& as_listed, const SwitchGraph& graph);

}  // namespace morgana
