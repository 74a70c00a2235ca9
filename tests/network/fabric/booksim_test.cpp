// The fabric on the configurations of another simulator: BookSim 2 (Jiang et al., "A Detailed and Flexible
// Cycle-Accurate Network-on-Chip Simulator", ISPASS 2013) at its revision 28f43299, input-queued routers,
// packets of one flit, Bernoulli injection. Its figures stand here; docs/fabric.md compares and explains.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "emulator/network/fabric/fabric_network.h"
#include "emulator/routing/multipath.h"
#include "emulator/routing/topologies/dimension_order.h"
#include "emulator/routing/topologies/dragonfly_routing.h"
#include "emulator/routing/topologies/hyperx_routing.h"
#include "emulator/topology/kinds/fat_tree.h"
#include "emulator/topology/kinds/hyperx.h"
#include "emulator/topology/kinds/torus.h"
#include "tests/network/fabric/booksim_load.h"

namespace morgana::testing {
namespace {

constexpr SimTime cycle = booksim_cycle;
constexpr Link short_link{BitRate(512'000'000'000), cycle};

using Destination = std::function<std::uint32_t(std::uint32_t host, RandomStream& random)>;

Destination to_any_of(std::uint32_t hosts) {
  return [hosts](std::uint32_t, RandomStream& random) {
    return static_cast<std::uint32_t>(random.below(hosts));
  };
}

/// A network as BookSim has it. Routers of three cycles, four virtual channels, links of one cycle unless it
/// says otherwise.
struct BooksimNetwork {
  CabledGraph network;
  std::shared_ptr<const Routing> routing;
  fabric::FabricParameters parameters;

  BooksimLoad under(BooksimTraffic traffic) const {
    EventQueue events;
    FabricNetwork fabric(events, network, parameters, routing);
    traffic.hosts = static_cast<std::uint32_t>(network.graph.hosts());
    return {events, fabric, traffic};
  }
  double latency(double load, const Destination& destination, std::int64_t measured = 8'000) const {
    return under({.load = load, .destination = destination, .to_itself = to_itself(), .measured = measured})
        .mean_latency();
  }
  /// Of a load beyond saturation.
  double accepted(double load, const Destination& destination, std::int64_t measured = 2'000) const {
    return under({.load = load, .destination = destination, .to_itself = to_itself(), .measured = measured})
        .accepted();
  }
  Destination uniform() const { return to_any_of(static_cast<std::uint32_t>(network.graph.hosts())); }
  /// One router, two links, the flit.
  double to_itself() const { return (parameters.latency + 2 * cycle + cycle).seconds() / cycle.seconds(); }
};

fabric::FabricParameters booksim_parameters(unsigned lanes, std::int64_t flits) {
  fabric::FabricParameters parameters;
  parameters.queueing = fabric::Queueing::input_queues;
  parameters.latency = 3 * cycle;
  parameters.credit_delay = cycle;
  parameters.lanes = lanes;  // for each of the routing's virtual channels
  parameters.buffer = Bytes(64 * flits);
  parameters.packet.largest = Bytes(64);
  return parameters;
}

// ---- 8 x 8 torus and mesh, dimension order

constexpr unsigned side = 8;

BooksimNetwork grid(bool torus) {
  const topology::TorusShape shape{.sides = {side, side}, .hosts_per_switch = 1, .ports_per_switch = 5};
  const SwitchGraph graph = torus ? topology::torus(shape) : topology::mesh(shape);
  return {CabledGraph::uniform(graph, short_link),
          std::make_shared<DimensionOrderRouting>(
              graph, Grid{{side, side}, torus ? Grid::Lines::closed : Grid::Lines::open},
              [](CableChannel) { return true; }),
          booksim_parameters(torus ? 2 : 4, 8)};
}

std::uint32_t tornado(std::uint32_t host, RandomStream&) {
  const std::uint32_t x = (host + side / 2 - 1) % side, y = (host / side + side / 2 - 1) % side;
  return x + y * side;
}

// Every flit passes R routers of 3 cycles, R + 1 links of 1, and takes 1 itself; tornado: R = 7.
TEST(BookSim, HasTheSameLatencyOnGridsWithoutLoad) {
  EXPECT_NEAR(grid(true).latency(0.01, tornado), 30.04, 0.1);
  EXPECT_NEAR(grid(true).latency(0.01, grid(true).uniform()), 21.97, 0.02 * 21.97);
  EXPECT_NEAR(grid(false).latency(0.01, grid(false).uniform()), 27.35, 0.02 * 27.35);
}

TEST(BookSim, HasTheSameLatencyOnGridsAtHalfOfTheirSaturation) {
  EXPECT_NEAR(grid(true).latency(0.1, tornado), 30.80, 0.02 * 30.80);
  EXPECT_NEAR(grid(true).latency(0.3, grid(true).uniform()), 22.98, 0.02 * 22.98);
  EXPECT_NEAR(grid(false).latency(0.2, grid(false).uniform()), 27.83, 0.02 * 27.83);
}

// Its allocator leaves outputs idle that inputs could use; it accepts 0.53 and 0.40 of full load, and loses
// stability from 0.60 and 0.42 on. A mesh's bisection limits it to 0.5.
TEST(BookSim, SaturatesSoonerOnGrids) {
  const double torus = grid(true).accepted(1.0, grid(true).uniform());
  EXPECT_GT(torus, 0.60);
  EXPECT_LT(torus, 1.0);
  const double mesh = grid(false).accepted(1.0, grid(false).uniform());
  EXPECT_GT(mesh, 0.42);
  EXPECT_LT(mesh, 0.50);
}

std::uint32_t complement(std::uint32_t host, RandomStream&) {
  return host ^ 63;
}

// ---- 4-ary 3-tree, up by chance

BooksimNetwork three_levels(bool two_choices) {
  const SwitchGraph graph = topology::fat_tree({4, 3});
  const auto all = [](CableChannel) { return true; };
  BooksimNetwork tree{CabledGraph::uniform(graph, short_link), nullptr, booksim_parameters(4, 16)};
  if (two_choices)
    tree.routing = std::make_shared<TwoChoicesRouting>(graph, all, 1);
  else
    tree.routing = std::make_shared<SprayRouting>(graph, all, 1);
  return tree;
}

// Without load R = 4.375 on the average: 19.5 cycles.
TEST(BookSim, HasTheSameLatencyOnAFatTree) {
  const BooksimNetwork tree = three_levels(false);
  EXPECT_NEAR(tree.latency(0.01, tree.uniform()), 19.55, 0.02 * 19.55);
  EXPECT_NEAR(tree.latency(0.2, tree.uniform()), 19.99, 0.02 * 19.99);
  EXPECT_NEAR(tree.latency(0.4, tree.uniform()), 21.33, 0.05 * 21.33);
  EXPECT_NEAR(tree.latency(0.2, complement), 22.27, 0.02 * 22.27);
  EXPECT_NEAR(tree.latency(0.4, complement), 23.31, 0.05 * 23.31);
}

TEST(BookSim, AcceptsMoreOnAFatTreeThatLooksAtTwoPorts) {
  const BooksimNetwork by_chance = three_levels(false), by_load = three_levels(true);
  EXPECT_GT(by_load.accepted(1.0, by_load.uniform()), by_chance.accepted(1.0, by_chance.uniform()));
}

// ---- flattened butterfly: 4 x 4 switches of 4 hosts, dimension order

BooksimNetwork flattened_butterfly() {
  const SwitchGraph graph = topology::graph_of(topology::hyperx({{4, 4}, {1, 1}}), 4);
  return {CabledGraph::uniform(graph, short_link),
          std::make_shared<HyperXRouting>(graph, Grid{{4, 4}, Grid::Lines::full},
                                          [](CableChannel) { return true; }),
          booksim_parameters(4, 16)};
}

// R = 2.5 on the average, 3 to the complement. There four hosts share a cable.
TEST(BookSim, HasTheSameLatencyOnAFlattenedButterfly) {
  const BooksimNetwork network = flattened_butterfly();
  EXPECT_NEAR(network.latency(0.01, network.uniform()), 12.05, 0.02 * 12.05);
  EXPECT_NEAR(network.latency(0.2, network.uniform()), 12.35, 0.02 * 12.35);
  EXPECT_NEAR(network.latency(0.4, network.uniform()), 13.42, 0.05 * 13.42);
  EXPECT_NEAR(network.latency(0.1, complement), 14.24, 0.02 * 14.24);
  EXPECT_NEAR(network.latency(0.2, complement), 15.52, 0.05 * 15.52);
  EXPECT_NEAR(network.accepted(0.5, complement, 4'000), 0.25, 0.01);
}

// ---- with its allocator: separable, inputs first, one iteration a cycle, which is half as long where the
// crossbar runs at twice the speed. It has virtual channels allocated a cycle before, ours have not.

BooksimNetwork with_separable_allocator(BooksimNetwork network) {
  network.parameters.allocator = fabric::SwitchAllocator::separable_input_first;
  network.parameters.allocation_cycle = SimTime::from_ps(cycle.ps() / network.parameters.speedup);
  return network;
}

// Outputs that choose whenever they are free accept 0.87, 0.83, and 0.44 on the mesh.
TEST(BookSim, SaturatesAtTheSameLoadWithASeparableAllocator) {
  const BooksimNetwork tree = with_separable_allocator(three_levels(false));
  EXPECT_NEAR(tree.accepted(1.0, tree.uniform()), 0.724, 0.07 * 0.724);
  const BooksimNetwork butterfly = with_separable_allocator(flattened_butterfly());
  EXPECT_NEAR(butterfly.accepted(1.0, butterfly.uniform()), 0.684, 0.07 * 0.684);
  EXPECT_NEAR(butterfly.accepted(0.5, complement, 4'000), 0.25, 0.01);
  const BooksimNetwork mesh = with_separable_allocator(grid(false));
  EXPECT_NEAR(mesh.accepted(1.0, mesh.uniform()), 0.40, 0.07 * 0.40);
}

TEST(BookSim, HasTheSameLatencyWithASeparableAllocator) {
  const BooksimNetwork tree = with_separable_allocator(three_levels(false));
  EXPECT_NEAR(tree.latency(0.2, tree.uniform()), 19.99, 0.02 * 19.99);
  EXPECT_NEAR(tree.latency(0.4, tree.uniform()), 21.33, 0.02 * 21.33);
  EXPECT_NEAR(tree.latency(0.4, complement), 23.31, 0.02 * 23.31);
  const BooksimNetwork butterfly = with_separable_allocator(flattened_butterfly());
  EXPECT_NEAR(butterfly.latency(0.2, butterfly.uniform()), 12.35, 0.02 * 12.35);
  EXPECT_NEAR(butterfly.latency(0.4, butterfly.uniform()), 13.42, 0.02 * 13.42);
  EXPECT_NEAR(butterfly.latency(0.2, complement), 15.52, 0.02 * 15.52);
  const BooksimNetwork torus = with_separable_allocator(grid(true));
  EXPECT_NEAR(torus.latency(0.3, torus.uniform()), 22.98, 0.02 * 22.98);
  EXPECT_NEAR(torus.latency(0.5, torus.uniform()), 25.75, 0.05 * 25.75);
  const BooksimNetwork mesh = with_separable_allocator(grid(false));
  EXPECT_NEAR(mesh.latency(0.4, mesh.uniform()), 39.36, 0.05 * 39.36);
}

// ---- dragonfly: p = h = 2, a = 4, 9 groups; local cables of 10 cycles, global ones of 100; 256 flits a
// virtual channel. Its crossbar runs at twice the speed: here a queue of 8 flits behind it.

constexpr unsigned group_hosts = 8, groups = 9;

/// BookSim's intermediate node may be in either of the packet's groups.
BooksimNetwork dragonfly_of_72(Detours detours, DetourRules::Places places = DetourRules::Places::all) {
  const Dragonfly shape{groups, 4, 2, GlobalArrangement::absolute};
  const SwitchGraph graph = topology::dragonfly(shape, 2);
  BooksimNetwork dragonfly{CabledGraph::uniform(graph, short_link), nullptr, booksim_parameters(1, 256)};
  for (std::size_t n = 0; n < graph.cables().size(); ++n) {
    const auto& [a, b] = graph.cables()[n];
    dragonfly.network.trunks[n].propagation =
        (shape.group_of(a.at) == shape.group_of(b.at) ? 10 : 100) * cycle;
  }
  DetourRules rules{detours, DetourRules::Weight::twice, 30 * cycle};
  rules.places = places;
  dragonfly.routing =
      std::make_shared<DragonflyRouting>(graph, shape, rules, [](CableChannel) { return true; });
  dragonfly.parameters.latency = 2 * cycle;
  dragonfly.parameters.output_queue = Bytes(8 * 64);
  dragonfly.parameters.speedup = 2;
  return dragonfly;
}

/// A host of the next group: all that leaves a group wants the same cable.
std::uint32_t next_group(std::uint32_t host, RandomStream& random) {
  return static_cast<std::uint32_t>((host / group_hosts + 1) % groups * group_hosts +
                                    random.below(group_hosts));
}

// Without load 1.4167 local and 0.8889 global cables and 3.3056 routers: 112.7 cycles, and 125.0 to the next
// group.
TEST(BookSim, HasTheSameLatencyOnADragonflyByMinimalWays) {
  const BooksimNetwork dragonfly = dragonfly_of_72(Detours::never);
  EXPECT_NEAR(dragonfly.latency(0.01, dragonfly.uniform()), 112.45, 0.01 * 112.45);
  EXPECT_NEAR(dragonfly.latency(0.4, dragonfly.uniform()), 113.73, 0.01 * 113.73);
  EXPECT_NEAR(dragonfly.latency(0.05, next_group), 125.32, 0.01 * 125.32);
  EXPECT_NEAR(dragonfly.latency(0.1, next_group), 126.96, 0.02 * 126.96);
  EXPECT_NEAR(dragonfly.latency(0.12, next_group, 20'000), 136.08, 0.05 * 136.08);
}

// One global cable for 8 hosts.
TEST(BookSim, AcceptsAnEighthOfTheWorstCaseOnADragonflyByMinimalWays) {
  EXPECT_NEAR(dragonfly_of_72(Detours::never).accepted(0.3, next_group, 8'000), 0.125, 0.03 * 0.125);
}

TEST(BookSim, HasTheSameLatencyOnADragonflyWithUgal) {
  const BooksimNetwork dragonfly = dragonfly_of_72(Detours::by_output);
  EXPECT_NEAR(dragonfly.latency(0.01, dragonfly.uniform()), 112.49, 0.01 * 112.49);
  EXPECT_NEAR(dragonfly.latency(0.2, dragonfly.uniform()), 120.54, 0.02 * 120.54);
  EXPECT_NEAR(dragonfly.latency(0.4, dragonfly.uniform()), 133.64, 0.02 * 133.64);
  EXPECT_NEAR(dragonfly.latency(0.7, dragonfly.uniform()), 142.80, 0.05 * 142.80);
  EXPECT_NEAR(dragonfly.latency(0.1, next_group), 151.00, 0.02 * 151.00);
  // Close to its saturation at 0.32; its detours have one local cable more.
  EXPECT_NEAR(dragonfly.latency(0.3, next_group), 482.77, 0.15 * 482.77);
}

// A cable to the next group has 1.6 times its rate offered at 0.2. BookSim's packets pass 4.65 routers on the
// average, here 4.23: its detours lead to hosts, and by these counts more packets take one, which is about 4
// % of its latency. Its longer waits at the full cable are not traced to one mechanism; 17 % holds what is
// known.
TEST(BookSim, WaitsLongerAtTheFullCableOfADragonflyWithUgal) {
  const double latency = dragonfly_of_72(Detours::by_output).latency(0.2, next_group);
  EXPECT_LT(latency, (1 - 0.04) * 270.77);
  EXPECT_GT(latency, (1 - 0.17) * 270.77);
}

// Intermediate nodes of the packet's own two groups have ways over the full cable. BookSim accepts 0.32 of
// what hosts send: its virtual channels may deadlock, and its allocator leaves outputs idle.
TEST(BookSim, AcceptsLessOfTheWorstCaseOnADragonflyWithUgal) {
  const double accepted = dragonfly_of_72(Detours::by_output).accepted(0.8, next_group, 6'000);
  EXPECT_GT(accepted, 0.32);
  EXPECT_LT(accepted, 0.42);
}

// With other groups alone half of what hosts send is the limit.
TEST(Ugal, AcceptsNearlyHalfOfTheWorstCaseOnADragonflyByOtherGroups) {
  for (const Detours detours : {Detours::by_output, Detours::by_channel, Detours::on_the_way}) {
    const double accepted =
        dragonfly_of_72(detours, DetourRules::Places::others).accepted(0.8, next_group, 6'000);
    EXPECT_GT(accepted, 0.42);
    EXPECT_LT(accepted, 0.57);
  }
}

}  // namespace
}  // namespace morgana::testing
