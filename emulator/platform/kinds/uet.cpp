// Ultra Ethernet's transport.
#include "emulator/transport/uet/uet.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "emulator/platform/kinds/transports.h"

namespace morgana {
namespace {

using U = UetParameters;

void add_packet_keys(Table<U>& table) {
  table.key("payload", &U::payload, "of a full packet", {.at_least = "64 B", .at_most = "64 KiB"})
      .key("header", &U::header,
           "of each packet with data: IP, UDP or entropy header, packet delivery (PDS), semantics (SES), "
           "check sequence; what the network's own header does not hold",
           {.at_most = "1024 B"})
      .key("control-packet", &U::control_packet,
           "what an acknowledgement, a NACK or a credit hands the network, likewise",
           {.at_least = "1 B", .at_most = "1024 B"})
      .key("acknowledge-bytes", &U::acknowledge_bytes,
           "on the link, that come before an acknowledgement goes that no packet asks for",
           {.at_least = "1 B"})
      .key("timeout", &U::timeout, "after which a packet is sent again of which nothing was heard",
           {.at_least = "1 us"})
      .key("tries", &U::tries,
           "timeouts of one packet after which it is sent again; one more fails the connection, and its "
           "messages come back",
           {.at_most = "1000", .unit = "timeouts"})
      .key("entropies", &U::entropies,
           "entropy values by which a connection's packets are sprayed: switches with network.routes = ecmp "
           "hash them",
           {.at_least = "1", .at_most = "65536", .unit = "values"})
      .choice("load-balancing", &U::balancing, {"oblivious", "bitmap", "reps", "mixed"},
              "how a packet's entropy value is chosen: one after the other; the same without those that met "
              "congestion (bitmap); one by which a packet met none (reps: recycled entropies), where there "
              "is none by chance or, mixed, by the bitmap");
}

void add_window_keys(Table<U>& table) {
  using N = NsccParameters;
  using D = DctcpParameters;
  const auto nscc = [](auto N::*member) { return nested(&U::nscc, member); };
  table
      .choice("congestion-control", &U::control, {"none", "nscc", "rccc", "both", "dctcp"},
              "of each connection: NSCC, the sender's window by marks and delay; RCCC, credit that the "
              "receiver gives; both; or DCTCP (RFC 8257), the sender's window by the share of marks")
      .key("base-round-trip", nscc(&N::base_round_trip),
           "the longest round trip of a full packet and its acknowledgement without queues",
           {.at_least = "1 ns"})
      .key("most-window", nscc(&N::most_window),
           "of a connection, in what fills its cable in the base-round-trip; it begins with that, also with "
           "RCCC and DCTCP",
           {.more_than = "0", .at_most = "1000"})
      .key("dctcp-gain", nested(&U::dctcp, &D::gain), "g: the weight of what is new in alpha",
           {.more_than = "0", .at_most = "1"})
      .key("dctcp-first-alpha", nested(&U::dctcp, &D::first_alpha), "alpha of a new connection",
           {.at_most = "1"})
      .key("nscc-target", nscc(&N::target), "queueing delay that connections aim at, in base-round-trips",
           {.more_than = "0", .at_most = "1000"})
      .key("nscc-proportional", nscc(&N::proportional),
           "weight of the increase below the target, in packets at 100 Gb/s and 12 us", {.at_most = "1000"})
      .key("nscc-fair", nscc(&N::fair), "the same of the increase above the target, without marks",
           {.at_most = "1000"})
      .key("nscc-eta", nscc(&N::eta), "the same of what is added once in a base-round-trip",
           {.at_most = "1000"})
      .key("nscc-fast", nscc(&N::fast),
           "share of what is acknowledged that is added where there is no queue, at 100 Gb/s and 12 us",
           {.at_most = "1000"})
      .key("nscc-fast-below", nscc(&N::fast_below), "a delay below this is no queue")
      .key("nscc-decrease", nscc(&N::decrease), "gamma: weight of the delay in excess of the target",
           {.more_than = "0", .at_most = "1000"})
      .share("nscc-most-decrease", nscc(&N::most_decrease), "of the window, that one decrease takes at most",
             {.at_most = "99 %"})
      .key("nscc-delay-gain", nscc(&N::delay_gain), "of the average delay",
           {.more_than = "0", .at_most = "1"})
      .key("nscc-quick-adapt-gate", nscc(&N::quick_adapt_gate),
           "quick adapt: the window becomes what has come in a round trip if that is less than the most "
           "window divided by 2 to the power of this",
           {.at_most = "30", .unit = "halvings"})
      .key("nscc-quick-adapt-delay", nscc(&N::quick_adapt_delay),
           "and a packet was trimmed, or delayed by so many targets", {.more_than = "0", .at_most = "1000"})
      .key("nscc-adjust-packets", nscc(&N::adjust_packets),
           "what a window has grown is added after so many packets, or a base-round-trip",
           {.at_most = "1000000", .unit = "packets"});
}

void add_other_keys(Table<U>& table) {
  using R = RcccParameters;
  const auto rccc = [](auto R::*member) { return nested(&U::rccc, member); };
  table
      .key("rccc-pace", rccc(&R::pace), "at which a host gives credit, as a part of its cable's rate",
           {.more_than = "0", .at_most = "1"})
      .key("rccc-credit", rccc(&R::packets), "payloads of full packets that one credit is worth",
           {.at_least = "1", .at_most = "1000", .unit = "packets"})
      .key("data-class", &U::data_class, "traffic class of packets with data", {.at_most = "7"})
      .key("control-class", &U::control_class, "traffic class of acknowledgements, NACKs and credit",
           {.at_most = "7"})
      .key("inline", &U::inline_limit,
           "payload of a message up to which it goes with its work request: the NIC need not fetch it")
      .key("post-latency", &U::post_latency, "from the posting of a work request until the NIC takes it")
      .key("fetch-latency", &U::fetch_latency, "until the first byte of a payload has come from memory")
      .key("fetch-per-byte", &U::fetch_per_byte, "of a message's first packet, before it leaves")
      .key("delivery-latency", &U::delivery_latency, "from a packet's arrival until its payload is in memory")
      .key("delivery-per-byte", &U::delivery_per_byte, "of a packet's payload, in addition")
      .key("completion-latency", &U::completion_latency,
           "from then on, or from an acknowledgement, until software sees the completion")
      .key("message-gap", &U::message_gap, "between two work requests that a NIC takes");
}

Table<U> uet_table() {
  Table<U> table("transport");
  add_packet_keys(table);
  add_window_keys(table);
  add_other_keys(table);
  return table;
}

std::optional<Complaint> check_uet(const U& parameters, const UnitService& network) {
  if (!network.controls)
    return Complaint{"transport.kind",
                     "uet needs switches that mark packets and hash entropy values: set network.kind = "
                     "fabric, or another transport.kind"};
  if (parameters.data_class >= network.traffic_classes)
    return no_such_class("transport.data-class", parameters.data_class, network);
  if (parameters.control_class >= network.traffic_classes)
    return no_such_class("transport.control-class", parameters.control_class, network);
  if (network.largest && parameters.control_packet > *network.largest)
    return Complaint{
        "transport.control-packet",
        fmt::format("{} don't fit into the network's units of {}; set less, or a larger network.mtu",
                    to_text(parameters.control_packet), to_text(*network.largest))};
  if (parameters.timeout <= parameters.nscc.base_round_trip)
    return Complaint{"transport.timeout",
                     fmt::format("{} are over before an acknowledgement can come: set more than the {} of "
                                 "transport.base-round-trip",
                                 to_text(parameters.timeout), to_text(parameters.nscc.base_round_trip))};
  if (network.trims && network.trimmed < parameters.header)
    return Complaint{
        "network.trim-size",
        fmt::format("without network.header {} are left of a trimmed packet, less than the {} of "
                    "transport.header: set at least the sum of both",
                    to_text(network.trimmed), to_text(parameters.header))};
  const Bytes packet = parameters.header + parameters.payload;
  if (network.largest && packet > *network.largest)
    return Complaint{"transport.payload",
                     fmt::format("packets of {} and their header, {} in all, don't fit into the network's "
                                 "units of {}; set a smaller payload, or a larger network.mtu",
                                 to_text(parameters.payload), to_text(packet), to_text(*network.largest))};
  return std::nullopt;
}

}  // namespace

TransportKind uet_transport_kind() {
  const auto table = uet_table();
  TransportKind kind{
      "uet",
      "Ultra Ethernet's transport: packets sprayed by entropy values and placed in any order, selective "
      "acknowledgements, NACKs of trimmed packets, and congestion control by the sender (NSCC, DCTCP) or by "
      "the "
      "receiver's credit (RCCC); RDMA writes and reads.",
      table.keys(),
      [table](const Settings& settings, const UnitService& network) {
        return check_uet(table.read(settings), network);
      },
      [table](const Settings& settings, EventQueue& events, Network& network, std::size_t hosts) {
        return std::make_unique<Uet>(events, network, hosts, table.read(settings));
      },
      false,
      true};
  kind.remote_memory = true;
  kind.has_classes = true;
  return kind;
}

}  // namespace morgana
