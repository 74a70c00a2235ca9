#include "emulator/platform/transports.h"

#include <cassert>

#include "emulator/transport/direct/direct.h"
#include "emulator/transport/gobackn/go_back_n.h"

namespace morgana {
namespace {

TransportKind direct() {
  return {"direct",
          "A message is one unit of the network and the interface does nothing else; for networks that carry "
          "messages of any length.",
          {},
          [](const Settings&, std::optional<Bytes> largest_unit) -> std::optional<Complaint> {
            if (!largest_unit) return std::nullopt;
            return Complaint{"transport.kind",
                             "direct can't cut messages into this network's frames of at most " +
                                 std::to_string(largest_unit->count()) +
                                 " B; set transport.kind = \"go-back-n\""};
          },
          [](const Settings&, EventQueue&, Network& network, std::size_t) {
            return std::make_unique<DirectTransport>(network);
          }};
}

TransportKind go_back_n() {
  using Parameters = GoBackNParameters;
  const auto table =
      Table<Parameters>("transport")
          .key("header", &Parameters::header, "in every unit (TCP/IP: 40 B)", {.at_most = "1 KiB"})
          .key("window", &Parameters::window, "unacknowledged units that a connection may have under way",
               {.at_least = "1", .unit = "units"})
          .key("acknowledge-every", &Parameters::acknowledge_every,
               "units received in order before an acknowledgement goes out by itself",
               {.at_least = "1", .unit = "units"})
          .key("acknowledge-delay", &Parameters::acknowledge_delay,
               "an acknowledgement waits at most this long for a unit to ride on")
          .key("retransmit-after", &Parameters::retransmit_after,
               "without progress for this long, all is sent again from the oldest unit on; doubles up to 64 "
               "times",
               {.at_least = "1 us"})
          .key("tries", &Parameters::tries,
               "repetitions without progress, after which what is unacknowledged is given up and comes back",
               {.at_least = "1", .zero_word = "unlimited"});
  return {"go-back-n",
          "Reliable, ordered messages: units that fill the network's largest, numbered, with cumulative "
          "acknowledgements, sent again from the oldest on after a time-out.",
          table.keys(),
          [table](const Settings& settings, std::optional<Bytes> largest_unit) -> std::optional<Complaint> {
            const Bytes header = table.read(settings).header;
            if (!largest_unit || header < *largest_unit) return std::nullopt;
            return Complaint{"transport.header", to_text(header) + " leaves no room for data in units of " +
                                                     std::to_string(largest_unit->count()) + " B"};
          },
          [table](const Settings& settings, EventQueue& events, Network& network, std::size_t hosts) {
            return std::make_unique<GoBackN>(events, network, hosts, table.read(settings));
          },
          false,
          true};
}

}  // namespace

const std::vector<TransportKind>& transport_kinds() {
  static const std::vector<TransportKind> kinds{direct(), go_back_n(), aal5_transport_kind(),
                                                sscop_transport_kind()};
  return kinds;
}

const TransportKind& transport_kind(const std::string& name) {
  for (const TransportKind& kind : transport_kinds())
    if (kind.name == name) return kind;
  assert(false);
  return transport_kinds().front();
}

std::string usual_transport(const NetworkKind& network, const Settings& settings) {
  if (network.carries_cells) return "aal5";
  return network.largest_unit(settings) ? "go-back-n" : "direct";
}

}  // namespace morgana
