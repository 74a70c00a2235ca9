#include "emulator/topology/kinds/dragonfly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/topology/distances.h"

namespace morgana {
namespace {

constexpr std::vector<GlobalArrangement> arrangements() {
  return {GlobalArrangement::absolute, GlobalArrangement::palm_tree, GlobalArrangement::circulant};
}

/// How many cables join each two groups, the lower one first; cables inside groups aside.
std::map<std::pair<unsigned, unsigned>, unsigned> global_cables(const SwitchGraph& graph,
                                                                const Dragonfly& shape) {
  std::map<std::pair<unsigned, unsigned>, unsigned> cables;
  for (const auto& [a, b] : graph.cables()) {
    const unsigned one = shape.group_of(a.at), other = shape.group_of(b.at);
    const auto [low, high] = std::minmax(one, other);
    if (low != high) ++cables[{low, high}];
  }
  return cables;
}

// Kim et al., ISCA 2008, section 3: g = a h + 1 groups, N = a p g hosts, switches of radix p + a + h - 1;
// with p = h = 4, a = 8 that is figure 8's network of 1,056 hosts.
TEST(Dragonfly, HasTheSizesOfItsPaper) {
  const SwitchGraph graph = topology::dragonfly({33, 8, 4}, 4);
  EXPECT_EQ(graph.hosts(), 1'056u);
  EXPECT_EQ(graph.switches(), 264u);
  EXPECT_EQ(graph.ports(0), 4u + 8 + 4 - 1);
  EXPECT_EQ(graph.cables().size(), 33u * (8 * 7 / 2) + 33 * 32 / 2);
  EXPECT_EQ(minimal_distances(graph).largest(), 3u);
}

TEST(Dragonfly, JoinsEveryTwoGroupsByEquallyManyCablesHoweverTheyAreArranged) {
  const std::vector<Dragonfly> shapes{{9, 4, 2}, {2, 4, 1}, {4, 3, 2}, {5, 4, 2},
                                      {3, 2, 3}, {6, 5, 1}, {1, 4, 2}};
  for (Dragonfly shape : shapes) {
    for (const GlobalArrangement arrangement : arrangements()) {
      shape.arrangement = arrangement;
      const SwitchGraph graph = topology::dragonfly(shape, 1);
      graph.check_connected();
      const auto cables = global_cables(graph, shape);
      EXPECT_EQ(cables.size(), shape.groups * (shape.groups - 1) / 2);
      for (const auto& [groups, count] : cables) EXPECT_EQ(count, shape.cables_between_groups());
      for (SwitchId at = 0; at < graph.switches(); ++at)
        for (SwitchId other = 0; other < at; ++other)
          EXPECT_TRUE(shape.group_of(at) != shape.group_of(other) || graph.adjacent(at, other));
    }
  }
}

/// The group that each of a group's global ports leads to, in the order of its switches.
std::vector<unsigned> led_to(const Dragonfly& shape, unsigned group) {
  const SwitchGraph graph = topology::dragonfly(shape, 0);
  std::vector<unsigned> groups;
  for (unsigned r = 0; r < shape.switches_per_group; ++r) {
    const SwitchId at = group * shape.switches_per_group + r;
    for (unsigned port = shape.switches_per_group - 1; port < graph.ports(at); ++port)
      groups.push_back(shape.group_of(graph.neighbour({at, static_cast<PortNumber>(port)}).id));
  }
  return groups;
}

// By the formulas of Hastings et al., figure 1, and Camarero et al., definition of the palm tree.
TEST(Dragonfly, ArrangesGlobalCablesAsNamed) {
  Dragonfly shape{5, 2, 2, GlobalArrangement::absolute};
  EXPECT_EQ(led_to(shape, 0), (std::vector<unsigned>{1, 2, 3, 4}));
  EXPECT_EQ(led_to(shape, 2), (std::vector<unsigned>{0, 1, 3, 4}));
  shape.arrangement = GlobalArrangement::palm_tree;
  EXPECT_EQ(led_to(shape, 0), (std::vector<unsigned>{4, 3, 2, 1}));
  EXPECT_EQ(led_to(shape, 2), (std::vector<unsigned>{1, 0, 4, 3}));
  shape.arrangement = GlobalArrangement::circulant;
  EXPECT_EQ(led_to(shape, 0), (std::vector<unsigned>{1, 4, 2, 3}));
  EXPECT_EQ(led_to(shape, 2), (std::vector<unsigned>{3, 1, 4, 0}));
}

TEST(Dragonfly, RefusesMoreGroupsThanGlobalPortsLeadTo) {
  EXPECT_THROW(topology::dragonfly({10, 4, 2}, 1), Error);
  EXPECT_THROW(topology::dragonfly({0, 4, 2}, 1), Error);
  EXPECT_THROW(topology::dragonfly({1, 0, 2}, 1), Error);
}

}  // namespace
}  // namespace morgana
