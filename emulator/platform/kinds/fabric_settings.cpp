#include "emulator/platform/kinds/fabric_settings.h"

#include "emulator/platform/route_table.h"
#include "emulator/topology/listed/listed_items.h"

namespace morgana {

using fabric::FabricParameters;

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
          "network.rate; HDR100 and NDR200 are two lanes of HDR and NDR; rate: that key says it")
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
      .key("pause-watchdog", shared(&Shared::watchdog),
           "an output queue of a switch that has been paused for so long is given up: its packets are "
           "lost, and those that come for it or from there (PFC watchdog); 0 s: none is")
      .key("pause-restore", shared(&Shared::restore),
           "a queue that was given up takes packets again once it has not been paused for so long")
      .key("mark-from", marks(&fabric::MarkParameters::from),
           "packets are marked where more waits for their output than this (ECN, FECN; Kmin)")
      .key("mark-to", marks(&fabric::MarkParameters::to),
           "all packets are marked where more waits than this (Kmax); 0 B: none is marked")
      .share("mark-share", marks(&fabric::MarkParameters::share),
             "of packets that are marked where mark-to waits (Pmax); less where less waits")
      .choice("mark-when", marks(&fabric::MarkParameters::when), {"joining", "leaving"},
              "the queue is looked at when a packet joins it, or when it leaves it")
      .choice("mark-victims", marks(&fabric::MarkParameters::victims), {"none", "to-hosts", "all"},
              "with credits: at which outputs packets are marked though they wait for space further on: "
              "none, those to hosts, or all (Victim_Mask of InfiniBand)")
      .key("trim-size", trim(&fabric::TrimParameters::size),
           "on the link, of a packet that finds its queue full and is cut to its header instead of dropped, "
           "where its transport can take that (packet trimming); 0 B: none is",
           {.at_most = "1024 B"})
      .key("trim-class", trim(&fabric::TrimParameters::traffic_class),
           "traffic class in which trimmed packets go on", {.at_most = "7"})
      .choice("trim-packet", trim(&fabric::TrimParameters::which), {"arriving", "either"},
              "which packet is trimmed: the one that finds its queue full; or that one or the last of its "
              "queue, by chance, half and half (either; NDP)")
      .key("classes", parameter(&P::classes), "traffic classes (priorities), which have queues of their own",
           {.at_least = "1", .at_most = "8"})
      .choice("class-arbitration", parameter(&P::lane_arbitration),
              {"round-robin", "strict", "weighted", "deficit-round-robin"},
              "which traffic class a link sends next: round-robin; the lowest with a packet; by "
              "InfiniBand's two tables of weights (weighted), network.high-priority and low-priority; or in "
              "shares of the rate, class-weights (deficit-round-robin; ETS of IEEE 802.1Qaz)")
      .list("class-weights", &S::class_weights, "weights",
            "of deficit-round-robin, for each traffic class: how many of the largest packets it may send in "
            "a round, 1 to 255, or strict, which goes before all that have a weight: \"strict, 3, 1\"")
      .list("high-priority", &S::high_priority, "entries",
            "of weighted: the table that goes first, up to 64 entries of a traffic class and a weight of 1 "
            "to 255 "
            "times 64 B: \"0:64, 1:128\"")
      .list("low-priority", &S::low_priority, "entries",
            "of weighted: the table for when the first one has nothing to send or reached its limit")
      .key("high-priority-limit", nested(&S::parameters, &P::tables, &fabric::LaneTables::high_limit),
           "of weighted: times 4096 B may go by the first table before the other one has a turn; 0: one "
           "packet, 255: no limit",
           {.at_most = "255"})
      .choice("arbitration", parameter(&P::input_arbitration), {"round-robin", "oldest"},
              "which of several inputs sends to an output next: round-robin, or the one whose packet was "
              "injected "
              "first")
      .choice("allocator", parameter(&P::allocator), {"output", "separable-input-first"},
              "how packets that wait at a switch's inputs are chosen: each output takes one of all that may "
              "go there whenever it is free; or, once in an allocation-cycle, each input proposes one packet "
              "and each output grants one of these (a separable allocator, input first)")
      .key("allocation-cycle", parameter(&P::allocation_cycle),
           "of separable-input-first: from one allocation to the next",
           {.at_least = "1 ps", .at_most = "1 ms"})
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
          {"spanning-tree",    "ecmp",    "d-mod-k",  "listed",      "least-loaded",
           "dimension-order",  "s-mod-k", "spray",    "two-choices", "minimal",
           "valiant",          "ugal-l",  "ugal-g",   "par",         "sssp",
           "dfsssp",           "lash",    "flowlets", "dal",         "up-down",
           "spray-round-robin"},
          "which cables packets take between switches; docs/topologies-and-routing.md describes each: those "
          "of "
          "a spanning tree; the fewest, and of equally good ones the one that a hash of the two hosts "
          "(ecmp), the "
          "destination's or source's number (d-mod-k, s-mod-k), chance for each packet (spray) or flowlet "
          "(flowlets), a counter (spray-round-robin), the waits for two of them "
          "(two-choices) or for all (least-loaded) name; one dimension after the other (dimension-order); "
          "the "
          "minimal way on virtual channels that keep it free of deadlock (minimal), detours by chance "
          "(valiant) or the better of the two by their waits (ugal-l; ugal-g, but on a grid; par on a "
          "dragonfly); on a HyperX adaptive ways "
          "with a deroute in each dimension (dal); up*/down* ways (up-down); of any network's shortest "
          "ways those that fewest pairs of hosts use (sssp), the same on virtual channels that keep them "
          "free of deadlock (dfsssp), or pairs of switches on such channels (lash); or as route-table says "
          "(listed)")
      .choice("routes-check", &S::check_routes, {"off", "on"},
              "whether routes by which packets can wait for each other in a cycle are refused; off: if they "
              "do, the "
              "run ends with which packets hold which buffers")
      .key("virtual-lanes", &S::virtual_lanes,
           "of dfsssp and lash: how many virtual channels of each traffic class they may use; they take as "
           "few as they need",
           {.at_least = "1", .at_most = "16"})
      .key("flowlet-gap", parameter(&P::flowlet_gap),
           "of flowlets: a packet that comes to a switch so much after the last one of its flow begins a "
           "flowlet")
      .key("root", route(&RoutesParameters::root),
           "of the spanning tree, and of up-down where no switch is equally far from all hosts: a switch's "
           "number")
      .key("routes-seed", route(&RoutesParameters::seed), "of hashes and of what routes draw by chance")
      .key("detour-threshold", detour(&DetourRules::threshold),
           "of ugal-l, ugal-g, par and dal: a detour is taken if the minimal way's wait, weighed, is longer "
           "by "
           "more")
      .key("detour-candidates", detour(&DetourRules::candidates),
           "of ugal-l, ugal-g and par: so many detours are drawn for a packet, and the one that weighs least "
           "is "
           "compared with the minimal way",
           {.at_least = "1", .at_most = "16"})
      .key("minimal-candidates", detour(&DetourRules::minimal_candidates),
           "of ugal-l, ugal-g and par on a dragonfly: so many minimal ways are drawn for a packet, and the "
           "one "
           "that weighs least is compared with the detour",
           {.at_least = "1", .at_most = "16"})
      .choice("detour-places", detour(&DetourRules::places), {"others", "all"},
              "of valiant, ugal-l, ugal-g and par: the intermediate places (groups of a dragonfly, else "
              "switches) that are drawn: all but the packet's own two, or these, too, for which it takes its "
              "minimal way (Valiant and Brebner 1981). On grids all are")
      .choice("detour-weights", detour(&DetourRules::weight), {"hops", "twice"},
              "of ugal-l, ugal-g, par and dal: the two ways' waits are multiplied by their cables between "
              "switches, "
              "or the minimal way's by 1 and the detour's by 2")
      .key("load-delay", nested(&S::parameters, &P::loads, &fabric::LoadNews::delay),
           "of ugal-g: how old the loads are that a switch knows of another one's outputs; such as the round "
           "trip of a credit")
      .key("load-period", nested(&S::parameters, &P::loads, &fabric::LoadNews::period),
           "of ugal-g: switches broadcast the loads of their outputs so often; 0 s: continuously")
      .key("bit-error-rate", parameter(&P::bit_error_rate),
           "share of the bits on each cable that are wrong: a packet with one is lost",
           {.at_least = "0", .at_most = "0.01"})
      .key("convergence", &S::convergence,
           "from an outage or a recovery until the switches' tables follow it")
      .list(
          "faults", &S::faults, "faults",
          "what fails when: a cable, as in \"cable 0.4 at 10 ms\" (at port 4 of switch 0; a host's too) or "
          "\"cable 0-1 at 10 ms for 5 ms\" (between two switches; it works again afterwards), or \"switch 7 "
          "at 2 s\" with all its cables; with pauses also \"host 5 pauses class 1 at 10 ms for 5 ms\", a "
          "host "
          "whose NIC asks for pauses without need (a pause storm; all classes if none is named)")
      .list("route-table", &S::route_table, "entries", route_table_meaning);
  return table;
}

}  // namespace morgana
