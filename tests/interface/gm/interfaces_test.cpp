// Control programs over the Myrinet network: what is in transit, crowds, losses.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/network/myrinet/routes/shortest_routes.h"
#include "emulator/topology/kinds/torus.h"
#include "tests/interface/gm/fabric.h"

namespace morgana::testing {
namespace {
using namespace literals;
using namespace gm_fabric;

/// Of a star: 0 to 2 by way of 1, all others straight.
RouteTable through_1(const SwitchGraph& graph) {
  RouteTable table = star_routes(graph);
  table.set(table.row_of(0), 2, std::vector<RouteByte>{1, in_transit_mark, 2});
  return table;
}
/// Every message is one packet.
gm::Parameters long_packets() {
  gm::Parameters parameters;
  parameters.largest_payload = 1_MiB;
  return parameters;
}
Fabric small_star(const MyrinetParameters& network = {}, const gm::Parameters& program = long_packets()) {
  return {star(5), through_1(star(5)), network, program};
}

gm::Parameters dear_handlers() {
  gm::Parameters parameters = long_packets();
  parameters.handler = 200;
  return parameters;
}

// However long it is, it takes as much longer than the direct way: it goes on while it comes.
TEST(GmInterfaces, APacketInTransitIsSentOnWhileItStillComes) {
  std::vector<SimTime> added;
  for (const std::int64_t bytes : {10, 1'000, 100'000}) {
    SimTime delivered[2];
    for (const HostNumber from : {0U, 3U}) {
      Fabric fabric = small_star();
      fabric.post(0_ns, from, 2, bytes);
      fabric.run();
      delivered[from / 3] = fabric.delivery(0);
    }
    added.push_back(delivered[0] - delivered[1]);
  }
  EXPECT_EQ(added[0], added[1]);
  EXPECT_EQ(added[0], added[2]);
  EXPECT_LT(added[0], 2_us);
}

TEST(GmInterfaces, ABusyChannelOfTheHostInTransitIsWaitedFor) {
  Fabric free = small_star(), busy = small_star();
  for (Fabric* fabric : {&free, &busy}) fabric->post(20_us, 0, 2, 100);
  // Some 760 us on the bus, then 625 us on the channel.
  busy.post(0_ns, 1, 3, 100'000);
  busy.post(780_us, 0, 2, 100);
  free.run();
  busy.run();
  EXPECT_EQ(free.delivery(0), busy.delivery(0));
  EXPECT_GT(busy.delivery(2), 760_us + 625_us);
  EXPECT_EQ(busy.interfaces.at(PortId{1}).waited(), 1u);
}

// Host 4's packet holds host 2's channel when 0's comes by way of 1: what 1 sends is stopped, and all of it
// has long come to 1, which could take another packet meanwhile.
TEST(GmInterfaces, ReceptionGoesOnWhileSendingOnIsStopped) {
  Fabric fabric = small_star();
  fabric.post(0_ns, 4, 2, 100'000);
  fabric.post(770_us, 0, 2, 2'000);
  fabric.post(800_us, 3, 1, 10);
  fabric.run();
  const SwitchGraph graph = star(5);
  EXPECT_GT(fabric.network.time_stopped(graph.channel_from(HostNumber{1})), 100_us);
  EXPECT_EQ(fabric.network.time_stopped(graph.channel_from(HostNumber{0})), 0_ns);
  EXPECT_LT(fabric.delivery(2), 820_us);
  EXPECT_GT(fabric.delivery(1), 760_us + 625_us);
  EXPECT_EQ(fabric.delivered.size(), 3u);
  EXPECT_EQ(fabric.unacknowledged(), 0u);
}

TEST(GmInterfaces, WhatFindsNoRoomIsLostOrGoesThroughTheHostsMemory) {
  MyrinetParameters network;
  network.pool = 100_B;
  gm::Parameters unreliable;
  unreliable.acknowledge = false;
  Fabric discarding = small_star(network, unreliable);
  network.overflow = PoolOverflow::host_memory;
  Fabric storing = small_star(network);
  for (Fabric* fabric : {&discarding, &storing}) {
    fabric->post(0_ns, 0, 2, 500);
    fabric->post(50_us, 0, 2, 10);
    fabric->run();
    EXPECT_EQ(fabric->network.in_transit(HostNumber{1}).overflows, 1u);
  }
  EXPECT_EQ(discarding.lost.size(), 1u);
  EXPECT_TRUE(discarding.lost.contains(0));
  EXPECT_EQ(discarding.delivered.size(), 1u);
  EXPECT_NE(discarding.how_lost.find("found no room in transit at host 1"), std::string::npos);
  EXPECT_TRUE(storing.lost.empty());
  EXPECT_EQ(storing.delivered.size(), 2u);
  EXPECT_EQ(storing.interfaces.counters().repeated, 0u);
  EXPECT_GT(storing.delivery(0), MyrinetParameters().host_memory_delay);
}

TEST(GmInterfaces, RecvSendingOnByItselfSavesADispatchAndAHandler) {
  gm::Parameters program = dear_handlers();
  SimTime delivered[2];
  for (const bool itself : {true, false}) {
    program.recv_starts_sending = itself;
    Fabric fabric = small_star({}, program);
    fabric.post(0_ns, 0, 2, 5'000);  // all of it comes later than both
    fabric.run();
    delivered[itself] = fabric.delivery(0);
  }
  EXPECT_EQ(delivered[false] - delivered[true], (program.dispatch + program.handler) * program.lanai.cycle);
}

/// Packets between hosts of a torus at random, with minimal routes.
Fabric crowd(std::uint64_t seed, const gm::Parameters& program) {
  SwitchGraph graph = topology::torus({.sides = {4, 4}, .hosts_per_switch = 2, .ports_per_switch = 8});
  RouteTable routes = in_transit_routes(graph, UpDown(graph), {.seed = seed});
  return {graph, std::move(routes), {}, program};
}

TEST(GmInterfaces, EveryPacketOfACrowdIsDeliveredAcknowledgedAndInOrder) {
  std::uint64_t in_transit = 0, waited = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    gm::Parameters program;
    program.recv_starts_sending = seed % 2 == 0;
    Fabric fabric = crowd(seed, program);
    RandomStream random(seed, "crowd of packets");
    std::vector<std::pair<SimTime, std::pair<HostNumber, HostNumber>>> plan;
    for (int i = 0; i < 1000; ++i) {
      const auto from = static_cast<HostNumber>(random.below(32));
      const auto to = static_cast<HostNumber>((from + 1 + random.below(31)) % 32);
      plan.push_back({SimTime::from_ps(static_cast<std::int64_t>(random.below(1'000'000'000))), {from, to}});
    }
    std::sort(plan.begin(), plan.end());
    for (const auto& [at, pair] : plan)
      fabric.post(at, pair.first, pair.second, 1 + static_cast<std::int64_t>(random.below(1000)));
    fabric.run();
    EXPECT_EQ(fabric.delivered.size(), plan.size());
    EXPECT_EQ(fabric.unacknowledged(), 0u);
    EXPECT_EQ(fabric.interfaces.counters().repeated, 0u);
    for (HostNumber host = 0; host < 32; ++host) {
      EXPECT_FALSE(fabric.interfaces.at(PortId{host}).processor().busy());
      in_transit += fabric.network.in_transit(host).packets;
      waited += fabric.interfaces.at(PortId{host}).waited();
    }
  }
  EXPECT_GT(in_transit, 1000u);
  EXPECT_GT(waited, 100u);
}

}  // namespace
}  // namespace morgana::testing
