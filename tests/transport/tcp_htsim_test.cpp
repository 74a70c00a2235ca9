// DCTCP against csg-htsim (at 841d9e7b) on the same configuration: 128 hosts on three tiers of 100 Gb/s and
// 1 us, switches that store and forward without latency, marks above 15 packets when one leaves a queue, no
// losses. Segments of 4,096 B on the link, acknowledgements of 40 B, one for each segment; the initial window
// has 10 segments, and one more for the acknowledgement of the SYN, which it counts; slow start ends at 100;
// a handshake comes first; gain 1/16. Completion is the last acknowledgement. What is expected was measured
// with that program; its text is not here.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "emulator/routing/switch_tables.h"
#include "emulator/transport/tcp/tcp.h"
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
using testing::three_tiers;
using TcpFlows = testing::Flows<Tcp, TcpParameters>;

constexpr Bytes packet{4096}, header{40};

fabric::FabricParameters switches() {
  fabric::FabricParameters all;
  all.queueing = fabric::Queueing::output_queues;
  all.forwarding = fabric::Forwarding::store_and_forward;
  all.latency = SimTime();
  all.flow_control = fabric::FlowControl::none;
  all.packet = {.header = Bytes(0), .minimum = Bytes(0), .gap = Bytes(0), .largest = packet};
  all.marks = {.from = 15 * packet, .to = 15 * packet, .share = 1, .when = fabric::MarkWhen::leaving};
  return all;
}

TcpParameters dctcp() {
  TcpParameters all;
  all.header = header;
  all.timestamps = false;
  all.sack = false;
  all.message_header = Bytes(0);
  all.send_buffer = all.receive_buffer = Bytes(100'000'000);
  all.acknowledge_every = 1;
  all.control = TcpParameters::Control::dctcp;
  all.window.initial = 11;
  all.window.slow_start = 100;
  all.window.byte_counting = 1;
  all.dctcp.first_alpha = 0;
  return all;
}

/// @param packets  of each flow
Completions completions(const std::vector<Flow>& flows, std::int64_t packets, std::uint64_t seed = 1) {
  EventQueue events;
  const CabledGraph network = CabledGraph::uniform(three_tiers(), {BitRate(100'000'000'000), micro(1)});
  RoutesParameters routes;
  routes.routes = RoutesKind::ecmp;
  routes.seed = seed;
  FabricNetwork fabric(events, network, switches(), SwitchTables(network, routes, {}, SimTime()));
  const TcpFlows run(events, fabric, network.graph.hosts(), dctcp(), flows, packets * (packet - header));
  return Completions::of(run.completions());
}

/// Which flows share cables differs, as hashes do: the mean of three draws.
Completions drawn_thrice(const std::vector<Flow>& flows, std::int64_t packets) {
  Completions all{0, 0, 0};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) all.add(completions(flows, packets, seed), 1.0 / 3);
  return all;
}

/// Without congestion: six cables of 1 us each way, five switches where a segment is stored. The handshake
/// takes 12 us, six times the SYN and the SYN and ACK (48 B), and its ACK goes before data; 11, 22 and 44
/// segments go while the first acknowledgement of each of these windows comes back, and from then on there is
/// always one of the others.
TEST(TcpAndHtsim, AFlowAloneTakesWhatSlowStartAndTheCableTake) {
  const double segment = 0.32768, syn = 0.00384, acknowledgement = 0.0032;
  const double round_trip = 12 + 6 * segment + 6 * acknowledgement;
  const double by_hand = 12 + 12 * syn + acknowledgement + 2 * round_trip + (512 - 11 - 22) * segment + 12 +
                         5 * segment + 6 * acknowledgement;
  const Completions alone = completions({{5, 77}}, 512);
  EXPECT_NEAR(alone.most, by_hand, 0.00001);
  EXPECT_NEAR(off(alone.most, 210.607), 0, 0.001);
}

TEST(TcpAndHtsim, IncastsEndTogether) {
  const Completions small = completions(incast_of_16(), 16);
  EXPECT_NEAR(off(small.least, 14.6408), 0, 0.01);
  EXPECT_NEAR(off(small.mean, (90.009 + 86.937 + 87.695) / 3), 0, 0.1);
  EXPECT_NEAR(off(small.most, 100.716), 0, 0.01);
  const Completions large = completions(incast_of_16(), 512);
  EXPECT_NEAR(off(large.mean, (2538.653 + 2520.389 + 2523.920) / 3), 0, 0.1);
  EXPECT_NEAR(off(large.most, (2776.89 + 2773.66 + 2765.93) / 3), 0, 0.03);
  // Of 16 and of 64 the last is the one that 1 in 100 exceeds.
  EXPECT_NEAR(off(small.p99, 100.716), 0, 0.1);
  EXPECT_NEAR(off(large.p99, (2776.89 + 2773.66 + 2765.93) / 3), 0, 0.1);
  const Completions small_of_64 = completions(incast_of_64(), 16);
  EXPECT_NEAR(off(small_of_64.mean, 298.914), 0, 0.1);
  EXPECT_NEAR(off(small_of_64.p99, 347.898), 0, 0.1);
  const Completions large_of_64 = completions(incast_of_64(), 512);
  EXPECT_NEAR(off(large_of_64.mean, 10602.854), 0, 0.1);
  EXPECT_NEAR(off(large_of_64.p99, 10749.8), 0, 0.1);
}

TEST(TcpAndHtsim, PermutationsEndTogether) {
  const Completions small = drawn_thrice(permutation(), 16);
  EXPECT_NEAR(off(small.mean, (42.242 + 41.669 + 42.388) / 3), 0, 0.1);
  EXPECT_NEAR(off(small.most, (51.927 + 48.733 + 51.892) / 3), 0, 0.1);
  EXPECT_NEAR(off(small.p99, (51.599 + 46.763 + 51.564) / 3), 0, 0.1);
  const Completions large = drawn_thrice(permutation(), 512);
  EXPECT_NEAR(off(completions(permutation(), 512).mean, (468.951 + 431.521) / 2), 0, 0.1);
  EXPECT_NEAR(off(large.mean, (468.951 + 431.521) / 2), 0, 0.1);
  // csg-htsim cuts a window by half of alpha at the end of each, also if nothing of it was marked, as long as
  // alpha is above 0; RFC 8257 (3.3) cuts only where a mark is echoed. So flows that share cables are slower
  // there, and the slowest by most. With its rule in place of the RFC's the 99th percentile is 2 % off.
  EXPECT_LT(off(large.p99, (915.739 + 888.912) / 2), 0);
  EXPECT_GT(off(large.p99, (915.739 + 888.912) / 2), -0.2);
}

}  // namespace
}  // namespace morgana
