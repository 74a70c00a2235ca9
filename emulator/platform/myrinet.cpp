#include <fmt/format.h>

#include <utility>

#include "emulator/core/error.h"
#include "emulator/network/myrinet/myrinet_network.h"
#include "emulator/platform/networks.h"
#include "emulator/routing/shortest_routes.h"
#include "emulator/routing/simple_routes.h"
#include "emulator/topology/cplant.h"
#include "emulator/topology/fat_tree.h"
#include "emulator/topology/irregular.h"
#include "emulator/topology/now.h"
#include "emulator/topology/torus.h"

namespace morgana {
namespace {

constexpr std::uint64_t most_switches = 4096;

enum class Shape : std::uint8_t { torus, express_torus, irregular, cplant, now, fat_tree };
enum class Routing : std::uint8_t { up_down, in_transit, minimal, shortest_up_down };

/// [network] as it is written.
struct MyrinetSettings {
  BitRate rate{1'280'000'000};
  MyrinetParameters network;
  Shape shape = Shape::torus;
  std::uint32_t columns = 8, rows = 8, planes = 1;
  std::uint32_t hosts_per_switch = 8, ports_per_switch = 16;
  std::uint32_t switches = 16, cables_per_switch = 4;
  topology::FatTreeShape fat_tree;
  std::uint64_t topology_seed = 1;
  Routing routing = Routing::up_down;
  std::uint32_t root = 0;
  Sharing sharing = Sharing::switch_pair;
  std::uint64_t routing_seed = 1;
};

Table<MyrinetSettings> myrinet_table() {
  using M = MyrinetSettings;
  const auto network = [](auto MyrinetParameters::*member) {
    return [member](M & m) -> auto& {
      return m.network.*member;
    };
  };
  using P = MyrinetParameters;
  return Table<M>("network")
      .key("rate", &M::rate, "of every cable, in both directions at once; a flit is a byte")
      .key("cable", network(&P::cable), "a flit's way along every cable", {.at_least = "1 ps"})
      .key("control-delay", network(&P::control), "a stop's or go's way back to the sender",
           {.at_least = "1 ps"})
      .key("routing", network(&P::routing), "from the grant of an output to the first flit there",
           {.at_least = "1 ps"})
      .choice("routing-unit", network(&P::routing_unit), {"each-output", "each-switch"},
              "what routing occupies: the granted output, or the switch's only routing unit")
      .key("slack", network(&P::slack), "that the buffer of a switch's input holds",
           {.at_least = "1", .unit = "flits"})
      .key("stop-above", network(&P::stop_above), "with more of them in it, the sender is stopped",
           {.at_least = "1", .unit = "flits"})
      .key("go-below", network(&P::go_below), "with fewer, it may go on", {.at_least = "1", .unit = "flits"})
      .key("type", network(&P::type_bytes), "of a packet's type, between its route and its data",
           {.at_least = "1", .at_most = "64", .unit = "bytes"})
      .key("in-transit.detection", network(&P::detection),
           "from the arrival of a packet's in-transit mark until the interface knows")
      .key("in-transit.programming", network(&P::dma_programming), "of the DMA that sends it on, after that")
      .key("in-transit.pool", network(&P::pool), "of each interface, for packets in transit",
           {.at_most = "1 GiB"})
      .choice("in-transit.overflow", network(&P::overflow), {"discard", "host-memory"},
              "what becomes of a packet that the pool has no room for")
      .key("in-transit.host-memory", network(&P::host_memory_delay),
           "from the last byte of such a packet in host memory until it may be sent on")
      .key("in-transit.priority-threshold", network(&P::priority_threshold),
           "local ones that wait and make them equal to packets in transit, which go first else",
           {.at_most = "1000000", .unit = "packets"})
      .share("corruption", network(&P::corruption),
             "probability that a packet is corrupted on a cable that it crosses; it is lost then")
      .key("deadlock-timeout", network(&P::deadlock_timeout),
           "a packet that waits this long for an output is lost; 0 s: never")
      .choice("topology", &M::shape, {"torus", "express-torus", "irregular", "cplant", "now", "fat-tree"},
              "how switches and hosts are joined; docs/topologies-and-routing.md describes each")
      .key("columns", &M::columns, "of a torus", {.at_least = "1", .at_most = "1024"})
      .key("rows", &M::rows, "of a torus", {.at_least = "1", .at_most = "1024"})
      .key("planes", &M::planes, "of a torus", {.at_least = "1", .at_most = "1024"})
      .key("hosts-per-switch", &M::hosts_per_switch, "of a torus or an irregular network",
           {.at_least = "1", .at_most = "128", .unit = "hosts"})
      .key("ports-per-switch", &M::ports_per_switch, "of a torus or an irregular network",
           {.at_least = "1", .at_most = "128", .unit = "ports"})
      .key("switches", &M::switches, "of an irregular network", {.at_least = "1", .at_most = "4096"})
      .key("cables-per-switch", &M::cables_per_switch, "to other switches, in an irregular network",
           {.at_least = "1", .at_most = "127", .unit = "cables"})
      .key("arity", [](M& m) -> unsigned& { return m.fat_tree.arity; },
           "ports of a fat tree's switches in each direction",
           {.at_least = "1", .at_most = "64", .unit = "ports"})
      .key("levels", [](M& m) -> unsigned& { return m.fat_tree.levels; }, "of a fat tree",
           {.at_least = "1", .at_most = "12", .unit = "levels"})
      .key("topology-seed", &M::topology_seed, "of an irregular network's chance")
      .choice(
          "routes", &M::routing, {"up-down", "in-transit", "minimal", "shortest-up-down"},
          "legal up*/down* paths, balanced; minimal ones with in-transit hosts where they would be illegal; "
          "minimal ones as they are, which can deadlock; the shortest legal ones")
      .key("root", &M::root, "of the up*/down* orientation: a switch's number", {.at_most = "4095"})
      .choice("routes-for", &M::sharing, {"switch-pairs", "host-pairs"},
              "whose paths may differ; all hosts of two switches share one else")
      .key("routes-seed", &M::routing_seed, "of the order or choice of paths by chance");
}

SwitchGraph graph_of(const MyrinetSettings& settings) {
  topology::TorusShape torus;
  torus.sides = {settings.columns, settings.rows, settings.planes};
  torus.hosts_per_switch = settings.hosts_per_switch;
  torus.ports_per_switch = settings.ports_per_switch;
  switch (settings.shape) {
    case Shape::torus:
      return topology::torus(torus);
    case Shape::express_torus:
      return topology::express_torus(torus);
    case Shape::irregular:
      return topology::irregular({settings.switches, settings.hosts_per_switch, settings.cables_per_switch,
                                  settings.ports_per_switch},
                                 settings.topology_seed);
    case Shape::cplant:
      return topology::cplant();
    case Shape::now:
      return topology::now();
    case Shape::fat_tree:
      break;
  }
  return topology::fat_tree(settings.fat_tree);
}

RouteTable routes_of(const MyrinetSettings& settings, const SwitchGraph& graph) {
  const UpDown orientation(graph, settings.root);
  const ShortestRouteOptions shortest{.sharing = settings.sharing, .seed = settings.routing_seed};
  switch (settings.routing) {
    case Routing::up_down:
      return simple_routes(graph, orientation, {.sharing = settings.sharing, .seed = settings.routing_seed});
    case Routing::in_transit:
      return in_transit_routes(graph, orientation, shortest);
    case Routing::minimal:
      return minimal_routes(graph, shortest);
    case Routing::shortest_up_down:
      break;
  }
  return shortest_up_down_routes(graph, orientation, shortest);
}

MyrinetParameters parameters_of(const MyrinetSettings& settings) {
  MyrinetParameters parameters = settings.network;
  parameters.flit = settings.rate.time_for(Bytes(1));
  return parameters;
}

struct Routes {
  RouteTable routes;
};

/// With its routes, which the network needs as long as it lives.
class RoutedMyrinet : private Routes, public MyrinetNetwork {
 public:
  RoutedMyrinet(EventQueue& events, const SwitchGraph& graph, RouteTable&& table,
                const MyrinetParameters& parameters, std::uint64_t seed)
      : Routes{std::move(table)}, MyrinetNetwork(events, graph, routes, parameters, seed) {}
};

std::optional<Complaint> check_myrinet(const MyrinetSettings& settings, std::int64_t hosts) {
  try {
    parameters_of(settings).check();
  } catch (const Error& error) {
    return Complaint{"network.slack", error.what()};
  }
  const bool has_sides = settings.shape == Shape::torus || settings.shape == Shape::express_torus;
  const std::uint64_t switches = std::uint64_t{settings.columns} * settings.rows * settings.planes;
  if (has_sides && switches > most_switches) {
    return Complaint{"network.columns", fmt::format("columns x rows x planes are {} switches, more than {}",
                                                    switches, most_switches)};
  }
  try {
    const SwitchGraph graph = graph_of(settings);
    if (settings.root >= graph.switches()) {
      return Complaint{"network.root", fmt::format("there is no switch {}, only {} numbered from 0",
                                                   settings.root, graph.switches())};
    }
    if (hosts > static_cast<std::int64_t>(graph.hosts())) {
      return Complaint{"hosts.count",
                       fmt::format("{} hosts don't fit: the network has ports for {}", hosts, graph.hosts())};
    }
  } catch (const Error& error) {
    return Complaint{"network.topology", error.what()};
  }
  return std::nullopt;
}

}  // namespace

NetworkKind myrinet_network_kind() {
  const auto table = myrinet_table();
  return {"myrinet",
          "A Myrinet: wormhole switches with source routes, slack buffers with stop and go, and interfaces "
          "that can send packets on (Flich, López, Malumbres and Duato: Boosting the Performance of Myrinet "
          "Networks, 2002). Packets may have any length; the hosts are the network's first ones.",
          table.keys(),
          [](const Settings&) { return std::optional<Bytes>(); },
          [table](const Settings& settings) {
            const auto hosts = settings.find("hosts.count");
            return check_myrinet(table.read(settings),
                                 hosts == settings.end() ? 0 : std::get<std::int64_t>(hosts->second));
          },
          [table](const Settings& settings, EventQueue& events, std::size_t ports, std::uint64_t seed) {
            const MyrinetSettings read = table.read(settings);
            const SwitchGraph graph = graph_of(read);
            if (ports > graph.hosts()) {
              throw Error(
                  fmt::format("the Myrinet has ports for {} hosts, and {} are needed: give it more switches, "
                              "or the hosts more processors",
                              graph.hosts(), ports));
            }
            return std::make_unique<RoutedMyrinet>(events, graph, routes_of(read, graph), parameters_of(read),
                                                   seed);
          }};
}

}  // namespace morgana
