#include "emulator/network/myrinet/mapping/mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "emulator/core/error.h"
#include "emulator/network/myrinet/mapping/distribution.h"
#include "emulator/network/myrinet/routes/route_deadlock.h"
#include "emulator/network/myrinet/routes/shortest_routes.h"
#include "emulator/network/myrinet/routes/simple_routes.h"
#include "emulator/network/myrinet/routes/walk.h"
#include "emulator/topology/listed/listed.h"
#include "tests/routing/networks.h"
#include "tests/support/effort.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Hosts' names are not their numbers, but in the same order.
HostName name_of(HostNumber host) {
  return 1000 + 7 * host;
}

/// Probes that walk a graph. A route that would need a channel twice blocks itself in a real network, and a
/// share of probes gets lost.
class WalkingProber : public Prober {
 public:
  WalkingProber(const SwitchGraph& graph, HostNumber mapper, double loss = 0, std::uint64_t seed = 1)
      : graph_(graph), mapper_(mapper), loss_(loss), random_(seed, "probes") {}

  HostName own_name() const override { return name_of(mapper_); }
  std::optional<HostName> probe(Header route, Header answer_along) override {
    const auto reached = end_of(mapper_, route);
    if (!reached || reached == mapper_) return reached ? std::optional(name_of(mapper_)) : std::nullopt;
    if (answer_along.empty() || end_of(*reached, answer_along) != mapper_) return std::nullopt;
    return name_of(*reached);
  }

 private:
  std::optional<HostNumber> end_of(HostNumber from, Header route) {
    if (random_.chance(loss_)) return std::nullopt;
    std::set<CableChannel> crossed;
    HostNumber end = from;
    try {
      walk(graph_, from, route, [&](std::size_t, CableChannel channel) {
        if (!crossed.insert(channel).second) throw Error("blocks itself");
        if (graph_.receiver(channel).is_host()) end = graph_.receiver(channel).id;
      });
    } catch (const Error&) {
      return std::nullopt;
    }
    return end;
  }

  const SwitchGraph& graph_;
  HostNumber mapper_;
  double loss_;
  RandomStream random_;
};

/// Checks that the map is the network under other switch numbers, port by port and host by host.
void expect_same_network(const NetworkMap& map, const SwitchGraph& graph, HostNumber mapper) {
  ASSERT_EQ(map.graph.switches(), graph.switches());
  ASSERT_EQ(map.graph.hosts(), graph.hosts());
  ASSERT_EQ(map.graph.cables().size(), graph.cables().size());
  EXPECT_EQ(map.mapper, mapper);
  constexpr SwitchId unknown = ~SwitchId{0};
  std::vector<SwitchId> meant(graph.switches(), unknown);
  std::vector<SwitchId> next{0};
  meant[0] = graph.port_of(mapper).at;
  while (!next.empty()) {
    const SwitchId at = next.back();
    next.pop_back();
    for (unsigned n = 0; n < map.graph.ports(at); ++n) {
      const auto port = static_cast<PortNumber>(n);
      const Neighbour& mapped = map.graph.neighbour({at, port});
      const Neighbour real = n < graph.ports(meant[at]) ? graph.neighbour({meant[at], port}) : Neighbour();
      ASSERT_EQ(mapped.kind, real.kind);
      if (mapped.is_host()) {
        ASSERT_EQ(map.names[mapped.id], name_of(real.id));
      }
      if (!mapped.is_switch()) continue;
      ASSERT_EQ(mapped.port, real.port);
      if (meant[mapped.id] == unknown) {
        meant[mapped.id] = real.id;
        next.push_back(mapped.id);
      }
      ASSERT_EQ(meant[mapped.id], real.id);
    }
  }
  EXPECT_EQ(std::set<SwitchId>(meant.begin(), meant.end()).size(), graph.switches());
}

TEST(MapNetwork, FindsTheKnownNetworksFromAnyHost) {
  for (const NamedNetwork& network : known_networks()) {
    const SwitchGraph& graph = network.graph;
    SCOPED_TRACE(network.name);
    for (const HostNumber mapper : {HostNumber{0}, static_cast<HostNumber>(graph.hosts() / 2)}) {
      WalkingProber prober(graph, mapper);
      expect_same_network(map_network(prober), graph, mapper);
    }
  }
}

TEST(MapNetwork, FindsRandomNetworksWithParallelCablesAndLoops) {
  const std::uint64_t cases = random_cases(300);
  std::uint64_t mapped = 0;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks to map");
    const SwitchGraph graph = random_network(random, 10);
    if (graph.hosts() == 0) continue;
    const auto mapper = static_cast<HostNumber>(random.below(graph.hosts()));
    WalkingProber prober(graph, mapper);
    expect_same_network(map_network(prober), graph, mapper);
    ++mapped;
  }
  EXPECT_GE(mapped, cases * 201 / 300);
}

TEST(MapNetwork, TellsSwitchesWithoutHostsApartThatLeadToTheSamePlaces) {
  // Three spines, each with a cable to both leaves at the same ports.
  const SwitchGraph graph = topology::fat_tree({.arity = 3, .levels = 2});
  WalkingProber prober(graph, 4);
  EXPECT_EQ(map_network(prober).graph.switches(), 6u);
}

TEST(MapNetwork, LeavesOutWhatIsNotReached) {
  const SwitchGraph graph = topology::listed(
      "switch 4\nswitch 4\nswitch 4\nhost 0.1\nhost 1.1\nhost 2.0\ncable 0.0 1.3\n", "two parts");
  WalkingProber prober(graph, 0);
  const NetworkMap map = map_network(prober);
  EXPECT_EQ(map.graph.switches(), 2u);
  EXPECT_THAT(map.names, ElementsAre(name_of(0), name_of(1)));
  EXPECT_EQ(map.leader(), name_of(0));
}

TEST(MapNetwork, LostProbesAreSentAgain) {
  const SwitchGraph graph = topology::now();
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    WalkingProber prober(graph, 17, 0.2, seed);
    expect_same_network(map_network(prober, {.most_ports = 8, .attempts = 20}), graph, 17);
  }
}

/// Nothing comes of the probes from the first to the last of these.
class BlockedProber : public WalkingProber {
 public:
  BlockedProber(const SwitchGraph& graph, HostNumber mapper, unsigned first, unsigned last)
      : WalkingProber(graph, mapper), first_(first), last_(last) {}
  std::optional<HostName> probe(Header route, Header answer_along) override {
    const unsigned number = sent_++;
    if (first_ <= number && number <= last_) return std::nullopt;
    return WalkingProber::probe(route, answer_along);
  }

 private:
  unsigned first_, last_, sent_ = 0;
};

TEST(MapNetwork, OfANetworkThatWasBlockedForAWhileIsRightOrAnError) {
  const SwitchGraph graph = topology::torus({.sides = {2, 3}, .hosts_per_switch = 3});
  WalkingProber undisturbed(graph, 2);
  const auto probes = static_cast<unsigned>(map_network(undisturbed, {.most_ports = 8}).probes);
  unsigned right = 0;
  for (unsigned first = 0; first < probes; ++first) {
    SCOPED_TRACE(testing::Message() << "blocked from probe " << first << " on");
    BlockedProber prober(graph, 2, first, first + 100);
    std::optional<NetworkMap> map;
    try {
      map = map_network(prober, {.most_ports = 8});
    } catch (const Error&) {
      continue;
    }
    expect_same_network(*map, graph, 2);
    ++right;
  }
  EXPECT_GT(right, probes / 4);
  EXPECT_LT(right, probes);
}

TEST(MapNetwork, ANetworkThatStaysBlockedIsAnError) {
  const SwitchGraph graph = topology::torus({.sides = {2, 3}, .hosts_per_switch = 3});
  BlockedProber prober(graph, 2, 4, ~0u);  // after its own port and a host have been found
  try {
    map_network(prober, {.most_ports = 8, .control_attempts = 90});
    FAIL() << "no error";
  } catch (const Error& error) {
    expect_message(error.what(), "90 probes");
  }
}

TEST(MapNetwork, NamesAHostWithoutASwitchAndPortsThatItCantTry) {
  const SwitchGraph graph = topology::listed("switch 20\nhost 0.18\n", "far port");
  WalkingProber prober(graph, 0);
  const auto error = [&](unsigned ports) -> std::string {
    try {
      map_network(prober, {.most_ports = ports});
    } catch (const Error& problem) {
      return problem.what();
    }
    return "no error";
  };
  EXPECT_THAT(error(16), HasSubstr("host 1000 finds no switch"));
  EXPECT_THAT(error(65), HasSubstr("1 to 64"));
  EXPECT_EQ(error(20), "no error");
}

TEST(MapNetwork, ASwitchWithMorePortsThanAreTriedIsAnError) {
  const SwitchGraph graph = topology::listed("switch 8\nswitch 30\nhost 0.1\ncable 0.0 1.29\n", "far entry");
  WalkingProber prober(graph, 0);
  EXPECT_THROW(map_network(prober, {.most_ports = 8}), Error);
}

TEST(WayBack, NegatesTheTurnsLastFirst) {
  EXPECT_THAT(way_back(std::vector{turn_byte(3), turn_byte(-63), turn_byte(0)}),
              ElementsAre(turn_byte(0), turn_byte(63), turn_byte(-3)));
}

/// Maps, computes routes on the map alone, hands them out, and follows them through the real network.
void expect_routes_from_the_map_to_work(const SwitchGraph& graph, HostNumber mapper, bool in_transit) {
  WalkingProber prober(graph, mapper);
  const NetworkMap map = map_network(prober);
  const UpDown orientation(map.graph);
  const RouteTable computed =
      in_transit ? in_transit_routes(map.graph, orientation) : simple_routes(map.graph, orientation);
  std::vector<HostTable> tables(graph.hosts());
  for (const TablePacket& packet : distribute(map, computed, 256)) {
    const auto to = static_cast<HostNumber>((packet.to - name_of(0)) / 7);
    ASSERT_LE(packet.payload.size(), 256u);
    if (to == mapper) {
      ASSERT_TRUE(packet.route.empty());
    } else {
      ASSERT_EQ(follow(graph, mapper, packet.route).back().to, to);
    }
    tables[to].install(packet.payload);
  }
  RouteTable installed = RouteTable::row_per_host(graph);
  for (HostNumber from = 0; from < graph.hosts(); ++from) {
    ASSERT_EQ(tables[from].size(), graph.hosts() - 1);
    for (HostNumber to = 0; to < graph.hosts(); ++to) {
      if (from == to) continue;
      ASSERT_EQ(follow(graph, from, tables[from].to(name_of(to))).back().to, to);
      installed.set(from, to, tables[from].to(name_of(to)));
    }
  }
  EXPECT_TRUE(find_deadlock(graph, installed).empty());
}

TEST(Distribute, RoutesComputedOnTheMapLeadWhereTheyShouldInTheNetwork) {
  expect_routes_from_the_map_to_work(topology::now(), 33, false);
  expect_routes_from_the_map_to_work(topology::irregular({.switches = 16}, 5), 9, true);
  expect_routes_from_the_map_to_work(topology::torus({.sides = {3, 3}, .hosts_per_switch = 2}), 4, true);
}

TEST(HostTable, RefusesHalfARouteAndTakesNothingOfIt) {
  HostTable table;
  const std::vector<std::uint8_t> payload{9, 0, 0, 0, 2, 5, 6, 1, 2, 0, 0, 1, 7};
  EXPECT_THROW(table.install(std::span(payload).first(12)), Error);
  EXPECT_THROW(table.install(std::span(payload).first(6)), Error);
  EXPECT_EQ(table.size(), 0u);
  table.install(payload);
  EXPECT_THAT(table.to(9), ElementsAre(5, 6));
  EXPECT_THAT(table.to(513), ElementsAre(7));
  EXPECT_TRUE(table.to(10).empty());
}

TEST(Distribute, ARouteThatFitsNoPacketIsAnError) {
  const SwitchGraph graph = topology::now();
  WalkingProber prober(graph, 0);
  const NetworkMap map = map_network(prober);
  EXPECT_THROW(distribute(map, simple_routes(map.graph, UpDown(map.graph)), 6), Error);
}

}  // namespace
}  // namespace morgana
