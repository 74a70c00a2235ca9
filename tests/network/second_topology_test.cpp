// The smallest topology: what stands beside those of emulator/topology/switch_plan.h.
#include <gtest/gtest.h>

#include "emulator/network/ethernet/switched.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/switch_plan.h"
#include "tests/network/harness.h"

namespace morgana::testing {
namespace {
using namespace literals;

/// A hypercube: switches whose numbers differ in one bit are joined; hosts on all of them.
topology::SwitchPlan cube(unsigned dimensions) {
  topology::SwitchPlan plan;
  plan.switches = 1U << dimensions;
  for (SwitchId at = 0; at < plan.switches; ++at) {
    plan.with_hosts.push_back(at);
    for (unsigned dimension = 0; dimension < dimensions; ++dimension)
      if (const SwitchId other = at ^ (1U << dimension); at < other) plan.trunks.emplace_back(at, other);
  }
  return plan;
}

// Frames of 72 bytes of 80 ns; without propagation or forwarding each link takes 5.76 us. Hosts hang on the
// switches of their numbers: from 0 to 7 it is three trunks and two hosts' links, to 1 one trunk.
TEST(SecondTopology, CarriesFramesBesideTheOthers) {
  const topology::SwitchPlan plan = cube(3);
  const CabledGraph graph =
      CabledGraph::uniform(topology::graph_of(plan, topology::spread(plan, 8)), {BitRate(100'000'000), 0_ns});
  EventQueue events;
  SwitchedEthernetParameters parameters;
  parameters.propagation = parameters.forwarding = 0_ns;
  parameters.routes.routes = RoutesKind::ecmp;
  SwitchedEthernet network(events, graph, parameters);
  Experiment experiment(events, network);
  const auto& fates = experiment.run({{0_us, 0, 7, 46}, {0_us, 1, 0, 46}});
  experiment.expect_conservation();
  EXPECT_EQ(fates[0].delivered, 5 * 5760_ns);
  EXPECT_EQ(fates[1].delivered, 3 * 5760_ns);
  EXPECT_EQ(network.links(events.now()).loads.size(), 2u * (12 + 8));  // a report of both directions of each
}

}  // namespace
}  // namespace morgana::testing
