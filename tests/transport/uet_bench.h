#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/routing/switch_tables.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/transport/uet/uet.h"
#include "experiments/ultraethernet/htsim_uet.h"
#include "tests/transport/flow_networks.h"
#include "tests/transport/flows.h"

namespace morgana::testing {

using UetFlows = Flows<Uet, UetParameters>;

struct UetOutcome {
  Completions completions{};
  UetCounters counters{};
};

inline UetOutcome run_uet(SwitchGraph graph, const HtsimUet& given, const std::vector<Flow>& flows,
                          Bytes bytes, std::uint64_t seed = 1) {
  EventQueue events;
  const CabledGraph network = CabledGraph::uniform(std::move(graph), {BitRate(100'000'000'000), micro(1)});
  RoutesParameters routes;
  routes.routes = RoutesKind::ecmp;
  routes.seed = seed;
  FabricNetwork fabric(events, network, given.fabric, SwitchTables(network, routes, {}, SimTime()));
  const UetFlows run(events, fabric, network.graph.hosts(), given.uet, flows, bytes);
  return {Completions::of(run.completions()), run.transport().counters()};
}

}  // namespace morgana::testing
