#include "emulator/topology/kinds/cplant.h"

#include <bit>

#include "emulator/topology/hosts.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {
namespace {

constexpr unsigned group_size = 8, switches = 50, ports = 16, hosts_per_switch = 8;

/// Neighbours in a cube of three dimensions, or its farthest corners.
bool joined(unsigned a, unsigned b) {
  const int different_bits = std::popcount(a ^ b);
  return different_bits == 1 || different_bits == 3;
}

}  // namespace

SwitchGraph cplant() {
  SwitchGraph graph;
  for (unsigned n = 0; n < switches; ++n) graph.add_switch(ports);
  add_hosts_everywhere(graph, hosts_per_switch);
  for (SwitchId a = 0; a < switches; ++a) {
    for (SwitchId b = a + 1; b < switches; ++b) {
      const bool same_group = a / group_size == b / group_size,
                 same_number = a % group_size == b % group_size;
      if ((same_group && joined(a % group_size, b % group_size)) ||
          (same_number && joined(a / group_size, b / group_size))) {
        graph.connect(a, b);
      }
    }
  }
  return graph;
}

}  // namespace topology

TopologyKind cplant_kind() {
  return {"cplant",
          "the 50 switches of the Computational Plant, groups of eight joined like cubes; 8 hosts on each "
          "where the network does not say otherwise",
          {},
          "network.topology",
          [](const Settings&, const SwitchPorts&) { return topology::cplant(); },
          [](const Settings&, std::size_t) {
            return NetworkShape{NetworkShape::Kind::groups, 8};
          }};
}

}  // namespace morgana
