#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/network/myrinet/mapping/map_check.h"
#include "emulator/network/myrinet/mapping/mapped_network.h"
#include "emulator/topology/kinds/torus.h"

namespace morgana::testing {

/// 4 x 4 switches of eight ports with two hosts each.
inline SwitchGraph torus() {
  return topology::torus({.sides = {4, 4}, .hosts_per_switch = 2, .ports_per_switch = 8});
}

inline MappingParameters eight_ports() {
  MappingParameters parameters;
  parameters.exploration.most_ports = 8;
  return parameters;
}

/// A Myrinet with daemons on all hosts, whose names are not their numbers, nor in the same order.
class MappedMyrinet : private UnitListener, private EventHandler {
 public:
  explicit MappedMyrinet(SwitchGraph made, const MappingParameters& parameters = {},
                         const MyrinetParameters& myrinet_parameters = {}, std::uint64_t seed = 1)
      : graph(std::move(made)),
        dead(graph),
        no_routes_(RouteTable::row_per_switch(graph)),
        random_(seed, "traffic"),
        myrinet(events, graph, no_routes_, myrinet_parameters, seed),
        network(events, myrinet, names_of(graph), parameters) {
    network.report_to(*this);
  }

  /// Lets a host map until no daemon is busy any more. @return its report
  const MappingReport& map_from(HostNumber host) { return map_from(std::vector{host}); }
  /// The same with several; the report is the last one.
  const MappingReport& map_from(const std::vector<HostNumber>& hosts) {
    for (const HostNumber host : hosts) network.map_from(host);
    while (network.busy()) events.handle_next();
    return network.reports().back();
  }
  /// All that is under way comes to its end.
  void settle() {
    while (!events.idle()) events.handle_next();
  }

  void kill_cable(SwitchPort end) {
    myrinet.kill_cable(end, events.now());
    dead.kill_cable(end);
  }
  void kill_switch(SwitchId id) {
    myrinet.kill_switch(id, events.now());
    dead.kill_switch(id);
  }
  std::string difference_of(const MappingReport& report) const {
    if (!report.failure.empty()) return report.failure;
    return difference(report.map, graph, network.names(), dead).value_or("none");
  }

  /// Every pair of the hosts, one packet of 64 bytes after the other. @return how many arrived
  std::uint64_t exchange(const std::vector<HostNumber>& hosts) {
    settle();
    delivered = lost = 0;
    for (const HostNumber from : hosts)
      for (const HostNumber to : hosts)
        if (from != to) network.inject({UnitId{sent_++}, PortId{from}, PortId{to}, Bytes(64)});
    settle();
    return delivered;
  }
  std::vector<HostNumber> all_hosts() const {
    std::vector<HostNumber> hosts(graph.hosts());
    for (HostNumber host = 0; host < hosts.size(); ++host) hosts[host] = host;
    return hosts;
  }
  /// Packets of 512 bytes between hosts at random, until no daemon is busy.
  void load(SimTime mean_distance) {
    mean_distance_ = mean_distance;
    events.schedule(events.now(), *this);
  }

  EventQueue events;
  SwitchGraph graph;
  DeadPorts dead;

 private:
  static std::vector<HostName> names_of(const SwitchGraph& graph) {
    std::vector<HostName> names;
    for (HostNumber host = 0; host < graph.hosts(); ++host) names.push_back(5000 + 17 * (host ^ 5));
    return names;
  }
  void handle(std::uint64_t) override {
    const auto hosts = static_cast<std::uint32_t>(graph.hosts());
    const auto from = static_cast<std::uint32_t>(random_.below(hosts));
    const auto to = static_cast<std::uint32_t>((from + 1 + random_.below(hosts - 1)) % hosts);
    network.inject({UnitId{sent_++}, PortId{from}, PortId{to}, Bytes(512)});
    if (network.busy()) events.schedule(events.now() + random_.exponential(mean_distance_), *this);
  }
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId, PortId) override { ++delivered; }
  void unit_lost(UnitId) override { ++lost; }

  RouteTable no_routes_;
  RandomStream random_;
  SimTime mean_distance_;
  std::uint64_t sent_ = 0;

 public:
  MyrinetNetwork myrinet;
  MappedNetwork network;
  std::uint64_t delivered = 0, lost = 0;
};

}  // namespace morgana::testing
