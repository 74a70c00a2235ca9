#include "emulator/topology/switch_plan.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {

SwitchPlan ring(std::uint32_t switches) {
  SwitchPlan plan = chain(switches);
  if (switches > 2) plan.trunks.emplace_back(switches - 1, 0);
  return plan;
}

}  // namespace topology

TopologyKind ring_kind() {
  return {"ring",
          "a chain whose ends are joined",
          {switches_key()},
          "network.switches",
          [](const Settings& settings, const SwitchPorts& ports) {
            return topology::graph_of(topology::ring(switches_of(settings)), ports.hosts);
          },
          [](const Settings&, std::size_t) { return NetworkShape{NetworkShape::Kind::circle}; },
          {},
          [](const Settings& settings, const SwitchPorts&) {
            TopologyFacts facts;
            const std::uint32_t switches = switches_of(settings);
            if (switches % 2 == 0) facts.bisection = switches > 2 ? 2 : 1;
            return facts;
          }};
}

}  // namespace morgana
