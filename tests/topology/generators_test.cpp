#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "emulator/core/error.h"
#include "emulator/topology/distances.h"
#include "emulator/topology/kinds/cplant.h"
#include "emulator/topology/kinds/fat_tree.h"
#include "emulator/topology/kinds/irregular.h"
#include "emulator/topology/kinds/torus.h"
#include "emulator/topology/listed/listed.h"
#include "emulator/topology/now.h"
#include "tests/support/messages.h"

namespace morgana::topology {
namespace {

using ::testing::ElementsAre;

/// The switches that cables lead to, by port; a switch joined by two cables stands twice.
std::vector<SwitchId> neighbours(const SwitchGraph& graph, SwitchId at) {
  std::vector<SwitchId> result;
  for (unsigned port = 0; port < graph.ports(at); ++port) {
    const Neighbour& other = graph.neighbour({at, static_cast<PortNumber>(port)});
    if (other.is_switch()) result.push_back(other.id);
  }
  return result;
}

bool at_most_one_cable_between_two_switches(const SwitchGraph& graph) {
  std::set<std::pair<SwitchId, SwitchId>> seen;
  for (const auto& [a, b] : graph.cables()) {
    if (a.at == b.at || !seen.insert(std::minmax(a.at, b.at)).second) return false;
  }
  return true;
}

template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Torus, ThatOfThePaperLeavesFourPortsOpen) {
  const SwitchGraph graph = torus({});
  EXPECT_EQ(graph.switches(), 64u);
  EXPECT_EQ(graph.hosts(), 512u);
  EXPECT_EQ(graph.cables().size(), 128u);
  EXPECT_TRUE(at_most_one_cable_between_two_switches(graph));
  for (SwitchId at = 0; at < 64; ++at) {
    EXPECT_EQ(neighbours(graph, at).size(), 4u);
    EXPECT_EQ(graph.hosts_at(at).size(), 8u);
    EXPECT_EQ(graph.hosts_at(at).front(), 8 * at);
  }
  EXPECT_THAT(neighbours(graph, 0), ElementsAre(1, 7, 8, 56));
  EXPECT_THAT(neighbours(graph, 27), ElementsAre(28, 26, 35, 19));
}

TEST(Torus, OfThreeDimensionsReachesSixNeighbours) {
  const SwitchGraph graph = torus({.sides = {3, 4, 5}, .hosts_per_switch = 1});
  EXPECT_EQ(graph.switches(), 60u);
  EXPECT_EQ(graph.cables().size(), 180u);
  EXPECT_THAT(neighbours(graph, 1 + 3 * 3 + 12 * 4), ElementsAre(59, 57, 49, 55, 10, 46));
}

TEST(Torus, SidesOfTwoMakeAHypercube) {
  const SwitchGraph graph = torus({.sides = {2, 2, 2}, .hosts_per_switch = 1, .ports_per_switch = 4});
  EXPECT_EQ(graph.cables().size(), 12u);
  EXPECT_THAT(neighbours(graph, 5), ElementsAre(4, 7, 1));
}

TEST(Torus, OneSideIsARingAndNoSidesASwitch) {
  EXPECT_THAT(neighbours(torus({.sides = {4, 1}, .hosts_per_switch = 0}), 3), ElementsAre(0, 2));
  EXPECT_EQ(torus({.sides = {}, .hosts_per_switch = 2}).switches(), 1u);
}

TEST(Torus, NamesWhatDoesNotFit) {
  expect_message(error_of([] { torus({.sides = {8, 8}, .hosts_per_switch = 13}); }), "takes 17 ports");
  expect_message(error_of([] { torus({.sides = {8, 0}}); }), {"torus", "side of 0"});
  expect_message(error_of([] { torus({.sides = {300, 300}}); }), "16384 switches");
}

TEST(ExpressTorus, ThatOfThePaperUsesAllPorts) {
  const SwitchGraph graph = express_torus({});
  EXPECT_EQ(graph.cables().size(), 256u);
  EXPECT_TRUE(at_most_one_cable_between_two_switches(graph));
  for (CableChannel channel = 0; channel < graph.channels(); ++channel) {
    EXPECT_FALSE(graph.receiver(channel).is_nothing()) << graph.describe(channel);
  }
  EXPECT_THAT(neighbours(graph, 0), ElementsAre(1, 7, 8, 56, 2, 6, 16, 48));
}

TEST(ExpressTorus, ShortSidesGetNoSecondCable) {
  const SwitchGraph graph = express_torus({.sides = {3, 4, 5}, .hosts_per_switch = 0});
  EXPECT_TRUE(at_most_one_cable_between_two_switches(graph));
  // Of the 3: both others. Of the 4: next two and the opposite. Of the 5: all four.
  EXPECT_THAT(neighbours(graph, 0), ElementsAre(1, 2, 3, 9, 12, 48, 6, 24, 36));
}

TEST(Cplant, HasFiftySwitchesAndFourHundredHosts) {
  const SwitchGraph graph = cplant();
  EXPECT_EQ(graph.switches(), 50u);
  EXPECT_EQ(graph.hosts(), 400u);
  EXPECT_TRUE(at_most_one_cable_between_two_switches(graph));
  EXPECT_NO_THROW(graph.check_connected());
}

TEST(Cplant, ASwitchHasFourCablesWithinItsGroup) {
  const SwitchGraph graph = cplant();
  for (SwitchId at = 0; at < 48; ++at) {
    std::set<SwitchId> inside, outside;
    for (const SwitchId other : neighbours(graph, at)) (other / 8 == at / 8 ? inside : outside).insert(other);
    EXPECT_EQ(inside.size(), 4u);
    EXPECT_TRUE(inside.contains(at / 8 * 8 + (at % 8 ^ 7))) << "the farthest one of its group";
    EXPECT_GE(outside.size(), 3u);
    EXPECT_LE(outside.size(), 4u);
    for (const SwitchId other : outside) EXPECT_EQ(other % 8, at % 8) << "only its like in other groups";
  }
  EXPECT_THAT(neighbours(graph, 0), ElementsAre(1, 2, 4, 7, 8, 16, 32));
  EXPECT_THAT(neighbours(graph, 9), ElementsAre(1, 8, 11, 13, 14, 25, 41, 49));
  EXPECT_THAT(neighbours(graph, 48), ElementsAre(8, 16, 32, 49));
}

TEST(Irregular, EverySwitchHasItsHostsAndItsCables) {
  for (const unsigned switches : {8u, 16u, 32u, 64u}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(testing::Message() << switches << " switches, seed " << seed);
      const SwitchGraph graph = irregular({.switches = switches}, seed);
      EXPECT_EQ(graph.switches(), switches);
      EXPECT_TRUE(at_most_one_cable_between_two_switches(graph));
      EXPECT_NO_THROW(graph.check_connected());
      for (SwitchId at = 0; at < switches; ++at) {
        EXPECT_EQ(neighbours(graph, at).size(), 4u);
        EXPECT_EQ(graph.hosts_at(at).size(), 4u);
      }
    }
  }
}

TEST(Irregular, TheSeedDecides) {
  EXPECT_EQ(as_list(irregular({}, 7)), as_list(irregular({}, 7)));
  EXPECT_NE(as_list(irregular({}, 7)), as_list(irregular({}, 8)));
}

TEST(Irregular, EveryPairOfSwitchesIsJoinedEquallyOften) {
  constexpr int networks = 4000;
  std::vector<int> joined(36);
  for (std::uint64_t seed = 0; seed < networks; ++seed) {
    const SwitchGraph graph = irregular({.switches = 6, .cables_per_switch = 3}, seed);
    for (const auto& [a, b] : graph.cables()) ++joined[std::min(a.at, b.at) * 6 + std::max(a.at, b.at)];
  }
  for (SwitchId a = 0; a < 6; ++a) {
    for (SwitchId b = a + 1; b < 6; ++b) {
      EXPECT_NEAR(joined[a * 6 + b], networks * 0.6, 5 * 31) << a << " and " << b;  // 5 standard deviations
    }
  }
}

TEST(Irregular, DenseNetworksAreFoundToo) {
  EXPECT_EQ(irregular({.switches = 9, .hosts_per_switch = 0, .cables_per_switch = 8}, 1).cables().size(),
            36u);
  EXPECT_EQ(irregular({.switches = 64, .cables_per_switch = 62, .ports_per_switch = 66}, 1).cables().size(),
            1984u);
  EXPECT_EQ(irregular({.switches = 1, .cables_per_switch = 0}, 1).cables().size(), 0u);
  EXPECT_EQ(irregular({.switches = 2, .cables_per_switch = 1}, 1).cables().size(), 1u);
}

TEST(Irregular, NamesWhatCantBe) {
  expect_message(error_of([] { irregular({.hosts_per_switch = 5}, 1); }), "5 hosts");
  expect_message(error_of([] { irregular({.switches = 20'000}, 1); }), {"20000 switches", "16384"});
  expect_message(error_of([] { irregular({.switches = 4}, 1); }), {"4 switches", "at most 3"});
  expect_message(error_of([] { irregular({.switches = 7, .cables_per_switch = 3}, 1); }),
                 {"7 switches", "3 cables"});
  expect_message(error_of([] { irregular({.switches = 4, .cables_per_switch = 1}, 1); }), "4 switches");
  expect_message(error_of([] { irregular({.switches = 2, .cables_per_switch = 0}, 1); }), "2 switches");
}

TEST(Now, HasTheCountsOfThePaper) {
  const SwitchGraph graph = now();
  EXPECT_EQ(graph.switches(), 40u);
  EXPECT_EQ(graph.hosts(), 100u);
  for (SwitchId at = 0; at < 40; ++at) EXPECT_EQ(graph.ports(at), 8u);
  EXPECT_NO_THROW(graph.check_connected());
}

TEST(Now, WithoutTheTwoJoiningSwitchesAndTheirElevenCablesItFallsIntoThreeSubclusters) {
  const SwitchGraph graph = now();
  std::vector<SwitchId> part(40);
  for (SwitchId at = 0; at < 40; ++at) part[at] = at;
  int joining_cables = 0;
  for (int round = 0; round < 40; ++round) {
    for (const auto& [a, b] : graph.cables()) {
      if (a.at >= 38 || b.at >= 38) {
        joining_cables += round == 0 ? 1 : 0;
      } else {
        part[a.at] = part[b.at] = std::min(part[a.at], part[b.at]);
      }
    }
  }
  EXPECT_EQ(joining_cables, 11);
  EXPECT_EQ(std::set<SwitchId>(part.begin(), part.begin() + 38), (std::set<SwitchId>{0, 13, 26}));
}

TEST(FatTree, OfTwoLevelsJoinsEveryLeafWithEverySpine) {
  const SwitchGraph graph = fat_tree({.arity = 3, .levels = 2});
  EXPECT_EQ(graph.switches(), 6u);
  EXPECT_EQ(graph.hosts(), 9u);
  EXPECT_THAT(neighbours(graph, 1), ElementsAre(3, 4, 5));
  EXPECT_THAT(neighbours(graph, 4), ElementsAre(0, 1, 2));
  EXPECT_EQ(graph.ports(1), 6u);
  EXPECT_EQ(graph.ports(4), 3u);
}

TEST(FatTree, OfThreeLevelsFollowsTheDigits) {
  const SwitchGraph graph = fat_tree({.arity = 2, .levels = 3});
  EXPECT_EQ(graph.switches(), 12u);
  EXPECT_EQ(graph.hosts(), 8u);
  EXPECT_THAT(neighbours(graph, 1), ElementsAre(4, 5));         // digit 0 may change
  EXPECT_THAT(neighbours(graph, 5), ElementsAre(0, 1, 9, 11));  // digit 1 may change
  EXPECT_EQ(minimal_distances(graph)(0, 3), 4u);
  EXPECT_EQ(minimal_distances(graph)(0, 1), 2u);
}

TEST(FatTree, NamesWhatCantBe) {
  expect_message(error_of([] { fat_tree({.arity = 0, .levels = 2}); }), {"arity 0", "2 levels"});
  expect_message(error_of([] { fat_tree({.arity = 65, .levels = 1}); }), "130 ports");
  expect_message(error_of([] { fat_tree({.arity = 60, .levels = 9}); }), "16384 switches");
}

TEST(Mesh, IsATorusWithoutTheCablesRound) {
  const SwitchGraph graph = mesh({.sides = {3, 4}, .hosts_per_switch = 1, .ports_per_switch = 5});
  EXPECT_EQ(graph.switches(), 12u);
  EXPECT_EQ(graph.cables().size(), 2u * 4 + 3 * 3);
  EXPECT_THAT(neighbours(graph, 0), ElementsAre(1, 3));
  EXPECT_THAT(neighbours(graph, 4), ElementsAre(5, 3, 7, 1));  // up and down, by dimension
  EXPECT_EQ(minimal_distances(graph)(0, 11), 2u + 3);
  expect_message(error_of([] { mesh({.sides = {2, 0}}); }), {"mesh", "side of 0"});
}

TEST(Listed, ReadsSwitchesHostsAndCables) {
  const SwitchGraph graph = listed("switch 4  # the first\nswitch 3\n\nhost 1.0\ncable 0.2 1.1\n", "net.txt");
  EXPECT_EQ(graph.switches(), 2u);
  EXPECT_EQ(graph.port_of(0), (SwitchPort{1, 0}));
  EXPECT_EQ(graph.neighbour({0, 2}).switch_port(), (SwitchPort{1, 1}));
}

TEST(Listed, AnyNetworkCanBeWrittenAndReadAgain) {
  for (const SwitchGraph& graph : {torus({.sides = {3, 3}}), cplant(), now()}) {
    EXPECT_EQ(as_list(listed(as_list(graph), "list")), as_list(graph));
  }
}

TEST(Listed, NamesFileLineAndFault) {
  const auto fault = [](std::string_view text) { return error_of([&] { listed(text, "net.txt"); }); };
  expect_message(fault("switch 4\nhost 0:1\n"), {"net.txt", "line 2", "'0:1'"});
  expect_message(fault("switch 4\nhost 0.65536\n"), "'0.65536'");
  expect_message(fault("switch four"), {"line 1", "'four'"});
  expect_message(fault("\nrouter 4"), "line 2: write 'switch PORTS'");
  expect_message(fault("switch 4\ncable 0.0 1.0"), {"line 2", "switch 0 port 0"});
}

}  // namespace
}  // namespace morgana::topology
