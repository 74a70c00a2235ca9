#pragma once

#include <functional>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/network_shape.h"
#include "emulator/schema/schema.h"
#include "emulator/topology/routed_shape.h"
#include "emulator/topology/switch_graph.h"
#include "emulator/topology/topology_facts.h"

namespace morgana {
namespace topology {
struct Growth;
}

/// A topology that can't be made, and the key to change.
class TopologyError : public Error {
 public:
  TopologyError(std::string key, const std::string& what) : Error(what), key_(std::move(key)) {}
  const std::string& key() const { return key_; }

 private:
  std::string key_;
};

/// What a network asks of a topology's switches.
struct SwitchPorts {
  unsigned hosts = 1;  ///< on each switch that has any, where the topology leaves it open
  unsigned ports = SwitchGraph::most_ports_of_routes;  ///< of each switch, where the topology leaves it open
  unsigned hosts_said = 0;                             ///< network.hosts-per-switch; 0: open
  double trunk_speed = 1;                              ///< rate of a trunk over that of a host's link
};

/// A topology that networks of switches may have: network.topology names it. Each stands in a file of its
/// own, which describes its keys and makes its graph.
struct TopologyKind {
  std::string name;         ///< "fat-tree"
  std::string description;  ///< a line for people: what is joined to what, and which switches have hosts
  /// Its own keys, "network.arity"; a key that several topologies have is the same in all of them.
  std::vector<Key> keys;
  std::string size_key;  ///< the key to change where it would have too many switches
  /// Switches, cables and hosts. Ports are those of the topology's source; where it names none, hosts have
  /// the first ones. @throws Error
  std::function<SwitchGraph(const Settings&, const SwitchPorts&)> graph;
  /// How it is best drawn. @param switches  that it has
  std::function<NetworkShape(const Settings&, std::size_t switches)> shape;
  /// For routings that know it. Empty: there are none.
  std::function<RoutedShape(const Settings&)> routed = {};
  /// Tiers of trunks and closed forms. Empty: none are known.
  std::function<TopologyFacts(const Settings&, const SwitchPorts&)> facts = {};
  /// A list that is the key to change in place of size_key where it is set; may be empty.
  std::string size_key_if_set = {};
  /// The settings of a larger member of its family. Empty: it has none.
  /// @throws TopologyError if the largest is too small
  std::function<Settings(const Settings&, const SwitchPorts&, const topology::Growth&)> grown = {};
};

/// All of them, in the order in which they are shown. Adding one is a file and its line here.
const std::vector<TopologyKind>& topology_kinds();
/// @param name  of one of them, or "listed", which network_topology.h adds: then nothing
const TopologyKind* topology_kind(const std::string& name);

TopologyKind chain_kind();           // chain.cpp
TopologyKind ring_kind();            // ring.cpp
TopologyKind star_kind();            // star.cpp
TopologyKind tree_kind();            // tree.cpp
TopologyKind torus_kind();           // torus.cpp
TopologyKind express_torus_kind();   // torus.cpp
TopologyKind mesh_kind();            // torus.cpp
TopologyKind fat_tree_kind();        // fat_tree.cpp
TopologyKind irregular_kind();       // irregular.cpp
TopologyKind cplant_kind();          // cplant.cpp
TopologyKind now_kind();             // now.cpp
TopologyKind leaf_spine_kind();      // leaf_spine.cpp
TopologyKind xgft_kind();            // xgft.cpp
TopologyKind pod_tree_kind();        // pod_tree.cpp
TopologyKind hyperx_kind();          // hyperx.cpp
TopologyKind slim_fly_kind();        // slim_fly.cpp
TopologyKind dragonfly_plus_kind();  // dragonfly_plus.cpp
TopologyKind dragonfly_kind();       // dragonfly.cpp

/// Of chain, ring, star and lists. @param settings  of a network's section
std::uint32_t switches_of(const Settings& settings);
/// The key that switches_of reads.
Key switches_key();

}  // namespace morgana
