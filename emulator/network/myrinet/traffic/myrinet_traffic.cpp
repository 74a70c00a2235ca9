#include "emulator/network/myrinet/traffic/myrinet_traffic.h"

#include <algorithm>

namespace morgana {

MyrinetTraffic measure_myrinet(const MyrinetUnderTest& under_test, const Destinations& destinations,
                               double load, const TrafficSettings& settings) {
  const SwitchGraph& graph = under_test.graph;
  EventQueue events;
  MyrinetNetwork network(events, graph, under_test.routes, under_test.parameters, settings.seed);
  network.inject_faults(under_test.faults);
  TrafficSettings by_host = settings;
  by_host.load = load / under_test.hosts_per_switch();
  MyrinetTraffic traffic;
  traffic.result = measure_traffic(events, network, destinations, by_host, [&] { network.begin_window(); });
  if (traffic.result.standing_still) traffic.deadlock = find_deadlock(graph, under_test.routes);
  traffic.accepted = traffic.result.accepted;
  traffic.accepted.mean *= under_test.hosts_per_switch();
  traffic.accepted.radius *= under_test.hosts_per_switch();
  for (CableChannel channel = 0; channel < graph.channels(); ++channel)
    traffic.utilisation.push_back(network.utilisation(channel));
  traffic.links = network.links(events.now());
  traffic.troubles = troubles_in(network.counted(events.now()));
  for (HostNumber host = 0; host < graph.hosts(); ++host) {
    const InTransitStatistics& at = network.in_transit(host);
    const double window = network.window().seconds();
    traffic.interfaces.push_back(
        {window > 0 ? network.time_in_pool(host).seconds() / window : 0, at.most_packets});
    traffic.most_in_transit_packets = std::max(traffic.most_in_transit_packets, at.most_packets);
    traffic.most_in_transit_bytes = std::max(traffic.most_in_transit_bytes, at.most_bytes);
    traffic.in_transit += at.packets;
    traffic.overflows += at.overflows;
  }
  return traffic;
}

double injection_limit(const MyrinetUnderTest& network) {
  return network.hosts_per_switch() / (static_cast<double>(network.parameters.flit.ps()) / ps_per_ns);
}

double idle_load(const MyrinetUnderTest& network) {
  constexpr double share = 0.02;
  const double flit_ns = static_cast<double>(network.parameters.flit.ps()) / ps_per_ns;
  return share * network.hosts_per_switch() / flit_ns;
}

Saturation saturate_myrinet(const MyrinetUnderTest& network, const Destinations& destinations,
                            const TrafficSettings& settings) {
  const auto measure = [&](double load) {
    const MyrinetTraffic traffic = measure_myrinet(network, destinations, load, settings);
    return LoadPoint{load, traffic.accepted.mean, traffic.result.latency.mean, traffic.accepted.radius,
                     traffic.result.latency.radius};
  };
  return find_saturation(measure, {.lowest = idle_load(network)});
}

std::vector<CableChannel> switch_channels(const SwitchGraph& graph) {
  std::vector<CableChannel> channels;
  for (CableChannel channel = 0; channel < graph.channels(); ++channel) {
    if (graph.sent_by_host(channel)) continue;
    if (graph.neighbour(graph.sending_port(channel)).is_switch()) channels.push_back(channel);
  }
  return channels;
}

}  // namespace morgana
