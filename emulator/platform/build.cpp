#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "emulator/network/rail_networks.h"
#include "emulator/platform/background.h"
#include "emulator/platform/kinds/push_pull.h"
#include "emulator/platform/placement.h"
#include "emulator/platform/platform_network.h"
#include "emulator/platform/rails.h"
#include "emulator/platform/values.h"
#include "emulator/transport/interrupts/delivery_by_interrupt.h"
#include "emulator/transport/striped_messages.h"

namespace morgana {
namespace {

std::string lower_first(std::string text) {
  const bool word = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1]));
  if (word || text.starts_with("A ")) text[0] = static_cast<char>(std::tolower(text[0]));
  if (text.ends_with('.')) text.pop_back();
  return text;
}

/// Handlers take units from the interfaces, and kernels carry the messages.
void give_to_kernels(Machine& machine, const Settings& settings, const HostParameters& hosts) {
  const PushPullParameters parameters = push_pull_table().read(settings);
  machine.network = std::make_unique<ReceptionHandlers>(*machine.events, *machine.kernel,
                                                        std::move(machine.network), parameters.handlers);
  machine.kernel_messages = parameters.messages;
  machine.kernel_messages->launch = parameters.handlers.launch;
  MemoryBusParameters bus = hosts.bus;
  bus.copy = std::max(machine.messages.copy_per_byte, bus.occupancy);
  if (bus.occupancy > ByteCost() || bus.cache > Bytes()) machine.bus = std::make_unique<MemoryBus>(bus);
}

std::unique_ptr<Network> make_rails(const Resolved& platform, EventQueue& events, std::size_t ports,
                                    std::uint64_t seed, std::size_t rails) {
  // Each draws by itself what the network leaves to chance.
  constexpr std::uint64_t apart = 0x9e3779b97f4a7c15;
  std::vector<std::unique_ptr<Network>> made;
  for (std::size_t rail = 0; rail < rails; ++rail)
    made.push_back(network_kind(platform.network)
                       .make(settings_of_rail(platform.settings, rail), events, ports, seed + rail * apart)
                       .network);
  return std::make_unique<RailNetworks>(std::move(made));
}

/// The NICs of a host, of a program that names so many; 1: it names none.
std::size_t nics_of(const Resolved& platform, const std::string& name, std::size_t named) {
  const auto there = static_cast<std::size_t>(host_table().read(platform.settings).nics);
  if (there == 1 || named <= there) return std::max(there, named);
  throw Error(
      fmt::format("platform {}: the schedule names {} NICs a host, and hosts.nics is {}; set it to {}", name,
                  named, there, named));
}

std::size_t most_ranks_of_a_host(const std::vector<HostId>& host_of) {
  std::map<HostId, std::size_t> ranks;
  std::size_t most = 0;
  for (const HostId host : host_of) most = std::max(most, ++ranks[host]);
  return most;
}

/// Processors that are all busy run at a lower clock than one alone.
void slow_down(MessageLayer& messages, double scale) {
  for (SimTime* const overhead :
       {&messages.send_overhead, &messages.receive_overhead, &messages.buffer_overhead,
        &messages.zero_copy_overhead, &messages.rendezvous_overhead, &messages.local_overhead})
    *overhead = SimTime::from_ps(std::llround(static_cast<double>(overhead->ps()) * scale));
}

/// @param units  PlatformNetwork::with_units
Machine machine_of(const Resolved& platform, const std::string& name, std::size_t ranks,
                   const Placement& placement, std::uint64_t seed, std::size_t named,
                   const HostGroups& groups, std::span<const SwitchId> units = {}) {
  if (platform.native)
    throw Error("platform " + name +
                " is this machine itself and has no model; choose another one to emulate or replay on");
  const HostParameters hosts = host_table().read(platform.settings);
  const std::size_t nics = nics_of(platform, name, named);
  const NetworkKind& network = network_kind(platform.network);
  const std::size_t ports = network.ports ? network.ports(platform.settings) : 0;
  const std::size_t rails = nics > 1 ? rails_of(platform.settings) : 1;
  const std::size_t on_rail = nics / rails;
  // A rule that takes all hosts takes those that have all their NICs.
  const std::size_t places = has_an_order(placement) ? ports / on_rail : ports;
  PlacedRanks placed = place(ranks, placement, hosts, name, places, groups);
  Machine machine;
  machine.processors = static_cast<std::size_t>(hosts.processors);
  machine.quantum = hosts.quantum;
  machine.host_of = std::move(placed.host_of);
  machine.nics = nics;
  machine.names_nics = named > 1;
  machine.messages = message_table().read(platform.settings);
  if (hosts.busy_from > 0 && placement.kind != Placement::Kind::later &&
      most_ranks_of_a_host(machine.host_of) >= static_cast<std::size_t>(hosts.busy_from))
    slow_down(machine.messages, hosts.busy_scale);
  machine.endpoints = endpoint_table().read(platform.settings);
  machine.collectives = read_collectives(platform.settings);
  const OverlayKind& overlay = overlay_kind(platform.overlay);
  // Of a network with a fixed number of ports all are there.
  const std::size_t stations = overlay.stations(platform.settings);
  const TransportKind& transport = transport_kind(platform.transport);
  if (hosts.memory.bandwidth > BitRate(0) && !transport.in_kernel)
    machine.share_memory(hosts.memory, placement.kind != Placement::Kind::later);
  const bool interrupts = hosts.interrupts.handling != InterruptParameters::Handling::polling;
  if (nics > 1 && (stations > 0 || interrupts || transport.in_kernel))
    throw Error("platform " + name + ": " + std::to_string(nics) +
                " NICs a host are not modelled with an overlay, with interrupts or with messages in kernels; "
                "choose another platform, or use NIC 0 alone");
  placed.hosts *= on_rail;
  if (on_rail > 1 && ports > 0 && placed.hosts > ports)
    throw Error("platform " + name + ": its network has " + std::to_string(ports) + " ports" + ", and " +
                std::to_string(on_rail) + " NICs of " + std::to_string(placed.hosts / on_rail) +
                " hosts need " + std::to_string(placed.hosts) + "; give it more switches");
  const bool all_join = ports > 0 && (stations > 0 || has_background(platform.settings));
  const std::size_t joined = all_join ? ports : placed.hosts;
  const std::size_t servers = stations > 0 ? (joined + stations - 1) / stations : 0;
  if (!units.empty()) {
    if (!network.make_with_units || nics > 1 || stations > 0 || interrupts || transport.in_kernel)
      throw Error("platform " + name +
                  ": units of switches that add up need network.kind = \"fabric\", one NIC a host "
                  "(hosts.nics), and no overlay, interrupts or messages in kernels");
    std::unique_ptr<Network> made =
        network.make_with_units(platform.settings, *machine.events, placed.hosts, units);
    machine.network = interface_kind(platform.interface)
                          .make(platform.settings, *machine.events, MadeNetwork(std::move(made)), seed);
    machine.switch_units = machine.program_units = units.size();
    // The network has all its ports, though fewer hosts may take part.
    placed.hosts = std::max(placed.hosts, ports);
    for (std::size_t unit = 0; unit < units.size(); ++unit)
      machine.host_of.push_back(static_cast<HostId>(placed.hosts + unit));
    machine.transport = overlay.make(
        platform.settings, *machine.events,
        transport.make(platform.settings, *machine.events, *machine.network, placed.hosts + units.size()),
        placed.hosts + units.size());
    if (has_background(platform.settings))
      add_background(machine, platform.settings, network.topology(platform.settings), placed.hosts, seed);
    return machine;
  }
  if (rails > 1)
    machine.network = make_rails(platform, *machine.events, placed.hosts, seed, rails);
  else
    machine.network =
        interface_kind(platform.interface)
            .make(platform.settings, *machine.events,
                  stations > 0 ? MadeNetwork(network.make_with_servers(
                                     platform.settings, *machine.events, joined, seed, stations,
                                     overlay.faults(platform.settings, joined)))
                               : network.make(platform.settings, *machine.events, placed.hosts, seed),
                  seed);
  if (interrupts || transport.in_kernel)
    machine.kernel = std::make_unique<Kernel>(*machine.events, machine.processors, hosts.interrupts);
  if (transport.in_kernel) give_to_kernels(machine, platform.settings, hosts);
  machine.transport = overlay.make(
      platform.settings, *machine.events,
      transport.make(platform.settings, *machine.events, *machine.network, joined * rails + servers),
      joined * rails);
  if (machine.chooses_nics() && machine.messages.stripe_from > Bytes())
    machine.transport = std::make_unique<StripedMessages>(std::move(machine.transport), nics);
  if (interrupts && !transport.in_kernel)
    machine.transport =
        std::make_unique<DeliveryByInterrupt>(*machine.events, *machine.kernel, std::move(machine.transport));
  if (has_background(platform.settings))
    add_background(machine, platform.settings, network.topology(platform.settings), joined, seed);
  return machine;
}

}  // namespace

Machine Platform::build(std::size_t ranks, const Placement& placement, std::uint64_t seed,
                        std::size_t nics) const {
  return machine_of(values_->resolved, values_->name, ranks, placement, seed, nics,
                    host_groups(*this, nics, placement));
}

Machine PlatformNetwork::with_units(const Platform& platform, std::size_t ranks, const Placement& placement,
                                    std::uint64_t seed, std::span<const SwitchId> units) {
  return machine_of(platform.values_->resolved, platform.name(), ranks, placement, seed, 1,
                    host_groups(platform, 1, placement), units);
}

NetworkGraph Platform::network_graph(std::size_t hosts) const {
  const Resolved& platform = values_->resolved;
  const std::string instead = "platform " + values_->name + " has no graph of switches and cables: ";
  if (platform.native) throw Error(instead + "it is this machine itself");
  const NetworkKind& kind = network_kind(platform.network);
  if (!kind.sketch) {
    // The first sentence says it.
    throw Error(instead + "its network.kind is \"" + kind.name + "\", which is " +
                lower_first(kind.meaning.substr(0, kind.meaning.find(". "))) +
                "; choose a platform with switches (`morgana platforms` lists them)");
  }
  const NetworkSketch sketch = kind.sketch(platform.settings);
  Placement placement;
  placement.kind = Placement::Kind::later;
  placement.open_hosts = hosts > 0 && sketch.hosts > 0 ? hosts : sketch.hosts;
  // Rails are alike: the graph is that of one.
  Resolved single = platform;
  single.settings = settings_of_rail(platform.settings, 0);
  single.settings.erase("hosts.nics");
  return {sketch.shape, machine_of(single, values_->name, 1, placement, 1, 1, {}).network->links(SimTime())};
}

}  // namespace morgana
