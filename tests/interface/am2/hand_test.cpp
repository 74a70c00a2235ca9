// Messages between hosts, each step by hand; what things take stands in bench.h.
#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "tests/interface/am2/bench.h"

namespace morgana::testing {
namespace {
using namespace literals;
using namespace am2_bench;

// serve until 110, when it is sent; it has left at 139, and finish_send takes until 199. It is there at 258,
// finish_receive 368. The ACK: start_send 418, there at 544, taken in at 594, and the one channel is free for
// the second message: serve 704, there at 852, finish_receive 962.
TEST(Am2ByHand, AShortMessageAndItsAck) {
  am2::Parameters one_channel = firmware_parameters();
  one_channel.channels = 1;
  Bench bench(2, one_channel);
  bench.inject(0, 0, 1, 16);
  bench.inject(1, 0, 1, 16);
  bench.run();
  EXPECT_EQ(bench.departed.at(0), 139_ns);
  EXPECT_EQ(bench.delivered.at(0), 368_ns);
  EXPECT_EQ(bench.delivered.at(1), 962_ns);
  EXPECT_EQ(bench.interfaces->counters().acks, 2u);
}

// With a second channel a second message needs no ACK: serve goes before finish_send and lasts from 110 to
// 220, when the first has left. It is at the switch at 230, whose output is held until the first's 28 flits
// have gone, from 220 to 248; routed at 348, there 10 + 28 later, at 386. By then the first, taken in at 368,
// is being acknowledged, until 418: finish_receive 528.
TEST(Am2ByHand, ChannelsLetMessagesBeUnderWayAtOnce) {
  Bench bench(2);
  bench.inject(0, 0, 1, 16);
  bench.inject(1, 0, 1, 16);
  bench.run();
  EXPECT_EQ(bench.delivered.at(0), 368_ns);
  EXPECT_EQ(bench.departed.at(1), 249_ns);
  EXPECT_EQ(bench.delivered.at(1), 528_ns);
}

// serve until 110, the bus 1500 until 1610, finish_fetch 1650, when it is sent; it has left at 2163, and is
// there at 2282. finish_receive 2392, the bus 1250 until 3642, finish_deliver 3682.
TEST(Am2ByHand, AMediumMessage) {
  Bench bench(2);
  bench.inject(0, 0, 1, 500);
  bench.run();
  EXPECT_EQ(bench.departed.at(0), 2'163_ns);
  EXPECT_EQ(bench.delivered.at(0), 3'682_ns);
}

// The bus takes 10 ns a byte to the host, and one message may wait for it. The first one, as above, until
// 2392, the bus 6000 until 8392, finish_deliver 8432. The second is served when the first has left, from 2163
// to 2273, the bus until 3773, finish_fetch 3813, there at 4445, finish_receive 4555: no room, NACK. The scan
// at 20 us takes until 20015, serve 20125, the bus 21625, finish_fetch 21665, there at 22297, finish_receive
// 22407, the bus 28407, finish_deliver 28447.
TEST(Am2ByHand, AFullReceiveQueueRefusesAndTheScanSendsAgain) {
  am2::Parameters slow = firmware_parameters();
  slow.receive_queue = 1;
  slow.lanai.bus_rate_to_host = BitRate(800'000'000);
  Bench bench(2, slow);
  bench.inject(0, 0, 1, 500);
  bench.inject(1, 0, 1, 500);
  bench.run();
  EXPECT_EQ(bench.delivered.at(0), 8'432_ns);
  EXPECT_EQ(bench.delivered.at(1), 28'447_ns);
  EXPECT_EQ(bench.interfaces->counters().nacks, 1u);
  EXPECT_EQ(bench.interfaces->counters().repeated, 1u);
}

// The first copy is corrupted, and nobody answers. The scan at 20 us until 20015, serve 20125, there at
// 20273, finish_receive 20383.
TEST(Am2ByHand, TheScanSendsAgainWhatWasLost) {
  Bench bench(2);
  bench.myrinet->corrupt_when(
      [first = true](UnitId, CableChannel) mutable { return std::exchange(first, false); });
  bench.inject(0, 0, 1, 16);
  bench.run();
  EXPECT_EQ(bench.delivered.at(0), 20'383_ns);
  EXPECT_EQ(bench.interfaces->counters().nacks, 0u);
}

// A packet crosses two channels: the third crossing is the ACK's first.
TEST(Am2ByHand, ADuplicateIsAcknowledgedAgainAndNotDelivered) {
  Bench bench(2);
  bench.myrinet->corrupt_when([crossing = 0](UnitId, CableChannel) mutable { return ++crossing == 3; });
  bench.inject(0, 0, 1, 16);
  bench.run();
  EXPECT_EQ(bench.delivered.at(0), 368_ns);
  EXPECT_EQ(bench.interfaces->counters().duplicates, 1u);
  EXPECT_EQ(bench.interfaces->counters().acks, 2u);
  EXPECT_TRUE(bench.interfaces->at(PortId{0}).idle());
}

// Sent at 110, again at 20125 and 40125; the scan at 60 us takes until 60015.
TEST(Am2ByHand, WhatNobodyAnswersIsReturned) {
  am2::Parameters two = firmware_parameters();
  two.tries = 2;
  Bench bench(2, two);
  bench.myrinet->corrupt_when([](UnitId, CableChannel) { return true; });
  bench.inject(0, 0, 1, 16);
  bench.run();
  EXPECT_EQ(bench.lost.at(0), 60'015_ns);
  EXPECT_TRUE(bench.delivered.empty());
  EXPECT_EQ(bench.interfaces->under_way(), 0u);
}

// 30,000 bytes are four packets of 8 KiB at most; with one channel the first stops the rest, which is
// returned with it.
TEST(Am2ByHand, ALongMessageIsReturnedOnceWithWhatWasNeverSent) {
  am2::Parameters two = firmware_parameters();
  two.tries = 2;
  two.channels = 1;
  Bench bench(2, two);
  bench.myrinet->corrupt_when([&](UnitId, CableChannel) { return bench.events.now() < 70_us; });
  bench.inject(0, 0, 1, 30'000);
  bench.inject(1, 0, 1, 30'000);
  bench.run();
  EXPECT_EQ(bench.lost.count(0), 1u);
  EXPECT_EQ(bench.delivered.count(1), 1u);
  EXPECT_EQ(bench.interfaces->under_way(), 0u);
  EXPECT_TRUE(bench.interfaces->at(PortId{0}).idle());
}

// Endpoints have turns of `loiter` messages: of three of endpoint 0 and three of endpoint 1, posted at once,
// two of endpoint 0 go first, then two of endpoint 1, then one each. Each serve takes 110, so that the
// departures are in order.
TEST(Am2ByHand, EndpointsAreVisitedInTurn) {
  am2::Parameters loiter = firmware_parameters();
  loiter.loiter = 2;
  Bench bench(3, loiter);
  for (std::uint64_t id = 0; id < 3; ++id) bench.inject(id, 0, 1, 16, {EndpointId{0}});
  for (std::uint64_t id = 3; id < 6; ++id) bench.inject(id, 0, 2, 16, {EndpointId{1}});
  bench.run();
  EXPECT_LT(bench.departed.at(1), bench.departed.at(3));
  EXPECT_LT(bench.departed.at(4), bench.departed.at(2));
  EXPECT_LT(bench.departed.at(2), bench.departed.at(5));
}

// An endpoint's messages leave in the order of its program's writes, but what has no free channel to its peer
// is passed over: of three messages for host 1 the last one waits for the first ACK, and the one for host 2
// does not.
TEST(Am2ByHand, WhatHasNoChannelIsPassedOver) {
  am2::Parameters two_channels = firmware_parameters();
  two_channels.channels = 2;
  Bench bench(3, two_channels);
  for (std::uint64_t id = 0; id < 3; ++id) bench.inject(id, 0, 1, 16);
  bench.inject(3, 0, 2, 16);
  bench.run();
  EXPECT_LT(bench.departed.at(1), bench.departed.at(3));
  EXPECT_LT(bench.departed.at(3), bench.departed.at(2));
}

// Hosts 1 to 4 send 20 short messages each to host 0, whose processor needs 110 ns and more for each: every
// packet is 28 flits. One buffer, and its link is stopped while a packet is in it: senders' channels stand
// still, nothing is lost, and nothing is sent again. With as many buffers as packets nobody is stopped.
TEST(Am2ByHand, AnInterfaceWithoutABufferStopsItsLink) {
  for (const std::int64_t buffers : {1, 80}) {
    SCOPED_TRACE(buffers);
    am2::Parameters few = firmware_parameters();
    few.receive_buffers = buffers;
    Bench bench(5, few);
    for (std::uint32_t id = 0; id < 80; ++id) bench.inject(id, 1 + id % 4, 0, 16);
    bench.run();
    EXPECT_EQ(bench.delivered.size(), 80u);
    EXPECT_EQ(bench.interfaces->counters().repeated, 0u);
    EXPECT_EQ(bench.time_stopped_towards(0) > 0_ns, buffers == 1);
  }
}

// Of ten senders' packets more are in line at the receiver than it can take in between two scans, so that all
// are sent again and again. Were ACKs made only when nothing is left to be taken in, a channel would first be
// free when its packet is given up, after 255 scans.
TEST(Am2ByHand, AcksGoOutWhilePacketsKeepComing) {
  am2::Parameters slow = firmware_parameters();
  slow.message = 590;
  slow.receive_buffers = 64;
  Bench bench(11, slow);
  for (std::uint32_t id = 0; id < 400; ++id) bench.inject(id, 1 + id % 10, 0, 16);
  bench.run();
  EXPECT_EQ(bench.delivered.size(), 400u);
  EXPECT_GT(bench.interfaces->counters().repeated, 0u);
  EXPECT_LT(bench.delivered.at(399), slow.quantum * slow.tries);
}

TEST(Am2Parameters, NamesWhatIsOutOfRange) {
  am2::Parameters firmware = firmware_parameters();
  firmware.channels = 0;
  EXPECT_THROW(firmware.check(), Error);
}

}  // namespace
}  // namespace morgana::testing
