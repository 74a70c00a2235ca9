#include "emulator/network/myrinet/worm_channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace morgana::myrinet {

WormChannels::WormChannels(const SwitchGraph& graph)
    : channels_(2 * graph.channels()),
      switches_(graph.switches()),
      arriving_(graph.hosts(), none),
      first_host_channel_(static_cast<Index>(graph.channels() - graph.hosts())),
      first_sink_(static_cast<Index>(graph.channels())) {
  for (SwitchId id = 0; id < graph.switches(); ++id) {
    most_ports_ = std::max(most_ports_, graph.ports(id));
    switches_[id] = {graph.ports(id), graph.channel_from(SwitchPort{id, 0})};
  }
  input_at_.assign(first_host_channel_, none);
  for (Index index = 0; index < first_sink_; ++index) {
    Channel& channel = channels_[index];
    channels_[first_sink_ + index].dead = true;
    channels_[first_sink_ + index].dead_since = long_ago;
    if (!graph.sent_by_host(index))
      channel.last_granted = static_cast<RouteByte>(graph.ports(graph.sending_port(index).at) - 1);
    const Neighbour to = graph.receiver(index);
    channel.to_host = to.is_host();
    channel.at = to.is_nothing() ? none : to.id;
    channel.port = route_byte(to.port);
    if (to.is_host()) arriving_[to.id] = index;
    if (to.is_switch()) input_at_[graph.channel_from(to.switch_port())] = index;
  }
}

Index WormChannels::sending_switch(Index channel) const {
  const auto behind = std::upper_bound(switches_.begin(), switches_.end(), channel,
                                       [](Index one, const PortRange& at) { return one < at.first_port; });
  return static_cast<Index>(behind - switches_.begin() - 1);
}

std::string WormChannels::describe(Index index) const {
  const auto text = [](const LinkEnd& end) {
    return end.kind == LinkEnd::Kind::host ? fmt::format("host {}", end.number)
                                           : fmt::format("switch {} port {}", end.number, end.port);
  };
  std::string line = text(sender(index));
  line += " -> ";
  line += text(receiver(index));
  return line;
}

LinkEnd WormChannels::sender(Index channel) const {
  // The network's hosts are numbered as their channels are.
  if (sent_from_host(channel)) return {LinkEnd::Kind::host, sending_host(channel), 0};
  const Index number = sending_switch(channel);
  return {LinkEnd::Kind::switch_port, number, channel - switches_[number].first_port};
}

LinkEnd WormChannels::receiver(Index index) const {
  const Channel& channel = channels_[index];
  assert(channel.at != none);
  return channel.to_host ? LinkEnd{LinkEnd::Kind::host, channel.at, 0}
                         : LinkEnd{LinkEnd::Kind::switch_port, channel.at, channel.port};
}

}  // namespace morgana::myrinet
