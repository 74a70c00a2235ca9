// What can be wrong with a Myrinet whose values are each right by themselves.
#include <fmt/format.h>

#include <numeric>

#include "emulator/core/error.h"
#include "emulator/platform/myrinet_items.h"
#include "emulator/routing/route.h"

namespace morgana {
namespace {

constexpr std::uint64_t most_switches = 4096;

/// The key that sets a member of MyrinetParameters.
std::string key_of(const std::string& member) {
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

bool has_sides(const MyrinetSettings& settings) {
  return settings.shape == MyrinetShape::torus || settings.shape == MyrinetShape::express_torus;
}

/// Where to mend a topology that can't be made.
std::string topology_key(MyrinetShape shape) {
  switch (shape) {
    case MyrinetShape::torus:
    case MyrinetShape::express_torus:
      return "network.ports-per-switch";
    case MyrinetShape::fat_tree:
      return "network.levels";
    default:
      return "network.topology";
  }
}

std::optional<Complaint> check_lists(const MyrinetSettings& settings) {
  if (settings.shape == MyrinetShape::listed) return std::nullopt;
  for (const auto& [list, key] :
       {std::pair{&settings.cables, "network.cables"}, std::pair{&settings.hosts_at, "network.hosts-at"}}) {
    if (!list->empty()) return Complaint{key, "they are listed only where network.topology = \"listed\""};
  }
  return std::nullopt;
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
std::optional<Complaint> check_routes(const MyrinetSettings& settings, const SwitchGraph& graph) {
  constexpr double most_bytes = 2.0 * 1024 * 1024 * 1024, mebibyte = 1024.0 * 1024, beside = 6;
  const std::vector<unsigned> distances = distances_from(graph, settings.root);
  const bool by_host = settings.sharing == Sharing::host_pair;
  const std::size_t longest = RouteTable::longest_header;
  if (distances.back() + 1 > longest) {
    return Complaint{has_sides(settings) ? "network.columns" : topology_key(settings.shape),
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

std::optional<Complaint> check_graph(const MyrinetSettings& settings, const SwitchGraph& graph,
                                     std::int64_t hosts) {
  if (settings.root >= graph.switches()) {
    return Complaint{"network.root", fmt::format("there is no switch {}, only {} numbered from 0",
                                                 settings.root, graph.switches())};
  }
  if (auto complaint = check_routes(settings, graph)) return complaint;
  if (hosts > static_cast<std::int64_t>(graph.hosts())) {
    return Complaint{"hosts.count",
                     fmt::format("{} hosts don't fit: the network has ports for {}", hosts, graph.hosts())};
  }
  try {
    listed_faults(settings.faults, graph);
  } catch (const Error& error) {
    return Complaint{"network.faults", error.what()};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Complaint> check(const MyrinetSettings& settings, std::int64_t hosts) {
  if (const auto problem = parameters_of(settings).problem())
    return Complaint{key_of(problem->member), "Myrinet: " + problem->what};
  if (auto complaint = check_lists(settings)) return complaint;
  const std::uint64_t switches = std::uint64_t{settings.columns} * settings.rows * settings.planes;
  if (has_sides(settings) && switches > most_switches) {
    return Complaint{"network.columns", fmt::format("columns x rows x planes are {} switches, more than {}",
                                                    switches, most_switches)};
  }
  std::string wrong_key = topology_key(settings.shape);
  try {
    const SwitchGraph graph =
        settings.shape == MyrinetShape::listed ? listed_graph(settings, wrong_key) : graph_of(settings);
    return check_graph(settings, graph, hosts);
  } catch (const Error& error) {
    return Complaint{wrong_key, error.what()};
  }
}

}  // namespace morgana
