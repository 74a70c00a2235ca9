#include "emulator/routing/escape_routing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/routing/channel_dependencies.h"
#include "emulator/routing/forwarding_table.h"
#include "emulator/routing/make_routing.h"
#include "emulator/routing/switch_tables.h"
#include "emulator/routing/up_down_ways.h"
#include "emulator/topology/kinds/dragonfly.h"
#include "emulator/topology/kinds/hyperx.h"
#include "emulator/topology/kinds/torus.h"
#include "tests/routing/faulty_network.h"
#include "tests/routing/networks.h"

namespace morgana {
namespace {

FaultyNetwork random_dragonfly(RandomStream& random) {
  Dragonfly shape;
  shape.switches_per_group = 2 + static_cast<unsigned>(random.below(4));
  shape.global_per_switch = 1 + static_cast<unsigned>(random.below(2));
  shape.groups = 1 + static_cast<unsigned>(
                         random.below(std::min(shape.switches_per_group * shape.global_per_switch + 1, 7U)));
  shape.arrangement = static_cast<GlobalArrangement>(random.below(3));
  return {topology::dragonfly(shape, 1), shape, {}};
}

std::vector<unsigned> random_sides(RandomStream& random) {
  std::vector<unsigned> sides;
  unsigned switches = 1;
  do {
    sides.push_back(1 + static_cast<unsigned>(random.below(5)));
    switches *= sides.back();
  } while (sides.size() < 3 && switches < 8);
  return sides;
}

FaultyNetwork random_grid(RandomStream& random, Grid::Lines lines) {
  const std::vector<unsigned> sides = random_sides(random);
  if (lines == Grid::Lines::full) {
    const std::vector<unsigned> cables(sides.size(), 1 + static_cast<unsigned>(random.below(2)));
    return {topology::graph_of(topology::hyperx({sides, cables}), 1), Grid{sides, lines}, {}};
  }
  const topology::TorusShape shape{
      .sides = sides, .hosts_per_switch = 1, .ports_per_switch = static_cast<unsigned>(2 * sides.size() + 1)};
  return {
      lines == Grid::Lines::closed ? topology::torus(shape) : topology::mesh(shape), Grid{sides, lines}, {}};
}

/// In 200 networks, a quarter of them whole, a quarter with one cable off, the others with several, every
/// packet arrives if any cables lead there, and no cycle closes.
template <typename Draw>
void arrive_round_faults(const std::string& name, const std::vector<RoutesKind>& kinds, Draw draw) {
  RandomStream random(11, name);
  int could_deadlock = 0;
  for (int n = 0; n < 200; ++n) {
    FaultyNetwork network = draw(random);
    network.fail(random, n % 2 == 0 ? 0 : 0.15);
    const SwitchGraph& graph = network.graph;
    if (n % 4 == 2) network.on.assign(graph.channels(), true);
    const Arcs arcs = usable_arcs(graph, network.usable());
    for (const RoutesKind kind : kinds) {
      SCOPED_TRACE(name + " " + std::to_string(n) + ", routes " + std::to_string(static_cast<int>(kind)));
      const auto routing = network.routing(kind);
      EXPECT_TRUE(find_deadlock(graph, *routing).empty());
      if (n % 4 == 1) {
        EXPECT_TRUE(find_deadlock(graph, AsOneRouting(*routing, 0)).empty());
      }
      if (n % 4 == 1 && routing->virtual_channels() > 1)
        could_deadlock += find_deadlock(graph, AsOneRouting(*routing, 1)).empty() ? 0 : 1;
      for (HostNumber to = 0; to < graph.hosts(); ++to) {
        const auto distance = trunks_to_nearest(arcs, {graph.port_of(to).at});
        for (HostNumber from = 0; from < graph.hosts(); ++from)
          ASSERT_EQ(arrives(network, *routing, from, to, random),
                    distance[graph.port_of(from).at] != unreachable_trunks)
              << "from " << from << " to " << to;
      }
    }
  }
  EXPECT_GT(could_deadlock, 0) << "without a channel of its own for ways round faults";
}

TEST(EscapeRouting, ArrivesRoundFaultsOnRandomDragonflies) {
  arrive_round_faults(
      "dragonfly",
      {RoutesKind::minimal, RoutesKind::valiant, RoutesKind::ugal_l, RoutesKind::ugal_g, RoutesKind::par},
      random_dragonfly);
}

TEST(EscapeRouting, ArrivesRoundFaultsOnRandomHyperXes) {
  arrive_round_faults("hyperx",
                      {RoutesKind::dimension_order, RoutesKind::valiant, RoutesKind::ugal_l, RoutesKind::dal},
                      [](RandomStream& random) { return random_grid(random, Grid::Lines::full); });
}

TEST(EscapeRouting, ArrivesRoundFaultsOnRandomTori) {
  arrive_round_faults("torus", {RoutesKind::dimension_order, RoutesKind::valiant, RoutesKind::ugal_l},
                      [](RandomStream& random) { return random_grid(random, Grid::Lines::closed); });
}

TEST(EscapeRouting, ArrivesRoundFaultsOnRandomMeshes) {
  arrive_round_faults("mesh", {RoutesKind::dimension_order, RoutesKind::valiant, RoutesKind::ugal_l},
                      [](RandomStream& random) { return random_grid(random, Grid::Lines::open); });
}

TEST(Routes, ArriveRoundFaultsOnAnyNetwork) {
  RandomStream random(12, "any network");
  for (int n = 0; n < 200; ++n) {
    FaultyNetwork network{random_network(random, 16), {}, {}};
    network.fail(random, n % 2 == 0 ? 0 : 0.15);
    const SwitchGraph& graph = network.graph;
    const Arcs arcs = usable_arcs(graph, network.usable());
    for (const RoutesKind kind :
         {RoutesKind::spanning_tree, RoutesKind::ecmp, RoutesKind::d_mod_k, RoutesKind::s_mod_k,
          RoutesKind::spray, RoutesKind::two_choices, RoutesKind::least_loaded, RoutesKind::flowlets,
          RoutesKind::sssp, RoutesKind::dfsssp, RoutesKind::lash, RoutesKind::up_down,
          RoutesKind::spray_round_robin}) {
      const auto routing = network.routing(kind);
      const bool never_deadlocks = kind == RoutesKind::spanning_tree || kind == RoutesKind::dfsssp ||
                                   kind == RoutesKind::lash || kind == RoutesKind::up_down;
      if (never_deadlocks) {
        EXPECT_TRUE(find_deadlock(graph, *routing).empty());
      }
      for (HostNumber to = 0; to < graph.hosts(); ++to) {
        const auto distance = trunks_to_nearest(arcs, {graph.port_of(to).at});
        for (HostNumber from = 0; from < graph.hosts(); ++from)
          ASSERT_EQ(arrives(network, *routing, from, to, random),
                    distance[graph.port_of(from).at] != unreachable_trunks)
              << "routes " << static_cast<int>(kind) << " from " << from << " to " << to << " in network "
              << n;
      }
    }
  }
}

TEST(EscapeRouting, IsThereOnlyWhereACableIsOff) {
  RandomStream random(1, "whole");
  FaultyNetwork network = random_grid(random, Grid::Lines::full);
  network.on.assign(network.graph.channels(), true);
  EXPECT_EQ(network.routing(RoutesKind::ugal_l)->virtual_channels(), 2U);
  network.fail(random, 0);
  EXPECT_EQ(network.routing(RoutesKind::ugal_l)->virtual_channels(), 3U);
}

/// Without another routing before them.
class UpDownWaysAlone final : public Routing {
 public:
  explicit UpDownWaysAlone(UpDownWays ways) : ways_(std::move(ways)) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads&) const override {
    const auto port = ways_.towards(packet.input.at, packet.last_switch);
    return port ? std::optional(RoutingChoice{*port}) : std::nullopt;
  }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    if (const auto choice = choose(packet, IdleOutputs())) visit(*choice);
  }
  bool looks_at_inputs() const override { return false; }

 private:
  UpDownWays ways_;
};

// Two layers that each close no cycle, and the second one of which does: the cycle is the second's, on the
// channels above the first's.
TEST(EscapeRouting, ACycleOfTheSecondLayerIsFound) {
  class Layered final : public Routing {
   public:
    Layered(const Routing& first, const Routing& then) : first_(first), then_(then) {}
    std::optional<RoutingChoice> choose(const RoutedPacket&, const OutputLoads&) const override { return {}; }
    void for_every_choice(const RoutedPacket&, const VisitChoice&) const override {}
    unsigned virtual_channels() const override { return 2; }
    Layers layers() const override { return {&first_, &then_}; }

   private:
    const Routing &first_, &then_;
  };
  const SwitchGraph ring = topology::torus({.sides = {6}, .hosts_per_switch = 1, .ports_per_switch = 3});
  const auto all = [](CableChannel) { return true; };
  const UpDownWaysAlone legal(UpDownWays(ring, std::make_shared<UpDownOrder>(ring), all));
  const ForwardingTable shortest = shortest_path_table(ring, all);
  EXPECT_TRUE(find_deadlock(ring, legal).empty());
  EXPECT_TRUE(find_deadlock(ring, Layered(legal, legal)).empty());
  const auto cycle = find_deadlock(ring, Layered(legal, shortest));
  ASSERT_FALSE(cycle.empty());
  EXPECT_EQ(cycle.front().holds.virtual_channel, 1U);
  EXPECT_EQ(find_deadlock(ring, Layered(shortest, legal)).front().holds.virtual_channel, 0U);
}

TEST(UpDownWays, LeadWhereverCablesDoAndCloseNoCycle) {
  RandomStream random(2, "up and down");
  int keep_order = 0;
  for (int n = 0; n < 200; ++n) {
    FaultyNetwork network{random_network(random, 30), {}, {}};
    network.fail(random, 0.1);
    const SwitchGraph& graph = network.graph;
    const UpDownWays ways(graph, std::make_shared<UpDownOrder>(graph), network.usable());
    keep_order += ways.keep_order() ? 1 : 0;
    EXPECT_TRUE(find_deadlock(graph, UpDownWaysAlone(ways)).empty());
    const Arcs arcs = usable_arcs(graph, network.usable());
    for (SwitchId to = 0; to < graph.switches(); ++to) {
      const auto distance = trunks_to_nearest(arcs, {to});
      for (SwitchId from = 0; from < graph.switches(); ++from) {
        SwitchId at = from;
        std::size_t cables = 0;
        while (at != to && ways.towards(at, to) && cables++ <= 2 * graph.switches())
          at = graph.neighbour({at, *ways.towards(at, to)}).id;
        EXPECT_EQ(at == to, distance[from] != unreachable_trunks);
        if (at == to) {
          EXPECT_GE(cables, distance[from]);
        }
      }
    }
  }
  EXPECT_GT(keep_order, 20);
  EXPECT_LT(keep_order, 180);
}

/// Adds what packets hold and want on their ways between any two switches, up to a channel that is not on.
void add_dependencies(const SwitchGraph& graph, const UpDownWays& ways, ChannelDependencies& dependencies,
                      const std::vector<bool>& on) {
  for (SwitchId from = 0; from < graph.switches(); ++from) {
    for (SwitchId to = 0; to < graph.switches(); ++to) {
      std::optional<HeldChannel> held;
      for (SwitchId at = from; at != to;) {
        const auto port = ways.towards(at, to);
        if (!port) break;
        const HeldChannel wanted{graph.channel_from(SwitchPort{at, *port})};
        if (!on[wanted.channel]) break;
        if (held) dependencies.add(*held, wanted);
        held = wanted;
        at = graph.neighbour({at, *port}).id;
      }
    }
  }
}

// Packets under way keep their tables while later ones go by new ones.
TEST(UpDownWays, OfAnyFaultsCloseNoCycleTogetherWhileTheyKeepTheOrder) {
  RandomStream random(4, "tables one after the other");
  int keep = 0, anew = 0, cycles_of_anew = 0;
  for (int n = 0; n < 300; ++n) {
    FaultyNetwork network = n % 3 == 0   ? random_dragonfly(random)
                            : n % 3 == 1 ? random_grid(random, Grid::Lines::closed)
                                         : random_grid(random, Grid::Lines::full);
    const SwitchGraph& graph = network.graph;
    const auto whole = std::make_shared<UpDownOrder>(graph);
    const std::vector<bool> all_on(graph.channels(), true);
    ChannelDependencies of_all_kept(graph, 1);
    for (int pair = 0; pair < 3; ++pair) {
      ChannelDependencies together(graph, 1);
      bool both_keep = true;
      for (const double probability : {0.0, 0.1}) {
        network.fail(random, probability);
        const UpDownWays ways(graph, whole, network.usable());
        add_dependencies(graph, ways, together, all_on);
        if (ways.keep_order()) add_dependencies(graph, ways, of_all_kept, all_on);
        both_keep = both_keep && ways.keep_order();
      }
      (both_keep ? keep : anew) += 1;
      const bool cycle = !together.cycle().empty();
      if (both_keep) {
        EXPECT_FALSE(cycle) << "in network " << n;
      }
      cycles_of_anew += cycle ? 1 : 0;
    }
    EXPECT_TRUE(of_all_kept.cycle().empty()) << "in network " << n;
  }
  EXPECT_GT(keep, 100);
  EXPECT_GT(anew, 100);
  EXPECT_GT(cycles_of_anew, 0) << "so that the order matters";
}

// A 4 x 4 torus. Switch 5 has 1 and 4 above it; switch 1 only 0.
TEST(UpDownWays, KeepTheOrderUntilASwitchHasLostAllItsCablesUp) {
  FaultyNetwork network{topology::torus({.sides = {4, 4}, .hosts_per_switch = 1}), {}, {}};
  const SwitchGraph& graph = network.graph;
  const auto whole = std::make_shared<UpDownOrder>(graph);
  const auto keep_without = [&](const std::vector<std::pair<SwitchId, SwitchId>>& off) {
    network.on.assign(graph.channels(), true);
    for (const auto& [a, b] : graph.cables())
      for (const auto& [one, other] : off)
        if (std::minmax(a.at, b.at) == std::minmax(one, other))
          network.on[graph.channel_from(a)] = network.on[graph.channel_from(b)] = false;
    return UpDownWays(graph, whole, network.usable()).keep_order();
  };
  EXPECT_TRUE(keep_without({{1, 5}}));
  EXPECT_TRUE(keep_without({{4, 5}}));
  EXPECT_FALSE(keep_without({{1, 5}, {4, 5}}));
  EXPECT_FALSE(keep_without({{0, 1}}));
  // Alone it is a part of its own, and from the others ways lead as before.
  EXPECT_TRUE(keep_without({{0, 1}, {1, 2}, {1, 5}, {1, 13}}));
}

// A 4 x 4 HyperX. Without cable 0-1 switch 1 moves behind switch 2, the first of its neighbours, and then
// another cable fails.
TEST(UpDownWays, OfASwitchThatHasMovedCloseNoCycleWithThoseOfFurtherFaults) {
  FaultyNetwork network{
      topology::graph_of(topology::hyperx({{4, 4}, {1, 1}}), 1), Grid{{4, 4}, Grid::Lines::full}, {}};
  const SwitchGraph& graph = network.graph;
  const auto whole = std::make_shared<UpDownOrder>(graph);
  network.on.assign(graph.channels(), true);
  const auto fail = [&](const SwitchGraph::Cable& cable) {
    network.on[graph.channel_from(cable.a)] = network.on[graph.channel_from(cable.b)] = false;
  };
  const auto& first = graph.cables().front();
  ASSERT_EQ(first.a.at + first.b.at, 1U);
  fail(first);
  const UpDownWays before(graph, whole, network.usable());
  EXPECT_FALSE(before.keep_order());
  for (std::size_t n = 1; n < graph.cables().size(); ++n) {
    network.on.assign(graph.channels(), true);
    fail(first);
    fail(graph.cables()[n]);
    ChannelDependencies together(graph, 1);
    add_dependencies(graph, before, together, network.on);
    add_dependencies(graph, UpDownWays(graph, whole, network.usable()), together, network.on);
    EXPECT_TRUE(together.cycle().empty()) << "without cable " << n;
  }
}

// Cable 0-1 fails, comes back and fails again, and so does a host's.
TEST(SwitchTables, AreTheSameWhereTheSameCablesAreDown) {
  RandomStream random(5, "again");
  const FaultyNetwork network = random_grid(random, Grid::Lines::full);
  const CabledGraph cabled =
      CabledGraph::uniform(network.graph, {BitRate(1'000'000'000), SimTime::from_ps(1)});
  const SwitchPort end = network.graph.cables().front().a;
  const auto at = [](std::int64_t ps) { return SimTime::from_ps(ps); };
  const NetworkFaults faults{{.at = end, .when = at(10), .until = at(20)},
                             {.at = end, .when = at(30), .until = at(40)},
                             {.at = network.graph.port_of(0), .when = at(35)}};
  const SwitchTables tables(cabled, {.routes = RoutesKind::minimal, .shape = network.shape}, faults, at(0));
  const auto in_force = [&](std::int64_t ps) { return &tables.routing(tables.in_force(at(ps))); };
  EXPECT_NE(in_force(10), in_force(0));
  EXPECT_EQ(in_force(20), in_force(0));
  EXPECT_EQ(in_force(30), in_force(10));
  EXPECT_EQ(in_force(35), in_force(10));
  EXPECT_EQ(in_force(40), in_force(0));
  EXPECT_EQ(tables.count(), 6U);
}

}  // namespace
}  // namespace morgana
