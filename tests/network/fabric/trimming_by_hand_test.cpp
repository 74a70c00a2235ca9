#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/network/fabric/check.h"
#include "emulator/network/fabric/packet.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/routing/multipath.h"
#include "emulator/topology/cabled_graph.h"
#include "tests/network/fabric/by_hand.h"
#include "tests/network/fabric/carried_fabric.h"
#include "tests/network/fabric/fabric_outcome.h"

// Values worked out by hand from docs/fabric.md, "Trimming". Links carry a byte in a nanosecond and propagate
// in 10 ns, switches take 100 ns, packets have 1,000 bytes: one that starts at a host at b is ready at b +
// 110. Host 1's link takes two nanoseconds for a byte. A queue holds two packets, headers have 64 bytes.

namespace morgana::testing {
namespace {

using namespace by_hand;

CabledGraph slow_host_1() {
  CabledGraph network = star(2);
  network.hosts[1].rate = byte_in_two_ns;
  return network;
}

fabric::FabricParameters trimming() {
  fabric::FabricParameters parameters;
  parameters.queueing = fabric::Queueing::output_queues;
  parameters.flow_control = fabric::FlowControl::none;
  parameters.output_packets = 2;
  parameters.classes = 2;
  parameters.lane_arbitration = fabric::LaneArbitration::strict;
  parameters.trim = {.size = Bytes(64), .traffic_class = 0};
  return parameters;
}

std::vector<FabricInjection> five_packets() {
  std::vector<FabricInjection> plan(5, unit(0, 0, 1, 1));
  for (FabricInjection& one : plan) one.may_be_trimmed = true;
  return plan;
}

// Ready at 110, 1,110, .... Packet 0 is sent from 110 to 2,110, packet 1 until 4,110. Packet 3 is ready at
// 3,110 and finds packets 1 and 2: its header goes before packet 2, from 4,110 to 4,238. Packet 4 is ready
// when packet 1 has ended.
TEST(TrimmingByHand, AHeaderOvertakesTheQueueThatWasFull) {
  const FabricOutcome outcome = carried(slow_host_1(), trimming(), five_packets());
  EXPECT_EQ(starts(outcome, 1), (Times{110, 2'110, 4'238, 4'110, 6'238}));
  EXPECT_EQ(delivered(outcome), (Times{2'120, 4'120, 6'248, 4'248, 8'248}));
  for (std::size_t packet = 0; packet < 5; ++packet)
    EXPECT_EQ(outcome.fates[packet].trimmed, packet == 3 ? Trimmed::at_last_switch : Trimmed::no);
}

// As above, but packet 3 or 2 is trimmed, as packet 3's draw has it; packets from host 2 to host 0 in front
// of all of them give it other numbers. If it is packet 2: its header goes from 4,110 to 4,238, then packet
// 3, until 6,238.
TEST(TrimmingByHand, EitherTheArrivingPacketOrTheLastOfItsQueueIsTrimmed) {
  CabledGraph network = star(3);
  network.hosts[1].rate = byte_in_two_ns;
  fabric::FabricParameters parameters = trimming();
  parameters.trim.which = fabric::TrimParameters::Which::either;
  const CableChannel out = network.graph.channel_from(SwitchPort{0, 1});
  std::size_t last = 0;
  constexpr std::size_t cases = 20;
  for (std::size_t others = 0; others < cases; ++others) {
    std::vector<FabricInjection> plan(others, unit(0, 2, 0));
    for (const FabricInjection& one : five_packets()) plan.push_back(one);
    const FabricOutcome outcome = carried(network, parameters, plan);
    const Times all = starts(outcome, 1);
    const Times ours(all.begin() + static_cast<std::ptrdiff_t>(others), all.end());
    const std::size_t cut = fabric::trims_last(others + 3, out) ? 2 : 3;
    EXPECT_EQ(ours,
              cut == 2 ? (Times{110, 2'110, 4'110, 4'238, 6'238}) : (Times{110, 2'110, 4'238, 4'110, 6'238}));
    for (std::size_t packet = 0; packet < 5; ++packet)
      EXPECT_EQ(outcome.fates[others + packet].trimmed,
                packet == cut ? Trimmed::at_last_switch : Trimmed::no);
    last += cut == 2 ? 1 : 0;
  }
  EXPECT_GT(last, 0U);
  EXPECT_LT(last, cases);
}

// Five standard deviations of 10,000 tosses of a coin.
TEST(TrimmingByHand, InHalfOfAllCasesTheLastIsTrimmed) {
  int last = 0;
  for (std::uint64_t number = 0; number < 10'000; ++number) last += fabric::trims_last(number, 7) ? 1 : 0;
  EXPECT_NEAR(last, 5'000, 250);
}

// Packet 2 is shorter than packet 3, which would not have space in its place.
TEST(TrimmingByHand, AShorterLastPacketStaysWhole) {
  fabric::FabricParameters parameters = trimming();
  parameters.trim.which = fabric::TrimParameters::Which::either;
  for (std::size_t others = 0; others < 8; ++others) {
    std::vector<FabricInjection> plan(others, unit(0, 2, 0));
    for (const FabricInjection& one : five_packets()) plan.push_back(one);
    plan[others + 2].payload = Bytes(900);
    CabledGraph network = star(3);
    network.hosts[1].rate = byte_in_two_ns;
    EXPECT_EQ(carried(network, parameters, plan).fates[others + 3].trimmed, Trimmed::at_last_switch);
  }
}

// Without permission packet 3 is lost when its tail is there: 4,010.
TEST(TrimmingByHand, OnlyWhatMayBeTrimmedIs) {
  std::vector<FabricInjection> plan = five_packets();
  plan[3].may_be_trimmed = false;
  const FabricOutcome outcome = carried(slow_host_1(), trimming(), plan);
  EXPECT_EQ(in_ns(outcome.fates[3].lost), 4'010);
  EXPECT_EQ(delivered(outcome), (Times{2'120, 4'120, 6'120, never, 8'120}));
}

// Host 2 sends packets of class 0: A is ready at 1,610 and sent from 2,110 to 4,110, B is ready at 2,610 and
// sent until 6,110. Packet 3 finds packets 1 and 2 at 3,110, its header A and B: lost when its tail is
// there, at 4,010. Packet 4 finds the same at 4,110, its header B alone: it is sent from 6,110 to 6,238.
TEST(TrimmingByHand, AHeaderThatFindsNoSpaceIsLost) {
  std::vector<FabricInjection> plan = five_packets();
  plan.push_back(unit(1'500, 2, 1));
  plan.push_back(unit(2'500, 2, 1));
  CabledGraph network = star(3);
  network.hosts[1].rate = byte_in_two_ns;
  const FabricOutcome outcome = carried(network, trimming(), plan);
  EXPECT_EQ(in_ns(outcome.fates[3].lost), 4'010);
  EXPECT_EQ(starts(outcome, 1), (Times{110, 6'238, 8'238, never, 6'110, 2'110, 4'110}));
  EXPECT_EQ(outcome.fates[4].trimmed, Trimmed::at_last_switch);
}

// Packet 3 has 64 bytes, as many as a header: nothing is cut, and it goes where packet 3's header went above.
// It leaves host 0 from 3,000 to 3,064, and is ready at 3,110; packet 4 is ready at 3,174, finds packets 1
// and 2, too, and is trimmed: it follows at 4,238.
TEST(TrimmingByHand, APacketAsShortAsAHeaderOvertakesWhole) {
  std::vector<FabricInjection> plan = five_packets();
  plan[3].payload = Bytes(64);
  const FabricOutcome outcome = carried(slow_host_1(), trimming(), plan);
  EXPECT_EQ(starts(outcome, 1), (Times{110, 2'110, 4'366, 4'110, 4'238}));
  EXPECT_EQ(outcome.fates[3].trimmed, Trimmed::no);
  EXPECT_EQ(in_ns(*outcome.fates[3].delivered), 4'248);
  EXPECT_EQ(outcome.fates[4].trimmed, Trimmed::at_last_switch);
}

// In the class of headers it has no other: it is lost where the queue is full.
TEST(TrimmingByHand, AShortPacketOfTheHeadersClassIsLost) {
  std::vector<FabricInjection> plan = five_packets();
  plan[3].payload = Bytes(64);
  fabric::FabricParameters parameters = trimming();
  parameters.trim.traffic_class = 1;
  const FabricOutcome outcome = carried(slow_host_1(), parameters, plan);
  EXPECT_EQ(delivered(outcome)[3], never);
}

// The link to host 1 takes 2.5 ns for a byte, its queue holds 3,000 bytes and marks what finds more than 500
// waiting; all other queues hold 10,000 bytes and mark nothing. Packets are ready at 110, 1,110, .... Packet
// 0 is sent until 2,610, packet 1 until 5,110. Packet 2 finds packet 1 waiting at 2,110, packet 3 finds
// packet 2 waiting at 3,110: both are marked. Packet 4 finds packets 1, 2 and 3 at 4,110: its header goes
// from 5,110 to 5,270.
TEST(TrimmingByHand, ALinkMayHaveAnotherRateAndAnotherQueue) {
  fabric::FabricParameters parameters = trimming();
  parameters.output_packets = 0;
  parameters.output_queue = Bytes(10'000);
  parameters.packet.largest = Bytes(1'000);
  parameters.marks = {.from = Bytes(10'000), .to = Bytes(10'000)};
  const CabledGraph network = star(2);
  const auto plan = five_packets();
  CarriedByFabric fabric(network, parameters,
                         std::make_shared<EcmpRouting>(
                             network.graph, [](CableChannel) { return true; }, 0),
                         plan);
  for (CableChannel channel = 0; channel < fabric.links().size(); ++channel)
    if (fabric.links().to(channel).is_host() && fabric.links().to(channel).id == 1) {
      fabric.links().slow_down(channel, BitRate(3'200'000'000));
      fabric.links().limit(channel, {Bytes(3'000), {.from = Bytes(500), .to = Bytes(500)}});
    }
  const FabricOutcome outcome = fabric.run();
  EXPECT_EQ(starts(outcome, 1), (Times{110, 2'610, 5'270, 7'770, 5'110}));
  EXPECT_EQ(delivered(outcome), (Times{2'620, 5'120, 7'780, 10'280, 5'280}));
  for (std::size_t packet = 0; packet < 5; ++packet) {
    EXPECT_EQ(outcome.fates[packet].trimmed, packet == 4 ? Trimmed::at_last_switch : Trimmed::no);
    EXPECT_EQ(outcome.fates[packet].marked, packet == 2 || packet == 3);
  }
}

TEST(TrimmingByHand, NeedsQueuesThatCanBeFull) {
  const auto why = [](const fabric::FabricParameters& parameters) {
    try {
      fabric::require_valid(slow_host_1(), parameters, {1, parameters.classes, parameters.lanes});
    } catch (const fabric::ParameterError& error) {
      return error.member();
    }
    return std::string();
  };
  EXPECT_EQ(why(trimming()), "");
  fabric::FabricParameters parameters = trimming();
  parameters.output_packets = 0;
  EXPECT_EQ(why(parameters), "trim_size");
  parameters = trimming();
  parameters.flow_control = fabric::FlowControl::credits;
  EXPECT_EQ(why(parameters), "trim_size");
  parameters = trimming();
  parameters.queueing = fabric::Queueing::virtual_output_queues;
  EXPECT_EQ(why(parameters), "trim_size");
  parameters = trimming();
  parameters.packet.header = Bytes(65);
  EXPECT_EQ(why(parameters), "trim_size");
  parameters = trimming();
  parameters.trim.traffic_class = 2;
  EXPECT_EQ(why(parameters), "trim_class");
}

}  // namespace
}  // namespace morgana::testing
