#include "emulator/topology/network_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/core/error.h"
#include "emulator/core/quantity.h"
#include "emulator/topology/growth.h"
#include "emulator/topology/listed/listed_graph.h"
#include "emulator/topology/switch_plan.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace {

constexpr const char* listed = "listed";

Table<TopologyHosting> hosting_table(const TopologyRules& rules) {
  using H = TopologyHosting;
  Table<H> table("network");
  table
      .list("cables", &H::cables, "cables",
            "of a listed network: between two switches, as in \"0-1\", or, where routes name ports, two of "
            "their "
            "ports, as in \"0.4-1.5\"; where cables may differ, also \"0-1 at 1 Gb/s over 5 us\"")
      .list("trunks", &H::trunks, "trunks", "another name of cables")
      .list("hosts-at", &H::hosts_at, "switches",
            "the switch of each host, from host 0 on: \"0\"; where routes name ports, also \"0.3\", and only "
            "of "
            "a listed network; else also \"0 at 100 Mb/s over 1 us\"; without: as hosts-per-switch says");
  if (rules.ports_have_numbers) {
    table
        .key("hosts-per-switch", &H::hosts_per_switch,
             "on each switch that has any, where topology and hosts-at leave it open",
             {.at_least = "1", .at_most = "128", .unit = "hosts"})
        .key("ports-per-switch", &H::ports_per_switch, "of a torus, an irregular or a listed network",
             {.at_least = "1", .at_most = "128", .unit = "ports"});
    return table;
  }
  table
      .key("hosts-per-switch", &H::hosts_per_switch,
           "where the hosts hang: so many on each switch that has any, one switch after the other; or spread "
           "from the first to the last, however many they are",
           {.at_least = "1", .at_most = "65536", .unit = "hosts", .zero_word = "spread"})
      .key("trunk-rate", &H::trunk_rate,
           "of every trunk between switches that says nothing else; same: as network.rate",
           {.zero_word = "same"})
      .list("tiers", &H::tiers, "tiers",
            "of trunks that differ from trunk-rate and propagation, by the names that `morgana platforms` "
            "shows: "
            "\"between groups at 100 Gb/s over 500 ns\"")
      .key("grows-within", &H::grows_within,
           "ports of a switch within which the topology grows where hosts.count is more than it has ports "
           "for: it gets more of such switches, with the same hosts on each; docs/topologies-and-routing.md "
           "says how each topology grows",
           {.at_least = "2", .at_most = "4096", .unit = "ports", .zero_word = "never"});
  return table;
}

Key topology_key(const TopologyRules& rules) {
  Key key{"network.topology", ValueForm::word, std::string(rules.usual),
          "how the switches are joined; docs/topologies-and-routing.md describes each; listed: by `cables`"};
  for (const TopologyKind& kind : topology_kinds()) key.words.push_back(kind.name);
  key.words.emplace_back(listed);
  key.synonyms = {{"random-regular", "irregular"}, {"jellyfish", "irregular"}};
  return key;
}

/// Switches with hosts that no trunks join; nothing if there are none.
std::optional<std::pair<SwitchId, SwitchId>> missing_way(const SwitchGraph& graph) {
  const SwitchId first = graph.port_of(0).at;
  std::vector<bool> reached(graph.switches());
  std::vector<SwitchId> open{first};
  reached[first] = true;
  while (!open.empty()) {
    const SwitchId at = open.back();
    open.pop_back();
    for (unsigned port = 0; port < graph.ports(at); ++port) {
      const Neighbour& other = graph.neighbour({at, static_cast<PortNumber>(port)});
      if (!other.is_switch() || reached[other.id]) continue;
      reached[other.id] = true;
      open.push_back(other.id);
    }
  }
  for (HostNumber host = 1; host < graph.hosts(); ++host)
    if (const SwitchId at = graph.port_of(host).at; !reached[at]) return {{first, at}};
  return std::nullopt;
}

std::string size_key_of(const TopologyKind& kind, const Settings& settings) {
  const auto set = settings.find(kind.size_key_if_set);
  return set != settings.end() && set->second != Value(std::string()) ? set->first : kind.size_key;
}

/// Source routes have a byte for each port. @throws TopologyError for switches with more
void check_ports_of_routes(const SwitchGraph& graph, const std::string& key) {
  for (SwitchId at = 0; at < graph.switches(); ++at)
    if (graph.ports(at) > SwitchGraph::most_ports_of_routes)
      throw TopologyError(key, fmt::format("switch {} has {} ports, and source routes name at most {}", at,
                                           graph.ports(at), SwitchGraph::most_ports_of_routes));
}

/// Without generating more than the network takes. @throws TopologyError, as the topology does
SwitchGraph generated(const TopologyKind& kind, const Settings& settings, const TopologyRules& rules,
                      const SwitchPorts& ports) {
  SwitchGraph graph = [&] {
    try {
      return kind.graph(settings, ports);
    } catch (const TopologyError&) {
      throw;
    } catch (const Error& error) {
      throw TopologyError(size_key_of(kind, settings), error.what());
    }
  }();
  const auto most = static_cast<std::size_t>(parse_count(rules.most_switches, ""));
  if (graph.switches() > most)
    throw TopologyError(size_key_of(kind, settings),
                        fmt::format("{} switches are more than {}", graph.switches(), most));
  if (rules.ports_have_numbers) check_ports_of_routes(graph, size_key_of(kind, settings));
  return graph;
}

}  // namespace

std::vector<Key> topology_keys(const TopologyRules& rules) {
  std::vector<Key> keys{topology_key(rules), switches_key()};
  const auto add = [&](const std::vector<Key>& more) {
    for (const Key& key : more)
      if (std::ranges::find(keys, key.name, &Key::name) == keys.end()) keys.push_back(key);
  };
  for (const TopologyKind& kind : topology_kinds()) add(kind.keys);
  add(hosting_table(rules).keys());
  for (Key& key : keys) {
    if (key.name == switches_key().name) key.limits.at_most = rules.most_switches;
    if (const auto other = rules.fallbacks.find(key.name); other != rules.fallbacks.end())
      key.fallback = other->second;
  }
  return keys;
}

NetworkTopology::NetworkTopology(const Settings& settings, const TopologyRules& rules, const Link& link)
    : settings_(settings), rules_(rules), link_(link), topology_(rules.usual) {
  for (const auto& [key, fallback] : rules.fallbacks) settings_.try_emplace(key, fallback);
  if (const auto set = settings_.find("network.topology"); set != settings_.end())
    topology_ = std::get<std::string>(set->second);
  hosting_ = hosting_table(rules).read(settings_);
  grow();
}

/// Where that can't be done, check() says why.
void NetworkTopology::grow() {
  const auto set = settings_.find("hosts.count");
  const TopologyKind* const kind = topology_kind(topology_);
  const bool open = hosting_.hosts_per_switch == 0 || !hosting_.hosts_at.empty();
  if (hosting_.grows_within == 0 || set == settings_.end() || kind == nullptr || !kind->grown || open) return;
  const topology::Growth growth{static_cast<std::uint64_t>(std::get<std::int64_t>(set->second)),
                                hosting_.hosts_per_switch, hosting_.grows_within};
  const Settings before = settings_;
  try {
    if (growth.hosts <= hosts()) return;
    settings_ = kind->grown(settings_, switch_ports(), growth);
    topology_ = std::get<std::string>(settings_["network.topology"]);
    topology::require_ports(growth, most_ports_in_use());
    for (const auto& [key, value] : settings_) {
      const auto was = before.find(key);
      if (was != before.end() && was->second == value) continue;
      const auto* const text = std::get_if<std::string>(&value);
      grown_ +=
          fmt::format("{}{} = {}", grown_.empty() ? "" : ", ", key.substr(key.find('.') + 1),
                      text != nullptr ? '"' + *text + '"' : fmt::format("{}", std::get<std::int64_t>(value)));
    }
  } catch (const TopologyError& error) {
    cannot_grow_ = Complaint{error.key(), error.what()};
    if (error.key() == "network.hosts-per-switch")  // the only limit of a network that has a member for them
      cannot_grow_ =
          Complaint{"hosts.count", fmt::format("{} hosts don't fit: of the smallest network of such "
                                               "switches with ports for them, {}",
                                               growth.hosts, error.what())};
  } catch (const Error&) {  // of its size as it is set, which check() finds, too
  }
  if (!grown_.empty()) return;
  settings_ = before;
  topology_ = kind->name;
}

std::size_t NetworkTopology::most_ports_in_use() const {
  const SwitchGraph graph = as_plugged(1).graph;
  std::size_t most = 0;
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    std::size_t used = 0;
    for (unsigned port = 0; port < graph.ports(at); ++port) {
      const Neighbour& other = graph.neighbour({at, static_cast<PortNumber>(port)});
      used += other.is_switch() || other.is_host() ? 1 : 0;
    }
    most = std::max(most, used);
  }
  return most;
}

/// For people.
std::string NetworkTopology::too_few_ports(std::int64_t hosts, std::size_t ports) const {
  const TopologyKind* const kind = topology_kind(topology_);
  const bool may = kind != nullptr && kind->grown && hosting_.grows_within == 0 &&
                   !rules_.ports_have_numbers && hosting_.hosts_at.empty();
  return fmt::format("{} hosts don't fit: the network has ports for {}{}", hosts, ports,
                     may ? "; with network.grows-within, the ports of its switches, it grows" : "");
}

std::size_t NetworkTopology::hosts() const {
  if (rules_.ports_have_numbers) return as_numbered().graph.hosts();
  if (!hosting_.hosts_at.empty()) return hosting_.hosts_at.size();
  if (hosting_.hosts_per_switch == 0) return 0;
  return as_plugged(1).graph.hosts();
}

SwitchPorts NetworkTopology::switch_ports() const {
  if (rules_.ports_have_numbers)
    return {hosting_.hosts_per_switch, hosting_.ports_per_switch, hosting_.hosts_per_switch, 1};
  SwitchPorts ports;
  ports.hosts_said = hosting_.hosts_per_switch;
  if (hosting_.trunk_rate > BitRate(0) && link_.rate > BitRate(0))
    ports.trunk_speed = static_cast<double>(hosting_.trunk_rate.bits_per_second()) /
                        static_cast<double>(link_.rate.bits_per_second());
  return ports;
}

/// As the topology numbers ports.
CabledGraph NetworkTopology::as_numbered() const {
  if (const TopologyKind* const kind = topology_kind(topology_))
    return CabledGraph::uniform(generated(*kind, settings_, rules_, switch_ports()), link_);
  return CabledGraph::uniform(listed_graph(hosting_, switches_of(settings_)), link_);
}

/// Of a topology's trunks: as network.tiers says, or all alike.
std::vector<Link> NetworkTopology::trunk_links(const topology::SwitchPlan& plan, const Link& trunk) const {
  std::vector<Link> links(plan.trunks.size(), trunk);
  if (hosting_.tiers.empty()) return links;
  const char* const key = "network.tiers";
  const std::string oversubscription = "network.oversubscription";
  const TopologyKind* const kind = topology_kind(topology_);
  const bool takes_it =
      kind != nullptr && std::ranges::find(kind->keys, oversubscription, &Key::name) != kind->keys.end();
  if (const auto said = settings_.find(oversubscription);
      takes_it && said != settings_.end() && std::get<double>(said->second) > 0)
    throw TopologyError(
        key, "with network.oversubscription, network.trunk-rate says what trunks carry; leave this out");
  const TopologyFacts known = facts();
  std::vector<Link> of_tier(known.tiers.size(), trunk);
  try {
    for (const std::string& item : hosting_.tiers) {
      const ListedTier tier = listed_tier(item, known.tiers, trunk);
      of_tier[tier.tier] = tier.link;
    }
  } catch (const Error& error) {
    throw TopologyError(key, error.what());
  }
  for (std::size_t n = 0; n < links.size(); ++n)
    links[n] = of_tier[known.tier ? known.tier(plan.trunks[n].first, plan.trunks[n].second) : 0];
  return links;
}

/// Ports follow from what is plugged in.
CabledGraph NetworkTopology::as_plugged(std::size_t hosts) const {
  Link trunk = link_;
  if (hosting_.trunk_rate > BitRate(0)) trunk.rate = hosting_.trunk_rate;
  topology::SwitchPlan plan;
  CabledGraph network;
  if (const TopologyKind* const kind = topology_kind(topology_)) {
    plan = topology::plan_of(generated(*kind, settings_, rules_, switch_ports()));
    network.trunks = trunk_links(plan, trunk);
  } else {
    plan = topology::without_trunks(switches_of(settings_), 0);
    for (const ListedTrunk& one : listed_trunks(hosting_, plan.switches, trunk)) {
      plan.trunks.emplace_back(one.a, one.b);
      network.trunks.push_back(one.link);
    }
  }
  std::vector<SwitchId> at;
  if (!hosting_.hosts_at.empty()) {
    for (const ListedHost& host : listed_hosts(hosting_, plan.switches, link_)) {
      at.push_back(host.at);
      network.hosts.push_back(host.link);
    }
  } else {
    if (hosting_.hosts_per_switch > 0) {
      const std::size_t all = plan.with_hosts.size() * hosting_.hosts_per_switch;
      if (all > most_hosts)
        throw TopologyError("network.hosts-per-switch",
                            fmt::format("{} hosts are more than {}", all, most_hosts));
      at = topology::filled(plan, hosting_.hosts_per_switch);
    } else {
      at = topology::spread(plan, std::max<std::size_t>(hosts, 1));
    }
    network.hosts.assign(at.size(), link_);
  }
  try {
    network.graph = topology::graph_of(plan, at);
  } catch (const Error& error) {
    throw TopologyError(hosting_.hosts_at.empty() ? "network.hosts-per-switch" : "network.hosts-at",
                        error.what());
  }
  return network;
}

std::optional<Complaint> NetworkTopology::check(std::int64_t hosts) const {
  const bool is_listed = topology_kind(topology_) == nullptr;
  const char* const cables_key = hosting_.cables.empty() ? "network.trunks" : "network.cables";
  const bool says_where = !hosting_.hosts_at.empty();
  if (!is_listed && !(hosting_.cables.empty() && hosting_.trunks.empty()))
    return Complaint{cables_key, fmt::format("{} are listed only where network.topology = \"listed\"",
                                             hosting_.cables.empty() ? "trunks" : "cables")};
  if (is_listed && !hosting_.tiers.empty())
    return Complaint{"network.tiers",
                     "a listed network has no tiers: say it of each cable, as in \"0-1 at 1 Gb/s\""};
  if (!is_listed && says_where && rules_.ports_have_numbers)
    return Complaint{"network.hosts-at", "hosts are listed only where network.topology = \"listed\""};
  if (!rules_.ports_have_numbers && says_where && hosting_.hosts_per_switch > 0)
    return Complaint{"network.hosts-per-switch",
                     "network.hosts-at says where the hosts hang; keep one of the two"};
  try {
    if (rules_.ports_have_numbers) {
      const std::size_t ports = as_numbered().graph.hosts();
      if (hosts <= static_cast<std::int64_t>(ports)) return std::nullopt;
      return Complaint{"hosts.count",
                       fmt::format("{} hosts don't fit: the network has ports for {}", hosts, ports)};
    }
    // Spread hosts may hang on every switch that may have any.
    const CabledGraph network = as_plugged(sketch().hosts);
    if (const auto missing = missing_way(network.graph)) {
      const auto [from, to] = *missing;
      return Complaint{cables_key,
                       fmt::format("no trunks lead from switch {} to switch {}, and hosts hang on both: add "
                                   "one, such as \"{}-{}\"",
                                   from, to, from, to)};
    }
    const std::size_t ports = this->hosts();
    if (ports > 0 && hosts > static_cast<std::int64_t>(ports))
      return cannot_grow_ ? *cannot_grow_ : Complaint{"hosts.count", too_few_ports(hosts, ports)};
  } catch (const TopologyError& error) {
    return Complaint{error.key(), error.what()};
  }
  return std::nullopt;
}

CabledGraph NetworkTopology::network(std::size_t hosts) const {
  CabledGraph network = rules_.ports_have_numbers ? as_numbered() : as_plugged(hosts);
  if (hosts <= network.graph.hosts()) return network;
  if (!hosting_.hosts_at.empty()) {
    throw Error(
        fmt::format("host {} hangs on no switch: network.hosts-at says where for {} hosts, but {} are "
                    "needed; add the others",
                    hosting_.hosts_at.size(), hosting_.hosts_at.size(), hosts));
  }
  const TopologyKind* const kind = topology_kind(topology_);
  const bool grows = hosting_.grows_within > 0 && kind != nullptr && kind->grown;
  throw Error(fmt::format("the network has ports for {} hosts, and {} are needed: {}", network.graph.hosts(),
                          hosts,
                          grows ? fmt::format("set hosts.count={}, so that it grows", hosts)
                                : "give it more switches, or raise network.hosts-per-switch"));
}

std::string NetworkTopology::size_key() const {
  const TopologyKind* const kind = topology_kind(topology_);
  return kind != nullptr ? size_key_of(*kind, settings_) : "network.switches";
}

RoutedShape NetworkTopology::routed_shape() const {
  const TopologyKind* const kind = topology_kind(topology_);
  return kind != nullptr && kind->routed ? kind->routed(settings_) : RoutedShape();
}

TopologyFacts NetworkTopology::facts() const {
  const TopologyKind* const kind = topology_kind(topology_);
  return kind != nullptr && kind->facts ? kind->facts(settings_, switch_ports()) : TopologyFacts{};
}

TopologyFigures NetworkTopology::figures(std::size_t hosts) const {
  const std::size_t for_a_picture = sketch().hosts;
  const bool open = for_a_picture > 0;
  TopologyFigures figures = topology_figures(network(for_a_picture), facts(), open);
  figures.grown = grown_;
  if (!hosting_.hosts_at.empty()) {  // listed hosts need not be alike in both halves
    figures.bisection.reset();
    figures.bisection_rate.reset();
    figures.bisection_bounds.reset();
  }
  if (!open || hosts == 0) return figures;
  // Distances are those between all switches that may have hosts, ports those that these hosts take.
  figures.ports = topology_figures(network(hosts), {}, false).ports;
  figures.hosts = hosts;
  return figures;
}

bool NetworkTopology::uses(const std::string& key) const {
  const auto has = [&](const TopologyKind& kind) {
    return std::ranges::find(kind.keys, key, &Key::name) != kind.keys.end();
  };
  const TopologyKind* const kind = topology_kind(topology_);
  if (kind != nullptr ? has(*kind) : key == switches_key().name) return true;
  return std::ranges::none_of(topology_kinds(), has);
}

NetworkSketch NetworkTopology::sketch() const {
  NetworkSketch sketch;
  std::size_t switches = switches_of(settings_), with_hosts = switches;
  const TopologyKind* const kind = topology_kind(topology_);
  if (kind != nullptr) {
    const SwitchGraph graph = generated(*kind, settings_, rules_, switch_ports());
    switches = graph.switches();
    with_hosts = topology::plan_of(graph).with_hosts.size();
    sketch.shape = kind->shape(settings_, switches);
  }
  const bool all_there =
      rules_.ports_have_numbers || !hosting_.hosts_at.empty() || hosting_.hosts_per_switch > 0;
  sketch.hosts = all_there ? 0 : std::max<std::size_t>(2, with_hosts);
  return sketch;
}

}  // namespace morgana
