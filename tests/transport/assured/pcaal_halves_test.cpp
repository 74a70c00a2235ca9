#include <gtest/gtest.h>

#include "emulator/transport/pcaal/pcaal.h"
#include "emulator/transport/pcaal/pdu.h"
#include "emulator/transport/pcaal/receiver.h"
#include "emulator/transport/pcaal/sender.h"

namespace morgana::pcaal {
namespace {
namespace pcaal_halves {

using Numbers = std::vector<Number>;

ElementPiece some() {
  return {MessageId{0}, Bytes(32), 0, 4, false};
}
void send(Sender& sender, int count) {
  for (int i = 0; i < count; ++i) {
    sender.append(some());
    EXPECT_TRUE(sender.next());
  }
}
/// What the sender sends while it may.
Numbers sent(Sender& sender) {
  Numbers numbers;
  while (const auto data = sender.next()) numbers.push_back(data->ns);
  return numbers;
}
std::optional<Ustat> take(Receiver& receiver, Number ns) {
  std::vector<ElementPiece> delivered;
  return receiver.take(ns, some(), delivered);
}

// Figure 5.9: tag, offset of the first and of the last PC-PDU in two octets each, 35 octets of data, type,
// number in four octets, check in two.
TEST(PcAalPdu, HasTheFieldsOfTheThesis) {
  const std::vector<std::uint8_t> data(32, 0xaa);
  const Cell several = encode(Sd{0x0102, 0x0304, 4, 0x05060708, true}, Packing::several, data);
  const std::vector<std::uint8_t> front{1, 2, 3, 4, 3, 7, 0xaa};
  EXPECT_TRUE(std::equal(front.begin(), front.end(), several.begin()));
  EXPECT_EQ(several[6 + 31], 0xaa);
  EXPECT_EQ(several[6 + 32], 0);
  const std::vector<std::uint8_t> back{0x18, 5, 6, 7, 8};
  EXPECT_TRUE(std::equal(back.begin(), back.end(), several.begin() + 6 + 35));
  const Cell single =
      encode(Sd{0x0102, 0x0304, 1, 5, false}, Packing::single, std::vector<std::uint8_t>(37, 0xbb));
  EXPECT_EQ(single[4], 0xbb);
  EXPECT_EQ(single[4 + 36], 0xbb);
  EXPECT_EQ(single[4 + 37], 8);
}

TEST(PcAalPdu, IsReadBackAndNotifiesEveryWrongBit) {
  const std::vector<Pdu> pdus{Sd{1, 2, 3, 4, false}, Sd{1, 65535, 2, 0xffffffff, true},
                              Sd{1, 0, 0, 4, true},  Poll{1, 0xfffffffe},
                              Stat{{}, 1, 2, 3, 4},  Stat{{1, 2, 3, 4, 5, 6, 7}, 8, 9, 10, 11},
                              Ustat{1, 2, 3, 4}};
  for (const Pdu& pdu : pdus) {
    const Cell cell = encode(pdu, Packing::several);
    EXPECT_EQ(decode(cell, Packing::several), pdu);
    for (std::size_t bit = 0; bit < 8 * cell.size(); ++bit) {
      Cell wrong = cell;
      wrong[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
      EXPECT_FALSE(decode(wrong, Packing::several)) << "bit " << bit;
    }
  }
}

// The example of figure 5.7: 5 to 9 follow the first POLL's STAT, 7 is lost, asked for by the USTAT that 8
// causes, and sent again before the second POLL's STAT, which asks for it once more.
TEST(PcAalHalves, DoNotRepeatForAStatWhatAUstatHasHadRepeated) {
  Sender sender(1, 100);
  Receiver receiver(1, 100);
  send(sender, 4);
  for (Number ns = 1; ns <= 4; ++ns) EXPECT_FALSE(take(receiver, ns));
  const auto first = receiver.take(sender.poll());
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].list, Numbers{});
  EXPECT_TRUE(sender.take(first[0]));
  EXPECT_EQ(sender.vt_a(), 5U);
  send(sender, 5);
  for (const Number ns : {5U, 6U}) EXPECT_FALSE(take(receiver, ns));
  const auto gap = take(receiver, 8);
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->first, 7U);
  EXPECT_EQ(gap->end, 8U);
  EXPECT_EQ(receiver.vr_r(), 9U);
  EXPECT_FALSE(take(receiver, 9));
  const Poll second = sender.poll();
  EXPECT_EQ(second.ns, 10U);
  EXPECT_TRUE(sender.take(*gap));
  EXPECT_EQ(sent(sender), Numbers{7});
  const auto stat = receiver.take(second);
  ASSERT_EQ(stat.size(), 1U);
  EXPECT_EQ(stat[0].list, (Numbers{7, 8, 10}));
  EXPECT_TRUE(sender.take(stat[0]));
  EXPECT_EQ(sent(sender), Numbers{});
  EXPECT_EQ(sender.counters().suppressed, 1U);
  // Were the repetition lost, the next POLL's STAT would have 7 sent again.
  EXPECT_TRUE(sender.take(receiver.take(sender.poll()).at(0)));
  EXPECT_EQ(sent(sender), Numbers{7});
}

// Of 1 to 20 the even ones are lost: ten pairs, three in a cell. The pair that ends the list is 20 and the
// POLL's N(S), 21.
TEST(PcAalHalves, SpreadAStatOverCellsOfWholePairs) {
  Receiver receiver(1, 100);
  for (Number ns = 1; ns < 20; ns += 2) take(receiver, ns);
  const auto cells = receiver.take(Poll{1, 21});
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[0], (Stat{{2, 3, 4, 5, 6, 7}, 1, 102, 2, 1}));
  EXPECT_EQ(cells[1], (Stat{{8, 9, 10, 11, 12, 13}, 1, 102, 2, 7}));
  EXPECT_EQ(cells[2], (Stat{{14, 15, 16, 17, 18, 19}, 1, 102, 2, 13}));
  EXPECT_EQ(cells[3], (Stat{{20, 21}, 1, 102, 2, 19}));
}

// 1, 2; 4; 6; 8 have come, 3, 5 and 7 are missing: three pairs, and 9 without partner in the same cell.
TEST(PcAalHalves, LetTheElementWithoutPartnerShareTheLastCell) {
  Receiver receiver(1, 100);
  for (const Number ns : {1U, 2U, 4U, 6U, 8U}) take(receiver, ns);
  const auto cells = receiver.take(Poll{1, 9});
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells[0].list, (Numbers{3, 4, 5, 6, 7, 8, 9}));
}

// Only the second cell of a STAT comes. It tells that 7, 9 and 11 have come (13 begins the run that the third
// cell closes), that 8, 10 and 12 are missing, and nothing of 2 to 6.
TEST(PcAalHalves, AcknowledgeByAPartOfAStatOnlyWhatItTells) {
  Sender sender(1, 100);
  send(sender, 20);
  sender.poll();
  EXPECT_TRUE(sender.take(Stat{{8, 9, 10, 11, 12, 13}, 1, 102, 2, 7}));
  EXPECT_EQ(sender.vt_a(), 2U);
  EXPECT_EQ(sent(sender), (Numbers{8, 10, 12}));
  EXPECT_TRUE(sender.take(Ustat{2, 14, 102, 2}));
  EXPECT_EQ(sent(sender), (Numbers{2, 3, 4, 5, 6, 8, 10, 12, 13}));
}

TEST(PcAalHalves, IgnoreAStatThatComesAgainLater) {
  Sender sender(1, 100);
  send(sender, 3);
  const Poll poll = sender.poll();
  const Stat stat{{2, 3, 4}, poll.nps, 102, 2, 1};
  EXPECT_TRUE(sender.take(stat));
  EXPECT_EQ(sent(sender), Numbers{2});
  EXPECT_TRUE(sender.take(stat));  // nothing is sent twice for one POLL
  EXPECT_EQ(sent(sender), Numbers{});
  EXPECT_TRUE(sender.take(Stat{{}, sender.poll().nps, 104, 4, 3}));
  EXPECT_FALSE(sender.take(stat));
  EXPECT_FALSE(sender.active());
}

// The credit is of two cells: a third goes when the first is acknowledged.
TEST(PcAalHalves, SendNoMoreThanTheReceiverAccepts) {
  Sender sender(0xffffffff, 2);
  for (int i = 0; i < 3; ++i) sender.append(some());
  EXPECT_EQ(sent(sender), (Numbers{0xffffffff, 0}));
  Receiver receiver(0xffffffff, 2);
  take(receiver, 0xffffffff);
  const auto stat = receiver.take(sender.poll());
  EXPECT_EQ(stat.at(0), (Stat{{0, 1}, 1, 2, 0, 0xffffffff}));
  EXPECT_TRUE(sender.take(stat[0]));
  EXPECT_EQ(sent(sender), (Numbers{0, 1}));
}

}  // namespace pcaal_halves
}  // namespace
}  // namespace morgana::pcaal
