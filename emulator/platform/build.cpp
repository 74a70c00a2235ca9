#include "emulator/platform/placement.h"
#include "emulator/platform/values.h"

namespace morgana {

Machine Platform::build(std::size_t ranks, const Placement& placement, std::uint64_t seed) const {
  const Resolved& platform = values_->resolved;
  if (platform.native)
    throw Error("platform " + values_->name +
                " is this machine itself and has no model; choose another one to emulate or replay on");
  PlacedRanks placed = place(ranks, placement, host_table().read(platform.settings), values_->name);
  Machine machine;
  machine.host_of = std::move(placed.host_of);
  machine.messages = message_table().read(platform.settings);
  machine.collectives = read_collectives(platform.settings);
  machine.network =
      network_kind(platform.network).make(platform.settings, *machine.events, placed.hosts, seed);
  machine.transport = transport_kind(platform.transport)
                          .make(platform.settings, *machine.events, *machine.network, placed.hosts);
  return machine;
}

}  // namespace morgana
