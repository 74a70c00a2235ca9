#include "emulator/routing/laned_routing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "emulator/core/error.h"
#include "emulator/routing/acyclic_graph.h"
#include "emulator/routing/channel_dependencies.h"
#include "emulator/routing/forwarding_table.h"
#include "emulator/topology/kinds/dragonfly.h"
#include "tests/routing/networks.h"
#include "tests/support/effort.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto all_cables = [](CableChannel) { return true; };

/// Switches in a ring, a host on port 0 of each; port 1 to the next, port 2 from the one before.
SwitchGraph ring_of(unsigned switches) {
  return topology::torus({.sides = {switches}, .hosts_per_switch = 1, .ports_per_switch = 3});
}

/// A torus, an irregular network, a dragonfly, or one without any order.
SwitchGraph random_member(RandomStream& random) {
  const auto from = [&](unsigned least, unsigned most) {
    return least + static_cast<unsigned>(random.below(most - least + 1));
  };
  switch (random.below(4)) {
    case 0: {
      topology::TorusShape shape{.sides = {from(3, 6)}, .hosts_per_switch = from(1, 2)};
      while (shape.sides.size() < 3 && random.chance(0.6)) shape.sides.push_back(from(1, 4));
      return topology::torus(shape);
    }
    case 1:
      return topology::irregular({.switches = 2 * from(3, 10), .hosts_per_switch = 2, .cables_per_switch = 3},
                                 random.below(1'000'000));
    case 2: {
      const unsigned switches = from(2, 4), global = from(1, 2);
      return topology::dragonfly({.groups = from(2, switches * global + 1),
                                  .switches_per_group = switches,
                                  .global_per_switch = global},
                                 from(1, 2));
    }
    default:
      return random_network(random, 12);
  }
}

/// Up to three of its cables between switches that have failed.
std::set<CableChannel> failed_cables(const SwitchGraph& graph, RandomStream& random) {
  std::set<CableChannel> failed;
  for (std::size_t n = random.below(4); n > 0 && !graph.cables().empty(); --n) {
    const auto& [a, b] = graph.cables()[random.below(graph.cables().size())];
    failed.insert({graph.channel_from(a), graph.channel_from(b)});
  }
  return failed;
}

/// Another routing with its last virtual channel laid onto the one before.
class LastChannelMerged final : public Routing {
 public:
  explicit LastChannelMerged(const Routing& routing) : routing_(routing) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override {
    auto choice = routing_.choose(packet, loads);
    if (choice && choice->virtual_channel + 1U == routing_.virtual_channels()) --choice->virtual_channel;
    return choice;
  }
  unsigned virtual_channels() const override { return routing_.virtual_channels() - 1; }
  bool tells_hosts_apart() const override { return routing_.tells_hosts_apart(); }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    if (const auto choice = choose(packet, IdleOutputs())) visit(*choice);
  }

 private:
  const Routing& routing_;
};

/// Cables between switches on the way, as path_of() has it.
unsigned cables_between(const SwitchGraph& graph, const Routing& routing, HostNumber from, HostNumber to) {
  return static_cast<unsigned>(path_of(graph, routing, from, to).size() - 2);
}

/// Pairs of hosts over each channel.
std::vector<unsigned> pairs_over(const SwitchGraph& graph, const Routing& routing) {
  std::vector<unsigned> pairs(graph.channels());
  for (HostNumber from = 0; from < graph.hosts(); ++from)
    for (HostNumber to = 0; to < graph.hosts(); ++to)
      if (from != to)
        for (const HeldChannel& held : path_of(graph, routing, from, to)) ++pairs[held.channel];
  return pairs;
}

/// By hand, a ring of four switches with a host each; "up" is from switch i to i + 1. Neighbours have one
/// way. To host 0, switch 2 has two ways without load and takes the lower port, up: 2-3-0. To host 1, switch
/// 3 has 3-0-1 (3-0 carries 2 pairs by then) and 3-2-1 (nothing): down. To host 2, switch 0 has 0-1-2 (0-1
/// carries 1) and 0-3-2 (3-2 carries 1): up. To host 3, switch 1 has 1-2-3 (1-2 carries 2, 2-3 one) and 1-0-3
/// (1-0 carries 1): down. All eight channels carry two pairs.
TEST(Sssp, BalancesARingOfFour) {
  const SwitchGraph graph = ring_of(4);
  const auto routing = sssp_routing(graph, all_cables);
  const auto second = [&](HostNumber from, HostNumber to) {
    return graph.receiver(path_of(graph, *routing, from, to)[1].channel).id;
  };
  EXPECT_EQ(second(2, 0), 3U);
  EXPECT_EQ(second(3, 1), 2U);
  EXPECT_EQ(second(0, 2), 1U);
  EXPECT_EQ(second(1, 3), 0U);
  const std::vector<unsigned> pairs = pairs_over(graph, *routing);
  for (const auto& [a, b] : graph.cables()) {
    EXPECT_EQ(pairs[graph.channel_from(a)], 2U);
    EXPECT_EQ(pairs[graph.channel_from(b)], 2U);
  }
  EXPECT_EQ(routing->virtual_channels(), 1U);
  EXPECT_THAT(find_deadlock(graph, *routing), IsEmpty());
}

/// By hand, a ring of five: hosts two apart have one shortest way. Ways up make a cycle of five dependencies,
/// one pair each, and so do ways down. Of equally weak ones that which the lowest channel holds goes: that of
/// 0-1-2 up, and that of 0-4-3 down.
TEST(Dfsssp, MovesTheWeakestDependenciesOfARingOfFive) {
  const SwitchGraph graph = ring_of(5);
  EXPECT_THAT(find_deadlock(graph, *sssp_routing(graph, all_cables)), ::testing::SizeIs(5));
  const auto routing = dfsssp_routing(graph, all_cables);
  ASSERT_EQ(routing->virtual_channels(), 2U);
  std::set<std::pair<HostNumber, HostNumber>> moved;
  for (HostNumber from = 0; from < 5; ++from)
    for (HostNumber to = 0; to < 5; ++to)
      if (from != to && path_of(graph, *routing, from, to)[1].virtual_channel == 1) moved.insert({from, to});
  EXPECT_THAT(moved, ElementsAre(std::pair(0U, 2U), std::pair(0U, 3U)));
  EXPECT_THAT(find_deadlock(graph, *routing), IsEmpty());
}

/// By hand, the same ring: of the pairs 0-2, 0-3, 1-3, 1-4 and 2-4, with both directions, the first four fit
/// on one channel, and the last one closes both cycles.
TEST(Lash, PutsTheLastPairOfARingOfFiveOnASecondChannel) {
  const SwitchGraph graph = ring_of(5);
  const auto routing = lash_routing(graph, all_cables);
  ASSERT_EQ(routing->virtual_channels(), 2U);
  for (HostNumber from = 0; from < 5; ++from)
    for (HostNumber to = 0; to < 5; ++to)
      if (from != to) {
        EXPECT_EQ(path_of(graph, *routing, from, to)[1].virtual_channel,
                  from + to == 6 && from != 3 ? 1U : 0U)
            << from << " to " << to;
      }
  EXPECT_THAT(find_deadlock(graph, *routing), IsEmpty());
}

/// SSSP step by step: Bellman and Ford's relaxations of (hops, load), and each pair's way walked.
std::map<std::pair<SwitchId, HostNumber>, PortNumber> plain_sssp(const SwitchGraph& graph,
                                                                 const std::set<CableChannel>& failed) {
  std::map<std::pair<SwitchId, HostNumber>, PortNumber> ports;
  std::vector<std::uint64_t> load(graph.channels());
  std::vector<HostNumber> order(graph.hosts());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](HostNumber host) {
    const SwitchId at = graph.port_of(host).at;
    return std::tuple(-static_cast<int>(graph.hosts_at(at).size()), at, host);
  });
  using Cost = std::pair<std::uint64_t, std::uint64_t>;
  const Cost far{~0ULL, 0};
  for (const HostNumber to : order) {
    const SwitchId last = graph.port_of(to).at;
    std::vector<Cost> cost(graph.switches(), far);
    cost[last] = {0, 0};
    for (bool changed = true; changed;) {
      changed = false;
      for (SwitchId at = 0; at < graph.switches(); ++at) {
        if (at == last) continue;
        Cost best = far;
        for (unsigned n = 0; n < graph.ports(at); ++n) {
          const SwitchPort port{at, static_cast<PortNumber>(n)};
          const Neighbour& next = graph.neighbour(port);
          const CableChannel channel = graph.channel_from(port);
          if (!next.is_switch() || next.id == at || failed.contains(channel) || cost[next.id] == far)
            continue;
          const Cost over{cost[next.id].first + 1, cost[next.id].second + load[channel]};
          if (over >= best) continue;
          best = over;
          ports[{at, to}] = port.port;
        }
        changed = changed || best != cost[at];
        cost[at] = best;
      }
    }
    for (HostNumber from = 0; from < graph.hosts(); ++from)
      for (SwitchId at = graph.port_of(from).at; at != last && cost[at] != far;) {
        const SwitchPort port{at, ports.at({at, to})};
        ++load[graph.channel_from(port)];
        at = graph.neighbour(port).id;
      }
  }
  return ports;
}

TEST(Sssp, IsThatOfAPlainReference) {
  for (std::uint64_t seed = 0; seed < random_cases(100); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks for plain sssp");
    const SwitchGraph graph = random_member(random);
    const std::set<CableChannel> failed = failed_cables(graph, random);
    const auto routing = sssp_routing(graph, [&](CableChannel channel) { return !failed.contains(channel); });
    const auto ports = plain_sssp(graph, failed);
    for (HostNumber to = 0; to < graph.hosts(); ++to)
      for (SwitchId at = 0; at < graph.switches(); ++at) {
        const SwitchId last = graph.port_of(to).at;
        if (at == last) continue;
        const auto choice =
            routing->choose({.input = {at, 0}, .destination = to, .last_switch = last}, IdleOutputs());
        const auto plain = ports.find({at, to});
        ASSERT_EQ(choice.has_value(), plain != ports.end());
        ASSERT_EQ(choice ? choice->port : 0, choice ? plain->second : 0);
      }
  }
}

TEST(LanedRouting, AllWaysAreShortest) {
  for (std::uint64_t seed = 0; seed < random_cases(100); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks for lengths of ways");
    const SwitchGraph graph = random_member(random);
    const auto routings = {sssp_routing(graph, all_cables), dfsssp_routing(graph, all_cables),
                           lash_routing(graph, all_cables)};
    for (HostNumber from = 0; from < graph.hosts(); ++from) {
      std::map<SwitchId, unsigned> far{{graph.port_of(from).at, 0}};  // breadth first
      for (std::vector<SwitchId> open{far.begin()->first}; !open.empty(); open.erase(open.begin()))
        for (const auto& [a, b] : graph.cables())
          for (const auto& [here, there] : {std::pair(a.at, b.at), std::pair(b.at, a.at)})
            if (here == open.front() && far.emplace(there, far[here] + 1).second) open.push_back(there);
      for (HostNumber to = 0; to < graph.hosts(); ++to)
        for (const auto& routing : routings)
          ASSERT_EQ(from == to ? 0 : cables_between(graph, *routing, from, to), far.at(graph.port_of(to).at))
              << from << " to " << to;
    }
  }
}

TEST(LanedRouting, IsFreeOfDeadlockAndNotWithOneVirtualChannelFewer) {
  const std::uint64_t cases = random_cases(200);
  std::map<std::string, std::uint64_t> with_several;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks for lanes");
    const SwitchGraph graph = random_member(random);
    const std::set<CableChannel> failed = failed_cables(graph, random);
    const auto usable = [&](CableChannel channel) { return !failed.contains(channel); };
    for (const auto& [name, routing] : {std::pair("dfsssp", dfsssp_routing(graph, usable)),
                                        std::pair("lash", lash_routing(graph, usable))}) {
      ASSERT_THAT(find_deadlock(graph, *routing), IsEmpty()) << name;
      if (routing->virtual_channels() == 1) continue;
      ++with_several[name];
      EXPECT_FALSE(find_deadlock(graph, LastChannelMerged(*routing)).empty()) << name;
    }
  }
  EXPECT_GT(4 * with_several["dfsssp"], cases);
  EXPECT_GT(4 * with_several["lash"], cases);
}

TEST(LanedRouting, ASsspWithoutCyclesNeedsNoSecondVirtualChannel) {
  for (std::uint64_t seed = 0; seed < random_cases(100); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks with and without cycles");
    const SwitchGraph graph = random_member(random);
    EXPECT_EQ(find_deadlock(graph, *sssp_routing(graph, all_cables)).empty(),
              dfsssp_routing(graph, all_cables)->virtual_channels() == 1);
  }
}

template <typename Refusal>
std::string refusal(const std::function<void()>& make) {
  try {
    make();
  } catch (const Refusal& error) {
    return error.what();
  }
  return "no error";
}

TEST(LanedRouting, StopsWhereItNeedsMoreVirtualChannelsThanItMayUse) {
  const SwitchGraph ring = ring_of(5);
  expect_message(refusal<TooFewLanes>([&] { dfsssp_routing(ring, all_cables, 1); }),
                 {"dfsssp", "1 virtual channel"});
  expect_message(refusal<TooFewLanes>([&] { lash_routing(ring, all_cables, 1); }),
                 {"lash", "1 virtual channel"});
  for (std::uint64_t seed = 0; seed < random_cases(40); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks for too few lanes");
    const SwitchGraph graph = random_member(random);
    const unsigned dfsssp = dfsssp_routing(graph, all_cables)->virtual_channels(),
                   lash = lash_routing(graph, all_cables)->virtual_channels();
    EXPECT_EQ(dfsssp_routing(graph, all_cables, dfsssp)->virtual_channels(), dfsssp);
    EXPECT_EQ(lash_routing(graph, all_cables, lash)->virtual_channels(), lash);
    if (dfsssp > 1) {
      EXPECT_NE(refusal<TooFewLanes>([&] { dfsssp_routing(graph, all_cables, dfsssp - 1); }), "no error");
    }
    if (lash > 1) {
      EXPECT_NE(refusal<TooFewLanes>([&] { lash_routing(graph, all_cables, lash - 1); }), "no error");
    }
  }
}

TEST(LanedRouting, AWayKeepsItsVirtualChannel) {
  for (std::uint64_t seed = 0; seed < random_cases(40); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks for constant lanes");
    const SwitchGraph graph = random_member(random);
    for (const auto& routing : {dfsssp_routing(graph, all_cables), lash_routing(graph, all_cables)})
      for (HostNumber from = 0; from < graph.hosts(); ++from)
        for (HostNumber to = 0; to < graph.hosts(); ++to) {
          if (from == to) continue;
          const auto path = path_of(graph, *routing, from, to);
          for (std::size_t n = 2; n + 1 < path.size(); ++n)
            ASSERT_EQ(path[n].virtual_channel, path[1].virtual_channel);
        }
  }
}

unsigned busiest(const SwitchGraph& graph, const Routing& routing) {
  const std::vector<unsigned> pairs = pairs_over(graph, routing);
  return *std::ranges::max_element(pairs);
}

/// Networks with few equally short ways: the trees of the first hosts know no loads yet, so that a single
/// network may come out a little worse.
TEST(Sssp, LoadsTheBusiestChannelOfIrregularNetworksLessThanTheLowestPort) {
  double sum = 0;
  constexpr unsigned networks = 20;
  for (unsigned seed = 0; seed < networks; ++seed) {
    const SwitchGraph graph = topology::irregular({.switches = 32}, seed);
    const double ratio = static_cast<double>(busiest(graph, *sssp_routing(graph, all_cables))) /
                         busiest(graph, shortest_path_table(graph, all_cables));
    EXPECT_LT(ratio, 1.05) << "seed " << seed;
    sum += ratio;
  }
  EXPECT_LT(sum / networks, 0.9);
}

/// Four leaves with four hosts each and four spines: the 12 other leaves' hosts times four own ones are 48
/// pairs that leave a leaf, 12 on each of its uplinks if they are balanced. The lowest port is one spine's.
TEST(Sssp, BalancesAFatTree) {
  const SwitchGraph graph = topology::fat_tree({.arity = 4, .levels = 2});
  const std::vector<unsigned> pairs = pairs_over(graph, *sssp_routing(graph, all_cables));
  for (const auto& [a, b] : graph.cables()) {
    EXPECT_EQ(pairs[graph.channel_from(a)], 12U);
    EXPECT_EQ(pairs[graph.channel_from(b)], 12U);
  }
  EXPECT_EQ(busiest(graph, shortest_path_table(graph, all_cables)), 48U);
}

/// First fit with a set of dependencies for each channel, searched anew for each pair.
TEST(Lash, IsFirstFitByAPlainSearch) {
  for (std::uint64_t seed = 0; seed < random_cases(60); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks for plain first fit");
    const SwitchGraph graph = random_member(random);
    const DestinationTable table = lowest_port_table(graph, all_cables);
    const Lanes lanes = lash_lanes(graph, table);
    using Edges = std::set<std::pair<CableChannel, CableChannel>>;
    const auto has_cycle = [](Edges edges) {  // what nothing leads to goes, until nothing goes
      while (!edges.empty()) {
        std::set<CableChannel> wanted;
        for (const auto& [held, next] : edges) wanted.insert(next);
        if (std::erase_if(edges, [&](const auto& edge) { return !wanted.contains(edge.first); }) == 0)
          return true;
      }
      return false;
    };
    std::vector<Edges> layers(1);
    std::vector<CableChannel> way;
    for (SwitchId a = 0; a < graph.switches(); ++a)
      for (SwitchId b = a + 1; b < graph.switches(); ++b) {
        if (graph.hosts_at(a).empty() || graph.hosts_at(b).empty()) continue;
        Edges both;
        for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
          table.way(graph, to, from, way);
          for (std::size_t n = 1; n < way.size(); ++n) both.insert({way[n - 1], way[n]});
        }
        std::size_t lane = 0;
        for (;; ++lane) {
          if (lane == layers.size()) layers.emplace_back();
          Edges with = layers[lane];
          with.insert(both.begin(), both.end());
          if (has_cycle(with)) continue;
          layers[lane] = with;
          break;
        }
        ASSERT_EQ(lanes.of[b * graph.switches() + a], lane);
        ASSERT_EQ(lanes.of[a * graph.switches() + b], lane);
      }
    EXPECT_EQ(lanes.count, layers.size());
  }
}

TEST(AcyclicGraph, RefusesExactlyTheEdgesThatCloseACycle) {
  for (std::uint64_t seed = 0; seed < random_cases(200); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "acyclic graphs");
    const std::size_t nodes = 2 + random.below(12);
    AcyclicGraph graph(nodes);
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (unsigned step = 0; step < 80; ++step) {
      if (!edges.empty() && random.chance(0.2)) {
        const auto one = std::next(edges.begin(), static_cast<std::ptrdiff_t>(random.below(edges.size())));
        graph.remove(one->first, one->second);
        edges.erase(one);
        continue;
      }
      const auto from = static_cast<std::uint32_t>(random.below(nodes)),
                 to = static_cast<std::uint32_t>(random.below(nodes));
      ASSERT_EQ(graph.has(from, to), edges.contains({from, to}));
      if (from == to || edges.contains({from, to})) continue;
      std::set<std::uint32_t> reached{to};
      for (bool more = true; more;) {
        more = false;
        for (const auto& [a, b] : edges) more = (reached.contains(a) && reached.insert(b).second) || more;
      }
      ASSERT_EQ(graph.add(from, to), !reached.contains(from));
      if (!reached.contains(from)) edges.insert({from, to});
    }
  }
}

}  // namespace
}  // namespace morgana
