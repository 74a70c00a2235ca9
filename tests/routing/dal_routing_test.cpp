#include "emulator/routing/topologies/dal_routing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/routing/channel_dependencies.h"
#include "emulator/routing/make_routing.h"
#include "emulator/topology/kinds/hyperx.h"

namespace morgana {
namespace {

/// A HyperX with one host on each switch, of the same number, and cables that are off.
struct Lattice {
  Grid grid;
  SwitchGraph graph;
  std::vector<bool> usable;  // by channel

  explicit Lattice(const std::vector<unsigned>& sides, unsigned cables = 1)
      : grid{sides, Grid::Lines::full},
        graph(topology::graph_of(topology::hyperx({sides, std::vector<unsigned>(sides.size(), cables)}), 1)),
        usable(graph.channels(), true) {}

  void turn_off(const SwitchPort& a, const SwitchPort& b) {
    usable[graph.channel_from(a)] = usable[graph.channel_from(b)] = false;
  }
  void turn_off(SwitchId one, SwitchId other) {
    for (const auto& [a, b] : graph.cables())
      if (a.at == std::min(one, other) && b.at == std::max(one, other)) turn_off(a, b);
  }
  DalRouting routing(const DetourRules& rules = {}) const {
    return {graph, grid, rules, [this](CableChannel channel) { return usable[channel]; }};
  }
  unsigned offset(SwitchId a, SwitchId b) const {
    unsigned count = 0;
    for (const unsigned side : grid.sides) {
      count += a % side != b % side ? 1 : 0;
      a /= side;
      b /= side;
    }
    return count;
  }
  PortNumber port_to(SwitchId from, SwitchId to) const {
    for (unsigned port = 0; port < graph.ports(from); ++port)
      if (const Neighbour& next = graph.neighbour({from, static_cast<PortNumber>(port)});
          next.is_switch() && next.id == to)
        return static_cast<PortNumber>(port);
    throw std::logic_error("no cable");
  }
};

/// Waits by output; 0 where none is set.
class GivenWaits final : public OutputLoads {
 public:
  void set(SwitchPort output, std::int64_t ps) { waits_[output] = SimTime::from_ps(ps); }
  SimTime wait(SwitchPort output) const override {
    const auto set = waits_.find(output);
    return set == waits_.end() ? SimTime() : set->second;
  }

 private:
  std::map<SwitchPort, SimTime> waits_;
};

/// Other ones at each question.
class DalWaits final : public OutputLoads {
 public:
  explicit DalWaits(RandomStream& random) : random_(random) {}
  SimTime wait(SwitchPort) const override {
    return SimTime::from_ps(static_cast<std::int64_t>(random_.below(50)));
  }

 private:
  RandomStream& random_;
};

/// The switches of a way, the first one included; it ends early where there is none.
std::vector<SwitchId> way(const Lattice& lattice, const Routing& routing, SwitchId from, SwitchId to,
                          std::uint64_t number, const OutputLoads& loads) {
  RoutedPacket packet{.input = lattice.graph.port_of(from),
                      .source = from,
                      .destination = to,
                      .last_switch = to,
                      .number = number};
  std::vector<SwitchId> passed{from};
  while (packet.input.at != to && passed.size() < 40) {
    const auto choice = routing.choose(packet, loads);
    if (!choice) break;
    bool listed = false;
    routing.for_every_choice(packet, [&](const RoutingChoice& one) { listed = listed || one == *choice; });
    EXPECT_TRUE(listed) << "port " << choice->port << " of switch " << packet.input.at;
    EXPECT_EQ(choice->virtual_channel, passed.size() - 1) << "the n-th cable is on virtual channel n";
    EXPECT_TRUE(lattice.usable[lattice.graph.channel_from(SwitchPort{packet.input.at, choice->port})]);
    packet.input = lattice.graph.neighbour({packet.input.at, choice->port}).switch_port();
    packet.virtual_channel = choice->virtual_channel;
    packet.note = choice->note;
    passed.push_back(packet.input.at);
  }
  return passed;
}

TEST(DalRouting, TakesAMinimalWayWhereNothingWaitsAndAnyOfThemAsOften) {
  const Lattice lattice({4, 4});
  const DalRouting routing = lattice.routing();
  int along_the_first = 0;
  for (std::uint64_t number = 0; number < 2'000; ++number) {
    const auto passed = way(lattice, routing, 0, 15, number, IdleOutputs());
    ASSERT_EQ(passed.size(), 3u);
    along_the_first += passed[1] == 3 ? 1 : 0;
  }
  EXPECT_NEAR(along_the_first, 1'000, 120);
}

// From 0 to 3 in a line of 4: the minimal output waits, the others (to 1 and 2) do not. One cable is left on
// the minimal way and two on a deroute.
TEST(DalRouting, DeroutesWhereTheMinimalCableWaitsLonger) {
  const Lattice lattice({4});
  const auto deroutes = [&](std::int64_t minimal, std::int64_t other, const DetourRules& rules) {
    GivenWaits loads;
    loads.set({0, lattice.port_to(0, 3)}, minimal);
    for (const SwitchId to : {1U, 2U}) loads.set({0, lattice.port_to(0, to)}, other);
    return way(lattice, lattice.routing(rules), 0, 3, 7, loads).size() > 2;
  };
  EXPECT_FALSE(deroutes(200, 100, {}));
  EXPECT_TRUE(deroutes(201, 100, {}));
  EXPECT_FALSE(deroutes(205, 100, {.threshold = SimTime::from_ps(5)}));
  EXPECT_TRUE(deroutes(206, 100, {.threshold = SimTime::from_ps(5)}));
}

TEST(DalRouting, TakesTheLeastLoadedOfEitherKind) {
  const Lattice lattice({5, 5});
  GivenWaits loads;
  // To 6: minimal over 1 or 5. Deroutes: 2, 3, 4 in the line of 0, and 10, 15, 20 in the other.
  for (const SwitchId to : {1U, 5U, 2U, 3U, 4U, 10U, 15U, 20U}) loads.set({0, lattice.port_to(0, to)}, 1'000);
  loads.set({0, lattice.port_to(0, 5)}, 900);
  EXPECT_EQ(way(lattice, lattice.routing(), 0, 6, 1, loads)[1], 5u);
  loads.set({0, lattice.port_to(0, 15)}, 500);  // 900 * 2 > 500 * 3
  EXPECT_EQ(way(lattice, lattice.routing(), 0, 6, 1, loads)[1], 15u);
}

TEST(DalRouting, DeroutesOnceInEachDimensionAtMost) {
  const Lattice lattice({4, 3});
  EXPECT_EQ(lattice.routing().virtual_channels(), 4u);
  RandomStream random(11, "deroutes");
  const DalWaits loads(random);
  const DalRouting routing = lattice.routing();
  std::set<std::size_t> lengths;
  for (std::uint64_t number = 0; number < 3'000; ++number) {
    const auto passed = way(lattice, routing, 0, 11, number, loads);
    EXPECT_EQ(passed.back(), 11u);
    std::map<bool, int> deroutes;  // by dimension
    for (std::size_t n = 1; n < passed.size(); ++n) {
      const bool along_first = passed[n] / 4 == passed[n - 1] / 4;
      const bool ends = along_first ? passed[n] % 4 == 3 : passed[n] / 4 == 2;
      deroutes[along_first] += ends ? 0 : 1;
    }
    for (const auto& [dimension, count] : deroutes) EXPECT_LE(count, 1);
    lengths.insert(passed.size() - 1);
  }
  EXPECT_EQ(lengths, (std::set<std::size_t>{2, 3, 4}));
}

TEST(DalRouting, NeedsAVirtualChannelForEachCableOfTheLongestWay) {
  EXPECT_EQ(Lattice({2}).routing().virtual_channels(), 1u);
  EXPECT_EQ(Lattice({3}).routing().virtual_channels(), 2u);
  EXPECT_EQ(Lattice({2, 5, 2}).routing().virtual_channels(), 4u);
  EXPECT_EQ(Lattice({1, 6}).routing().virtual_channels(), 2u);
  EXPECT_EQ(Lattice({1}).routing().virtual_channels(), 1u);
  EXPECT_THROW(Lattice({2, 2, 2, 2, 2, 2, 2, 2, 2}).routing(), Error);
}

/// Hides parts(), so that every way is followed as it is.
class Followed final : public Routing {
 public:
  /// @param fewer  of the highest virtual channels are folded onto the one below them
  explicit Followed(const Routing& routing, unsigned fewer = 0) : routing_(routing), fewer_(fewer) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override {
    return routing_.choose(packet, loads);
  }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    routing_.for_every_choice(packet, [&](RoutingChoice one) {
      one.virtual_channel =
          std::min(one.virtual_channel, static_cast<VirtualChannel>(virtual_channels() - 1));
      visit(one);
    });
  }
  unsigned virtual_channels() const override { return routing_.virtual_channels() - fewer_; }

 private:
  const Routing& routing_;
  unsigned fewer_;
};

// With faults, that every packet arrives is EscapeRouting's, and its test's.
TEST(DalRouting, NeverDeadlocksOnRandomLatticesAndArrivesOnWholeOnes) {
  RandomStream random(12, "lattices");
  const DalWaits loads(random);
  for (int n = 0; n < 200; ++n) {
    std::vector<unsigned> sides;
    for (std::size_t dimensions = 1 + random.below(3); dimensions > 0; --dimensions)
      sides.push_back(1 + static_cast<unsigned>(random.below(dimensions == 1 ? 5 : 4)));
    Lattice lattice(sides, 1 + static_cast<unsigned>(random.below(2)));
    const bool with_faults = n % 2 == 1;
    for (const auto& [a, b] : lattice.graph.cables())
      if (with_faults && random.chance(0.15)) lattice.turn_off(a, b);
    const DalRouting routing = lattice.routing();
    EXPECT_TRUE(find_deadlock(lattice.graph, routing).empty());
    EXPECT_TRUE(find_deadlock(lattice.graph, Followed(routing)).empty());
    for (int packet = 0; packet < 40; ++packet) {
      const auto from = static_cast<SwitchId>(random.below(lattice.graph.switches())),
                 to = static_cast<SwitchId>(random.below(lattice.graph.switches()));
      const auto passed = way(lattice, routing, from, to, random.next(), loads);
      if (!with_faults) {
        EXPECT_EQ(passed.back(), to);
      }
      EXPECT_LE(passed.size() - 1, routing.virtual_channels());
      EXPECT_GE(passed.size() - 1, passed.back() == to ? lattice.offset(from, to) : 0);
    }
  }
}

// The last two cables of a way with all deroutes may lie in one line of three switches or more, whose cables
// then wait for each other round.
TEST(DalRouting, CouldDeadlockWithOneVirtualChannelFewer) {
  for (const std::vector<unsigned>& sides :
       std::vector<std::vector<unsigned>>{{3}, {5}, {3, 3}, {4, 2}, {3, 2, 3}}) {
    const Lattice lattice(sides);
    const DalRouting routing = lattice.routing();
    EXPECT_FALSE(find_deadlock(lattice.graph, Followed(routing, 1)).empty());
  }
}

// What the proof by parts rests on: a cable of DAL is one of dimension order between its ends.
TEST(DalRouting, EachCableIsAWayOfItsParts) {
  const Lattice lattice({3, 4}, 2);
  const DalRouting routing = lattice.routing();
  for (SwitchId from = 0; from < 12; ++from)
    for (SwitchId to = 0; to < 12; ++to) {
      if (from == to) continue;
      routing.for_every_choice(
          {.input = {from, 0}, .destination = to, .last_switch = to}, [&](const RoutingChoice& choice) {
            const SwitchId next = lattice.graph.neighbour({from, choice.port}).id;
            bool found = false;
            routing.parts()->for_every_choice(
                {.input = {from, 0}, .destination = next, .last_switch = next},
                [&](const RoutingChoice& part) { found = found || part.port == choice.port; });
            EXPECT_TRUE(found);
          });
    }
}

// The cables 0-3 and 1-3 of a line of 4 are off. From 0 a packet deroutes over 1 or 2, and from 1, where it
// may not deroute once more, it has no choice of DAL's: make_routing's escape channel leads it on.
TEST(DalRouting, TakesUsableCablesAndLeavesDeadEndsByTheEscapeChannel) {
  Lattice lattice({4});
  lattice.turn_off(0, 3);
  lattice.turn_off(1, 3);
  const ChannelFilter usable = [&](CableChannel channel) { return lattice.usable[channel]; };
  const auto whole =
      make_routing(CabledGraph::uniform(lattice.graph, {BitRate(1'000'000'000), SimTime::from_ps(1)}),
                   {.routes = RoutesKind::dal, .shape = lattice.grid}, usable);
  ASSERT_EQ(whole->virtual_channels(), 3u);
  RandomStream random(13, "around");
  const DalWaits loads(random);
  std::set<std::vector<SwitchId>> ways;
  for (std::uint64_t number = 0; number < 50; ++number)
    ways.insert(way(lattice, lattice.routing(), 0, 3, number, loads));
  EXPECT_EQ(ways, (std::set<std::vector<SwitchId>>{{0, 1}, {0, 2, 3}}));
  const RoutedPacket derouted{
      .input = {1, lattice.port_to(1, 0)}, .destination = 3, .last_switch = 3, .note = (1U << 1) | 1U};
  EXPECT_FALSE(lattice.routing().choose(derouted, loads));
  const auto escape = whole->choose(derouted, loads);
  ASSERT_TRUE(escape);
  EXPECT_EQ(escape->virtual_channel, 2u);
  for (std::uint64_t number = 0; number < 50; ++number) {
    RoutedPacket packet{
        .input = lattice.graph.port_of(0), .destination = 3, .last_switch = 3, .number = number};
    for (int cables = 0; cables < 4 && packet.input.at != 3; ++cables) {
      const auto choice = whole->choose(packet, loads);
      ASSERT_TRUE(choice);
      packet.input = lattice.graph.neighbour({packet.input.at, choice->port}).switch_port();
      packet.virtual_channel = choice->virtual_channel;
      packet.note = choice->note;
    }
    EXPECT_EQ(packet.input.at, 3u);
  }
}

// 729 switches in six dimensions: what leads on under each set of deroutes is not worked out, which took
// seconds and a bit for each of 729 * 729 * 64.
TEST(DalRouting, OfManyDimensionsWithAFaultIsMadeAtOnce) {
  Lattice lattice({3, 3, 3, 3, 3, 3});
  lattice.turn_off(0, 1);
  const DalRouting routing = lattice.routing();
  RandomStream random(14, "many");
  const DalWaits loads(random);
  EXPECT_EQ(way(lattice, routing, 0, 2, 1, loads).back(), 2u);
  EXPECT_EQ(routing.virtual_channels(), 12u);
}

TEST(DalRouting, RefusesAnotherNetwork) {
  EXPECT_THROW(
      DalRouting(Lattice({4}).graph, {{5}, Grid::Lines::full}, {}, [](CableChannel) { return true; }), Error);
}

}  // namespace
}  // namespace morgana
