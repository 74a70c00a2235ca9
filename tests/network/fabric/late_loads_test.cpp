// Loads of other switches' outputs that are known late: docs/fabric.md, "Switches".
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "emulator/network/fabric/fabric_network.h"
#include "emulator/routing/topologies/dragonfly_routing.h"
#include "tests/network/fabric/booksim_load.h"
#include "tests/network/fabric/by_hand.h"

namespace morgana::testing {
namespace {

constexpr SimTime operator""_nanoseconds(unsigned long long n) {
  return SimTime::from_ps(static_cast<std::int64_t>(1'000 * n));
}

TEST(LateLoads, AreOfADelayAgoOrOfTheLastPeriodBegunByThen) {
  const fabric::LoadNews late{.delay = 100_nanoseconds, .period = {}};
  EXPECT_EQ(late.seen(99_nanoseconds), std::nullopt);
  EXPECT_EQ(late.seen(100_nanoseconds), SimTime());
  EXPECT_EQ(late.seen(250_nanoseconds), 150_nanoseconds);
  const fabric::LoadNews broadcast{.delay = 100_nanoseconds, .period = 300_nanoseconds};
  EXPECT_EQ(broadcast.seen(399_nanoseconds), SimTime());
  EXPECT_EQ(broadcast.seen(400_nanoseconds), 300_nanoseconds);
  EXPECT_EQ(broadcast.seen(699_nanoseconds), 300_nanoseconds);
  EXPECT_FALSE(fabric::LoadNews{}.is_late());
  EXPECT_EQ(fabric::LoadNews{}.seen(7_nanoseconds), 7_nanoseconds);
}

/// Over the only way; at switch 0 it notes what it sees of an output of switch 1.
class WatchingRouting final : public Routing {
 public:
  WatchingRouting(SwitchPort watched, std::vector<SimTime>& seen) : watched_(watched), seen_(seen) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override {
    if (packet.input.at == 0) seen_.push_back(loads.wait(watched_));
    return RoutingChoice{0};
  }
  void for_every_choice(const RoutedPacket&, const VisitChoice& visit) const override { visit({0}); }
  bool chooses_by_load() const override { return true; }
  bool looks_at_other_switches() const override { return true; }

 private:
  SwitchPort watched_;
  std::vector<SimTime>& seen_;
};

/// What switch 0 sees at these times of its neighbour's output to host 3. There are a byte a nanosecond, 10
/// ns of cable and no latency: hosts 1 and 2 send 1,000 bytes each to host 3 at 0, which come to switch 1 at
/// 10 ns. One starts at once and has left at 1,010 ns, and the other one waits: from 10 on, and until 2,010,
/// the wait at T is 2,010 - T. Host 0 sends a byte to host 4 from 10 ns before each of the times on.
std::vector<SimTime> seen_at(const std::vector<std::int64_t>& times, const fabric::LoadNews& news,
                             const NetworkFaults& faults = {}) {
  SwitchGraph graph;
  graph.add_switch(2);
  graph.add_switch(5);
  graph.connect(SwitchId{0}, SwitchId{1});
  graph.add_host(SwitchId{0});
  for (int host = 1; host < 5; ++host) graph.add_host(SwitchId{1});
  const SwitchPort watched = graph.port_of(3);
  fabric::FabricParameters parameters;
  parameters.flow_control = fabric::FlowControl::none;
  parameters.queueing = fabric::Queueing::output_queues;
  parameters.latency = {};
  parameters.loads = news;
  std::vector<FabricInjection> plan{by_hand::unit(0, 1, 3), by_hand::unit(0, 2, 3)};
  for (const std::int64_t at : times) plan.push_back(by_hand::unit(at - 10, 0, 4, 0, 1));
  std::vector<SimTime> seen;
  CarriedByFabric(CabledGraph::uniform(std::move(graph), {by_hand::byte_in_ns, 10_nanoseconds}), parameters,
                  std::make_shared<WatchingRouting>(watched, seen), plan, faults)
      .run();
  return seen;
}

TEST(LateLoads, ByHand) {
  using Seen = std::vector<SimTime>;
  EXPECT_EQ(seen_at({10, 11, 500, 2'000, 2'300}, {}),
            (Seen{{}, 1'999_nanoseconds, 1'510_nanoseconds, 10_nanoseconds, {}}));
  EXPECT_EQ(seen_at({50, 110, 111, 500, 2'000, 2'300}, {.delay = 100_nanoseconds, .period = {}}),
            (Seen{{}, {}, 1'999_nanoseconds, 1'610_nanoseconds, 110_nanoseconds, {}}));
  EXPECT_EQ(seen_at({399, 400, 500, 699, 700}, {.delay = 100_nanoseconds, .period = 300_nanoseconds}),
            (Seen{{}, 1'710_nanoseconds, 1'710_nanoseconds, 1'710_nanoseconds, 1'410_nanoseconds}));
}

// The cable to host 3 fails at 200 ns and is back at 600: what waits for it is lost.
TEST(LateLoads, OfCablesThatFail) {
  using Seen = std::vector<SimTime>;
  const NetworkFaults faults{{.at = {1, 3}, .when = 200_nanoseconds, .until = 600_nanoseconds}};
  EXPECT_EQ(seen_at({299, 300, 699, 700}, {.delay = 100_nanoseconds, .period = {}}, faults),
            (Seen{1'811_nanoseconds, SimTime::from_seconds(1), SimTime::from_seconds(1), 410_nanoseconds}));
}

/// p = h = 2, a = 4, 9 groups; every host sends to hosts of the next group, 0.3 packets of 64 B a cycle,
/// which a minimal way could carry 0.125 of, and detours up to 0.5.
BooksimLoad worst_case_of_a_dragonfly(const fabric::LoadNews& news) {
  const Dragonfly shape{9, 4, 2, GlobalArrangement::absolute};
  const SwitchGraph graph = topology::dragonfly(shape, 2);
  const Link link{BitRate(512'000'000'000), booksim_cycle};
  const CabledGraph network = CabledGraph::uniform(graph, link);
  fabric::FabricParameters parameters;
  parameters.latency = 2 * booksim_cycle;
  parameters.buffer = Bytes(64 * 256);
  parameters.packet.largest = Bytes(64);
  parameters.loads = news;
  EventQueue events;
  FabricNetwork fabric(events, network, parameters,
                       std::make_shared<DragonflyRouting>(graph, shape, DetourRules{Detours::by_channel},
                                                          [](CableChannel) { return true; }));
  const auto next_group = [](std::uint32_t host, RandomStream& random) {
    return static_cast<std::uint32_t>((host / 8 + 1) % 9 * 8 + random.below(8));
  };
  return {events,
          fabric,
          {.hosts = 72,
           .load = 0.3,
           .destination = next_group,
           .warm_up = 2'000,
           .measured = 4'000,
           .drained = 3'000}};
}

// All sources of a group see the same channel as empty, or as full, for as long as the news takes: they crowd
// onto it together, and leave it together. A queue that has formed in that time takes as long to go.
TEST(LateLoads, MakeUgalSwayWhereMinimalWaysAreOverloaded) {
  const auto cycles = [](std::int64_t n) { return n * booksim_cycle; };
  const double at_once = worst_case_of_a_dragonfly({}).mean_latency();
  const double soon = worst_case_of_a_dragonfly({.delay = cycles(20), .period = {}}).mean_latency();
  const double late = worst_case_of_a_dragonfly({.delay = cycles(1'000), .period = {}}).mean_latency();
  const double seldom =
      worst_case_of_a_dragonfly({.delay = cycles(20), .period = cycles(1'000)}).mean_latency();
  EXPECT_GT(late, 2 * at_once);
  EXPECT_GT(seldom, 2 * at_once);
  EXPECT_LT(soon, 2 * at_once);
  RecordProperty("latencies", ::testing::PrintToString(std::vector{at_once, soon, late, seldom}));
}

}  // namespace
}  // namespace morgana::testing
