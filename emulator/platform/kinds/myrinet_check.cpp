// What can be wrong with a Myrinet whose values are each right by themselves.
#include <fmt/format.h>

#include <numeric>

#include "emulator/core/error.h"
#include "emulator/network/myrinet/routes/route.h"
#include "emulator/platform/kinds/myrinet_settings.h"
#include "emulator/platform/route_table.h"
#include "emulator/topology/listed/listed_items.h"

namespace morgana {
namespace {

/// The key that sets a member of MyrinetParameters.
std::string network_key_of(const std::string& member) {
  const std::pair<const char*, const char*> otherwise[] = {
      {"flit", "rate"},
      {"control", "control-delay"},
      {"type_bytes", "type"},
      {"detection", "in-transit.detection"},
      {"dma_programming", "in-transit.programming"},
      {"host_memory_delay", "in-transit.host-memory"},
      {"priority_threshold", "in-transit.priority-threshold"},
      {"pool", "in-transit.pool"},
      {"go_below", "go-below"},
      {"deadlock_timeout", "deadlock-timeout"}};
  for (const auto& [one, key] : otherwise)
    if (member == one) return std::string("network.") + key;
  return "network." + member;
}

/// Cables from the root to every switch that they lead to.
std::vector<unsigned> distances_from(const SwitchGraph& graph, SwitchId root) {
  std::vector<unsigned> distances;
  std::vector<bool> seen(graph.switches());
  std::vector<std::pair<SwitchId, unsigned>> reached{{root, 0}};
  seen[root] = true;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const auto [at, distance] = reached[next];
    distances.push_back(distance);
    for (unsigned port = 0; port < graph.ports(at); ++port) {
      const Neighbour& other = graph.neighbour({at, static_cast<PortNumber>(port)});
      if (!other.is_switch() || seen[other.id]) continue;
      seen[other.id] = true;
      reached.emplace_back(other.id, distance + 1);
    }
  }
  return distances;
}

/// Routes take a byte for each switch, and six to find them, for every destination and row of a table.
/// @param size_key  to change where the network is too wide
std::optional<Complaint> check_routes(const MyrinetSettings& settings, const SwitchGraph& graph,
                                      const std::string& size_key) {
  constexpr double most_bytes = 2.0 * 1024 * 1024 * 1024, mebibyte = 1024.0 * 1024, beside = 6;
  const std::vector<unsigned> distances = distances_from(graph, settings.root);
  const bool by_host = settings.sharing == Sharing::host_pair;
  const std::size_t longest = RouteTable::longest_header;
  if (distances.back() + 1 > longest) {
    return Complaint{size_key,
                     fmt::format("routes cross up to {} switches, and a header holds {} bytes: make the "
                                 "network less wide",
                                 distances.back() + 1, longest)};
  }
  const double mean =
      std::accumulate(distances.begin(), distances.end(), 0.0) / static_cast<double>(distances.size());
  const auto hosts = static_cast<double>(graph.hosts());
  const double rows = by_host ? hosts : static_cast<double>(graph.switches());
  const double bytes = rows * hosts * (beside + mean);
  if (bytes <= most_bytes) return std::nullopt;
  return Complaint{by_host ? "network.routes-for" : "network.hosts-per-switch",
                   fmt::format("the routes of {} hosts at {} switches take some {:.0f} MiB, more than "
                               "{:.0f}: take fewer hosts or switches{}",
                               graph.hosts(), graph.switches(), bytes / mebibyte, most_bytes / mebibyte,
                               by_host ? ", or routes for switch-pairs" : "")};
}

}  // namespace

std::optional<Complaint> check(const MyrinetSettings& myrinet, const Settings& settings) {
  if (const auto problem = parameters_of(myrinet).problem())
    return Complaint{network_key_of(problem->member), "Myrinet: " + problem->what};
  const auto hosts = settings.find("hosts.count");
  const NetworkTopology topology = myrinet_topology(settings);
  if (auto complaint = topology.check(hosts == settings.end() ? 0 : std::get<std::int64_t>(hosts->second)))
    return complaint;
  const SwitchGraph graph = topology.network(0).graph;
  if (myrinet.root >= graph.switches()) {
    return Complaint{"network.root", fmt::format("there is no switch {}, only {} numbered from 0",
                                                 myrinet.root, graph.switches())};
  }
  if (auto complaint = check_routes(myrinet, graph, topology.size_key())) return complaint;
  const bool listed = myrinet.routing == MyrinetRouting::listed;
  if (auto complaint = check_route_table(myrinet.route_table, listed, &graph)) return complaint;
  try {
    listed_faults(myrinet.faults, graph);
  } catch (const Error& error) {
    return Complaint{"network.faults", error.what()};
  }
  return std::nullopt;
}

}  // namespace morgana
