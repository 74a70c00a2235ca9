#include "emulator/platform/myrinet_settings.h"

namespace morgana {

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
          .choice("topology", &M::shape,
                  {"torus", "express-torus", "irregular", "cplant", "now", "fat-tree", "listed"},
                  "how switches and hosts are joined; docs/topologies-and-routing.md describes each")
          .key("columns", &M::columns, "of a torus", {.at_least = "1", .at_most = "1024"})
          .key("rows", &M::rows, "of a torus", {.at_least = "1", .at_most = "1024"})
          .key("planes", &M::planes, "of a torus", {.at_least = "1", .at_most = "1024"})
          .key("hosts-per-switch", &M::hosts_per_switch,
               "of a torus, an irregular or a listed network without network.hosts-at",
               {.at_least = "1", .at_most = "128", .unit = "hosts"})
          .key("ports-per-switch", &M::ports_per_switch, "of a torus, an irregular or a listed network",
               {.at_least = "1", .at_most = "128", .unit = "ports"})
          .key("switches", &M::switches, "of an irregular or a listed network",
               {.at_least = "1", .at_most = "4096", .unit = "switches"})
          .key("cables-per-switch", &M::cables_per_switch, "to other switches, in an irregular network",
               {.at_least = "1", .at_most = "127", .unit = "cables"})
          .key("arity", [](M& m) -> unsigned& { return m.fat_tree.arity; },
               "ports of a fat tree's switches in each direction",
               {.at_least = "1", .at_most = "64", .unit = "ports"})
          .key("levels", [](M& m) -> unsigned& { return m.fat_tree.levels; }, "of a fat tree",
               {.at_least = "1", .at_most = "12", .unit = "levels"})
          .list("cables", &M::cables, "cables",
                "of a listed network: between two switches, as in \"0-1\", or two of their ports, as in "
                "\"0.4-1.5\"; others take the lowest ports that are free")
          .list(
              "hosts-at", &M::hosts_at, "switches",
              "where the hosts of a listed network hang, from host 0 on: at a switch, as in \"0\", or a port "
              "of it, as in \"0.3\"; empty: so many at every switch as hosts-per-switch says")
          .key("topology-seed", &M::topology_seed, "of an irregular network's chance")
          .choice("routes", &M::routing, {"up-down", "in-transit", "minimal", "shortest-up-down"},
                  "legal up*/down* paths, balanced; minimal ones with in-transit hosts where they would be "
                  "illegal; "
                  "minimal ones as they are, which can deadlock; the shortest legal ones")
          .key("root", &M::root, "of the up*/down* orientation: a switch's number", {.at_most = "4095"})
          .choice("routes-for", &M::sharing, {"switch-pairs", "host-pairs"},
                  "whose paths may differ; all hosts of two switches share one else")
          .key("routes-seed", &M::routing_seed, "of the order or choice of paths by chance")
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

}  // namespace morgana
