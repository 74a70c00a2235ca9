#include <fmt/format.h>

#include <cmath>

#include "emulator/network/fabric/check.h"
#include "emulator/network/fabric/fabric_network.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/platform/link_speed.h"
#include "emulator/platform/route_table.h"
#include "emulator/routing/channel_dependencies.h"
#include "emulator/routing/laned_routing.h"
#include "emulator/routing/switch_tables.h"
#include "emulator/topology/listed_items.h"
#include "emulator/topology/network_topology.h"

namespace morgana {
namespace {

using fabric::FabricParameters;

/// [network] of a fabric, as it is written.
struct FabricSettings {
  FabricParameters parameters;
  BitRate rate{200'000'000'000};
  double ejection_share = 0;  ///< of the links' rate; 0: parameters.ejection says it
  LinkSpeed link_speed = LinkSpeed::from_rate;
  LinkWidth link_width = LinkWidth::x4;
  SimTime propagation = SimTime::from_ps(10'000);
  RoutesParameters routes{.routes = RoutesKind::d_mod_k};
  std::vector<std::string> route_table, faults;
  SimTime convergence = SimTime::from_ps(100'000'000'000);
  unsigned virtual_lanes = 8;
};

TopologyRules fabric_rules() {
  return {.usual = "fat-tree"};
}

Table<FabricSettings> fabric_table() {
  using S = FabricSettings;
  using P = FabricParameters;
  using Shared = fabric::SharedBufferParameters;
  const auto parameter = [](auto P::*member) { return nested(&S::parameters, member); };
  const auto packet = [](auto fabric::PacketFormat::*member) {
    return nested(&S::parameters, &P::packet, member);
  };
  const auto shared = [](auto Shared::*member) { return nested(&S::parameters, &P::shared, member); };
  const auto marks = [](auto fabric::MarkParameters::*member) {
    return nested(&S::parameters, &P::marks, member);
  };
  const auto trim = [](auto fabric::TrimParameters::*member) {
    return nested(&S::parameters, &P::trim, member);
  };
  const auto route = [](auto RoutesParameters::*member) { return nested(&S::routes, member); };
  const auto detour = [](auto DetourRules::*member) {
    return nested(&S::routes, &RoutesParameters::detours, member);
  };
  using Packet = fabric::PacketFormat;
  Table<S> table("network");
  table.key("rate", &S::rate, "of each cable, after encoding, in both directions at once")
      .choice(
          "link-speed", &S::link_speed, link_speed_words(),
          "generation of InfiniBand's links, which says the rate of each cable, after encoding, in place of "
          "network.rate; rate: that key says it")
      .choice("link-width", &S::link_width, link_width_words(), "lanes of each cable, with a link-speed")
      .key("propagation", &S::propagation, "along each cable", {.at_least = "1 ps"})
      .key("switch-latency", parameter(&P::latency),
           "of a switch: from a packet's arrival until it may leave")
      .choice("forwarding", parameter(&P::forwarding), {"cut-through", "store-and-forward"},
              "whether a switch sends a packet on once its head is there (virtual cut-through) or its tail")
      .key("mtu", packet(&Packet::largest), "payload of the largest packet",
           {.at_least = "64 B", .at_most = "64 MiB"})
      .key("header", packet(&Packet::header), "of each packet: headers and check sequences",
           {.at_most = "1024 B"})
      .key("smallest-packet", packet(&Packet::minimum), "on the link, its header included",
           {.at_least = "1 B", .at_most = "1024 B"})
      .key("packet-gap", packet(&Packet::gap), "idle time of a link after each packet, in bytes",
           {.at_most = "1024 B"})
      .choice(
          "flow-control", parameter(&P::flow_control), {"none", "credits", "pause"},
          "what stops a sender whose receiver has no space: nothing, so that full queues drop packets; "
          "credits for each virtual channel; or pause frames for each traffic class (PFC, IEEE 802.1Qbb), "
          "which need a shared-buffer")
      .choice("queueing", parameter(&P::queueing), {"input-queues", "virtual-output-queues", "output-queues"},
              "where packets wait in a switch: at their input behind all others of their virtual channel, at "
              "their "
              "input behind those for the same output, or at their output")
      .key("buffer", parameter(&P::buffer), "of each virtual channel at each input of a switch (credits)",
           {.at_least = "64 B"})
      .key("host-buffer", parameter(&P::host_buffer), "of each virtual channel at a host (credits)",
           {.at_least = "64 B"})
      .key("credit-unit", parameter(&P::credit_unit), "packets take whole ones of a buffer",
           {.at_least = "1 B", .at_most = "4 KiB"})
      .key("credit-delay", parameter(&P::credit_delay),
           "from the release of space in a buffer until the sender knows, in addition to the cable")
      .key("output-queue", parameter(&P::output_queue),
           "space behind the crossbar for each output (with input queues; 0 B: packets go from their input "
           "right onto "
           "the link), or limit of an output queue without flow control (0 B: none)")
      .key("output-packets", parameter(&P::output_packets),
           "packets that an output queue without flow control holds, the one in transmission included",
           {.unit = "packets", .zero_word = "unlimited"})
      .key("speedup", parameter(&P::speedup), "of the crossbar in front of output queues, against the link",
           {.at_least = "1", .at_most = "8"})
      .key("lanes", parameter(&P::lanes),
           "virtual channels among which a packet takes the emptiest, for each that the routing uses",
           {.at_least = "1", .at_most = "16"})
      .key("shared-buffer", shared(&Shared::size), "of each switch, for all packets in it; 0 B: none",
           {.at_most = "16 GiB"})
      .key("buffer-alpha", shared(&Shared::alpha),
           "of a shared buffer: an input (pause) or output queue may hold so many times what is free of it",
           {.more_than = "0", .at_most = "1024"})
      .key("buffer-reserve", shared(&Shared::reserve),
           "of a shared buffer: what each input or output queue has for itself, for each traffic class")
      .key("headroom", shared(&Shared::headroom),
           "of each input and traffic class, for what comes after it has asked for a pause; 0 B: as much as "
           "its cable's rate and length take")
      .key("resume-below", shared(&Shared::resume),
           "by how much an input must be below its limit to end a pause")
      .key("pause-frame", shared(&Shared::pause_frame), "size of a pause frame on the link",
           {.at_least = "1 B", .at_most = "4 KiB"})
      .key("pause-delay", shared(&Shared::pause_delay),
           "from a pause frame's arrival until the sender has paused")
      .key("mark-from", marks(&fabric::MarkParameters::from),
           "packets are marked where more waits in their output queue than this (ECN; Kmin)")
      .key("mark-to", marks(&fabric::MarkParameters::to),
           "all packets are marked where more waits than this (Kmax); 0 B: none is marked")
      .share("mark-share", marks(&fabric::MarkParameters::share),
             "of packets that are marked where mark-to waits (Pmax); less where less waits")
      .choice("mark-when", marks(&fabric::MarkParameters::when), {"joining", "leaving"},
              "the queue is looked at when a packet joins it, or when it leaves it")
      .key("trim-size", trim(&fabric::TrimParameters::size),
           "on the link, of a packet that finds its queue full and is cut to its header instead of dropped, "
           "where its transport can take that (packet trimming); 0 B: none is",
           {.at_most = "1024 B"})
      .key("trim-class", trim(&fabric::TrimParameters::traffic_class),
           "traffic class in which trimmed packets go on", {.at_most = "7"})
      .key("classes", parameter(&P::classes), "traffic classes (priorities), which have queues of their own",
           {.at_least = "1", .at_most = "8"})
      .choice("class-arbitration", parameter(&P::lane_arbitration), {"round-robin", "strict"},
              "which traffic class a link sends next: round-robin, or the lowest with a packet")
      .choice("arbitration", parameter(&P::input_arbitration), {"round-robin", "oldest"},
              "which of several inputs sends to an output next: round-robin, or the one whose packet was "
              "injected "
              "first")
      .rate_or_share(
          "ejection-rate", parameter(&P::ejection), &S::ejection_share,
          "at which a host empties its buffers; a share (\"95 %\") is one of network.rate or of what "
          "network.link-speed says, and follows it",
          {.zero_word = "unlimited"})
      .key("injection-latency", parameter(&P::injection_latency),
           "of a host's NIC and I/O bus: from handing a packet over until it may start")
      .key("delivery-latency", parameter(&P::delivery_latency),
           "of a host's NIC and I/O bus: from the end of a packet's reception until it is delivered");
  table.also(topology_keys(fabric_rules()));
  table
      .choice(
          "routes", route(&RoutesParameters::routes),
          {"spanning-tree", "ecmp", "d-mod-k", "listed", "least-loaded", "dimension-order", "s-mod-k",
           "spray", "two-choices", "minimal", "valiant", "ugal-l", "ugal-g", "par", "sssp", "dfsssp", "lash",
           "flowlets"},
          "which cables packets take between switches; docs/topologies-and-routing.md describes each: those "
          "of "
          "a spanning tree; the fewest, and of equally good ones the one that a hash of the two hosts "
          "(ecmp), the "
          "destination's or source's number (d-mod-k, s-mod-k), chance for each packet (spray) or flowlet "
          "(flowlets), the waits for two of them "
          "(two-choices) or for all (least-loaded) name; one dimension after the other (dimension-order); on "
          "a "
          "dragonfly, HyperX, torus or mesh the minimal way (minimal), detours by chance (valiant) or the "
          "better "
          "of the two by their waits (ugal-l, on a dragonfly also ugal-g and par); of any network's shortest "
          "ways those that fewest pairs of hosts use (sssp), the same on virtual channels that keep them "
          "free of deadlock (dfsssp), or pairs of switches on such channels (lash); or as route-table says "
          "(listed)")
      .key("virtual-lanes", &S::virtual_lanes,
           "of dfsssp and lash: how many virtual channels of each traffic class they may use; they take as "
           "few as they need",
           {.at_least = "1", .at_most = "16"})
      .key("flowlet-gap", parameter(&P::flowlet_gap),
           "of flowlets: a packet that comes to a switch so much after the last one of its flow begins a "
           "flowlet")
      .key("root", route(&RoutesParameters::root), "of the spanning tree: a switch's number")
      .key("routes-seed", route(&RoutesParameters::seed), "of hashes and of what routes draw by chance")
      .key("detour-threshold", detour(&DetourRules::threshold),
           "of ugal-l, ugal-g and par: a detour is taken if the minimal way's wait, weighed, is longer by "
           "more")
      .choice(
          "detour-weights", detour(&DetourRules::weight), {"hops", "twice"},
          "of ugal-l, ugal-g and par: the two ways' waits are multiplied by their cables between switches, "
          "or the minimal way's by 1 and the detour's by 2")
      .key("bit-error-rate", parameter(&P::bit_error_rate),
           "share of the bits on each cable that are wrong: a packet with one is lost",
           {.at_least = "0", .at_most = "0.01"})
      .key("convergence", &S::convergence,
           "from an outage or a recovery until the switches' tables follow it")
      .list(
          "faults", &S::faults, "faults",
          "what fails when: a cable, as in \"cable 0.4 at 10 ms\" (at port 4 of switch 0; a host's too) or "
          "\"cable 0-1 at 10 ms for 5 ms\" (between two switches; it works again afterwards), or \"switch 7 "
          "at 2 s\" with all its cables")
      .list("route-table", &S::route_table, "entries", route_table_meaning);
  return table;
}

BitRate rate_of_links(const FabricSettings& fabric) {
  return fabric.link_speed == LinkSpeed::from_rate ? fabric.rate
                                                   : link_rate(fabric.link_speed, fabric.link_width);
}

/// Its parameters, once it is known what the links carry.
FabricParameters parameters_of(const FabricSettings& fabric) {
  FabricParameters parameters = fabric.parameters;
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
    return listed_faults(fabric.faults, network.graph, Recovery::possible);
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
  if (fabric.parameters.flow_control == fabric::FlowControl::none) return;
  for (std::size_t n = 0; n < tables.count(); ++n) {
    require_deadlock_free(network.graph, tables.routing(n),
                          n == 0 ? "this topology with these routes"
                                 : "this topology with these routes, once they lead round its faults,");
  }
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
  std::string key = "network." + member;
  for (char& letter : key)
    if (letter == '_') letter = '-';
  return key;
}

std::optional<Complaint> check_fabric(const FabricSettings& fabric, const Settings& settings) {
  if (fabric.link_speed == LinkSpeed::from_rate && fabric.link_width != LinkWidth::x4)
    return Complaint{"network.link-width",
                     "lanes have a rate only with network.link-speed; set that, or leave the width out"};
  const auto set = settings.find("hosts.count");
  const std::int64_t hosts = set == settings.end() ? 0 : std::get<std::int64_t>(set->second);
  const NetworkTopology topology = topology_of(fabric, settings);
  if (auto complaint = topology.check(hosts)) return complaint;
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
  const FabricParameters parameters = parameters_of(fabric);
  NetworkFaults faults;
  try {
    if (complete) faults = listed_faults(fabric.faults, network.graph, Recovery::possible);
  } catch (const Error& error) {
    return Complaint{"network.faults", error.what()};
  }
  std::optional<SwitchTables> made;
  try {
    made = tables_of(fabric, topology, network, faults);
  } catch (const TooFewLanes& error) {
    return Complaint{"network.virtual-lanes",
                     beyond_links(parameters, error) + other_routes(fabric, topology, network)};
  } catch (const Error& error) {  // what sssp, dfsssp and lash have bounds for
    return Complaint{"network.routes", error.what()};
  }
  const SwitchTables& tables = *made;
  if (const std::string missing = lanes_missing(fabric, tables); !missing.empty())
    return Complaint{"network.virtual-lanes", missing};
  try {
    fabric::require_valid(network, parameters,
                          {tables.virtual_channels(), parameters.classes, parameters.lanes});
  } catch (const fabric::ParameterError& error) {
    const bool of_classes = error.member() == "lanes" && parameters.lanes == 1 && parameters.classes > 1;
    return Complaint{key_of(of_classes ? "classes" : error.member()), error.what()};
  }
  try {
    require_deadlock_free(fabric, network, tables);
  } catch (const Error& error) {
    return Complaint{"network.routes", error.what() + other_routes(fabric, topology, network)};
  }
  return std::nullopt;
}

}  // namespace

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
        return std::make_unique<FabricNetwork>(events, std::move(network), parameters_of(fabric),
                                               std::move(tables), faults);
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
    return std::make_unique<FabricNetwork>(events, std::move(network), parameters_of(fabric),
                                           std::move(tables), faults);
  };
  kind.offers = [table](const Settings& settings) {
    const FabricParameters parameters = table.read(settings).parameters;
    return UnitService{.largest = parameters.packet.largest,
                       .traffic_classes = parameters.classes,
                       .marks = parameters.marks.to > Bytes(0),
                       .controls = true,
                       .trims = parameters.trim.size > Bytes(0),
                       .drops = parameters.flow_control == fabric::FlowControl::none,
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
