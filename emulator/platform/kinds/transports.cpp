#include "emulator/platform/kinds/transports.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "emulator/platform/kinds/push_pull.h"
#include "emulator/transport/direct/direct.h"

namespace morgana {
namespace {

TransportKind direct() {
  TransportKind kind{
      "direct",
      "A message is one unit of the network and the interface does nothing else; for networks that carry "
      "messages of any length.",
      {},
      [](const Settings&, const UnitService& network) -> std::optional<Complaint> {
        if (!network.largest) return std::nullopt;
        return Complaint{"transport.kind",
                         "direct can't cut messages into this network's frames of at most " +
                             std::to_string(network.largest->count()) +
                             " B; set transport.kind = \"go-back-n\""};
      },
      [](const Settings&, EventQueue&, Network& network, std::size_t) {
        return std::make_unique<DirectTransport>(network);
      }};
  kind.sends_single_units = true;
  return kind;
}

TransportKind go_back_n_kind() {
  Table<GoBackNParameters> table("transport");
  add_go_back_n_keys(
      table, [](auto& parameters) -> auto& { return parameters; });
  return {"go-back-n",
          "Reliable, ordered messages: units that fill the network's largest, numbered, with cumulative "
          "acknowledgements, sent again from the oldest on after a time-out.",
          table.keys(),
          [table](const Settings& settings, const UnitService& network) -> std::optional<Complaint> {
            const Bytes header = table.read(settings).header;
            if (!network.largest || header < *network.largest) return std::nullopt;
            return Complaint{"transport.header", to_text(header) + " leaves no room for data in units of " +
                                                     std::to_string(network.largest->count()) + " B"};
          },
          [table](const Settings& settings, EventQueue& events, Network& network, std::size_t hosts) {
            return std::make_unique<GoBackN>(events, network, hosts, table.read(settings));
          },
          false,
          true};
}

}  // namespace

const std::vector<TransportKind>& transport_kinds() {
  static const std::vector<TransportKind> kinds{direct(),
                                                go_back_n_kind(),
                                                rc_transport_kind(),
                                                tcp_transport_kind(),
                                                uet_transport_kind(),
                                                aal5_transport_kind(),
                                                push_pull_transport_kind(),
                                                gam_transport_kind(),
                                                sscop_transport_kind(),
                                                pcaal_transport_kind(),
                                                ece_transport_kind()};
  return kinds;
}

const TransportKind& transport_kind(const std::string& name) {
  for (const TransportKind& kind : transport_kinds())
    if (kind.name == name) return kind;
  assert(false);
  return transport_kinds().front();
}

Complaint no_such_class(std::string key, unsigned traffic_class, const UnitService& network) {
  return {std::move(key),
          fmt::format("the network has {} traffic class{}, and {} is not below that; set it to 0, "
                      "or network.classes = {} of a network.kind = fabric",
                      network.traffic_classes, network.traffic_classes == 1 ? "" : "es", traffic_class,
                      traffic_class + 1)};
}

std::string usual_transport(const NetworkKind& network, const Settings& settings) {
  if (network.carries_cells) return "aal5";
  return network.largest_unit(settings) ? "go-back-n" : "direct";
}

}  // namespace morgana
