#include "emulator/network/myrinet/myrinet_network.h"

#include <algorithm>
#include <cassert>

namespace morgana {

using myrinet::Index;
using myrinet::Time;

MyrinetNetwork::MyrinetNetwork(EventQueue& events, const SwitchGraph& graph, const RouteTable& routes,
                               const MyrinetParameters& parameters, std::uint64_t seed)
    : events_(events),
      routes_(&routes),
      parameters_((parameters.check(), parameters)),
      agenda_(events, *this),
      channels_(graph),
      packets_(parameters.type_bytes),
      fates_(packets_, listener_),
      corruption_(parameters.corruption, seed),
      runs_(agenda_, channels_.count(), parameters.flit.ps(), parameters.cable.ps()),
      loads_(agenda_, channels_, runs_),
      timers_(agenda_, packets_, runs_, graph.switches(), parameters.deadlock_timeout.ps()),
      slack_(agenda_, channels_.all(), packets_, runs_, timers_, parameters),
      senders_(agenda_, channels_, packets_, runs_, slack_, timers_, loads_, parameters.cable.ps(), *this),
      hosts_(agenda_, channels_, packets_, runs_, senders_, fates_, parameters),
      cuts_(agenda_, channels_, packets_, runs_, slack_, senders_, hosts_),
      crossbars_(agenda_, channels_, packets_, runs_, slack_, timers_, senders_, cuts_, parameters) {
  assert(routes.hosts() == graph.hosts());
}

MyrinetNetwork::~MyrinetNetwork() = default;

void MyrinetNetwork::inject(const Unit& unit) {
  assert(unit.from != unit.to && static_cast<std::size_t>(unit.to) < hosts());
  hosts_.inject(packets_.add(unit, routes_->header(HostNumber(unit.from), HostNumber(unit.to))));
}

void MyrinetNetwork::inject(const Unit& unit, Header route) {
  assert(unit.from != unit.to && (unit.to == anywhere || static_cast<std::size_t>(unit.to) < hosts()));
  hosts_.inject(packets_.add_with_own_header(unit, route));
}

void MyrinetNetwork::follow(const RouteTable& routes) {
  assert(routes.hosts() == hosts());
  routes_ = &routes;
}

void MyrinetNetwork::stop_towards(PortId host, bool stop) {
  const Index arriving = channels_.arriving(static_cast<Index>(host));
  assert(arriving != myrinet::none);
  slack_.send_signal(arriving, stop);
}

void MyrinetNetwork::inject_faults(const NetworkFaults& faults) {
  for (const NetworkFault& fault : faults) {
    if (fault.part == NetworkFault::Part::cable)
      kill_cable(fault.at, fault.when);
    else
      kill_switch(fault.at.at, fault.when);
  }
}

Bytes MyrinetNetwork::largest_unit() const {
  constexpr std::int64_t longest = std::int64_t{1} << 60, most = std::int64_t{1} << 40;
  constexpr std::int64_t beside = RouteTable::longest_header + 1;  // and the type: flits that are no payload
  return Bytes(std::min(most, longest / parameters_.flit.ps() - beside - parameters_.type_bytes));
}

SimTime MyrinetNetwork::least_latency() const {
  return parameters_.routing + 2 * parameters_.cable + (parameters_.type_bytes + 1) * parameters_.flit;
}

void MyrinetNetwork::begin_window() {
  loads_.begin_window();
  hosts_.begin_window();
}

void MyrinetNetwork::handle(std::uint64_t event) {
  using myrinet::WormEvent;
  const Index index = myrinet::Agenda::index(event);
  switch (myrinet::Agenda::what(event)) {
    case WormEvent::header_arrives:
      return crossbars_.look(index);
    case WormEvent::routing_ends:
      return crossbars_.routed(index);
    case WormEvent::run_is_over:
      return senders_.run_ends(index);
    case WormEvent::may_start:
      return senders_.try_to_send(index);
    case WormEvent::stop_arrives:
      return senders_.hear(index, true);
    case WormEvent::go_arrives:
      return senders_.hear(index, false);
    case WormEvent::mark_is_there:
      return hosts_.mark_arrives(index);
    case WormEvent::first_four_are_there:
      return hosts_.first_four_arrive(index);
    case WormEvent::in_transit_is_there:
      return hosts_.in_transit_arrived(index);
    case WormEvent::packet_is_there:
      return hosts_.deliver(index);
    case WormEvent::packet_is_ready:
      return hosts_.ready(index);
    case WormEvent::channel_dies:
      return cuts_.die(index);
    case WormEvent::interface_chooses:
      return hosts_.choose(index);
    case WormEvent::switch_arbitrates:
      return crossbars_.arbitrate(index);
    case WormEvent::patience_ends:
      return crossbars_.end_patience(index);
    case WormEvent::thresholds_are_checked:
      return slack_.check(index);
  }
}

void MyrinetNetwork::run_to_host_begins(Index channel) {
  hosts_.expect_first_four(channel, channels_[channel].current);
}

/// What left after the channel failed has vanished, and so has what a sink took; all else is at the receiver.
void MyrinetNetwork::passage_sent(Index index, Index number) {
  using myrinet::UnitLoss;
  const myrinet::Channel& channel = channels_[index];
  const myrinet::Passage& passage = packets_.passage(number);
  const Index packet = passage.packet;
  const bool sink = channels_.is_sink(index);
  const bool vanished = channel.dead && agenda_.now() - runs_.flit() >= channel.dead_since;
  const bool silent = passage.silent;
  const bool bad_tail = passage.bad_tail;
  UnitLoss why = sink ? crossbars_.sink_reason(channels_.input_of_sink(index)) : UnitLoss::dead_channel;
  if (bad_tail && sink) why = passage.cut_by;
  if (vanished) {
    if (!sink && packets_.packet(packet).died_on == myrinet::none) packets_.packet(packet).died_on = index;
    packets_.drop_passage(number);
  } else {
    if (corruption_.corrupts(packets_.packet(packet).unit.id, index))
      packets_.packet(packet).corrupted = true;
    if (channel.to_host) hosts_.all_sent_to_host(number, agenda_.now());
  }
  if (channels_.sent_from_host(index)) {
    hosts_.sent(index, packet);
  } else {
    crossbars_.sent(index);
  }
  if (!vanished || silent) return;
  Index where = channels_.input_of_sink(index);
  if (why == UnitLoss::dead_channel) where = packets_.packet(packet).died_on;
  if (bad_tail && why == UnitLoss::deadlock) where = packets_.packet(packet).stalled_from;
  fates_.lost(packet, why, where);
}

}  // namespace morgana
