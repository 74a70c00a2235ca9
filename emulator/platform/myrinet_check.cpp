// What can be wrong with a Myrinet whose values are each right by themselves.
#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/platform/myrinet_items.h"

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

std::optional<Complaint> check_graph(const MyrinetSettings& settings, const SwitchGraph& graph,
                                     std::int64_t hosts) {
  if (settings.root >= graph.switches()) {
    return Complaint{"network.root", fmt::format("there is no switch {}, only {} numbered from 0",
                                                 settings.root, graph.switches())};
  }
  if (hosts > static_cast<std::int64_t>(graph.hosts())) {
    return Complaint{"hosts.count",
                     fmt::format("{} hosts don't fit: the network has ports for {}", hosts, graph.hosts())};
  }
  try {
    faults_of(settings, graph);
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
  const bool has_sides =
      settings.shape == MyrinetShape::torus || settings.shape == MyrinetShape::express_torus;
  const std::uint64_t switches = std::uint64_t{settings.columns} * settings.rows * settings.planes;
  if (has_sides && switches > most_switches) {
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
