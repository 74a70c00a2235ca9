#include "emulator/platform/route_table.h"

#include "emulator/core/error.h"
#include "emulator/routing/listed_routing.h"

namespace morgana {
namespace {

constexpr const char* route_table_key = "network.route-table";

}  // namespace

std::optional<Complaint> check_route_table(const std::vector<std::string>& items, bool listed,
                                           const SwitchGraph* graph) {
  if (!listed) {
    if (items.empty()) return std::nullopt;
    return Complaint{route_table_key, "entries are read only where network.routes = \"listed\""};
  }
  if (graph == nullptr) return std::nullopt;
  try {
    ListedRouting(listed_routes(items, *graph), *graph);
  } catch (const Error& error) {
    return Complaint{route_table_key, error.what()};
  }
  return std::nullopt;
}

std::shared_ptr<const Routing> route_table(const std::vector<std::string>& items,
                                           const SwitchGraph& as_listed, const SwitchGraph& graph) {
  try {
    return std::make_shared<ListedRouting>(listed_routes(items, as_listed), graph);
  } catch (const Error& error) {
    throw Error(std::string(route_table_key) + ": " + error.what());
  }
}

}  // namespace morgana
