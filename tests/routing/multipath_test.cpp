#include "emulator/routing/multipath.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "emulator/routing/channel_dependencies.h"
#include "emulator/topology/kinds/fat_tree.h"
#include "emulator/topology/kinds/xgft.h"
#include "emulator/topology/switch_plan.h"
#include "tests/routing/faulty_network.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;

constexpr auto every_cable = [](CableChannel) { return true; };

/// Leaves 0 to 3 with four hosts each, and a cable to each of the four spines 4 to 7.
SwitchGraph leaf_spine() {
  return topology::fat_tree({.arity = 4, .levels = 2});
}

/// By trunk channel: how many of these pairs of hosts send through it.
std::map<CableChannel, int> pairs_through(const SwitchGraph& graph, const Routing& routing) {
  std::map<CableChannel, int> pairs;
  for (const SwitchGraph::Cable& cable : graph.cables()) {
    pairs[graph.channel_from(cable.a)] = 0;
    pairs[graph.channel_from(cable.b)] = 0;
  }
  for (HostNumber from = 0; from < graph.hosts(); ++from) {
    for (HostNumber to = 0; to < graph.hosts(); ++to) {
      if (from == to) continue;
      for (const HeldChannel& held : path_of(graph, routing, from, to, std::uint64_t{from} << 32 | to))
        if (const auto found = pairs.find(held.channel); found != pairs.end()) ++found->second;
    }
  }
  return pairs;
}

TEST(EqualPorts, AreThoseOfAllShortestWays) {
  const SwitchGraph graph = leaf_spine();
  const EqualPorts ports(graph, every_cable);
  EXPECT_THAT(ports.towards(0, 3), ElementsAre(4, 5, 6, 7));  // up, to any spine
  EXPECT_THAT(ports.towards(4, 3), ElementsAre(3));           // down
  EXPECT_THAT(ports.towards(4, 5), ElementsAre());            // to a spine: nothing goes there
  EXPECT_THAT(ports.towards(2, 2), ElementsAre());
}

TEST(EqualPorts, LeaveOutWhatMayNotBeUsed) {
  const SwitchGraph graph = leaf_spine();
  const CableChannel to_spine_4 = graph.channel_from(SwitchPort{0, 4});
  const EqualPorts ports(graph, [&](CableChannel channel) { return channel != to_spine_4; });
  EXPECT_THAT(ports.towards(0, 3), ElementsAre(5, 6, 7));
  EXPECT_THAT(ports.towards(1, 0), ElementsAre(5, 6, 7));  // spine 4 has no way down to leaf 0 any more
  EXPECT_THAT(ports.towards(1, 3), ElementsAre(4, 5, 6, 7));
}

// 192 of the 240 pairs cross the 16 trunks upwards, 12 each if they were dealt out evenly. Of a binomial
// distribution of 48 pairs a leaf over four spines the standard deviation is 3.
TEST(Ecmp, SpreadsTheFlowsOverAllTrunks) {
  const SwitchGraph graph = leaf_spine();
  int all = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    for (const auto& [channel, pairs] : pairs_through(graph, EcmpRouting(graph, every_cable, seed))) {
      EXPECT_GE(pairs, 2) << graph.describe(channel) << ", seed " << seed;
      EXPECT_LE(pairs, 24) << graph.describe(channel) << ", seed " << seed;
      all += pairs;
    }
  }
  EXPECT_EQ(all, 3 * 2 * 192);
}

TEST(Ecmp, KeepsAFlowOnOnePathAndLeadsOthersElsewhere) {
  const SwitchGraph graph = leaf_spine();
  const EcmpRouting routing(graph, every_cable, 1);
  std::set<std::vector<HeldChannel>> paths;
  for (std::uint64_t flow = 0; flow < 64; ++flow) {
    EXPECT_EQ(path_of(graph, routing, 0, 15, flow), path_of(graph, routing, 0, 15, flow));
    paths.insert(path_of(graph, routing, 0, 15, flow));
  }
  EXPECT_EQ(paths.size(), 4u);
}

// Over three levels: if both levels hashed alike, flows that a leaf sends to one switch would all leave that
// by the same port.
TEST(Ecmp, HashesDifferentlyAtEverySwitch) {
  const SwitchGraph graph = topology::fat_tree({.arity = 2, .levels = 3});
  const EcmpRouting routing(graph, every_cable, 1);
  std::set<std::vector<HeldChannel>> paths;
  for (std::uint64_t flow = 0; flow < 64; ++flow) paths.insert(path_of(graph, routing, 0, 7, flow));
  EXPECT_EQ(paths.size(), 4u);
}

TEST(DModK, DealsOutTheDestinationsEvenly) {
  const SwitchGraph graph = leaf_spine();
  for (const auto& [channel, pairs] :
       pairs_through(graph, ModKRouting(graph, every_cable, ModKRouting::End::destination)))
    EXPECT_EQ(pairs, 12) << graph.describe(channel);
}

// Of a tree of 27 hosts and arity 3 a leaf goes up by the destination's last digit, the next level by the one
// before it: ports 3 to 5 lead up.
TEST(DModK, GoesUpByTheDigitsOfTheDestination) {
  const SwitchGraph graph = topology::fat_tree({.arity = 3, .levels = 3});
  const ModKRouting routing(graph, every_cable, ModKRouting::End::destination);
  for (HostNumber to = 9; to < 27; ++to) {
    const auto path = path_of(graph, routing, 0, to);
    ASSERT_EQ(path.size(), 6u);
    EXPECT_EQ(graph.sending_port(path[1].channel).port, 3 + to % 3) << to;
    EXPECT_EQ(graph.sending_port(path[2].channel).port, 3 + to / 3 % 3) << to;
  }
}

// Zahavi's claim: host i sends to host i + n, all at once, and no two of these meet on any channel.
TEST(DModK, ShiftsMeetNowhereInAFatTree) {
  const SwitchGraph graph = topology::fat_tree({.arity = 3, .levels = 3});
  const ModKRouting routing(graph, every_cable, ModKRouting::End::destination);
  for (HostNumber shift = 1; shift < graph.hosts(); ++shift) {
    std::set<CableChannel> used;
    for (HostNumber from = 0; from < graph.hosts(); ++from)
      for (const HeldChannel& held :
           path_of(graph, routing, from, static_cast<HostNumber>((from + shift) % graph.hosts())))
        EXPECT_TRUE(used.insert(held.channel).second) << "shift " << shift << ", host " << from;
  }
}

/// Fat trees with parallel cables and as many cables up as down: of two levels with two, and of three with
/// parallel cables below, above and on both levels. Hosts a leaf in front.
struct WithParallelCables {
  std::uint32_t hosts;
  topology::XgftShape shape;
};
std::vector<WithParallelCables> trees_with_parallel_cables() {
  return {{4, {{4}, {2}, {2}}},          {6, {{3}, {2}, {3}}},          {4, {{4, 4}, {2, 8}, {2, 1}}},
          {4, {{4, 2}, {4, 2}, {1, 2}}}, {4, {{2, 3}, {2, 2}, {2, 2}}}, {4, {{4, 2}, {2, 1}, {2, 8}}}};
}

// D-mod-K and S-mod-K deal out destinations or sources evenly: of all pairs of hosts, each cable between two
// levels carries the same number upwards, and the same downwards.
TEST(ModK, ParallelCablesCarryTheSameNumberOfPairsUpAndDown) {
  for (const auto& [hosts, shape] : trees_with_parallel_cables()) {
    const SwitchGraph graph = topology::graph_of(topology::xgft(shape), hosts);
    const auto tier = topology::xgft_facts(shape).tier;
    for (const auto end : {ModKRouting::End::destination, ModKRouting::End::source}) {
      const ModKRouting routing(graph, every_cable, end);
      EXPECT_THAT(find_deadlock(graph, routing), ::testing::IsEmpty());
      std::map<std::pair<std::size_t, bool>, std::set<int>> pairs;  // by tier and direction
      for (const auto& [channel, count] : pairs_through(graph, routing)) {
        const SwitchPort from = graph.sending_port(channel);
        const SwitchId to = graph.neighbour(from).id;
        pairs[{tier(from.at, to), from.at < to}].insert(count);
      }
      for (const auto& [place, counts] : pairs)
        EXPECT_THAT(counts, ::testing::SizeIs(1)) << ::testing::PrintToString(shape.cables) << " tier "
                                                  << place.first << (place.second ? " up" : " down");
    }
  }
}

// Zahavi's claim for real fat trees (2010): no two of a shift's packets meet, by parallel cables neither.
TEST(DModK, ShiftsMeetNowhereOnParallelCables) {
  for (const auto& [hosts, shape] : trees_with_parallel_cables()) {
    const SwitchGraph graph = topology::graph_of(topology::xgft(shape), hosts);
    const ModKRouting routing(graph, every_cable, ModKRouting::End::destination);
    for (HostNumber shift = 1; shift < graph.hosts(); ++shift) {
      std::set<CableChannel> used;
      for (HostNumber from = 0; from < graph.hosts(); ++from)
        for (const HeldChannel& held :
             path_of(graph, routing, from, static_cast<HostNumber>((from + shift) % graph.hosts())))
          EXPECT_TRUE(used.insert(held.channel).second)
              << ::testing::PrintToString(shape.cables) << " shift " << shift << ", host " << from;
    }
  }
}

// A leaf with two cables to each of two spines: cable d / 2 mod 2 to spine d mod 2, and down by the same
// cable.
TEST(DModK, GoesDownByTheCableThatTheDestinationsNumberWouldTakeUp) {
  const SwitchGraph graph = topology::graph_of(topology::xgft({{4}, {2}, {2}}), 4);
  const ModKRouting routing(graph, every_cable, ModKRouting::End::destination);
  for (HostNumber to = 4; to < 8; ++to) {
    const auto path = path_of(graph, routing, 0, to);
    ASSERT_EQ(path.size(), 4u);
    const unsigned spine = to % 2, cable = to / 2 % 2;
    // Ports 4 to 7 of a leaf lead to spine 0, spine 0, spine 1, spine 1; ports 2 and 3 of a spine to leaf 1.
    EXPECT_EQ(graph.sending_port(path[1].channel),
              (SwitchPort{0, static_cast<PortNumber>(4 + 2 * spine + cable)}));
    EXPECT_EQ(graph.sending_port(path[2].channel),
              (SwitchPort{4 + spine, static_cast<PortNumber>(2 + cable)}));
  }
}

TEST(EqualPorts, MayAlternateBetweenNeighbours) {
  const SwitchGraph graph = topology::graph_of(topology::xgft({{4}, {2}, {2}}), 4);
  EXPECT_THAT(EqualPorts(graph, every_cable).towards(0, 3), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(EqualPorts(graph, every_cable, EqualPorts::Order::neighbours_alternately).towards(0, 3),
              ElementsAre(4, 6, 5, 7));
}

// By the source's digits: a host's packets go up one way whomever they are for.
TEST(SModK, GoesUpByTheDigitsOfTheSource) {
  const SwitchGraph graph = topology::fat_tree({.arity = 3, .levels = 3});
  const ModKRouting routing(graph, every_cable, ModKRouting::End::source);
  for (HostNumber from = 0; from < 9; ++from) {
    for (const HostNumber to : {9U, 14U, 26U}) {
      const auto path = path_of(graph, routing, from, to);
      ASSERT_EQ(path.size(), 6u);
      EXPECT_EQ(graph.sending_port(path[1].channel).port, 3 + from % 3) << from;
      EXPECT_EQ(graph.sending_port(path[2].channel).port, 3 + from / 3 % 3) << from;
    }
  }
}

// 4,000 packets of one flow over four ports: each is drawn with a probability of a quarter, deviation 27.
TEST(Spray, DrawsAPortForEveryPacket) {
  const SwitchGraph graph = leaf_spine();
  const SprayRouting routing(graph, every_cable, 1), other(graph, every_cable, 2);
  std::map<PortNumber, int> taken;
  int same = 0;
  for (std::uint64_t number = 0; number < 4'000; ++number) {
    const RoutedPacket packet{.input = {0, 0}, .destination = 15, .last_switch = 3, .number = number};
    const auto choice = routing.choose(packet, IdleOutputs());
    EXPECT_EQ(choice, routing.choose(packet, IdleOutputs()));
    if (choice == other.choose(packet, IdleOutputs())) ++same;
    ++taken[choice->port];
  }
  EXPECT_EQ(taken.size(), 4u);
  for (const auto& [port, count] : taken) EXPECT_NEAR(count, 1'000, 140) << port;
  EXPECT_NEAR(same, 1'000, 140);
  EXPECT_FALSE(routing.keeps_flows_together());
}

/// Loads by port.
class GivenLoads final : public OutputLoads {
 public:
  explicit GivenLoads(std::map<PortNumber, std::int64_t> waits) : waits_(std::move(waits)) {}
  SimTime wait(SwitchPort output) const override { return SimTime::from_ps(waits_.at(output.port)); }

 private:
  std::map<PortNumber, std::int64_t> waits_;
};

TEST(LeastLoaded, TakesTheFirstOfTheOutputsThatAreFreeSoonest) {
  const SwitchGraph graph = leaf_spine();
  const LeastLoadedRouting routing(graph, every_cable);
  const RoutedPacket packet{.input = {0, 0}, .destination = 15, .last_switch = 3};
  EXPECT_EQ(routing.choose(packet, GivenLoads({{4, 5}, {5, 3}, {6, 3}, {7, 9}})), RoutingChoice{5});
  EXPECT_EQ(routing.choose(packet, IdleOutputs()), RoutingChoice{4});
  EXPECT_TRUE(routing.chooses_by_load());
}

// Two ports are drawn, with replacement: the worst of four is taken only where both are it, 1 of 16.
TEST(TwoChoices, TakesTheOneThatIsFreeSooner) {
  const SwitchGraph graph = leaf_spine();
  const TwoChoicesRouting routing(graph, every_cable, 1);
  const GivenLoads loads({{4, 5}, {5, 3}, {6, 1}, {7, 9}});
  std::map<PortNumber, int> taken;
  for (std::uint64_t number = 0; number < 16'000; ++number) {
    const RoutedPacket packet{.input = {0, 0}, .destination = 15, .last_switch = 3, .number = number};
    ++taken[routing.choose(packet, loads)->port];
  }
  EXPECT_NEAR(taken[7], 1'000, 150);
  EXPECT_NEAR(taken[4], 3'000, 250);
  EXPECT_NEAR(taken[5], 5'000, 300);
  EXPECT_NEAR(taken[6], 7'000, 300);
  EXPECT_TRUE(routing.chooses_by_load());
}

// From leaf 0 to the hosts of the others all four spines are equally good: one counter deals all these
// packets out, one after the other. A switch with one way has another.
TEST(SprayRoundRobin, DealsPacketsOutOneAfterTheOther) {
  const SwitchGraph graph = leaf_spine();
  const RoundRobinRouting routing(graph, every_cable);
  const auto port_to = [&](HostNumber to) {
    return routing
        .choose({.input = {0, 0}, .destination = to, .last_switch = graph.port_of(to).at}, IdleOutputs())
        ->port;
  };
  std::vector<PortNumber> taken;
  for (const HostNumber to : {4U, 8U, 15U, 5U, 4U}) taken.push_back(port_to(to));
  EXPECT_THAT(taken, ElementsAre(4, 5, 6, 7, 4));
  EXPECT_TRUE(routing.chooses_by_load()) << "it has to be asked when the packet is there";
  EXPECT_FALSE(routing.keeps_flows_together());
  EXPECT_TRUE(find_deadlock(graph, routing).empty());
}

const std::vector<RoutesKind> kinds_of_trees{
    RoutesKind::ecmp,     RoutesKind::d_mod_k,     RoutesKind::s_mod_k,      RoutesKind::spray,
    RoutesKind::flowlets, RoutesKind::two_choices, RoutesKind::least_loaded, RoutesKind::spray_round_robin};

/// A fat tree of up to four levels, leaves and spines or pods among them.
SwitchGraph random_tree(RandomStream& random) {
  const auto one_to = [&](unsigned most) { return 1 + static_cast<unsigned>(random.below(most)); };
  topology::XgftShape shape;
  for (unsigned steps = one_to(3); steps > 0; --steps) {
    shape.children.push_back(one_to(shape.children.size() < 2 ? 4 : 2));
    shape.parents.push_back(one_to(3));
    shape.cables.push_back(one_to(2));
  }
  return topology::graph_of(topology::xgft(shape), one_to(2));
}

// 200 fat trees, one in four whole, the others with one cable off or with several: packets arrive if any
// cables lead there, over as few as a plain search finds. Whole trees close no cycle. Faults can make
// shortest ways turn up again below the top, and the proof then finds a cycle in some: none where no way that
// is left is longer than in the whole tree, for such ways go up and down as before.
TEST(Multipath, TakesShortestWaysRoundFaultsOfRandomFatTrees) {
  RandomStream random(17, "trees");
  int whole = 0, as_short = 0, longer_without_cycle = 0;
  for (int n = 0; n < 200; ++n) {
    FaultyNetwork network{random_tree(random), {}, {}};
    const SwitchGraph& graph = network.graph;
    network.fail(random, n % 2 == 0 ? 0 : 0.15);
    if (n % 4 == 2) network.on.assign(graph.channels(), true);
    const Arcs all = usable_arcs(graph, every_cable), arcs = usable_arcs(graph, network.usable());
    bool longer = false;
    for (HostNumber to = 0; to < graph.hosts(); ++to) {
      const auto in_whole = trunks_to_nearest(all, {graph.port_of(to).at}),
                 left = trunks_to_nearest(arcs, {graph.port_of(to).at});
      for (HostNumber from = 0; from < graph.hosts(); ++from) {
        const SwitchId at = graph.port_of(from).at;
        longer = longer || (left[at] != unreachable_trunks && left[at] != in_whole[at]);
      }
    }
    for (const RoutesKind kind : kinds_of_trees) {
      SCOPED_TRACE("tree " + std::to_string(n) + ", routes " + std::to_string(static_cast<int>(kind)));
      const auto routing = network.routing(kind);
      const bool free = find_deadlock(graph, *routing).empty();
      if (!longer) {
        EXPECT_TRUE(free);
      }
      (n % 4 == 2 ? whole : longer ? longer_without_cycle : as_short) += free ? 1 : 0;
      for (HostNumber to = 0; to < graph.hosts(); ++to) {
        const auto left = trunks_to_nearest(arcs, {graph.port_of(to).at});
        for (HostNumber from = 0; from < graph.hosts(); ++from) {
          const std::uint32_t cables = left[graph.port_of(from).at];
          ASSERT_EQ(arrives(network, *routing, from, to, random), cables != unreachable_trunks);
          if (cables != unreachable_trunks) {
            ASSERT_EQ(path_of(graph, *routing, from, to).size(), cables + 2U);
          }
        }
      }
    }
  }
  EXPECT_EQ(whole, 50 * 8);
  EXPECT_GT(as_short, 50 * 8);
  EXPECT_GT(longer_without_cycle, 0);
}

TEST(Multipath, LeadsNowhereWhereNoTrunksDo) {
  const SwitchGraph graph = leaf_spine();
  const auto none = [](CableChannel) { return false; };
  const RoutedPacket packet{.input = {0, 0}, .destination = 15, .last_switch = 3};
  EXPECT_FALSE(EcmpRouting(graph, none, 1).choose(packet, IdleOutputs()));
  EXPECT_FALSE(ModKRouting(graph, none, ModKRouting::End::destination).choose(packet, IdleOutputs()));
  EXPECT_FALSE(LeastLoadedRouting(graph, none).choose(packet, IdleOutputs()));
  EXPECT_FALSE(SprayRouting(graph, none, 1).choose(packet, IdleOutputs()));
  EXPECT_FALSE(TwoChoicesRouting(graph, none, 1).choose(packet, IdleOutputs()));
  EXPECT_THROW(path_of(graph, ModKRouting(graph, none, ModKRouting::End::destination), 0, 15), Error);
}

}  // namespace
}  // namespace morgana
