#include "emulator/topology/distances.h"

#include <gtest/gtest.h>

#include "emulator/topology/kinds/torus.h"
#include "emulator/topology/listed/listed.h"

namespace morgana {
namespace {

TEST(Distances, AreCountedInCables) {
  const SwitchGraph graph =
      topology::listed("switch 3\nswitch 3\nswitch 3\ncable 0.0 1.0\ncable 1.1 2.0\n", "line");
  const Distances hops = minimal_distances(graph);
  EXPECT_EQ(hops(0, 0), 0);
  EXPECT_EQ(hops(0, 2), 2);
  EXPECT_EQ(hops(2, 1), 1);
  EXPECT_EQ(hops.largest(), 2);
  EXPECT_DOUBLE_EQ(hops.mean(), 4.0 / 3);
}

TEST(Distances, SwitchesThatNothingJoinsAreLeftOut) {
  const Distances hops =
      minimal_distances(topology::listed("switch 1\nswitch 1\nswitch 1\ncable 0.0 1.0\n", "l"));
  EXPECT_EQ(hops(0, 2), Distances::unreachable);
  EXPECT_DOUBLE_EQ(hops.mean(), 1);
  EXPECT_EQ(hops.largest(), 1);
}

TEST(Distances, TheTorusHasTheMeanOfThePaper) {
  const Distances hops = minimal_distances(topology::torus({}));
  EXPECT_NEAR(hops.mean(), 4.06, 0.005);  // Flich et al., 2002, 5.5.1
  EXPECT_EQ(hops.largest(), 8);
}

TEST(Distances, ExpressChannelsShortenTheTorus) {
  // Along a side of 8: 0, 1, 1, 2, 2, 2, 1, 1 hops, 1.25 on average; two sides, without the switch itself.
  EXPECT_NEAR(minimal_distances(topology::express_torus({})).mean(), 2.5 * 64 / 63, 1e-9);
}

}  // namespace
}  // namespace morgana
