// The four state machines with times by hand: cycles of 1 ns, a dispatch takes 10 ns, a handler 100 ns, a
// look at a packet's type 5 ns; the bus takes 1 us for any packet. The network is the test's.
#include "emulator/interface/gm/control_program.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "emulator/core/error.h"

namespace morgana::testing {
namespace {
using namespace literals;

constexpr PortId here{0}, there{1};

ControlProgramParameters round_numbers() {
  ControlProgramParameters parameters;
  parameters.cycle = 1_ns;
  parameters.dispatch = 10;
  parameters.handler = 100;
  parameters.type_test = 5;
  parameters.bus_latency = 1_us;
  return parameters;
}

InterfacePacket packet(std::uint64_t id, PacketType type = PacketType::gm) {
  return {id, here, there, type, Bytes()};
}
InterfacePacket incoming(std::uint64_t id, PacketType type = PacketType::gm) {
  return {id, there, here, type, Bytes()};
}

/// A control program, and what it does when.
class Bench : private ControlProgram::Sender, private PacketListener, private EventHandler {
 public:
  struct Deed {
    std::string what;
    SimTime at;
    bool operator==(const Deed&) const = default;
  };

  explicit Bench(const ControlProgramParameters& parameters = round_numbers())
      : program(events, *this, *this, parameters) {}

  /// At a time of its own, before anything else in that instant.
  void at(SimTime time, std::function<void(ControlProgram&)> happens) {
    events.schedule(time, *this, happenings_.size());
    happenings_.push_back(std::move(happens));
  }
  const std::vector<Deed>& run() {
    while (!events.empty()) events.handle_next();
    return deeds;
  }

  EventQueue events;
  ControlProgram program;
  std::vector<Deed> deeds;

 private:
  void handle(std::uint64_t happening) override { happenings_[happening](program); }
  void did(const std::string& what) { deeds.push_back({what, events.now()}); }
  static std::string name(const InterfacePacket& packet) {
    return (packet.type == PacketType::acknowledgement ? "ack " : "packet ") + std::to_string(packet.id);
  }
  void send(const InterfacePacket& packet) override { did("sends " + name(packet)); }
  void send_on(PacketAtInterface packet) override {
    did("sends on " + std::to_string(static_cast<std::uint32_t>(packet)));
  }
  void packet_received(const InterfacePacket& packet) override { did("has " + name(packet)); }
  void packet_acknowledged(const InterfacePacket& packet) override { did("is told of " + name(packet)); }
  void packet_lost(const InterfacePacket& packet) override { did("has lost " + name(packet)); }

  std::vector<std::function<void(ControlProgram&)>> happenings_;
};
using Deeds = std::vector<Bench::Deed>;

void PrintTo(const Bench::Deed& deed, std::ostream* out) {
  *out << deed.what << " at " << deed.at.ps();
}

std::function<void(ControlProgram&)> early(std::uint32_t number, ArrivalKind kind) {
  return [number, kind](ControlProgram& program) { program.early_received(PacketAtInterface{number}, kind); };
}
std::function<void(ControlProgram&)> post(const InterfacePacket& packet) {
  return [packet](ControlProgram& program) { program.post(packet); };
}
std::function<void(ControlProgram&)> received(const InterfacePacket& packet) {
  return [packet](ControlProgram& program) { program.received(packet); };
}
const auto departed = [](ControlProgram& program) { program.departed(); };

// start_sdma 110, the bus 1000, finish_sdma 110, start_send 110.
TEST(ControlProgram, SendsAPacketAfterThreeHandlersAndTheBus) {
  Bench bench;
  bench.at(0_ns, post(packet(7)));
  EXPECT_EQ(bench.run(), Deeds({{"sends packet 7", 1'330_ns}}));
}

// early 10 + 5; then finish_recv 10 + 105, start_send 110, start_rdma 110, the bus 1000, finish_rdma 110.
TEST(ControlProgram, AcknowledgesAPacketAndPutsItIntoTheHostsMemory) {
  Bench bench;
  bench.at(0_ns, early(1, ArrivalKind::for_host));
  bench.at(200_ns, received(incoming(7)));
  EXPECT_EQ(bench.run(), Deeds({{"sends ack 7", 425_ns}, {"has packet 7", 1'645_ns}}));
}

TEST(ControlProgram, OnlyInTransitSupportLooksAtTypes) {
  ControlProgramParameters parameters = round_numbers();
  parameters.in_transit_support = false;
  Bench bench(parameters);
  bench.at(0_ns, early(1, ArrivalKind::for_host));
  bench.at(200_ns, received(incoming(7)));
  EXPECT_EQ(bench.run(), Deeds({{"sends ack 7", 420_ns}, {"has packet 7", 1'640_ns}}));
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
  bench.at(6_us, received(incoming(3, PacketType::acknowledgement)));
  EXPECT_EQ(
      bench.run(),
      Deeds({{"has packet 1", 1'335_ns}, {"has packet 2", 5'115_ns}, {"is told of packet 3", 6'115_ns}}));
}

TEST(ControlProgram, RecvItselfSendsOnWhatIsInTransitWhichSavesADispatchAndAHandler) {
  ControlProgramParameters parameters = round_numbers();
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
  bench.at(0_ns, post(packet(7)));
  bench.at(20_ns, received(incoming(8, PacketType::mapping)));
  bench.at(100_ns, early(4, ArrivalKind::in_transit));
  EXPECT_EQ(bench.run(), Deeds({{"sends on 4", 220_ns}, {"has packet 8", 335_ns}}));
}

// The channel is its own from 1330 on, free at 5000: finish_send takes 110 and sends the packet on at once,
// before the packet of the host that has been ready for long.
TEST(ControlProgram, WhatIsInTransitLeavesAsSoonAsABusyChannelIsFree) {
  Bench bench;
  bench.at(0_ns, post(packet(7)));
  bench.at(0_ns, post(packet(8)));
  bench.at(2'500_ns, early(4, ArrivalKind::in_transit));
  bench.at(5'000_ns, departed);
  bench.at(7'000_ns, [](ControlProgram& program) { program.in_transit_departed(PacketAtInterface{4}); });
  EXPECT_EQ(bench.run(),
            Deeds({{"sends packet 7", 1'330_ns}, {"sends on 4", 5'110_ns}, {"sends packet 8", 7'220_ns}}));
  EXPECT_EQ(bench.program.waited(), 1u);
}

// At 5000 the wire is free, but the early packet's handler runs first: the program still thinks it busy.
TEST(ControlProgram, ChannelIsFreeOnceTheProgramHasHandledIt) {
  Bench bench;
  bench.at(0_ns, post(packet(7)));
  bench.at(5'000_ns, departed);
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
  for (const std::uint64_t id : {7U, 8U, 9U}) bench.at(0_ns, post(packet(id)));
  bench.at(50_us, departed);
  bench.at(60_us, departed);
  bench.at(70_us, departed);
  const Deeds deeds = bench.run();
  EXPECT_EQ(
      deeds,
      Deeds({{"sends packet 7", 1'330_ns}, {"sends packet 8", 50'220_ns}, {"sends packet 9", 60'220_ns}}));
  EXPECT_FALSE(bench.program.processor().busy());
}

TEST(ControlProgramParameters, NameWhatIsOutOfRange) {
  ControlProgramParameters parameters;
  parameters.dispatch = 0;
  EXPECT_THROW(parameters.check(), Error);
  parameters = {};
  parameters.send_buffers = 0;
  EXPECT_THROW(parameters.check(), Error);
  EXPECT_NO_THROW(ControlProgramParameters().check());
}

}  // namespace
}  // namespace morgana::testing
