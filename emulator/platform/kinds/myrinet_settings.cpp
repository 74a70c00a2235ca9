#include "emulator/platform/kinds/myrinet_settings.h"

#include "emulator/network/myrinet/routes/routes_along.h"
#include "emulator/network/myrinet/routes/shortest_routes.h"
#include "emulator/network/myrinet/routes/simple_routes.h"
#include "emulator/platform/route_table.h"

namespace morgana {
namespace {

TopologyRules myrinet_rules() {
  return {.usual = "torus",
          .most_switches = "4096",
          .ports_have_numbers = true,
          .fallbacks = {{"network.switches", std::int64_t{16}},
                        {"network.arity", std::int64_t{4}},
                        {"network.hosts-per-switch", std::int64_t{8}}}};
}

}  // namespace

const Table<MyrinetSettings>& myrinet_table() {
  using M = MyrinetSettings;
  const auto network = [](auto MyrinetParameters::*member) {
    return [member](M & m) -> auto& {
      return m.network.*member;
    };
  };
  using P = MyrinetParameters;
  static const auto table =
      Table<M>("network")
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
          .key("go-below", network(&P::go_below), "with fewer, it may go on",
               {.at_least = "1", .unit = "flits"})
          .key("type", network(&P::type_bytes), "of a packet's type, between its route and its data",
               {.at_least = "1", .at_most = "64", .unit = "bytes"})
          .key("in-transit.detection", network(&P::detection),
               "from the arrival of a packet's in-transit mark until the interface knows")
          .key("in-transit.programming", network(&P::dma_programming),
               "of the DMA that sends it on, after that")
          .key("in-transit.pool", network(&P::pool), "of each interface, for packets in transit",
               {.at_most = "1 GiB"})
          .choice("in-transit.overflow", network(&P::overflow), {"discard", "host-memory"},
                  "what becomes of a packet that the pool has no room for")
          .key("in-transit.host-memory", network(&P::host_memory_delay),
               "from the last byte of such a packet in host memory until it may be sent on")
          .key(
              "in-transit.priority-threshold", network(&P::priority_threshold),
              "as many local ones waiting are equal to packets in transit; the fewer wait, the later they go",
              {.at_most = "1000000", .unit = "packets"})
          .share("corruption", network(&P::corruption),
                 "probability that a packet is corrupted on a cable that it crosses; it is lost then")
          .key("deadlock-timeout", network(&P::deadlock_timeout),
               "a packet that is blocked this long at a switch is lost; 0 s: never")
          .also(topology_keys(myrinet_rules()))
          .choice("routes", &M::routing, {"up-down", "in-transit", "minimal", "shortest-up-down", "listed"},
                  "legal up*/down* paths, balanced; minimal ones with in-transit hosts where they would be "
                  "illegal; "
                  "minimal ones as they are, which can deadlock; the shortest legal ones; or as route-table "
                  "says, "
                  "which can deadlock")
          .key("root", &M::root, "of the up*/down* orientation: a switch's number", {.at_most = "4095"})
          .choice("routes-for", &M::sharing, {"switch-pairs", "host-pairs"},
                  "whose paths may differ; all hosts of two switches share one else")
          .key("routes-seed", &M::routing_seed, "of the order or choice of paths by chance")
          .list("route-table", &M::route_table, "entries", route_table_meaning)
          .list(
              "faults", &M::faults, "faults",
              "what dies when, and stays dead: a cable, as in \"cable 0.4 at 10 ms\" (at port 4 of switch 0; "
              "a host's too) or \"cable 0-1 at 10 ms\" (between two switches), or \"switch 7 at 2 s\" with "
              "all its cables");
  return table;
}

MyrinetParameters parameters_of(const MyrinetSettings& settings) {
  MyrinetParameters parameters = settings.network;
  parameters.flit = settings.rate.time_for(Bytes(1));
  return parameters;
}

NetworkTopology myrinet_topology(const Settings& settings) {
  const MyrinetSettings myrinet = myrinet_table().read(settings);
  return {settings, myrinet_rules(), {myrinet.rate, myrinet.network.cable}};
}

RouteTable routes_of(const MyrinetSettings& settings, const SwitchGraph& graph) {
  const UpDown orientation(graph, settings.root);
  const ShortestRouteOptions shortest{.sharing = settings.sharing, .seed = settings.routing_seed};
  switch (settings.routing) {
    case MyrinetRouting::up_down:
      return simple_routes(graph, orientation, {.sharing = settings.sharing, .seed = settings.routing_seed});
    case MyrinetRouting::in_transit:
      return in_transit_routes(graph, orientation, shortest);
    case MyrinetRouting::minimal:
      return minimal_routes(graph, shortest);
    case MyrinetRouting::listed:
      return routes_along(graph, *route_table(settings.route_table, graph, graph));
    case MyrinetRouting::shortest_up_down:
      break;
  }
  return shortest_up_down_routes(graph, orientation, shortest);
}

}  // namespace morgana
