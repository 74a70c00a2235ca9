#include "emulator/transport/aal5/aal5.h"

#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/network/atm/atm_network.h"
#include "emulator/network/atm/cell.h"
#include "emulator/topology/cable_plan.h"
#include "tests/transport/harness.h"

namespace morgana::testing {
namespace {
using namespace literals;

constexpr Link taxi{BitRate(140'000'000), SimTime()};
constexpr Link round_link{BitRate(424'000'000), SimTime()};  // a cell lasts 1 us

AtmParameters one_switch(const Link& link, std::size_t hosts = 2) {
  AtmParameters parameters;
  parameters.network = CablePlan::uniform(topology::chain(1), hosts, link).graph();
  return parameters;
}

/// The validation of the ATM paper, Table B.3: 8.25 us a cell at both ends, 12.5 us a packet.
AtmParameters validation() {
  AtmParameters parameters = one_switch(taxi);
  parameters.switches.delay = 500_ns;
  parameters.interface.send_per_cell = parameters.interface.receive_per_cell = 8250_ns;
  parameters.interface.receive_per_packet = 12500_ns;
  return parameters;
}

std::vector<Fate> run(const AtmParameters& network_parameters, const Aal5Parameters& parameters,
                      const std::vector<Planned>& plan) {
  EventQueue events;
  AtmNetwork network(events, network_parameters, 1);
  Aal5 transport(events, network, network_parameters.network.graph.hosts(), parameters);
  Dispatch dispatch(events, transport);
  return dispatch.run(plan);
}

TEST(Aal5, PaddingAndTrailerMakeWholeCells) {
  EXPECT_EQ(cells_of_packet(AdaptationLayer::aal5, 0_B), 1U);
  EXPECT_EQ(cells_of_packet(AdaptationLayer::aal5, 40_B), 1U);
  EXPECT_EQ(cells_of_packet(AdaptationLayer::aal5, 41_B), 2U);
  EXPECT_EQ(cells_of_packet(AdaptationLayer::aal5, 8192_B), 171U);
  EXPECT_EQ(cells_of_packet(AdaptationLayer::aal3_4, 36_B), 1U);
  EXPECT_EQ(cells_of_packet(AdaptationLayer::aal3_4, 37_B), 2U);
  EXPECT_EQ(cells_of_packet(AdaptationLayer::aal3_4, 8192_B), 187U);  // 8200 / 44 = 186.4
}

// Tables 6.4 and 5.6: 35.557 us, and 37.257 us with 0.85 us of bus at both ends.
TEST(Aal5, OneCellTakesThePapersLatency) {
  EXPECT_NEAR(run(validation(), {}, {{0_us, 0, 1, 40}})[0].delivered->seconds(), 35.557e-6, 1e-9);
  AtmParameters with_bus = validation();
  with_bus.interface.send_per_cell += 850_ns;
  with_bus.interface.receive_per_cell += 850_ns;
  EXPECT_NEAR(run(with_bus, {}, {{0_us, 0, 1, 40}})[0].delivered->seconds(), 37.257e-6, 1e-9);
}

TEST(Aal5, LongMessagesTakeSeveralPackets) {
  Aal5Parameters parameters;
  parameters.packet = 100_B;  // 3 cells each; the rest of 50 bytes takes 2
  EventQueue events;
  AtmNetwork network(events, one_switch(round_link), 1);
  Aal5 transport(events, network, 2, parameters);
  Dispatch dispatch(events, transport);
  const auto fates = dispatch.run({{0_us, 0, 1, 250}});
  EXPECT_EQ(transport.counters().packets, 3U);
  EXPECT_EQ(transport.counters().cells, 8U);
  EXPECT_EQ(fates[0].departed, 8_us);
  EXPECT_EQ(fates[0].delivered, 9_us);
}

TEST(Aal5, HostsWorkOnOneMessageAndOnOnePacketAtATime) {
  Aal5Parameters parameters;
  parameters.packet = 40_B;
  parameters.send_per_message = 100_us;
  parameters.receive_per_message = 50_us;
  AtmParameters network = one_switch(round_link);
  network.interface.send_per_packet = 10_us;
  network.interface.receive_per_packet = 20_us;
  const auto fates = run(network, parameters, {{0_us, 0, 1, 80}, {0_us, 0, 1, 10}, {1_us, 0, 1, 0}});
  // Packets are ready at 110, 120, 210 and 310 us, there 2 us later, whole 20 us after that but one at a
  // time.
  EXPECT_EQ(fates[0].departed, 121_us);
  EXPECT_EQ(fates[0].delivered, 152_us + 50_us);
  EXPECT_EQ(fates[1].delivered, 232_us + 50_us);
  EXPECT_EQ(fates[2].delivered, 332_us + 50_us);
}

/// Of cells that come at once host 0's come first: host 1's first message loses cells, its last one included.
std::uint64_t packets_lost_behind_a_collision(AdaptationLayer layer, std::vector<Fate>& fates) {
  AtmParameters parameters = one_switch(round_link, 3);
  parameters.switches.buffer = 4;
  Aal5Parameters with_layer;
  with_layer.layer = layer;
  EventQueue events;
  AtmNetwork network(events, parameters, 1);
  Aal5 transport(events, network, 3, with_layer);
  Dispatch dispatch(events, transport);
  fates = dispatch.run({{0_us, 0, 2, 1000}, {0_us, 1, 2, 1000}, {100_us, 1, 2, 1000}, {200_us, 1, 2, 1000}});
  EXPECT_TRUE(fates[0].delivered);
  EXPECT_TRUE(fates[1].lost);
  EXPECT_FALSE(fates[1].delivered);
  EXPECT_TRUE(fates[3].delivered);
  return transport.counters().packets_lost;
}

TEST(Aal5, AMissingLastCellLosesThePacketTheNextOneAndTheirMessages) {
  std::vector<Fate> fates;
  EXPECT_EQ(packets_lost_behind_a_collision(AdaptationLayer::aal5, fates), 2U);
  EXPECT_TRUE(fates[2].lost);
}

TEST(Aal5, OverAal34AMissingLastCellLosesThePacketAndItsMessageAlone) {
  std::vector<Fate> fates;
  EXPECT_EQ(packets_lost_behind_a_collision(AdaptationLayer::aal3_4, fates), 1U);
  EXPECT_TRUE(fates[2].delivered);
}

/// Packets of 100 bytes, 3 cells of 1 us each; a packet is there one cell after its last has left.
Aal5Parameters streaming() {
  Aal5Parameters parameters;
  parameters.packet = 100_B;
  parameters.stream = true;
  return parameters;
}

/// What is told of the streamed messages of this plan, and what becomes of them.
struct Streamed {
  std::map<std::size_t, Prefixes> prefixes;
  std::vector<Fate> fates;
};
Streamed stream(const AtmParameters& network_parameters, const Aal5Parameters& parameters,
                const std::vector<Planned>& plan, bool streamed = true) {
  EventQueue events;
  AtmNetwork network(events, network_parameters, 1);
  Aal5 transport(events, network, network_parameters.network.graph.hosts(), parameters);
  Dispatch dispatch(events, transport);
  dispatch.streamed = streamed;
  const std::vector<Fate> fates = dispatch.run(plan);
  return {dispatch.prefixes, fates};
}

TEST(Aal5, TellsOfAStreamedMessagePacketByPacket) {
  const Streamed told = stream(one_switch(round_link), streaming(), {{0_us, 0, 1, 250}});
  EXPECT_EQ(told.prefixes.at(0), (Prefixes{{4_us, 100}, {7_us, 200}}));
  EXPECT_EQ(told.fates[0].delivered, 9_us);
}

TEST(Aal5, TellsOfAPacketWhenTheReceivingHostHasWorkedOnItAndOnTheMessage) {
  AtmParameters network = one_switch(round_link);
  network.interface.receive_per_packet = 20_us;  // until 24, 44 and 64 us
  Aal5Parameters parameters = streaming();
  parameters.receive_per_message = 5_us;  // from the first packet on
  const Streamed told = stream(network, parameters, {{0_us, 0, 1, 250}});
  EXPECT_EQ(told.prefixes.at(0), (Prefixes{{29_us, 100}, {44_us, 200}}));
  EXPECT_EQ(told.fates[0].delivered, 64_us);
}

TEST(Aal5, TellsNothingOfOtherMessagesOrWhereItDoesNotStream) {
  EXPECT_TRUE(stream(one_switch(round_link), streaming(), {{0_us, 0, 1, 250}}, false).prefixes.empty());
  Aal5Parameters whole = streaming();
  whole.stream = false;
  const Streamed told = stream(one_switch(round_link), whole, {{0_us, 0, 1, 250}});
  EXPECT_TRUE(told.prefixes.empty());
  EXPECT_EQ(told.fates[0].delivered, 9_us);
}

TEST(Aal5, TellsOnlyWhatHasNoGaps) {
  // From 6 us on another host's cells come to the same output too, which has room for 4: packets are lost
  // until that one's message is over, and those behind it all come.
  AtmParameters parameters = one_switch(round_link, 3);
  parameters.switches.buffer = 4;
  const Streamed told = stream(parameters, streaming(), {{0_us, 1, 2, 3000}, {6_us, 0, 2, 700}});
  ASSERT_TRUE(told.fates[0].lost);
  const Prefixes& prefixes = told.prefixes.at(0);
  EXPECT_EQ(prefixes.front(), (std::pair<SimTime, std::int64_t>{4_us, 100}));
  EXPECT_LT(prefixes.back().second, 1500);
  EXPECT_LT(prefixes.back().first, 40_us);  // the message's 90 cells are under way until 91 us
  EXPECT_GT(told.fates[0].lost, 80_us);
}

TEST(Aal5, RefusesPacketsThatTheirLengthFieldCannotName) {
  EventQueue events;
  AtmNetwork network(events, one_switch(round_link), 1);
  Aal5Parameters parameters;
  parameters.packet = 65536_B;
  EXPECT_THROW(Aal5(events, network, 2, parameters), Error);
}

}  // namespace
}  // namespace morgana::testing
