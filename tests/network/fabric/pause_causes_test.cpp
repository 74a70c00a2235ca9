#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/fabric/fabric_network.h"
#include "tests/network/fabric/by_hand.h"

// Who pauses whom, by hand. Links carry a byte in a nanosecond and propagate in 10 ns, switches take 100 ns,
// packets have 1,000 bytes; a pause frame takes 64 ns, and 10 ns to arrive.

namespace morgana::testing {
namespace {

using namespace by_hand;
using namespace literals;
using ::testing::ElementsAre;

class Ignored final : public UnitListener {
  void unit_departed(UnitId /*id*/, PortId /*from*/) override {}
  void unit_delivered(UnitId /*id*/, PortId /*to*/) override {}
  void unit_lost(UnitId /*id*/) override {}
};

fabric::FabricParameters with_pauses(unsigned accounts, Bytes pool) {
  fabric::FabricParameters parameters;
  parameters.queueing = fabric::Queueing::output_queues;
  parameters.flow_control = fabric::FlowControl::pause;
  parameters.packet.largest = 1'000_B;
  parameters.shared.headroom = 3'000_B;
  parameters.shared.size = accounts * 3'000_B + pool;
  return parameters;
}

/// What is reported of a plan whose units are all injected at 0.
PauseReport pauses_of(const CabledGraph& network, const fabric::FabricParameters& parameters,
                      const std::vector<FabricInjection>& plan, SimTime until) {
  EventQueue events;
  Ignored ignored;
  FabricNetwork fabric(events, network, parameters,
                       std::make_shared<EcmpRouting>(
                           network.graph, [](CableChannel) { return true; }, 0));
  fabric.report_to(ignored);
  std::uint64_t number = 0;
  for (const FabricInjection& one : plan)
    fabric.inject({.id = UnitId{number++},
                   .from = PortId{one.from},
                   .to = PortId{one.to},
                   .size = one.payload,
                   .traffic_class = static_cast<std::uint8_t>(one.traffic_class)});
  while (!events.empty()) events.handle_next();
  return fabric.pauses_until(until);
}

LinkEnd host(std::uint32_t number) {
  return {LinkEnd::Kind::host, number, 0};
}
LinkEnd port(std::uint32_t at, std::uint32_t number) {
  return {LinkEnd::Kind::switch_port, at, number};
}

// As SharedBufferByHand.APauseBeginsAfterThePacketInTransmission: host 0's link is paused from 3,184 to 4,184
// and from 4,368 to 6,184, together 2,816 ns of 10,000.
TEST(PauseCauses, AddUpHowLongAClassIsPausedAndNameTheSlowLink) {
  CabledGraph network = star(2);
  network.hosts[1].rate = byte_in_two_ns;
  const PauseReport report =
      pauses_of(network, with_pauses(2, 4'500_B), std::vector<FabricInjection>(5, unit(0, 0, 1)), 10'000_ns);
  ASSERT_EQ(report.paused.size(), 1U);
  const PauseReport::Link slow{port(0, 1), host(1)};
  EXPECT_EQ(report.paused[0].link, (PauseReport::Link{host(0), port(0, 0)}));
  EXPECT_EQ(report.paused[0].pauses, 2);
  EXPECT_DOUBLE_EQ(report.paused[0].share, 0.2816);
  EXPECT_EQ(report.paused[0].cause, slow);
  ASSERT_EQ(report.congested.size(), 1U);
  EXPECT_EQ(report.congested[0].link, slow);
  EXPECT_EQ(report.congested[0].links_paused, 1);
  EXPECT_DOUBLE_EQ(report.congested[0].paused_links, 0.2816);
  EXPECT_THAT(report.congested[0].senders, ElementsAre(std::pair<std::int64_t, double>(0, 1.0)));
}

// Hosts 0 and 2 at switch 0, host 1 and the slow host 3 at switch 1. Host 0 sends to host 3 alone; host 2
// sends to host 1, whose link is as fast as its own. The trunk carries what both send. Switch 1 pauses the
// trunk, and switch 0 its hosts: the victims' queue at switch 0 is not what is congested.
TEST(PauseCauses, LeadFromThePausedSwitchToTheCongestedOne) {
  SwitchGraph graph;
  graph.add_switch(3);
  graph.add_switch(3);
  graph.connect(SwitchId{0}, SwitchId{1});
  for (const unsigned at : {0U, 1U, 0U, 1U}) graph.add_host(SwitchId{at});
  CabledGraph network = CabledGraph::uniform(std::move(graph), {byte_in_ns, SimTime::from_ps(10'000)});
  network.trunks[0].rate = two_bytes_in_ns;      // all that both hosts of a switch send
  network.hosts[3].rate = BitRate(800'000'000);  // ten times slower
  std::vector<FabricInjection> plan;
  for (int i = 0; i < 40; ++i) {
    plan.push_back(unit(0, 0, 3));
    plan.push_back(unit(0, 2, 1));
  }
  const PauseReport report = pauses_of(network, with_pauses(3, 9'000_B), plan, 400'000_ns);
  const SwitchPort slow = network.graph.port_of(3);
  const PauseReport::Link congested{port(1, slow.port), host(3)};
  ASSERT_EQ(report.congested.size(), 1U);
  EXPECT_EQ(report.congested[0].link, congested);
  EXPECT_EQ(report.congested[0].links_paused, 3);  // the trunk, and the links of hosts 0 and 2
  std::vector<PauseReport::Link> paused;
  for (const PauseReport::Paused& one : report.paused) {
    paused.push_back(one.link);
    EXPECT_EQ(one.cause, congested);
  }
  EXPECT_THAT(paused, ::testing::UnorderedElementsAre(
                          PauseReport::Link{port(0, 0), port(1, 0)},
                          PauseReport::Link{host(0), port(0, network.graph.port_of(0).port)},
                          PauseReport::Link{host(2), port(0, network.graph.port_of(2).port)}));
  // Nobody else's packets are in the congested queue.
  EXPECT_THAT(report.congested[0].senders, ElementsAre(std::pair<std::int64_t, double>(0, 1.0)));
}

TEST(PauseCauses, AreNoneWhereNothingIsPaused) {
  const PauseReport report = pauses_of(star(2), with_pauses(2, 4'500_B), {unit(0, 0, 1)}, 10'000_ns);
  EXPECT_EQ(report, PauseReport());
  EXPECT_TRUE(pause_tables(report).empty());
}

}  // namespace
}  // namespace morgana::testing
