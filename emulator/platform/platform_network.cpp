#include "emulator/platform/platform_network.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "emulator/platform/background.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/platform/kinds/transports.h"
#include "emulator/platform/rails.h"
#include "emulator/platform/sections.h"
#include "emulator/platform/values.h"
#include "emulator/topology/listed/graph_of_links.h"

namespace morgana {
namespace {

std::size_t hosts_of(const NetworkKind& kind, const Settings& settings, const Platform& platform) {
  const std::size_t ports = kind.ports ? kind.ports(settings) : 0;
  if (ports > 0) return ports;
  if (platform.hosts() > 0) return platform.hosts() * nics_on_rail(settings);
  throw Error("platform " + platform.name() +
              " has as many hosts as are needed: say how many with --set hosts.count=16");
}

/// @throws Error if the platform's network has no switches and cables, saying what it has instead
void require_network_graph(const Platform& platform) {
  (void)platform.network_graph();
}

std::string routes_of(const NetworkKind& kind, const Settings& settings) {
  const std::string key = "network.routes";
  if (const auto set = settings.find(key); set != settings.end()) return std::get<std::string>(set->second);
  for (const Key& one : kind.keys)
    if (one.name == key) return std::get<std::string>(one.fallback);
  return "static";
}

/// Nothing where two switches with hosts are joined, where some have no cable up, and where they differ.
std::optional<double> oversubscription_of(const CabledGraph& network) {
  const SwitchGraph& graph = network.graph;
  std::map<SwitchId, double> down, up;  // bits per second
  for (SwitchId at = 0; at < graph.switches(); ++at)
    for (const auto host : graph.hosts_at(at))
      down[at] += static_cast<double>(network.hosts.at(host).rate.bits_per_second());
  const auto& cables = graph.cables();
  for (std::size_t n = 0; n < network.trunks.size(); ++n) {
    const auto& [a, b] = cables[n];
    if (down.contains(a.at) && down.contains(b.at)) return std::nullopt;
    for (const SwitchId at : {a.at, b.at})
      if (down.contains(at)) up[at] += static_cast<double>(network.trunks[n].rate.bits_per_second());
  }
  std::optional<double> factor;
  for (const auto& [at, hosts] : down) {
    if (!(up[at] > 0) || !(hosts > 0) || (factor && *factor != hosts / up[at])) return std::nullopt;
    factor = hosts / up[at];
  }
  return factor;
}

}  // namespace

std::optional<TopologyFigures> PlatformNetwork::figures(const Platform& platform) {
  const Resolved& resolved = platform.values_->resolved;
  if (resolved.native) return std::nullopt;
  const NetworkKind& kind = network_kind(resolved.network);
  if (!kind.topology) return std::nullopt;
  return kind.topology(resolved.settings).figures(platform.hosts());
}

std::optional<double> PlatformNetwork::oversubscription(const Platform& platform) {
  const Resolved& resolved = platform.values_->resolved;
  if (resolved.native) return std::nullopt;
  const NetworkKind& kind = network_kind(resolved.network);
  if (!kind.topology) return std::nullopt;
  const NetworkTopology topology = kind.topology(resolved.settings);
  const std::size_t hosts = topology.hosts();
  return hosts > 0 ? oversubscription_of(topology.network(hosts)) : std::nullopt;
}

const std::vector<PlatformHint>& PlatformNetwork::hints(const Platform& platform) {
  return platform.values_->resolved.hints;
}

bool PlatformNetwork::has_background(const Platform& platform) {
  return morgana::has_background(platform.values_->resolved.settings);
}

std::optional<SwitchGraph> PlatformNetwork::graph_for_units(const Platform& platform, std::size_t hosts) {
  const Resolved& resolved = platform.values_->resolved;
  if (resolved.native) return std::nullopt;
  const NetworkKind& kind = network_kind(resolved.network);
  if (!kind.make_with_units) return std::nullopt;
  return kind.topology(resolved.settings).network(hosts).graph;
}

bool PlatformNetwork::sends_by_ports_alone(const Platform& platform) {
  const Resolved& resolved = platform.values_->resolved;
  return !resolved.native && host_table().read(resolved.settings).nics == 1 &&
         network_kind(resolved.network).has_port_times &&
         transport_kind(resolved.transport).sends_single_units;
}

bool PlatformNetwork::may_fail(const Platform& platform) {
  const Settings& settings = platform.values_->resolved.settings;
  const auto faults = settings.find("network.faults");
  if (faults != settings.end() && !std::get<std::string>(faults->second).empty()) return true;
  const auto watchdog = settings.find("network.pause-watchdog");
  return watchdog != settings.end() && std::get<SimTime>(watchdog->second) > SimTime();
}

NetworkShape PlatformNetwork::shape_of(const Platform& platform) {
  const Resolved& resolved = platform.values_->resolved;
  if (resolved.native) return {};
  const NetworkKind& kind = network_kind(resolved.network);
  return kind.sketch ? kind.sketch(resolved.settings).shape : NetworkShape();
}

PlatformNetwork::PlatformNetwork(const Platform& platform)
    : platform_(platform.name()), values_(platform.values_) {
  const Settings settings = settings_of_rail(values_->resolved.settings, 0);
  const NetworkKind& network = network_kind(values_->resolved.network);
  if (values_->resolved.native || !network.sketch) require_network_graph(platform);
  shape_ = shape_of(platform);
  kind_ = network.name;
  routes_word_ = routes_of(network, settings);
  EventQueue events;
  const auto made = network.make(settings, events, hosts_of(network, settings, platform), 1);
  graph_ = graph_of(made.network->links(SimTime()));
  hosts_ = platform.hosts() > 0 ? std::min(platform.hosts() * nics_on_rail(settings), graph_.hosts())
                                : graph_.hosts();
}

bool PlatformNetwork::leads_round_about() const {
  constexpr std::array<std::string_view, 5> routes{"valiant", "ugal-l", "ugal-g", "par", "dal"};
  return std::ranges::find(routes, routes_word_) != routes.end();
}

bool PlatformNetwork::has_several_ways() const {
  constexpr std::array<std::string_view, 11> routes{"static",  "shortest", "spanning-tree",   "d-mod-k",
                                                    "s-mod-k", "listed",   "dimension-order", "sssp",
                                                    "dfsssp",  "lash",     "up-down"};
  return std::ranges::find(routes, routes_word_) == routes.end();
}

std::unique_ptr<Network> PlatformNetwork::make_quiet(EventQueue& events, std::uint64_t seed,
                                                     bool shortest_ways) const {
  Settings settings = values_->resolved.settings;
  for (const char* const key : {"network.faults", "network.bit-error-rate", "network.background.load"})
    settings.erase(key);
  if (shortest_ways && leads_round_about()) settings["network.routes"] = std::string("minimal");
  return network_kind(kind_).make(settings, events, graph_.hosts(), seed).network;
}

std::unique_ptr<Network> PlatformNetwork::make(EventQueue& events, std::uint64_t seed) const {
  const Settings settings = settings_of_rail(values_->resolved.settings, 0);
  return network_kind(kind_).make(settings, events, graph_.hosts(), seed).network;
}

}  // namespace morgana
