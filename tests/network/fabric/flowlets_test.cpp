#include "emulator/network/fabric/switch/flowlets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/fabric/fabric_network.h"
#include "emulator/routing/multipath.h"
#include "tests/network/fabric/by_hand.h"

namespace morgana::testing {
namespace {

using namespace literals;
using ::testing::Each;
using ::testing::SizeIs;

TEST(FlowletTable, DividesAFlowWhereAGapIsLongEnough) {
  fabric::FlowletTable table;
  const auto at = [&](std::int64_t ns, std::uint64_t flow = 1) {
    return table.flowlet(flow, SimTime::from_ps(ns * 1'000), 500_ns);
  };
  const std::uint64_t first = at(0);
  EXPECT_NE(first, 0U);
  EXPECT_EQ(at(499), first);
  EXPECT_EQ(at(998), first);  // gaps count from the last packet
  const std::uint64_t second = at(1'498);
  EXPECT_NE(second, first);
  EXPECT_EQ(at(1'500), second);
  const std::uint64_t other = at(1'500, 2);  // another flow has an entry of its own
  EXPECT_NE(other, second);
  EXPECT_EQ(at(1'600), second);
  EXPECT_EQ(at(1'600, 2), other);
}

TEST(FlowletTable, WithoutAGapEachPacketIsAFlowlet) {
  fabric::FlowletTable table;
  std::set<std::uint64_t> flowlets;
  for (int n = 0; n < 10; ++n) flowlets.insert(table.flowlet(1, 3_us, SimTime()));
  EXPECT_THAT(flowlets, SizeIs(10));
}

/// Bursts of packets of 1,000 bytes from host 0 to host 1 over eight cables, and the cable of each packet.
class Bursts : private EventHandler, private UnitListener, private FabricObserver {
 public:
  Bursts(unsigned bursts, unsigned packets, SimTime apart, SimTime gap)
      : network_(by_hand::line(8)),
        fabric_(events_, network_, parameters(gap),
                std::make_shared<FlowletRouting>(
                    network_.graph, [](CableChannel) { return true; }, 1)),
        packets_(packets),
        cables_(bursts) {
    fabric_.report_to(*this);
    fabric_.observe(*this);
    for (unsigned burst = 0; burst < bursts; ++burst) events_.schedule(apart * burst, *this, burst);
    while (!events_.empty()) events_.handle_next();
  }
  const std::vector<std::vector<CableChannel>>& cables() const { return cables_; }
  const std::vector<std::uint64_t>& delivered() const { return delivered_; }

 private:
  static fabric::FabricParameters parameters(SimTime gap) {
    fabric::FabricParameters parameters;
    parameters.packet.largest = Bytes(1'000);
    parameters.flowlet_gap = gap;
    return parameters;
  }
  void handle(std::uint64_t burst) override {
    for (unsigned n = 0; n < packets_; ++n)
      fabric_.inject({UnitId{burst * packets_ + n}, PortId{0}, PortId{1}, Bytes(1'000)});
  }
  void started(std::uint64_t number, CableChannel channel, VirtualChannel, SimTime) override {
    if (network_.graph.sent_by_host(channel) || network_.graph.receiver(channel).is_host()) return;
    cables_.at(number / packets_).push_back(channel);
  }
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId id, PortId) override { delivered_.push_back(static_cast<std::uint64_t>(id)); }
  void unit_lost(UnitId) override { FAIL(); }

  EventQueue events_;
  CabledGraph network_;
  FabricNetwork fabric_;
  unsigned packets_;
  std::vector<std::vector<CableChannel>> cables_;
  std::vector<std::uint64_t> delivered_;
};

/// A host's link takes 1 us for a packet, so that those of a burst come 1 us after each other.
TEST(Flowlets, ABurstKeepsToItsCableAndTheNextDrawsAnother) {
  const Bursts bursts(200, 5, 20_us, 1'001_ns);
  std::vector<int> used(64);
  for (const auto& cables : bursts.cables()) {
    ASSERT_THAT(cables, SizeIs(5));
    EXPECT_THAT(cables, Each(cables.front()));
    ++used.at(cables.front());
  }
  // 200 draws of 8: 25 each, standard deviation 4.7.
  int cables_used = 0;
  for (const int times : used) {
    if (times == 0) continue;
    ++cables_used;
    EXPECT_NEAR(times, 25, 24);
  }
  EXPECT_EQ(cables_used, 8);
  EXPECT_TRUE(std::ranges::is_sorted(bursts.delivered()));
  EXPECT_THAT(bursts.delivered(), SizeIs(1'000));
}

TEST(Flowlets, AGapAsLongAsThatBetweenPacketsDividesABurst) {
  std::size_t divided = 0;
  const Bursts bursts(20, 5, 20_us, 1_us);
  for (const auto& cables : bursts.cables())
    divided += std::set(cables.begin(), cables.end()).size() > 1 ? 1 : 0;
  EXPECT_GE(divided, 18U);  // five draws of 8 are all the same once in 4,096 bursts
}

TEST(Flowlets, WithALongGapAreFlows) {
  std::set<CableChannel> used;
  const Bursts flow(50, 2, 20_us, 1_s);
  for (const auto& cables : flow.cables()) used.insert(cables.begin(), cables.end());
  EXPECT_THAT(used, SizeIs(1));
}

}  // namespace
}  // namespace morgana::testing
