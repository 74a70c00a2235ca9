#include "emulator/platform/kinds/interfaces.h"

#include <cassert>
#include <cstdint>

#include "emulator/interface/dma/dma_interfaces.h"
#include "emulator/platform/kinds/atm_adapter.h"
#include "emulator/platform/sections.h"

namespace morgana {
namespace {

InterfaceKind constant() {
  return {
      "constant",
      "Interfaces of which nothing but the hosts' overheads and the network's own constants is known: they "
      "take no time of their own.",
      {},
      [](const Settings&, const NetworkKind&, const TransportKind&) { return std::optional<Complaint>(); },
      [](const Settings&, EventQueue&, MadeNetwork made, std::uint64_t) { return std::move(made.network); }};
}

Table<DmaParameters> dma_table() {
  using D = DmaParameters;
  return Table<D>("interface")
      .key("descriptor", &D::descriptor,
           "that a processor writes over the I/O bus for each unit that the interface shall fetch")
      .key("programmed", &D::programmed,
           "units up to this size are written by a processor, word by word, instead of being fetched")
      .key("units", &D::units, "that an interface's memory holds on their way out",
           {.at_least = "1", .unit = "units"});
}

InterfaceKind dma() {
  const auto table = dma_table();
  return {
      "dma",
      "Interfaces that fetch what leaves from the host's memory by DMA, and put what comes there, over an "
      "I/O bus (hosts.io-bus) that both share, burst by burst, with the descriptors and short units that "
      "processors write. CPU time is the message layer's.",
      table.keys(),
      [](const Settings&, const NetworkKind& network, const TransportKind&) -> std::optional<Complaint> {
        if (!network.carries_cells) return std::nullopt;
        return Complaint{"interface.model",
                         "dma moves packets, but network.kind \"" + network.name +
                             "\" carries cells; set interface.model = \"atm-adapter\" or \"constant\""};
      },
      [table](const Settings& settings, EventQueue& events, MadeNetwork made, std::uint64_t) {
        return std::make_unique<DmaInterfaces>(events, host_table().read(settings).io_bus,
                                               table.read(settings), std::move(made.network));
      }};
}

/// [interface] as it is written, without the keys of programs.
struct LanaiSettings {
  LanaiParameters lanai;
  std::size_t program = 0;  ///< in lanai_programs()
};

Table<LanaiSettings> lanai_table() {
  using L = LanaiSettings;
  const auto lanai = [](auto LanaiParameters::*member) {
    return [member](L & settings) -> auto& {
      return settings.lanai.*member;
    };
  };
  std::vector<std::string> programs;
  for (const LanaiProgram& program : lanai_programs()) programs.push_back(program.name);
  return Table<L>("interface")
      .choice("program", &L::program, programs, "that runs on the processors; its keys bear its name")
      .key("cycle", lanai(&LanaiParameters::cycle), "of the interface's processor",
           {.at_least = "1 ps", .at_most = "1 ms"})
      .key("bus.latency", lanai(&LanaiParameters::bus_latency),
           "of a transfer over the host's bus, before its bytes", {.at_most = "1 s"})
      .key("bus.rate", lanai(&LanaiParameters::bus_rate), "of a transfer's bytes")
      .key("bus.rate-to-host", lanai(&LanaiParameters::bus_rate_to_host),
           "of a transfer's bytes into the host's memory, where a bus is asymmetric; same: as bus.rate",
           {.zero_word = "same"});
}

InterfaceKind lanai() {
  const auto table = lanai_table();
  std::vector<Key> keys = table.keys();
  for (const LanaiProgram& program : lanai_programs())
    keys.insert(keys.end(), program.keys.begin(), program.keys.end());
  return {
      "lanai",
      "Interfaces of a Myrinet with a processor (LANai), DMA engines on the host's bus, and a program that "
      "moves every packet (Flich, López, Malumbres and Duato: Boosting the Performance of Myrinet Networks, "
      "2002, section 6). gm is Myricom's: it cuts messages into packets, acknowledges and repeats them, and "
      "returns what it gives up; gam is that of Generic Active Messages, which relies on the network; am2 is "
      "that of Active "
      "Messages II: stop and wait on logical channels, and what stays without an answer is returned. It "
      "takes the place of network.in-transit.detection and programming.",
      keys,
      [table](const Settings& settings, const NetworkKind& network,
              const TransportKind& transport) -> std::optional<Complaint> {
        if (!network.runs_interface_programs)
          return Complaint{"interface.model",
                           "lanai stands at the ports of a Myrinet, but network.kind is \"" + network.name +
                               "\"; set interface.model = \"constant\" or network.kind = \"myrinet\""};
        return lanai_programs()[table.read(settings).program].check(settings, transport);
      },
      [table](const Settings& settings, EventQueue& events, MadeNetwork made, std::uint64_t seed) {
        const LanaiSettings read = table.read(settings);
        assert(made.myrinet != nullptr && made.myrinet == made.network.get());
        static_cast<void>(made.network.release());
        std::unique_ptr<MyrinetNetwork> myrinet(made.myrinet);
        return lanai_programs()[read.program].make(settings, read.lanai, events, std::move(myrinet), seed);
      }};
}

}  // namespace

LanaiParameters lanai_parameters(const Settings& settings) {
  return lanai_table().read(settings).lanai;
}

const std::vector<LanaiProgram>& lanai_programs() {
  static const std::vector<LanaiProgram> programs{gm_program(), gam_program(), am2_program()};
  return programs;
}

const std::vector<InterfaceKind>& interface_kinds() {
  static const std::vector<InterfaceKind> kinds{constant(), dma(), atm_adapter(), lanai()};
  return kinds;
}

const InterfaceKind& interface_kind(const std::string& name) {
  for (const InterfaceKind& kind : interface_kinds())
    if (kind.name == name) return kind;
  assert(false);
  return interface_kinds().front();
}

}  // namespace morgana
