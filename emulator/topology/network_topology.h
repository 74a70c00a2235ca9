#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/network_shape.h"
#include "emulator/schema/complaint.h"
#include "emulator/schema/schema.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/routed_shape.h"
#include "emulator/topology/topology_facts.h"
#include "emulator/topology/topology_figures.h"

namespace morgana {

inline constexpr std::size_t most_hosts = 65'536;  ///< of any network

struct SwitchPorts;
namespace topology {
struct SwitchPlan;
}

/// What a kind of network makes of topologies.
struct TopologyRules {
  std::string_view usual = "chain";          ///< network.topology where it is not set
  std::string_view most_switches = "16384";  ///< that the network's model is made for
  /// Source routes name ports: these are where the topology's source or a list puts them, switches have
  /// network.ports-per-switch of them, all cables are alike, and the topology says how many hosts there are.
  /// Else ports follow from what is plugged in (CablePlan), trunks may differ from hosts' links, and there
  /// are as many hosts as are needed unless a key says otherwise.
  bool ports_have_numbers = false;
  /// Of keys whose fallback is another one on this network, by full name.
  std::map<std::string, Value> fallbacks = {};
};

/// network.topology, the keys of all topologies, and those that say where hosts are plugged in.
std::vector<Key> topology_keys(const TopologyRules& rules);

/// How cables are listed and hosts are plugged in, whatever the topology.
struct TopologyHosting {
  BitRate trunk_rate{0};                    ///< of trunks that say nothing else; 0: the hosts' links'
  std::vector<std::string> cables, trunks;  ///< "0-1", "0.4-1.5", "1-2 at 622.08 Mb/s over 5 us"; listed only
  std::vector<std::string> tiers;           ///< "global at 100 Gb/s over 500 ns"; of other topologies
  std::vector<std::string> hosts_at;        ///< by host: "0", "2.7", "2 at 100 Mb/s"
  std::uint32_t hosts_per_switch = 0;       ///< 0: as many hosts as there are, spread from first to last
  std::uint32_t ports_per_switch = 16;      ///< where ports have numbers
  std::uint32_t grows_within = 0;           ///< ports of a switch; 0: it does not grow
};

/// What a picture of a network's switches and cables is like.
struct NetworkSketch {
  NetworkShape shape;
  /// That it shows where nothing says how many there are; 0: they are always all there.
  std::size_t hosts = 1;
};

/// A network's switches, hosts and cables, as the keys of its section say.
class NetworkTopology {
 public:
  /// Where it may grow (network.grows-within) and hosts.count is more than it has ports for: what its
  /// topology grows to (growth.h).
  /// @param link  of every cable that says nothing else
  NetworkTopology(const Settings& settings, const TopologyRules& rules, const Link& link);

  /// For how many hosts it has ports; 0: for as many as it is asked to have.
  std::size_t hosts() const;
  /// What is wrong with it: text that can't be read, switches that there are not, switches that no cables
  /// join, more hosts than ports. @param hosts  that the platform says it has; 0: as many as are needed
  std::optional<Complaint> check(std::int64_t hosts) const;
  /// @param hosts  more than there are ports for is an error; where the number is fixed, all are there
  /// @throws Error as check
  CabledGraph network(std::size_t hosts) const;
  NetworkSketch sketch() const;
  RoutedShape routed_shape() const;
  /// Tiers of trunks and closed forms; of a list, next to nothing.
  TopologyFacts facts() const;
  /// In numbers. @param hosts  that the platform says it has; 0: as many as are needed
  TopologyFigures figures(std::size_t hosts) const;
  /// Whether the topology chosen has this key, or the key is of no topology alone.
  bool uses(const std::string& key) const;
  /// The key to change where it has too many switches.
  std::string size_key() const;

 private:
  SwitchPorts switch_ports() const;
  CabledGraph as_numbered() const;
  CabledGraph as_plugged(std::size_t hosts) const;
  void grow();
  std::size_t most_ports_in_use() const;
  std::string too_few_ports(std::int64_t hosts, std::size_t ports) const;
  std::vector<Link> trunk_links(const topology::SwitchPlan& plan, const Link& trunk) const;

  Settings settings_;  // with the rules' fallbacks
  TopologyRules rules_;
  Link link_;
  std::string topology_;  // its name
  TopologyHosting hosting_;
  std::optional<Complaint> cannot_grow_;
  std::string grown_;  // TopologyFigures::grown
};

}  // namespace morgana
