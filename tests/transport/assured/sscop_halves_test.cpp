#include <gtest/gtest.h>

#include <numeric>

#include "emulator/transport/sscop/pdu.h"
#include "emulator/transport/sscop/receiver.h"
#include "emulator/transport/sscop/sender.h"

namespace morgana::sscop {
namespace {

using Octets = std::vector<std::uint8_t>;

// ITU-T Q.2110, figures of 7.2 (octet 1 at the left; SD 1000, POLL 1010, STAT 1011, USTAT 1100).
TEST(SscopPdu, HasTheStandardsOctets) {
  const Octets information{0xaa, 0xbb, 0xcc, 0xdd, 0xee};
  EXPECT_EQ(encode(Sd{5, 0x010203}, information),
            (Octets{0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0, 0, 0, 0xc8, 0x01, 0x02, 0x03}));  // 3 octets of padding
  EXPECT_EQ(encode(Poll{0x010203, 0xfffefd}), (Octets{0, 1, 2, 3, 0x0a, 0xff, 0xfe, 0xfd}));
  EXPECT_EQ(encode(Stat{{7, 8, 10}, 2, 0x20, 7}),
            (Octets{0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0, 10, 0, 0, 0, 2, 0, 0, 0, 0x20, 0x0b, 0, 0, 7}));
  EXPECT_EQ(encode(Ustat{7, 8, 0x20, 7}), (Octets{0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0, 0x20, 0x0c, 0, 0, 7}));
}

TEST(SscopPdu, IsReadBackAndAsLongAsItIsSaidToBe) {
  const std::vector<Pdu> pdus{Sd{0, 0},         Sd{1, modulus - 1}, Sd{largest_information, 5},
                              Poll{1, 2},       Stat{{}, 1, 2, 3},  Stat{{3, 4}, 1, 2, 3},
                              Ustat{1, 2, 3, 4}};
  for (const Pdu& pdu : pdus) {
    const Sd* data = std::get_if<Sd>(&pdu);
    const Octets octets = encode(pdu, Octets(data ? data->octets : 0));
    EXPECT_EQ(octets.size(), size_of(pdu));
    EXPECT_EQ(decode(octets), pdu);
  }
  EXPECT_EQ(decode(Octets{0, 0, 0}), std::nullopt);                    // no whole word
  EXPECT_EQ(decode(Octets{0x0a, 0, 0, 0}), std::nullopt);              // a POLL has two words
  EXPECT_EQ(decode(Octets{0x48, 0, 0, 0}), std::nullopt);              // padding of what is not there
  EXPECT_EQ(decode(Octets{0, 0, 0, 0, 0x0e, 0, 0, 0}), std::nullopt);  // no type of ours
}

Piece piece(std::uint64_t message) {
  return {MessageId{message}, Bytes(1), true};
}

/// Both halves of a connection, between which the test carries the frames by hand.
struct Pair {
  explicit Pair(Number first = 1, std::uint32_t window = 100, std::uint32_t longest_list = 67)
      : sender(first, window), receiver(first, window, longest_list) {}
  Sender sender;
  Receiver receiver;
  std::vector<Piece> delivered;

  void append(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) sender.append(piece(appended++));
  }
  std::optional<Ustat> carry(const OutgoingSd& data) { return receiver.take(data.ns, data.piece, delivered); }
  void expect_delivered(std::uint64_t count) const {
    ASSERT_EQ(delivered.size(), count);
    for (std::uint64_t i = 0; i < count; ++i) EXPECT_EQ(delivered[i].message, MessageId{i});
  }
  std::uint64_t appended = 0;
};

// The thesis's example (section 5.1): SD 1-4, POLL, STAT; SD 5-9 of which 7 is lost; the POLL goes just after
// 9, before the USTAT that 8 caused comes back. Its STAT lists 7 again, which has been sent again already.
TEST(Sscop, DoesNotRepeatTwiceWhatUstatAndStatBothMiss) {
  Pair pair;
  pair.append(4);
  while (const auto data = pair.sender.next()) EXPECT_FALSE(pair.carry(*data));
  for (const Stat& stat : pair.receiver.take(pair.sender.poll())) {
    EXPECT_EQ(stat, (Stat{{}, 1, 105, 5}));
    EXPECT_TRUE(pair.sender.take(stat));
  }
  EXPECT_EQ(pair.sender.vt_a(), 5U);
  EXPECT_EQ(pair.sender.outstanding(), 0U);

  pair.append(5);
  std::optional<Ustat> ustat;
  while (const auto data = pair.sender.next()) {
    if (data->ns == 7) continue;
    if (const auto gap = pair.carry(*data)) ustat = gap;
  }
  EXPECT_EQ(ustat, (Ustat{7, 8, 107, 7}));
  const Poll poll = pair.sender.poll();
  EXPECT_EQ(poll, (Poll{2, 10}));
  const std::vector<Stat> stats = pair.receiver.take(poll);
  EXPECT_EQ(stats, (std::vector<Stat>{{{7, 8, 10}, 2, 107, 7}}));

  EXPECT_TRUE(pair.sender.take(*ustat));
  const auto again = pair.sender.next();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->ns, 7U);
  EXPECT_FALSE(again->first_time);
  EXPECT_TRUE(pair.sender.take(stats[0]));
  EXPECT_FALSE(pair.sender.next());
  EXPECT_EQ(pair.sender.counters().suppressed, 1U);
  pair.carry(*again);
  pair.expect_delivered(9);
  EXPECT_EQ(pair.receiver.vr_r(), 10U);

  // Had it been lost again, the next POLL would find it.
  EXPECT_EQ(pair.sender.poll(), (Poll{3, 10}));
  EXPECT_TRUE(pair.sender.take(Stat{{7, 8, 10}, 3, 107, 7}));
  EXPECT_EQ(pair.sender.next()->ns, 7U);
  EXPECT_EQ(pair.sender.counters().again_by_stat, 1U);
  EXPECT_EQ(pair.sender.counters().again_by_ustat, 1U);
}

TEST(Sscop, SendsAgainBeforeItSendsNew) {
  Pair pair;
  pair.append(3);
  while (pair.sender.next()) continue;
  pair.append(1);
  EXPECT_TRUE(pair.sender.take(Ustat{1, 3, 101, 1}));
  EXPECT_EQ(pair.sender.next()->ns, 1U);
  EXPECT_EQ(pair.sender.next()->ns, 2U);
  EXPECT_EQ(pair.sender.next()->ns, 4U);
}

// SDs 1 and 2 came late: the USTAT has asked for both again when the STAT to the next POLL acknowledges them.
// Nothing is outstanding then, and nothing waits; with one SD more, the repetitions alone are gone.
TEST(Sscop, ForgetsARepetitionThatAnAcknowledgementOvertakes) {
  Pair pair;
  pair.append(3);
  while (pair.sender.next()) continue;
  EXPECT_TRUE(pair.sender.take(Ustat{1, 3, 101, 1}));
  pair.sender.poll();
  EXPECT_TRUE(pair.sender.take(Stat{{}, 1, 103, 3}));
  EXPECT_EQ(pair.sender.outstanding(), 1U);
  EXPECT_FALSE(pair.sender.next());
  EXPECT_TRUE(pair.sender.take(Stat{{}, 1, 104, 4}));
  EXPECT_FALSE(pair.sender.active());
  EXPECT_FALSE(pair.sender.next());
}

TEST(Sscop, FindsALostTailByPollAlone) {
  Pair pair;
  pair.append(3);
  pair.carry(*pair.sender.next());
  pair.sender.next();
  pair.sender.next();
  const std::vector<Stat> stats = pair.receiver.take(pair.sender.poll());
  EXPECT_EQ(stats, (std::vector<Stat>{{{2, 4}, 1, 102, 2}}));  // closed with the POLL's N(S)
  pair.sender.take(stats[0]);
  pair.carry(*pair.sender.next());
  pair.carry(*pair.sender.next());
  pair.expect_delivered(3);
}

TEST(Sscop, SendsNoMoreThanTheReceiverGrants) {
  Pair pair(1, 2);
  pair.append(3);
  EXPECT_EQ(pair.sender.next()->ns, 1U);
  EXPECT_EQ(pair.sender.next()->ns, 2U);
  EXPECT_FALSE(pair.sender.next());
  EXPECT_TRUE(pair.sender.take(Ustat{1, 1, 3, 1}));  // grants nothing more
  EXPECT_FALSE(pair.sender.next());
  pair.sender.poll();
  EXPECT_TRUE(pair.sender.take(Stat{{}, 1, 4, 2}));
  EXPECT_EQ(pair.sender.next()->ns, 3U);
}

TEST(Sscop, RefusesWhatLiesBeyondTheWindowAndTellsTheGapBeforeItsEnd) {
  Pair pair(1, 2);
  EXPECT_EQ(pair.receiver.take(5, piece(4), pair.delivered), (Ustat{1, 3, 3, 1}));
  EXPECT_EQ(pair.receiver.take(5, piece(4), pair.delivered), std::nullopt);  // told once
  EXPECT_EQ(pair.receiver.counters().beyond_window, 2U);
}

TEST(Sscop, CutsALongListAtTheBeginOfAGap) {
  Pair pair(0, 100, 3);
  for (const Number ns : {1U, 3U, 5U}) pair.receiver.take(ns, piece(ns), pair.delivered);
  // Missing: 0, 2, 4. The whole list is 0 1 2 3 4 5 6.
  const std::vector<Stat> stats = pair.receiver.take(Poll{1, 6});
  EXPECT_EQ(stats,
            (std::vector<Stat>{{{0, 1, 2}, 1, 100, 0}, {{2, 3, 4}, 1, 100, 0}, {{4, 5, 6}, 1, 100, 0}}));
  pair.append(6);
  while (pair.sender.next()) continue;
  pair.sender.poll();
  for (const Stat& stat : stats) EXPECT_TRUE(pair.sender.take(stat));
  for (const Number ns : {0U, 2U, 4U}) EXPECT_EQ(pair.sender.next()->ns, ns);
  EXPECT_FALSE(pair.sender.next());
}

TEST(Sscop, IgnoresStatusThatDoesNotFit) {
  Pair pair;
  pair.append(2);
  while (pair.sender.next()) continue;
  pair.sender.poll();
  EXPECT_FALSE(pair.sender.take(Stat{{}, 2, 101, 1}));      // of a POLL that was never sent
  EXPECT_FALSE(pair.sender.take(Stat{{}, 1, 101, 4}));      // acknowledges what was not sent
  EXPECT_FALSE(pair.sender.take(Stat{{2, 1}, 1, 101, 1}));  // goes back
  EXPECT_FALSE(pair.sender.take(Ustat{2, 5, 101, 1}));
  EXPECT_EQ(pair.sender.counters().refused, 4U);
  EXPECT_EQ(pair.sender.outstanding(), 2U);
}

// Every frame of a control kind comes twice; numbers begin just before they wrap.
TEST(Sscop, DeliversOnceAndInOrderAcrossTheWrapWithDoubledControlFrames) {
  for (std::uint32_t lost = 0; lost < 1U << 8; ++lost) {
    Pair pair(modulus - 4);
    pair.append(8);
    std::vector<Ustat> ustats;
    for (std::uint32_t sent = 0; const auto data = pair.sender.next(); ++sent) {
      if (lost >> sent & 1U) continue;
      if (const auto gap = pair.carry(*data)) ustats.insert(ustats.end(), {*gap, *gap});
    }
    for (const Ustat& ustat : ustats) pair.sender.take(ustat);
    for (int round = 0; round < 3; ++round) {
      while (const auto data = pair.sender.next()) pair.carry(*data);
      const Poll poll = pair.sender.poll();
      for (int copy = 0; copy < 2; ++copy)
        for (const Stat& stat : pair.receiver.take(poll)) {
          pair.sender.take(stat);
          pair.sender.take(stat);
        }
    }
    pair.expect_delivered(8);
    EXPECT_EQ(pair.sender.vt_a(), 4U) << "lost " << lost;  // 2^24 - 4 + 8
    EXPECT_EQ(pair.receiver.vr_r(), 4U);
    EXPECT_FALSE(pair.sender.active());
  }
}

}  // namespace
}  // namespace morgana::sscop
