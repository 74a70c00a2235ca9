// The four state machines with times by hand, as the bench has them.
#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "tests/interface/gm/bench.h"

namespace morgana::testing {
namespace {
using namespace literals;
using namespace gm_bench;

// start_sdma 110, the bus 1000, finish_sdma 110, start_send 110.
TEST(ControlProgram, SendsAPacketAfterThreeHandlersAndTheBus) {
  Bench bench;
  bench.at(0_ns, post(7));
  EXPECT_EQ(bench.run(), Deeds({{"sends packet 7", 1'330_ns}}));
}

// early 10 + 5; then finish_recv 10 + 105, start_send 110, start_rdma 110, the bus 1000, finish_rdma 110.
TEST(ControlProgram, AcknowledgesAPacketAndPutsItIntoTheHostsMemory) {
  Bench bench;
  bench.at(0_ns, early(1, ArrivalKind::for_host));
  bench.at(200_ns, received(incoming(7)));
  EXPECT_EQ(bench.run(), Deeds({{"sends ack 1", 425_ns}, {"has packet 7", 1'645_ns}}));
}

TEST(ControlProgram, OnlyInTransitSupportLooksAtTypes) {
  Parameters parameters = round_numbers();
  parameters.in_transit_support = false;
  Bench bench(parameters);
  bench.at(0_ns, early(1, ArrivalKind::for_host));
  bench.at(200_ns, received(incoming(7)));
  EXPECT_EQ(bench.run(), Deeds({{"sends ack 1", 420_ns}, {"has packet 7", 1'640_ns}}));
  EXPECT_THROW(bench.program.early_received(PacketAtInterface{1}, ArrivalKind::in_transit), Error);
}

// Whatever else is pending: finish_recv waits for it, and so it costs a packet that ends too soon 10 + 5 - 4.
TEST(ControlProgram, ALookAtAPacketThatHasNotEndedCostsItNothing) {
  Bench shorter, longer;
  for (Bench* bench : {&shorter, &longer}) bench->at(0_ns, early(1, ArrivalKind::for_host));
  shorter.at(4_ns, received(incoming(7, PacketType::mapping)));
  longer.at(15_ns, received(incoming(7, PacketType::mapping)));
  EXPECT_EQ(shorter.run(), Deeds({{"has packet 7", 130_ns}}));
  EXPECT_EQ(longer.run(), Deeds({{"has packet 7", 130_ns}}));
}

TEST(ControlProgram, PacketsOfIpAreNotAcknowledgedAndThoseOfMappingStayInTheInterface) {
  Bench bench;
  bench.at(0_ns, received(incoming(1, PacketType::ip)));
  bench.at(5_us, received(incoming(2, PacketType::mapping)));
  EXPECT_EQ(bench.run(), Deeds({
                             {"has packet 1", 1'335_ns},
                             {"has packet 2", 5'115_ns},
                         }));
}

TEST(ControlProgram, RecvItselfSendsOnWhatIsInTransitWhichSavesADispatchAndAHandler) {
  Parameters parameters = round_numbers();
  Bench recv(parameters);
  parameters.recv_starts_sending = false;
  Bench send(parameters);
  for (Bench* bench : {&recv, &send}) bench->at(0_ns, early(4, ArrivalKind::in_transit));
  EXPECT_EQ(recv.run(), Deeds({{"sends on 4", 110_ns}}));
  EXPECT_EQ(send.run(), Deeds({{"sends on 4", 220_ns}}));
  EXPECT_EQ(recv.program.processor().dispatches() + 1, send.program.processor().dispatches());
  EXPECT_EQ(recv.program.waited(), 0u);
  EXPECT_EQ(send.program.waited(), 1u);
}

// It arrives during the handler of start_sdma, and before finish_recv, which came first.
TEST(ControlProgram, AnEarlyPacketComesBeforeEverythingThatIsPending) {
  Bench bench;
  bench.at(0_ns, post(7));
  bench.at(20_ns, received(incoming(8, PacketType::mapping)));
  bench.at(100_ns, early(4, ArrivalKind::in_transit));
  EXPECT_EQ(bench.run(), Deeds({{"sends on 4", 220_ns}, {"has packet 8", 335_ns}}));
}

// The channel is its own from 1330 on, free at 5000: finish_send takes 110 and sends the packet on at once,
// before the packet of the host that has been ready for long.
TEST(ControlProgram, WhatIsInTransitLeavesAsSoonAsABusyChannelIsFree) {
  Bench bench;
  bench.at(0_ns, post(7));
  bench.at(0_ns, post(8));
  bench.at(2'500_ns, early(4, ArrivalKind::in_transit));
  bench.departs(5'000_ns);
  bench.at(7'000_ns, [](ControlProgram& program) { program.in_transit_departed(PacketAtInterface{4}); });
  EXPECT_EQ(bench.run(),
            Deeds({{"sends packet 7", 1'330_ns}, {"sends on 4", 5'110_ns}, {"sends packet 8", 7'220_ns}}));
  EXPECT_EQ(bench.program.waited(), 1u);
}

// At 5000 the wire is free, but the early packet's handler runs first: the program still thinks it busy.
TEST(ControlProgram, ChannelIsFreeOnceTheProgramHasHandledIt) {
  Bench bench;
  bench.at(0_ns, post(7));
  bench.departs(5'000_ns);
  bench.at(5'000_ns, early(4, ArrivalKind::in_transit));
  EXPECT_EQ(bench.run().back(), (Bench::Deed{"sends on 4", 5'220_ns}));
}

TEST(ControlProgram, PacketsInTransitKeepTheirOrder) {
  Bench bench;
  bench.at(0_ns, early(4, ArrivalKind::in_transit));
  bench.at(300_ns, early(2, ArrivalKind::in_transit));
  bench.at(600_ns, early(3, ArrivalKind::in_transit));
  bench.at(1'000_ns, [](ControlProgram& program) { program.in_transit_departed(PacketAtInterface{4}); });
  bench.at(2'000_ns, [](ControlProgram& program) { program.in_transit_departed(PacketAtInterface{2}); });
  EXPECT_EQ(bench.run(), Deeds({{"sends on 4", 110_ns}, {"sends on 2", 1'110_ns}, {"sends on 3", 2'110_ns}}));
}

// What overflowed into the host's memory was sent without the program.
TEST(ControlProgram, WhatItHasNotSentDoesNotFreeItsChannel) {
  Bench bench;
  bench.at(0_ns, early(4, ArrivalKind::in_transit));
  bench.at(300_ns, early(5, ArrivalKind::no_room));
  bench.at(400_ns, early(6, ArrivalKind::in_transit));
  bench.at(1'000_ns, [](ControlProgram& program) { program.in_transit_departed(PacketAtInterface{5}); });
  EXPECT_EQ(bench.run(), Deeds({{"sends on 4", 110_ns}}));
}

// Two of the three fit; the third is fetched when the first has left.
TEST(ControlProgram, FetchesAsManyPacketsAsItHasSendBuffers) {
  Bench bench;
  for (const std::uint64_t id : {7U, 8U, 9U}) bench.at(0_ns, post(id));
  bench.departs(50_us);
  bench.departs(60_us);
  bench.departs(70_us);
  const Deeds deeds = bench.run();
  EXPECT_EQ(
      deeds,
      Deeds({{"sends packet 7", 1'330_ns}, {"sends packet 8", 50'220_ns}, {"sends packet 9", 60'220_ns}}));
  EXPECT_FALSE(bench.program.processor().busy());
}

TEST(Parameters, NameWhatIsOutOfRange) {
  Parameters parameters;
  parameters.dispatch = 0;
  EXPECT_THROW(parameters.check(), Error);
  parameters = {};
  parameters.send_buffers = 0;
  EXPECT_THROW(parameters.check(), Error);
  EXPECT_NO_THROW(Parameters().check());
}

}  // namespace
}  // namespace morgana::testing
