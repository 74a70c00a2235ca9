#include <cassert>

#include "emulator/core/error.h"
#include "emulator/network/atm/atm_network.h"
#include "emulator/network/atm/cell.h"

namespace morgana {
namespace {
using namespace atm;

// ITU-T I.361: VCI 0 to 31 of each path are for signalling and management.
constexpr std::uint32_t first_vci = 32, vcis = 65536 - first_vci, vpis = 256;

ChannelName name_of(std::uint32_t number) {
  if (number >= vpis * vcis) throw Error("ATM: a link has no more virtual channels: open fewer of them");
  return {static_cast<std::uint16_t>(number / vcis), static_cast<std::uint16_t>(first_vci + number % vcis)};
}

}  // namespace

ChannelId AtmNetwork::open(PortId from, PortId to, const TrafficContract& contract) {
  Connection connection;
  connection.from = static_cast<std::uint32_t>(from);
  connection.to = static_cast<std::uint32_t>(to);
  connection.contract = contract;
  assert(from != to && connection.from < fabric_.hosts.size() && connection.to < fabric_.hosts.size());
  const Host& source = fabric_.hosts[connection.from];
  const Host& destination = fabric_.hosts[connection.to];
  std::uint32_t here = source.at, input = source.input;
  while (true) {
    Hop hop;
    hop.at = here;
    hop.input = input;
    hop.in = name_of(channels_on_link_[here][input]++);
    if (!connection.path.empty()) connection.path.back().out = hop.in;
    if (here == destination.at) {
      hop.output = destination.input;
      connection.path.push_back(hop);
      break;
    }
    const std::uint32_t t = routes_.trunk(here, destination.at);
    hop.output = trunk_port_[t][topology_.trunks[t].a == here ? 0 : 1];
    connection.path.push_back(hop);
    const Downstream& next = fabric_.downstream[here][hop.output];
    for (Incoming& trunk : incoming_[next.number])
      if (trunk.from == here && trunk.output == hop.output && !trunk.used)
        trunk.used = lookahead_is_old_ = true;
    input = next.input;
    here = next.number;
  }
  connection.path.back().out = name_of(channels_to_host_[connection.to]++);
  std::int64_t rest = destination.receive_stage;
  for (std::size_t hop = connection.path.size(); hop-- > 0;) {
    Hop& at = connection.path[hop];
    const Downstream& next = fabric_.downstream[at.at][at.output];
    rest += next.cell_time + next.distance;
    at.rest = rest;
    at.to_host = next.host;
    at.number = next.number;
    at.next_input = next.input;
    at.distance = next.distance;
  }
  fabric_.connections.push_back(std::move(connection));
  return ChannelId{static_cast<std::uint32_t>(fabric_.connections.size() - 1)};
}

}  // namespace morgana
