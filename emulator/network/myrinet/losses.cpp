// What is told about a packet that is lost.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/quantity.h"
#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana {

/// As SwitchGraph::describe.
std::string MyrinetNetwork::describe(Index index) const {
  const Channel& channel = channels_[index];
  std::string from;
  if (sent_from_host(index)) {
    from = fmt::format("host {}", index - first_host_channel_);
  } else {
    const auto behind = std::upper_bound(switches_.begin(), switches_.end(), index,
                                         [](Index one, const Switch& at) { return one < at.first_port; });
    const auto at = behind - switches_.begin() - 1;
    from = fmt::format("switch {} port {}", at, index - switches_[static_cast<std::size_t>(at)].first_port);
  }
  const std::string to = channel.to_host ? fmt::format("host {}", channel.at)
                                         : fmt::format("switch {} port {}", channel.at, channel.port);
  return from + " -> " + to;
}

std::string MyrinetNetwork::how_lost() const {
  const Channel& channel = channels_[last_loss_.channel];
  switch (last_loss_.why) {
    case Loss::dead_channel:
      return fmt::format("its packet needed the cable {}, dead since {:.9f} s", describe(last_loss_.channel),
                         static_cast<double>(channel.dead_since) * 1e-12);
    case Loss::deadlock:
      return fmt::format("its packet was blocked at switch {} for {}", channel.at,
                         to_text(parameters_.deadlock_timeout));
    case Loss::no_such_port:
      return fmt::format("its route names a port of switch {} at which there is nothing", channel.at);
    case Loss::route_used_up:
      return fmt::format("its route ends at switch {}", channel.at);
    case Loss::route_left_over:
    case Loss::wrong_host:
      return fmt::format("its route leads to host {}", channel.at);
    case Loss::corrupted:
      return fmt::format("its packet came to host {} corrupted", channel.at);
    case Loss::pool_overflow:
      return fmt::format("its packet found no room in transit at host {}", channel.at);
  }
  return {};
}

std::string MyrinetNetwork::remedy() const {
  switch (last_loss_.why) {
    case Loss::dead_channel:
      return "what is dead stays so: leave it out of network.faults, or choose routes that go round it with "
             "network.root, network.routes or network.routes-seed";
    case Loss::deadlock:
      return "--set network.routes=up-down gives routes that can't deadlock";
    case Loss::pool_overflow:
      return "--set network.in-transit.overflow=host-memory loses none of them";
    default:
      return {};
  }
}

}  // namespace morgana
