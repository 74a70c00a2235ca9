#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "emulator/network/fabric/check.h"
#include "emulator/network/fabric/fabric_network.h"
#include "emulator/network/fabric/switch/shared_buffer.h"
#include "emulator/platform/kinds/fabric_lists.h"
#include "emulator/platform/kinds/fabric_settings.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/platform/link_speed.h"
#include "emulator/platform/route_table.h"
#include "emulator/routing/channel_dependencies.h"
#include "emulator/routing/laned_routing.h"
#include "emulator/routing/switch_tables.h"
#include "emulator/topology/listed/listed_items.h"
#include "emulator/topology/network_topology.h"
#include "emulator/topology/topology_figures.h"

namespace morgana {
namespace {

using fabric::FabricParameters;

BitRate rate_of_links(const FabricSettings& fabric) {
  return fabric.link_speed == LinkSpeed::from_rate ? fabric.rate
                                                   : link_rate(fabric.link_speed, fabric.link_width);
}

/// Items of network.faults: those about cables and switches, or those about hosts that pause.
std::vector<std::string> faults_about(const FabricSettings& fabric, bool storms) {
  std::vector<std::string> items;
  for (const std::string& item : fabric.faults)
    if (is_pause_storm(item) == storms) items.push_back(item);
  return items;
}

/// What the lists of traffic classes and of faults say.
/// @param of_routing  virtual channels that the routes use
std::optional<Complaint> read_lists(const FabricSettings& fabric, unsigned of_routing,
                                    FabricParameters& parameters) {
  const char* key = "network.class-weights";
  try {
    parameters.class_weights = class_weights(fabric.class_weights);
    key = "network.high-priority";
    parameters.tables.high = lane_weights(fabric.high_priority, parameters.classes, of_routing);
    key = "network.low-priority";
    parameters.tables.low = lane_weights(fabric.low_priority, parameters.classes, of_routing);
    key = "network.faults";
    for (const std::string& item : faults_about(fabric, true))
      parameters.storms.push_back(pause_storm(item, parameters.classes));
  } catch (const Error& error) {
    return Complaint{key, error.what()};
  }
  return std::nullopt;
}

/// Its parameters, once it is known what the links carry.
/// @param of_routing  virtual channels that the routes use. @throws Error naming the key
FabricParameters parameters_of(const FabricSettings& fabric, unsigned of_routing) {
  FabricParameters parameters = fabric.parameters;
  if (const auto complaint = read_lists(fabric, of_routing, parameters))
    throw Error(complaint->key + ": " + complaint->why);
  if (fabric.ejection_share > 0) {
    constexpr double least = 1'000;
    const double rate = fabric.ejection_share * static_cast<double>(rate_of_links(fabric).bits_per_second());
    if (rate < least)
      throw Error(
          fmt::format("network.ejection-rate: {:g} % of the links' rate are {:g} b/s; it is at least 1 kb/s",
                      100 * fabric.ejection_share, rate));
    parameters.ejection = BitRate(std::llround(rate));
  }
  return parameters;
}

NetworkTopology topology_of(const FabricSettings& fabric, const Settings& settings) {
  return {settings, fabric_rules(), {rate_of_links(fabric), fabric.propagation}};
}

/// @throws Error for faults of what there is not
NetworkFaults faults_on(const FabricSettings& fabric, const CabledGraph& network) {
  try {
    return listed_faults(faults_about(fabric, false), network.graph, Recovery::possible);
  } catch (const Error& error) {
    throw Error(std::string("network.faults: ") + error.what());
  }
}

bool has_virtual_lanes(RoutesKind routes) {
  return routes == RoutesKind::dfsssp || routes == RoutesKind::lash;
}

/// How many virtual channels of each traffic class a link has for the routing's.
unsigned lanes_of_links(const FabricParameters& parameters) {
  return fabric::most_virtual_channels / (parameters.classes * parameters.lanes);
}

/// @throws TooFewLanes  if ways need more virtual channels than both network.virtual-lanes and a link have
SwitchTables tables_of(const FabricSettings& fabric, const NetworkTopology& topology,
                       const CabledGraph& network, const NetworkFaults& faults,
                       std::size_t lowest_hosts = 0) {
  RoutesParameters routes = fabric.routes;
  routes.lowest_hosts = lowest_hosts;
  // Up to what a link has, so that a refusal can say which number would do.
  routes.most_lanes = std::max(fabric.virtual_lanes, lanes_of_links(fabric.parameters));
  routes.shape = topology.routed_shape();
  if (routes.routes == RoutesKind::listed)
    routes.table = route_table(fabric.route_table, network.graph, network.graph);
  return {network, routes, faults, fabric.convergence};
}

/// What dfsssp and lash need beyond network.virtual-lanes, for people; empty if nothing.
std::string lanes_missing(const FabricSettings& fabric, const SwitchTables& tables) {
  const unsigned needed = tables.virtual_channels();
  if (!has_virtual_lanes(fabric.routes.routes) || needed <= fabric.virtual_lanes) return "";
  return fmt::format("{} needs {} virtual channels here{}, and may use {}: set {}, or choose other routes",
                     fabric.routes.routes == RoutesKind::lash ? "lash" : "dfsssp", needed,
                     tables.count() > 1 ? ", ways round the faults included" : "", fabric.virtual_lanes,
                     needed);
}

/// Detours of a long network take more virtual channels than a link can have, for people; empty if they
/// don't.
std::string too_many_hops(const FabricSettings& fabric, const NetworkTopology& topology,
                          const SwitchTables& tables) {
  const RoutesKind routes = fabric.routes.routes;
  const bool by_hops = routes == RoutesKind::minimal || routes == RoutesKind::valiant ||
                       routes == RoutesKind::ugal_l || routes == RoutesKind::ugal_g;
  if (!by_hops || !std::holds_alternative<std::monostate>(topology.routed_shape()) ||
      tables.virtual_channels() <= fabric::most_virtual_channels)
    return "";
  return fmt::format(
      "these routes take a virtual channel for each cable of their longest way, {} of them here, and a link "
      "has at "
      "most {}: choose other routes, such as dfsssp",
      tables.virtual_channels(), fabric::most_virtual_channels);
}

/// Of TooFewLanes, for people.
std::string beyond_links(const FabricParameters& parameters, const TooFewLanes& error) {
  std::string text =
      fmt::format("{}, and a link has at most {}", error.what(), fabric::most_virtual_channels);
  if (parameters.classes * parameters.lanes > 1)
    text += fmt::format(" for network.classes ({}) times network.lanes ({}) times these", parameters.classes,
                        parameters.lanes);
  return text + ": choose other routes";
}

/// With each of its tables. @throws Error with the cycle
void require_deadlock_free(const FabricSettings& fabric, const CabledGraph& network,
                           const SwitchTables& tables) {
  if (!fabric.check_routes || fabric.parameters.flow_control == fabric::FlowControl::none) return;
  std::set<const Routing*> looked_at;
  for (std::size_t n = 0; n < tables.count(); ++n) {
    if (!looked_at.insert(&tables.routing(n)).second) continue;
    require_deadlock_free(network.graph, tables.routing(n),
                          n == 0 ? "this topology with these routes"
                                 : "this topology with these routes, once they lead round its faults,");
  }
}

/// Whether faults give the routes more virtual channels.
bool need_more_for_faults(const SwitchTables& tables) {
  return tables.virtual_channels() > tables.routing(0).virtual_channels();
}

/// A refusal of a network, for people: with the faults, if it could be made with the virtual channels that
/// its routes have without them.
std::string refusal(const FabricSettings& fabric, const CabledGraph& network, const SwitchTables& tables,
                    const fabric::ParameterError& error) {
  std::string text = error.what();
  if (!need_more_for_faults(tables)) return text;
  const unsigned without = tables.routing(0).virtual_channels();
  FabricParameters parameters = parameters_of(fabric, without);
  parameters.storms.clear();
  try {
    fabric::require_valid(network, parameters, {without, parameters.classes, parameters.lanes});
  } catch (const fabric::ParameterError&) {
    return text;
  }
  const bool escape = !has_virtual_lanes(fabric.routes.routes);
  const bool memory = error.member() == "shared_buffer";
  return fmt::format(
      "{}. Ways round network.faults are why: with them the routing has {} virtual channels{}, and {} "
      "without "
      "faults. Set {}, choose other network.routes, or leave out faults of cables between switches",
      text, tables.virtual_channels(), escape ? ", the last one an escape channel" : "", without,
      memory ? "a larger network.shared-buffer" : "fewer network.classes or network.lanes");
}

/// "network.routes = "minimal" or "ugal-l" cannot deadlock here: set one of them", on a line of its own.
std::string other_routes(FabricSettings fabric, const NetworkTopology& topology, const CabledGraph& network) {
  constexpr std::array known{std::pair{RoutesKind::minimal, "minimal"},
                             std::pair{RoutesKind::ugal_l, "ugal-l"},
                             std::pair{RoutesKind::dimension_order, "dimension-order"},
                             std::pair{RoutesKind::ecmp, "ecmp"},
                             std::pair{RoutesKind::dfsssp, "dfsssp"},
                             std::pair{RoutesKind::spanning_tree, "spanning-tree"}};
  // A search for virtual lanes in a large network takes longer than a refusal may.
  constexpr std::size_t most_ways = std::size_t{1} << 18;
  const bool large = network.graph.switches() * network.graph.hosts() > most_ways;
  const RoutesKind refused = fabric.routes.routes;
  std::vector<std::string> found;
  for (const auto& [routes, name] : known) {
    if (routes == refused || !why_not(routes, topology.routed_shape()).empty()) continue;
    if (routes == RoutesKind::dfsssp && large) continue;
    // Of networks without a shape dfsssp takes fewer virtual channels.
    const bool any_graph = std::holds_alternative<std::monostate>(topology.routed_shape());
    if (any_graph && (routes == RoutesKind::minimal || routes == RoutesKind::ugal_l)) continue;
    // Routes for any network come after those of its shape; spanning-tree leaves cables unused.
    const bool last_resort = routes == RoutesKind::dfsssp || routes == RoutesKind::spanning_tree;
    if (last_resort && !found.empty()) continue;
    fabric.routes.routes = routes;
    try {
      const SwitchTables tables = tables_of(fabric, topology, network, {});
      const bool fits = tables.virtual_channels() <= lanes_of_links(fabric.parameters);
      if (!fits || !lanes_missing(fabric, tables).empty()) continue;
      require_deadlock_free(fabric, network, tables);
      found.push_back(fmt::format("\"{}\"", name));
    } catch (const Error&) {
    }
  }
  if (found.empty()) return "";
  return fmt::format("\nnetwork.routes = {} cannot deadlock here: set {}", fmt::join(found, " or "),
                     found.size() == 1 ? "it" : "one of them");
}

/// The key that sets a member of FabricParameters.
std::string key_of(const std::string& member) {
  if (member == "tables") return "network.class-arbitration";
  std::string key = "network." + member;
  for (char& letter : key)
    if (letter == '_') letter = '-';
  return key;
}

/// @throws Error naming the key, for what could not be checked before its hosts were known
std::unique_ptr<FabricNetwork> made_network(EventQueue& events, CabledGraph network,
                                            const FabricSettings& fabric, SwitchTables tables,
                                            const NetworkFaults& faults) {
  const FabricParameters parameters = parameters_of(fabric, tables.virtual_channels());
  if (need_more_for_faults(tables)) {  // a refusal tells so
    try {
      fabric::require_valid(network, parameters,
                            {tables.virtual_channels(), parameters.classes, parameters.lanes});
    } catch (const fabric::ParameterError& error) {
      throw Error(fmt::format("{}: {}", key_of(error.member()), refusal(fabric, network, tables, error)));
    }
  }
  try {
    return std::make_unique<FabricNetwork>(events, std::move(network), parameters, std::move(tables), faults);
  } catch (const fabric::ParameterError& error) {
    throw Error(key_of(error.member()) + ": " + error.what());
  }
}

std::optional<Complaint> check_fabric(const FabricSettings& fabric, const Settings& settings) {
  if (fabric.link_speed == LinkSpeed::from_rate && fabric.link_width != LinkWidth::x4)
    return Complaint{"network.link-width",
                     "lanes have a rate only with network.link-speed; set that, or leave the width out"};
  if (says_width(fabric.link_speed) && settings.contains("network.link-width") &&
      fabric.link_width != LinkWidth::x2)
    return Complaint{
        "network.link-width",
        "HDR100 and NDR200 have two lanes; leave the width out, or set network.link-speed to HDR "
        "or NDR"};
  const auto set = settings.find("hosts.count");
  const std::int64_t hosts = set == settings.end() ? 0 : std::get<std::int64_t>(set->second);
  const NetworkTopology topology = topology_of(fabric, settings);
  if (auto complaint = topology.check(hosts)) return complaint;
  FabricParameters lists;
  lists.classes = fabric.parameters.classes;
  if (auto complaint = read_lists(fabric, 1, lists)) return complaint;
  // Ports of hosts that are as many as are needed are there once it is known how many these are.
  const bool complete = topology.hosts() > 0 || hosts > 0;
  const CabledGraph network =
      topology.network(complete ? static_cast<std::size_t>(hosts) : topology.sketch().hosts);
  if (const SwitchId root = fabric.routes.root; root >= network.graph.switches()) {
    return Complaint{"network.root", "there is no switch " + std::to_string(root) + ", only " +
                                         std::to_string(network.graph.switches()) + " numbered from 0"};
  }
  if (const std::string why = why_not(fabric.routes.routes, topology.routed_shape()); !why.empty())
    return Complaint{"network.routes", why};
  const bool listed = fabric.routes.routes == RoutesKind::listed;
  if (auto complaint = check_route_table(fabric.route_table, listed, complete ? &network.graph : nullptr))
    return complaint;
  if (listed && !complete) return std::nullopt;
  NetworkFaults faults;
  try {
    if (complete) faults = listed_faults(faults_about(fabric, false), network.graph, Recovery::possible);
  } catch (const Error& error) {
    return Complaint{"network.faults", error.what()};
  }
  std::optional<SwitchTables> made;
  try {
    made = tables_of(fabric, topology, network, faults);
  } catch (const TooFewLanes& error) {
    return Complaint{"network.virtual-lanes",
                     beyond_links(fabric.parameters, error) + other_routes(fabric, topology, network)};
  } catch (const Error& error) {  // what sssp, dfsssp and lash have bounds for
    return Complaint{"network.routes", error.what()};
  }
  const SwitchTables& tables = *made;
  if (const std::string missing = lanes_missing(fabric, tables); !missing.empty())
    return Complaint{"network.virtual-lanes", missing};
  if (const std::string hops = too_many_hops(fabric, topology, tables); !hops.empty())
    return Complaint{"network.routes", hops};
  FabricParameters parameters = parameters_of(fabric, tables.virtual_channels());
  if (!complete)  // which hosts there are
    for (fabric::PauseStorm& storm : parameters.storms) storm.host = 0;
  try {
    fabric::require_valid(network, parameters,
                          {tables.virtual_channels(), parameters.classes, parameters.lanes});
  } catch (const fabric::ParameterError& error) {
    const bool of_classes = error.member() == "lanes" && parameters.lanes == 1 && parameters.classes > 1;
    return Complaint{key_of(of_classes ? "classes" : error.member()),
                     refusal(fabric, network, tables, error)};
  }
  try {
    require_deadlock_free(fabric, network, tables);
  } catch (const Error& error) {
    return Complaint{"network.routes", error.what() + other_routes(fabric, topology, network)};
  }
  return std::nullopt;
}

}  // namespace

std::string small_headroom(const Settings& settings) {
  const FabricSettings fabric = fabric_table().read(settings);
  FabricParameters parameters = fabric.parameters;
  const Bytes set = parameters.shared.headroom;
  if (parameters.flow_control != fabric::FlowControl::pause || set == Bytes(0)) return "";
  parameters.shared.headroom = Bytes(0);
  const NetworkTopology topology = topology_of(fabric, settings);
  const CabledGraph network = topology.network(topology.sketch().hosts);
  std::int64_t needed = 0;
  for (const auto* links : {&network.hosts, &network.trunks})
    for (const Link& link : *links) needed = std::max(needed, fabric::headroom_for(link, parameters));
  if (set.count() >= needed) return "";
  return fmt::format(
      "network.headroom = {} is less than the {} B that may still come to an input after it has asked for a "
      "pause, by its cable's rate and length: packets may then be dropped in spite of network.flow-control = "
      "pause; set network.headroom=\"{} B\", or \"0 B\" for what each cable needs",
      to_text(set), needed, needed);
}

SimTime farthest_round_trip(const Settings& settings, Bytes payload) {
  const FabricSettings fabric = fabric_table().read(settings);
  const FabricParameters& parameters = fabric.parameters;
  const NetworkTopology topology = topology_of(fabric, settings);
  const CabledGraph network = topology.network(topology.sketch().hosts);
  if (network.hosts.empty()) return {};
  const std::int64_t trunks = host_distances(network.graph).largest;
  Link best = network.hosts.front();
  const auto least = [&best](const std::vector<Link>& links) {
    SimTime propagation = links.front().propagation;
    for (const Link& link : links) {
      propagation = std::min(propagation, link.propagation);
      best.rate = std::max(best.rate, link.rate);
    }
    return propagation;
  };
  SimTime way = 2 * least(network.hosts) + (trunks + 1) * parameters.latency + parameters.injection_latency +
                parameters.delivery_latency;
  if (trunks > 0) way += trunks * least(network.trunks);
  const bool once = parameters.forwarding == fabric::Forwarding::virtual_cut_through;
  return 2 * way + (once ? 1 : trunks + 2) * best.rate.time_for(parameters.packet.on_link(payload));
}

NetworkKind fabric_network_kind() {
  const auto table = fabric_table();
  NetworkKind kind{
      "fabric",
      "Packets through switches with virtual channels, buffers at inputs or outputs, and "
      "credits, or shared buffers, pauses and marks: InfiniBand, Ethernet of data centres and other "
      "networks of today.",
      table.keys(),
      [table](const Settings& settings) {
        return std::optional<Bytes>(table.read(settings).parameters.packet.largest);
      },
      [table](const Settings& settings) { return check_fabric(table.read(settings), settings); },
      [table](const Settings& settings, EventQueue& events, std::size_t ports, std::uint64_t) {
        const FabricSettings fabric = table.read(settings);
        const NetworkTopology topology = topology_of(fabric, settings);
        CabledGraph network = topology.network(ports);
        const NetworkFaults faults = faults_on(fabric, network);
        std::optional<SwitchTables> made;
        try {
          made = tables_of(fabric, topology, network, faults);
        } catch (const TooFewLanes& error) {
          throw Error("network.virtual-lanes: " + beyond_links(fabric.parameters, error));
        }
        SwitchTables& tables = *made;
        // The check did not know the network if nothing says how many hosts it has.
        if (topology.hosts() == 0) {
          if (const std::string missing = lanes_missing(fabric, tables); !missing.empty())
            throw Error("network.virtual-lanes: " + missing);
          // Ways of these follow the hosts.
          const RoutesKind routes = fabric.routes.routes;
          if (!faults.empty() || routes == RoutesKind::sssp || has_virtual_lanes(routes))
            require_deadlock_free(fabric, network, tables);
        }
        return made_network(events, std::move(network), fabric, std::move(tables), faults);
      }};
  kind.make_with_units = [table](const Settings& settings, EventQueue& events, std::size_t ports,
                                 std::span<const SwitchId> units) {
    const FabricSettings fabric = table.read(settings);
    const NetworkTopology topology = topology_of(fabric, settings);
    const CabledGraph plain = topology.network(ports);
    const Link at_once{BitRate(1'000'000'000'000'000'000), SimTime::from_ps(1)};
    CabledGraph network = plain.with_hosts(units, at_once);
    const NetworkFaults faults = faults_on(fabric, network);
    SwitchTables tables = tables_of(fabric, topology, network, faults, plain.graph.hosts());
    require_deadlock_free(fabric, network, tables);
    auto made = made_network(events, std::move(network), fabric, std::move(tables), faults);
    made->hide_ports_from(plain.graph.hosts());
    return made;
  };
  kind.offers = [table](const Settings& settings) {
    const FabricParameters parameters = table.read(settings).parameters;
    return UnitService{.largest = parameters.packet.largest,
                       .traffic_classes = parameters.classes,
                       .marks = parameters.marks.to > Bytes(0),
                       .controls = true,
                       .trims = parameters.trim.size > Bytes(0),
                       .drops = parameters.flow_control == fabric::FlowControl::none || parameters.watches(),
                       .strict = parameters.lane_arbitration == fabric::LaneArbitration::strict,
                       .trimmed = parameters.trim.size - parameters.packet.header,
                       .trim_class = parameters.trim.traffic_class};
  };
  kind.ports = [table](const Settings& settings) {
    return topology_of(table.read(settings), settings).hosts();
  };
  kind.sketch = [table](const Settings& settings) {
    return topology_of(table.read(settings), settings).sketch();
  };
  kind.topology = [table](const Settings& settings) { return topology_of(table.read(settings), settings); };
  return kind;
}

}  // namespace morgana
