#include "emulator/routing/routing.h"

#include <gtest/gtest.h>

#include "emulator/routing/forwarding_table.h"
#include "emulator/routing/source_routing.h"
#include "emulator/topology/switch_plan.h"

namespace morgana {
namespace {

TEST(SourceRouting, TakesThePortThatTheByteNames) {
  const SourceRouting source;
  const Routing& routing = source;
  EXPECT_EQ(routing.output({{3, 5}, 0, 7}, IdleOutputs()), 7);
  EXPECT_FALSE(routing.chooses_by_load());
}

TEST(SourceRouting, TurnsFromTheInput) {
  const SourceRouting routing;
  EXPECT_EQ(routing.output({{3, 5}, 0, turn_byte(2)}, IdleOutputs()), 7);
  EXPECT_EQ(routing.output({{3, 5}, 0, turn_byte(-5)}, IdleOutputs()), 0);
  EXPECT_EQ(routing.output({{3, 5}, 0, turn_byte(-6)}, IdleOutputs()), std::nullopt);
}

// In a chain of three the middle switch has trunk 0 at its port 0 and trunk 1 at its port 1.
TEST(ForwardingTable, IsARoutingByDestinationWhateverTheInput) {
  const SwitchGraph graph = topology::graph_of(topology::chain(3), {});
  const ForwardingTable table = shortest_path_table(graph, [](CableChannel) { return true; });
  const Routing& routing = table;
  for (const PortNumber input : {PortNumber{0}, PortNumber{1}}) {
    EXPECT_EQ(routing.output({{1, input}, 2}, IdleOutputs()), 1);
    EXPECT_EQ(routing.output({{1, input}, 0}, IdleOutputs()), 0);
  }
  EXPECT_FALSE(routing.chooses_by_load());
}

}  // namespace
}  // namespace morgana
