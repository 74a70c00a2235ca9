// Telemetry that switches record in packets, worked out by hand: links carry a byte in a nanosecond and
// propagate in 10 ns, switches take 100 ns, packets have 1,000 B and a gap of 20 B.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/fabric/fabric_network.h"
#include "emulator/routing/multipath.h"
#include "tests/network/fabric/by_hand.h"

namespace morgana::testing {
namespace {

struct Came {
  std::vector<PortTelemetry> ports;
  unsigned hops = 0;
  SimTime at;
};

/// Units that ask, or not, in the order given, all injected at time 0.
struct Asking {
  HostNumber from, to;
  std::uint8_t ports;
};

class Telemetry : public ::testing::Test, private UnitListener {
 protected:
  void carry(const CabledGraph& network, fabric::FabricParameters parameters,
             const std::vector<Asking>& units) {
    parameters.packet.gap = Bytes(20);
    parameters.buffer = parameters.host_buffer = Bytes(1'000'000);
    const auto routing = std::make_shared<const EcmpRouting>(
        network.graph, [](CableChannel) { return true; }, 0);
    FabricNetwork fabric(events_, network, parameters, routing);
    fabric_ = &fabric;
    fabric.report_to(*this);
    for (std::size_t number = 0; number < units.size(); ++number)
      fabric.inject({.id = UnitId{number},
                     .from = static_cast<PortId>(units[number].from),
                     .to = static_cast<PortId>(units[number].to),
                     .size = Bytes(1'000),
                     .telemetry_ports = units[number].ports});
    while (!events_.empty()) events_.handle_next();
  }

  std::map<std::uint64_t, Came> came_;

 private:
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId id, PortId) override {
    const auto ports = fabric_->delivered_telemetry();
    came_[static_cast<std::uint64_t>(id)] = {
        {ports.begin(), ports.end()}, fabric_->delivered_hops(), events_.now()};
  }
  void unit_lost(UnitId) override { FAIL(); }

  EventQueue events_;
  FabricNetwork* fabric_ = nullptr;
};

void expect_record(const PortTelemetry& record, std::int64_t at_ns, std::int64_t queue, std::int64_t sent) {
  EXPECT_EQ(record.at, SimTime::from_ps(1'000 * at_ns));
  EXPECT_EQ(record.queue, Bytes(queue));
  EXPECT_EQ(record.sent, Bytes(sent));
  EXPECT_EQ(record.rate, by_hand::byte_in_ns);
}

/// Two packets of host 0 and one of host 1 to host 2. The first may leave the switch at 110, when host 1's
/// waits already; that leaves at 1,130, when host 0's second one has just come.
TEST_F(Telemetry, SaysWhatWaitsWhatWasSentAndWhen) {
  for (const auto queueing : {fabric::Queueing::input_queues, fabric::Queueing::virtual_output_queues,
                              fabric::Queueing::output_queues}) {
    fabric::FabricParameters parameters;
    parameters.queueing = queueing;
    if (queueing == fabric::Queueing::output_queues) parameters.flow_control = fabric::FlowControl::none;
    carry(by_hand::star(3), parameters, {{0, 2, 5}, {0, 2, 5}, {1, 2, 5}});
    ASSERT_EQ(came_.size(), 3U);
    ASSERT_EQ(came_[0].ports.size(), 1U);
    ASSERT_EQ(came_[1].ports.size(), 1U);
    ASSERT_EQ(came_[2].ports.size(), 1U);
    const std::int64_t start = came_[0].ports[0].at.ps() / 1'000;
    expect_record(came_[0].ports[0], start, 1'020, 0);
    expect_record(came_[2].ports[0], start + 1'020, 1'020, 1'020);
    expect_record(came_[1].ports[0], start + 2'040, 0, 2'040);
    EXPECT_EQ(came_[0].ports[0].port, came_[1].ports[0].port);
    EXPECT_EQ(came_[1].hops, 1U);
    came_.clear();
  }
}

/// Two switches: at 110 and 220. Who asks for one port gets the first; who asks for none gets none, but the
/// same times, and counts in what was sent.
TEST_F(Telemetry, IsOfAsManyPortsAsTheUnitHasSpaceFor) {
  carry(by_hand::line(), {}, {{0, 1, 2}, {0, 1, 1}, {0, 1, 0}, {0, 1, 255}});
  ASSERT_EQ(came_.size(), 4U);
  ASSERT_EQ(came_[0].ports.size(), 2U);
  expect_record(came_[0].ports[0], 110, 0, 0);
  expect_record(came_[0].ports[1], 220, 0, 0);
  EXPECT_NE(came_[0].ports[0].port, came_[0].ports[1].port);
  ASSERT_EQ(came_[1].ports.size(), 1U);
  expect_record(came_[1].ports[0], 1'130, 0, 1'020);
  EXPECT_TRUE(came_[2].ports.empty());
  EXPECT_EQ(came_[2].hops, 2U);
  ASSERT_EQ(came_[3].ports.size(), 2U);
  expect_record(came_[3].ports[1], 220 + 3 * 1'020, 0, 3 * 1'020);
  for (std::uint64_t number = 1; number < 4; ++number)
    EXPECT_EQ(came_[number].at - came_[number - 1].at, SimTime::from_ps(1'020'000));
}

}  // namespace
}  // namespace morgana::testing
