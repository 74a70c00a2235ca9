#include "replay/switch_units.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "emulator/platform/platform_network.h"
#include "runs/collective_time.h"

namespace morgana {
namespace {

std::vector<HostId> hosts_from_zero(int count) {
  std::vector<HostId> hosts;
  for (int host = 0; host < count; ++host) hosts.push_back(static_cast<HostId>(host));
  return hosts;
}

SwitchGraph graph_of_pod() {
  return *PlatformNetwork::graph_for_units(Platform::load("dgx-h100-pod"), 512);
}

// Nodes are switches 0 to 63, leaves of the first group 64 to 71, of the second 72 to 79, spines 80 to 87.
TEST(SwitchUnits, ARailMeetsInItsLeafOrInItsSpine) {
  const SwitchGraph pod = graph_of_pod();
  const nccl::GpuLayout in_a_group{64, 8, 8}, in_both{8 * 40, 8, 8};
  const SwitchUnitPlaces near = units_of_network(pod, hosts_from_zero(64), in_a_group, nullptr);
  ASSERT_TRUE(near.units);
  EXPECT_EQ(near.at, (std::vector<SwitchId>{64, 65, 66, 67, 68, 69, 70, 71}));
  for (int rail = 0; rail < 8; ++rail)
    EXPECT_EQ(near.units->above_node[static_cast<std::size_t>(rail)], std::vector<int>(8, rail));
  const SwitchUnitPlaces far = units_of_network(pod, hosts_from_zero(8 * 40), in_both, nullptr);
  ASSERT_TRUE(far.units);
  ASSERT_EQ(far.units->count, 8 * 3);
  for (std::size_t rail = 0; rail < 8; ++rail) {
    const std::vector<int>& above = far.units->above_node[rail];
    const auto first = static_cast<std::size_t>(above.front()),
               second = static_cast<std::size_t>(above.back());
    EXPECT_EQ(far.at[first], 64 + rail);
    EXPECT_EQ(far.at[second], 72 + rail);
    const int spine = far.units->above[first];
    EXPECT_EQ(far.units->above[second], spine);
    EXPECT_EQ(far.at[static_cast<std::size_t>(spine)], 80 + rail);
    EXPECT_EQ(far.units->above[static_cast<std::size_t>(spine)], -1);
  }
}

TEST(SwitchUnits, NodesNeedAllTheirGpusAtOneSwitch) {
  const SwitchGraph pod = graph_of_pod();
  const SwitchUnitPlaces nodes = units_of_nodes(pod, hosts_from_zero(16), {16, 8, 8});
  EXPECT_EQ(nodes.at, (std::vector<SwitchId>{0, 1}));
  EXPECT_FALSE(units_of_nodes(pod, hosts_from_zero(16), {16, 16, 8}).units);
  EXPECT_FALSE(units_of_network(pod, hosts_from_zero(8), {8, 8, 8}, nullptr).units);
  // Behind the nodes' units come those of the network.
  const SwitchUnitPlaces both = units_of_network(pod, hosts_from_zero(16), {16, 8, 8}, &nodes);
  EXPECT_EQ(both.units->of_node, (std::vector<int>{0, 1}));
  EXPECT_EQ(both.units->above_node[3], (std::vector<int>{5, 5}));
}

// What goes by NVLS shares its links with whatever else uses them.
TEST(SwitchUnits, OtherTrafficHoldsThemUp) {
  const auto time_with = [](const std::vector<std::string>& overrides) {
    return CollectiveTimer(Platform::load("dgx-h100", overrides), CollectiveLibrary::nccl,
                           {MeasuredCollective::all_reduce, 8})
        .time(Bytes(64 << 20), {"nvls"})
        .time;
  };
  const SimTime alone = time_with({}), beside = time_with({"background.load=0.3"});
  EXPECT_GT(20 * beside, 21 * alone);  // a twentieth, at least
  EXPECT_LT(2 * beside, 3 * alone);    // 0.7 of each link is left: 1.43 times, and a little for queues
}

}  // namespace
}  // namespace morgana
