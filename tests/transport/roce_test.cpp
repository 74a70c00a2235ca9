// RoCE v2 with pauses and DCQCN against two simulators on the same configuration.
//
// Flows of 100 Gb/s cables of 1 us, switches that store and forward without latency, all writes at time 0,
// completion with the last acknowledgement.
//   - Li et al., HPCC, SIGCOMM 2019: github.com/alibaba-edu/High-Precision-Congestion-Control at 9f4be2a9,
//   ns-3, DCQCN as
//     simulation/run.py sets it at 100 Gb/s. Packets of 1,038 B for 1,000 B, here of 1,063 B for 1,024 B: the
//     same share.
//   - csg-htsim at 841d9e7b: RoCE at line rate with pauses only, 4,160 B for 4,096 B, acknowledgements of 64
//   B.
// What is expected of them was measured with these programs; neither's text is here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "emulator/routing/switch_tables.h"
#include "emulator/transport/infiniband/reliable_connections.h"
#include "tests/transport/flow_networks.h"
#include "tests/transport/flows.h"

namespace morgana {
namespace {

using testing::Completions;
using testing::Flow;
using testing::incast_of_16;
using testing::incast_of_64;
using testing::micro;
using testing::off;
using testing::permutation;
using testing::star;
using testing::three_tiers;
using testing::to_host_0;
using RdmaFlows = testing::Flows<ReliableConnections, RcParameters>;

struct Configuration {
  fabric::FabricParameters fabric;
  RcParameters rc;
};

/// What both have: classes with CNPs first, pauses, an acknowledgement for each packet.
Configuration common() {
  Configuration all;
  all.fabric.queueing = fabric::Queueing::output_queues;
  all.fabric.forwarding = fabric::Forwarding::store_and_forward;
  all.fabric.latency = SimTime();
  all.fabric.flow_control = fabric::FlowControl::pause;
  all.fabric.classes = 2;
  all.fabric.lane_arbitration = fabric::LaneArbitration::strict;
  all.rc.data_class = 1;
  all.rc.acknowledge_every = 1;
  all.rc.timeout = 18;
  return all;
}

Configuration ns3(SimTime alpha_timer, SimTime cut_interval, SimTime increase_timer) {
  Configuration all = common();
  all.rc.path_mtu = Bytes(1024);
  // With BTH and ICRC of 16 B: 39 B a packet.
  all.fabric.packet = {.header = Bytes(23), .minimum = Bytes(50), .gap = Bytes(0), .largest = Bytes(1060)};
  all.fabric.shared = {
      .size = Bytes(32'000'000), .alpha = 0.125, .reserve = Bytes(4'096), .resume = Bytes(3'072)};
  all.fabric.marks = {
      .from = Bytes(400'000), .to = Bytes(1'600'000), .share = 0.2, .when = fabric::MarkWhen::leaving};
  all.rc.control = RcParameters::Control::dcqcn;
  all.rc.dcqcn = {.cnp_interval = SimTime(),
                  .gain = 1.0 / 256,
                  .alpha_timer = alpha_timer,
                  .growth = DcqcnParameters::Growth::by_period,
                  .cut_interval = cut_interval,
                  .clamp_target = false,
                  .increase_timer = increase_timer,
                  .byte_counter = Bytes(0),
                  .fast_recovery = 1,
                  .additive_increase = BitRate(20'000'000),
                  .hyper_increase = BitRate(200'000'000),
                  .least_rate = BitRate(1'000'000'000)};
  return all;
}
Configuration dcqcn() {
  return ns3(micro(1), micro(4), micro(300));
}
Configuration dcqcn_paper() {
  return ns3(micro(50), micro(50), micro(55));
}

/// As simulation/run.py has it for "hp" at 100 Gb/s: T is the longest round trip of the network, maxStage 0,
/// W_AI 40 Mb/s times T, which is W_init (1 - eta) / 125; 42 B of telemetry for 1,000 B.
Configuration hpcc(SimTime base_round_trip) {
  Configuration all = dcqcn();
  all.rc.control = RcParameters::Control::hpcc;
  all.rc.telemetry_header = Bytes(43);
  all.fabric.packet.largest += all.rc.telemetry_header;
  all.rc.hpcc = {.base_round_trip = base_round_trip, .utilization = 0.95, .stages = 0, .flows = 125};
  return all;
}

/// As simulation/run.py has it for "dctcp" at 100 Gb/s: K = 30 KB a 10 Gb/s, g = 1/16, a first and greatest
/// window of so many payloads. There a packet of 1,000 B counts as that in windows, here with its headers;
/// and windows grow by 615 Mb/s each round trip, which it takes from a packet each 13 us, here by a packet.
/// @param payload  that fills the longest round trip
Configuration ns3_dctcp(std::int64_t payload) {
  Configuration all = dcqcn();
  all.rc.control = RcParameters::Control::dctcp;
  all.fabric.marks = {
      .from = Bytes(300'000), .to = Bytes(300'000), .share = 1, .when = fabric::MarkWhen::leaving};
  all.rc.dctcp_round_trip = BitRate(100'000'000'000).time_for(Bytes(payload * 1'038 / 1'000));
  return all;
}

Configuration htsim() {
  Configuration all = common();
  all.rc.path_mtu = Bytes(4096);
  all.fabric.packet = {.header = Bytes(48), .minimum = Bytes(64), .gap = Bytes(0), .largest = Bytes(4132)};
  // An input pauses above 15 packets and resumes below 12, whatever else is in the switch.
  constexpr std::int64_t much = 100'000'000'000;
  all.fabric.shared = {.size = Bytes(much), .alpha = (15.0 * 4'160 + 1) / much, .resume = Bytes(3 * 4'160)};
  return all;
}

Completions completions(SwitchGraph graph, const Configuration& given, const std::vector<Flow>& flows,
                        std::int64_t bytes, std::uint64_t seed = 1) {
  EventQueue events;
  const CabledGraph network = CabledGraph::uniform(std::move(graph), {BitRate(100'000'000'000), micro(1)});
  RoutesParameters routes;
  routes.routes = RoutesKind::ecmp;
  routes.seed = seed;
  FabricNetwork fabric(events, network, given.fabric, SwitchTables(network, routes, {}, SimTime()));
  const RdmaFlows run(events, fabric, network.graph.hosts(), given.rc, flows, Bytes(bytes));
  EXPECT_EQ(run.transport().counters().repeated, 0U);  // pauses: nothing is lost
  return Completions::of(run.completions());
}

constexpr std::int64_t mebi = 1'048'576;

TEST(Roce, TwoFlowsWithDcqcnEndAsInNs3) {
  const Completions slow = completions(star(), dcqcn(), to_host_0(2), 8 * mebi);
  EXPECT_NEAR(off(slow.mean, 1709.059), 0, 0.15);
  EXPECT_NEAR(off(slow.most, 1714.687), 0, 0.15);
  const Completions fast = completions(star(), dcqcn_paper(), to_host_0(2), 8 * mebi);
  EXPECT_NEAR(off(fast.mean, 1446.341), 0, 0.15);
  EXPECT_NEAR(off(fast.most, 1476.993), 0, 0.15);
}

TEST(Roce, AnIncastWithDcqcnEndsAsInNs3) {
  const Completions slow = completions(star(), dcqcn(), to_host_0(16), 2 * mebi);
  EXPECT_NEAR(off(slow.mean, 3382.008), 0, 0.15);
  EXPECT_NEAR(off(slow.most, 3554.766), 0, 0.15);
  const Completions fast = completions(star(), dcqcn_paper(), to_host_0(16), 2 * mebi);
  EXPECT_NEAR(off(fast.mean, 2725.872), 0, 0.15);
  EXPECT_NEAR(off(fast.most, 2789.147), 0, 0.15);
}

/// T of the star: 4 us and two times 80 ns.
TEST(Roce, FlowsWithHpccEndAsInNs3) {
  const Configuration configuration = hpcc(SimTime::from_ps(4'160'000));
  const Completions two = completions(star(), configuration, to_host_0(2), 8 * mebi);
  EXPECT_NEAR(off(two.mean, 1452.952), 0, 0.15);
  EXPECT_NEAR(off(two.most, 1547.484), 0, 0.15);
  const Completions incast = completions(star(), configuration, to_host_0(16), 2 * mebi);
  EXPECT_NEAR(off(incast.mean, 2821.973), 0, 0.15);
  EXPECT_NEAR(off(incast.most, 3109.295), 0, 0.15);
}

/// As simulation/run.py has it for "timely" at 100 Gb/s: alpha 0.875, beta 0.8, T_low 50 us, T_high 500 us,
/// minRTT 20 us, AI 100 Mb/s, five times that after five increases, least rate 1 Gb/s; a change each round
/// trip, and paced packets.
TEST(Roce, FlowsWithTimelyEndAsInNs3) {
  Configuration configuration = dcqcn();
  configuration.fabric.marks = {};
  configuration.rc.control = RcParameters::Control::timely;
  configuration.rc.timely = {.change = TimelyParameters::Change::round_trip,
                             .segment = Bytes(1),
                             .step = BitRate(100'000'000),
                             .least_rate = BitRate(1'000'000'000)};
  const Completions two = completions(star(), configuration, to_host_0(2), 8 * mebi);
  EXPECT_NEAR(off(two.mean, 1712.579), 0, 0.03);
  EXPECT_NEAR(off(two.most, 1728.985), 0, 0.03);
  const Completions incast = completions(star(), configuration, to_host_0(16), 2 * mebi);
  EXPECT_NEAR(off(incast.mean, 2938.309), 0, 0.03);
  EXPECT_NEAR(off(incast.most, 3042.362), 0, 0.03);
}

/// 52,000 B at the star: 4 us and two times 80 ns.
TEST(Roce, FlowsWithDctcpEndAsInNs3) {
  const Completions two = completions(star(), ns3_dctcp(52'000), to_host_0(2), 8 * mebi);
  EXPECT_NEAR(off(two.mean, 1396.577), 0, 0.15);
  EXPECT_NEAR(off(two.most, 1396.603), 0, 0.15);
  const Completions incast = completions(star(), ns3_dctcp(52'000), to_host_0(16), 2 * mebi);
  EXPECT_NEAR(off(incast.mean, 2657.635), 0, 0.15);
  EXPECT_NEAR(off(incast.most, 2791.439), 0, 0.15);
}

/// 156,000 B on three tiers: 12 us and six times 80 ns. Permutations are the mean of three draws of the hash.
/// How many flows meet on one cable at most decides when the last of them ends: ns-3 drew once, and that is
/// one of the draws.
TEST(Roce, FlowsOverThreeTiersWithDctcpEndAsInNs3) {
  const Completions incast = completions(three_tiers(), ns3_dctcp(156'000), incast_of_16(), 2 * mebi);
  EXPECT_NEAR(off(incast.mean, 2612.650), 0, 0.15);
  EXPECT_NEAR(off(incast.most, 2811.635), 0, 0.15);
  Completions small{0, 0, 0}, large{0, 0, 0};
  double soonest = std::numeric_limits<double>::infinity(), latest = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    small.add(completions(three_tiers(), ns3_dctcp(156'000), permutation(), mebi / 16, seed), 1.0 / 3);
    const Completions one = completions(three_tiers(), ns3_dctcp(156'000), permutation(), 2 * mebi, seed);
    large.add(one, 1.0 / 3);
    soonest = std::min(soonest, one.most);
    latest = std::max(latest, one.most);
  }
  EXPECT_NEAR(off(small.mean, 24.269), 0, 0.15);
  EXPECT_NEAR(off(small.most, 34.389), 0, 0.15);
  EXPECT_NEAR(off(large.mean, 425.873), 0, 0.15);
  EXPECT_LT(off(soonest, 748.913), 0.15);
  EXPECT_GT(off(latest, 748.913), -0.15);
}

TEST(Roce, AnIncastOverThreeTiersWithDcqcnEndsAsInNs3) {
  const Completions slow = completions(three_tiers(), dcqcn(), incast_of_16(), 2 * mebi);
  EXPECT_NEAR(off(slow.mean, 3125.596), 0, 0.15);
  EXPECT_NEAR(off(slow.most, 3388.739), 0, 0.15);
}

/// Which flows share cables differs, as hashes do: the mean of three draws.
TEST(Roce, APermutationWithDcqcnEndsAsInNs3) {
  double slow = 0, fast = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    slow += completions(three_tiers(), dcqcn(), permutation(), 2 * mebi, seed).mean / 3;
    fast += completions(three_tiers(), dcqcn_paper(), permutation(), 2 * mebi, seed).mean / 3;
  }
  EXPECT_NEAR(off(slow, 629.349), 0, 0.15);
  EXPECT_NEAR(off(fast, 452.206), 0, 0.15);
}

/// Alone: 512 packets of 332.8 ns, six cables of 1 us there and back, five switches where the last packet is
/// stored, and acknowledgements of 5.44 ns six times (68 B with AETH), and
/// six times the RETH of the first packet, which all others follow. In the incast the last cable never
/// rests.
TEST(Roce, WithPausesOnlyFlowsEndAsInHtsim) {
  const Completions alone = completions(three_tiers(), htsim(), {{5, 77}}, 2 * mebi);
  EXPECT_NEAR(alone.most, 512 * 0.3328 + 12 + 5 * 0.3328 + 6 * (0.00544 + 0.00128), 0.00001);
  EXPECT_NEAR(off(alone.most, 184.088), 0, 0.001);
  const Completions incast = completions(three_tiers(), htsim(), incast_of_16(), 2 * mebi);
  EXPECT_NEAR(off(incast.most, 2734.66), 0, 0.001);
  EXPECT_NEAR(off(incast.mean, (2167.111 + 2337.441 + 2058.325) / 3), 0, 0.1);
  const Completions small = completions(three_tiers(), htsim(), incast_of_16(), mebi / 16);
  EXPECT_NEAR(off(small.mean, (72.071 + 77.854 + 69.388) / 3), 0, 0.1);
  EXPECT_NEAR(off(small.p99, 93.5603), 0, 0.1);
  const Completions small_of_64 = completions(three_tiers(), htsim(), incast_of_64(), mebi / 16);
  EXPECT_NEAR(off(small_of_64.mean, 251.795), 0, 0.1);
  EXPECT_NEAR(off(small_of_64.p99, 349.151), 0, 0.1);
  const Completions large_of_64 = completions(three_tiers(), htsim(), incast_of_64(), 2 * mebi);
  EXPECT_NEAR(off(large_of_64.mean, 7991.562), 0, 0.1);
  EXPECT_NEAR(off(large_of_64.p99, 10913.6), 0, 0.1);
}

/// Pauses hold up flows that don't cross the busy cables: without them the mean is 14 % less.
TEST(Roce, APermutationWithPausesOnlyEndsAsInHtsim) {
  Completions large{0, 0, 0}, small{0, 0, 0};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    large.add(completions(three_tiers(), htsim(), permutation(), 2 * mebi, seed), 1.0 / 3);
    small.add(completions(three_tiers(), htsim(), permutation(), mebi / 16, seed), 1.0 / 3);
  }
  EXPECT_NEAR(off(large.mean, (474.796 + 475.306) / 2), 0, 0.1);
  EXPECT_NEAR(off(large.p99, (870.661 + 821.407) / 2), 0, 0.1);
  EXPECT_NEAR(off(small.mean, (25.532 + 25.292 + 25.657) / 3), 0, 0.1);
  EXPECT_NEAR(off(small.p99, 34.9939), 0, 0.1);
  Configuration without = htsim();
  without.fabric.shared.alpha = 1;
  EXPECT_LT(completions(three_tiers(), without, permutation(), 2 * mebi).mean, 0.95 * large.mean);
}

}  // namespace
}  // namespace morgana
