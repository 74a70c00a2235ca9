#include "emulator/routing/paths.h"

#include <gtest/gtest.h>

#include "tests/routing/networks.h"
#include "tests/routing/reference_paths.h"
#include "tests/support/effort.h"

namespace morgana {
namespace {

using Path = ReferencePaths::Path;

TEST(Paths, AreAsShortAsTryingAllFinds) {
  for (std::uint64_t seed = 0; seed < random_cases(300); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks for paths");
    const SwitchGraph graph = random_network(random, 6);
    const auto root = static_cast<SwitchId>(random.below(graph.switches()));
    const ReferencePaths reference(graph, root);
    const UpDown orientation(graph, root);
    const Paths legal(graph, orientation, Turns::never), in_transit(graph, orientation, Turns::in_transit),
        anywhere(graph, orientation, Turns::anywhere);
    for (SwitchId from = 0; from < graph.switches(); ++from) {
      for (SwitchId to = 0; to < graph.switches(); ++to) {
        const auto shortest = [&](auto allowed) { return *reference.shortest(from, to, allowed); };
        ASSERT_EQ(legal.distances()(from, to), shortest([](const Path& path) { return path.turns == 0; }));
        ASSERT_EQ(in_transit.distances()(from, to),
                  shortest([](const Path& path) { return path.turns_have_hosts; }));
        ASSERT_EQ(anywhere.distances()(from, to), shortest([](const Path&) { return true; }));
      }
    }
  }
}

TEST(Paths, AllCablesOfTheTorusGoUpOrDownWhateverTheRoot) {
  // The paper's 4.57 links; 80 percent of its balanced routes are minimal, 81.85 percent of all pairs can be.
  for (const SwitchId root : {0u, 27u, 63u}) {
    const SwitchGraph graph = topology::torus({});
    const Distances legal = Paths(graph, UpDown(graph, root), Turns::never).distances();
    EXPECT_NEAR(legal.mean(), 4.57, 0.005);
    EXPECT_NEAR(legal.share_equal(minimal_distances(graph)), 0.8185, 0.0001);
  }
}

TEST(Paths, ExpressChannelsLeaveSixPercentOfPairsWithoutAMinimalLegalPath) {
  const SwitchGraph graph = topology::express_torus({});
  const Distances legal = Paths(graph, UpDown(graph), Turns::never).distances();
  EXPECT_NEAR(legal.mean(), 2.603, 0.0005);
  EXPECT_NEAR(legal.share_equal(minimal_distances(graph)), 0.94, 0.005);
}

TEST(Paths, WithAHostAtEverySwitchInTransitPathsAreMinimal) {
  for (const NamedNetwork& network : known_networks()) {
    const SwitchGraph& graph = network.graph;
    if (network.name == "now" || network.name == "fat tree") continue;  // hosts at the leaves only
    EXPECT_EQ(
        Paths(graph, UpDown(graph), Turns::in_transit).distances().share_equal(minimal_distances(graph)), 1)
        << network.name;
  }
}

TEST(Paths, InATreeWhoseRootIsAtTheTopAllMinimalPathsAreLegal) {
  const SwitchGraph graph = topology::fat_tree({.arity = 3, .levels = 3});
  const auto top = static_cast<SwitchId>(graph.switches() - 1);
  const Distances legal = Paths(graph, UpDown(graph, top), Turns::never).distances();
  const Distances minimal = minimal_distances(graph);
  for (SwitchId from = 0; from < 9; ++from) {
    for (SwitchId to = 0; to < 9; ++to) EXPECT_EQ(legal(from, to), minimal(from, to));
  }
}

}  // namespace
}  // namespace morgana
