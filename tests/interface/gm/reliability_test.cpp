// What a control program does about losses, with times by hand as the bench has them.
#include <gtest/gtest.h>

#include "tests/interface/gm/bench.h"

namespace morgana::testing {
namespace {
using namespace literals;
using namespace gm_bench;

Parameters after_20_us() {
  Parameters parameters = round_numbers();
  parameters.timeout = 20_us;
  return parameters;
}
/// All before `number` have come.
std::function<void(ControlProgram&)> acknowledged(Number number, Session session = 0) {
  Packet packet = incoming(number, PacketType::acknowledgement);
  packet.session = session;
  return received(packet);
}
/// A packet has come before packet `number`.
std::function<void(ControlProgram&)> refused(Number number) {
  Packet packet = incoming(number, PacketType::acknowledgement);
  packet.refuses = true;
  return received(packet);
}

// The last flit leaves at 2000, the time is up at 22000. resend takes 110, start_sdma 110, the bus 1000,
// finish_sdma and start_send 110 each.
TEST(GmReliability, ATimeOutFetchesAndSendsAgainWhatIsUnacknowledged) {
  Bench bench(after_20_us());
  bench.at(0_ns, post(7));
  bench.departs(2_us);
  EXPECT_EQ(bench.run(), Deeds({{"sends packet 7", 1'330_ns}, {"sends packet 7 again", 23'440_ns}}));
  EXPECT_EQ(bench.program.counters().timeouts, 1u);
  EXPECT_EQ(bench.program.counters().repeated, 1u);
}

TEST(GmReliability, AnAcknowledgementStopsTheTimeOut) {
  Bench bench(after_20_us());
  bench.at(0_ns, post(7));
  bench.departs(2_us);
  bench.at(21_us, acknowledged(1));
  EXPECT_EQ(bench.run(), Deeds({{"sends packet 7", 1'330_ns}}));
  EXPECT_EQ(bench.program.counters().timeouts, 0u);
}

// It comes at 21990 and takes the processor until 22105; the time is up at 22000, and nobody cares any more.
TEST(GmReliability, AnAcknowledgementThatIsHandledWhenTheTimeIsUpStopsTheTimeOut) {
  Bench bench(after_20_us());
  bench.at(0_ns, post(7));
  bench.departs(2_us);
  bench.at(21'990_ns, acknowledged(1));
  EXPECT_EQ(bench.run(), Deeds({{"sends packet 7", 1'330_ns}}));
  EXPECT_EQ(bench.program.counters().timeouts, 0u);
}

// A window of two: packet 9 is fetched when packet 7 is acknowledged. finish_recv 10 + 105, start_sdma 110,
// the bus 1000, finish_sdma and start_send 110 each.
TEST(GmReliability, TheWindowHoldsPacketsBackInTheHostsMemory) {
  Parameters parameters = round_numbers();
  parameters.window = 2;
  parameters.send_buffers = 8;
  Bench bench(parameters);
  for (const std::uint64_t id : {7U, 8U, 9U}) bench.at(0_ns, post(id));
  bench.departs(2_us);
  bench.departs(3_us);
  bench.at(10_us, acknowledged(1));
  EXPECT_EQ(
      bench.run(),
      Deeds({{"sends packet 7", 1'330_ns}, {"sends packet 8", 2'660_ns}, {"sends packet 9", 11'445_ns}}));
}

// finish_recv 10 + 105, start_send 110. Packet 2 is early, too, but packet 0 has been asked for. When that
// comes at 2000: finish_recv 115, start_send 110, start_rdma 110, the bus 1000, finish_rdma 110.
TEST(GmReliability, APacketThatIsEarlyIsDroppedAndRefusedOnce) {
  Bench bench;
  bench.at(0_ns, received(incoming(5, PacketType::gm, 1)));
  bench.departs(300_ns);
  bench.at(1_us, received(incoming(6, PacketType::gm, 2)));
  bench.at(2_us, received(incoming(4, PacketType::gm, 0)));
  EXPECT_EQ(bench.run(),
            Deeds({{"sends refusal, ack 0", 225_ns}, {"sends ack 1", 2'225_ns}, {"has packet 4", 3'445_ns}}));
  EXPECT_EQ(bench.program.counters().refusals, 1u);
}

TEST(GmReliability, APacketThatIsEarlyMayBeDroppedInSilence) {
  Parameters parameters = round_numbers();
  parameters.early = EarlyPackets::ignored;
  Bench bench(parameters);
  bench.at(0_ns, received(incoming(5, PacketType::gm, 1)));
  EXPECT_EQ(bench.run(), Deeds());
}

// finish_recv 115, start_sdma 110, the bus 1000, finish_sdma and start_send 110 each: 11445. start_sdma for
// packet 8 until 11555, the bus 12555; meanwhile packet 7 leaves at 12000; finish_sdma 12665, start_send
// 12775.
TEST(GmReliability, ARefusalIsAnsweredWithWhatIsMissingAndAllAfterIt) {
  Bench bench;
  bench.at(0_ns, post(7));
  bench.at(0_ns, post(8));
  bench.departs(2_us);
  bench.departs(3_us);
  bench.at(10_us, refused(0));
  bench.departs(12_us);
  EXPECT_EQ(bench.run(), Deeds({{"sends packet 7", 1'330_ns},
                                {"sends packet 8", 2'660_ns},
                                {"sends packet 7 again", 11'445_ns},
                                {"sends packet 8 again", 12'775_ns}}));
  EXPECT_EQ(bench.program.counters().timeouts, 0u);
}

// Its acknowledgement was lost. The first one takes finish_recv 115 and start_send 110, the second as much.
TEST(GmReliability, APacketThatComesAgainIsAcknowledgedAgainAndDropped) {
  Bench bench;
  bench.at(0_ns, received(incoming(5)));
  bench.departs(300_ns);
  bench.at(5_us, received(incoming(5)));
  EXPECT_EQ(bench.run(),
            Deeds({{"sends ack 1", 225_ns}, {"has packet 5", 1'445_ns}, {"sends ack 1", 5'225_ns}}));
}

// The channel is busy with the first acknowledgement, and one more stands for the two packets that come then.
TEST(GmReliability, AnAcknowledgementThatWaitsForTheChannelStandsForLaterOnes) {
  Bench bench;
  bench.at(0_ns, received(incoming(5, PacketType::gm, 0)));
  bench.at(1_us, received(incoming(6, PacketType::gm, 1)));
  bench.at(3_us, received(incoming(7, PacketType::gm, 2)));
  bench.departs(20_us);
  bench.run();
  EXPECT_EQ(bench.deeds.back(), (Bench::Deed{"sends ack 3", 20'220_ns}));
  EXPECT_EQ(bench.program.counters().acknowledgements, 2u);
}

/// Messages 7 and 8 that are sent, repeated when the time is up at 23000, and then given up: the second one
/// leaves again at 26000, the time is up at 46000, and resend takes 110.
Bench& gives_up(Bench& bench) {
  bench.at(0_ns, post(7));
  bench.at(0_ns, post(8));
  for (const SimTime time : {2_us, 3_us, 25_us, 26_us}) bench.departs(time);
  return bench;
}
Parameters one_try() {
  Parameters parameters = after_20_us();
  parameters.tries = 1;
  return parameters;
}

TEST(GmReliability, AfterItsTriesAConnectionReturnsWhatItHolds) {
  Bench bench(one_try());
  EXPECT_EQ(gives_up(bench).run(),
            Deeds({{"sends packet 7", 1'330_ns},
                   {"sends packet 8", 2'660_ns},
                   {"sends packet 7 again", 24'440_ns},
                   {"sends packet 8 again", 25'770_ns},
                   {"ends the session", 46'110_ns},
                   {"gets back 7: given up after 1 repetition, none of them acknowledged", 46'110_ns},
                   {"gets back 8: given up after 1 repetition, none of them acknowledged", 46'110_ns}}));
  EXPECT_EQ(bench.program.counters().given_up, 2u);
  EXPECT_FALSE(bench.program.has_unacknowledged());
}

TEST(GmReliability, WhatHasComeWhollyIsNotReturnedAndTheLastLossIsNamed) {
  Bench bench(one_try());
  bench.accepted = 1;  // only the receipt of 7 is missing
  bench.at(30_us, [](ControlProgram& program) {
    EXPECT_TRUE(program.repeats(there));
    program.note_loss(there, "the cable");
  });
  gives_up(bench).run();
  EXPECT_EQ(
      bench.deeds.back(),
      (Bench::Deed{"gets back 8: given up after 1 repetition; the last of its packets to be lost: the cable",
                   46'110_ns}));
  EXPECT_EQ(bench.program.counters().given_up, 1u);
}

TEST(GmReliability, ASessionThatIsOverIsNotHeardOfAgain) {
  Bench bench(one_try());
  bench.at(100_us, post(9));
  gives_up(bench).run(101'900_ns);
  EXPECT_EQ(bench.deeds.back().what, "sends packet 9");
  EXPECT_EQ(bench.sent.session, 1u);
  EXPECT_EQ(bench.sent.number, 0u);
  bench.departs(102_us);
  bench.at(103_us, acknowledged(1, 0));
  bench.run(110_us);
  EXPECT_TRUE(bench.program.has_unacknowledged());
  bench.at(111_us, acknowledged(1, 1));
  bench.run();
  EXPECT_FALSE(bench.program.has_unacknowledged());
}

TEST(GmReliability, APacketOfASessionThatHasEndedIsDroppedInSilence) {
  Bench bench;
  bench.at(0_ns, received(incoming(5)));
  bench.departs(300_ns);
  bench.at(5_us, [](ControlProgram& program) { EXPECT_EQ(program.end_session(there), 1u); });
  bench.at(6_us, received(incoming(6, PacketType::gm, 1)));
  EXPECT_EQ(bench.run(), Deeds({{"sends ack 1", 225_ns}, {"has packet 5", 1'445_ns}}));
}

TEST(GmReliability, WithoutAcknowledgementsNothingIsRepeated) {
  Parameters parameters = after_20_us();
  parameters.acknowledge = false;
  parameters.window = 1;
  Bench bench(parameters);
  bench.at(0_ns, post(7));
  bench.at(0_ns, post(8));
  bench.departs(2_us);
  bench.departs(5_us);
  bench.at(10_us, received(incoming(5, PacketType::gm, 9)));
  EXPECT_EQ(bench.run().back().what, "has packet 5");
  EXPECT_EQ(bench.deeds.size(), 3u);
}

}  // namespace
}  // namespace morgana::testing
