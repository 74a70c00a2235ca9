// When an endpoint leaves the interface's memory, and what becomes of messages meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tests/interface/am2/bench.h"
#include "tests/interface/am2/one_end.h"

namespace morgana::testing {
namespace {
using namespace literals;
using namespace am2_bench;
using am2::Residency;

TEST(Am2Residency, AnEndpointWithoutOutstandingPacketsIsUnloadedAtOnce) {
  OneEnd one;
  one.end().evict();
  EXPECT_EQ(one.end().residency(), Residency::absent);
}

TEST(Am2Residency, AnAckForEachPacketLetsItGo) {
  OneEnd one;
  one.end().post(0, PortId{1}, 16_B);
  one.end().post(1, PortId{1}, 16_B);
  one.run_until(1_us);
  ASSERT_EQ(one.sent.size(), 2u);
  one.end().evict();
  one.answer(0, am2::PacketType::ack);
  one.run_until(2_us);
  EXPECT_EQ(one.end().residency(), Residency::unloading);
  one.answer(1, am2::PacketType::ack);
  one.run_until(3_us);
  EXPECT_EQ(one.end().residency(), Residency::absent);
  EXPECT_TRUE(one.end().idle());
}

// Copies leave at 110 ns and behind the scan at 20 us; the first one's NACK comes after the second has left:
// an ACK may still follow.
TEST(Am2Residency, ANackCountsOnlyForTheLatestCopy) {
  OneEnd one;
  one.end().post(0, PortId{1}, 16_B);
  one.run_until(1_us);
  one.end().evict();
  one.run_until(25_us);
  ASSERT_EQ(one.sent.size(), 2u);
  ASSERT_LT(one.sent[0].timestamp, one.sent[1].timestamp);
  one.answer(0, am2::PacketType::nack);
  one.run_until(30_us);
  EXPECT_EQ(one.end().residency(), Residency::unloading);
  one.answer(1, am2::PacketType::nack);
  one.run_until(31_us);
  EXPECT_NE(one.end().residency(), Residency::unloading);
  EXPECT_EQ(one.end().counters().unloads, 1u);
}

// The scan's copy is still leaving when the first one's ACK comes: no channel is in use any more, but the
// network DMA reads the message from the endpoint's frame.
TEST(Am2Residency, AnEndpointStaysWhileACopyOfItsPacketIsLeaving) {
  OneEnd one;
  one.end().post(0, PortId{1}, 16_B);
  one.run_until(1_us);
  one.link_is_slow = true;
  one.run_until(25_us);
  ASSERT_EQ(one.sent.size(), 2u);
  one.end().evict();
  one.answer(0, am2::PacketType::ack);
  one.run_until(26_us);
  EXPECT_EQ(one.end().residency(), Residency::unloading);
  one.let_go();
  EXPECT_EQ(one.end().residency(), Residency::absent);
}

// The scan at 20 us has a long packet fetched again until 21.4 us. Its ACK comes meanwhile, and two short
// packets go over its channel, the second with the sequence number that it had: it is not sent in that one's
// place.
TEST(Am2Residency, AStaleRepetitionIsNotSentWhenTheSequenceNumberHasComeRound) {
  OneEnd one;
  one.end().post(0, PortId{1}, 269_B);
  one.run_until(20300_ns);
  ASSERT_EQ(one.sent.size(), 1u);
  one.answer(0, am2::PacketType::ack);
  one.end().post(1, PortId{1}, 16_B);
  one.run_until(20600_ns);
  ASSERT_EQ(one.sent.size(), 2u);
  one.answer(1, am2::PacketType::ack);
  one.end().post(2, PortId{1}, 16_B);
  one.run_until(20900_ns);
  ASSERT_EQ(one.sent.size(), 3u);
  EXPECT_EQ(one.sent[2].channel, one.sent[0].channel);
  EXPECT_EQ(one.sent[2].sequence, one.sent[0].sequence);
  one.run_until(25_us);
  EXPECT_EQ(one.sent.size(), 3u);
  one.answer(2, am2::PacketType::ack);
  one.run_until(26_us);
  EXPECT_TRUE(one.end().idle());
}

// It has a message left, so it is wanted, and loaded 100 us later; the packet is sent with the number that it
// had, and again as a repetition.
TEST(Am2Residency, WhatWasRefusedIsSentWhenTheEndpointIsLoadedAgain) {
  OneEnd one;
  one.end().post(0, PortId{1}, 16_B);
  one.run_until(1_us);
  one.end().evict();
  one.answer(0, am2::PacketType::nack);
  one.run_until(2_us);
  EXPECT_EQ(one.end().residency(), Residency::loading);
  one.run_until(102_us);
  ASSERT_EQ(one.sent.size(), 2u);
  EXPECT_EQ(one.sent[1].sequence, one.sent[0].sequence);
  EXPECT_EQ(one.end().counters().packets, 1u);
  EXPECT_EQ(one.end().counters().repeated, 1u);
  one.answer(1, am2::PacketType::ack);
  one.run_until(103_us);
  EXPECT_TRUE(one.end().idle());
}

// Nobody answers the packet, nor 255 repetitions, one each 20 us: returned, and nothing is outstanding any
// more.
TEST(Am2Residency, AReturnedPacketIsNotWaitedFor) {
  OneEnd one;
  one.end().post(7, PortId{1}, 16_B);
  one.run_until(1_us);
  one.end().evict();
  one.run_until(6_ms);
  EXPECT_EQ(one.returned, std::vector<std::uint32_t>{7});
  EXPECT_EQ(one.end().residency(), Residency::absent);
}

// The message is there at 258 as in hand_test.cpp and taken in at 368: refused, and the endpoint loaded until
// 100,368. The scans at 20, 40, 60 and 80 us find it absent or loading; the one at 100 us takes until
// 100,015, serve 100,125, there at 100,273, taken in at 100,383.
TEST(Am2Residency, AMessageHasAnAbsentEndpointLoaded) {
  Bench bench(2);
  bench.interfaces->evict(PortId{1});
  bench.inject(0, 0, 1, 16);
  bench.run();
  EXPECT_EQ(bench.delivered.at(0), 100'383_ns);
  EXPECT_EQ(bench.interfaces->counters().nacks, 5u);
}

constexpr EndpointId first{0}, second{1}, third{2};

// A load takes 100 us, from the write on. A write that finds the endpoint there goes on in the same instant.
TEST(Am2Residency, AWriterIsSuspendedUntilItsEndpointHasAFrame) {
  OneEnd one;
  EXPECT_FALSE(one.end().suspends(first));
  one.end().evict(first);
  one.run_until(1_us);
  EXPECT_TRUE(one.end().suspends(first));
  one.end().post(0, PortId{1}, 16_B, {first, first}, true);
  one.run_until(102_us);
  EXPECT_EQ(one.written_at.at(0), 100_us);
  ASSERT_EQ(one.sent.size(), 1u);
  one.end().post(1, PortId{1}, 16_B, {first, first}, true);
  one.run_until(103_us);
  EXPECT_LT(one.written_at.at(1), 101_us);
  EXPECT_EQ(one.end().counters().faults, 1u);
}

struct Writes : EndpointWriter {
  explicit Writes(const EventQueue& queue) : events(queue) {}
  void endpoint_written(std::uint64_t write) override { over[write] = events.now(); }
  const EventQueue& events;
  std::map<std::uint64_t, SimTime> over;
};

// Host 0's endpoint is absent and loaded after 100 us; host 1's is resident, so that its write is over at
// once, but not before inject() has returned. Nobody waits for the third message.
TEST(Am2Residency, AWriterLearnsOfItsOwnWrites) {
  Bench bench(2);
  Writes writes(bench.events);
  EndpointNetwork& network = *bench.interfaces->extensions().endpoints;
  bench.interfaces->evict(PortId{0});
  EXPECT_TRUE(network.suspends(PortId{0}, first));
  EXPECT_FALSE(network.suspends(PortId{1}, first));
  network.address_next({{first, first}, &writes, 7});
  bench.inject(0, 0, 1, 16);
  network.address_next({{first, first}, &writes, 8});
  bench.inject(1, 1, 0, 16);
  EXPECT_TRUE(writes.over.empty());
  network.address_next({{first, first}});
  bench.inject(2, 1, 0, 16);
  bench.run();
  EXPECT_EQ(writes.over, (std::map<std::uint64_t, SimTime>{{7, 100_us}, {8, SimTime()}}));
  EXPECT_EQ(bench.delivered.size(), 3u);
  EXPECT_GT(bench.delivered.at(0), 100_us);
}

// The second endpoint of host 1 has a queue of its own, and an address is of one message alone.
TEST(Am2Residency, AMessageWithoutAnAddressTravelsBetweenTheFirstEndpoints) {
  am2::Parameters parameters = firmware_parameters();
  parameters.receive_queue = 1;
  Bench bench(2, parameters);
  const Ends held{second, second, false, true};
  bench.inject(0, 0, 1, 16, held);
  bench.inject(1, 0, 1, 16);
  bench.inject(2, 0, 1, 16);
  bench.run_until(15_us);  // before the first scan
  EXPECT_EQ(bench.delivered.size(), 3u);
  EXPECT_EQ(bench.interfaces->counters().nacks, 0u);
  bench.inject(3, 0, 1, 16, held);
  bench.run_until(19_us);
  EXPECT_EQ(bench.interfaces->counters().nacks, 1u);
  bench.interfaces->consumed(PortId{1}, held);
  bench.run();
  EXPECT_EQ(bench.delivered.size(), 4u);
}

// Two frames, of which the first endpoint's was used last.
TEST(Am2Residency, TheLeastRecentlyUsedEndpointMakesRoom) {
  OneEnd one(2);
  one.message_comes(0, {third, first});
  one.message_comes(1, {third, second});
  one.message_comes(2, {third, first});
  one.run_until(1_us);
  EXPECT_EQ(one.answers(am2::PacketType::ack), 3u);
  one.message_comes(3, {first, third});
  one.run_until(102_us);  // the driver takes up to 100 us to come to it
  EXPECT_EQ(one.answers(am2::PacketType::nack), 1u);
  EXPECT_EQ(one.end().residency(first), Residency::resident);
  EXPECT_EQ(one.end().residency(second), Residency::absent);
  EXPECT_EQ(one.end().residency(third), Residency::loading);
  one.run_until(202_us);
  EXPECT_EQ(one.end().residency(third), Residency::resident);
}

// 16 requests that no program takes out, and the 17th is refused; replies have a queue of their own, and a
// request that is taken out makes room for another.
TEST(Am2Residency, AReceiverThatDoesNotPollRefusesTheSeventeenthRequest) {
  OneEnd one;
  const Ends request{first, first, false, true}, reply{first, first, true, true};
  for (std::uint32_t number = 0; number < 17; ++number) {
    one.message_comes(number, request);
    one.run_until((number + 1) * 1_us);
  }
  EXPECT_EQ(one.answers(am2::PacketType::ack), 16u);
  EXPECT_EQ(one.answers(am2::PacketType::nack), 1u);
  one.message_comes(17, reply);
  one.run_until(18_us);
  EXPECT_EQ(one.answers(am2::PacketType::ack), 17u);
  one.end().consumed(request);
  one.message_comes(16, request, 16_B, 18_us);
  one.run_until(19_us);
  EXPECT_EQ(one.answers(am2::PacketType::ack), 18u);
}

// Four of 1000 bytes take the four receive buffers. The first is taken in at 110 ns and by its bus
// transfer of 1.5 us in the host's memory, which the processor sees 40 ns later.
TEST(Am2Residency, ALongMessageHasItsReceiveBufferUntilItIsInTheHostsMemory) {
  OneEnd one;
  for (std::uint32_t number = 0; number < 4; ++number) one.message_comes(number, {first, first}, 1000_B);
  EXPECT_TRUE(one.link_is_stopped);
  one.run_until(1'649_ns);
  EXPECT_TRUE(one.link_is_stopped);
  one.run_until(1'650_ns);
  EXPECT_FALSE(one.link_is_stopped);
  one.run_until(10_us);
  EXPECT_TRUE(one.end().idle());
}

// As above; a copy that comes before has no answer of its own, one that comes later has.
TEST(Am2Residency, ALongMessageIsAcknowledgedWhenItIsInTheHostsMemory) {
  OneEnd one;
  one.message_comes(0, {first, first}, 1000_B);
  one.run_until(1_us);
  one.message_comes(0, {first, first}, 1000_B);
  one.run_until(1'649_ns);
  EXPECT_EQ(one.end().counters().duplicates, 1u);
  EXPECT_EQ(one.answers(am2::PacketType::ack), 0u);
  one.run_until(3_us);
  EXPECT_EQ(one.answers(am2::PacketType::ack), 1u);
  one.message_comes(0, {first, first}, 1000_B);
  one.run_until(4_us);
  EXPECT_EQ(one.answers(am2::PacketType::ack), 2u);
  EXPECT_EQ(one.answers(am2::PacketType::nack), 0u);
}

// Four buffers of 1010 bytes: a header of 10 and the largest payload of 1000. Short messages take 26 each;
// 116 of them are 3016, and one more is into the last buffer. They leave when the processor has looked at
// them, the first after 110 ns.
TEST(Am2Residency, ShortMessagesLieSideBySideInReceiveBuffers) {
  OneEnd one(7, 1000_B);
  for (std::uint32_t number = 0; number < 116; ++number) one.message_comes(number, {first, first});
  EXPECT_FALSE(one.link_is_stopped);
  one.message_comes(116, {first, first});
  EXPECT_TRUE(one.link_is_stopped);
  one.run_until(109_ns);
  EXPECT_TRUE(one.link_is_stopped);
  one.run_until(110_ns);
  EXPECT_FALSE(one.link_is_stopped);
}

// Up to 32 messages are under way to one endpoint, whose host DMA takes half as long again as the link: the
// link waits for it, and the queue of 16 refuses nothing.
TEST(Am2Residency, LongMessagesOfManySendersWaitOnTheLinkAndAreNotRefused) {
  Bench bench(9);
  for (std::uint32_t id = 0; id < 160; ++id) bench.inject(id, 1 + id % 8, 0, 1000);
  bench.run();
  EXPECT_EQ(bench.delivered.size(), 160u);
  EXPECT_EQ(bench.interfaces->counters().nacks, 0u);
  EXPECT_GT(bench.time_stopped_towards(0), SimTime());
}

// Eight senders of 20 held messages each, of up to three packets, to one endpoint, whose program takes out
// what has come each 5 us: more than its queue of 16 has room for, so that some are refused while others
// behind them are not.
TEST(Am2Residency, AQueueThatIsFullOfLaterMessagesDoesNotStopEarlierOnes) {
  am2::Parameters parameters = firmware_parameters();
  parameters.receive_queue = 3;
  Bench bench(9, parameters);
  const Ends ends{first, first, false, true};
  for (std::uint32_t id = 0; id < 160; ++id) bench.inject(id, 1 + id % 8, 0, id % 5 == 0 ? 20'000 : 16, ends);
  std::size_t taken = 0;
  for (SimTime until = 5_us; until < 100_ms && taken < 160; until += 5_us) {
    bench.run_until(until);
    for (; taken < bench.delivered.size(); ++taken) bench.interfaces->consumed(PortId{0}, ends);
  }
  EXPECT_EQ(bench.lost.size(), 0u);
  EXPECT_EQ(taken, 160u);
  EXPECT_GT(bench.interfaces->counters().nacks, 0u);
  EXPECT_EQ(bench.interfaces->under_way(), 0u);
}

// Three hosts with five endpoints each, which have two frames; messages of up to three packets between
// endpoints of the same number.
TEST(Am2Residency, NothingIsLostWhereEndpointsAreMoreThanFrames) {
  am2::Parameters few = firmware_parameters();
  few.frames = 2;
  few.load = 10_us;
  Bench bench(3, few);
  for (std::uint32_t id = 0; id < 150; ++id) {
    const EndpointId endpoint{id / 3 % 5};
    bench.inject(id, id % 3, (id + 1 + id / 15 % 2) % 3, id % 7 == 0 ? 20'000 : 16, {endpoint, endpoint});
  }
  bench.run();
  EXPECT_EQ(bench.delivered.size(), 150u);
  EXPECT_GT(bench.interfaces->counters().unloads, 15u);
  EXPECT_EQ(bench.interfaces->under_way(), 0u);
  for (std::uint32_t host = 0; host < 3; ++host) EXPECT_TRUE(bench.interfaces->at(PortId{host}).idle());
}

// Three endpoints of each of two hosts take turns in two frames.
std::map<std::uint64_t, SimTime> deliveries_with(std::uint64_t seed) {
  am2::Parameters few = firmware_parameters();
  few.frames = 2;
  Bench bench(2, few, seed);
  for (std::uint32_t id = 0; id < 12; ++id)
    bench.inject(id, id % 2, (id + 1) % 2, 16, {EndpointId{id % 3}, EndpointId{id % 3}});
  bench.run();
  return bench.delivered;
}

TEST(Am2Residency, TheSegmentDriversDelayFollowsTheRunsSeed) {
  EXPECT_EQ(deliveries_with(1), deliveries_with(1));
  EXPECT_NE(deliveries_with(1), deliveries_with(2));
}

// The only frame is wanted for another endpoint, and becomes free by itself before the segment driver comes
// to take it: while it is being loaded there is none to take. Later it is taken again.
TEST(Am2Residency, AFrameThatIsBeingLoadedIsNotWaitedForForEver) {
  OneEnd one(1);
  one.end().post(0, PortId{1}, 16_B, {first, first});
  one.run_until(1_us);
  one.answer(0, am2::PacketType::ack);
  one.run_until(2_us);
  one.message_comes(0, {first, second});
  one.run_until(2500_ns);  // the NACK is sent, and the driver under way
  ASSERT_EQ(one.answers(am2::PacketType::nack), 1u);
  one.end().evict(first);
  ASSERT_EQ(one.end().residency(second), Residency::loading);
  one.run_until(300_us);
  ASSERT_EQ(one.end().residency(second), Residency::resident);
  one.message_comes(1, {second, first}, 16_B, 300_us);
  one.run_until(600_us);
  EXPECT_EQ(one.end().residency(first), Residency::resident);
}

// A network doubles a copy; the first of the two is refused, and has the endpoint loaded. Its sender may have
// unloaded its own end by that NACK, and given channel and sequence number to another message: were the
// second of the two accepted, that other one would be a duplicate, acknowledged and never delivered.
TEST(Am2Residency, BothOfACopyThatTheNetworkDoublesAreRefused) {
  OneEnd one;
  one.end().post(0, PortId{1}, 16_B);  // the interface learns of its endpoint
  one.run_until(1_us);
  one.answer(0, am2::PacketType::ack);
  one.run_until(2_us);
  one.end().evict();
  ASSERT_EQ(one.end().residency(), Residency::absent);
  one.message_comes(0, {}, 16_B, 1_us);
  one.run_until(200_us);
  ASSERT_EQ(one.end().residency(), Residency::resident);
  one.message_comes(0, {}, 16_B, 1_us);
  one.run_until(201_us);
  EXPECT_EQ(one.answers(am2::PacketType::nack), 2u);
  EXPECT_EQ(one.answers(am2::PacketType::ack), 0u);
  one.message_comes(0, {}, 16_B, 20_us);
  one.run_until(202_us);
  EXPECT_EQ(one.answers(am2::PacketType::ack), 1u);
}

// Three hosts whose endpoints are taken away each 30 us, in the midst of messages of up to three packets:
// every one is delivered once.
TEST(Am2Residency, NothingIsLostWhileEndpointsComeAndGo) {
  am2::Parameters restless = firmware_parameters();
  restless.evict_every = 30_us;
  restless.load = 10_us;
  Bench bench(3, restless);
  for (std::uint32_t id = 0; id < 120; ++id)
    bench.inject(id, id % 3, (id + 1 + id / 3 % 2) % 3, id % 5 == 0 ? 20'000 : 16);
  bench.run();
  EXPECT_EQ(bench.delivered.size(), 120u);
  EXPECT_GT(bench.interfaces->counters().unloads, 10u);
  EXPECT_GT(bench.interfaces->counters().nacks, 10u);
  EXPECT_EQ(bench.interfaces->under_way(), 0u);
  for (std::uint32_t host = 0; host < 3; ++host) EXPECT_TRUE(bench.interfaces->at(PortId{host}).idle());
}

}  // namespace
}  // namespace morgana::testing
