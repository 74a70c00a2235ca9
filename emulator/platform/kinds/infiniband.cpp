// Reliable connections of InfiniBand and RoCE v2.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "emulator/platform/kinds/transports.h"
#include "emulator/platform/sections.h"
#include "emulator/transport/infiniband/reliable_connections.h"

namespace morgana {
namespace {

Table<RcParameters> rc_table() {
  using P = RcParameters;
  using D = DcqcnParameters;
  using H = HpccParameters;
  using S = SwiftParameters;
  using T = TimelyParameters;
  using C = CctParameters;
  const auto dcqcn = [](auto D::*member) { return nested(&P::dcqcn, member); };
  const auto hpcc = [](auto H::*member) { return nested(&P::hpcc, member); };
  const auto swift = [](auto S::*member) { return nested(&P::swift, member); };
  const auto timely = [](auto T::*member) { return nested(&P::timely, member); };
  const auto cct = [](auto C::*member) { return nested(&P::cct, member); };
  const auto dctcp = [](auto DctcpParameters::*member) { return nested(&P::dctcp, member); };
  return Table<P>("transport")
      .key("path-mtu", &P::path_mtu, "payload of a packet: 256 B, 512 B, 1024 B, 2048 B or 4096 B",
           {.at_least = "256 B", .at_most = "4096 B"})
      .key("global-header", &P::global_header,
           "of each packet, in addition to BTH, ICRC and what its opcode needs: GRH 40 B; RoCE v2: IPv4 and "
           "UDP 28 B, "
           "IPv6 and UDP 48 B",
           {.at_most = "256 B"})
      .choice(
          "udp-source-port", &P::udp_source_port, {"none", "queue-pair"},
          "by what switches that hash flows (network.routes = ecmp, flowlets) tell queue pairs apart: none, "
          "so that all packets of two hosts are one flow, as with InfiniBand; with RoCE v2 each queue pair "
          "has a UDP source port of its own")
      .key("acknowledge-every", &P::acknowledge_every,
           "packets of a message, of which the last asks for an acknowledgement (AckReq); the last one of "
           "the message "
           "always asks; "
           "last: no other one does",
           {.at_least = "1", .unit = "packets", .zero_word = "last"})
      .key("timeout", &P::timeout,
           "without progress, then all is sent again from the oldest unacknowledged packet on: 4.096 us "
           "times 2 to the "
           "power of this; never: losses at the end of a message are not repaired",
           {.at_least = "1", .at_most = "31", .zero_word = "never"})
      .key("retry-count", &P::retry_count,
           "retries without progress, after a timeout or a NAK; one more fails the queue pair, and its "
           "messages come back",
           {.at_most = "7", .unit = "retries"})
      .key("rnr-retry", &P::rnr_retry,
           "retries without progress where the receiver has no receive posted (RNR NAK), before the queue "
           "pair fails; 7: "
           "without end",
           {.at_most = "7", .unit = "retries"})
      .key("rnr-timer", &P::rnr_timer, "from an RNR NAK until the packet is sent again", {.at_least = "1 ns"})
      .key("receives", &P::receives,
           "receives that each queue pair has posted for sends; unlimited: there is always one",
           {.at_least = "1", .unit = "receives", .zero_word = "unlimited"})
      .key("repost", &P::repost, "from the delivery of a send until its receive is posted again")
      .choice(
          "early-packets", &P::early, {"by-network", "refused", "kept", "selective"},
          "what becomes of packets that come before earlier ones of their queue pair: refused (NAK), as the "
          "specification has it; kept until those have come, as NICs for adaptive routing do; selective: "
          "kept "
          "and acknowledged one by one, so that only what is lost is sent again (IRN: Mittal et al., SIGCOMM "
          "2018); by-network: kept where packets of two hosts may overtake each other")
      .key("low-timeout", &P::low_timeout,
           "with early-packets = selective, in place of timeout while few packets are under way (RTO_low of "
           "IRN): 4.096 us times 2 to the power of this; same: as timeout",
           {.at_least = "1", .at_most = "31", .zero_word = "same"})
      .key("low-timeout-packets", &P::low_timeout_packets,
           "that may be under way with low-timeout (N of IRN)",
           {.at_least = "1", .at_most = "4194304", .unit = "packets"})
      .key("outstanding-packets", &P::outstanding_packets, "PSNs of a queue pair that may be unacknowledged",
           {.at_least = "1", .at_most = "4194304", .unit = "packets"})
      .key("outstanding-messages", &P::outstanding_messages,
           "work requests of a queue pair that may be incomplete",
           {.at_least = "1", .at_most = "4194304", .unit = "messages"})
      .key("outstanding-reads", &P::outstanding_reads,
           "RDMA reads of a queue pair that may be incomplete (max_rd_atomic)",
           {.at_least = "1", .at_most = "4194304", .unit = "reads"})
      .key("inline", &P::inline_limit,
           "a send or write of at most so many bytes is in the work request: the NIC does not fetch it")
      .key("post-latency", &P::post_latency,
           "from the posting of a work request (doorbell) until the NIC has it")
      .key("fetch-latency", &P::fetch_latency,
           "from then on until the first byte of a payload has come from the host's memory; also of what a "
           "read asks for")
      .key("fetch-per-byte", &P::fetch_per_byte,
           "in addition, of the first packet's payload, which leaves once the NIC has all of it")
      .key("delivery-latency", &P::delivery_latency,
           "from a packet's arrival until its payload is in the host's memory")
      .key("delivery-per-byte", &P::delivery_per_byte, "in addition, of the packet's payload")
      .key("completion-latency", &P::completion_latency,
           "from then on until software sees the completion; the same for a sender, from the acknowledgement "
           "on")
      .key("message-gap", &P::message_gap, "between two work requests that a NIC takes")
      .choice(
          "congestion-control", &P::control, {"none", "dcqcn", "hpcc", "swift", "timely", "cct", "dctcp"},
          "of each queue pair's data: none, so that it sends whenever it can; the pace of DCQCN (Zhu et al., "
          "SIGCOMM 2015) on a network that marks packets; the window and pace of HPCC (Li et al., SIGCOMM "
          "2019) by telemetry of the switches; the window of Swift (Kumar et al., SIGCOMM 2020) by delay; "
          "the pace of TIMELY (Mittal et al., SIGCOMM 2015) by how round trips change; "
          "the gaps of InfiniBand's own control (FECN, BECN, CCT) on a network that marks packets; or there "
          "the window and pace of DCTCP (RFC 8257). With hpcc, swift, timely and dctcp each packet of a "
          "message asks "
          "for an acknowledgement")
      .key("data-class", &P::data_class, "traffic class of all other packets", {.at_most = "7"})
      .key("cnp-class", &P::cnp_class, "traffic class of CNPs", {.at_most = "7"})
      .key("cnp-interval", dcqcn(&D::cnp_interval),
           "a receiver sends a queue pair one CNP in this time at most; 0 s: one for each marked packet")
      .key("dcqcn-gain", dcqcn(&D::gain), "g: the weight of what is new in alpha",
           {.more_than = "0", .at_most = "1"})
      .key("dcqcn-first-alpha", dcqcn(&D::first_alpha), "alpha with the first CNP", {.at_most = "1"})
      .key("dcqcn-alpha-timer", dcqcn(&D::alpha_timer), "after which alpha decays", {.at_least = "1 ns"})
      .choice("dcqcn-alpha-growth", dcqcn(&D::growth), {"with-notifications", "by-period"},
              "alpha grows with each CNP, or once each alpha-timer in which one has come")
      .key("dcqcn-cut-interval", dcqcn(&D::cut_interval),
           "the rate is cut once in this time if a CNP has come; 0 s: at once with each CNP")
      .choice("dcqcn-clamp-target", dcqcn(&D::clamp_target), {"no", "yes"},
              "whether a cut lowers the target rate, too, if the rate has not grown since the last cut")
      .key("dcqcn-increase-timer", dcqcn(&D::increase_timer), "between two steps up", {.at_least = "1 ns"})
      .key("dcqcn-byte-counter", dcqcn(&D::byte_counter), "bytes between two more steps up; 0 B: none")
      .key("dcqcn-fast-recovery", dcqcn(&D::fast_recovery),
           "F: steps half of the way back to the target rate, before the target rate grows",
           {.at_least = "1", .at_most = "1000", .unit = "steps"})
      .key("dcqcn-additive-increase", dcqcn(&D::additive_increase),
           "of the target rate at each step after that")
      .key("dcqcn-hyper-increase", dcqcn(&D::hyper_increase), "of the target rate at each later step")
      .key("dcqcn-least-rate", dcqcn(&D::least_rate), "that a cut leaves")
      .key("cct-increase", cct(&C::increase), "CCTI_Increase: by which a CNP (BECN) raises the index",
           {.at_least = "1", .at_most = "16383"})
      .key("cct-limit", cct(&C::limit), "CCTI_Limit: the last index of the table", {.at_most = "16383"})
      .key("cct-least", cct(&C::least), "CCTI_Min: the index without congestion", {.at_most = "16383"})
      .key("cct-timer", cct(&C::timer), "CCTI_Timer: each time it runs out the index decreases by 1",
           {.at_least = "1 ns"})
      .key("cct-step", cct(&C::step),
           "the gap after a packet is index times so many eighths of the time that the packet takes",
           {.at_least = "1", .at_most = "16383", .unit = "eighths"})
      .key(
          "telemetry-header", &P::telemetry_header,
          "that hpcc adds to each packet of data and to its acknowledgement: 2 B, and 8 B for each port that "
          "has space to record its queue, bytes, time and rate (Li et al., SIGCOMM 2019: 42 B for 5 ports)",
          {.at_least = "10 B", .at_most = "2042 B"})
      .key(
          "hpcc-base-round-trip", hpcc(&H::base_round_trip),
          "T: round trip between the two hosts that are farthest from each other, without queues (Li et al.: "
          "13 us at 100 Gb/s); a flow starts with a window of its line rate times T",
          {.at_least = "1 ns"})
      .share("hpcc-utilization", hpcc(&H::utilization), "eta: the share of a link's rate that flows aim at",
             {.at_least = "1 %"})
      .key("hpcc-stages", hpcc(&H::stages),
           "maxStage: round trips of additive increase before a multiplicative one",
           {.at_most = "1000", .unit = "round trips"})
      .key(
          "hpcc-flows", hpcc(&H::flows),
          "N: flows that share a link at most; the additive increase is the first window times (1 - eta) / N",
          {.at_least = "1", .at_most = "1000000", .unit = "flows"})
      .key("hpcc-least-rate", hpcc(&H::least_rate),
           "that windows leave a flow, divided by T; the authors' simulator has 1 Gb/s",
           {.at_least = "1 kb/s"})
      .key("swift-base-target", swift(&S::base_target),
           "delay of a packet and its acknowledgement that flows aim at, without what switches and small "
           "windows add; more than the round trip without queues",
           {.at_least = "1 ns"})
      .key("swift-hop-target", swift(&S::hop_target), "in addition, for each switch on the way")
      .key("swift-flow-range", swift(&S::flow_range),
           "fs_range: the most that small windows add to the target")
      .key("swift-flow-least", swift(&S::flow_least),
           "fs_min_cwnd: the window, in packets, that adds all of swift-flow-range",
           {.more_than = "0", .at_most = "0.99"})
      .key("swift-flow-most", swift(&S::flow_most),
           "fs_max_cwnd: the window, in packets, from which on nothing is added",
           {.at_least = "1", .at_most = "10000"})
      .key("swift-increase", swift(&S::increase), "ai: packets by which a window grows each round trip",
           {.more_than = "0", .at_most = "1000"})
      .key("swift-decrease", swift(&S::decrease),
           "beta: the weight of the delay in excess of the target in a decrease",
           {.more_than = "0", .at_most = "1000"})
      .key("swift-most-decrease", swift(&S::most_decrease),
           "max_mdf: the share of the window that a decrease takes at most",
           {.more_than = "0", .at_most = "0.99"})
      .key("swift-first-window", swift(&S::first_window), "of a flow, in packets",
           {.more_than = "0", .at_most = "10000"})
      .key("swift-least-window", swift(&S::least_window),
           "min_cwnd, in packets; below 1 a packet is sent each round trip divided by the window",
           {.more_than = "0", .at_most = "1"})
      .key("swift-most-window", swift(&S::most_window), "max_cwnd, in packets",
           {.at_least = "1", .at_most = "10000"})
      .key("swift-timeouts", swift(&S::timeouts_to_least),
           "RETX_RESET_THRESHOLD: timeouts one after the other that make the window the least one",
           {.at_least = "1", .at_most = "1000", .unit = "timeouts"})
      .choice("timely-change", timely(&T::change), {"segment", "round-trip"},
              "when the rate changes: with each segment that is acknowledged (Mittal et al.), or once a "
              "round trip, as "
              "in the simulator of Li et al. (HPCC, SIGCOMM 2019), which paces each packet (timely-segment = "
              "\"1 B\")")
      .key(
          "timely-segment", timely(&T::segment),
          "bytes on the link that are sent back to back, and acknowledged before the rate changes; Mittal et "
          "al. have 16 KB to 64 KB",
          {.at_least = "1 B", .at_most = "16 MiB"})
      .key("timely-low", timely(&T::low), "T_low: below this round trip the rate always grows")
      .key("timely-high", timely(&T::high),
           "T_high: above this round trip the rate shrinks, however round trips change", {.at_least = "1 ns"})
      .key("timely-least-round-trip", timely(&T::least_round_trip),
           "minRTT: by which the change of round trips is divided; the round trip without queues",
           {.at_least = "1 ns"})
      .key("timely-step", timely(&T::step),
           "delta: additive increase of the rate (10 Mb/s for links of 10 Gb/s)", {.at_least = "1 kb/s"})
      .key("timely-decrease", timely(&T::decrease), "beta: the weight of a multiplicative decrease",
           {.more_than = "0", .at_most = "1"})
      .key("timely-gain", timely(&T::gain), "alpha: the weight of the last change of the round trip",
           {.more_than = "0", .at_most = "1"})
      .key("timely-active-after", timely(&T::active_after),
           "segments with ever shorter round trips before hyperactive increase; increases with timely-change "
           "= "
           "round-trip",
           {.at_least = "1", .at_most = "1000", .unit = "segments"})
      .key("timely-active-steps", timely(&T::active_steps),
           "N: additive increases in one of hyperactive increase",
           {.at_least = "1", .at_most = "1000", .unit = "steps"})
      .key("timely-least-rate", timely(&T::least_rate), "that a decrease leaves", {.at_least = "1 kb/s"})
      .key("dctcp-gain", dctcp(&DctcpParameters::gain), "g: the weight of what is new in alpha",
           {.more_than = "0", .at_most = "1"})
      .key("dctcp-first-alpha", dctcp(&DctcpParameters::first_alpha), "alpha of a new queue pair",
           {.at_most = "1"})
      .key("dctcp-base-round-trip", &P::dctcp_round_trip,
           "round trip between the two hosts that are farthest from each other, without queues; a flow "
           "starts with a window of its line rate times this, and never has more",
           {.at_least = "1 ns"})
      .key("first-psn", &P::first_psn, "of each queue pair", {.at_most = "16777215"});
}

std::optional<Complaint> check_rc(const RcParameters& parameters, const UnitService& network) {
  if (parameters.control != RcParameters::Control::none && !network.controls)
    return Complaint{
        "transport.congestion-control",
        "congestion control of queue pairs needs switches that mark packets and record telemetry: "
        "set network.kind = fabric, or transport.congestion-control = none"};
  if (constexpr Bytes udp_over_ip{20 + 8};
      parameters.udp_source_port == RcParameters::UdpSourcePort::queue_pair &&
      parameters.global_header < udp_over_ip)
    return Complaint{"transport.udp-source-port",
                     "packets without a UDP header have no source port: set transport.global-header = 28 B "
                     "(IPv4 and UDP) or 48 B (IPv6 and UDP), or transport.udp-source-port = none"};
  if (parameters.timeout > 0 && parameters.low_timeout > parameters.timeout)
    return Complaint{"transport.low-timeout",
                     fmt::format("{} is longer than transport.timeout = {}, in whose place it is while few "
                                 "packets are under way: set at most that, or \"same\"",
                                 parameters.low_timeout, parameters.timeout)};
  if (parameters.timely.low > parameters.timely.high)
    return Complaint{"transport.timely-low",
                     fmt::format("{} is more than transport.timely-high = {}: set at most that",
                                 to_text(parameters.timely.low), to_text(parameters.timely.high))};
  const CctParameters& cct = parameters.cct;
  if (cct.least > cct.limit)
    return Complaint{
        "transport.cct-least",
        fmt::format("{} is beyond the table's last index, transport.cct-limit = {}", cct.least, cct.limit)};
  if (constexpr std::int64_t most = 16'383; std::int64_t{cct.limit} * cct.step > most)
    return Complaint{"transport.cct-limit",
                     fmt::format("its entry is {} eighths (times transport.cct-step), and a table's entry "
                                 "holds at most {}",
                                 std::int64_t{cct.limit} * cct.step, most)};
  if (parameters.data_class >= network.traffic_classes)
    return no_such_class("transport.data-class", parameters.data_class, network);
  if (parameters.cnp_class >= network.traffic_classes)
    return no_such_class("transport.cnp-class", parameters.cnp_class, network);
  constexpr std::array<std::int64_t, 5> mtus{256, 512, 1024, 2048, 4096};
  if (std::ranges::find(mtus, parameters.path_mtu.count()) == mtus.end())
    return Complaint{
        "transport.path-mtu",
        to_text(parameters.path_mtu) +
            " is not one of the path MTUs of InfiniBand: 256 B, 512 B, 1024 B, 2048 B or 4096 B"};
  const Bytes packet = ReliableConnections::largest_packet(parameters);
  if (network.largest && packet > *network.largest)
    return Complaint{"transport.path-mtu",
                     fmt::format("packets of {} and their headers{}, {} in all, don't fit into the network's "
                                 "units of {}; set a smaller path-mtu, or a larger network.mtu",
                                 to_text(parameters.path_mtu),
                                 parameters.control == RcParameters::Control::hpcc ? ", with telemetry" : "",
                                 to_text(packet), to_text(*network.largest))};
  return std::nullopt;
}

}  // namespace

TransportKind rc_transport_kind() {
  const auto table = rc_table();
  TransportKind kind{
      "rc",
      "Reliable connections of InfiniBand and RoCE v2: a queue pair for each two processes, RDMA writes and "
      "reads, "
      "numbered packets (24-bit PSNs), acknowledgements, go-back-N after NAKs and timeouts, RNR NAKs, retry "
      "counts.",
      table.keys(),
      [table](const Settings& settings, const UnitService& network) {
        return check_rc(table.read(settings), network);
      },
      [table](const Settings& settings, EventQueue& events, Network& network, std::size_t hosts) {
        return std::make_unique<ReliableConnections>(events, network, hosts, table.read(settings),
                                                     host_table().read(settings).pcie);
      },
      false,
      true};
  kind.remote_memory = true;
  kind.has_classes = true;
  kind.has_pcie = true;
  return kind;
}

}  // namespace morgana
