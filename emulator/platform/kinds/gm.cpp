#include "emulator/interface/gm/interfaces.h"
#include "emulator/platform/kinds/interfaces.h"

namespace morgana {
namespace {

Table<gm::Parameters> gm_table() {
  using P = gm::Parameters;
  return Table<P>("interface.gm")
      .key("dispatch", &P::dispatch, "until the processor has found the handler of a pending event",
           {.at_least = "1", .at_most = "100000", .unit = "cycles"})
      .key("handler", &P::handler, "of each state machine's handlers",
           {.at_most = "100000", .unit = "cycles"})
      .choice("in-transit", &P::in_transit_support, {"off", "on"},
              "whether it knows packets in transit, for which it looks at every packet's type")
      .key("type-test", &P::type_test, "of a look at a packet's type",
           {.at_most = "100000", .unit = "cycles"})
      .choice("in-transit-by", &P::recv_starts_sending, {"send", "recv"},
              "which state machine sends a packet in transit on, if the channel is free")
      .key("send-buffers", &P::send_buffers, "packets that an interface holds on their way out",
           {.at_least = "1", .unit = "packets"})
      .key("header", &P::header, "of every packet, behind its type", {.at_most = "1 KiB"})
      .key("largest-payload", &P::largest_payload, "of a packet; longer messages take several",
           {.at_least = "1 B", .at_most = "16 MiB"})
      .choice("acknowledge", &P::acknowledge, {"off", "on"},
              "whether packets are acknowledged, and repeated if they are not; off: what is lost stays lost")
      .key("window", &P::window, "packets that may be unacknowledged between two interfaces",
           {.at_least = "1", .unit = "packets"})
      .choice("early", &P::early, {"refused", "ignored"},
              "what becomes of a packet that comes before a missing one, beside being dropped: the sender is "
              "asked for the missing one, or its time-out mends it")
      .key("timeout", &P::timeout,
           "without progress for this long, all is sent again from the oldest packet on",
           {.at_least = "1 us"})
      .key("tries", &P::tries,
           "repetitions without progress, after which what is unacknowledged is given up and comes back",
           {.at_least = "1", .zero_word = "unlimited"});
}

}  // namespace

LanaiProgram gm_program() {
  const auto table = gm_table();
  return {"gm", table.keys(),
          [table](const Settings& settings, const TransportKind& transport) -> std::optional<Complaint> {
            const gm::Parameters gm = table.read(settings);
            if (transport.repeats && gm.acknowledge)
              return Complaint{"transport.kind",
                               transport.name +
                                   " repeats what is lost, which interface.program \"gm\" does already; set "
                                   "transport.kind = \"direct\" or interface.gm.acknowledge = \"off\""};
            const auto routes = settings.find("network.routes");
            if (!gm.in_transit_support && routes != settings.end() &&
                std::get<std::string>(routes->second) == "in-transit")
              return Complaint{"interface.gm.in-transit",
                               "network.routes lead through hosts whose program does not know packets in "
                               "transit; set it to \"on\" or network.routes = \"up-down\""};
            return std::nullopt;
          },
          [table](const Settings& settings, const LanaiParameters& lanai, EventQueue& events,
                  std::unique_ptr<MyrinetNetwork> network, std::uint64_t) {
            gm::Parameters parameters = table.read(settings);
            parameters.lanai = lanai;
            return std::make_unique<gm::Interfaces>(events, std::move(network), parameters);
          }};
}

}  // namespace morgana
