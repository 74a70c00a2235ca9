// Ultra Ethernet's transport over a network that does what a script says.
#include "emulator/transport/uet/uet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "tests/support/effort.h"
#include "tests/transport/scripted_network.h"

namespace morgana::testing::uet_tests {
namespace {

using What = TcpDispatch::What;
using Control = UetParameters::Control;
using Fate = ScriptedNetwork::Fate;

// A byte in a nanosecond, 1,000 ns of latency, packets of 1,000 B of payload and 64 B of header, control
// packets of 64 B: a packet that starts at t is there at t + 2,064, its acknowledgement at t + 3,128.
constexpr std::int64_t ns = 1'000;
constexpr SimTime latency = SimTime::from_ps(1'000 * ns);

UetParameters plain(Control control = Control::none) {
  UetParameters all;
  all.payload = Bytes(1'000);
  all.acknowledge_bytes = Bytes(4'000);
  all.timeout = SimTime::from_ps(20'000 * ns);
  all.tries = 7;
  all.control = control;
  all.nscc.base_round_trip = SimTime::from_ps(3'128 * ns);
  all.nscc.fast_below = SimTime::from_ps(300 * ns);
  all.balancing = LoadBalancing::oblivious;
  return all;
}

/// Of each message what was told, and what went over the network.
struct Story {
  std::vector<std::vector<TcpDispatch::Told>> told;
  std::vector<std::size_t> deliveries;
  std::vector<ScriptedNetwork::Injected> injected;
  UetCounters counters;

  std::int64_t when(std::size_t message, What what) const {
    for (const TcpDispatch::Told& one : told[message])
      if (one.what == what) return one.at / ns;
    return -1;
  }
  /// Times at which packets with data (or without) left a host for the network.
  std::vector<std::int64_t> sent(std::uint32_t from, bool data) const {
    std::vector<std::int64_t> all;
    for (const ScriptedNetwork::Injected& one : injected)
      if (one.unit.from == PortId{from} && one.unit.may_be_trimmed == data) all.push_back(one.at / ns);
    return all;
  }
};

Story story_of(const UetParameters& parameters, const std::vector<TcpPlanned>& plan,
               const ScriptedNetwork::Script& script) {
  EventQueue events;
  ScriptedNetwork network(events, 8, Bytes(2'000), SimTime::from_ps(ns), script);
  Uet uet(events, network, 8, parameters);
  TcpDispatch dispatch(events, uet);
  dispatch.run(plan);
  return {dispatch.told, dispatch.deliveries, network.injected, uet.counters()};
}

Fate in_time(const Unit&, std::uint64_t) {
  return {.latency = latency};
}
/// What may be trimmed, which are packets with data, by their place among all units between two hosts.
ScriptedNetwork::Script with(std::uint64_t ordinal, Fate fate) {
  return [=](const Unit& unit, std::uint64_t place) {
    return unit.may_be_trimmed && place == ordinal ? fate : Fate{.latency = latency};
  };
}

TEST(Uet, CarriesAMessageInPackets) {
  const Story one = story_of(plain(), {{0, 0, 1, 2'500, 0, true}}, in_time);
  EXPECT_EQ(one.sent(0, true), (std::vector<std::int64_t>{0, 1'064, 2'128}));
  EXPECT_EQ(one.when(0, What::departed), 2'692);  // 2,128 + 564
  EXPECT_EQ(one.when(0, What::delivered), 3'692);
  EXPECT_EQ(one.when(0, What::completed), 4'756);
  // The first packet is acknowledged, and the last, which asks.
  EXPECT_EQ(one.sent(1, false), (std::vector<std::int64_t>{2'064, 3'692}));
  EXPECT_EQ(one.counters.packets, 3U);
  EXPECT_EQ(one.counters.repeated, 0U);
}

TEST(Uet, TakesItsTimesInTheNic) {
  UetParameters parameters = plain();
  parameters.inline_limit = Bytes(100);
  parameters.post_latency = SimTime::from_ps(10 * ns);
  parameters.fetch_latency = SimTime::from_ps(200 * ns);
  parameters.fetch_per_byte = ByteCost::from_fs(1'000'000);
  parameters.delivery_latency = SimTime::from_ps(30 * ns);
  parameters.completion_latency = SimTime::from_ps(5 * ns);
  const Story fetched = story_of(parameters, {{0, 0, 1, 101}}, in_time);
  EXPECT_EQ(fetched.when(0, What::delivered), 10 + 200 + 101 + 165 + 1'000 + 30 + 5);
  const Story carried = story_of(parameters, {{0, 0, 1, 100}}, in_time);
  EXPECT_EQ(carried.when(0, What::delivered), 10 + 164 + 1'000 + 30 + 5);
}

// A NACK leaves at 3,128, when packet 1's header is there, and arrives at 4,192; packet 4 is in the port
// until 5,320. It is sent again before all that is new.
TEST(Uet, SendsATrimmedPacketAgainAfterItsNack) {
  const Story one =
      story_of(plain(), {{0, 0, 1, 10'000}}, with(1, {.latency = latency, .trimmed = Trimmed::on_the_way}));
  EXPECT_EQ(one.counters.nacks, 1U);
  EXPECT_EQ(one.counters.repeated, 1U);
  EXPECT_EQ(one.counters.timeouts, 0U);
  EXPECT_EQ(one.sent(0, true).size(), 11U);
  EXPECT_EQ(one.when(0, What::delivered), 11 * 1'064 + 1'000);  // no time is lost
}

// Packet 1 is the short end of a message. It leaves at 1,728, and its NACK comes at 3,792, when packet 3 of
// the next message is in the port until 3,856: then packet 1 goes again, before packets 4 to 7.
TEST(Uet, WhatIsSentAgainGoesBeforeWhatIsNew) {
  const Story one = story_of(plain(), {{0, 0, 1, 1'600}, {0, 0, 1, 6'000}},
                             with(1, {.latency = latency, .trimmed = Trimmed::on_the_way}));
  std::vector<std::int64_t> sizes;
  for (const ScriptedNetwork::Injected& sent : one.injected)
    if (sent.unit.may_be_trimmed) sizes.push_back(sent.unit.size.count());
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{1'064, 664, 1'064, 1'064, 664, 1'064, 1'064, 1'064, 1'064}));
}

// Nobody hears of the lost packet until its timeout, 20,000 after it was sent. After packet 7 only the last
// one asks for an acknowledgement, which says that packet 8 has come.
TEST(Uet, SendsALostPacketAgainAfterItsTimeoutAndNoOther) {
  for (const std::int64_t lost : {1, 7}) {
    const Story one = story_of(plain(), {{0, 0, 1, 10'000}},
                               with(static_cast<std::uint64_t>(lost), {.latency = latency, .lost = true}));
    EXPECT_EQ(one.counters.timeouts, 1U);
    EXPECT_EQ(one.counters.repeated, 1U);
    EXPECT_EQ(one.when(0, What::delivered), lost * 1'064 + 20'000 + 1'064 + 1'000);
  }
}

// The header of the first sending comes at 1,564, its NACK at 2,628. That of the second, sent then, is late:
// its timeout is over at 22,628, and its NACK comes at 29,256, while the third is under way until 33,192.
TEST(Uet, ANackOfAnEarlierSendingGivesUpNoLaterOne) {
  const auto script = [](const Unit& unit, std::uint64_t place) {
    if (!unit.may_be_trimmed || place > 2) return Fate{.latency = latency};
    if (place == 2) return Fate{.latency = 10 * latency};
    return Fate{.latency = place == 1 ? 25 * latency : latency, .trimmed = Trimmed::on_the_way};
  };
  const Story one = story_of(plain(), {{0, 0, 1, 500}}, script);
  EXPECT_EQ(one.counters.nacks, 2U);
  EXPECT_EQ(one.sent(0, true), (std::vector<std::int64_t>{0, 2'628, 22'628}));
  EXPECT_EQ(one.when(0, What::delivered), 22'628 + 564 + 10'000);
}

// The window holds one packet. The message without bytes leaves space in it, but not for the full packet that
// is next: it has to ask, or that one waits for its timeout.
TEST(Uet, APacketAsksIfTheWindowDoesNotHoldAFullOneToo) {
  UetParameters parameters = plain(Control::nscc);
  parameters.nscc.most_window = 0.1;
  const Story one = story_of(parameters, {{0, 0, 1, 1'000}, {0, 0, 1, 0}, {0, 0, 1, 1'000}}, in_time);
  EXPECT_EQ(one.sent(0, true), (std::vector<std::int64_t>{0, 3'128, 3'128 + 2'128}));
  EXPECT_EQ(one.counters.timeouts, 0U);
}

// Message 0 loses its only packet. A write does not wait for it, a send does: it may be matched first. The
// processes of message 3 have a connection of their own, which is second in line.
TEST(Uet, DeliversSendsInTheirOrderAndWritesAtOnce) {
  const Story one = story_of(
      plain(), {{0, 0, 1, 500}, {0, 0, 1, 500}, {0, 0, 1, 500, 0, false, Verb::write}, {0, 0, 1, 500, 1}},
      with(0, {.latency = latency, .lost = true}));
  EXPECT_EQ(one.when(3, What::delivered), 2 * 564 + 1'000);
  EXPECT_EQ(one.when(2, What::delivered), 4 * 564 + 1'000);
  EXPECT_EQ(one.when(0, What::delivered), 20'000 + 564 + 1'000);
  EXPECT_EQ(one.when(1, What::delivered), one.when(0, What::delivered));
  EXPECT_EQ(one.deliveries, (std::vector<std::size_t>{3, 2, 0, 1}));
}

// The write is there at 2,064 and in memory at 3,064. The send behind it needs no memory, and waits only for
// sends.
TEST(Uet, ASendWaitsForNoWriteThatHasCome) {
  UetParameters parameters = plain();
  parameters.delivery_per_byte = ByteCost::from_fs(1'000'000);
  const Story one = story_of(parameters, {{0, 0, 1, 1'000, 0, false, Verb::write}, {0, 0, 1, 0}}, in_time);
  EXPECT_EQ(one.when(0, What::delivered), 2'064 + 1'000);
  EXPECT_EQ(one.when(1, What::delivered), 1'064 + 64 + 1'000);
}

TEST(Uet, ReadsBringTheBytesBack) {
  UetParameters parameters = plain();
  parameters.fetch_latency = SimTime::from_ps(200 * ns);
  const Story one = story_of(parameters, {{0, 0, 1, 1'500, 0, false, Verb::read}}, in_time);
  EXPECT_EQ(one.sent(0, true), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(one.sent(1, true), (std::vector<std::int64_t>{1'064 + 200, 1'264 + 1'064}));
  EXPECT_EQ(one.when(0, What::departed), 64);
  EXPECT_EQ(one.when(0, What::delivered), 2'328 + 564 + 1'000);
}

// After 7 repetitions by timeouts the 8th fails the connection; messages given to it later come back, too.
TEST(Uet, ReturnsWhatItGivesUp) {
  const auto loses_data = [](const Unit& unit, std::uint64_t) {
    return Fate{.latency = latency, .lost = unit.may_be_trimmed};
  };
  const Story one = story_of(plain(), {{0, 0, 1, 500}, {1'000'000 * ns, 0, 1, 500}}, loses_data);
  EXPECT_EQ(one.when(0, What::returned), 8 * 20'000);
  EXPECT_EQ(one.when(1, What::returned), 1'000'000);
  EXPECT_EQ(one.counters.failed, 1U);
  EXPECT_EQ(one.sent(0, true).size(), 8U);
}

// The speculative credit of 1.5 x 3,128 B is spent with the fifth packet, which asks. Control packets are
// slow enough that nothing is heard before; all credit is lost until then. The sixth packet, posted at
// 100,000, asks for credit at once. The seventh, posted at 101,000, wants more, and may ask a base round trip
// later. Nothing comes: without patience of its own the next asking is 20,000 after that, the next ones twice
// and four times as long after.
struct WithoutCredit {
  Story story;

  explicit WithoutCredit(std::uint64_t asked_in_vain) {
    std::uint64_t asked = 0;
    const auto script = [&, asked_in_vain](const Unit& unit, std::uint64_t place) {
      if (unit.from == PortId{0}) {
        asked += unit.may_be_trimmed ? 0 : 1;
        return Fate{.latency = latency};
      }
      return Fate{.latency = 5 * latency, .lost = asked <= asked_in_vain && !is_report(place)};
    };
    story = story_of(plain(Control::rccc),
                     {{0, 0, 1, 5'000}, {100'000 * ns, 0, 1, 1'000}, {101'000 * ns, 0, 1, 1'000}}, script);
  }
  /// Of the first packet at 2,064, with two credits after it, and of the fifth at 6,320.
  static bool is_report(std::uint64_t place) { return place == 0 || place == 3; }
};

TEST(Uet, AsksAgainABaseRoundTripLaterWhereItWantsMore) {
  const WithoutCredit one(1);
  EXPECT_EQ(one.story.sent(0, false), (std::vector<std::int64_t>{100'000, 103'128}));
}

TEST(Uet, AsksForCreditThatDoesNotCome) {
  const WithoutCredit one(4);
  EXPECT_EQ(one.story.sent(0, false),
            (std::vector<std::int64_t>{100'000, 103'128, 123'128, 163'128, 243'128}));
  EXPECT_NE(one.story.when(2, What::delivered), -1);
  EXPECT_EQ(one.story.counters.timeouts, 0U);
}

// Packets are there and acknowledged in 1,328, but the base round trip is 3,128 and the timeout 1,400: the
// timer for credit, which comes every 101,000, is over before the connection may ask again. It asks when it
// may, and no sooner.
TEST(Uet, AShortTimeoutDoesNotAskForeverForCredit) {
  UetParameters parameters = plain(Control::rccc);
  parameters.timeout = SimTime::from_ps(1'400 * ns);
  parameters.acknowledge_bytes = Bytes(1);
  parameters.rccc = {.pace = 0.01, .packets = 1};
  const auto near = [](const Unit&, std::uint64_t) { return Fate{.latency = SimTime::from_ps(100 * ns)}; };
  const Story one = story_of(parameters, {{0, 0, 1, 10'000}}, near);
  EXPECT_NE(one.when(0, What::delivered), -1);
  const std::vector<std::int64_t> asked = one.sent(0, false);
  EXPECT_GT(asked.size(), 0U);
  for (std::size_t place = 1; place < asked.size(); ++place)
    EXPECT_GE(asked[place] - asked[place - 1], 3'128);
}

// ---- ways. A way is one of eight entropy values; on the way of the first packet all packets meet the same.

/// Of a message of 800 packets, how many go by each way, repetitions included.
struct Turns {
  std::size_t congested = 0;          ///< packets on the way of the first packet
  std::size_t least = 800, most = 0;  ///< on another one
};

Turns turns_with(LoadBalancing balancing, Fate congested) {
  constexpr unsigned ways = 8;
  UetParameters parameters = plain();
  parameters.balancing = balancing;
  parameters.entropies = ways;
  parameters.acknowledge_bytes = Bytes(1);
  std::optional<std::uint32_t> bad;
  const Story story = story_of(parameters, {{0, 0, 1, 800'000}}, [&](const Unit& unit, std::uint64_t) {
    if (!unit.may_be_trimmed) return Fate{.latency = latency};
    const std::uint32_t way = unit.entropy % ways;
    if (!bad) bad = way;
    return way == *bad ? congested : Fate{.latency = latency};
  });
  EXPECT_EQ(story.counters.timeouts, 0U);
  std::vector<std::size_t> packets(ways);
  for (const ScriptedNetwork::Injected& one : story.injected)
    if (one.unit.may_be_trimmed) ++packets[one.unit.entropy % ways];
  Turns turns{.congested = packets[*bad]};
  for (unsigned way = 0; way < ways; ++way)
    if (way != *bad) {
      turns.least = std::min(turns.least, packets[way]);
      turns.most = std::max(turns.most, packets[way]);
    }
  return turns;
}

// Each round has a turn for each value, and a turn is used or left out. Each use that the sender learns of
// makes it leave out the value 0, 1 or 4 times, so that one of 1, 2 or 5 turns is used. A round trip holds
// three packets: so many uses may come before the sender learns of the first.
void expect_one_use_in(double turns, const Turns& seen) {
  EXPECT_LE(seen.most - seen.least, 2U);
  EXPECT_NEAR(static_cast<double>(seen.congested), static_cast<double>(seen.most) / turns, 4) << seen.most;
}

TEST(Uet, MarksAndNacksReachTheChoiceOfAWay) {
  const auto bitmap = LoadBalancing::bitmap;
  expect_one_use_in(1, turns_with(bitmap, {.latency = latency}));
  expect_one_use_in(2, turns_with(bitmap, {.latency = latency, .marked = true}));
  expect_one_use_in(5, turns_with(bitmap, {.latency = latency, .trimmed = Trimmed::on_the_way}));
  // What was trimmed at its last switch says nothing of its way but by its header's mark.
  expect_one_use_in(1, turns_with(bitmap, {.latency = latency, .trimmed = Trimmed::at_last_switch}));
  expect_one_use_in(
      2, turns_with(bitmap, {.latency = latency, .marked = true, .trimmed = Trimmed::at_last_switch}));
  // Oblivious spraying learns nothing.
  expect_one_use_in(1, turns_with(LoadBalancing::oblivious, {.latency = latency, .marked = true}));
}

// The values of the packets in a round trip come back again and again. One whose packet met congestion does
// not come back: a new one is drawn, which is the same for one of eight.
TEST(Uet, WaysWithMarksOrNacksAreNotRecycled) {
  EXPECT_GT(turns_with(LoadBalancing::reps, {.latency = latency}).congested, 100U);
  for (const auto balancing : {LoadBalancing::reps, LoadBalancing::mixed})
    for (const Fate fate :
         {Fate{.latency = latency, .marked = true}, Fate{.latency = latency, .trimmed = Trimmed::on_the_way},
          Fate{.latency = latency, .marked = true, .trimmed = Trimmed::at_last_switch}})
      EXPECT_LT(turns_with(balancing, fate).congested, 8U);
}

/// Messages of all verbs between 4 hosts, over a network that delays, loses, trims and marks units by chance.
class Stormy {
 public:
  Stormy(std::uint64_t seed, Control control) : random_(seed, "uet") {
    for (std::size_t left = 1 + random_.below(30); left > 0; --left) {
      TcpPlanned one{static_cast<std::int64_t>(random_.below(60'000)) * ns, 0, 0,
                     static_cast<std::int64_t>(random_.below(random_.chance(0.2) ? 30'000 : 2'500))};
      one.from = static_cast<std::uint32_t>(random_.below(4));
      one.to = static_cast<std::uint32_t>((one.from + 1 + random_.below(3)) % 4);
      one.channel = random_.below(2);
      one.verb = static_cast<Verb>(random_.below(4));
      one.completes = one.verb != Verb::read && random_.chance(0.5);
      plan.push_back(one);
    }
    std::stable_sort(plan.begin(), plan.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    UetParameters parameters = plain(control);
    parameters.balancing = static_cast<LoadBalancing>(random_.below(4));
    parameters.entropies = static_cast<unsigned>(1 + random_.below(8));
    parameters.tries = 1'000;
    const double losses = random_.chance(0.3) ? 0 : 0.15, trims = random_.chance(0.3) ? 0 : 0.2;
    const std::uint64_t spread =
        random_.chance(0.5) ? 1 : 30'000;  // more than the timeout: repeated for nothing
    outcome = story_of(parameters, plan, [&, this](const Unit&, std::uint64_t) {
      return Fate{
          .latency = latency + SimTime::from_ps(static_cast<std::int64_t>(random_.below(spread)) * ns),
          .lost = random_.chance(losses),
          .marked = random_.chance(0.3),
          .trimmed = random_.chance(trims) ? Trimmed::on_the_way : Trimmed::no};
    });
  }

  std::vector<TcpPlanned> plan;
  Story outcome;

 private:
  RandomStream random_;
};

class UetInStorms : public ::testing::TestWithParam<Control> {};

TEST_P(UetInStorms, DeliversEachMessageExactlyOnce) {
  std::uint64_t repeated = 0, timeouts = 0, trimmed = 0, early = 0;
  for (std::uint64_t seed = 0; seed < random_cases(300) && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Stormy storm(seed, GetParam());
    for (std::size_t message = 0; message < storm.plan.size(); ++message) {
      const TcpPlanned& planned = storm.plan[message];
      std::vector<What> expected{What::departed, What::delivered};
      if (planned.completes) expected.push_back(What::completed);
      std::vector<What> told;
      for (const TcpDispatch::Told& one : storm.outcome.told[message]) told.push_back(one.what);
      EXPECT_EQ(told, expected) << "message " << message;
    }
    // Sends between two processes are delivered in their order.
    std::vector<std::size_t> last(4 * 4 * 2, 0);
    for (const std::size_t message : storm.outcome.deliveries) {
      const TcpPlanned& planned = storm.plan[message];
      if (planned.verb == Verb::write || planned.verb == Verb::read) continue;
      std::size_t& before = last[(planned.from * 4 + planned.to) * 2 + planned.channel];
      EXPECT_LE(before, message);
      before = message;
    }
    repeated += storm.outcome.counters.repeated;
    timeouts += storm.outcome.counters.timeouts;
    trimmed += storm.outcome.counters.trimmed;
    early += storm.outcome.counters.early;
  }
  for (const std::uint64_t count : {repeated, timeouts, trimmed, early}) EXPECT_GT(count, 100U);
}

std::string name_of_control(const ::testing::TestParamInfo<Control>& control) {
  constexpr const char* names[] = {"none", "nscc", "rccc", "both", "dctcp"};
  return names[static_cast<std::size_t>(control.param)];
}

INSTANTIATE_TEST_SUITE_P(Controls, UetInStorms,
                         ::testing::Values(Control::none, Control::nscc, Control::rccc, Control::both,
                                           Control::dctcp),
                         name_of_control);

TEST(Uet, RefusesWhatDoesNotFit) {
  EventQueue events;
  ScriptedNetwork network(events, 2, Bytes(1'000), SimTime::from_ps(ns), in_time);
  EXPECT_THROW(Uet(events, network, 2, plain()), Error);  // 1,064 B
  ScriptedNetwork wide(events, 2, Bytes(1'064), SimTime::from_ps(ns), in_time);
  UetParameters parameters = plain();
  EXPECT_NO_THROW(Uet(events, wide, 2, parameters));
  parameters.data_class = 8;
  EXPECT_THROW(Uet(events, wide, 2, parameters), Error);
}

}  // namespace
}  // namespace morgana::testing::uet_tests
