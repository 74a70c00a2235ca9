#include "runs/placement/placing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "emulator/engine/run_account.h"
#include "emulator/messaging/rank_traffic.h"
#include "emulator/platform/platform_network.h"
#include "emulator/report/readable.h"
#include "emulator/topology/distances.h"
#include "emulator/topology/listed/graph_of_links.h"
#include "pvmshim/launch/process/interrupt.h"
#include "replay/comparison.h"
#include "replay/trace_source.h"
#include "replay/translation/trace_translation.h"
#include "traces/import/chakra.h"
#include "traces/import/dependency_graph.h"

namespace morgana {
namespace {

/// Where a platform's hosts hang, by number.
struct HostGraph {
  NetworkShape shape;
  SwitchGraph graph;     ///< without switches: the network has none
  std::size_t nics = 1;  ///< ports of the network of each host

  bool has_switches() const { return graph.switches() > 0; }
  SwitchId switch_of(std::uint32_t host) const { return switch_of(host, 0); }
  SwitchId switch_of(std::uint32_t host, std::size_t nic) const {
    return graph.port_of(static_cast<HostNumber>(host * nics + nic)).at;
  }
  /// So that it doesn't matter which of them a message takes.
  bool all_nics_at_one_switch(std::uint32_t host) const {
    for (std::size_t nic = 1; has_switches() && nic < nics; ++nic)
      if (switch_of(host, nic) != switch_of(host)) return false;
    return true;
  }
};

/// Sums of costs in both directions, and what the search adds to them, are to be numbers of 64 bits.
constexpr std::int64_t most_cost = std::numeric_limits<std::int64_t>::max() / 8;

/// A map as it was replayed.
struct ReplayedMap {
  PlacedMap placed;
  HostGraph network;
};

std::vector<std::uint16_t> trunks_from(const SwitchGraph& graph, SwitchId from) {
  std::vector<std::uint16_t> trunks(graph.switches(), Distances::unreachable);
  minimal_distances_from(graph, from, trunks);
  // What no way leads to is as far as can be.
  constexpr std::uint16_t farthest = 0x7FFF;
  for (std::uint16_t& count : trunks) count = std::min(count, farthest);
  return trunks;
}

/// Hosts as places. Between two of them are as many links as messages cross on the shortest way; 2 where the
/// network has no switches.
Places places_on(const std::vector<std::uint32_t>& hosts, const HostGraph& network) {
  const std::set<std::uint32_t> different(hosts.begin(), hosts.end());
  const std::vector<std::uint32_t> sites(different.begin(), different.end());
  std::vector<std::uint32_t> site_of;
  for (const std::uint32_t host : hosts)
    site_of.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(sites, host) - sites.begin()));
  constexpr std::uint16_t host_links = 2;
  std::vector<std::uint16_t> distances(sites.size() * sites.size(), host_links);
  std::map<SwitchId, std::vector<std::uint16_t>> from;
  for (std::size_t a = 0; a < sites.size(); ++a) {
    throw_if_interrupted();
    if (network.has_switches()) {
      const SwitchId at = network.switch_of(sites[a]);
      if (!from.contains(at)) from.emplace(at, trunks_from(network.graph, at));
      const std::vector<std::uint16_t>& trunks = from.at(at);
      for (std::size_t b = 0; b < sites.size(); ++b)
        distances[a * sites.size() + b] =
            static_cast<std::uint16_t>(host_links + trunks[network.switch_of(sites[b])]);
    }
    distances[a * sites.size() + a] = 0;
  }
  Places places(std::move(site_of), std::move(distances));
  places.divide_by_distance();
  if (network.has_switches() && network.shape.kind == NetworkShape::Kind::groups) {
    std::vector<std::uint32_t> group_of;
    for (const std::uint32_t site : sites)
      group_of.push_back(network.switch_of(site) / std::max(1U, network.shape.width));
    places.divide(group_of);
  }
  return places;
}

class Placer {
 public:
  Placer(const Platform& platform, const PlacingRequest& request, const PlacingTold& told)
      : platform_(platform), request_(request), told_(told) {}

  Placing place() {
    // A replay of each map, and of what is found on its hosts.
    parts_ = 2.0 * static_cast<double>(1 + request_.maps.size());
    input_ = read_trace(request_.trace, [&](double share) { told("reading", share * 0.5); });
    if (input_->trace && TraceSource(input_->trace).places_its_ranks())
      throw Error(
          fmt::format("{}: tasks of PVM are where their own machine starts them; placements are found "
                      "for MPI programs and schedules",
                      request_.trace.string()));
    placing_.ranks = ranks_of(*input_);
    if (placing_.ranks > most_placed_ranks)
      throw Error(fmt::format("{}: it has {} ranks, and placements are found for up to {}",
                              request_.trace.string(), placing_.ranks, most_placed_ranks));
    std::vector<ReplayedMap> maps = first_map();
    for (const std::string& name : request_.maps) add_map(maps, name);
    // Maps with the same hosts have one search, which begins with all of them.
    std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> by_hosts;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      std::vector<std::uint32_t> hosts = maps[i].placed.hosts;
      std::ranges::sort(hosts);
      by_hosts[hosts].push_back(i);
    }
    parts_ = done_ + static_cast<double>(by_hosts.size());
    std::vector<std::optional<PlacedMap>> found(maps.size());
    for (const auto& [hosts, with_them] : by_hosts) found[with_them.front()] = search(hosts, with_them, maps);
    for (std::size_t i = 0; i < maps.size(); ++i) {
      placing_.placements.push_back(std::move(maps[i].placed));
      if (found[i]) placing_.placements.push_back(std::move(*found[i]));
    }
    const auto better = [](const PlacedMap& one, const PlacedMap& other) {
      return std::pair(one.time, one.cost) < std::pair(other.time, other.cost);
    };
    placing_.best = static_cast<std::size_t>(std::ranges::min_element(placing_.placements, better) -
                                             placing_.placements.begin());
    return std::move(placing_);
  }

 private:
  void told(const std::string& what, double share) const {
    if (told_) told_(what, std::min(1.0, (done_ + share) / parts_));
  }

  static std::size_t ranks_of(const ReplayInput& input) {
    if (input.trace) return input.trace->ranks();
    return input.schedule ? input.schedule->ranks() : input.execution->ranks.size();
  }

  /// The one whose replay tells the traffic.
  std::vector<ReplayedMap> first_map() {
    RankTraffic traffic;
    std::vector<ReplayedMap> maps;
    maps.push_back(replayed_map(request_.map, read_placement(request_.map), &traffic));
    take_traffic(traffic);
    return maps;
  }

  /// @param traffic  is counted; may be null
  ReplayedMap replayed_map(const std::string& name, const Placement& placement,
                           RankTraffic* traffic = nullptr) {
    ReplayedMap map;
    map.placed.name = name;
    ReplayOptions how;
    how.placement = placement;
    how.seed = request_.seed;
    how.translated = input_;
    how.traffic = traffic;
    how.links = true;
    how.progress = [&](double share) { told("replaying " + name, share); };
    how.inspect = [&](const RunStatistics&, const RunAccount&, Machine& machine) {
      for (const HostId host : machine.host_of) map.placed.hosts.push_back(static_cast<std::uint32_t>(host));
      map.network.nics = machine.nics;
    };
    ReplayResult result = replay_on(platform_, request_.trace, how);
    if (placing_.notices.empty()) placing_.notices = std::move(result.notices);
    map.placed.time = result.statistics.simulated_time();
    map.placed.hosts_in_use = std::set(map.placed.hosts.begin(), map.placed.hosts.end()).size();
    map.network.shape = PlatformNetwork::shape_of(platform_);
    if (!result.links.loads.empty()) map.network.graph = graph_of(result.links);
    for (const std::uint32_t host : map.placed.hosts)
      if (!map.network.all_nics_at_one_switch(host))
        throw Error(fmt::format(
            "{}: the {} NICs of host {} are at different switches of {}, and links are counted only "
            "where those of each host are at one",
            request_.trace.string(), map.network.nics, host, platform_.name()));
    done_ += 1;
    return map;
  }

  /// Unless it puts every rank where another map does, or can't be had.
  void add_map(std::vector<ReplayedMap>& maps, const std::string& name) {
    if (name == request_.map) return;
    try {
      const Placement placement = read_placement(name);
      const Machine machine =
          platform_.build(placing_.ranks, placement, request_.seed, maps.front().network.nics);
      std::vector<std::uint32_t> hosts;
      for (const HostId host : machine.host_of) hosts.push_back(static_cast<std::uint32_t>(host));
      for (const ReplayedMap& other : maps)
        if (other.placed.hosts == hosts) return;
      maps.push_back(replayed_map(name, placement));
    } catch (const Error& error) {
      placing_.notices.push_back(fmt::format("{} is left out: {}", name, error.what()));
    }
  }

  [[noreturn]] void refuse_weight() const {
    throw Error(
        fmt::format("{}: what its {} messages weigh is more than can be added up: their bytes, and {} "
                    "(--message-weight) each",
                    request_.trace.string(), placing_.traffic.messages, readable(request_.message)));
  }

  void take_traffic(const RankTraffic& traffic) {
    weights_ = RankWeights(placing_.ranks);
    const std::vector<RankTraffic::Pair> all = traffic.pairs();
    double weight = 0;
    for (const RankTraffic::Pair& pair : all) {
      placing_.traffic.messages += pair.traffic.messages;
      weight += static_cast<double>(pair.traffic.bytes.count()) +
                static_cast<double>(pair.traffic.messages) * static_cast<double>(request_.message.count());
    }
    if (weight > static_cast<double>(most_cost)) refuse_weight();
    std::set<std::pair<Rank, Rank>> pairs;
    for (const RankTraffic::Pair& pair : all) {
      placing_.traffic.bytes += pair.traffic.bytes;
      if (pair.from == pair.to) continue;
      pairs.insert(std::minmax(pair.from, pair.to));
      weights_.add(static_cast<std::uint32_t>(pair.from), static_cast<std::uint32_t>(pair.to),
                   pair.traffic.bytes.count() +
                       static_cast<std::int64_t>(pair.traffic.messages) * request_.message.count());
    }
    placing_.pairs = pairs.size();
    weights_.sort();
    placing_.weight = weights_.total();
  }

  /// @param hosts  a place for each rank
  /// @param with_them  the maps that have these hosts
  std::optional<PlacedMap> search(const std::vector<std::uint32_t>& hosts,
                                  const std::vector<std::size_t>& with_them, std::vector<ReplayedMap>& maps) {
    const ReplayedMap& first = maps[with_them.front()];
    const std::string name = first.placed.name;
    told("counting links of " + name, 0);
    const Places places = places_on(hosts, first.network);
    if (placing_.weight > most_cost / std::max<std::int64_t>(1, places.longest())) refuse_weight();
    told("bounding links of " + name, 0);
    const std::int64_t least = least_cost(weights_, places);
    std::vector<RankMapping> given;
    std::int64_t cheapest = std::numeric_limits<std::int64_t>::max();
    for (const std::size_t number : with_them) {
      PlacedMap& map = maps[number].placed;
      given.push_back(mapping_of(map.hosts, hosts));
      map.cost = mapping_cost(weights_, places, given.back());
      map.least = least;
      cheapest = std::min(cheapest, map.cost);
    }
    told("grouping ranks of " + name, 0);
    MappingSearch how;
    how.steps = request_.steps;
    how.progress = [&](double share) { told("exchanging ranks of " + name, share * 0.5); };
    const RankMapping mapping = find_mapping(weights_, places, given, how);
    const std::int64_t cost = mapping_cost(weights_, places, mapping);
    if (cost >= cheapest) {
      done_ += 1;
      return std::nullopt;
    }
    Placement placement{Placement::Kind::listed, {}, name + ", ranks exchanged"};
    for (const std::uint32_t place : mapping) placement.hosts.push_back(hosts[place]);
    ReplayedMap better = replayed_map(name, placement);
    better.placed.found = true;
    better.placed.cost = cost;
    better.placed.least = least;
    return std::move(better.placed);
  }

  /// Which of the places each rank has: of one host's, the next that is free.
  static RankMapping mapping_of(const std::vector<std::uint32_t>& host_of_rank,
                                const std::vector<std::uint32_t>& hosts) {
    std::map<std::uint32_t, std::uint32_t> taken;
    RankMapping mapping;
    for (const std::uint32_t host : host_of_rank) {
      const auto first = static_cast<std::uint32_t>(std::ranges::lower_bound(hosts, host) - hosts.begin());
      mapping.push_back(first + taken[host]++);
    }
    return mapping;
  }

  const Platform& platform_;
  const PlacingRequest& request_;
  const PlacingTold& told_;
  std::shared_ptr<const ReplayInput> input_;
  RankWeights weights_{0};
  Placing placing_;
  double parts_ = 1, done_ = 0;
};

}  // namespace

Placing find_placement(const Platform& platform, const PlacingRequest& request, const PlacingTold& told) {
  return Placer(platform, request, told).place();
}

}  // namespace morgana
