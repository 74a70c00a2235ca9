#include "emulator/routing/topologies/dragonfly_routing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/routing/channel_dependencies.h"
#include "emulator/routing/escape_routing.h"

namespace morgana {
namespace {

using ::testing::AnyOf;

/// p = 1, a = 4, h = 2, g = 9: one host a switch, of the same number.
const Dragonfly small{9, 4, 2, GlobalArrangement::absolute};

const std::vector<Detours>& all_detours() {
  static const std::vector<Detours> all{Detours::never, Detours::always, Detours::by_output,
                                        Detours::by_channel, Detours::on_the_way};
  return all;
}

bool every_dragonfly_cable(CableChannel) {
  return true;
}

/// Waits by output; 0 where none is set.
class SetLoads final : public OutputLoads {
 public:
  void set(SwitchPort output, SimTime wait) { waits_[output] = wait; }
  SimTime wait(SwitchPort output) const override {
    const auto set = waits_.find(output);
    return set == waits_.end() ? SimTime() : set->second;
  }

 private:
  std::map<SwitchPort, SimTime> waits_;
};

/// Waits by chance, other ones at each question.
class RandomLoads final : public OutputLoads {
 public:
  explicit RandomLoads(RandomStream& random) : random_(random) {}
  SimTime wait(SwitchPort) const override {
    return SimTime::from_ps(static_cast<std::int64_t>(random_.below(1'000)));
  }

 private:
  RandomStream& random_;
};

/// "l0 g0 l1": local and global cables with their virtual channels. Each choice must be among
/// for_every_choice's. "no way" if it ends somewhere.
std::string kinds_of_way(const SwitchGraph& graph, const Dragonfly& shape, const Routing& routing,
                         HostNumber from, HostNumber to, std::uint64_t number, const OutputLoads& loads) {
  std::string way;
  RoutedPacket packet{.input = graph.port_of(from),
                      .source = from,
                      .destination = to,
                      .last_switch = graph.port_of(to).at,
                      .flow = std::uint64_t{from} << 32 | to,
                      .number = number};
  while (packet.input.at != packet.last_switch) {
    const auto choice = routing.choose(packet, loads);
    if (!choice) return "no way";
    bool listed = false;
    routing.for_every_choice(packet, [&](const RoutingChoice& one) { listed = listed || one == *choice; });
    EXPECT_TRUE(listed) << "port " << choice->port << " of switch " << packet.input.at;
    EXPECT_LT(choice->virtual_channel, routing.virtual_channels());
    const Neighbour& next = graph.neighbour({packet.input.at, choice->port});
    const bool local = shape.group_of(next.id) == shape.group_of(packet.input.at);
    way +=
        (way.empty() ? "" : " ") + std::string(local ? "l" : "g") + std::to_string(choice->virtual_channel);
    packet.input = next.switch_port();
    packet.virtual_channel = choice->virtual_channel;
    packet.note = choice->note;
    if (way.size() > 150) {
      ADD_FAILURE() << "round and round: " << way;
      return "no way";
    }
  }
  return way;
}

std::string idle_way(const SwitchGraph& graph, Detours detours, HostNumber from, HostNumber to,
                     std::uint64_t number = 0) {
  const DragonflyRouting routing(graph, small, {detours}, every_dragonfly_cable);
  return kinds_of_way(graph, small, routing, from, to, number, IdleOutputs());
}

// With absolute arrangement group 0's global port q leads to group q + 1: switch 0 to groups 1 and 2, switch
// 1 to 3 and 4; the other end is group 1's port 0 (switch 4), group 3's port 0 (switch 12).
TEST(DragonflyRouting, GoesLocalGlobalLocal) {
  const SwitchGraph graph = topology::dragonfly(small, 1);
  EXPECT_EQ(idle_way(graph, Detours::never, 0, 4), "g0");
  EXPECT_EQ(idle_way(graph, Detours::never, 0, 5), "g0 l1");
  EXPECT_EQ(idle_way(graph, Detours::never, 1, 4), "l0 g0");
  EXPECT_EQ(idle_way(graph, Detours::never, 1, 7), "l0 g0 l1");
  EXPECT_EQ(idle_way(graph, Detours::never, 1, 12), "g0");
  EXPECT_EQ(idle_way(graph, Detours::never, 1, 2), "l1");
}

// Kim et al., figure 7: the minimal way begins where a detour's second part does.
TEST(DragonflyRouting, TakesTheMinimalWayWhereNothingWaits) {
  const SwitchGraph graph = topology::dragonfly(small, 1);
  for (const Detours detours : {Detours::by_output, Detours::by_channel}) {
    EXPECT_EQ(idle_way(graph, detours, 1, 7), "l1 g1 l2");
    EXPECT_EQ(idle_way(graph, detours, 1, 2), "l2");
  }
  EXPECT_EQ(idle_way(graph, Detours::on_the_way, 1, 7), "l0 g1 l3");
}

TEST(DragonflyRouting, GoesThroughAnIntermediateGroup) {
  const SwitchGraph graph = topology::dragonfly(small, 1);
  std::map<std::string, int> ways;
  for (std::uint64_t number = 0; number < 500; ++number)
    ++ways[idle_way(graph, Detours::always, 1, 7, number)];
  for (const auto& [way, count] : ways) {
    EXPECT_THAT(way, AnyOf("g0 g1", "g0 g1 l2", "g0 l1 g1", "g0 l1 g1 l2", "l0 g0 g1", "l0 g0 g1 l2",
                           "l0 g0 l1 g1", "l0 g0 l1 g1 l2"));
  }
  EXPECT_EQ(idle_way(graph, Detours::always, 1, 2), "l2") << "inside a group there are no detours";
}

TEST(DragonflyRouting, DrawsEveryIntermediateGroupEquallyOften) {
  const SwitchGraph graph = topology::dragonfly(small, 1);
  const DragonflyRouting routing(graph, small, {Detours::always}, every_dragonfly_cable);
  std::map<PortNumber, int> taken;  // switch 0's: three local ports, two global ones
  constexpr int packets = 7'000;
  for (int number = 0; number < packets; ++number)
    ++taken[routing
                .choose({.input = {0, 0},
                         .destination = 4,
                         .last_switch = 4,
                         .number = static_cast<std::uint64_t>(number)},
                        IdleOutputs())
                ->port];
  // Seven groups: its own port leads to one (the other leads to the destination's), two behind each
  // neighbour.
  EXPECT_EQ(taken.size(), 4u);
  for (const auto& [port, count] : taken) EXPECT_NEAR(count, port < 4 ? 2'000 : 1'000, 150);
}

// From switch 0 to group 1: the minimal output is its own global port 0. A detour has 2 to 5 cables.
TEST(DragonflyRouting, WeighsWaitsByTheirCables) {
  const SwitchGraph graph = topology::dragonfly(small, 1);
  const SwitchPort minimal_output{0, 4};
  const auto share_of_detours = [&](const DetourRules& rules, SimTime wait, SimTime other_wait) {
    const DragonflyRouting routing(graph, small, rules, every_dragonfly_cable);
    SetLoads loads;
    for (PortNumber port = 1; port < 6; ++port) loads.set({0, port}, other_wait);
    loads.set(minimal_output, wait);
    int detours = 0;
    for (std::uint64_t number = 0; number < 100; ++number)
      if (kinds_of_way(graph, small, routing, 0, 4, number, loads) != "g1") ++detours;
    return detours;
  };
  const SimTime unit = SimTime::from_ps(1'000);
  const DetourRules twice{Detours::by_output, DetourRules::Weight::twice};
  EXPECT_EQ(share_of_detours(twice, 2 * unit, unit), 0);
  EXPECT_EQ(share_of_detours(twice, 2 * unit + SimTime::from_ps(1), unit), 100);
  EXPECT_EQ(share_of_detours({Detours::by_output, DetourRules::Weight::twice, 5 * unit}, 7 * unit, unit), 0);
  EXPECT_EQ(share_of_detours({Detours::by_output, DetourRules::Weight::twice, 5 * unit}, 8 * unit, unit),
            100);
  EXPECT_EQ(share_of_detours({Detours::by_output}, 2 * unit, unit), 0) << "one cable against at least two";
  const int some = share_of_detours({Detours::by_output}, SimTime::from_ps(3'500), unit);
  EXPECT_GT(some, 0);
  EXPECT_LT(some, 100);
  EXPECT_EQ(share_of_detours({Detours::by_output}, 5 * unit + unit, unit), 100);
  EXPECT_EQ(share_of_detours({Detours::by_output}, SimTime::from_ps(1), SimTime()), 100);
}

// From switch 1 to group 1 the global cable begins at switch 0, whose port 4 only UGAL-G looks at, and PAR
// when the packet is there.
TEST(DragonflyRouting, LooksWhereEachRoutingMay) {
  const SwitchGraph graph = topology::dragonfly(small, 1);
  SetLoads loads;
  loads.set({0, 4}, SimTime::from_ps(1'000'000));
  const auto way = [&](Detours detours) {
    const DragonflyRouting routing(graph, small, {detours}, every_dragonfly_cable);
    return kinds_of_way(graph, small, routing, 1, 7, 0, loads);
  };
  EXPECT_EQ(way(Detours::by_output), "l1 g1 l2");
  EXPECT_THAT(way(Detours::by_channel), AnyOf(::testing::StartsWith("l0 g0"), ::testing::StartsWith("g0")));
  EXPECT_THAT(way(Detours::on_the_way),
              AnyOf(::testing::StartsWith("l0 g0"), ::testing::StartsWith("l0 l1 g0")));
}

/// A dragonfly with faults.
struct RandomDragonfly {
  Dragonfly shape;
  SwitchGraph graph;
  std::vector<bool> usable;  // by channel

  explicit RandomDragonfly(RandomStream& random, bool with_faults) {
    shape.switches_per_group = 1 + static_cast<unsigned>(random.below(5));
    shape.global_per_switch = 1 + static_cast<unsigned>(random.below(3));
    const unsigned most = shape.switches_per_group * shape.global_per_switch + 1;
    shape.groups = 1 + static_cast<unsigned>(random.below(most));
    shape.arrangement = static_cast<GlobalArrangement>(random.below(3));
    graph = topology::dragonfly(shape, 1);
    usable.assign(graph.channels(), true);
    for (const auto& [a, b] : graph.cables())
      if (with_faults && random.chance(0.1))
        usable[graph.channel_from(a)] = usable[graph.channel_from(b)] = false;
  }
  DragonflyRouting routing(Detours detours) const { return {graph, shape, {detours}, filter()}; }
  ChannelFilter filter() const {
    return [this](CableChannel channel) { return usable[channel]; };
  }
};

TEST(DragonflyRouting, NeverDeadlocksAndArrivesOnRandomDragonflies) {
  RandomStream random(3, "dragonflies");
  const RandomLoads loads(random);
  for (int n = 0; n < 200; ++n) {
    const bool with_faults = n % 2 == 1;
    const RandomDragonfly one(random, with_faults);
    for (const Detours detours : all_detours()) {
      const auto plain = std::make_shared<DragonflyRouting>(one.routing(detours));
      const EscapeRouting round_faults(
          plain, UpDownWays(one.graph, std::make_shared<UpDownOrder>(one.graph), one.filter()));
      const Routing& routing = with_faults ? static_cast<const Routing&>(round_faults) : *plain;
      EXPECT_TRUE(find_deadlock(one.graph, routing).empty());
      for (int packet = 0; packet < 30 && one.graph.hosts() > 1; ++packet) {
        const auto from = static_cast<HostNumber>(random.below(one.graph.hosts())),
                   to = static_cast<HostNumber>(random.below(one.graph.hosts()));
        const std::string way = kinds_of_way(one.graph, one.shape, routing, from, to, random.next(), loads);
        const SwitchId end = one.graph.port_of(to).at;
        const bool joined = trunks_to_nearest(usable_arcs(one.graph, one.filter()),
                                              {end})[one.graph.port_of(from).at] != unreachable_trunks;
        EXPECT_EQ(way != "no way", joined) << "from " << from << " to " << to << " in network " << n;
        if (with_faults) continue;
        const auto cables = static_cast<std::size_t>(std::ranges::count(way, ' ')) + 1;
        EXPECT_LE(cables, detours == Detours::never ? 3u : detours == Detours::on_the_way ? 6u : 5u) << way;
      }
    }
  }
}

/// Another routing with its highest virtual channel folded onto the one below.
class OneChannelFewer final : public Routing {
 public:
  explicit OneChannelFewer(const Routing& routing) : routing_(routing) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override {
    auto choice = routing_.choose(packet, loads);
    if (choice) *choice = folded(*choice);
    return choice;
  }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    routing_.for_every_choice(packet, [&](const RoutingChoice& one) { visit(folded(one)); });
  }
  unsigned virtual_channels() const override { return routing_.virtual_channels() - 1; }

 private:
  RoutingChoice folded(RoutingChoice choice) const {
    choice.virtual_channel =
        std::min(choice.virtual_channel, static_cast<VirtualChannel>(virtual_channels() - 1));
    return choice;
  }
  const Routing& routing_;
};

/// Hides parts() and that inputs may not matter, so that every packet is followed as it goes.
class WholeWays final : public Routing {
 public:
  explicit WholeWays(const Routing& routing) : routing_(routing) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override {
    return routing_.choose(packet, loads);
  }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    routing_.for_every_choice(packet, visit);
  }
  unsigned virtual_channels() const override { return routing_.virtual_channels(); }

 private:
  const Routing& routing_;
};

TEST(DragonflyRouting, NeverDeadlocksByItsPartsOrInOnePiece) {
  RandomStream random(4, "parts of ways");
  for (int n = 0; n < 60; ++n) {
    const RandomDragonfly one(random, n % 2 == 1);
    for (const Detours detours : all_detours()) {
      const DragonflyRouting routing = one.routing(detours);
      EXPECT_EQ(routing.parts() != nullptr, detours != Detours::never);
      EXPECT_TRUE(find_deadlock(one.graph, routing).empty());
      EXPECT_TRUE(find_deadlock(one.graph, WholeWays(routing)).empty());
    }
  }
}

// What the proof by parts rests on: the virtual channels of a way never descend, and a packet's next part
// begins on one above all of the part before. Every choice of every packet is followed.
TEST(DragonflyRouting, PartsOfDetoursAreOnHigherAndHigherVirtualChannels) {
  const SwitchGraph graph = topology::dragonfly(small, 1);
  for (const Detours detours :
       {Detours::always, Detours::by_output, Detours::by_channel, Detours::on_the_way}) {
    const DragonflyRouting routing(graph, small, {detours}, every_dragonfly_cable);
    // Minimal ways l1 g1 l2 and parts of them; before them l0 g0, or l0 inside a group. Of PAR, one local
    // cable in front of all that.
    const char* const ascending =
        detours == Detours::on_the_way ? "(l0)?(l1)?(g0)?(l2)?(g1)?(l3)?" : "(l0)?(g0)?(l1)?(g1)?(l2)?";
    const auto is_global = [&](SwitchPort port) {
      return small.group_of(graph.neighbour(port).id) != small.group_of(port.at);
    };
    for (HostNumber to = 0; to < graph.hosts(); ++to) {
      const SwitchId last = graph.port_of(to).at;
      const std::function<void(RoutedPacket, std::string)> follow = [&](const RoutedPacket& packet,
                                                                        const std::string& way) {
        if (packet.input.at == last) {
          EXPECT_THAT(way, testing::MatchesRegex(ascending));
          return;
        }
        routing.for_every_choice(packet, [&](const RoutingChoice& choice) {
          const SwitchPort from{packet.input.at, choice.port};
          RoutedPacket next = packet;
          next.input = graph.neighbour(from).switch_port();
          next.virtual_channel = choice.virtual_channel;
          next.note = choice.note;
          follow(next, way + (is_global(from) ? "g" : "l") + std::to_string(choice.virtual_channel));
        });
      };
      for (SwitchId at = 0; at < graph.switches(); ++at)
        if (at != last) follow({.input = {at, 0}, .destination = to, .last_switch = last}, "");
    }
  }
}

TEST(DragonflyRouting, CouldDeadlockWithOneVirtualChannelFewer) {
  const SwitchGraph graph = topology::dragonfly(small, 1);
  for (const Detours detours : all_detours()) {
    const DragonflyRouting routing(graph, small, {detours}, every_dragonfly_cable);
    EXPECT_FALSE(find_deadlock(graph, OneChannelFewer(routing)).empty());
  }
}

TEST(DragonflyRouting, LeavesOutGlobalCablesThatAreOff) {
  const SwitchGraph graph = topology::dragonfly(small, 1);
  const CableChannel off = graph.channel_from(SwitchPort{0, 4});  // from group 0 to group 1
  const auto usable = [&](CableChannel channel) { return channel != off; };
  EXPECT_EQ(kinds_of_way(graph, small, DragonflyRouting(graph, small, {Detours::never}, usable), 0, 4, 0,
                         IdleOutputs()),
            "no way");
  EXPECT_NE(kinds_of_way(graph, small, DragonflyRouting(graph, small, {Detours::by_output}, usable), 0, 4, 0,
                         IdleOutputs()),
            "no way");
}

// Group 0's switches 0 and 1, whose cable is off, and hosts that send from one to the other, from group 1 to
// either, and between two other switches of the group.
TEST(DragonflyRouting, GoesRoundALocalCableThatIsOff) {
  const SwitchGraph graph = topology::dragonfly(small, 1);
  const SwitchPort to_next{0, 1};
  const CableChannel off = graph.channel_from(to_next);
  ASSERT_EQ(graph.neighbour(to_next).id, 1U);
  const auto usable = [&](CableChannel channel) { return channel != off; };
  const auto way = [&](Detours detours, HostNumber from, HostNumber to, std::uint64_t number) {
    const auto plain = std::make_shared<DragonflyRouting>(graph, small, DetourRules{detours}, usable);
    const EscapeRouting round_fault(plain, UpDownWays(graph, std::make_shared<UpDownOrder>(graph), usable));
    return kinds_of_way(graph, small, round_fault, from, to, number, IdleOutputs());
  };
  for (std::uint64_t number = 0; number < 50; ++number) {
    // Whatever is drawn: through another switch of the group, on the virtual channels of such detours.
    EXPECT_EQ(way(Detours::by_output, 0, 1, number), "l0 l2");
    EXPECT_EQ(way(Detours::by_channel, 0, 1, number), "l0 l2");
    EXPECT_EQ(way(Detours::always, 0, 1, number), "l0 l2");
    EXPECT_EQ(way(Detours::on_the_way, 0, 1, number), "l1 l3");
    EXPECT_EQ(way(Detours::by_output, 0, 2, number), "l2");
    // Group 1's only cable to group 0 begins at its switch 0 and ends at switch 0: adaptive packets for host
    // 1 come through a third group, by another switch.
    EXPECT_THAT(way(Detours::by_output, 4, 1, number), testing::Not(testing::HasSubstr("3")));
  }
  // Minimal ones change to the escape channel at switch 0.
  EXPECT_THAT(way(Detours::never, 4, 1, 0), testing::MatchesRegex("g0( [lg]2)+"));
  EXPECT_THAT(way(Detours::never, 0, 1, 0), testing::MatchesRegex("[lg]2( [lg]2)+"));
}

TEST(DragonflyRouting, RefusesAnotherNetwork) {
  const SwitchGraph graph = topology::dragonfly({8, 4, 2}, 1);
  EXPECT_THROW(DragonflyRouting(graph, small, {Detours::never}, every_dragonfly_cable), Error);
}

}  // namespace
}  // namespace morgana
