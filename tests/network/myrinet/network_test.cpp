// What only the shipped network has: its face, statistics, faults by name, chance. Times by hand: a flit
// lasts 6.25 ns, a cable and a control symbol 49.2 ns, routing 150 ns, an in-transit host 475 ns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "emulator/core/error.h"
#include "tests/network/myrinet/small_graphs.h"
#include "tests/network/myrinet/worm_experiment.h"
#include "tests/support/messages.h"

namespace morgana::testing {
namespace {
using namespace literals;
using UnitLoss = MyrinetNetwork::UnitLoss;
using ::testing::HasSubstr;

std::string refusal(const MyrinetParameters& parameters) {
  try {
    parameters.check();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

// h = 1: 2 x 150 + 3 x 49.2 + 34 x 6.25 = 660.1; the source sends two route bytes more.
TEST(MyrinetNetwork, APacketAloneTakesRoutingCablesAndItsFlits) {
  const WormCase given{row(2), {}, {{0_ns, 0, 3, 32, {{2, 1}}}}, {}, {}};
  EXPECT_EQ(WormExperiment(given).run().fates[0], departed_and_delivered(225_ns, 660'100_ps));
}

// h = 4, there and back: 5 x 150 + 6 x 49.2 + 34 x 6.25 + 475 + 150 + 2 x 49.2 = 1981.1.
TEST(MyrinetNetwork, AnInTransitHostAddsItsDetectionAndProgrammingAndASwitch) {
  const WormCase given{row(3), {}, {{0_ns, 0, 1, 32, {{2, 2, 0}, {3, 3, 1}}}}, {}, {}};
  EXPECT_EQ(WormExperiment(given).run().fates[0], departed_and_delivered(256'250_ps, 1'981'100_ps));
}

// One switch, an empty packet: 150 + 2 x 49.2 + 2 x 6.25.
TEST(MyrinetNetwork, PromisesTheLatencyOfTheShortestPacket) {
  WormExperiment experiment({star(2), {}, {{0_ns, 0, 1, 0, {{1}}}}, {}, {}});
  EXPECT_EQ(experiment.network().least_latency(), 260'900_ps);
  EXPECT_EQ(experiment.run().fates[0].times.delivered, 260'900_ps);
}

TEST(MyrinetNetwork, PacketsOfAPairOfHostsFollowEachOther) {
  const WormCase given{star(2), {}, {{0_ns, 0, 1, 100, {{1}}}, {0_ns, 0, 1, 1, {{1}}}}, {}, {}};
  const WormResults results = WormExperiment(given).run();
  // 103 and 4 flits leave the source. The second is behind at the switch: free at 199.2 + 102 x 6.25 = 836.7,
  // then routed, and there 150 + 49.2 + 3 x 6.25 later.
  EXPECT_EQ(results.fates[0], departed_and_delivered(643'750_ps, 248'400_ps + 637'500_ps));
  EXPECT_EQ(results.fates[1], departed_and_delivered(668'750_ps, 836'700_ps + 217'950_ps));
}

// Host 1's packet takes 403 flits on the trunk, from 199.2 to 2717.95. Host 0's header waits for it at the
// switch from 59.2 on: its 57th flit is there at 409.2 and makes the switch say stop, heard at 458.4. Route
// byte and first flit leave the buffer at 2867.95, then one in 6.25: from 72 flits to 39 with the 32nd, at
// 3061.7; go is heard at 3110.9.
WormCase stopped_worm() {
  return {row(2), {}, {{0_ns, 1, 3, 400, {{2, 1}}}, {10_ns, 0, 2, 500, {{2, 0}}}}, {}, {}};
}

TEST(MyrinetNetwork, CountsFlitsAndTheTimeThatASenderIsStopped) {
  WormExperiment experiment(stopped_worm());
  const WormResults results = experiment.run();
  EXPECT_EQ(results.fates[1].times.departed, 3'110'900_ps + (504 - 72) * 6'250_ps);
  MyrinetNetwork& network = experiment.network();
  const SwitchGraph& graph = experiment.graph();
  const CableChannel up = graph.channel_from(HostNumber{0});
  EXPECT_EQ(network.time_stopped(up), 3'110'900_ps - 458'400_ps);
  EXPECT_EQ(network.flits_carried(up), 504);
  EXPECT_EQ(network.flits_carried(graph.channel_from(SwitchPort{0, 2})), 403 + 503);
  EXPECT_EQ(network.flits_carried(graph.channel_from(SwitchPort{1, 2 + 1})), 0);
  EXPECT_DOUBLE_EQ(network.utilisation(up), 504 * 6.25e-9 / experiment.events().now().seconds());
}

TEST(MyrinetNetwork, TellsOfItsLinksWhereTheyLeadAndWhatWentAlong) {
  WormExperiment experiment(stopped_worm());
  experiment.run();
  // Time has gone on since the last event: shares are of all of it.
  const SimTime until = experiment.events().now() * 2;
  const NetworkLinks links = experiment.network().links(until);
  EXPECT_EQ(links.unit, "flits");
  // Two directions of a cable between the switches and of each of four hosts' ones.
  ASSERT_EQ(links.loads.size(), 10U);
  const auto link = [&](LinkEnd from, LinkEnd to) {
    for (const LinkLoad& load : links.loads)
      if (load.from == from && load.to == to) return load;
    ADD_FAILURE() << "no such link";
    return LinkLoad{};
  };
  using Kind = LinkEnd::Kind;
  const LinkLoad up = link({Kind::host, 0, 0}, {Kind::switch_port, 0, 0});
  EXPECT_EQ(up.carried, 504);
  EXPECT_DOUBLE_EQ(up.utilisation, 504 * 6.25e-9 / until.seconds());
  EXPECT_DOUBLE_EQ(up.stopped.value(), (3'110'900_ps - 458'400_ps).seconds() / until.seconds());
  EXPECT_EQ(link({Kind::switch_port, 0, 2}, {Kind::switch_port, 1, 3}).carried, 403 + 503);
  EXPECT_EQ(link({Kind::switch_port, 1, 3}, {Kind::switch_port, 0, 2}).carried, 0);
  EXPECT_EQ(link({Kind::switch_port, 1, 1}, {Kind::host, 3, 0}).carried, 402);
}

TEST(MyrinetNetwork, CountsWhatBecameOfPackets) {
  WormExperiment experiment({row(3), {}, {{0_ns, 0, 1, 32, {{2, 2, 0}, {3, 3, 1}}}}, {}, {}});
  experiment.run();
  const std::vector<CounterTable> tables = experiment.network().counted(experiment.events().now());
  ASSERT_EQ(tables.size(), 1U);
  const auto packets = [&](const std::string& what) {
    for (const auto& row : tables[0].rows)
      if (std::get<std::string>(row[0]) == what) return std::get<std::int64_t>(row[1]);
    return std::int64_t{-1};
  };
  EXPECT_EQ(packets("injected"), 1);
  EXPECT_EQ(packets("delivered"), 1);
  EXPECT_EQ(packets("received in transit"), 1);
  EXPECT_EQ(packets("found no room in transit"), 0);
}

TEST(MyrinetNetwork, AWindowCountsWhatIsInIt) {
  WormExperiment experiment(stopped_worm());
  MyrinetNetwork& network = experiment.network();
  const CableChannel up = experiment.graph().channel_from(HostNumber{0});
  struct Begin : EventHandler {
    MyrinetNetwork* network = nullptr;
    void handle(std::uint64_t) override { network->begin_window(); }
  } begin;
  begin.network = &network;
  experiment.events().schedule(1_us, begin);
  experiment.run();
  // In the first microsecond 72 flits, and it was stopped at 458.4.
  EXPECT_EQ(network.flits_carried(up), 504 - 72);
  EXPECT_EQ(network.time_stopped(up), 3'110'900_ps - 1_us);
  EXPECT_EQ(network.window(), experiment.events().now() - 1_us);
}

TEST(MyrinetNetwork, ADeadSwitchLetsNothingThrough) {
  WormCase given{row(3), {}, {}, {}, {}};
  given.plan = {{0_ns, 0, 4, 8, {{2, 2, 0}}},
                {10_us, 0, 4, 8, {{2, 2, 0}}},
                {20_us, 2, 3, 8, {{1}}},
                {30_us, 0, 1, 8, {{1}}}};
  WormExperiment experiment(given);
  experiment.network().kill_switch(1, 5_us);
  const WormResults results = experiment.run();
  EXPECT_TRUE(results.fates[0].times.delivered);
  EXPECT_EQ(results.fates[1].why, WormLoss::dead_channel);
  EXPECT_EQ(results.fates[2].why, WormLoss::dead_channel);
  EXPECT_TRUE(results.fates[3].times.delivered);
  EXPECT_EQ(experiment.network().totals().lost_in_all(), 2u);
}

TEST(MyrinetNetwork, ADeadCableIsDeadBothWays) {
  WormCase given{row(2), {}, {}, {}, {}};
  given.plan = {{0_ns, 0, 2, 8, {{2, 0}}},
                {0_ns, 2, 0, 8, {{3, 0}}},
                {9_us, 0, 2, 8, {{2, 0}}},
                {9_us, 2, 0, 8, {{3, 0}}}};
  WormExperiment experiment(given);
  experiment.network().kill_cable({1, 3}, 5_us);
  const WormResults results = experiment.run();
  EXPECT_TRUE(results.fates[0].times.delivered && results.fates[1].times.delivered);
  EXPECT_TRUE(results.fates[2].times.lost && results.fates[3].times.lost);
}

// Out by port 2, which is two higher than host 0's; back by the port by which it came; and two lower. Three
// switches and four cables: 3 x 150 + 4 x 49.2 + 10 x 6.25.
TEST(MyrinetNetwork, ARouteByTurnsLeadsThereAndBackWithoutKnowingPorts) {
  const std::uint32_t anywhere = PlannedWorm::anywhere;
  const WormCase given{row(2), {}, {{0_ns, 0, anywhere, 8, {{193, 191, 189}}}}, {}, {}};
  const WormResults results = WormExperiment(given).run();
  EXPECT_EQ(results.fates[0], departed_and_delivered(81'250_ps, 709'300_ps));
  EXPECT_EQ(results.delivered_to[0], 0u);
}

TEST(MyrinetNetwork, ATurnOutOfTheSwitchOrToAnEmptyPortSinksThePacket) {
  const std::uint32_t lowest = 0x80, highest = 0xFE;
  // Port 3 of the first switch of a row is empty; host 1 is at port 1.
  for (const std::uint32_t turn :
       {straight_back - 2, straight_back + 2, straight_back + 3, lowest, highest}) {
    const WormCase given{row(2), {}, {{0_ns, 1, PlannedWorm::anywhere, 8, {{turn}}}}, {}, {}};
    EXPECT_EQ(WormExperiment(given).run().fates[0],
              departed_and_lost(68'750_ps, 49'200_ps + 68'750_ps, WormLoss::no_such_port))
        << "turn " << int(turn) - int(straight_back);
  }
}

TEST(MyrinetNetwork, ARouteThatEndsByTurnsAtASwitchSinksThePacketThere) {
  const WormCase given{row(2), {}, {{0_ns, 0, PlannedWorm::anywhere, 8, {{193}}}}, {}, {}};
  EXPECT_EQ(WormExperiment(given).run().fates[0].why, WormLoss::route_used_up);
}

TEST(MyrinetNetwork, TellsWhichCableHadDied) {
  WormCase given{row(2), {}, {}, {}, {}};
  given.plan = {{0_ns, 0, 2, 2000, {{2, 0}}},  // cut on the cable
                {9_us, 0, 2, 8, {{2, 0}}},     // finds it dead
                {90_us, 1, 3, 8, {{2, 1}}},    // finds switch 1's cables dead: the nearest is the same one
                {90_us, 3, 2, 8, {{0}}}};      // can't even leave its host
  WormExperiment experiment(given);
  experiment.network().inject_faults(
      {{NetworkFault::Part::cable, {0, 2}, 5_us}, {NetworkFault::Part::a_switch, {1, 0}, 80_us}});
  experiment.run();
  for (const std::size_t worm : {0u, 1u, 2u}) {
    EXPECT_EQ(experiment.how_lost(worm),
              "its packet needed the cable switch 0 port 2 -> switch 1 port 3, dead since 0.000005000 s");
  }
  EXPECT_EQ(experiment.how_lost(3),
            "its packet needed the cable host 3 -> switch 1 port 1, dead since 0.000080000 s");
  EXPECT_THAT(experiment.network().remedy(), HasSubstr("network.faults"));
}

TEST(MyrinetNetwork, TellsWhereItLostWhatNoFaultHasLost) {
  const auto told = [](const WormCase& given) {
    WormExperiment experiment(given);
    experiment.run();
    return experiment.how_lost(0);
  };
  EXPECT_EQ(told({star(2), {}, {{0_ns, 0, 1, 8, {{}}}}, {}, {}}), "its route ends at switch 0");
  EXPECT_EQ(told({star(2), {}, {{0_ns, 0, 1, 8, {{9}}}}, {}, {}}),
            "its route names a port of switch 0 at which there is nothing");
  EXPECT_EQ(told({star(3), {}, {{0_ns, 0, 1, 8, {{2}}}}, {}, {}}), "its route leads to host 2");
  EXPECT_EQ(told({star(2), {}, {{0_ns, 0, 1, 8, {{1}}}}, {{0, 0}}, {}}),
            "its packet came to host 1 corrupted");
}

TEST(MyrinetNetwork, SwallowsWhatHasNoRouteAtTheFirstSwitch) {
  WormExperiment experiment({star(2), {}, {{0_ns, 0, 1, 8, {{}}}}, {}, {}});
  const WormResults results = experiment.run();
  // 10 flits, consumed as they arrive: the last at 49.2 + 9 x 6.25.
  EXPECT_EQ(results.fates[0], departed_and_lost(62'500_ps, 49'200_ps + 62'500_ps, WormLoss::route_used_up));
}

/// One packet after the other from host to host over three channels.
struct Stream : UnitListener, EventHandler {
  explicit Stream(double corruption, std::uint64_t seed) {
    const WormGraph worm_graph = row(2);
    graph = switch_graph(worm_graph);
    routes = std::make_unique<RouteTable>(RouteTable::row_per_host(graph));
    const std::vector<RouteByte> header{2, 0};
    routes->set(0, 2, header);
    MyrinetParameters parameters;
    parameters.corruption = corruption;
    network = std::make_unique<MyrinetNetwork>(events, graph, *routes, parameters, seed);
    network->report_to(*this);
  }
  void run(std::uint64_t packets) {
    for (std::uint64_t n = 0; n < packets; ++n) events.schedule(SimTime() + 2_us * std::int64_t(n), *this, n);
    while (!events.empty()) events.handle_next();
  }
  void handle(std::uint64_t n) override { network->inject({UnitId{n}, PortId{0}, PortId{2}, 64_B}); }
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId, PortId) override { fates += '+'; }
  void unit_lost(UnitId) override { fates += '-'; }

  EventQueue events;
  SwitchGraph graph;
  std::unique_ptr<RouteTable> routes;
  std::unique_ptr<MyrinetNetwork> network;
  std::string fates;
};

TEST(MyrinetNetwork, CorruptsPacketsByChanceOnEachChannel) {
  Stream stream(0.1, 7);
  stream.run(10'000);
  // 1 - 0.9^3 = 0.271; five standard deviations are 0.022.
  EXPECT_NEAR(static_cast<double>(stream.network->totals().lost_for(UnitLoss::corrupted)), 2710, 222);
  EXPECT_EQ(stream.network->totals().lost_in_all() + stream.network->totals().delivered, 10'000u);
}

TEST(MyrinetNetwork, ChanceFollowsTheSeed) {
  Stream first(0.3, 1), same(0.3, 1), other(0.3, 2);
  for (Stream* stream : {&first, &same, &other}) stream->run(200);
  EXPECT_EQ(first.fates, same.fates);
  EXPECT_NE(first.fates, other.fates);
}

// Both routes cross three switches of the ring of four; only the first crosses the trunk from switch 0 to 1.
TEST(MyrinetNetwork, FollowsOtherRoutesFromThenOn) {
  const WormCase given{
      row(4, true), {}, {{0_ns, 0, 4, 8, {{2, 2, 0}}}, {10_us, 0, 4, 8, {{2, 2, 0}}}}, {}, {}};
  WormExperiment experiment(given);
  RouteTable other = RouteTable::row_per_host(experiment.graph());
  const std::vector<RouteByte> header{3, 3, 0};
  other.set(0, 4, header);
  struct Change : EventHandler {
    std::function<void()> change;
    void handle(std::uint64_t) override { change(); }
  } change;
  change.change = [&] { experiment.network().follow(other); };
  experiment.events().schedule(100_ns, change);  // the first packet is under way
  const WormResults results = experiment.run();
  EXPECT_TRUE(results.fates[0].times.delivered && results.fates[1].times.delivered);
  const auto carried = [&](PortNumber port) {
    return experiment.network().flits_carried(experiment.graph().channel_from(SwitchPort{0, port}));
  };
  // Route bytes for two more switches, type, 8 bytes and CRC.
  EXPECT_EQ(carried(2), 12);
  EXPECT_EQ(carried(3), 12);
}

// 2^60 ps are 144,115,188.07 bytes of 8 ms; 255 of a route, a type's and the CRC's are none of the payload.
TEST(MyrinetNetwork, CarriesWhatSimulatedTimeHasRoomFor) {
  MyrinetParameters parameters;
  const SwitchGraph graph = switch_graph(star(2));
  const RouteTable routes = RouteTable::row_per_host(graph);
  const auto largest = [&](SimTime flit) {
    parameters.flit = flit;
    EventQueue events;
    return MyrinetNetwork(events, graph, routes, parameters, 1).largest_unit();
  };
  EXPECT_EQ(largest(8'000_us), Bytes(144'115'188 - 257));
  EXPECT_EQ(largest(6'250_ps), Bytes(std::int64_t{1} << 40));
}

TEST(MyrinetNetwork, DeliversItsLargestPacketAtTheSlowestRate) {
  WormCase given{star(2), {}, {{0_ns, 0, 1, 144'115'188 - 257, {{1}}}}, {}, {}};
  given.parameters.flit = 8'000_us;
  // Flits come so slowly that the switch has routed before the second: route, type, payload and CRC, and two
  // cables.
  EXPECT_EQ(WormExperiment(given).run().fates[0].times.delivered,
            8'000_us * (144'115'188 - 254) + 2 * 49'200_ps);
}

TEST(MyrinetNetwork, RefusesSlackBuffersThatCouldOverflow) {
  MyrinetParameters parameters;
  parameters.slack = 73;  // 56 + (49.2 + 49.2) / 6.25 rounded up + a bad tail
  EXPECT_EQ(refusal(parameters), "none");
  parameters.slack = 72;
  expect_message(refusal(parameters), {"72 flits", "at least 73"});
}

TEST(MyrinetNetwork, RefusesParametersOutOfRange) {
  const auto refused = [](auto set) {
    MyrinetParameters parameters;
    set(parameters);
    return refusal(parameters);
  };
  expect_message(refused([](auto& p) { p.flit = 0_ps; }), "1 ps");
  expect_message(refused([](auto& p) { p.go_below = 58; }), "go ");
  expect_message(refused([](auto& p) { p.type_bytes = 0; }), "type");
  expect_message(refused([](auto& p) { p.corruption = 1.5; }), "between 0 and 1");
  expect_message(refused([](auto& p) { p.detection = 0_ps - 1_ps; }), "detection");
}

}  // namespace
}  // namespace morgana::testing
