// Switched Ethernet of several switches; that of one stands in switched_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/network/ethernet/switched.h"
#include "emulator/routing/multipath.h"
#include "emulator/topology/switch_plan.h"
#include "tests/network/reference_bridges.h"

namespace morgana::testing {
namespace {
using namespace literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::int64_t fast = 100'000'000, gigabit = 1'000'000'000;

CabledGraph network_of(const BridgedLan& lan) {
  topology::SwitchPlan plan{lan.bridges, {}, {}};
  CabledGraph network;
  for (const BridgedLan::Cable& trunk : lan.trunks) {
    plan.trunks.emplace_back(trunk.a, trunk.b);
    network.trunks.push_back({BitRate(trunk.bits_per_second), trunk.propagation});
  }
  std::vector<SwitchId> at;
  for (const BridgedLan::Cable& host : lan.hosts) {
    at.push_back(host.a);
    network.hosts.push_back({BitRate(host.bits_per_second), host.propagation});
  }
  network.graph = topology::graph_of(plan, at);
  return network;
}

SwitchedEthernetParameters parameters_of(const BridgedLan& lan) {
  SwitchedEthernetParameters parameters;
  parameters.forwarding = lan.forwarding;
  parameters.buffer_frames = lan.buffer_frames;
  parameters.largest_payload = Bytes(9000);
  parameters.routes = {lan.routes, lan.root, lan.seed};
  parameters.convergence = lan.convergence;
  return parameters;
}

NetworkFaults faults_of(const BridgedLan& lan, const SwitchGraph& graph) {
  NetworkFaults faults;
  for (std::size_t i = 0; i < lan.trunks.size(); ++i)
    if (lan.trunks[i].dies)
      faults.push_back({NetworkFault::Part::cable, graph.cables()[i].b, *lan.trunks[i].dies});
  for (HostNumber host = 0; host < lan.hosts.size(); ++host)
    if (lan.hosts[host].dies)
      faults.push_back({NetworkFault::Part::cable, graph.port_of(host), *lan.hosts[host].dies});
  return faults;
}

/// A LAN with units sent over it.
struct LanExperiment {
  explicit LanExperiment(const BridgedLan& lan)
      : network(events, network_of(lan), parameters_of(lan), faults_of(lan, network_of(lan).graph)),
        experiment(events, network) {}
  const std::vector<Fate>& run(const std::vector<Planned>& plan) {
    const std::vector<Fate>& fates = experiment.run(plan);
    experiment.expect_conservation();
    return fates;
  }
  EventQueue events;
  SwitchedEthernet network;
  Experiment experiment;
};

/// Switch 0 with switches 1 and 2 below it; hosts 0 and 1 at switch 1, hosts 2 and 3 at switch 2.
BridgedLan three_switches(std::int64_t trunk_rate) {
  BridgedLan lan;
  lan.bridges = 3;
  lan.trunks = {{0, 1, trunk_rate, 500_ns}, {0, 2, trunk_rate, 500_ns}};
  for (const std::uint32_t at : {1U, 1U, 2U, 2U})
    lan.hosts.push_back({at, static_cast<std::uint32_t>(lan.hosts.size()), fast, 500_ns});
  lan.forwarding = 3_us;
  return lan;
}

// A full frame takes 1526 bytes x 80 ns = 122.08 us at 100 Mb/s, and its gap 0.96 us. Both hosts' first
// frames are offered to the trunk at 122.08 + 0.5 + 3 = 125.58 us; the second ones come as the trunk gets
// free, at 123.04 + 122.08 + 3.5 = 248.62. So the trunk goes without a pause: frame k starts there at 125.58
// + 123.04 k. Each of the other transmissions follows 122.08 + 3.5 us later and finds its output free: k is
// delivered at 125.58 + 2 x 125.58 + 122.08 + 0.5 = 499.32 us, + 123.04 k.
TEST(SwitchedEthernet, ATrunkOfItsHostsRateIsSharedByThem) {
  LanExperiment lan(three_switches(fast));
  const auto fates =
      lan.run({{0_us, 0, 2, 1500}, {0_us, 1, 3, 1500}, {0_us, 0, 2, 1500}, {0_us, 1, 3, 1500}});
  for (int k = 0; k < 4; ++k)
    EXPECT_EQ(fates[static_cast<std::size_t>(k)].delivered, 499'320_ns + 123'040_ns * k) << k;
}

// At 1 Gb/s a frame takes 12.208 us, its gap 0.096. The first crosses the trunks from 125.58 and from
// 125.58 + 12.208 + 3.5 = 141.288, and host 2's link from 156.996: 122.08 + 0.5 later it is there. The other
// host's is 12.304 us behind it. The second ones come when the hosts' links have just got free.
TEST(SwitchedEthernet, ATrunkTenTimesAsFastIsNoBottleneck) {
  LanExperiment lan(three_switches(gigabit));
  const auto fates =
      lan.run({{0_us, 0, 2, 1500}, {0_us, 1, 3, 1500}, {0_us, 0, 2, 1500}, {0_us, 1, 3, 1500}});
  EXPECT_EQ(fates[0].delivered, 279'576_ns);
  EXPECT_EQ(fates[1].delivered, 279'576_ns + 12'304_ns);
  EXPECT_EQ(fates[2].delivered, 279'576_ns + 123'040_ns);
  EXPECT_EQ(fates[3].delivered, 279'576_ns + 12'304_ns + 123'040_ns);
}

// As above, with room for one frame: the other host's comes while the first is on the trunk.
TEST(SwitchedEthernet, SaysWhereAFrameWasLost) {
  BridgedLan lan = three_switches(fast);
  lan.buffer_frames = 1;
  LanExperiment experiment(lan);
  const auto fates = experiment.run({{0_us, 0, 2, 1500}, {0_us, 1, 3, 1500}});
  EXPECT_TRUE(fates[0].delivered);
  EXPECT_EQ(fates[1].lost, 125'580_ns);
  EXPECT_EQ(
      experiment.network.how_lost(),
      "its frame was lost at 0.000125580 s at the output of switch 1 to switch 0, whose buffer of 1 frame "
      "was full");
  EXPECT_THAT(experiment.network.remedy(), HasSubstr("network.buffer=unlimited"));
}

TEST(SwitchedEthernet, CountsAtEachOutput) {
  LanExperiment lan(three_switches(fast));
  lan.run({{0_us, 0, 2, 1500}, {0_us, 1, 3, 1500}});
  const SimTime end = lan.events.now();
  const std::vector<CounterTable> tables = lan.network.counted(end);
  ASSERT_EQ(tables.size(), 1u);
  // Switch 0 has trunks only; each of the others has two hosts, and then its trunk.
  std::vector<std::vector<CounterTable::Value>> used;
  for (const auto& row : tables[0].rows)
    if (std::get<std::int64_t>(row[1]) > 0) used.push_back(row);
  ASSERT_EQ(used.size(), 4u);
  EXPECT_EQ(std::get<std::string>(used[0][0]), "switch 0 to switch 2");
  EXPECT_EQ(std::get<std::string>(used[1][0]), "switch 1 to switch 0");
  EXPECT_EQ(std::get<std::string>(used[2][0]), "switch 2 to host 2");
  EXPECT_EQ(std::get<std::int64_t>(used[1][2]), 2);
  // Of two frames one waited for the other and its gap.
  EXPECT_DOUBLE_EQ(std::get<double>(used[1][4]), 123.04 / 2);
  EXPECT_DOUBLE_EQ(std::get<double>(used[1][5]), 123.04);
  EXPECT_DOUBLE_EQ(std::get<double>(used[1][6]), 2 * 123.04e-6 / end.seconds());
  // Of the hosts 0 and 1 send and 2 and 3 receive a frame each; both cross the trunks on their way.
  const auto carried = [](const LinkLoad& link) {
    if (link.from.is_host()) return link.from.number < 2 ? 1 : 0;
    if (link.to.is_host()) return link.to.number < 2 ? 0 : 1;
    return link.from.number == 1 || link.to.number == 2 ? 2 : 0;
  };
  for (const LinkLoad& link : lan.network.links(end).loads)
    EXPECT_EQ(link.carried, carried(link)) << link.from.number << " " << link.from.port;
}

/// Four switches in a ring, trunk i from switch i to the next; host i at switch i.
BridgedLan ring_of_four() {
  BridgedLan lan;
  lan.bridges = 4;
  for (std::uint32_t i = 0; i < 4; ++i) {
    lan.trunks.push_back({i, (i + 1) % 4, fast, 500_ns});
    lan.hosts.push_back({i, i, fast, 500_ns});
  }
  lan.forwarding = 3_us;
  return lan;
}

// A least frame takes 5.76 us, and 3.5 us to the next output.
SimTime trip(int trunks) {
  return 5'760_ns + 500_ns + (3_us + 5'760_ns + 500_ns) * (trunks + 1);
}

// The root's trunks lead to switches 1 and 3; switch 2 is as far by either, and takes that to the lower
// bridge: the trunk between 2 and 3 carries nothing.
TEST(SwitchedEthernet, ASpanningTreeCutsARing) {
  LanExperiment lan(ring_of_four());
  const auto fates = lan.run({{0_us, 2, 3, 1}, {1_ms, 2, 1, 1}, {2_ms, 3, 0, 1}});
  EXPECT_EQ(fates[0].delivered, trip(3));
  EXPECT_EQ(fates[1].delivered, 1_ms + trip(1));
  EXPECT_EQ(fates[2].delivered, 2_ms + trip(1));
}

TEST(SwitchedEthernet, TheRootMayBeChosen) {
  BridgedLan lan = ring_of_four();
  lan.root = 2;  // switch 0 is cut from 3, the higher of the two that are as close to the root
  LanExperiment experiment(lan);
  const auto fates = experiment.run({{0_us, 2, 3, 1}, {1_ms, 0, 3, 1}});
  EXPECT_EQ(fates[0].delivered, trip(1));
  EXPECT_EQ(fates[1].delivered, 1_ms + trip(3));
}

// Two trunks of 1 Gb/s cost 40,000, one of 100 Mb/s 200,000.
TEST(SwitchedEthernet, ASpanningTreePrefersFastTrunks) {
  BridgedLan lan;
  lan.bridges = 3;
  lan.trunks = {{0, 2, fast, 0_ps}, {0, 1, gigabit, 0_ps}, {1, 2, gigabit, 0_ps}};
  lan.hosts = {{0, 0, fast, 0_ps}, {2, 1, fast, 0_ps}};
  const std::vector<Planned> one{{0_us, 0, 1, 1}};
  // 5.76 us at either end and 0.576 us on each fast trunk.
  EXPECT_EQ(LanExperiment(lan).run(one)[0].delivered, 2 * 5'760_ns + 2 * 576_ns);
  lan.routes = RoutesKind::ecmp;
  EXPECT_EQ(LanExperiment(lan).run(one)[0].delivered, 3 * 5'760_ns);
}

TEST(SwitchedEthernet, ShortestWaysUseEveryTrunk) {
  BridgedLan lan = ring_of_four();
  lan.routes = RoutesKind::ecmp;
  LanExperiment experiment(lan);
  const auto fates = experiment.run({{0_us, 2, 3, 1}, {1_ms, 0, 3, 1}, {2_ms, 3, 1, 1}});
  EXPECT_EQ(fates[0].delivered, trip(1));
  EXPECT_EQ(fates[1].delivered, 1_ms + trip(1));
  EXPECT_EQ(fates[2].delivered, 2_ms + trip(2));
}

TEST(SwitchedEthernet, ADeadTrunkSwallowsFramesUntilTheTablesLeadRoundIt) {
  BridgedLan lan = ring_of_four();
  lan.trunks[0].dies = 1_ms;
  lan.convergence = 2_ms;
  LanExperiment experiment(lan);
  // A frame to switch 1 leaves host 0 at 5.76 us, and the trunk at 5.76 + 3.5 + 5.76 = 15.02: its last bit is
  // through at 15.52 us. Tables are those of the time at which a frame is offered, 9.26 us after it began.
  const SimTime through = 15'520_ns, offered = 9'260_ns;
  const auto fates = experiment.run({{1_ms - through, 0, 1, 1},
                                     {1_ms, 0, 1, 1},
                                     {3_ms - offered - 1_ps, 0, 1, 1},
                                     {3_ms - offered + 50_us, 0, 1, 1}});
  EXPECT_EQ(fates[0].delivered, 1_ms - through + trip(1));
  EXPECT_EQ(fates[1].lost, 1_ms + through);
  EXPECT_EQ(fates[2].lost, 3_ms - offered - 1_ps + through);
  EXPECT_EQ(fates[3].delivered, 3_ms - offered + 50_us + trip(3));
  EXPECT_EQ(experiment.network.how_lost(),
            "its frame needed the cable switch 0 port 1 -> switch 1 port 1, dead since 0.001000000 s");
  EXPECT_THAT(experiment.network.remedy(), HasSubstr("network.faults"));
}

// Switch 1 knows that there is none: the frame is lost where it is offered, after 122.08 + 3.5 us.
TEST(SwitchedEthernet, SaysThatNoWayIsLeft) {
  BridgedLan lan = three_switches(fast);
  lan.trunks[1].dies = 0_us;
  lan.convergence = 1_ms;
  LanExperiment experiment(lan);
  EXPECT_EQ(experiment.run({{2_ms, 0, 2, 1500}})[0].lost, 2_ms + 125'580_ns);
  EXPECT_THAT(experiment.network.how_lost(), HasSubstr("from where no way to host 2 is left"));
  const CounterTable faults = experiment.network.counted(experiment.events.now()).at(1);
  EXPECT_EQ(std::get<std::int64_t>(faults.rows[1][1]), 1);
}

constexpr auto every_cable = [](CableChannel) { return true; };

/// Two switches with three hosts each and two trunks between them, at ports 3 and 4 of either.
BridgedLan two_trunks() {
  BridgedLan lan;
  lan.bridges = 2;
  lan.trunks = {{0, 1, fast, 500_ns}, {0, 1, fast, 500_ns}};
  for (const std::uint32_t at : {0U, 0U, 0U, 1U, 1U, 1U})
    lan.hosts.push_back({at, static_cast<std::uint32_t>(lan.hosts.size()), fast, 500_ns});
  lan.forwarding = 3_us;
  return lan;
}

// Full frames: 122.08 us, with the gap 123.04, and 3.5 to the next output. Three are offered to switch 0 at
// 125.58 us, in the order of injection: the first finds both trunks free and takes the first one, the second
// the other one, and the third has to wait for the first of two that get free at once. The first two come to
// their hosts after three transmissions, the third 123.04 us later. Over one trunk each waits for the one
// before.
TEST(SwitchedEthernet, ARoutingMayChooseTheLeastLoadedOutput) {
  const BridgedLan lan = two_trunks();
  const std::vector<Planned> plan{{0_us, 0, 3, 1500}, {0_us, 1, 4, 1500}, {0_us, 2, 5, 1500}};
  const SimTime idle = 3 * 122'080_ns + 2 * 3'500_ns + 500_ns;

  EventQueue events;
  const CabledGraph cabled = network_of(lan);
  SwitchedEthernet network(events, cabled, parameters_of(lan),
                           std::make_shared<LeastLoadedRouting>(cabled.graph, every_cable));
  Experiment chosen(events, network);
  const std::vector<Fate>& fates = chosen.run(plan);
  chosen.expect_conservation();
  EXPECT_EQ(fates[0].delivered, idle);
  EXPECT_EQ(fates[1].delivered, idle);
  EXPECT_EQ(fates[2].delivered, idle + 123'040_ns);

  LanExperiment table(lan);
  const std::vector<Fate>& behind = table.run(plan);
  for (int k = 0; k < 3; ++k)
    EXPECT_EQ(behind[static_cast<std::size_t>(k)].delivered, idle + k * 123'040_ns) << k;
}

TEST(SwitchedEthernet, AChoiceOfNoOutputLosesTheFrameWhereItIsOffered) {
  const BridgedLan lan = two_trunks();
  EventQueue events;
  const CabledGraph cabled = network_of(lan);
  SwitchedEthernet network(
      events, cabled, parameters_of(lan),
      std::make_shared<LeastLoadedRouting>(cabled.graph, [](CableChannel) { return false; }));
  Experiment experiment(events, network);
  EXPECT_EQ(experiment.run({{0_us, 0, 3, 1500}})[0].lost, 125'580_ns);
  EXPECT_THAT(network.how_lost(), HasSubstr("from where no way to host 3 is left"));
}

TEST(SwitchedEthernet, RefusesARootThatThereIsNot) {
  BridgedLan lan = three_switches(fast);
  lan.root = 3;
  EXPECT_THROW(LanExperiment{lan}, Error);
}

/// A connected LAN with some trunks more than a tree needs, of equal or of mixed links.
BridgedLan drawn_lan(RandomStream& random, SimTime tick, std::uint64_t ticks_in_a_us) {
  const auto pick = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
  BridgedLan lan;
  lan.bridges = 1 + static_cast<std::uint32_t>(random.below(6));
  const bool mixed = random.chance(0.5), faulty = random.chance(0.4);
  const SimTime usual = pick(ticks_in_a_us) * tick;
  const auto cable = [&](std::uint32_t a, std::uint32_t b) {
    const std::int64_t rates[] = {fast, gigabit, 10'000'000};
    BridgedLan::Cable drawn{a, b, mixed ? rates[random.below(3)] : fast,
                            mixed ? pick(ticks_in_a_us) * tick : usual};
    if (faulty && random.chance(0.2)) drawn.dies = pick(200 * ticks_in_a_us) * tick;
    return drawn;
  };
  for (std::uint32_t b = 1; b < lan.bridges; ++b)
    lan.trunks.push_back(cable(static_cast<std::uint32_t>(random.below(b)), b));
  for (std::uint64_t more = lan.bridges > 1 ? random.below(4) : 0; more > 0; --more) {
    const auto a = static_cast<std::uint32_t>(random.below(lan.bridges - 1));
    lan.trunks.push_back(cable(a, a + 1 + static_cast<std::uint32_t>(random.below(lan.bridges - a - 1))));
  }
  const std::uint64_t hosts = 2 + random.below(7);
  for (std::uint32_t host = 0; host < hosts; ++host)
    lan.hosts.push_back(cable(static_cast<std::uint32_t>(random.below(lan.bridges)), host));
  lan.forwarding = pick(10 * ticks_in_a_us) * tick;
  lan.buffer_frames = random.chance(0.3) ? 0 : 1 + pick(6);
  const RoutesKind kinds[] = {RoutesKind::spanning_tree, RoutesKind::ecmp, RoutesKind::d_mod_k};
  lan.routes = kinds[random.below(3)];
  lan.seed = random.below(5);
  lan.root = static_cast<std::uint32_t>(random.below(lan.bridges));
  lan.convergence = pick(200 * ticks_in_a_us) * tick;
  return lan;
}

std::vector<Planned> drawn_plan(RandomStream& random, std::size_t hosts, SimTime tick,
                                std::uint64_t ticks_in_a_us) {
  std::vector<Planned> plan(1 + random.below(60));
  const std::uint64_t outputs = random.chance(0.3) ? 1 : hosts;
  const std::uint64_t spread = ticks_in_a_us * (random.chance(0.5) ? 1 : 400);
  for (Planned& planned : plan) {
    planned.to = static_cast<std::uint32_t>(random.below(outputs));
    planned.from = static_cast<std::uint32_t>((planned.to + 1 + random.below(hosts - 1)) % hosts);
    planned.bytes = static_cast<std::int64_t>(random.below(random.chance(0.5) ? 100 : 1501));
    planned.at = static_cast<std::int64_t>(random.below(spread)) * tick;
  }
  sort_by_time(plan);
  return plan;
}

TEST(SwitchedEthernet, OfAnyNumberOfSwitchesAgreesWithTheReferenceOnRandomCases) {
  std::int64_t lost_in_buffers = 0, lost_otherwise = 0, over_trunks = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    RandomStream random(seed, "bridges test");
    const bool on_a_grid = random.chance(0.5);  // so that many things happen in the same instant
    const SimTime tick = on_a_grid ? 80_ns : 1_ps;
    const std::uint64_t ticks_in_a_us = on_a_grid ? 12 : 1'000'000;
    const BridgedLan lan = drawn_lan(random, tick, ticks_in_a_us);
    const std::vector<Planned> plan = drawn_plan(random, lan.hosts.size(), tick, ticks_in_a_us);

    LanExperiment experiment(lan);
    ReferenceBridges reference(lan);
    const std::vector<Fate> fates = experiment.run(plan);
    ASSERT_EQ(fates, reference.run(plan)) << "seed " << seed;

    const SimTime later = experiment.events.now() + 1_s;  // when the last gaps are over
    const CounterTable outputs = experiment.network.counted(later).at(0);
    std::size_t row = 0;
    for (const auto& bridge : reference.counters()) {
      for (const ReferenceBridges::Counters& expected : bridge) {
        const auto& found = outputs.rows.at(row++);
        ASSERT_EQ(std::get<std::int64_t>(found[1]), expected.in) << "seed " << seed;
        ASSERT_EQ(std::get<std::int64_t>(found[3]), expected.lost) << "seed " << seed;
        const std::int64_t out = expected.in - expected.lost;
        const double wait = out > 0 ? expected.waited.seconds() * 1e6 / static_cast<double>(out) : 0;
        ASSERT_NEAR(std::get<double>(found[4]), wait, 1e-9 * (1 + wait)) << "seed " << seed;
        ASSERT_NEAR(std::get<double>(found[6]), expected.taken.seconds() / later.seconds(), 1e-12)
            << "seed " << seed;
        lost_in_buffers += expected.lost;
      }
    }
    EXPECT_EQ(row, outputs.rows.size());
    for (std::size_t unit = 0; unit < plan.size(); ++unit) {
      lost_otherwise += fates[unit].lost.has_value();
      over_trunks += lan.hosts[plan[unit].from].a != lan.hosts[plan[unit].to].a;
    }
  }
  // The cases are worth something: there were losses of both kinds, and ways over trunks.
  EXPECT_GT(lost_in_buffers, 1000);
  EXPECT_GT(lost_otherwise - lost_in_buffers, 1000);
  EXPECT_GT(over_trunks, 10'000);
}

}  // namespace
}  // namespace morgana::testing
