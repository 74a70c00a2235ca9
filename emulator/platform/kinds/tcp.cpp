// TCP, and the kernels that carry it out.
#include "emulator/transport/tcp/tcp.h"

#include <memory>
#include <optional>

#include "emulator/core/error.h"
#include "emulator/platform/kinds/transports.h"

namespace morgana {
namespace {

using P = TcpParameters;

void add_stream_keys(Table<P>& table) {
  table
      .key("header", &P::header, "of each segment, without options: IPv4 20 B and TCP 20 B; IPv6 60 B in all",
           {.at_least = "20 B", .at_most = "256 B"})
      .choice(
          "timestamps", &P::timestamps, {"no", "yes"},
          "RFC 7323: 12 B of each segment; each acknowledgement measures a round trip, otherwise one segment "
          "at a time does")
      .choice("sack", &P::sack, {"no", "yes"},
              "selective acknowledgements (RFC 2018) and repair by them (RFC 6675); otherwise NewReno's (RFC "
              "6582)")
      .choice("recovery", &P::recovery, {"pipe", "prr"},
              "what goes while losses are repaired, with sack = yes: up to the window (RFC 6675), or in "
              "proportion to what is delivered (Proportional Rate Reduction, RFC 6937)")
      .choice("loss-detection", &P::loss_detection, {"duplicates", "rack"},
              "what says that a segment is lost, with sack = yes: three acknowledgements of what lies beyond "
              "it (RFC "
              "6675), or the time since it was sent once a later one has come, with probes for lost tails "
              "(RACK-TLP, RFC 8985)")
      .key("message-header", &P::message_header,
           "what the MPI library writes into the stream in front of each message", {.at_least = "1 B"})
      .key("send-buffer", &P::send_buffer,
           "of a socket (SO_SNDBUF): a message has left its program when its last byte is in it")
      .key("receive-buffer", &P::receive_buffer,
           "of a socket (SO_RCVBUF), all of which is offered as a window", {.at_most = "1073741823 B"})
      .choice("handshake", &P::handshake, {"no", "yes"},
              "whether two processes connect with their first message; no: they have connected before the "
              "program")
      .choice("nagle", &P::nagle, {"no", "yes"},
              "whether a small segment waits until nothing is unacknowledged (RFC 896); MPI libraries set "
              "TCP_NODELAY");
}

void add_repair_keys(Table<P>& table) {
  table
      .key("acknowledge-every", &P::acknowledge_every,
           "segments received in order before an acknowledgement goes at once (RFC 1122, 4.2.3.2)",
           {.at_least = "1", .unit = "segments"})
      .key("acknowledge-delay", &P::acknowledge_delay,
           "after which one goes at the latest; meanwhile it rides on data that goes back")
      .key("quick-acknowledgements", &P::quick_acknowledgements,
           "first segments of a connection that are acknowledged at once", {.unit = "segments"})
      .key("first-timeout", &P::first_timeout, "before a round trip was measured (RFC 6298)",
           {.at_least = "1 us"})
      .key("least-timeout", &P::least_timeout, "without an acknowledgement, before data is sent again",
           {.at_least = "1 us"})
      .key("most-timeout", &P::most_timeout, "that doubling reaches", {.at_least = "1 us"})
      .key("timer-margin", &P::timer_margin,
           "with loss-detection = rack: how much longer a kernel's timers wait before a probe and for "
           "reordered "
           "segments than RFC 8985 says")
      .key("tries", &P::tries, "repetitions without progress; after one more timeout the connection fails",
           {.unit = "repetitions"})
      .key("handshake-tries", &P::handshake_tries, "likewise of a SYN", {.unit = "repetitions"});
}

void add_congestion_keys(Table<P>& table) {
  const auto window = [](auto WindowParameters::*member) { return nested(&P::window, member); };
  const auto cubic = [](auto CubicParameters::*member) { return nested(&P::cubic, member); };
  const auto dctcp = [](auto DctcpParameters::*member) { return nested(&P::dctcp, member); };
  table
      .choice("congestion-control", &P::control, {"new-reno", "cubic", "dctcp"},
              "of each connection's window: NewReno (RFC 5681), CUBIC (RFC 9438) or DCTCP (RFC 8257), which "
              "needs a "
              "network that marks packets")
      .choice("ecn", &P::ecn, {"no", "yes"},
              "whether NewReno and CUBIC take marks for congestion, too (RFC 3168)")
      .choice(
          "restart-after-idle", &P::restart_after_idle, {"no", "yes"},
          "whether a window that was not used for a timeout is at most the initial one again (RFC 5681, 4.1)")
      .key("initial-window", window(&WindowParameters::initial), "of a new connection (RFC 6928)",
           {.at_least = "1", .at_most = "10000", .unit = "segments"})
      .key("slow-start-until", window(&WindowParameters::slow_start),
           "window at which a new connection's slow start ends, if nothing was lost or marked before",
           {.at_least = "1", .at_most = "1000000", .unit = "segments", .zero_word = "unlimited"})
      .key("byte-counting", window(&WindowParameters::byte_counting),
           "segments by which one acknowledgement lets a window grow at most in slow start (RFC 3465, L)",
           {.at_least = "1", .at_most = "1000", .unit = "segments"})
      .key("cubic-c", cubic(&CubicParameters::aggressiveness), "C, segments a cubic second",
           {.more_than = "0", .at_most = "1000"})
      .share("cubic-beta", cubic(&CubicParameters::decrease), "what a loss leaves of the window",
             {.at_least = "0.1", .at_most = "0.9"})
      .choice("cubic-fast-convergence", cubic(&CubicParameters::fast_convergence), {"no", "yes"},
              "whether a flow whose window sinks aims lower, so that new flows get their share sooner")
      .key("dctcp-gain", dctcp(&DctcpParameters::gain), "g: the weight of what is new in alpha",
           {.more_than = "0", .at_most = "1"})
      .key("dctcp-first-alpha", dctcp(&DctcpParameters::first_alpha), "alpha of a new connection",
           {.at_most = "1"})
      .key("traffic-class", &P::traffic_class, "of all segments, in a network with classes",
           {.at_most = "7"});
}

void add_host_keys(Table<P>& table) {
  table
      .key("send-latency", &P::send_latency,
           "from the program's call until the kernel and the NIC may send the bytes")
      .key("receive-latency", &P::receive_latency,
           "from a segment's arrival until TCP has it: interrupt, and the kernel's work up to TCP")
      .key("delivery-latency", &P::delivery_latency,
           "from then on until the program that waits has the message: wake-up and system call");
}

Table<P> tcp_table() {
  Table<P> table("transport");
  add_stream_keys(table);
  add_repair_keys(table);
  add_congestion_keys(table);
  add_host_keys(table);
  return table;
}

std::optional<Complaint> check_tcp(const P& parameters, const UnitService& network) {
  if (!network.largest)
    return Complaint{
        "transport.kind",
        "tcp fills the network's largest units, and this network carries messages of any length; set "
        "another network.kind, or transport.kind = \"direct\""};
  if (parameters.traffic_class >= network.traffic_classes)
    return no_such_class("transport.traffic-class", parameters.traffic_class, network);
  const bool is_prr = parameters.recovery == P::Recovery::prr;
  if (!parameters.sack && (is_prr || parameters.loss_detection == P::LossDetection::rack))
    return Complaint{
        is_prr ? "transport.recovery" : "transport.loss-detection",
        "prr and rack go by what selective acknowledgements report: set transport.sack = yes, or "
        "transport.recovery = pipe and transport.loss-detection = duplicates"};
  const bool is_first = parameters.first_timeout > parameters.least_timeout;
  const SimTime larger = is_first ? parameters.first_timeout : parameters.least_timeout;
  if (parameters.most_timeout < larger)
    return Complaint{"transport.most-timeout", to_text(parameters.most_timeout) + " is less than transport." +
                                                   (is_first ? "first" : "least") + "-timeout = " +
                                                   to_text(larger) + ": raise transport.most-timeout"};
  try {
    Tcp::segment_of(parameters, *network.largest);
  } catch (const Error& error) {
    const Bytes headers = parameters.header + Bytes(parameters.timestamps ? 12 : 0);
    const bool buffers = headers < *network.largest;
    const char* const smaller = parameters.send_buffer < parameters.receive_buffer
                                    ? "transport.send-buffer"
                                    : "transport.receive-buffer";
    return Complaint{buffers ? smaller : "transport.header", error.what()};
  }
  return std::nullopt;
}

}  // namespace

TransportKind tcp_transport_kind() {
  const auto table = tcp_table();
  TransportKind kind{
      "tcp",
      "TCP as kernels have it: a connection for each two processes, a stream of bytes, windows under "
      "congestion "
      "control (CUBIC, NewReno, DCTCP), delayed and selective acknowledgements, fast retransmission, "
      "timeouts.",
      table.keys(),
      [table](const Settings& settings, const UnitService& network) {
        return check_tcp(table.read(settings), network);
      },
      [table](const Settings& settings, EventQueue& events, Network& network, std::size_t hosts) {
        return std::make_unique<Tcp>(events, network, hosts, table.read(settings));
      },
      false,
      true};
  kind.has_classes = true;
  return kind;
}

}  // namespace morgana
