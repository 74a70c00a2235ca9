#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <random>

#include "emulator/topology/kinds/hyperx.h"
#include "emulator/topology/kinds/torus.h"
#include "emulator/topology/listed/listed.h"
#include "emulator/topology/topology_kind.h"
#include "tests/support/messages.h"
#include "tests/topology/plain_search.h"
#include "tests/topology/topology_settings.h"

namespace morgana::topology {
namespace {

using ::testing::ElementsAre;

using Sides = std::vector<unsigned>;

/// Over ordered pairs of different points, of a sum over dimensions of `sum(side)` over all pairs of
/// coordinates.
template <typename Sum>
double mean_over(const Sides& sides, Sum sum) {
  double points = 1, mean = 0;  // over all pairs of points
  for (const unsigned side : sides) points *= side;
  for (const unsigned side : sides) mean += sum(static_cast<double>(side)) / (1.0 * side * side);
  return points > 1 ? mean * points / (points - 1) : 0;
}

// Sums of distances over the ordered pairs of a ring, a line and a complete graph of k switches.
double of_ring(double k) {
  return k * std::floor(k * k / 4);
}
double of_line(double k) {
  return (k * k * k - k) / 3;
}
double of_clique(double k) {
  return k * (k - 1);
}

Sides random_sides(std::mt19937& chance) {
  Sides sides;
  for (unsigned dimensions = one_to(5, chance); dimensions > 0; --dimensions)
    sides.push_back(one_to(4, chance));
  return sides;
}

TEST(Torus, OfAnyDimensionsHasTheDistancesOfTheFormula) {
  std::mt19937 chance(11);
  for (int member = 0; member < 30; ++member) {
    const Sides sides = random_sides(chance);
    unsigned diameter = 0;
    for (const unsigned side : sides) diameter += side / 2;
    const PlainDistances distances = plain_distances(torus({sides, 1, 16}));
    EXPECT_TRUE(distances.all_reached);
    EXPECT_EQ(distances.largest, diameter);
    EXPECT_NEAR(distances.mean, mean_over(sides, of_ring), 1e-9) << "member " << member;
  }
}

TEST(Mesh, OfAnyDimensionsHasTheDistancesOfTheFormula) {
  std::mt19937 chance(12);
  for (int member = 0; member < 30; ++member) {
    const Sides sides = random_sides(chance);
    unsigned diameter = 0;
    for (const unsigned side : sides) diameter += side - 1;
    const PlainDistances distances = plain_distances(mesh({sides, 1, 16}));
    EXPECT_EQ(distances.largest, diameter);
    EXPECT_NEAR(distances.mean, mean_over(sides, of_line), 1e-9) << "member " << member;
  }
}

TEST(HyperX, RandomMembersHaveTheCountsAndDistancesOfTheFormula) {
  std::mt19937 chance(13);
  for (int member = 0; member < 30; ++member) {
    HyperXShape shape{random_sides(chance), {}};
    unsigned diameter = 0, ports = 0;
    for (const unsigned side : shape.sides) {
      shape.cables.push_back(one_to(3, chance));
      diameter += side > 1 ? 1 : 0;
      ports += (side - 1) * shape.cables.back();
    }
    const SwitchGraph graph = graph_of(hyperx(shape), 1);
    for (SwitchId at = 0; at < graph.switches(); ++at) EXPECT_EQ(degree(graph, at), ports);
    EXPECT_EQ(graph.cables().size(), graph.switches() * ports / 2);
    const PlainDistances distances = plain_distances(graph);
    EXPECT_TRUE(distances.all_reached);
    EXPECT_EQ(distances.largest, diameter);
    EXPECT_NEAR(distances.mean, mean_over(shape.sides, of_clique), 1e-9) << "member " << member;
  }
}

TEST(HyperX, FlattenedButterfliesAndHypercubesAreOnes) {
  // The 8-ary 4-flat of Kim, Dally and Abts: 512 switches of 7 x 3 trunks.
  const SwitchGraph flat =
      topology_kind("hyperx")->graph(network_settings({{"sides", "8x8x8"}}), {.hosts = 8});
  EXPECT_EQ(flat.switches(), 512u);
  EXPECT_EQ(flat.hosts(), 4096u);
  EXPECT_EQ(flat.cables().size(), 512u * 21 / 2);
  EXPECT_EQ(as_list(graph_of(hyperx({{2, 2, 2}, {1, 1, 1}}), 1)),
            as_list(topology::torus({{2, 2, 2}, 1, 4})));
}

TEST(Lattices, BisectionIsTheCheapestWayToDivideTheSwitches) {
  for (const Sides& sides :
       std::vector<Sides>{{4}, {8}, {4, 4}, {6, 2}, {4, 3}, {4, 2, 2}, {2, 2, 2}, {8, 2}}) {
    EXPECT_EQ(torus_facts(sides, true).bisection, cheapest_halves(torus({sides, 1, 16})))
        << "torus " << sides[0];
    EXPECT_EQ(torus_facts(sides, false).bisection, cheapest_halves(mesh({sides, 1, 16})))
        << "mesh " << sides[0];
  }
  EXPECT_EQ(torus_facts({5, 4}, true).bisection, std::nullopt) << "five switches have no half";
  const HyperXShape shapes[] = {{{4}, {1}},       {{6}, {2}},       {{4, 4}, {1, 1}},       {{4, 2}, {1, 1}},
                                {{4, 2}, {1, 3}}, {{3, 4}, {2, 1}}, {{2, 2, 3}, {1, 1, 2}}, {{4, 1}, {1, 1}}};
  for (const HyperXShape& shape : shapes) {
    const SwitchGraph graph = graph_of(hyperx(shape), 1);
    EXPECT_EQ(hyperx_facts(shape).bisection, cheapest_halves(graph)) << as_list(graph);
  }
  EXPECT_EQ(hyperx_facts({{3, 4}, {1, 1}}).bisection, std::nullopt);
}

TEST(Lattices, TiersAreDimensions) {
  const Sides sides{3, 4, 5};
  const auto count = [&](const SwitchGraph& graph) {
    const TopologyFacts facts = torus_facts(sides, true);
    EXPECT_THAT(facts.tiers, ElementsAre("dimension 1", "dimension 2", "dimension 3"));
    std::vector<std::size_t> cables(3);
    for (const auto& [a, b] : graph.cables()) ++cables[facts.tier(a.at, b.at)];
    return cables;
  };
  EXPECT_THAT(count(torus({sides, 1, 16})), ElementsAre(60, 60, 60));
  EXPECT_THAT(count(mesh({sides, 1, 16})), ElementsAre(2 * 20, 3 * 15, 4 * 12));
  EXPECT_THAT(count(graph_of(hyperx({sides, {1, 1, 1}}), 1)), ElementsAre(3 * 20, 6 * 15, 10 * 12));
}

TEST(Lattices, SidesSayMoreThanThreeDimensions) {
  for (const char* name : {"torus", "mesh", "express-torus", "hyperx"}) {
    const TopologyKind& kind = *topology_kind(name);
    EXPECT_EQ(kind.graph(network_settings({{"sides", "4x4x4x2"}}), {}).switches(), 128u) << name;
    EXPECT_EQ(kind.graph(network_settings({{"sides", "4, 3"}}), {}).switches(), 12u) << name;
    EXPECT_EQ(kind.graph({}, {}).switches(), 64u) << name;
    EXPECT_EQ(kind.graph(network_settings({{"planes", 2}}), {}).switches(), 128u) << name;
    expect_message(problem_of([&] {
                     kind.graph(network_settings({{"sides", "4x4"}, {"planes", 2}}), {});
                   }),
                   {"network.sides", "network.columns", "network.rows", "network.planes"});
  }
  const auto grid = std::get<Grid>(topology_kind("torus")->routed(network_settings({{"sides", "4x4x4x2"}})));
  EXPECT_THAT(grid.sides, ElementsAre(4, 4, 4, 2));
  EXPECT_EQ(grid.lines, Grid::Lines::closed);
}

}  // namespace
}  // namespace morgana::topology
