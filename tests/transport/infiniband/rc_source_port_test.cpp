#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "emulator/transport/infiniband/reliable_connections.h"
#include "emulator/transport/infiniband/udp_source_port.h"
#include "tests/transport/infiniband/rc_dispatch.h"
#include "tests/transport/lossy_network.h"

namespace morgana::testing {
namespace {

// By hand: the product of the numbers, its bits from 20 on folded in (rdma_calc_flow_label), of these 20 bits
// the upper 6 folded into the lower 14, and 0xC000 (rdma_flow_label_to_udp_sport).
TEST(UdpSourcePort, IsThatOfLinux) {
  EXPECT_EQ(rc::udp_source_port(2U, 3U), 0xC006);
  EXPECT_EQ(rc::udp_source_port(0x80U, 0x80U), 0xC001);    // 0x4000: the label's bit 14
  EXPECT_EQ(rc::udp_source_port(0x400U, 0x400U), 0xC001);  // 0x100000: bit 20, folded onto bit 0
  EXPECT_EQ(rc::udp_source_port(0x3FFFU, 1U), 0xFFFF);
  EXPECT_EQ(rc::udp_source_port(17U, 99U), rc::udp_source_port(99U, 17U)) << "the same both ways";
}

// 16,384 ports: of 1,000 channels some 30 share one (1000^2 / 2 / 16384).
TEST(UdpSourcePort, DiffersFromChannelToChannel) {
  std::set<std::uint16_t> ports;
  for (std::uint64_t channel = 0; channel < 1'000; ++channel) {
    ports.insert(rc::udp_source_port(channel));
    EXPECT_GE(rc::udp_source_port(channel), 0xC000);
  }
  EXPECT_GT(ports.size(), 940U);
  EXPECT_LT(ports.size(), 1'000U);
}

/// The entropies of packets by the two hosts that they go between, lower first.
std::map<std::pair<PortId, PortId>, std::set<std::uint32_t>> entropies(RcParameters::UdpSourcePort kind) {
  std::map<std::pair<PortId, PortId>, std::set<std::uint32_t>> seen;
  EventQueue events;
  LossyNetwork network(events, 4, [&](const Unit& unit, std::uint64_t) {
    seen[std::minmax(unit.from, unit.to)].insert(unit.entropy);
    return false;
  });
  network.largest = Bytes(4300);
  RcParameters parameters;
  parameters.path_mtu = Bytes(256);
  parameters.udp_source_port = kind;
  ReliableConnections transport(events, network, 4, parameters);
  RcDispatch dispatch(events, transport);
  // Four pairs of processes on hosts 0 and 1, in both directions, with data both ways, and one on 0 and 2.
  std::vector<RcPlanned> plan;
  for (std::uint64_t channel = 0; channel < 4; ++channel) {
    plan.push_back({0, 0, 1, 1'000, Verb::send, channel, true});
    plan.push_back({0, 1, 0, 1'000, Verb::read, channel});
  }
  plan.push_back({0, 0, 2, 1'000, Verb::write, 4, true});
  dispatch.run(plan);
  return seen;
}

TEST(ReliableConnections, HaveAnEntropyForEachQueuePairWithRoceOnly) {
  const auto roce = entropies(RcParameters::UdpSourcePort::queue_pair);
  EXPECT_EQ(roce.at({PortId{0}, PortId{1}}).size(), 4U) << "data and acknowledgements of a pair have one";
  EXPECT_EQ(roce.at({PortId{0}, PortId{2}}).size(), 1U);
  for (const auto& [hosts, seen] : entropies(RcParameters::UdpSourcePort::none))
    EXPECT_EQ(seen, std::set<std::uint32_t>{0});
}

}  // namespace
}  // namespace morgana::testing
