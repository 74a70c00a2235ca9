#include "emulator/routing/channel_dependencies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/routing/forwarding_table.h"
#include "emulator/routing/multipath.h"
#include "emulator/topology/kinds/fat_tree.h"
#include "emulator/topology/kinds/torus.h"
#include "tests/routing/networks.h"
#include "tests/support/effort.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto any_cable = [](CableChannel) { return true; };

/// Switches in a ring, a host on port 0 of each; port 1 to the next, port 2 from the one before.
SwitchGraph ring(unsigned switches) {
  return topology::torus({.sides = {switches}, .hosts_per_switch = 1, .ports_per_switch = 3});
}

/// Always on by port 1. On several virtual channels a packet changes to the next one when it crosses the
/// dateline, from the last switch to switch 0 (Dally and Seitz 1987).
class OneWayRound final : public Routing {
 public:
  OneWayRound(unsigned switches, unsigned virtual_channels)
      : switches_(switches), virtual_channels_(virtual_channels) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads&) const override {
    const bool crosses = packet.input.at + 1 == switches_ && virtual_channels_ > 1;
    // What comes from the host starts on the first one.
    const unsigned now = packet.input.port == 0 ? 0 : packet.virtual_channel;
    return RoutingChoice{1, static_cast<VirtualChannel>(crosses ? now + 1 : now)};
  }
  unsigned virtual_channels() const override { return virtual_channels_; }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    visit(*choose(packet, IdleOutputs()));
  }

 private:
  unsigned switches_, virtual_channels_;
};

TEST(RoutingDeadlock, OneVirtualChannelRoundARingHasACycle) {
  const SwitchGraph graph = ring(3);
  const OneWayRound routing(3, 1);
  const auto cycle = find_deadlock(graph, routing);
  ASSERT_EQ(cycle.size(), 3u);
  for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(cycle[n].wants, cycle[(n + 1) % 3].holds);
  EXPECT_EQ(describe(graph, routing, cycle),
            "switch 0 port 1 -> switch 1 port 2 is held while switch 1 port 1 -> switch 2 port 2 is wanted, "
            "by packets for host 2\n"
            "switch 1 port 1 -> switch 2 port 2 is held while switch 2 port 1 -> switch 0 port 2 is wanted, "
            "by packets for host 0\n"
            "switch 2 port 1 -> switch 0 port 2 is held while switch 0 port 1 -> switch 1 port 2 is wanted, "
            "by packets for host 1\n");
}

TEST(RoutingDeadlock, ADatelineWithTwoVirtualChannelsBreaksIt) {
  for (const unsigned switches : {3U, 4U, 7U})
    EXPECT_THAT(find_deadlock(ring(switches), OneWayRound(switches, 2)), IsEmpty()) << switches;
}

TEST(RoutingDeadlock, RefusesWithTheCycle) {
  const SwitchGraph graph = ring(4);
  require_deadlock_free(graph, OneWayRound(4, 2), "topology ring with one way round");
  try {
    require_deadlock_free(graph, OneWayRound(4, 1), "topology ring with one way round");
    FAIL() << "no error";
  } catch (const Error& error) {
    expect_message(error.what(),
                   {"ring", "switch 3 port 1 -> switch 0 port 2", "switch 0 port 1 -> switch 1 port 2"});
  }
}

TEST(RoutingDeadlock, NamesVirtualChannelsWhereThereAreSeveral) {
  const SwitchGraph graph = ring(3);
  const OneWayRound routing(3, 2);
  EXPECT_EQ(
      describe(graph, routing,
               {{{graph.channel_from(SwitchPort{0, 1}), 0}, {graph.channel_from(SwitchPort{1, 1}), 1}, 2}}),
      "switch 0 port 1 -> switch 1 port 2 (VC 0) is held while switch 1 port 1 -> switch 2 port 2 (VC 1) "
      "is wanted, by packets for host 2\n");
}

TEST(RoutingDeadlock, EveryShortestPathOfAFatTreeIsSafeWhateverIsChosen) {
  const SwitchGraph graph = topology::fat_tree({.arity = 3, .levels = 3});
  EXPECT_THAT(find_deadlock(graph, EcmpRouting(graph, any_cable, 1)), IsEmpty());
  EXPECT_THAT(find_deadlock(graph, ModKRouting(graph, any_cable, ModKRouting::End::destination)), IsEmpty());
  EXPECT_THAT(find_deadlock(graph, LeastLoadedRouting(graph, any_cable)), IsEmpty());
}

TEST(RoutingDeadlock, ShortestPathsOfATorusAreNotASpanningTreesAre) {
  const SwitchGraph graph = topology::torus({.sides = {5, 4}, .hosts_per_switch = 2, .ports_per_switch = 8});
  EXPECT_FALSE(find_deadlock(graph, EcmpRouting(graph, any_cable, 1)).empty());
  EXPECT_FALSE(find_deadlock(graph, shortest_path_table(graph, any_cable)).empty());
  const auto cost = [](CableChannel) { return std::uint64_t{1}; };
  EXPECT_THAT(find_deadlock(graph, spanning_tree_table(graph, 0, cost, any_cable)), IsEmpty());
}

/// Whether any (channel, virtual channel) depends on itself over others, by transitive closure over the paths
/// of all pairs: for routings whose choices do not depend on flows.
bool has_cycle(const SwitchGraph& graph, const Routing& routing) {
  const unsigned lanes = routing.virtual_channels();
  const std::size_t nodes = graph.channels() * lanes;
  std::vector<std::vector<bool>> reaches(nodes, std::vector<bool>(nodes));
  for (HostNumber from = 0; from < graph.hosts(); ++from) {
    for (HostNumber to = 0; to < graph.hosts(); ++to) {
      if (from == to) continue;
      const auto path = path_of(graph, routing, from, to);
      for (std::size_t n = 1; n < path.size(); ++n)
        reaches[path[n - 1].channel * lanes + path[n - 1].virtual_channel]
               [path[n].channel * lanes + path[n].virtual_channel] = true;
    }
  }
  for (std::size_t over = 0; over < nodes; ++over)
    for (std::size_t from = 0; from < nodes; ++from)
      for (std::size_t to = 0; reaches[from][over] && to < nodes; ++to)
        if (reaches[over][to]) reaches[from][to] = true;
  for (std::size_t node = 0; node < nodes; ++node)
    if (reaches[node][node]) return true;
  return false;
}

/// Another routing's ports, on virtual channels that count the hops, up to a number of them.
class LaneByHop final : public Routing {
 public:
  LaneByHop(const Routing& ports, unsigned lanes) : ports_(ports), lanes_(lanes) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override {
    auto choice = ports_.choose(packet, loads);
    if (choice) choice->virtual_channel = lane_after(packet);
    return choice;
  }
  unsigned virtual_channels() const override { return lanes_; }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    ports_.for_every_choice(packet, [&](const RoutingChoice& one) { visit({one.port, lane_after(packet)}); });
  }

 private:
  VirtualChannel lane_after(const RoutedPacket& packet) const {
    return static_cast<VirtualChannel>(std::min<unsigned>(packet.virtual_channel + 1U, lanes_ - 1));
  }
  const Routing& ports_;
  unsigned lanes_;
};

TEST(RoutingDeadlock, FindsACycleExactlyWhereThereIsOne) {
  const std::uint64_t cases = random_cases(200);
  std::uint64_t unsafe = 0;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks for deadlocks of routings");
    const SwitchGraph graph =
        random.chance(0.5) ? random_network(random, 6) : ring(4 + static_cast<unsigned>(random.below(4)));
    const ForwardingTable table = shortest_path_table(graph, any_cable);
    const LaneByHop routing(table, 1 + static_cast<unsigned>(random.below(3)));
    const auto cycle = find_deadlock(graph, routing);
    ASSERT_EQ(!cycle.empty(), has_cycle(graph, routing));
    for (std::size_t n = 0; n < cycle.size(); ++n)
      EXPECT_EQ(cycle[n].wants, cycle[(n + 1) % cycle.size()].holds);
    unsafe += cycle.empty() ? 0 : 1;
  }
  EXPECT_GT(20 * unsafe, cases);
  EXPECT_LT(unsafe, cases);
}

/// Another routing's choices, asked for at every input.
class AskedAtEveryInput final : public Routing {
 public:
  explicit AskedAtEveryInput(const Routing& routing) : routing_(routing) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override {
    return routing_.choose(packet, loads);
  }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    routing_.for_every_choice(packet, visit);
  }

 private:
  const Routing& routing_;
};

TEST(RoutingDeadlock, AskingEachSwitchOnceFindsWhatAskingAtEveryInputFinds) {
  const std::uint64_t cases = random_cases(200);
  std::uint64_t unsafe = 0;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks asked once");
    const SwitchGraph graph =
        random.chance(0.5) ? random_network(random, 6) : ring(3 + static_cast<unsigned>(random.below(4)));
    const EcmpRouting equal(graph, any_cable, 1);
    const ForwardingTable table = shortest_path_table(graph, any_cable);
    for (const Routing* const routing :
         {static_cast<const Routing*>(&equal), static_cast<const Routing*>(&table)}) {
      ASSERT_FALSE(routing->looks_at_inputs());
      const AskedAtEveryInput asked(*routing);
      ASSERT_TRUE(asked.looks_at_inputs());
      EXPECT_EQ(find_deadlock(graph, *routing), find_deadlock(graph, asked));
    }
    ASSERT_EQ(!find_deadlock(graph, table).empty(), has_cycle(graph, table));
    unsafe += find_deadlock(graph, table).empty() ? 0 : 1;
  }
  EXPECT_GT(20 * unsafe, cases);
  EXPECT_LT(unsafe, cases);
}

TEST(PathOf, NamesACircle) {
  EXPECT_THAT([] { path_of(ring(3), OneWayRound(3, 1), 0, 2); }, ::testing::Not(::testing::Throws<Error>()));
  class Turning final : public Routing {
   public:
    std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads&) const override {
      return RoutingChoice{static_cast<PortNumber>(packet.input.at == 0 ? 1 : 2)};
    }
    void for_every_choice(const RoutedPacket&, const VisitChoice&) const override {}
  };
  EXPECT_THAT([] { path_of(ring(4), Turning(), 0, 2); },
              ::testing::ThrowsMessage<Error>(HasSubstr("from host 0 to host 2 go round in a circle")));
}

}  // namespace
}  // namespace morgana
