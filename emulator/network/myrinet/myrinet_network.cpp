#include "emulator/network/myrinet/myrinet_network.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

namespace morgana {

MyrinetNetwork::MyrinetNetwork(EventQueue& events, const SwitchGraph& graph, const RouteTable& routes,
                               const MyrinetParameters& parameters, std::uint64_t seed)
    : events_(events),
      routes_(&routes),
      parameters_(parameters),
      flit_(parameters.flit.ps()),
      cable_(parameters.cable.ps()),
      control_(parameters.control.ps()),
      routing_(parameters.routing.ps()),
      corruption_(seed, "myrinet corruption"),
      window_start_(events.now()) {
  parameters.check();
  assert(routes.hosts() == graph.hosts());
  run_room_ = static_cast<std::size_t>(cable_ / flit_) + 4;
  lay_out(graph);
}

MyrinetNetwork::~MyrinetNetwork() = default;

void MyrinetNetwork::lay_out(const SwitchGraph& graph) {
  first_sink_ = static_cast<Index>(graph.channels());
  first_host_channel_ = static_cast<Index>(graph.channels() - graph.hosts());
  channels_.resize(2 * std::size_t{first_sink_});
  runs_.resize(first_sink_ * run_room_);
  sink_reason_.resize(first_sink_);
  hosts_.resize(graph.hosts());
  in_transit_.resize(graph.hosts());
  switches_.resize(graph.switches());
  unsigned most_ports = 1;
  for (SwitchId id = 0; id < graph.switches(); ++id) {
    most_ports = std::max(most_ports, graph.ports(id));
    switches_[id].ports = graph.ports(id);
    switches_[id].first_port = graph.channel_from(SwitchPort{id, 0});
    switches_[id].last_routed = static_cast<RouteByte>(graph.ports(id) - 1);
  }
  mask_words_ = (most_ports + 63) / 64;
  waiting_.resize(first_host_channel_ * mask_words_);
  input_at_.assign(first_host_channel_, none);
  for (Index index = 0; index < first_sink_; ++index) {
    Channel& channel = channels_[index];
    channels_[first_sink_ + index].dead = true;
    channels_[first_sink_ + index].dead_since = myrinet::long_ago;
    if (graph.sent_by_host(index)) {
      hosts_[graph.sending_host(index)].channel = index;
    } else {
      channel.last_granted = static_cast<RouteByte>(graph.ports(graph.sending_port(index).at) - 1);
    }
    const Neighbour to = graph.receiver(index);
    channel.to_host = to.is_host();
    channel.at = to.is_nothing() ? none : to.id;
    channel.port = route_byte(to.port);
    if (to.is_host()) hosts_[to.id].arriving = index;
    if (to.is_switch()) input_at_[graph.channel_from(to.switch_port())] = index;
  }
}

void MyrinetNetwork::follow(const RouteTable& routes) {
  assert(routes.hosts() == hosts_.size());
  routes_ = &routes;
}

Bytes MyrinetNetwork::largest_unit() const {
  constexpr std::int64_t longest = std::int64_t{1} << 60, most = std::int64_t{1} << 40;
  constexpr std::int64_t beside = RouteTable::longest_header + 1;  // and the type: flits that are no payload
  return Bytes(std::min(most, longest / flit_ - beside - parameters_.type_bytes));
}

SimTime MyrinetNetwork::least_latency() const {
  return SimTime::from_ps(routing_ + 2 * cable_ + (parameters_.type_bytes + 1) * flit_);
}

void MyrinetNetwork::schedule(Time at, What what, Index index) {
  events_.schedule(SimTime::from_ps(at), *this, std::uint64_t{index} << what_bits | what);
}

void MyrinetNetwork::schedule_late(Time at, What what, Index index) {
  events_.schedule_late(SimTime::from_ps(at), *this, std::uint64_t{index} << what_bits | what);
}

void MyrinetNetwork::handle(std::uint64_t event) {
  const auto index = static_cast<Index>(event >> what_bits);
  switch (static_cast<What>(event & ((1U << what_bits) - 1))) {
    case header_arrives:
      return look(index);
    case routing_ends:
      return routed(index);
    case run_is_over:
      return run_ends(index);
    case may_start:
      return try_to_send(index);
    case stop_arrives:
      return hear(index, true);
    case go_arrives:
      return hear(index, false);
    case mark_is_there:
      return mark_arrives(index);
    case first_four_are_there:
      return first_four_arrive(index);
    case in_transit_is_there:
      return in_transit_arrived(index);
    case packet_is_there:
      return deliver(index);
    case packet_is_ready:
      return ready(index);
    case channel_dies:
      return die(index);
    case interface_chooses:
      return choose(index);
    case switch_arbitrates:
      return arbitrate(index);
    case patience_ends:
      return end_patience(index);
    case thresholds_are_checked:
      return check(index);
  }
}

std::uint64_t MyrinetNetwork::Totals::lost_in_all() const {
  return std::accumulate(lost.begin(), lost.end(), std::uint64_t{0});
}

void MyrinetNetwork::begin_window() {
  window_start_ = events_.now();
  for (Index index = 0; index < first_sink_; ++index) {
    Channel& channel = channels_[index];
    channel.carried_before += flits_carried(index);
    channel.stopped_for = 0;
    if (channel.stopped) channel.stopped_since = now();
  }
  for (Host& host : hosts_) {
    host.pool_packet_time = 0;
    host.pool_changed_at = now();
  }
}

std::int64_t MyrinetNetwork::flits_carried(CableChannel index) const {
  const Channel& channel = channels_[index];
  return (channel.dead ? channel.carried_in_life : started(channel)) - channel.carried_before;
}

SimTime MyrinetNetwork::time_stopped(CableChannel index) const {
  const Channel& channel = channels_[index];
  return SimTime::from_ps(channel.stopped_for + (channel.stopped ? now() - channel.stopped_since : 0));
}

SimTime MyrinetNetwork::time_in_pool(HostNumber index) const {
  const Host& host = hosts_[index];
  return SimTime::from_ps(host.pool_packet_time + host.pool_packets * (now() - host.pool_changed_at));
}

double MyrinetNetwork::utilisation(CableChannel channel) const {
  if (window() == SimTime()) return 0;
  return static_cast<double>(flits_carried(channel)) * static_cast<double>(flit_) /
         static_cast<double>(window().ps());
}

}  // namespace morgana
