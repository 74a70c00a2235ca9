#include "emulator/platform/placement.h"
#include "emulator/platform/values.h"

namespace morgana {

Machine Platform::build(std::size_t ranks, const Placement& placement, std::uint64_t seed) const {
  const Resolved& platform = values_->resolved;
  if (platform.native)
    throw Error("platform " + values_->name +
                " is this machine itself and has no model; choose another one to emulate or replay on");
  const HostParameters hosts = host_table().read(platform.settings);
  const NetworkKind& network = network_kind(platform.network);
  const bool apart = placement.kind == Placement::Kind::cyclic || placement.kind == Placement::Kind::spread;
  const std::size_t ports = apart && network.ports ? network.ports(platform.settings) : 0;
  PlacedRanks placed = place(ranks, placement, hosts, values_->name, ports);
  Machine machine;
  machine.processors = static_cast<std::size_t>(hosts.processors);
  machine.host_of = std::move(placed.host_of);
  machine.messages = message_table().read(platform.settings);
  machine.collectives = read_collectives(platform.settings);
  machine.network = network.make(platform.settings, *machine.events, placed.hosts, seed);
  machine.transport = transport_kind(platform.transport)
                          .make(platform.settings, *machine.events, *machine.network, placed.hosts);
  return machine;
}

}  // namespace morgana
