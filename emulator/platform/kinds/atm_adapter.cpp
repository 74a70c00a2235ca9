#include "emulator/platform/kinds/atm_adapter.h"

namespace morgana {
namespace {

/// [interface] as it is written; AtmInterface is made of it.
struct AdapterSettings {
  SimTime controller, transfer, bus, host_delay;
  SimTime send_per_packet, receive_per_packet;
  bool serial = false;
};

Table<AdapterSettings> adapter_table() {
  using A = AdapterSettings;
  return Table<A>("interface")
      .key("controller", &A::controller, "the adapter's controller, for each cell at both ends")
      .key("transfer", &A::transfer, "control and data transfer, for each cell at both ends")
      .key("bus", &A::bus, "transfer over the host's bus, for each cell at both ends")
      .key("host-delay", &A::host_delay, "what else the host does with each cell, at both ends")
      .key("send-per-packet", &A::send_per_packet,
           "the sending host's work on each packet, before its first cell can go")
      .key("receive-per-packet", &A::receive_per_packet,
           "the receiving host's work on each packet that came whole: vectoring the interrupt, protocol")
      .choice("sending", &A::serial, {"pipelined", "serial"},
              "whether the adapter works on a cell while the one before is sent");
}

}  // namespace

InterfaceKind atm_adapter() {
  return {
      "atm-adapter",
      "Adapters of an ATM network, which take packets from their hosts cell by cell: work on each packet, "
      "one at a time, and on each cell, one at a time, at both ends (Vila i Sallent 1997, appendix B).",
      adapter_table().keys(),
      [](const Settings&, const NetworkKind& network, const TransportKind&) -> std::optional<Complaint> {
        if (network.carries_cells) return std::nullopt;
        return Complaint{"interface.model",
                         "atm-adapter works on cells, but network.kind \"" + network.name +
                             "\" carries none; set interface.model = \"constant\" or \"dma\""};
      },
      [](const Settings&, EventQueue&, MadeNetwork made, std::uint64_t) { return std::move(made.network); }};
}

AtmInterface atm_interface(const Settings& settings) {
  const AdapterSettings read = adapter_table().read(settings);
  const SimTime per_cell = read.controller + read.transfer + read.bus + read.host_delay;
  return {.send_per_packet = read.send_per_packet,
          .send_per_cell = per_cell,
          .receive_per_cell = per_cell,
          .receive_per_packet = read.receive_per_packet,
          .serial = read.serial};
}

}  // namespace morgana
