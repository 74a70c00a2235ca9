#include "emulator/routing/hop_routing.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "emulator/routing/channel_dependencies.h"
#include "emulator/topology/kinds/dragonfly_plus.h"
#include "emulator/topology/kinds/irregular.h"
#include "emulator/topology/kinds/slim_fly.h"
#include "emulator/topology/kinds/xgft.h"
#include "tests/routing/faulty_network.h"
#include "tests/routing/networks.h"

namespace morgana {
namespace {

using topology::graph_of;

bool every_hop(CableChannel) {
  return true;
}

SwitchGraph slim_fly_of(unsigned q) {
  return graph_of(topology::slim_fly(q), 1);
}

SwitchGraph plus_of(unsigned groups, unsigned leaves, unsigned spines, unsigned global) {
  return graph_of(topology::dragonfly_plus({groups, leaves, spines, global}), 1);
}

HopRouting hop_routing(const SwitchGraph& graph, Detours detours) {
  DetourRules rules;
  rules.detours = detours;
  return {graph, rules, every_hop};
}

/// Switches joined as listed, a host on each, of the same number.
SwitchGraph edges(unsigned switches, const std::vector<std::pair<SwitchId, SwitchId>>& joined) {
  topology::SwitchPlan plan = topology::without_trunks(switches, 0);
  plan.trunks = joined;
  return graph_of(plan, 1);
}

// Besta and Hoefler, SC 2014, section IV.D: two virtual channels for minimal ways on a Slim Fly and four for
// adaptive ones. A dragonfly-plus goes up, across and down, so that each of the two parts of a way needs one.
// Two switches of a Petersen graph are two cables apart at most, and of a ring of seven three.
TEST(HopRouting, CouldDeadlockWithOneVirtualChannelFewer) {
  const SwitchGraph petersen = edges(10, {{0, 1},
                                          {1, 2},
                                          {2, 3},
                                          {3, 4},
                                          {4, 0},
                                          {0, 5},
                                          {1, 6},
                                          {2, 7},
                                          {3, 8},
                                          {4, 9},
                                          {5, 7},
                                          {7, 9},
                                          {9, 6},
                                          {6, 8},
                                          {8, 5}});
  const SwitchGraph ring = edges(7, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 0}});
  struct Case {
    const char* name;
    SwitchGraph graph;
    unsigned minimal, detours;
  };
  for (const Case& one : {Case{"slim fly 3", slim_fly_of(3), 2, 4}, Case{"slim fly 4", slim_fly_of(4), 2, 4},
                          Case{"slim fly 5", slim_fly_of(5), 2, 4}, Case{"petersen", petersen, 2, 4},
                          Case{"ring", ring, 3, 6}, Case{"dragonfly-plus", plus_of(5, 2, 2, 2), 1, 2},
                          Case{"tree", graph_of(topology::xgft({{4, 4}, {2, 2}, {1, 1}}), 1), 1, 2}}) {
    for (const Detours detours : {Detours::never, Detours::always, Detours::by_output, Detours::by_channel}) {
      SCOPED_TRACE(std::string(one.name) + " " + std::to_string(static_cast<int>(detours)));
      const HopRouting routing = hop_routing(one.graph, detours);
      ASSERT_EQ(routing.virtual_channels(), detours == Detours::never ? one.minimal : one.detours);
      EXPECT_TRUE(find_deadlock(one.graph, routing).empty());
      EXPECT_TRUE(find_deadlock(one.graph, AsOneRouting(routing, 0)).empty()) << "followed as it goes";
      if (routing.virtual_channels() > 1) {
        EXPECT_FALSE(find_deadlock(one.graph, AsOneRouting(routing, 1)).empty());
      }
    }
  }
}

// Besides, of a network that is followed as it goes and by its parts the answer is the same; from 2^22
// packets' states on, those of Slim Fly 9 with 162 switches, by its parts alone.
TEST(HopRouting, IsProvedByItsPartsWhereItIsLarge) {
  const SwitchGraph small = slim_fly_of(5), large = slim_fly_of(9);
  EXPECT_EQ(hop_routing(small, Detours::always).parts(), nullptr);
  const HopRouting routing = hop_routing(large, Detours::always);
  ASSERT_NE(routing.parts(), nullptr);
  EXPECT_EQ(routing.parts()->virtual_channels(), 2U);
  EXPECT_TRUE(find_deadlock(large, routing).empty());
}

/// The switches after the first one and their virtual channels.
std::vector<std::pair<SwitchId, unsigned>> hops_of(const SwitchGraph& graph, const Routing& routing,
                                                   HostNumber from, HostNumber to, std::uint64_t number,
                                                   const OutputLoads& loads) {
  std::vector<std::pair<SwitchId, unsigned>> hops;
  RoutedPacket packet{.input = graph.port_of(from),
                      .source = from,
                      .destination = to,
                      .last_switch = graph.port_of(to).at,
                      .flow = number,
                      .number = number};
  while (packet.input.at != packet.last_switch && hops.size() < 20) {
    const auto choice = routing.choose(packet, loads);
    if (!choice) break;
    packet.input = graph.neighbour({packet.input.at, choice->port}).switch_port();
    packet.virtual_channel = choice->virtual_channel;
    packet.note = choice->note;
    hops.emplace_back(packet.input.at, choice->virtual_channel);
  }
  return hops;
}

TEST(HopRouting, TheNthCableIsOnVirtualChannelN) {
  const SwitchGraph graph = slim_fly_of(5);
  const HopRouting routing = hop_routing(graph, Detours::always);
  for (std::uint64_t number = 0; number < 1'000; ++number) {
    const auto hops =
        hops_of(graph, routing, 0, 1 + static_cast<HostNumber>(number % 49), number, IdleOutputs());
    ASSERT_FALSE(hops.empty());
    EXPECT_LE(hops.size(), 4U);
    for (unsigned n = 0; n < hops.size(); ++n) EXPECT_EQ(hops[n].second, n);
  }
}

// A complete graph of five: to switch 4 by each of the other three alike, never by the ends.
TEST(HopRouting, DrawsAllIntermediateSwitchesAlike) {
  std::vector<std::pair<SwitchId, SwitchId>> all;
  for (SwitchId a = 0; a < 5; ++a)
    for (SwitchId b = a + 1; b < 5; ++b) all.emplace_back(a, b);
  const SwitchGraph graph = edges(5, all);
  const HopRouting routing = hop_routing(graph, Detours::always);
  std::map<SwitchId, int> by;
  for (std::uint64_t number = 0; number < 3'000; ++number) {
    const auto hops = hops_of(graph, routing, 1, 4, number, IdleOutputs());
    ASSERT_EQ(hops.size(), 2U);
    ++by[hops.front().first];
  }
  ASSERT_EQ(by.size(), 3U);
  for (const auto& [via, packets] : by) EXPECT_NEAR(packets, 1'000, 130) << via;
}

class WaitsAt final : public OutputLoads {
 public:
  std::map<SwitchPort, std::int64_t> ps;
  SimTime wait(SwitchPort output) const override {
    const auto set = ps.find(output);
    return SimTime::from_ps(set == ps.end() ? 0 : set->second);
  }
};

// A triangle, from 0 to 1: 100 ps wait for the cable 0-1. By 2 it is 10 ps for 0-2, and then 80 or 95.
TEST(HopRouting, UgalLWeighsTheFirstOutputsAndUgalGAllOfBothWays) {
  const SwitchGraph graph = edges(3, {{0, 1}, {0, 2}, {2, 1}});
  WaitsAt loads;
  const auto port = [&](SwitchId from, SwitchId to) {
    for (const auto& [a, b] : graph.cables()) {
      if (a.at == from && b.at == to) return a;
      if (b.at == from && a.at == to) return b;
    }
    return SwitchPort{};
  };
  const auto crossed = [&](Detours detours) {
    return hops_of(graph, hop_routing(graph, detours), 0, 1, 5, loads).size();
  };
  loads.ps = {{port(0, 1), 100}, {port(0, 2), 10}, {port(2, 1), 80}};
  EXPECT_EQ(crossed(Detours::by_output), 2U) << "100 times 1 cable is more than 10 times 2";
  EXPECT_EQ(crossed(Detours::by_channel), 2U) << "100 is more than 10 + 80";
  loads.ps[port(2, 1)] = 95;
  EXPECT_EQ(crossed(Detours::by_output), 2U) << "it does not see that one";
  EXPECT_EQ(crossed(Detours::by_channel), 1U) << "100 is less than 10 + 95";
  loads.ps[port(0, 2)] = 50;
  EXPECT_EQ(crossed(Detours::by_output), 1U) << "100 is not more than 50 times 2";
}

/// One of a Slim Fly, a dragonfly-plus, a random regular graph, a fat tree and a network without any order.
SwitchGraph random_member(int n, RandomStream& random) {
  const auto one_to = [&](unsigned most) { return 1 + static_cast<unsigned>(random.below(most)); };
  switch (n % 5) {
    case 0:
      return slim_fly_of(3 + static_cast<unsigned>(random.below(3)));
    case 1: {
      const unsigned spines = one_to(3), global = one_to(3);
      return plus_of(one_to(spines * global + 1), one_to(3), spines, global);
    }
    case 2:
      return topology::irregular({4 + 2 * static_cast<unsigned>(random.below(12)), 1, 3, 16}, random.next());
    case 3:
      return graph_of(topology::xgft({{one_to(4), one_to(4)}, {one_to(3), one_to(3)}, {one_to(2), 1}}), 1);
    default:
      return random_network(random, 16);
  }
}

// 200 members, one in four whole, the others with one cable off or several: packets arrive where cables lead,
// over as few as there are if the way is minimal, and no cycle closes; nor does one where every packet is
// followed as it goes, in all small ones.
TEST(HopRouting, ArrivesRoundFaultsOnRandomMembersAndNeverDeadlocks) {
  RandomStream random(23, "any graph");
  int by_phase = 0, by_hops = 0;
  for (int n = 0; n < 200; ++n) {
    FaultyNetwork network{random_member(n, random), {}, {}};
    network.fail(random, n % 2 == 0 ? 0 : 0.1);
    const SwitchGraph& graph = network.graph;
    if (n / 5 % 4 == 2) network.on.assign(graph.channels(), true);
    const Arcs arcs = usable_arcs(graph, network.usable());
    for (const RoutesKind kind :
         {RoutesKind::minimal, RoutesKind::valiant, RoutesKind::ugal_l, RoutesKind::ugal_g}) {
      SCOPED_TRACE("network " + std::to_string(n) + ", routes " + std::to_string(static_cast<int>(kind)));
      const auto routing = network.routing(kind);
      (routing->virtual_channels() > 3 ? by_hops : by_phase) += 1;
      EXPECT_TRUE(find_deadlock(graph, *routing).empty());
      if (n % 3 == 0 && graph.switches() <= 32) {
        EXPECT_TRUE(find_deadlock(graph, AsOneRouting(*routing, 0)).empty());
      }
      for (HostNumber to = 0; to < graph.hosts(); ++to) {
        const auto distance = trunks_to_nearest(arcs, {graph.port_of(to).at});
        for (HostNumber from = 0; from < graph.hosts(); ++from) {
          const std::uint32_t cables = distance[graph.port_of(from).at];
          ASSERT_EQ(arrives(network, *routing, from, to, random), cables != unreachable_trunks)
              << "from " << from << " to " << to;
          if (kind == RoutesKind::minimal && cables != unreachable_trunks) {
            ASSERT_EQ(path_of(graph, *routing, from, to).size(), cables + 2U);
          }
        }
      }
    }
  }
  EXPECT_GT(by_phase, 100);
  EXPECT_GT(by_hops, 100);
}

}  // namespace
}  // namespace morgana
