#include "emulator/transport/congestion/cct.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "emulator/core/random.h"
#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "tests/support/effort.h"
#include "tests/transport/infiniband/reference_cct.h"

namespace morgana::testing {
namespace {

using namespace literals;

/// 1,000 bytes take 80 ns.
constexpr BitRate cct_line_rate(100'000'000'000);

/// The model and its reference, which are told the same and must agree.
class BothCct {
 public:
  explicit BothCct(const CctParameters& parameters, BitRate line_rate = cct_line_rate)
      : parameters_(parameters), model_(parameters_, line_rate), reference_(parameters_, line_rate) {}

  void sent(SimTime now, Bytes size) {
    model_.sent(now, size);
    reference_.sent(now, size);
    EXPECT_EQ(model_.may_send(), reference_.may_send());
  }
  void notified(SimTime now) {
    model_.notified(now);
    reference_.notified(now);
    EXPECT_EQ(model_.may_send(), reference_.may_send());
  }
  std::int64_t index(SimTime now) {
    EXPECT_EQ(model_.index(now), reference_.index(now));
    return model_.index(now);
  }
  /// In whole bits per second: the nearest or one beside it.
  BitRate rate(SimTime now) {
    const BitRate rate = model_.rate(now);
    EXPECT_NEAR(static_cast<double>(rate.bits_per_second()), reference_.rate(now), 1);
    return rate;
  }
  SimTime may_send() const { return model_.may_send(); }
  /// From a packet's start at `now` until the next one may start.
  SimTime after(SimTime now, Bytes size) {
    sent(now, size);
    return may_send() - now;
  }

 private:
  CctParameters parameters_;
  Cct model_;
  ReferenceCct reference_;
};

// ---- random cases

class RandomCct {
 public:
  explicit RandomCct(std::uint64_t seed) : random_(seed, "cct"), coincides_(seed % 2 == 1) {}

  CctParameters draw() {
    CctParameters parameters;
    parameters.timer = coincides_ ? between(1, 8) * 1_us : span(random_.chance(0.2) ? 200 : 8);
    parameters.step = static_cast<std::uint32_t>(random_.chance(0.3)   ? 8
                                                 : random_.chance(0.1) ? between(1, 16'383)
                                                                       : between(1, 64));
    const std::int64_t most = 16'383 / parameters.step;
    parameters.limit = static_cast<std::uint32_t>(random_.chance(0.5) ? most : between(0, most));
    if (random_.chance(0.4)) parameters.least = static_cast<std::uint32_t>(between(0, parameters.limit));
    if (random_.chance(0.6))
      parameters.increase = static_cast<std::uint32_t>(between(1, random_.chance(0.5) ? 8 : 2'000));
    return parameters;
  }
  BitRate line_rate() {
    if (coincides_ || random_.chance(0.3)) return cct_line_rate;
    return BitRate(between(1'000'000'000, 800'000'000'000));
  }

  /// Packets as soon as they may start, or later; notifications, several of an instant or none for long.
  void tell(BothCct& both, const CctParameters& parameters) {
    const double share = random_.chance(0.5) ? 0.05 : 0.4;
    SimTime now;
    for (int left = 300; left > 0 && !::testing::Test::HasFailure(); --left) {
      if (!random_.chance(0.2)) now += span(random_.chance(0.05) ? 200 : random_.chance(0.3) ? 10 : 1);
      if (random_.chance(0.1)) now = next_multiple(now, parameters.timer);
      if (random_.chance(share)) {
        both.notified(now);
      } else if (random_.chance(0.1)) {
        both.rate(now);
      } else if (random_.chance(0.2)) {
        both.index(now);
      } else {
        if (random_.chance(0.5)) now = std::max(now, both.may_send());
        both.sent(now, Bytes(between(1, 4'200)));
      }
      if (now >= parameters.timer && now.ps() % parameters.timer.ps() == 0) ++at_multiples;
      if (random_.chance(0.5)) continue;  // otherwise nothing brings it up to date before the next event
      const std::int64_t index = both.index(now);
      has_limit = has_limit || (index == parameters.limit && parameters.limit > parameters.least);
      has_between = has_between || (index > parameters.least && index < parameters.limit);
    }
  }

  unsigned at_multiples = 0;  ///< events
  bool has_limit = false, has_between = false;

 private:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most - least + 1)));
  }
  /// Up to so many microseconds; whole ones if times coincide.
  SimTime span(std::int64_t most_us) {
    if (coincides_) return between(1, most_us) * 1_us;
    return SimTime::from_ps(between(1, most_us * 1'000'000));
  }
  static SimTime next_multiple(SimTime now, SimTime of) { return (now / of + 1) * of; }

  RandomStream random_;
  bool coincides_;
};

TEST(Cct, GivesWhatTheReferenceGivesExactly) {
  unsigned at_multiples = 0, with_limit = 0, with_between = 0;
  const std::uint64_t seeds = random_cases(3'000);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomCct random(seed);
    const CctParameters parameters = random.draw();
    BothCct both(parameters, random.line_rate());
    random.tell(both, parameters);
    if (HasFailure()) return;
    at_multiples += random.at_multiples;
    with_limit += random.has_limit ? 1 : 0;
    with_between += random.has_between ? 1 : 0;
  }
  EXPECT_GT(at_multiples, 20 * seeds);
  EXPECT_GT(with_limit, seeds / 8);
  EXPECT_GT(with_between, seeds / 4);
}

// ---- by hand. 100 Gb/s; entry i of the table is i packet times, the timer 10 us

CctParameters every_ten_us() {
  CctParameters parameters;
  parameters.timer = 10_us;
  return parameters;
}

TEST(Cct, WithoutNotificationsPacketsFollowEachOtherAtTheLineRate) {
  BothCct both(every_ten_us());
  EXPECT_EQ(both.may_send(), 0_ns);
  EXPECT_EQ(both.after(0_us, 1'000_B), 80_ns);
  EXPECT_EQ(both.after(80_ns, 100_B), 8_ns);
  EXPECT_EQ(both.index(1_s), 0);
  EXPECT_EQ(both.rate(1_s), cct_line_rate);
  EXPECT_EQ(both.after(1_s, 1'000_B), 80_ns);
}

// Index 1: a gap as long as the packet, half of the line rate. What has been sent already keeps its pace.
TEST(Cct, ANotificationPutsAGapOfAPacketBehindEachPacket) {
  BothCct both(every_ten_us());
  both.sent(1_us, 1'000_B);
  both.notified(1_us + 20_ns);
  EXPECT_EQ(both.may_send(), 1_us + 80_ns);
  EXPECT_EQ(both.index(1_us + 20_ns), 1);
  EXPECT_EQ(both.after(1_us + 80_ns, 1'000_B), 160_ns);
  EXPECT_EQ(both.after(2_us, 500_B), 80_ns);
  EXPECT_EQ(both.rate(2_us), BitRate(50'000'000'000));
  both.notified(2_us);
  EXPECT_EQ(both.after(3_us, 1'000_B), 240_ns);
  both.notified(3_us);
  EXPECT_EQ(both.after(4_us, 1'000_B), 320_ns);
  EXPECT_EQ(both.rate(4_us), BitRate(25'000'000'000));
}

// 80 ns and three eighths of it: 110; six eighths: 140. 1 byte takes 80 ps: 110 and 140 ps as well.
TEST(Cct, AStepIsInEighthsOfAPacketTime) {
  CctParameters parameters = every_ten_us();
  parameters.step = 3;
  BothCct both(parameters);
  both.notified(0_us);
  EXPECT_EQ(both.after(0_us, 1'000_B), 110_ns);
  EXPECT_EQ(both.after(1_us, 1_B), 110_ps);
  both.notified(1_us);
  EXPECT_EQ(both.after(2_us, 1'000_B), 140_ns);
  both.rate(2_us);
}

// At 400 Gb/s a byte takes 20 ps, and an eighth of it 2.5: 22.5, halves up. At 800 Gb/s 10 + 1.25 and
// 10 + 2.5.
TEST(Cct, GapsAreRoundedToTheNearestPicosecondHalvesUp) {
  CctParameters parameters = every_ten_us();
  parameters.step = 1;
  BothCct half(parameters, BitRate(400'000'000'000));
  half.notified(0_us);
  EXPECT_EQ(half.after(0_us, 1_B), 23_ps);
  EXPECT_EQ(half.after(1_us, 2_B), 45_ps);
  // A byte at 56 Gb/s takes 142.857 ps: 143, and an eighth of that is 17.875.
  BothCct odd(parameters, BitRate(56'000'000'000));
  odd.notified(0_us);
  EXPECT_EQ(odd.after(0_us, 1_B), 143_ps + 18_ps);
  // 714.286: 714, and 89.25.
  EXPECT_EQ(odd.after(1_us, 5_B), 714_ps + 89_ps);
  // Four eighths of 143 are 71.5. (Of 142.857 they would be 71.43.)
  for (int more = 0; more < 3; ++more) odd.notified(2_us);
  EXPECT_EQ(odd.after(2_us, 1_B), 143_ps + 72_ps);
  BothCct quarter(parameters, BitRate(800'000'000'000));
  quarter.notified(0_us);
  EXPECT_EQ(quarter.after(0_us, 1_B), 11_ps);
  quarter.notified(1_us);
  EXPECT_EQ(quarter.after(1_us, 1_B), 13_ps);
}

// By 3 from 0: 3, 6, then the limit, 7.
TEST(Cct, TheIndexDoesNotPassTheLimit) {
  CctParameters parameters = every_ten_us();
  parameters.increase = 3;
  parameters.limit = 7;
  BothCct both(parameters);
  for (const std::int64_t index : {3, 6, 7, 7}) {
    both.notified(1_us);
    EXPECT_EQ(both.index(1_us), index);
  }
  EXPECT_EQ(both.after(2_us, 1'000_B), 8 * 80_ns);
  // A single step reaches it as well, however large.
  parameters.increase = std::numeric_limits<std::uint32_t>::max();
  parameters.least = 2;
  BothCct at_once(parameters);
  at_once.notified(1_us);
  EXPECT_EQ(at_once.index(1_us), 7);
}

// The table's last entry is 16,383 eighths, of whatever index: 64 KiB at 1 Gb/s take 524,288 ns, and the gap
// 2,047.875 times as long.
TEST(Cct, TheLongestGap) {
  CctParameters parameters = every_ten_us();
  parameters.limit = 1;
  parameters.step = 16'383;
  BothCct steep(parameters, BitRate(1'000'000'000));
  steep.notified(0_us);
  EXPECT_EQ(steep.after(0_us, 65'536_B), 16'391 * SimTime::from_ps(524'288'000 / 8));
  parameters.limit = 16'383;
  parameters.step = 1;
  parameters.increase = 20'000;
  BothCct flat(parameters, BitRate(1'000'000'000));
  flat.notified(0_us);
  EXPECT_EQ(flat.after(0_us, 65'536_B), 16'391 * SimTime::from_ps(524'288'000 / 8));
}

// Always a gap of two packets, from the first packet on: the timer does not go below.
TEST(Cct, TheIndexBeginsAtTheLeastAndEndsThere) {
  CctParameters parameters = every_ten_us();
  parameters.least = 2;
  BothCct both(parameters);
  EXPECT_EQ(both.after(0_us, 1'000_B), 240_ns);
  EXPECT_EQ(both.index(95_us), 2);
  both.notified(95_us);
  EXPECT_EQ(both.after(96_us, 1'000_B), 320_ns);
  EXPECT_EQ(both.index(100_us), 2);
  EXPECT_EQ(both.index(200_us), 2);
  EXPECT_EQ(both.after(200_us, 1'000_B), 240_ns);
}

// Multiples of 10 us, whenever the notifications come: of 8, at 9.999 999; the index is 1 for 1 ps only.
TEST(Cct, TheIndexDecreasesAtMultiplesOfTheTimer) {
  BothCct both(every_ten_us());
  both.notified(10_us - 1_ps);
  EXPECT_EQ(both.index(10_us - 1_ps), 1);
  EXPECT_EQ(both.index(10_us), 0);
  for (int more = 0; more < 3; ++more) both.notified(13_us);
  EXPECT_EQ(both.index(20_us - 1_ps), 3);
  EXPECT_EQ(both.index(20_us), 2);
  EXPECT_EQ(both.index(23_us), 2);
  EXPECT_EQ(both.index(30_us - 1_ps), 2);
  EXPECT_EQ(both.index(30_us), 1);
  // With the next event all of them have passed that lie before it.
  for (int more = 0; more < 5; ++more) both.notified(31_us);
  EXPECT_EQ(both.after(65_us, 1'000_B), (1 + 6 - 3) * 80_ns);
}

// The timer first: it finds the index at its least, and the notification stays until 20 us. At 0 there is
// none.
TEST(Cct, TheTimerComesBeforeTheEventsOfItsInstant) {
  BothCct both(every_ten_us());
  both.notified(10_us);
  EXPECT_EQ(both.index(10_us), 1);
  EXPECT_EQ(both.index(20_us - 1_ps), 1);
  EXPECT_EQ(both.after(20_us, 1'000_B), 80_ns);
  BothCct at_zero(every_ten_us());
  at_zero.notified(0_us);
  EXPECT_EQ(at_zero.index(0_us), 1);
  EXPECT_EQ(at_zero.index(10_us - 1_ps), 1);
  EXPECT_EQ(at_zero.index(10_us), 0);
}

// Gran et al.: 150 times 1.024 us, up by one, 128 entries.
TEST(Cct, DefaultsAreThoseOfTheFirstHardware) {
  BothCct both(CctParameters{});
  for (int packet = 0; packet < 200; ++packet) both.notified(1_us);
  EXPECT_EQ(both.index(1_us), 127);
  EXPECT_EQ(both.index(153'600_ns - 1_ps), 127);
  EXPECT_EQ(both.index(153'600_ns), 126);
}

}  // namespace
}  // namespace morgana::testing
