// Packets that wait for each other: with routes that the check before a run refuses.
#include "emulator/network/fabric/stuck.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "emulator/routing/channel_dependencies.h"
#include "emulator/routing/multipath.h"
#include "emulator/routing/topologies/dal_routing.h"
#include "emulator/topology/kinds/hyperx.h"
#include "emulator/topology/kinds/torus.h"
#include "tests/network/fabric/by_hand.h"
#include "tests/network/fabric/standing_network.h"

namespace morgana::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

fabric::StuckPacket stuck(unsigned packet, CableChannel holds, CableChannel wants) {
  return {packet, {holds, 0}, {wants, 0}};
}

TEST(StuckPackets, AreACycleWhereTheyCloseOne) {
  const std::vector<fabric::StuckPacket> all{stuck(0, 1, 2), stuck(1, 2, 9), stuck(2, 2, 3),
                                             stuck(3, 3, 4), stuck(4, 4, 2), stuck(5, 8, 4)};
  std::vector<fabric::Slot> packets;
  for (const fabric::StuckPacket& one : fabric::cycle_of(all)) packets.push_back(one.packet);
  std::ranges::sort(packets);
  EXPECT_EQ(packets, (std::vector<fabric::Slot>{2, 3, 4}));
  EXPECT_THAT(fabric::cycle_of({stuck(0, 1, 2), stuck(1, 2, 3), stuck(2, 2, 4)}), IsEmpty());
  EXPECT_THAT(fabric::cycle_of({}), IsEmpty());
  EXPECT_EQ(fabric::cycle_of({stuck(7, 1, 1)}).size(), 1u);
}

const auto itself = [](const fabric::ChannelBuffer& buffer) { return buffer; };

// 1 -> 2 -> 3 -> 1 and a packet before it. Whatever moves in one of the three buffers, or a second lane that
// nobody holds, lets all go on.
TEST(StuckPackets, AreStuckForEverOnlyIfNothingThatTheyWantMoves) {
  const std::vector<fabric::StuckPacket> ring{stuck(0, 1, 2), stuck(1, 2, 3), stuck(2, 3, 1), stuck(3, 9, 1)};
  EXPECT_EQ(fabric::deadlocked({ring, {}}, itself).size(), 4u);
  EXPECT_EQ(fabric::deadlocked({ring, {{9, 0}}}, itself).size(), 4u)
      << "another packet of the fourth's buffer";
  for (const CableChannel held : {1U, 2U, 3U})
    EXPECT_THAT(fabric::deadlocked({ring, {{held, 0}}}, itself), IsEmpty());
  std::vector<fabric::StuckPacket> two_lanes = ring;
  two_lanes[1].lanes = 2;
  EXPECT_THAT(fabric::deadlocked({two_lanes, {}}, itself), IsEmpty());
  two_lanes.push_back({4, {3, 1}, {1, 0}});
  EXPECT_EQ(fabric::deadlocked({two_lanes, {}}, itself).size(), 5u) << "the second lane is held, too";
  EXPECT_THAT(fabric::deadlocked({{stuck(0, 1, 2)}, {}}, itself), IsEmpty()) << "nobody holds what it wants";
  // Buffers 1 and 8 share a memory: what leaves 8 makes space in 1.
  const auto memory = [](const fabric::ChannelBuffer& buffer) {
    return buffer.channel == 8 ? fabric::ChannelBuffer{1, 0} : buffer;
  };
  EXPECT_EQ(fabric::deadlocked({ring, {{8, 0}}}, itself).size(), 4u);
  EXPECT_THAT(fabric::deadlocked({ring, {{8, 0}}}, memory), IsEmpty());
}

/// Switch i of a ring of five has host i, on port 0; port 1 leads to i + 1, port 2 back.
CabledGraph ring_of_five() {
  return CabledGraph::uniform(topology::torus({.sides = {5}, .hosts_per_switch = 1, .ports_per_switch = 3}),
                              {by_hand::byte_in_ns, SimTime::from_ps(10'000)});
}

const auto every_channel = [](CableChannel) { return true; };

// Every host sends to the next but one, which has one shortest way. Each one's first packet fills the buffer
// of the way's first cable, and waits for that of its second one, which another host's first packet has
// filled.
TEST(StuckPackets, OfARingNameWhatTheyHoldAndWant) {
  for (const fabric::Queueing queueing :
       {fabric::Queueing::input_queues, fabric::Queueing::virtual_output_queues,
        fabric::Queueing::output_queues}) {
    const CabledGraph ring = ring_of_five();
    StandingNetwork network(ring, shallow(queueing),
                            std::make_shared<EcmpRouting>(ring.graph, every_channel, 0));
    for (HostNumber from = 0; from < 5; ++from) network.send(from, (from + 2) % 5, 10);
    network.run();
    ASSERT_GT(network.left(), 0u);
    const std::string text = network.standstill();
    // Ten buffers behind hosts and trunks hold a packet each.
    if (queueing != fabric::Queueing::output_queues) {
      EXPECT_THAT(text,
                  ::testing::StartsWith(
                      "10 packets are in switches or on cables (40 more have not left their hosts), and 5 "));
    }
    EXPECT_THAT(text,
                AllOf(HasSubstr("5 of them wait for each other's buffers in a cycle"),
                      HasSubstr("from host 0 to host 2 holds switch 0 port 1 -> switch 1 port 2 (VC 0)"),
                      HasSubstr("and waits for switch 1 port 1 -> switch 2 port 2 (VC 0)"),
                      HasSubstr("network.routes-check")));
    EXPECT_EQ(std::ranges::count(text, '\n'), 5);
  }
}

// The buffers have credits left for small packets, which stand behind large ones.
TEST(StuckPackets, OfARingAreStuckThoughSmallOnesBehindThemHaveCredits) {
  const CabledGraph ring = ring_of_five();
  fabric::FabricParameters parameters = shallow(fabric::Queueing::virtual_output_queues);
  parameters.buffer = Bytes(2'048 + 256);
  StandingNetwork network(ring, parameters, std::make_shared<EcmpRouting>(ring.graph, every_channel, 0));
  for (int n = 0; n < 20; ++n)
    for (HostNumber from = 0; from < 5; ++from) {
      network.send(from, (from + 2) % 5, 1);
      network.send(from, (from + 2) % 5, 1, Bytes(64));
    }
  network.run();
  ASSERT_GT(network.left(), 0u);
  EXPECT_THAT(network.standstill(), HasSubstr("in a cycle"));
}

TEST(StuckPackets, AreNoneWhileAllArrive) {
  const CabledGraph ring = ring_of_five();
  StandingNetwork network(ring, shallow(fabric::Queueing::input_queues),
                          std::make_shared<EcmpRouting>(ring.graph, every_channel, 0));
  network.send(0, 2, 10);
  EXPECT_THAT(network.standstill(), HasSubstr("no deadlock")) << "on their way";
  network.run();
  EXPECT_EQ(network.left(), 0u);
  EXPECT_THAT(network.standstill(), IsEmpty());
}

// Of a ring where some packets go on: whenever a cycle is named, at any instant, the network never empties
// after it; and one that empties has never named one.
TEST(StuckPackets, AreACycleOnlyInANetworkThatNeverEmpties) {
  int empty = 0, standing = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const CabledGraph ring = ring_of_five();
    StandingNetwork network(ring, shallow(fabric::Queueing::virtual_output_queues),
                            std::make_shared<EcmpRouting>(ring.graph, every_channel, 0));
    std::minstd_rand random(seed + 1);
    for (int n = 0; n < 6; ++n)
      for (HostNumber from = 0; from < 5; ++from)
        network.send(from, (from + (random() % 4 == 0 ? 1 : 2)) % 5, 1);
    bool named = false;
    while (network.step()) named = named || network.standstill().find("in a cycle") != std::string::npos;
    named = named || network.standstill().find("in a cycle") != std::string::npos;
    EXPECT_EQ(named, network.left() > 0) << seed;
    (network.left() > 0 ? standing : empty) += 1;
  }
  EXPECT_GT(empty, 0);
  EXPECT_GT(standing, 0);
}

/// DAL on a line, where every packet takes a deroute, and with its last virtual channel folded onto the one
/// below.
class FoldedDal final : public Routing {
 public:
  FoldedDal(const DalRouting& dal, bool folded) : dal_(dal), folded_(folded) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads&) const override {
    // The next switch up, if a packet may go there; else straight.
    std::optional<RoutingChoice> best;
    const auto next = (packet.input.at + 1) % 3;
    dal_.for_every_choice(packet, [&](const RoutingChoice& one) {
      const bool is_next = one.port == (next > packet.input.at ? next : next + 1);
      if (!best || is_next) best = one;
    });
    if (best && folded_)
      best->virtual_channel =
          std::min<VirtualChannel>(best->virtual_channel, VirtualChannel(dal_.virtual_channels() - 2));
    return best;
  }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    if (const auto choice = choose(packet, IdleOutputs())) visit(*choice);
  }
  unsigned virtual_channels() const override { return dal_.virtual_channels() - (folded_ ? 1 : 0); }

 private:
  const DalRouting& dal_;
  bool folded_;
};

// Three switches that are all joined; every host sends to the one before it, over the one after it.
TEST(StuckPackets, OfDalWithOneVirtualChannelFewerStandAndWithAllArrive) {
  const SwitchGraph graph = topology::graph_of(topology::hyperx({{3}, {1}}), 1);
  const CabledGraph line = CabledGraph::uniform(graph, {by_hand::byte_in_ns, SimTime::from_ps(10'000)});
  const DalRouting dal(graph, {{3}, Grid::Lines::full}, {}, every_channel);
  for (const bool folded : {false, true}) {
    const auto routing = std::make_shared<FoldedDal>(dal, folded);
    EXPECT_EQ(find_deadlock(graph, *routing).empty(), !folded);
    StandingNetwork network(line, shallow(fabric::Queueing::virtual_output_queues), routing);
    for (HostNumber from = 0; from < 3; ++from) network.send(from, (from + 2) % 3, 20);
    network.run();
    EXPECT_EQ(network.left() == 0, !folded);
    if (folded)
      EXPECT_THAT(network.standstill(), HasSubstr("3 of them wait for each other's buffers in a cycle"));
    else
      EXPECT_THAT(network.standstill(), IsEmpty());
  }
}

}  // namespace
}  // namespace morgana::testing
