#include <cassert>
#include <string>

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
  const std::uint64_t flow = std::uint64_t{connection.from} << 32 | connection.to;
  std::uint32_t here = source.at, input = source.input;
  while (true) {
    Hop hop;
    hop.at = here;
    hop.input = input;
    hop.output = destination.input;
    if (here != destination.at) {
      const RoutedPacket packet{
          {here, static_cast<PortNumber>(input)}, 0, connection.from, connection.to, destination.at, flow};
      const auto choice = routing_->choose(packet, IdleOutputs());
      if (!choice)
        throw Error("ATM: no way leads from switch " + std::to_string(here) + " to host " +
                    std::to_string(connection.to));
      hop.output = choice->port;
    }
    connection.path.push_back(hop);
    if (here == destination.at) break;
    const Downstream& next = fabric_.downstream[here][hop.output];
    input = next.input;
    here = next.number;
  }
  const std::uint32_t number = add(std::move(connection));
  set_rate(number);
  return ChannelId{number};
}

// The path's switches, inputs and outputs are known.
std::uint32_t AtmNetwork::add(Connection connection) {
  Hop* before = nullptr;
  for (Hop& hop : connection.path) {
    hop.in = name_of(channels_on_link_[hop.at][hop.input]++);
    if (before != nullptr) before->out = hop.in;
    before = &hop;
    const Downstream& next = fabric_.downstream[hop.at][hop.output];
    hop.to_host = next.host;
    hop.number = next.number;
    hop.next_input = next.input;
    hop.distance = next.distance;
    if (!next.host) use_trunk(hop);
  }
  connection.path.back().out = name_of(channels_to_host_[connection.to]++);
  std::int64_t rest = fabric_.hosts[connection.to].receive_stage;
  for (std::size_t hop = connection.path.size(); hop-- > 0;) {
    Hop& at = connection.path[hop];
    rest += fabric_.downstream[at.at][at.output].cell_time + at.distance;
    at.rest = rest;
  }
  fabric_.connections.push_back(std::move(connection));
  return static_cast<std::uint32_t>(fabric_.connections.size() - 1);
}

void AtmNetwork::use_trunk(const Hop& hop) {
  for (Incoming& trunk : incoming_[hop.number])
    if (trunk.from == hop.at && trunk.output == hop.output && !trunk.used)
      trunk.used = lookahead_is_old_ = true;
}

void AtmNetwork::set_rate(std::uint32_t number) {
  Connection& connection = fabric_.connections[number];
  const ServiceCategory category = connection.contract.category;
  if (category == ServiceCategory::abr && rates_.feedback) {
    const double link = 1e12 / static_cast<double>(fabric_.hosts[connection.from].cell_time);
    paced_.open(number, std::make_unique<AbrSource>(rates_.abr, link));
    open_return(number);
  }
  const BlockTransmission blocks = rates_.blocks.transmission;
  if (category == ServiceCategory::abt) {
    if (blocks == BlockTransmission::none) return;
    const double link = 1e12 / static_cast<double>(fabric_.hosts[connection.from].cell_time);
    paced_.open(number, std::make_unique<BlockSource>(rates_.blocks, link));
    if (blocks == BlockTransmission::delayed) open_return(number);
  }
  if (category != ServiceCategory::cbr && category != ServiceCategory::vbr) return;
  const RateContract& contract = category == ServiceCategory::cbr ? rates_.cbr : rates_.vbr;
  if (contract.peak == 0) return;
  // Blocks leave alone what the others have agreed on.
  for (const Hop& hop : connection.path)
    fabric_.switches[hop.at]->commit(hop.output,
                                     contract.sustainable > 0 ? contract.sustainable : contract.peak);
  if (rates_.contracts == Contracts::shaped)
    paced_.open(number, std::make_unique<Shaper>(contract));
  else if (rates_.contracts == Contracts::policed)
    connection.policing.emplace(contract);
}

// Resource management cells come back through the switches that they passed, so that each can tell a rate.
void AtmNetwork::open_return(std::uint32_t number) {
  const Connection& forward = fabric_.connections[number];
  Connection back;
  back.from = forward.to;
  back.to = forward.from;
  back.contract = forward.contract;
  back.returned_of = number;
  for (std::size_t hop = forward.path.size(); hop-- > 0;) {
    Hop turned;
    turned.at = forward.path[hop].at;
    turned.input = forward.path[hop].output;
    turned.output = forward.path[hop].input;
    back.path.push_back(turned);
  }
  const std::uint32_t turned_to = add(std::move(back));
  fabric_.connections[number].turned_to = turned_to;
}

}  // namespace morgana
