#include "emulator/topology/now.h"

#include <array>
#include <vector>

#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {
namespace {

constexpr unsigned switch_ports = 8, hosts_per_leaf = 5, middles = 4;

/// Adds a subcluster and gives its two top switches.
std::array<SwitchId, 2> add_subcluster(SwitchGraph& graph, unsigned leaves) {
  const auto first = static_cast<SwitchId>(graph.switches());
  const SwitchId first_middle = first + leaves, first_top = first_middle + middles;
  for (SwitchId id = first; id < first_top + 2; ++id) graph.add_switch(switch_ports);
  for (unsigned leaf = 0; leaf < leaves; ++leaf) {
    for (unsigned n = 0; n < hosts_per_leaf; ++n) graph.add_host(first + leaf);
    for (unsigned middle = 0; middle < middles; ++middle) {
      if (middle != (leaf + 3) % middles) graph.connect(first + leaf, first_middle + middle);
    }
  }
  for (unsigned middle = 0; middle < middles; ++middle) {
    graph.connect(first_middle + middle, first_top);
    graph.connect(first_middle + middle, first_top + 1);
  }
  return {first_top, first_top + 1};
}

}  // namespace

SwitchGraph now() {
  SwitchGraph graph;
  std::vector<std::array<SwitchId, 2>> tops;
  for (const unsigned leaves : {7u, 7u, 6u}) tops.push_back(add_subcluster(graph, leaves));
  const SwitchId joining = graph.add_switch(switch_ports), other = graph.add_switch(switch_ports);
  for (std::size_t subcluster = 0; subcluster < tops.size(); ++subcluster) {
    for (std::size_t top = 0; top < 2; ++top) {
      graph.connect(tops[subcluster][top], joining);
      const bool eleven_reached = subcluster == 2 && top == 1;
      if (!eleven_reached) graph.connect(tops[subcluster][top], other);
    }
  }
  return graph;
}

}  // namespace topology

TopologyKind now_kind() {
  return {"now",
          "the 40 switches of Berkeley's Network of Workstations, three subclusters like fat trees; 5 hosts "
          "on each of 20 where the network does not say otherwise",
          {},
          "network.topology",
          [](const Settings&, const SwitchPorts&) { return topology::now(); },
          [](const Settings&, std::size_t) { return NetworkShape{}; }};
}

}  // namespace morgana
