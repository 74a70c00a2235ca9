#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "emulator/topology/kinds/dragonfly_plus.h"
#include "emulator/topology/kinds/galois_field.h"
#include "emulator/topology/kinds/irregular.h"
#include "emulator/topology/kinds/slim_fly.h"
#include "emulator/topology/topology_kind.h"
#include "tests/support/messages.h"
#include "tests/topology/plain_search.h"
#include "tests/topology/topology_settings.h"

namespace morgana::topology {
namespace {

TEST(GaloisField, IsAField) {
  for (const unsigned q : {2U, 3U, 4U, 5U, 8U, 9U, 16U, 25U, 27U, 64U}) {
    SCOPED_TRACE(q);
    const GaloisField field(q);
    for (unsigned a = 0; a < q; ++a) {
      EXPECT_EQ(field.add(a, 0), a);
      EXPECT_EQ(field.multiply(a, 1), a);
      EXPECT_EQ(field.subtract(a, a), 0U);
      std::set<unsigned> products;
      for (unsigned b = 0; b < q; ++b) {
        EXPECT_EQ(field.add(field.subtract(a, b), b), a);
        EXPECT_EQ(field.multiply(a, b), field.multiply(b, a));
        products.insert(field.multiply(a, b));
        const unsigned c = (a + 3 * b) % q;
        EXPECT_EQ(field.multiply(a, field.add(b, c)), field.add(field.multiply(a, b), field.multiply(a, c)));
        EXPECT_EQ(field.multiply(a, field.multiply(b, c)), field.multiply(field.multiply(a, b), c));
      }
      EXPECT_EQ(products.size(), a == 0 ? 1U : q) << a << " has an inverse";
    }
  }
  for (const unsigned q : {0U, 1U, 6U, 12U, 100U, 2048U}) EXPECT_THROW(GaloisField{q}, Error) << q;
}

/// Besta and Hoefler 2014, 2.2: 2 q^2 routers, network radix (3 q - d) / 2, diameter 2. q of all three forms,
/// primes and powers of primes.
TEST(SlimFly, HasTheSizeRadixAndDiameterOfThePaper) {
  for (const int q : {3, 4, 5, 7, 8, 9, 11, 13, 16}) {
    SCOPED_TRACE(q);
    const int d = q % 4 == 3 ? -1 : q % 4;
    const SwitchGraph graph = graph_of(slim_fly(static_cast<unsigned>(q)), 1);
    EXPECT_EQ(graph.switches(), static_cast<std::size_t>(2 * q * q));
    EXPECT_TRUE(simple(graph));
    for (SwitchId at = 0; at < graph.switches(); ++at)
      ASSERT_EQ(degree(graph, at), static_cast<unsigned>((3 * q - d) / 2)) << at;
    const PlainDistances distances = plain_distances(graph);
    EXPECT_TRUE(distances.all_reached);
    EXPECT_EQ(distances.largest, 2U);
    // Of diameter 2: all neighbours at 1, all others at 2.
    const double others = 2.0 * q * q - 1, near = (3.0 * q - d) / 2;
    EXPECT_NEAR(distances.mean, (near + 2 * (others - near)) / others, 1e-12);
  }
}

TEST(SlimFly, TheMembersOfThePaper) {
  // q = 5 is the graph of Hoffman and Singleton, the largest of diameter 2 and degree 7: 7^2 + 1 switches. q
  // = 19 is the paper's network of 10,830 hosts, 15 at each of 722 routers of network radix 29.
  const SwitchGraph smallest = graph_of(slim_fly(5), 1), paper = graph_of(slim_fly(19), 15);
  EXPECT_EQ(smallest.switches(), 50U);
  EXPECT_EQ(degree(smallest, 0), 7U);
  EXPECT_EQ(smallest.cables().size(), 175U);
  EXPECT_EQ(paper.switches(), 722U);
  EXPECT_EQ(paper.hosts(), 10'830U);
  EXPECT_EQ(degree(paper, 721), 29U);
}

TEST(SlimFly, RefusesOtherNumbers) {
  for (const unsigned q : {2U, 6U, 10U, 91U}) EXPECT_THROW(slim_fly(q), Error) << q;
  expect_message(problem_of([] { slim_fly(6); }), "q = 6");
  expect_message(problem_of([] { slim_fly(15); }), {"15 ", "1024"});
}

TEST(DragonflyPlus, RandomMembersHaveTheCountsAndDistancesOfTheFormula) {
  std::mt19937 chance(17);
  for (int member = 0; member < 40; ++member) {
    DragonflyPlusShape shape{0, one_to(5, chance), one_to(4, chance), one_to(4, chance)};
    const unsigned most = shape.spines * shape.global_cables + 1;
    shape.groups = one_to(most, chance);
    const unsigned pair = shape.groups > 1 ? (most - 1) / (shape.groups - 1) : 0;
    SCOPED_TRACE(testing::Message() << "member " << member << ": " << shape.groups << " groups");
    const SwitchGraph graph = graph_of(dragonfly_plus(shape), 1);
    ASSERT_EQ(graph.switches(), shape.groups * (shape.leaves + shape.spines));
    EXPECT_EQ(graph.hosts(), shape.groups * shape.leaves);
    std::map<std::pair<SwitchId, SwitchId>, unsigned> between;  // groups
    const unsigned size = shape.leaves + shape.spines;
    for (const auto& [a, b] : graph.cables())
      if (a.at / size != b.at / size) ++between[std::minmax(a.at / size, b.at / size)];
    EXPECT_EQ(between.size(), shape.groups * (shape.groups - 1) / 2);
    for (const auto& [groups, cables] : between) EXPECT_EQ(cables, pair);
    for (SwitchId at = 0; at < graph.switches(); ++at) {
      if (at % size < shape.leaves)
        EXPECT_EQ(degree(graph, at), shape.spines);
      else
        EXPECT_LE(degree(graph, at), shape.leaves + shape.global_cables);
    }
    // Leaf, spine, spine, leaf between groups; leaf, spine, leaf within one.
    const PlainDistances distances = plain_distances(graph);
    const double leaves = shape.groups * shape.leaves, inside = shape.leaves - 1;
    EXPECT_TRUE(distances.all_reached);
    EXPECT_EQ(distances.largest, shape.groups > 1 ? 3U : shape.leaves > 1 ? 2U : 0U);
    if (leaves > 1) {
      EXPECT_NEAR(distances.mean, (2 * inside + 3 * (leaves - 1 - inside)) / (leaves - 1), 1e-12);
    }
  }
}

TEST(DragonflyPlus, BisectionIsTheCheapestWayToDivideTheSwitches) {
  for (const DragonflyPlusShape& shape :
       {DragonflyPlusShape{4, 2, 2, 2}, {2, 2, 2, 2}, {4, 2, 1, 3}, {2, 4, 2, 1}, {4, 2, 2, 3}}) {
    const SwitchGraph graph = graph_of(dragonfly_plus(shape), 1);
    EXPECT_EQ(dragonfly_plus_facts(shape).bisection, cheapest_halves(graph))
        << shape.groups << " " << shape.leaves << " " << shape.spines << " " << shape.global_cables;
  }
  EXPECT_EQ(dragonfly_plus_facts({5, 2, 2, 2}).bisection, std::nullopt) << "five groups have no half";
  EXPECT_EQ(dragonfly_plus_facts({2, 2, 2, 16}).bisection, std::nullopt) << "dividing both groups is cheaper";
}

TEST(DragonflyPlus, NeedsCablesToAllGroups) {
  expect_message(problem_of([] {
                   dragonfly_plus({10, 2, 2, 4});
                 }),
                 {"10 groups", "9 cables", "2 spines", "network.global-cables"});
  EXPECT_NO_THROW(dragonfly_plus({9, 2, 2, 4}));
}

/// Cerf, Cowan, Mullin and Stanton, "A Lower Bound on the Average Shortest Path Length in Regular Graphs",
/// 1974: no graph of this degree has a smaller mean distance than one whose switches have as many others at
/// each distance as there can be.
double least_mean_distance(double switches, double degree) {
  double left = switches - 1, sum = 0, at_distance = degree;
  for (double distance = 1; left > 0; ++distance, at_distance *= degree - 1) {
    const double there = std::min(left, at_distance);
    sum += there * distance;
    left -= there;
  }
  return sum / (switches - 1);
}

/// Switches that are farther away than 0, 1, 2, ...: those at a distance are found by as many random ends of
/// cables as a tree of this degree has there.
double expected_mean_distance(double switches, double degree) {
  double mean = 1, farther = 1 - degree / (switches - 1), ends = degree;
  while (farther > 1e-9) {
    mean += farther;
    ends *= degree - 1;
    farther *= std::exp(-ends / switches);
  }
  return mean;
}

/// The fewest cables within which a switch of a graph of this degree can have all others.
unsigned least_diameter(double switches, double degree) {
  unsigned distance = 0;
  for (double reached = 1, there = degree; reached < switches; there *= degree - 1, ++distance)
    reached += there;
  return distance;
}

/// Bollobas and Fernandez de la Vega, "The Diameter of Random Regular Graphs", Combinatorica 2(2), 1982:
/// almost every one has no larger diameter.
unsigned likely_diameter(double switches, double degree) {
  return 1 + static_cast<unsigned>(
                 std::ceil(std::log(2.01 * degree * switches * std::log(switches)) / std::log(degree - 1)));
}

/// A line of the table of the Graph Golf competition of 2016 (National Institute of Informatics, Tokyo, as of
/// 26 September 2016). By its rules the gap is how far the mean distance of the best graph is above Cerf's
/// bound, as a share of the bound; and the improvement is how far it is below that of a random regular graph,
/// as a share of the bound, too.
struct GraphGolf {
  unsigned switches, degree;
  double best, gap, improvement;  // the shares in percent
  double bound() const { return best / (1 + gap / 100); }
  double random() const { return best + improvement / 100 * bound(); }
};

TEST(RandomRegular, HasTheDistancesOfAPublishedTable) {
  for (const GraphGolf& line :
       {GraphGolf{256, 8, 2.736, 0.674, 5.600}, GraphGolf{300, 7, 3.012, 7.096, 5.701},
        GraphGolf{384, 3, 6.226, 2.644, 6.980}, GraphGolf{512, 8, 3.111, 4.876, 5.277},
        GraphGolf{1024, 3, 7.679, 2.007, 5.159}, GraphGolf{1024, 8, 3.505, 0.617, 3.033},
        GraphGolf{1024, 11, 3.059, 6.538, 4.020}}) {
    SCOPED_TRACE(testing::Message() << line.switches << " switches of degree " << line.degree);
    EXPECT_NEAR(least_mean_distance(line.switches, line.degree), line.bound(), 0.001);
    const PlainDistances distances =
        plain_distances(irregular({line.switches, 1, line.degree, 128}, line.switches + line.degree));
    EXPECT_NEAR(distances.mean, line.random(), 0.01 * line.random());
    EXPECT_GE(distances.largest, least_diameter(line.switches, line.degree));
    EXPECT_LE(distances.largest, likely_diameter(line.switches, line.degree));
  }
}

/// Singla, Hong, Popa and Godfrey, "Jellyfish: Networking Data Centers Randomly", NSDI 2012: random regular
/// graphs come close to that bound.
TEST(RandomRegular, IsSimpleConnectedAndAsShortAsChanceMakesIt) {
  std::mt19937 chance(19);
  for (int member = 0; member < 12; ++member) {
    const unsigned degree_of_all = 4 + one_to(12, chance), switches = 2 * (50 + one_to(150, chance));
    SCOPED_TRACE(testing::Message() << switches << " switches of degree " << degree_of_all);
    const SwitchGraph graph = irregular({switches, 1, degree_of_all, 128}, chance());
    EXPECT_TRUE(simple(graph));
    for (SwitchId at = 0; at < switches; ++at) ASSERT_EQ(degree(graph, at), degree_of_all);
    const PlainDistances distances = plain_distances(graph);
    EXPECT_TRUE(distances.all_reached);
    EXPECT_GE(distances.mean, least_mean_distance(switches, degree_of_all) - 1e-9);
    const double expected = expected_mean_distance(switches, degree_of_all);
    EXPECT_NEAR(distances.mean, expected, 0.05 * expected);
  }
}

}  // namespace
}  // namespace morgana::topology
