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

#include <cstdint>
#include <vector>

#include "emulator/routing/switch_tables.h"
#include "tests/transport/rdma_flows.h"

namespace morgana {
namespace {

using testing::Flow;
using testing::RdmaFlows;

constexpr SimTime micro(std::int64_t us) {
  return SimTime::from_ps(us * 1'000'000);
}

/// 64 senders and host 0 at one switch.
SwitchGraph star() {
  SwitchGraph graph;
  const SwitchId only = graph.add_switch(65);
  for (int host = 0; host < 65; ++host) graph.add_host(only);
  return graph;
}

/// Three tiers of 100 Gb/s: 8 pods of 4 edge switches with 4 hosts each and 4 above them, 16 cores.
SwitchGraph three_tiers() {
  constexpr unsigned pods = 8, half = 4;
  SwitchGraph graph;
  const auto switches = [&graph](unsigned count) {
    std::vector<SwitchId> all;
    for (unsigned n = 0; n < count; ++n) all.push_back(graph.add_switch(2 * half));
    return all;
  };
  const auto edges = switches(pods * half), above = switches(pods * half), cores = switches(half * half);
  for (const SwitchId edge : edges)
    for (unsigned host = 0; host < half; ++host) graph.add_host(edge);
  for (unsigned pod = 0; pod < pods; ++pod)
    for (unsigned one = 0; one < half; ++one)
      for (unsigned other = 0; other < half; ++other) {
        graph.connect(edges[pod * half + one], above[pod * half + other]);
        graph.connect(above[pod * half + one], cores[one * half + other]);
      }
  return graph;
}

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

Configuration htsim() {
  Configuration all = common();
  all.rc.path_mtu = Bytes(4096);
  all.fabric.packet = {.header = Bytes(48), .minimum = Bytes(64), .gap = Bytes(0), .largest = Bytes(4132)};
  // An input pauses above 15 packets and resumes below 12, whatever else is in the switch.
  constexpr std::int64_t much = 100'000'000'000;
  all.fabric.shared = {.size = Bytes(much), .alpha = (15.0 * 4'160 + 1) / much, .resume = Bytes(3 * 4'160)};
  return all;
}

struct Completions {
  double least, mean, most;  ///< us
};

Completions completions(SwitchGraph graph, const Configuration& given, const std::vector<Flow>& flows,
                        std::int64_t bytes, std::uint64_t seed = 1) {
  EventQueue events;
  const CabledGraph network = CabledGraph::uniform(std::move(graph), {BitRate(100'000'000'000), micro(1)});
  RoutesParameters routes;
  routes.routes = RoutesKind::ecmp;
  routes.seed = seed;
  FabricNetwork fabric(events, network, given.fabric, SwitchTables(network, routes, {}, SimTime()));
  const RdmaFlows run(events, fabric, network.graph.hosts(), given.rc, flows, Bytes(bytes));
  EXPECT_EQ(run.counters().repeated, 0U);  // pauses: nothing is lost
  const std::vector<double> all = run.completions();
  return {all.front(), run.mean(), all.back()};
}

/// To host 0 of the three tiers, drawn once for the simulators.
std::vector<Flow> incast_of_16() {
  std::vector<Flow> flows;
  for (const std::uint32_t from :
       {35U, 92U, 17U, 63U, 78U, 68U, 4U, 107U, 52U, 87U, 44U, 1U, 67U, 66U, 88U, 102U})
    flows.push_back({from, 0});
  return flows;
}

/// Every host sends to one and receives from one, likewise.
std::vector<Flow> permutation() {
  constexpr std::uint8_t to[128] = {
      89,  86,  97, 42,  110, 0,  10,  17,  53,  21, 88,  118, 70,  58, 102, 22,  92,  108, 78, 117, 112, 4,
      5,   6,   76, 41,  7,   55, 103, 54,  45,  96, 127, 39,  27,  25, 59,  68,  81,  65,  26, 49,  31,  44,
      109, 107, 35, 119, 73,  91, 111, 105, 85,  90, 29,  125, 32,  46, 20,  56,  30,  9,   93, 24,  104, 12,
      100, 120, 51, 72,  48,  18, 122, 62,  113, 64, 37,  60,  123, 66, 114, 11,  101, 63,  77, 106, 2,   67,
      28,  79,  34, 52,  116, 3,  71,  16,  74,  75, 43,  84,  36,  40, 82,  1,   8,   57,  80, 95,  61,  47,
      124, 87,  83, 15,  115, 19, 99,  14,  94,  98, 13,  50,  33,  38, 23,  121, 69,  126};
  std::vector<Flow> flows;
  for (std::uint32_t from = 0; from < 128; ++from) flows.push_back({from, to[from]});
  return flows;
}

std::vector<Flow> to_host_0(std::uint32_t senders) {
  std::vector<Flow> flows;
  for (std::uint32_t from = 1; from <= senders; ++from) flows.push_back({from, 0});
  return flows;
}

/// Of `value` as a share of what is expected.
double off(double value, double expected) {
  return value / expected - 1;
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
}

/// Pauses hold up flows that don't cross the busy cables: without them the mean is 14 % less.
TEST(Roce, APermutationWithPausesOnlyEndsAsInHtsim) {
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    mean += completions(three_tiers(), htsim(), permutation(), 2 * mebi, seed).mean / 3;
  EXPECT_NEAR(off(mean, (474.796 + 475.306) / 2), 0, 0.1);
  Configuration without = htsim();
  without.fabric.shared.alpha = 1;
  EXPECT_LT(completions(three_tiers(), without, permutation(), 2 * mebi).mean, 0.95 * mean);
}

}  // namespace
}  // namespace morgana
