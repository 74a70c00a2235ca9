#include "emulator/routing/laned_routing.h"

#include <fmt/format.h>

#include <utility>

namespace morgana {
namespace {

std::uint64_t switches_with_hosts(const SwitchGraph& graph) {
  std::uint64_t count = 0;
  for (SwitchId at = 0; at < graph.switches(); ++at) count += graph.hosts_at(at).empty() ? 0 : 1;
  return count;
}

/// Pairs of cables that follow each other on the ways to a row.
std::uint64_t dependencies_to(const SwitchGraph& graph, const DestinationTable& table, std::size_t row,
                              std::vector<std::uint32_t>& cables) {
  constexpr std::uint32_t unknown = ~0U;
  cables.assign(graph.switches(), unknown);
  cables[table.last_switch(row)] = 0;
  std::uint64_t sum = 0;
  std::vector<SwitchId> way;
  for (SwitchId from = 0; from < graph.switches(); ++from) {
    if (graph.hosts_at(from).empty()) continue;
    way.clear();
    SwitchId at = from;
    while (cables[at] == unknown) {
      const auto port = table.port(row, at);
      if (!port) break;
      way.push_back(at);
      at = graph.neighbour({at, *port}).id;
    }
    std::uint32_t here = cables[at] == unknown ? 0 : cables[at];
    for (auto one = way.rbegin(); one != way.rend(); ++one) cables[*one] = ++here;
    if (here > 1) sum += here - 1;
  }
  return sum;
}

}  // namespace

TooFewLanes::TooFewLanes(const char* routes, unsigned most)
    : Error(fmt::format("{} needs more than {} virtual channel{} here", routes, most, most == 1 ? "" : "s")) {
}

void require_few_ways(const char* routes, const SwitchGraph& graph, const DestinationTable& table) {
  constexpr std::uint64_t most_ways = std::uint64_t{1} << 25;
  const std::uint64_t sources = switches_with_hosts(graph);
  if (sources * table.rows() > most_ways || table.rows() * table.switches() > ~std::uint32_t{0})
    throw Error(
        fmt::format("{} looks at the way from each of {} switches to each of {} hosts: these are "
                    "more than {}; choose other routes",
                    routes, sources, table.rows(), most_ways));
}

void require_few_dependencies(const char* routes, const SwitchGraph& graph, const DestinationTable& table) {
  constexpr std::uint64_t most_dependencies = std::uint64_t{1} << 28;
  std::uint64_t sum = 0;
  std::vector<std::uint32_t> cables;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if ((sum += dependencies_to(graph, table, row, cables)) > most_dependencies)
      throw Error(fmt::format(
          "{} looks at which cables follow each other on the ways from each of {} switches to each "
          "of them: these pairs are more than {}; choose other routes",
          routes, switches_with_hosts(graph), most_dependencies));
  }
}

LanedRouting::LanedRouting(const SwitchGraph& graph, DestinationTable table, Lanes lanes)
    : table_(std::move(table)), lanes_(std::move(lanes)), leads_to_host_(graph.channels()) {
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    first_port_.push_back(graph.channel_from(SwitchPort{at, 0}));
    for (const HostNumber host : graph.hosts_at(at))
      leads_to_host_[graph.channel_from(graph.port_of(host))] = true;
  }
}

std::optional<RoutingChoice> LanedRouting::choose(const RoutedPacket& packet, const OutputLoads&) const {
  const SwitchId at = packet.input.at;
  const std::size_t row = table_.row_of(packet.destination);
  const auto port = table_.port(row, at);
  if (!port) return std::nullopt;
  if (lanes_.count == 1) return RoutingChoice{*port};
  const bool enters = leads_to_host_[first_port_[at] + packet.input.port];
  return RoutingChoice{*port, enters ? lanes_.of[row * table_.switches() + at] : packet.virtual_channel};
}

void LanedRouting::for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const {
  if (const auto choice = choose(packet, IdleOutputs())) visit(*choice);
}

std::shared_ptr<const Routing> sssp_routing(const SwitchGraph& graph, const ChannelFilter& usable) {
  return std::make_shared<LanedRouting>(graph, sssp_table(graph, usable));
}

std::shared_ptr<const Routing> dfsssp_routing(const SwitchGraph& graph, const ChannelFilter& usable,
                                              unsigned most) {
  DestinationTable table = sssp_table(graph, usable);
  Lanes lanes = dfsssp_lanes(graph, table, most);
  return std::make_shared<LanedRouting>(graph, std::move(table), std::move(lanes));
}

std::shared_ptr<const Routing> lash_routing(const SwitchGraph& graph, const ChannelFilter& usable,
                                            unsigned most) {
  DestinationTable table = lowest_port_table(graph, usable);
  Lanes lanes = lash_lanes(graph, table, most);
  return std::make_shared<LanedRouting>(graph, std::move(table), std::move(lanes));
}

}  // namespace morgana
