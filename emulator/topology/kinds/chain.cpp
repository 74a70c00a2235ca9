#include "emulator/topology/switch_plan.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {

SwitchPlan chain(std::uint32_t switches) {
  SwitchPlan plan = without_trunks(switches, 0);
  for (SwitchId at = 0; at + 1 < switches; ++at) plan.trunks.emplace_back(at, at + 1);
  return plan;
}

}  // namespace topology

TopologyKind chain_kind() {
  return {"chain",
          "switches in a line, hosts on all of them",
          {switches_key()},
          "network.switches",
          [](const Settings& settings, const SwitchPorts& ports) {
            return topology::graph_of(topology::chain(switches_of(settings)), ports.hosts);
          },
          [](const Settings&, std::size_t switches) {
            return NetworkShape{NetworkShape::Kind::grid, static_cast<unsigned>(switches)};
          },
          {},
          [](const Settings& settings, const SwitchPorts&) {
            TopologyFacts facts;
            if (switches_of(settings) % 2 == 0) facts.bisection = 1;
            return facts;
          }};
}

}  // namespace morgana
