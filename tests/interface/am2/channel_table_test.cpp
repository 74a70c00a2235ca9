#include "emulator/interface/am2/channel_table.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace morgana {
namespace {

using namespace literals;
using am2::Packet, am2::PacketType, am2::PeerNumber, am2::SendChannel;

/// Two channels to each peer.
class Am2ChannelTable : public testing::Test {
 protected:
  Am2ChannelTable() { parameters_.channels = 2; }

  Packet occupy(PortId to, std::uint32_t message, Bytes payload = 16_B) {
    Packet packet;
    packet.to = to;
    packet.message = message;
    packet.payload = payload;
    table_.occupy(table_.number_of(to), packet);
    return packet;
  }
  static Packet answer_to(const Packet& packet) {
    Packet answer = packet;
    answer.type = PacketType::ack;
    answer.from = packet.to;
    return answer;
  }
  void acknowledge(const Packet& packet) {
    SendChannel& channel = *table_.answered_by(answer_to(packet));
    channel.next_sequence = !channel.next_sequence;
    table_.release(table_.number_of(packet.to), channel);
  }

  am2::Parameters parameters_;
  am2::ChannelTable table_{parameters_};
};

TEST_F(Am2ChannelTable, NumbersPeersAsTheyCome) {
  EXPECT_EQ(table_.number_of(PortId{9}), 0u);
  EXPECT_EQ(table_.number_of(PortId{2}), 1u);
  EXPECT_EQ(table_.number_of(PortId{9}), 0u);
  EXPECT_EQ(table_.port_of(1), PortId{2});
  EXPECT_EQ(table_.peers(), 2u);
}

TEST_F(Am2ChannelTable, HasSoManyChannelsForEachPeer) {
  const Packet first = occupy(PortId{9}, 0), second = occupy(PortId{9}, 1);
  EXPECT_EQ(first.channel, 0u);
  EXPECT_EQ(second.channel, 1u);
  EXPECT_FALSE(table_.has_free(0));
  EXPECT_EQ(occupy(PortId{2}, 2).channel, 0u);
  EXPECT_TRUE(table_.has_free(1));
  EXPECT_EQ(table_.in_use(), 3);
  acknowledge(first);
  EXPECT_TRUE(table_.has_free(0));
  EXPECT_EQ(occupy(PortId{9}, 3).channel, 0u);
}

// An alternating bit: the answer to a packet is none to the next one on its channel, but one to the packet
// after that.
TEST_F(Am2ChannelTable, TellsAnswersOfOlderPackets) {
  const Packet first = occupy(PortId{9}, 0);
  EXPECT_NE(table_.answered_by(answer_to(first)), nullptr);
  acknowledge(first);
  EXPECT_EQ(table_.answered_by(answer_to(first)), nullptr);  // not in use
  const Packet second = occupy(PortId{9}, 1);
  EXPECT_NE(second.sequence, first.sequence);
  EXPECT_EQ(table_.answered_by(answer_to(first)), nullptr);
  acknowledge(second);
  EXPECT_EQ(occupy(PortId{9}, 2).sequence, first.sequence);
  EXPECT_NE(table_.answered_by(answer_to(first)), nullptr);
}

TEST_F(Am2ChannelTable, BeginsANewSessionWhereAPacketWasGivenUp) {
  const Packet first = occupy(PortId{9}, 0);
  SendChannel& channel = table_.channel_of(first);
  table_.end_session(channel);
  table_.release(0, channel);
  const Packet second = occupy(PortId{9}, 1);
  EXPECT_EQ(second.sequence, false);
  EXPECT_EQ(second.session, first.session + 1);
  EXPECT_EQ(table_.answered_by(answer_to(first)), nullptr);
}

// The receiver expects the other bit when it has accepted the packet.
TEST_F(Am2ChannelTable, KnowsAtTheReceiverWhetherAPacketWasAccepted) {
  Packet packet;
  packet.from = PortId{4};
  packet.channel = 1;
  EXPECT_FALSE(table_.end_session(packet));
  EXPECT_FALSE(table_.end_session(packet));  // of a session that is over
  packet.session = 1;
  table_.receiving(packet).expected = !packet.sequence;
  EXPECT_TRUE(table_.end_session(packet));
  EXPECT_EQ(table_.receiving(packet).session, 2u);
  EXPECT_FALSE(table_.receiving(packet).expected);
}

TEST_F(Am2ChannelTable, SendsAgainInOrderWhatThereIsRoomFor) {
  const auto fits = [](Bytes payload) { return payload <= 100_B; };
  const auto all = [](Bytes) { return true; };
  const Packet large = occupy(PortId{9}, 0, 1000_B), small = occupy(PortId{9}, 1),
               other = occupy(PortId{2}, 2);
  for (const Packet& packet : {large, small, other})
    table_.repeat(table_.number_of(packet.to), table_.channel_of(packet));
  ASSERT_TRUE(table_.has_repetition(fits));
  const Packet* const first = table_.next_repetition(fits);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->message, 1u);
  EXPECT_TRUE(first->again);
  EXPECT_EQ(first->retries, 1u);
  acknowledge(other);
  EXPECT_FALSE(table_.has_repetition(fits));
  EXPECT_EQ(table_.next_repetition(fits), nullptr);
  EXPECT_TRUE(table_.repeats());
  EXPECT_EQ(table_.next_repetition(all)->message, 0u);
  EXPECT_FALSE(table_.repeats());
}

TEST_F(Am2ChannelTable, VisitsChannelsInUseThatMayBeReleased) {
  table_.number_of(PortId{5});
  for (const std::uint32_t message : {0U, 1U}) occupy(PortId{9}, message);
  occupy(PortId{2}, 2);
  EXPECT_FALSE(table_.all_in_use([](const SendChannel& one) { return one.unacknowledged.message < 2; }));
  std::vector<std::pair<PeerNumber, std::uint32_t>> visited;
  table_.for_each_in_use([&](PeerNumber peer, SendChannel& channel) {
    visited.emplace_back(peer, channel.unacknowledged.message);
    if (peer == 2) table_.release(peer, channel);
  });
  EXPECT_EQ(visited, (std::vector<std::pair<PeerNumber, std::uint32_t>>{{1, 0}, {1, 1}, {2, 2}}));
  EXPECT_TRUE(table_.all_in_use([](const SendChannel& one) { return one.unacknowledged.message < 2; }));
  EXPECT_EQ(table_.in_use(), 2);
}

}  // namespace
}  // namespace morgana
