#include "tests/network/fabric/by_hand.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/routing/multipath.h"
#include "emulator/routing/routing.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/switch_graph.h"
#include "tests/network/fabric/carried_fabric.h"
#include "tests/network/fabric/fabric_outcome.h"

// Values worked out by hand from docs/fabric.md. Unless a case says otherwise links carry a byte in a
// nanosecond, propagate in 10 ns, switches take 100 ns, packets have 1,000 bytes and no gap, and there is
// space for everyone: then a packet that starts at a host at b may start at its switch at b + 110.

namespace morgana::testing {
namespace {

using fabric::FabricParameters;
using namespace by_hand;
using namespace literals;

/// What the routings of this file have in common: one choice each.
class RoutingBy final : public Routing {
 public:
  using Choose = std::function<std::optional<RoutingChoice>(const RoutedPacket&, const OutputLoads&)>;
  RoutingBy(unsigned virtual_channels, Choose choose)
      : virtual_channels_(virtual_channels), choose_(std::move(choose)) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override {
    return choose_(packet, loads);
  }
  unsigned virtual_channels() const override { return virtual_channels_; }
  /// Some of them read loads.
  bool chooses_by_load() const override { return true; }
  void for_every_choice(const RoutedPacket&, const VisitChoice&) const override {}

 private:
  unsigned virtual_channels_;
  Choose choose_;
};

std::vector<unsigned> channels_used(const FabricFate& fate) {
  std::vector<unsigned> all;
  for (const FabricHop& hop : fate.hops) all.push_back(hop.virtual_channel);
  return all;
}

// ---- one packet

CabledGraph line_of_three_rates() {
  CabledGraph network = line();
  network.trunks[0].rate = two_bytes_in_ns;
  network.hosts[1].rate = byte_in_two_ns;
  return network;
}

// Host: 0 .. 1,000. At the first switch r = 0 + 10 + 100, tau = 1,000 + 10 + 100; the trunk takes 500, so not
// before 1,110 - 500 = 610. At the second r = 610 + 110 = 720, tau = 610 + 500 + 110 = 1,220; the host's link
// takes 2,000, so 720 will do. Delivery at 720 + 2,000 + 10.
TEST(FabricByHand, CutThroughNeverOvertakesTheTail) {
  const FabricFate fate = carried(line_of_three_rates(), spacious(), {unit(0, 0, 1)}).fates[0];
  EXPECT_EQ(hop_starts(fate), (Times{0, 610, 720}));
  EXPECT_EQ(fate.departed, 1'000_ns);
  EXPECT_EQ(fate.delivered, 2'730_ns);
}

// 0 + 1,000 + 110 = 1,110; 1,110 + 500 + 110 = 1,720; 1,720 + 2,000 + 10 = 3,730.
TEST(FabricByHand, StoreAndForwardWaitsForTheTail) {
  FabricParameters parameters = spacious();
  parameters.forwarding = fabric::Forwarding::store_and_forward;
  const FabricFate fate = carried(line_of_three_rates(), parameters, {unit(0, 0, 1)}).fates[0];
  EXPECT_EQ(hop_starts(fate), (Times{0, 1'110, 1'720}));
  EXPECT_EQ(fate.delivered, 3'730_ns);
}

// 10 bytes and 20 of header are sent as 64; 100 and 20 as 120. The second packet follows the first after 64
// and a gap of 12, at the host as at the switch, and the gap delays no report.
TEST(FabricByHand, PacketsHaveHeadersAMinimumAndGaps) {
  FabricParameters parameters = spacious();
  parameters.packet = {.header = 20_B, .minimum = 64_B, .gap = 12_B};
  const FabricOutcome outcome = carried(star(2), parameters, {unit(0, 0, 1, 0, 10), unit(0, 0, 1, 0, 100)});
  EXPECT_EQ(starts(outcome, 0), (Times{0, 76}));
  EXPECT_EQ(starts(outcome, 1), (Times{110, 186}));
  EXPECT_EQ(outcome.fates[0].departed, 64_ns);
  EXPECT_EQ(delivered(outcome), (Times{110 + 64 + 10, 186 + 120 + 10}));
  EXPECT_EQ(outcome.channels[1], (FabricChannelCount{2, 184_B}));
}

// ---- queues

// A packet of 3,000 for host 2 from host 1 holds output 2 from 110 to 3,110. Host 0 sends one for host 2,
// ready at 110, and one for host 3, ready at 1,110.
std::vector<FabricInjection> blocked_head() {
  return {unit(0, 1, 2, 0, 3'000), unit(0, 0, 2), unit(0, 0, 3)};
}
FabricParameters oldest_first(fabric::Queueing queueing) {
  FabricParameters parameters = spacious();
  parameters.queueing = queueing;
  parameters.input_arbitration = fabric::InputArbitration::oldest;
  return parameters;
}

// The one for host 3 waits for the one in front, and for the input, from 3,110 to 4,110.
TEST(FabricByHand, AHeadOfLineBlocksAnInputQueue) {
  const FabricOutcome outcome =
      carried(star(4), oldest_first(fabric::Queueing::input_queues), blocked_head());
  EXPECT_EQ(starts(outcome, 1), (Times{110, 3'110, 4'110}));
  EXPECT_EQ(delivered(outcome), (Times{3'120, 4'120, 5'120}));
}

TEST(FabricByHand, VirtualOutputQueuesPassABlockedHead) {
  const FabricOutcome outcome =
      carried(star(4), oldest_first(fabric::Queueing::virtual_output_queues), blocked_head());
  EXPECT_EQ(starts(outcome, 1), (Times{110, 3'110, 1'110}));
}

// Two lanes are two input queues: the second packet of host 0 takes lane 1, which has more free units. So
// does the first one on the way to host 2 at 3,110: the credits of the packet in front come back at 3,130.
TEST(FabricByHand, LanesPassABlockedHead) {
  FabricParameters parameters = oldest_first(fabric::Queueing::input_queues);
  parameters.lanes = 2;
  const FabricOutcome outcome = carried(star(4), parameters, blocked_head());
  EXPECT_EQ(channels_used(outcome.fates[1]), (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(channels_used(outcome.fates[2]), (std::vector<unsigned>{1, 0}));
  EXPECT_EQ(starts(outcome, 1), (Times{110, 3'110, 1'110}));
}

// Hosts 3 and 4 keep outputs 1 and 2 busy from 110 to 3,110. Host 0 has sent one packet for each, ready at
// 111 and 1,111. At 3,110 both may start, and whichever goes first keeps the input until 4,110.
TEST(FabricByHand, OutputsAreLookedAtInAnOrderThatMovesOnWithEachInstant) {
  std::vector<FabricInjection> plan{unit(0, 3, 1, 0, 3'000), unit(0, 4, 2, 0, 3'000), unit(1, 0, 1),
                                    unit(1, 0, 2)};
  // One instant so far: beginning with port 1.
  EXPECT_EQ(starts(carried(star(5), spacious(), plan), 1), (Times{110, 110, 3'110, 4'110}));
  // Another one, at 160: beginning with port 2.
  plan.push_back(unit(50, 1, 0, 0, 100));
  EXPECT_EQ(starts(carried(star(5), spacious(), plan), 1), (Times{110, 110, 4'110, 3'110, 160}));
}

// ---- input arbiters

// Packets for host 3 that become ready at 110, 110 and 110; the numbers run against the ports.
TEST(FabricByHand, InputsTakeTurnsByPortOrByAge) {
  const std::vector<FabricInjection> plan{unit(0, 2, 3), unit(0, 1, 3), unit(0, 0, 3), unit(0, 0, 3)};
  FabricParameters parameters = spacious();
  // From 0 on: input 0; then 1 (the second packet of input 0 waits, ready since 1,110), 2, and 0 again.
  EXPECT_EQ(starts(carried(star(4), parameters, plan), 1), (Times{2'110, 1'110, 110, 3'110}));
  parameters.input_arbitration = fabric::InputArbitration::oldest;
  EXPECT_EQ(starts(carried(star(4), parameters, plan), 1), (Times{110, 1'110, 2'110, 3'110}));
}

// ---- credits

// A packet's units come back T = P + latency + W + P + credit_delay = 500 + 100 + 1,000 + 500 + 50 = 2,150
// after its start. 1,000 bytes take 16 units of 64. So one starts every 2,150, or two, or one every 1,000:
// the rate is min(C, B / T).
TEST(FabricByHand, CreditsLimitTheRateToBufferByRoundTrip) {
  CabledGraph network = star(2);
  network.hosts.assign(2, {byte_in_ns, 500_ns});
  FabricParameters parameters = spacious();
  parameters.credit_delay = 50_ns;
  const std::vector<FabricInjection> plan(5, unit(0, 0, 1));
  const auto with_buffer = [&](std::int64_t units, std::int64_t rest) {
    parameters.buffer = Bytes(64 * units + rest);
    return starts(carried(network, parameters, plan), 0);
  };
  EXPECT_EQ(with_buffer(16, 0), (Times{0, 2'150, 4'300, 6'450, 8'600}));
  EXPECT_EQ(with_buffer(31, 63), (Times{0, 2'150, 4'300, 6'450, 8'600}));
  EXPECT_EQ(with_buffer(32, 0), (Times{0, 1'000, 2'150, 3'150, 4'300}));
  EXPECT_EQ(with_buffer(48, 0), (Times{0, 1'000, 2'000, 3'000, 4'000}));
  parameters.flow_control = fabric::FlowControl::none;
  EXPECT_EQ(with_buffer(16, 0), (Times{0, 1'000, 2'000, 3'000, 4'000}));
}

// Each channel's buffer is its own, and all is free at the end: 20 units at the switch, 30 at the hosts,
// which the switch's ports send to.
TEST(FabricByHand, AllUnitsComeBack) {
  FabricParameters parameters = spacious();
  parameters.lanes = 2;
  parameters.buffer = 20 * 64_B;
  parameters.host_buffer = 30 * 64_B;
  const FabricOutcome outcome = carried(star(2), parameters, {unit(0, 0, 1), unit(0, 1, 0), unit(9, 1, 0)});
  EXPECT_EQ(outcome.free_units, (std::vector<std::int64_t>{30, 30, 30, 30, 20, 20, 20, 20}));
  parameters.flow_control = fabric::FlowControl::none;
  EXPECT_TRUE(carried(star(2), parameters, {}).free_units.empty());
}

// Heads come to the host at 120, 1,120 and 2,120, tails 1,000 later, and each packet takes 2,000 to be
// emptied.
TEST(FabricByHand, AHostEmptiesItsBuffersOnePacketAtATime) {
  FabricParameters parameters = spacious();
  parameters.ejection = byte_in_two_ns;
  const std::vector<FabricInjection> plan(3, unit(0, 0, 1));
  EXPECT_EQ(delivered(carried(star(2), parameters, plan)), (Times{2'120, 4'120, 6'120}));
  // With space for one the next starts 10 after that is free: at 2,130, with its head there at 2,140; emptied
  // at 4,140. Then at 4,150, with its head there at 4,160; emptied at 6,160.
  parameters.host_buffer = 1'024_B;
  const FabricOutcome tight = carried(star(2), parameters, plan);
  EXPECT_EQ(starts(tight, 1), (Times{110, 2'130, 4'150}));
  EXPECT_EQ(delivered(tight), (Times{2'120, 4'140, 6'160}));
  // Faster than the link it waits for the tail.
  parameters.ejection = two_bytes_in_ns;
  EXPECT_EQ(delivered(carried(star(2), parameters, {unit(0, 0, 1)})), (Times{1'120}));
}

// As above: 3 x 2,000 in 12,000; at 4,120 the second is just over.
TEST(FabricByHand, AHostsBusIsInUseWhileItEmptiesBuffers) {
  FabricParameters parameters = spacious();
  parameters.packet.largest = 1'000_B;
  parameters.ejection = byte_in_two_ns;
  const CabledGraph network = star(2);
  const auto routing = std::make_shared<const EcmpRouting>(
      network.graph, [](CableChannel) { return true; }, 0);
  const std::vector<FabricInjection> plan(3, unit(0, 0, 1));
  CarriedByFabric carried(network, parameters, routing, plan);
  carried.run();
  const std::vector<ResourceLoad> loads = carried.resources(12'000_ns);
  ASSERT_EQ(loads.size(), 1u) << "nothing has come to the other host";
  EXPECT_EQ(loads[0].number, 1u);
  EXPECT_DOUBLE_EQ(loads[0].utilisation, 0.5);
  EXPECT_DOUBLE_EQ(carried.resources(4'120_ns).at(0).utilisation, 4'000 / 4'120.0);
}

// Three switches in a ring, one way round, each host's packet to the host two switches on. Each trunk's only
// buffer is filled by the packet that waits for the next trunk's.
TEST(FabricByHand, ARingWithoutASecondVirtualChannelDeadlocks) {
  SwitchGraph graph;
  for (int at = 0; at < 3; ++at) graph.add_switch(3);
  for (SwitchId at = 0; at < 3; ++at) graph.connect(SwitchPort{at, 0}, SwitchPort{(at + 1) % 3, 1});
  for (SwitchId at = 0; at < 3; ++at) graph.add_host(SwitchPort{at, 2});
  const CabledGraph network = CabledGraph::uniform(std::move(graph), {byte_in_ns, 10_ns});
  FabricParameters parameters = spacious();
  parameters.buffer = 1'024_B;
  const std::vector<FabricInjection> plan{unit(0, 0, 2), unit(0, 1, 0), unit(0, 2, 1)};
  const RoutingBy one(1, [](const RoutedPacket&, const OutputLoads&) { return RoutingChoice{0, 0}; });
  const FabricOutcome stuck = both_fabrics(network, parameters, one, plan);
  EXPECT_EQ(delivered(stuck), (Times{never, never, never}));
  EXPECT_EQ(starts(stuck, 1), (Times{110, 110, 110}));
  EXPECT_EQ(stuck.free_units[network.graph.channel_from(SwitchPort{1, 0})], 0);
  // The second trunk on the second virtual channel: it is free at 1,110. Ready at the last switch at 1,220,
  // but the input sends the packet that came before, on the first virtual channel, from 1,110 to 2,110.
  const RoutingBy two(2, [](const RoutedPacket& packet, const OutputLoads&) {
    const bool came_by_trunk = packet.input.port == 1;
    EXPECT_EQ(packet.virtual_channel, 0);
    return RoutingChoice{0, VirtualChannel{came_by_trunk}};
  });
  const FabricOutcome free = both_fabrics(network, parameters, two, plan);
  for (const FabricFate& fate : free.fates) {
    EXPECT_EQ(hop_starts(fate), (Times{0, 110, 1'110, 2'110}));
    EXPECT_EQ(channels_used(fate), (std::vector<unsigned>{0, 0, 1, 0}));
  }
  EXPECT_EQ(delivered(free), (Times{3'120, 3'120, 3'120}));
}

// ---- virtual channels, routing, loads

// Class 1 of 2, routing's channel 1 of 2, two lanes: (1 * 2 + 1) * 2 on the trunk, (1 * 2 + 0) * 2 at the
// hosts.
TEST(FabricByHand, VirtualChannelsAreNumberedByClassChannelAndLane) {
  FabricParameters parameters = spacious();
  parameters.classes = parameters.lanes = 2;
  const RoutingBy upper(2, [](const RoutedPacket&, const OutputLoads&) { return RoutingChoice{0, 1}; });
  const FabricOutcome outcome = both_fabrics(line(), parameters, upper, {unit(0, 0, 1, 1)});
  EXPECT_EQ(channels_used(outcome.fates[0]), (std::vector<unsigned>{4, 6, 4}));
}

// Ready at 0 + 2,000 + 100, before its tail is there, at 0 + 1,000 + 2,000: lost then. The only space is free
// then, and the sender learns of it 2,000 later.
TEST(FabricByHand, APacketWithoutARouteIsLostWhenItsTailIsThere) {
  CabledGraph network = line();
  network.hosts[0].propagation = 2'000_ns;
  FabricParameters parameters = spacious();
  parameters.buffer = 1'024_B;
  const RoutingBy nowhere(1, [](const RoutedPacket&, const OutputLoads&) { return std::nullopt; });
  const FabricOutcome outcome = both_fabrics(network, parameters, nowhere, {unit(0, 0, 1), unit(0, 0, 1)});
  EXPECT_EQ(outcome.fates[0].lost, 3'000_ns);
  EXPECT_EQ(outcome.fates[0].departed, 1'000_ns);
  EXPECT_EQ(starts(outcome, 0), (Times{0, 5'000}));
  EXPECT_EQ(outcome.fates[1].lost, 8'000_ns);
}

// Gaps of 20. Packet 0 is ready at 110, with nothing in front, and keeps the trunk until 1,130 and 16 units
// of 64 bytes. Packet 1 is ready at 210: 920 busy, 1,024 without credits. Packet 2, that follows packet 0 at
// 1,020, is ready at 1,130, when the trunk is free, before packet 1 starts: 1,020 for packet 1 and its gap;
// packet 0 starts at the other switch at 220, its space is free at 1,220, so 1,024 for its units.
TEST(FabricByHand, LoadsAreTheBusyTheWaitingAndTheUnitsAbsent) {
  CabledGraph network = line(2);
  network.graph = SwitchGraph();
  for (int at = 0; at < 2; ++at) network.graph.add_switch(4);
  network.graph.connect(SwitchId{0}, SwitchId{1});
  network.graph.connect(SwitchId{0}, SwitchId{1});
  for (const SwitchId at : {0U, 1U, 0U}) network.graph.add_host(at);
  network.hosts.assign(3, network.trunks[0]);
  FabricParameters parameters = spacious();
  parameters.packet.gap = 20_B;
  Times waits, of_idle;
  const RoutingBy asking(1, [&](const RoutedPacket& packet, const OutputLoads& loads) {
    waits.push_back(in_ns(loads.wait({packet.input.at, 0})));
    of_idle.push_back(in_ns(loads.wait({packet.input.at, 1})));
    return RoutingChoice{0, 0};
  });
  both_fabrics(network, parameters, asking, {unit(0, 0, 1), unit(100, 2, 1), unit(100, 0, 1)});
  const Times expected{0, 920 + 1'024, 1'020 + 1'024};
  EXPECT_EQ(waits, (Times{expected[0], expected[1], expected[2], expected[0], expected[1],
                          expected[2]}));  // of each model
  EXPECT_EQ(of_idle, (Times{0, 0, 0, 0, 0, 0}));
}

// ---- output queues

// Three packets are ready at 110 and the output takes two; the tail of the third is there at 1,010. Packet 3
// is ready at 1,110, when packet 0 ends: that instant excluded.
TEST(FabricByHand, AFullOutputQueueDropsPackets) {
  FabricParameters parameters = spacious();
  parameters.queueing = fabric::Queueing::output_queues;
  parameters.flow_control = fabric::FlowControl::none;
  const std::vector<FabricInjection> plan{unit(0, 0, 3), unit(0, 1, 3), unit(0, 2, 3), unit(1'000, 0, 3)};
  const auto expect_third_lost = [&] {
    const FabricOutcome outcome = carried(star(4), parameters, plan);
    EXPECT_EQ(delivered(outcome), (Times{1'120, 2'120, never, 3'120}));
    EXPECT_EQ(outcome.fates[2].lost, 1'010_ns);
  };
  parameters.output_packets = 2;
  expect_third_lost();
  parameters.output_packets = 0;
  parameters.output_queue = 2'000_B;
  expect_third_lost();
  parameters.output_queue = 2'999_B;
  expect_third_lost();
  parameters.output_queue = 3'000_B;
  EXPECT_EQ(delivered(carried(star(4), parameters, plan)), (Times{1'120, 2'120, 3'120, 4'120}));
  // Credits never drop.
  parameters.flow_control = fabric::FlowControl::credits;
  parameters.output_queue = 1'000_B;
  parameters.output_packets = 1;
  EXPECT_EQ(delivered(carried(star(4), parameters, plan)), (Times{1'120, 2'120, 3'120, 4'120}));
}

// Packets of hosts 0 and 1 to host 3 are ready at 110, their tails (tau) come at 1,110. The first transfer
// lasts until then at any speedup. Then host 1's next packet, to host 2 (tau 2,110), follows the one to host
// 3 at their input. Speedup 1: 1,110 .. 2,110 and 2,110 .. 3,110. Speedup 2: 1,110 .. 1,610, and from 1,610
// on. Speedup 4: from 1,360 on.
TEST(FabricByHand, SpeedupShortensTransfersButNotBeforeTheTail) {
  FabricParameters parameters = spacious();
  parameters.queueing = fabric::Queueing::input_queues;
  parameters.output_queue = 10'000_B;
  const std::vector<FabricInjection> plan{unit(0, 0, 3), unit(0, 1, 3), unit(0, 1, 2)};
  EXPECT_EQ(delivered(carried(star(4), parameters, plan)), (Times{1'120, 2'120, 3'120}));
  parameters.speedup = 2;
  EXPECT_EQ(delivered(carried(star(4), parameters, plan)), (Times{1'120, 2'120, 2'620}));
  parameters.speedup = 4;
  EXPECT_EQ(delivered(carried(star(4), parameters, plan)), (Times{1'120, 2'120, 2'370}));
}

// Speedup 2; host 2's link takes 2,000. Transfers take 500, as the inputs' links are the faster ones. Packet
// 0 is transferred from 110 to its tail at 1,110 and sent until 2,110. Packet 1 (host 1 to 2) and packet 2
// (host 1 to 3, ready at 1,110, tau 2,110) share an input.
TEST(FabricByHand, AFullOutputQueueHoldsTransfersBack) {
  CabledGraph network = star(4);
  network.hosts[2].rate = byte_in_two_ns;
  FabricParameters parameters = spacious();
  parameters.speedup = 2;
  const std::vector<FabricInjection> plan{unit(0, 0, 2), unit(0, 1, 2), unit(0, 1, 3)};
  // Space for two: at 1,110 packet 1 goes first (outputs from port 1 on), until 1,610; then packet 2.
  parameters.output_queue = 2'000_B;
  EXPECT_EQ(starts(carried(network, parameters, plan), 1), (Times{110, 2'110, 1'610}));
  // Space for one: at 1,110 only packet 2 can go, until max(1,610, 2,110). Packet 1 goes at 2,110.
  parameters.output_queue = 1'999_B;
  EXPECT_EQ(starts(carried(network, parameters, plan), 1), (Times{110, 2'110, 1'110}));
}

// Hosts 1 and 2 take two nanoseconds for a byte, host 0 sends one in a nanosecond: packets to them by turns
// are ready at 110, 1,110, .... The input reads one in 1,000 ns, so that both slow links are kept busy.
TEST(FabricByHand, AFastInputFeedsSlowerOutputsAtOnce) {
  CabledGraph network = star(3);
  network.hosts[1].rate = network.hosts[2].rate = byte_in_two_ns;
  std::vector<FabricInjection> plan;
  for (int i = 0; i < 4; ++i) plan.push_back(unit(0, 0, i % 2 == 0 ? 1 : 2));
  for (const Bytes output_queue : {Bytes(0), Bytes(10'000)}) {
    fabric::FabricParameters parameters;
    parameters.queueing = fabric::Queueing::virtual_output_queues;
    parameters.flow_control = fabric::FlowControl::none;
    parameters.output_queue = output_queue;
    const FabricOutcome outcome = carried(network, parameters, plan);
    EXPECT_EQ(starts(outcome, 1), (Times{110, 1'110, 2'110, 3'110}));
    EXPECT_EQ(delivered(outcome), (Times{2'120, 3'120, 4'120, 5'120}));
  }
}

}  // namespace
}  // namespace morgana::testing
