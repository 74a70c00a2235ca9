#include "emulator/topology/switch_plan.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {

SwitchPlan star(std::uint32_t switches) {
  SwitchPlan plan = without_trunks(switches, switches > 1 ? 1 : 0);
  for (SwitchId at = 1; at < switches; ++at) plan.trunks.emplace_back(0, at);
  return plan;
}

}  // namespace topology

TopologyKind star_kind() {
  return {"star",
          "switch 0 is the hub of the others, which have the hosts",
          {switches_key()},
          "network.switches",
          [](const Settings& settings, const SwitchPorts& ports) {
            return topology::graph_of(topology::star(switches_of(settings)), ports.hosts);
          },
          [](const Settings&, std::size_t switches) {
            if (switches == 1) return NetworkShape{};
            return NetworkShape{NetworkShape::Kind::tree, static_cast<unsigned>(switches - 1)};
          },
          {},
          [](const Settings& settings, const SwitchPorts&) {
            TopologyFacts facts;
            const std::uint32_t leaves = switches_of(settings) - 1;
            if (leaves > 0 && leaves % 2 == 0) facts.bisection = leaves / 2;
            return facts;
          }};
}

}  // namespace morgana
