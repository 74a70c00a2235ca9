#include "emulator/topology/topology_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "emulator/core/quantity.h"
#include "emulator/topology/joined_switches.h"

namespace morgana {
namespace {

/// Breadth-first searches from 64 switches at once: a bit for each.
class Searches {
 public:
  explicit Searches(const SwitchGraph& graph)
      : joined_(graph), seen_(graph.switches()), edge_(seen_.size()), beyond_(seen_.size()) {
    for (SwitchId at = 0; at < graph.switches(); ++at)
      if (!graph.hosts_at(at).empty()) with_hosts_.push_back(at);
  }

  HostDistances run() {
    constexpr std::size_t at_once = 64;
    for (std::size_t first = 0; first < with_hosts_.size(); first += at_once)
      search(first, std::min(at_once, with_hosts_.size() - first));
    return {largest_, pairs_ > 0 ? static_cast<double>(sum_) / static_cast<double>(pairs_) : 0};
  }

 private:
  void search(std::size_t first, std::size_t count) {
    std::ranges::fill(seen_, 0);
    std::ranges::fill(edge_, 0);
    for (std::size_t n = 0; n < count; ++n) edge_[with_hosts_[first + n]] |= std::uint64_t{1} << n;
    seen_ = edge_;
    for (unsigned distance = 1; step(); ++distance) {
      std::uint64_t found = 0;
      for (const SwitchId at : with_hosts_) found += static_cast<std::uint64_t>(std::popcount(edge_[at]));
      if (found > 0) largest_ = std::max(largest_, distance);
      pairs_ += found;
      sum_ += found * distance;
    }
  }

  /// @return whether any search has found a switch
  bool step() {
    std::ranges::fill(beyond_, 0);
    for (std::size_t at = 0; at < edge_.size(); ++at) {
      if (edge_[at] == 0) continue;
      for (const JoinedSwitches::Next& next : joined_.next(static_cast<SwitchId>(at)))
        beyond_[next.at] |= edge_[at];
    }
    std::uint64_t any = 0;
    for (std::size_t at = 0; at < edge_.size(); ++at) {
      edge_[at] = beyond_[at] & ~seen_[at];
      seen_[at] |= edge_[at];
      any |= edge_[at];
    }
    return any != 0;
  }

  JoinedSwitches joined_;
  std::vector<SwitchId> with_hosts_;
  std::vector<std::uint64_t> seen_, edge_, beyond_;
  unsigned largest_ = 0;
  std::uint64_t pairs_ = 0, sum_ = 0;
};

std::vector<TopologyFigures::Tier> trunks_by_tier(const SwitchGraph& graph, const TopologyFacts& facts) {
  std::vector<TopologyFigures::Tier> tiers;
  for (const std::string& name : facts.tiers) tiers.push_back({name, 0});
  for (const auto& [a, b] : graph.cables()) ++tiers[facts.tier ? facts.tier(a.at, b.at) : 0].trunks;
  std::erase_if(tiers, [](const TopologyFigures::Tier& tier) { return tier.trunks == 0; });
  return tiers;
}

std::vector<TopologyFigures::Ports> ports_of_switches(const SwitchGraph& graph, bool hosts_are_open) {
  std::map<unsigned, std::size_t, std::greater<>> switches;  // by ports
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    unsigned used = 0;
    for (unsigned port = 0; port < graph.ports(at); ++port) {
      const Neighbour& other = graph.neighbour({at, static_cast<PortNumber>(port)});
      if (other.is_switch() || (other.is_host() && !hosts_are_open)) ++used;
    }
    ++switches[used];
  }
  std::vector<TopologyFigures::Ports> counts;
  for (const auto& [ports, count] : switches) counts.push_back({ports, count});
  return counts;
}

std::string counted(std::uint64_t number, const char* one, const char* many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

}  // namespace

HostDistances host_distances(const SwitchGraph& graph) {
  return Searches(graph).run();
}

std::size_t TopologyFigures::trunks() const {
  return std::accumulate(tiers.begin(), tiers.end(), std::size_t{0},
                         [](std::size_t sum, const Tier& tier) { return sum + tier.trunks; });
}

std::size_t TopologyFigures::ports_in_use() const {
  return std::accumulate(ports.begin(), ports.end(), std::size_t{0},
                         [](std::size_t sum, const Ports& some) { return sum + some.ports * some.switches; });
}

TopologyFigures topology_figures(const CabledGraph& network, const TopologyFacts& facts,
                                 bool hosts_are_open) {
  const SwitchGraph& graph = network.graph;
  TopologyFigures figures;
  figures.switches = graph.switches();
  for (SwitchId at = 0; at < graph.switches(); ++at)
    if (!graph.hosts_at(at).empty()) ++figures.switches_with_hosts;
  if (!hosts_are_open) figures.hosts = graph.hosts();
  figures.tiers = trunks_by_tier(graph, facts);
  figures.ports = ports_of_switches(graph, hosts_are_open);
  figures.distances = host_distances(graph);
  figures.bisection = facts.bisection;
  if (!facts.bisection) figures.bisection_bounds = bisection_bounds(graph);
  const std::vector<Link>& trunks = network.trunks;
  const bool alike = !trunks.empty() && std::ranges::all_of(trunks, [&](const Link& trunk) {
    return trunk.rate == trunks.front().rate;
  });
  if (facts.bisection && alike && trunks.front().rate > BitRate(0))
    figures.bisection_rate =
        BitRate(trunks.front().rate.bits_per_second() * static_cast<std::int64_t>(*facts.bisection));
  return figures;
}

std::string describe(const TopologyFigures& figures) {
  const std::string hosts =
      figures.hosts ? counted(*figures.hosts, "host", "hosts") : "as many hosts as are needed";
  std::string text = fmt::format("{}, {} on {} of them", counted(figures.switches, "switch", "switches"),
                                 hosts, figures.switches_with_hosts);
  if (figures.switches == 1) return fmt::format("1 switch, {}.", hosts);
  text += fmt::format("; {} between switches", counted(figures.trunks(), "cable", "cables"));
  if (figures.tiers.size() > 1) {
    const char* mark = ": ";
    for (const TopologyFigures::Tier& tier : figures.tiers) {
      text += fmt::format("{}{} {}", mark, tier.trunks, tier.name);
      mark = ", ";
    }
  }
  text += fmt::format(". Ports in use{}: ", figures.hosts ? "" : ", but for hosts");
  const char* mark = "";
  for (const TopologyFigures::Ports& some : figures.ports) {
    text += fmt::format("{}{} on {}{}", mark, some.ports, some.switches > 1 ? "each of " : "",
                        counted(some.switches, "switch", "switches"));
    mark = ", ";
  }
  text += fmt::format("; {} in all.", figures.ports_in_use());
  text += fmt::format(" Between two switches with hosts: {:.4g} cables in the mean, {} at most. Bisection: ",
                      figures.distances.mean, figures.distances.largest);
  if (figures.bisection) {
    text += counted(*figures.bisection, "cable", "cables");
    if (figures.bisection_rate) text += fmt::format(", {} each way", to_text(*figures.bisection_rate));
  } else if (const auto& bounds = figures.bisection_bounds) {
    text += fmt::format("at least {} (spectral bound), at most {} (best cut found)",
                        counted(bounds->at_least, "cable", "cables"), bounds->at_most);
  } else {
    text += "not known";
  }
  text += ".";
  if (!figures.grown.empty()) text += fmt::format(" Grown to fit hosts.count: {}.", figures.grown);
  return text;
}

}  // namespace morgana
