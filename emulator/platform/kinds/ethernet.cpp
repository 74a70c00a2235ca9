#include "emulator/network/ethernet/cable.h"
#include "emulator/network/ethernet/frame.h"
#include "emulator/network/ethernet/segment.h"
#include "emulator/network/ethernet/switched.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/platform/route_table.h"
#include "emulator/topology/listed/listed_items.h"
#include "emulator/topology/network_topology.h"

namespace morgana {
namespace {

/// [network] of a switched Ethernet, as it is written.
struct SwitchedSettings {
  SwitchedEthernetParameters parameters;
  std::vector<std::string> route_table;
  std::vector<std::string> faults;
};

TopologyRules switched_rules() {
  return {.most_switches = "1024"};
}

Table<SwitchedSettings> switched_table() {
  using S = SwitchedSettings;
  using P = SwitchedEthernetParameters;
  const auto parameter = [](auto P::*member) {
    return [member](S & settings) -> auto& {
      return settings.parameters.*member;
    };
  };
  using R = RoutesParameters;
  const auto routes = [](auto R::*member) {
    return [member](S & settings) -> auto& {
      return settings.parameters.routes.*member;
    };
  };
  Table<S> table("network");
  table.key("rate", parameter(&P::rate), "line rate of each link, in both directions at once")
      .key("propagation", parameter(&P::propagation), "along each cable")
      .key("forwarding", parameter(&P::forwarding), "a switch's decision, once a frame is wholly in")
      .key("buffer", parameter(&P::buffer_frames),
           "room of each output, counting the frame in transmission; a frame that finds it full is lost",
           {.at_least = "1", .unit = "frames", .zero_word = "unlimited"})
      .key("largest-payload", parameter(&P::largest_payload), "of a frame; more than 1500 B: jumbo frames",
           {.at_least = "46 B", .at_most = "9000 B"});
  table.also(topology_keys(switched_rules()));
  table
      .choice(
          "routes", routes(&R::routes), {"spanning-tree", "ecmp", "d-mod-k", "listed"},
          "which trunks frames take: those of a spanning tree (IEEE 802.1D), or each way the fewest, and "
          "of several equally good ones that which a hash of the two hosts names (equal-cost multi-path), "
          "or the destination's number (D-mod-K); or as route-table says",
          {{"shortest", "ecmp"}})
      .key("root", routes(&R::root), "of the spanning tree: a switch's number", {.at_most = "1023"})
      .key("routes-seed", routes(&R::seed), "of the hashes of ecmp: another one, other collisions")
      .key("convergence", parameter(&P::convergence), "from a fault until the switches lead frames round it")
      .list("route-table", &S::route_table, "entries", route_table_meaning)
      .list("faults", &S::faults, "faults",
            "what dies when, and stays dead: a cable, as in \"cable 0.4 at 10 ms\" (at port 4 of switch 0; "
            "a host's too) or \"cable 0-1 at 10 ms\" (between two switches), or \"switch 7 at 2 s\" with "
            "all its cables");
  return table;
}

NetworkTopology topology_of(const SwitchedSettings& switched, const Settings& settings) {
  return {settings, switched_rules(), {switched.parameters.rate, switched.parameters.propagation}};
}

std::optional<Complaint> check_switched(const SwitchedSettings& switched, const Settings& settings) {
  const auto set = settings.find("hosts.count");
  const std::int64_t hosts = set == settings.end() ? 0 : std::get<std::int64_t>(set->second);
  const NetworkTopology topology = topology_of(switched, settings);
  if (auto complaint = topology.check(hosts)) return complaint;
  // One host for each switch that may have some, at least.
  const CabledGraph network = topology.network(topology.sketch().hosts);
  if (const SwitchId root = switched.parameters.routes.root; root >= network.graph.switches()) {
    return Complaint{"network.root", "there is no switch " + std::to_string(root) + ", only " +
                                         std::to_string(network.graph.switches()) + " numbered from 0"};
  }
  const bool listed = switched.parameters.routes.routes == RoutesKind::listed;
  // Ports of hosts that are as many as are needed are there once it is known how many these are.
  if (topology.hosts() == 0 && hosts == 0) return check_route_table(switched.route_table, listed, nullptr);
  const SwitchGraph graph = topology.network(static_cast<std::size_t>(hosts)).graph;
  if (auto complaint = check_route_table(switched.route_table, listed, &graph)) return complaint;
  try {
    listed_faults(switched.faults, graph);
  } catch (const Error& error) {
    return Complaint{"network.faults", error.what()};
  }
  return std::nullopt;
}

NetworkFaults faults_on(const SwitchedSettings& settings, const SwitchGraph& graph) {
  try {
    return listed_faults(settings.faults, graph);
  } catch (const Error& error) {
    throw Error(std::string("network.faults: ") + error.what());
  }
}

}  // namespace

NetworkKind ethernet_shared_kind() {
  using Segment = SegmentParameters;
  const auto table =
      Table<Segment>("network")
          .key("rate", &Segment::rate, "line rate")
          .key("propagation", &Segment::propagation, "between any two stations, less than half a slot time",
               {.more_than = "0 s"})
          .share("background.load", [](Segment& s) -> double& { return s.background.load; },
                 "mean share of the line rate that other stations offer", {.at_most = "95 %"})
          .key("background.stations", [](Segment& s) -> std::uint32_t& { return s.background.stations; },
               "other stations, each with an equal share of the load",
               {.at_least = "1", .at_most = "1000", .unit = "stations"})
          .key("background.frame", [](Segment& s) -> Bytes& { return s.background.frame; },
               "payload of their frames", {.at_least = "46 B", .at_most = "1500 B"})
          .key("background.mean-on", [](Segment& s) -> SimTime& { return s.background.mean_on; },
               "mean length of their bursts (exponential)", {.at_least = "1 us"})
          .share("background.on-share", [](Segment& s) -> double& { return s.background.on_share; },
                 "share of the time that each of them is in a burst", {.at_least = "1 %"});
  return {"ethernet-shared",
          "A shared Ethernet segment: carrier sense with collision detection, binary exponential backoff "
          "(IEEE 802.3), optionally with other stations' load. Frames are lost after 16 collisions.",
          table.keys(),
          [](const Settings&) { return std::optional<Bytes>(ethernet::largest_payload); },
          [table](const Settings& settings) -> std::optional<Complaint> {
            const Segment segment = table.read(settings);
            const SimTime slot = segment.rate.time_for_bits(ethernet::slot_bits);
            if (segment.propagation * 2 < slot) return std::nullopt;
            return Complaint{"network.propagation", to_text(segment.propagation) +
                                                        " is not less than half a slot time (512 bits at " +
                                                        to_text(segment.rate) + ": " + to_text(slot) +
                                                        "), so stations could not detect collisions"};
          },
          [table](const Settings& settings, EventQueue& events, std::size_t ports, std::uint64_t seed) {
            return std::make_unique<EthernetSegment>(events, ports, table.read(settings), seed);
          }};
}

NetworkKind ethernet_switched_kind() {
  const auto table = switched_table();
  NetworkKind kind{
      "ethernet-switched",
      "Hosts on full-duplex Ethernet links around one store-and-forward switch, or several that trunks join, "
      "with a queue for each output.",
      table.keys(),
      [table](const Settings& settings) {
        return std::optional<Bytes>(table.read(settings).parameters.largest_payload);
      },
      [table](const Settings& settings) { return check_switched(table.read(settings), settings); },
      [table](const Settings& settings, EventQueue& events, std::size_t ports, std::uint64_t) {
        SwitchedSettings switched = table.read(settings);
        CabledGraph network = topology_of(switched, settings).network(ports);
        const NetworkFaults faults = faults_on(switched, network.graph);
        RoutesParameters& routes = switched.parameters.routes;
        if (routes.routes == RoutesKind::listed)
          routes.table = route_table(switched.route_table, network.graph, network.graph);
        return std::make_unique<SwitchedEthernet>(events, std::move(network), switched.parameters, faults);
      }};
  kind.ports = [table](const Settings& settings) {
    return topology_of(table.read(settings), settings).hosts();
  };
  kind.sketch = [table](const Settings& settings) {
    return topology_of(table.read(settings), settings).sketch();
  };
  kind.topology = [table](const Settings& settings) { return topology_of(table.read(settings), settings); };
  return kind;
}

NetworkKind ethernet_cable_kind() {
  using Cable = EthernetCableParameters;
  const auto table =
      Table<Cable>("network")
          .key("rate", &Cable::rate, "line rate, in both directions at once")
          .key("propagation", &Cable::propagation, "along the cable", {.at_most = "1 ms"})
          .key("largest-payload", &Cable::largest_payload, "of a frame; more than 1500 B: jumbo frames",
               {.at_least = "46 B", .at_most = "9000 B"});
  NetworkKind kind{"ethernet-cable",
                   "Two hosts that one full-duplex Ethernet cable joins, without a switch.",
                   table.keys(),
                   [table](const Settings& settings) {
                     return std::optional<Bytes>(table.read(settings).largest_payload);
                   },
                   [](const Settings& settings) -> std::optional<Complaint> {
                     const auto hosts = settings.find("hosts.count");
                     if (hosts != settings.end() && std::get<std::int64_t>(hosts->second) == 2)
                       return std::nullopt;
                     return Complaint{
                         "hosts.count",
                         "an Ethernet cable joins two hosts; set hosts.count = 2, or network.kind = "
                         "\"ethernet-switched\" for more"};
                   },
                   [table](const Settings& settings, EventQueue& events, std::size_t ports, std::uint64_t) {
                     return std::make_unique<EthernetCable>(events, ports, table.read(settings));
                   }};
  kind.ports = [](const Settings&) { return std::size_t{2}; };
  return kind;
}

}  // namespace morgana
