#include "emulator/routing/routing.h"

#include <gtest/gtest.h>

#include "emulator/routing/forwarding_table.h"
#include "emulator/topology/switch_plan.h"

namespace morgana {
namespace {

// In a chain of three the middle switch has trunk 0 at its port 0 and trunk 1 at its port 1.
TEST(ForwardingTable, IsARoutingByDestinationWhateverTheInput) {
  const SwitchGraph graph = topology::graph_of(topology::chain(3), {});
  const ForwardingTable table = shortest_path_table(graph, [](CableChannel) { return true; });
  const Routing& routing = table;
  for (const PortNumber input : {PortNumber{0}, PortNumber{1}}) {
    EXPECT_EQ(routing.choose({.input = {1, input}, .last_switch = 2}, IdleOutputs()), RoutingChoice{1});
    EXPECT_EQ(routing.choose({.input = {1, input}, .last_switch = 0}, IdleOutputs()), RoutingChoice{0});
  }
  EXPECT_FALSE(routing.chooses_by_load());
  EXPECT_EQ(routing.virtual_channels(), 1u);
}

}  // namespace
}  // namespace morgana
