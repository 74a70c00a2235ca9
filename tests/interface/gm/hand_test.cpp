// Messages from one host's memory to another's, each step by hand.
#include <gtest/gtest.h>

#include "tests/interface/gm/fabric.h"

namespace morgana::testing {
namespace {
using namespace literals;
using namespace gm_fabric;

// A flit takes 1 ns, a cable 10 ns, routing 100 ns; a packet has a type of 1 byte, a header of 10 and a CRC
// of 1: with n bytes of data it is there 100 + 2 x 10 + 12 + n = 132 + n ns after it was sent, and its last
// flit has left after 13 + n ns, its route's byte being the first. A dispatch and a handler take 10 + 100
// cycles of 1 ns, the bus 1 us and 1 ns a byte.
Fabric two_hosts(std::int64_t largest_payload) {
  MyrinetParameters network;
  network.flit = 1_ns;
  network.cable = network.control = 10_ns;
  network.routing = 100_ns;
  network.slack = 1000;  // nothing is stopped while it is routed
  network.stop_above = 900;
  gm::Parameters program;
  program.lanai.cycle = 1_ns;
  program.dispatch = 10;
  program.handler = 100;
  program.in_transit_support = false;
  program.lanai.bus_latency = 1_us;
  program.lanai.bus_rate = BitRate(8'000'000'000);
  program.header = 10_B;
  program.largest_payload = Bytes(largest_payload);
  return {star(2), star_routes(star(2)), network, program};
}

// start_sdma until 110, the bus 1500, finish_sdma 1720, start_send 1830: it leaves, and is there 632 later,
// at 2462; its last flit has left at 1830 + 513. finish_recv 2572; start_send for the acknowledgement 2682,
// which comes before start_rdma 2792; the bus 4292; finish_rdma 4402.
TEST(GmByHand, AMessageOfOnePacket) {
  Fabric fabric = two_hosts(4096);
  fabric.post(0_ns, 0, 1, 500);
  fabric.run();
  EXPECT_EQ(fabric.departed.at(0), 2'343_ns);
  EXPECT_EQ(fabric.delivery(0), 4'402_ns);
}

// Packets of 500, 500 and 200 bytes, and two send buffers.
//
// Sender: start_sdma 110, bus 1610, finish_sdma 1720, start_send 1830: packet 1 leaves, comes at 2462.
//   start_sdma 1940 for packet 2, bus 3440, finish_sdma 3550, start_send 3660: it leaves (the last flit at
//   4173), and comes at 4292. Packet 1's finish_send (2343 to 2453) and acknowledgement (at 2814) found time
//   meanwhile. start_sdma 3770 for packet 3, whose buffer packet 1 has left; bus 1200 until 4970; the
//   acknowledgement of packet 2 comes at 4754, finish_recv 4864; finish_sdma 5080, start_send 5190: it leaves
//   (the last flit at 5403), and comes 332 later at 5522.
// Receiver: packet 1: finish_recv 2572, start_send 2682 (acknowledgement), start_rdma 2792, bus 4292.
//   At 4292 packet 2 comes, too, and that precedes: finish_recv 4402, finish_rdma of packet 1 4512,
//   start_send 4622, start_rdma 4732, bus 1500 until 6232. Packet 3 comes at 5522: finish_recv 5632,
//   start_send 5742. finish_rdma of packet 2 6342, start_rdma 6452, bus 1200 until 7652, finish_rdma 7762.
TEST(GmByHand, AMessageOfThreePackets) {
  Fabric fabric = two_hosts(500);
  fabric.post(0_ns, 0, 1, 1200);
  fabric.run();
  EXPECT_EQ(fabric.departed.at(0), 5'403_ns);
  EXPECT_EQ(fabric.delivery(0), 7'762_ns);
  EXPECT_EQ(fabric.interfaces.counters().packets, 3u);
  EXPECT_EQ(fabric.interfaces.counters().acknowledgements, 3u);
}

// A message of no bytes is a packet; one that fills two packets takes no third.
TEST(GmByHand, AMessageTakesAsManyPacketsAsItFills) {
  for (const auto& [bytes, packets] : {std::pair(0, 1U), {1, 1U}, {500, 1U}, {501, 2U}, {1000, 2U}}) {
    Fabric fabric = two_hosts(500);
    fabric.post(0_ns, 0, 1, bytes);
    fabric.run();
    EXPECT_EQ(fabric.interfaces.counters().packets, packets) << bytes;
    EXPECT_EQ(fabric.delivered.size(), 1u);
  }
}

// The bus takes 1 us for each direction at least, the network 100 + 20 + 2 ns for type and CRC.
TEST(GmByHand, NothingComesSoonerThanBothBusesAndTheNetworkAllow) {
  EXPECT_EQ(two_hosts(500).interfaces.least_latency(), 2'122_ns);
}

}  // namespace
}  // namespace morgana::testing
