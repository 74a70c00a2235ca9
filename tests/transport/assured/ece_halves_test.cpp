#include <gtest/gtest.h>

#include "emulator/transport/ece/clock.h"
#include "emulator/transport/ece/monitor.h"
#include "emulator/transport/ece/pdu.h"
#include "emulator/transport/ece/receiver.h"
#include "emulator/transport/ece/sender.h"

namespace morgana::ece {
namespace {
namespace ece_halves {
using namespace literals;

pcaal::ElementPiece some() {
  return {MessageId{0}, Bytes(32), 0, 4, false};
}
Sd sd(Number ns, Stamp sent) {
  return {pcaal::Sd{1, 0, 4, ns, false}, carried_by_sd(sent)};
}
LatencyMonitor::Limits limits() {
  return {100_us, 90_us, 1_ms, 500_us};
}

// Figure 6.5: as figure 5.9(b), with the stamp behind the data: 6 octets of tag and offsets, 32 of data, 3 of
// stamp, then type, number and check.
TEST(EcePdu, HasTheStampBehindTheData) {
  const std::vector<std::uint8_t> data(32, 0xaa);
  const pcaal::Cell cell = encode(Sd{pcaal::Sd{0x0102, 0x0304, 4, 0x05060708, true}, 0x090a0b}, data);
  EXPECT_EQ(cell[5], 7);
  EXPECT_EQ(cell[6], 0xaa);
  EXPECT_EQ(cell[37], 0xaa);
  const std::vector<std::uint8_t> back{9, 10, 11, 0x18, 5, 6, 7, 8};
  EXPECT_TRUE(std::equal(back.begin(), back.end(), cell.begin() + 38));
}

TEST(EcePdu, IsReadBackAndNotifiesEveryWrongBit) {
  const std::vector<Pdu> pdus{Sd{{1, 2, 3, 4, false}, 0xffffff},
                              Sd{{1, 65535, 2, 0xffffffff, true}, 0},
                              Poll{{1, 0xfffffffe}, 0xffffffff},
                              Lme{0x12345678},
                              Stat{{{}, 1, 2, 3, 4}, LatencyMode::low},
                              Stat{{{1, 2, 3, 4, 5, 6, 7}, 8, 9, 10, 11}, LatencyMode::high},
                              Lstat{{{1, 2, 3, 4, 5, 6}, 8, 9, 10, 11}, LatencyMode::high, 0x87654321},
                              Lstat{{{}, 8, 9, 10, 11}, LatencyMode::low, 1},
                              Ustat{1, 2, 3, 4},
                              Clock{0xfedcba98}};
  for (const Pdu& pdu : pdus) {
    const pcaal::Cell cell = encode(pdu);
    EXPECT_EQ(decode(cell), pdu) << pdu.index();
    for (std::size_t bit = 0; bit < 8 * cell.size(); ++bit) {
      pcaal::Cell wrong = cell;
      wrong[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
      EXPECT_FALSE(decode(wrong)) << "bit " << bit;
    }
  }
}

TEST(EceStamp, IsRestoredFromItsLowBitsAcrossTheWrap) {
  for (const Stamp now : {0U, 5U, 0xffffffU, 0x1000000U, 0x12345678U, 0xffffffffU})
    for (const std::int32_t ago : {0, 1, 100, 0x7fffff, -1, -0x7fffff})
      EXPECT_EQ(restored_from_sd(carried_by_sd(now - static_cast<Stamp>(ago)), now),
                now - static_cast<Stamp>(ago))
          << now << " " << ago;
}

// Table: mode low above T_M, high below T_m; in between nothing changes.
TEST(LatencyMonitor, ChangesWithHysteresis) {
  LatencyMonitor monitor(limits(), 1_ms);
  EXPECT_FALSE(monitor.measured(100));
  EXPECT_EQ(monitor.mode(), LatencyMode::low);
  EXPECT_TRUE(monitor.measured(101));
  EXPECT_EQ(monitor.mode(), LatencyMode::high);
  EXPECT_FALSE(monitor.measured(200));
  EXPECT_FALSE(monitor.measured(90));
  EXPECT_TRUE(monitor.measured(89));
  EXPECT_EQ(monitor.mode(), LatencyMode::low);
  EXPECT_FALSE(monitor.measured(95));
}

// Cells are sent at 1, 2, 3 ... ms and missing 0.5 ms later. That of 2 ms comes with a stamp that is rounded
// down; those of 3 and 4 ms don't come, but the one of 5 ms does; then that of 4 ms, much too late.
TEST(LatencyMonitor, KnowsWhichCellIsMissing) {
  LatencyMonitor monitor(limits(), 1_ms);
  EXPECT_EQ(monitor.missing_at(), 1500_us);
  monitor.came(1_ms);
  monitor.came(2_ms - 1_us);
  EXPECT_EQ(monitor.missing_at(), 3500_us);
  EXPECT_EQ(monitor.missed(), 3_ms);
  EXPECT_EQ(monitor.mode(), LatencyMode::high);
  EXPECT_EQ(monitor.missing_at(), 4500_us);
  monitor.came(5_ms);
  EXPECT_EQ(monitor.missing_at(), 6500_us);
  monitor.came(4_ms);
  EXPECT_EQ(monitor.missing_at(), 6500_us);
}

// The thesis's table of what both engines do in both modes.
TEST(EceEngine, DoesWhatTheTableSays) {
  const auto row = [](LatencyEngine engine, LatencyMode mode) {
    return std::vector<bool>{data_take_ordinary(engine, mode), data_take_backup(mode),
                             polls_monitor(engine, mode), data_are_monitored(engine, mode),
                             gaps_are_told(engine, mode)};
  };
  using Row = std::vector<bool>;
  EXPECT_EQ(row(LatencyEngine::switching, LatencyMode::low), (Row{true, false, true, true, true}));
  EXPECT_EQ(row(LatencyEngine::switching, LatencyMode::high), (Row{false, true, false, false, true}));
  EXPECT_EQ(row(LatencyEngine::duplicating, LatencyMode::low), (Row{true, false, true, true, true}));
  EXPECT_EQ(row(LatencyEngine::duplicating, LatencyMode::high), (Row{true, true, true, true, false}));
}

// What an ABR cell takes is no matter: it may have waited at its source.
TEST(EceReceiver, MonitorsTheOrdinaryConnectionOnly) {
  for (const LatencyEngine engine : {LatencyEngine::switching, LatencyEngine::duplicating}) {
    Receiver receiver(engine, 0, 100, limits(), 1_ms);
    std::vector<pcaal::ElementPiece> in_order;
    EXPECT_TRUE(receiver.take(sd(0, 0), Path::backup, 500_us, some(), in_order).empty());
    const auto answers = receiver.take(sd(1, 1000), Path::ordinary, 1200_us, some(), in_order);
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(std::get<Lstat>(answers[0]), (Lstat{{{}, 0, 102, 2, 1}, LatencyMode::high, 1000}));
    EXPECT_EQ(in_order.size(), 2U);
    // In the high mode only the duplicating engine looks at data.
    EXPECT_EQ(receiver.take(sd(2, 2000), Path::ordinary, 2001_us, some(), in_order).size(),
              engine == LatencyEngine::duplicating ? 1U : 0U);
    EXPECT_EQ(receiver.mode(), engine == LatencyEngine::duplicating ? LatencyMode::low : LatencyMode::high);
    if (engine == LatencyEngine::duplicating) continue;
    EXPECT_EQ(receiver.take(Lme{3000}, 3001_us).size(), 1U);
    EXPECT_EQ(receiver.mode(), LatencyMode::low);
  }
}

// Of 0 to 5 only 3 has come, over ABR, when the POLL comes that was sent after 1 over UBR: its STAT tells of
// 0 and 1. A POLL that a later one has overtaken gets no answer.
TEST(EceReceiver, AnswersAPollThatDataHaveOvertaken) {
  Receiver receiver(LatencyEngine::switching, 0, 100, limits(), 1_ms);
  std::vector<pcaal::ElementPiece> in_order;
  receiver.take(sd(3, 0), Path::backup, 10_us, some(), in_order);
  const auto answers = receiver.take(Poll{{2, 2}, 0}, Path::backup, 20_us);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(std::get<Stat>(answers[0]), (Stat{{{0, 2}, 2, 100, 0, 0U - 1}, LatencyMode::low}));
  EXPECT_TRUE(receiver.take(Poll{{1, 1}, 0}, Path::backup, 20_us).empty());
}

// Of 0 to 8 the odd ones have come: four pairs, of which an LSTAT's cell has three, as T_o takes a place; and
// 8, the last, is told to be missing by none but VR(R), which closes the list.
TEST(EceReceiver, SpreadsAnLstatOverCellsOfWholePairs) {
  Receiver receiver(LatencyEngine::switching, 0, 100, limits(), 1_ms);
  std::vector<pcaal::ElementPiece> in_order;
  for (const Number ns : {1U, 3U, 5U, 7U}) receiver.take(sd(ns, 0), Path::backup, 1_us, some(), in_order);
  const auto answers = receiver.miss();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(std::get<Lstat>(answers[0]),
            (Lstat{{{0, 1, 2, 3, 4, 5}, 0, 100, 0, 0U - 1}, LatencyMode::high, 1000}));
  EXPECT_EQ(std::get<Lstat>(answers[1]), (Lstat{{{6, 7, 8}, 0, 100, 0, 5}, LatencyMode::high, 1000}));
}

// Both cells of an LSTAT change the mode once and have everything sent again once.
TEST(EceSender, ChangesOnceForAnLstatOfSeveralCells) {
  Sender sender(LatencyEngine::duplicating, 1, 0, 100);
  for (int i = 0; i < 9; ++i) {
    sender.append(some());
    EXPECT_TRUE(sender.next(10_us));
  }
  std::vector<pcaal::OutgoingSd> late;
  EXPECT_TRUE(sender.take(Lstat{{{0, 1, 2, 3, 4, 5}, 0, 100, 0, 0U - 1}, LatencyMode::high, 10}, late));
  EXPECT_EQ(late.size(), 9U);
  late.clear();
  EXPECT_TRUE(sender.take(Lstat{{{6, 7, 8}, 0, 100, 0, 5}, LatencyMode::high, 10}, late));
  EXPECT_TRUE(late.empty());
  EXPECT_EQ(sender.changes(), 1U);
}

// A clock that gains 100 us a second shows 10.001 s after 10 s; one that shows a time has not shown it
// before.
TEST(HostClock, GainsAndLoses) {
  EXPECT_EQ(HostClock(100_us).at(10_s), 10_s + 1_ms);
  EXPECT_EQ(HostClock(0_us - 100_us).at(10_s), 10_s - 1_ms);
  for (const SimTime gain : {0_us, 1_ms, 0_us - 1_ms, 7_ns})
    for (const SimTime shown : {0_ps, 1_ps, 999_ps, 1_us, 123'456'789_us}) {
      const HostClock clock(gain);
      const SimTime time = clock.when(shown);
      EXPECT_GE(clock.at(time), shown);
      EXPECT_LT(clock.at(time - 1_ps), shown);
    }
  EXPECT_EQ(HostClock::of(0, 3, 1_ms).at(1_s), 1_s - 1_ms);
  EXPECT_EQ(HostClock::of(1, 3, 1_ms).at(1_s), 1_s);
  EXPECT_EQ(HostClock::of(2, 3, 1_ms).at(1_s), 1_s + 1_ms);
}

}  // namespace ece_halves
}  // namespace
}  // namespace morgana::ece
