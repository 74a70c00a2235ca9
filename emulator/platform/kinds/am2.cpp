#include "emulator/interface/am2/interfaces.h"
#include "emulator/platform/kinds/interfaces.h"

namespace morgana {
namespace {

Table<am2::Parameters> am2_table() {
  using P = am2::Parameters;
  const Limits cycles{.at_most = "100000", .unit = "cycles"};
  return Table<P>("interface.am2")
      .key("dispatch", &P::dispatch, "until the processor has found the handler of a pending event",
           {.at_least = "1", .at_most = "100000", .unit = "cycles"})
      .key("message", &P::message, "of serving a message, and of receiving one", cycles)
      .key("completion", &P::completion, "of what follows when a message has left", cycles)
      .key("control", &P::control, "of making an ACK or NACK, and of taking one in", cycles)
      .key("transfer", &P::transfer, "of what follows a transfer over the host's bus", cycles)
      .key("scan", &P::scan, "of a scan of the send table, for each peer", cycles)
      .key("channels", &P::channels, "logical channels between two interfaces, each with one packet",
           {.at_least = "1", .at_most = "256", .unit = "channels"})
      .key("loiter", &P::loiter, "messages of one endpoint before it is the next one's turn",
           {.at_least = "1", .unit = "messages"})
      .key("frames", &P::frames,
           "endpoints that an interface's memory holds; the segment driver loads and unloads the others",
           {.at_least = "1", .unit = "endpoints"})
      .key(
          "receive-queue", &P::receive_queue,
          "messages that each of an endpoint's two receive queues holds, one of requests and one of replies; "
          "others are refused (NACK)",
          {.at_least = "1", .unit = "messages"})
      .key("receive-buffers", &P::receive_buffers,
           "of the largest packet's size, each for one longer message until it is in the host's memory, or "
           "for "
           "short ones and ACKs side by side until the interface's processor has looked at them; while none "
           "is "
           "empty the link is stopped",
           {.at_least = "1", .unit = "packets"})
      .key("send-buffers", &P::send_buffers, "longer messages that an interface holds on their way out",
           {.at_least = "1", .unit = "messages"})
      .key("short-message", &P::short_message,
           "up to this a message is moved by the host's processor, and not by DMA", {.at_most = "8 KiB"})
      .key("largest-payload", &P::largest_payload, "of a packet; longer messages take several",
           {.at_least = "1 B", .at_most = "16 MiB"})
      .key("header", &P::header, "of every message on the network, behind its type", {.at_most = "1 KiB"})
      .key("control-size", &P::control_size, "of an ACK or NACK, behind its type", {.at_most = "1 KiB"})
      .key("quantum", &P::quantum, "between two scans, which send again what has no ACK for half of it",
           {.at_least = "1 us"})
      .key("tries", &P::tries, "retransmissions without ACK or NACK, after which a message is returned",
           {.at_least = "1"})
      .key("evict-every", &P::evict_every,
           "after which a host's endpoints lose their frames, if they have moved a message since they were "
           "loaded; 0 s: only to others that want them")
      .key("residence", &P::residence,
           "for which an endpoint keeps its frame at least, once it has been loaded, while others want it")
      .key(
          "load", &P::load,
          "until the segment driver has loaded an endpoint that has something to send, or to receive, into a "
          "free frame",
          {.at_least = "1 ns"});
}

}  // namespace

LanaiProgram am2_program() {
  const auto table = am2_table();
  return {"am2", table.keys(),
          [](const Settings& settings, const TransportKind& transport) -> std::optional<Complaint> {
            if (transport.repeats)
              return Complaint{"transport.kind",
                               transport.name +
                                   " repeats what is lost, which interface.program \"am2\" does already; set "
                                   "transport.kind = \"direct\""};
            const auto routes = settings.find("network.routes");
            if (routes != settings.end() && std::get<std::string>(routes->second) == "in-transit")
              return Complaint{"network.routes",
                               "in-transit routes lead through hosts, and interface.program \"am2\" sends no "
                               "packet on; set it to \"up-down\" or interface.program = \"gm\""};
            return std::nullopt;
          },
          [table](const Settings& settings, const LanaiParameters& lanai, EventQueue& events,
                  std::unique_ptr<MyrinetNetwork> network, std::uint64_t seed) {
            am2::Parameters parameters = table.read(settings);
            parameters.lanai = lanai;
            return std::make_unique<am2::Interfaces>(events, std::move(network), parameters, seed);
          }};
}

}  // namespace morgana
