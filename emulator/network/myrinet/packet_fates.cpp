#include "emulator/network/myrinet/packet_fates.h"

#include <fmt/format.h>

#include <cassert>
#include <numeric>

#include "emulator/core/quantity.h"

namespace morgana::myrinet {

std::uint64_t PacketFates::Totals::lost_in_all() const {
  return std::accumulate(lost.begin(), lost.end(), std::uint64_t{0});
}

void PacketFates::departed(Index index) {
  const Unit unit = packets_.packet(index).unit;
  packets_.packet(index).departed = true;
  const std::optional<LossPlace> lost_before = packets_.packet(index).lost_before_departure;
  listener_->unit_departed(unit.id, unit.from);
  if (lost_before) lost(index, lost_before->why, lost_before->channel);
}

void PacketFates::delivered(Index index) {
  const Unit unit = packets_.packet(index).unit;
  packets_.packet(index).settled = true;
  ++totals_.delivered;
  packets_.free_if_done(index);
  listener_->unit_delivered(unit.id, unit.to);
}

void PacketFates::lost(Index index, UnitLoss why, Index channel) {
  Packet& packet = packets_.packet(index);
  if (!packet.departed) {
    packet.lost_before_departure = {why, channel};
    return;
  }
  assert(!packet.settled);
  last_loss_ = {why, channel};
  const UnitId id = packet.unit.id;
  packet.settled = true;
  ++totals_.lost[static_cast<std::size_t>(why)];
  packets_.free_if_done(index);
  listener_->unit_lost(id);
}

std::string PacketFates::how_lost(const WormChannels& channels, SimTime deadlock_timeout) const {
  const Channel& channel = channels[last_loss_.channel];
  switch (last_loss_.why) {
    case UnitLoss::dead_channel:
      return fmt::format("its packet needed the cable {}, dead since {:.9f} s",
                         channels.describe(last_loss_.channel),
                         static_cast<double>(channel.dead_since) * 1e-12);
    case UnitLoss::deadlock:
      return fmt::format("its packet was blocked at switch {} for {}", channel.at, to_text(deadlock_timeout));
    case UnitLoss::no_such_port:
      return fmt::format("its route names a port of switch {} at which there is nothing", channel.at);
    case UnitLoss::route_used_up:
      return fmt::format("its route ends at switch {}", channel.at);
    case UnitLoss::route_left_over:
    case UnitLoss::wrong_host:
      return fmt::format("its route leads to host {}", channel.at);
    case UnitLoss::corrupted:
      return fmt::format("its packet came to host {} corrupted", channel.at);
    case UnitLoss::pool_overflow:
      return fmt::format("its packet found no room in transit at host {}", channel.at);
  }
  return {};
}

std::string PacketFates::hint() const {
  switch (last_loss_.why) {
    case UnitLoss::dead_channel:
      return "what is dead stays so: leave it out of network.faults, or choose routes that go round it with "
             "network.root, network.routes or network.routes-seed";
    case UnitLoss::deadlock:
      return "--set network.routes=up-down gives routes that can't deadlock";
    case UnitLoss::pool_overflow:
      return "--set network.in-transit.overflow=host-memory loses none of them";
    default:
      return {};
  }
}

}  // namespace morgana::myrinet
