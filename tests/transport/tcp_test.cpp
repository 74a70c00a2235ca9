// TCP by hand. Segments carry 1,000 B and have 1,040 on the link, or 1,052 with timestamps; 1 ns a byte and
// 10 us of latency: a segment comes 11,040 ns after it was sent, an acknowledgement of 40 B 10,040 ns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/transport/tcp/tcp.h"
#include "tests/transport/scripted_network.h"

namespace morgana::testing {
namespace {

using What = TcpDispatch::What;
using Ordinals = std::set<std::uint64_t>;

constexpr std::int64_t ns = 1'000, ms = 1'000'000 * ns, s = 1'000 * ms;  // ps

/// Connections stand, each segment is acknowledged at once, without options, NewReno with 10 segments. A
/// message of 1,000 n - 1 bytes has n segments.
TcpParameters plain() {
  TcpParameters all;
  all.timestamps = false;
  all.sack = false;
  all.message_header = Bytes(1);
  all.handshake = false;
  all.quick_acknowledgements = 1'000;
  all.control = TcpParameters::Control::new_reno;
  return all;
}

TcpParameters with_sack() {
  TcpParameters all = plain();
  all.sack = true;
  return all;
}

TcpParameters with_handshake() {
  TcpParameters all = plain();
  all.handshake = true;
  return all;
}

/// Two hosts; what is lost and marked goes from host 0 to host 1.
class TcpBench {
 public:
  TcpBench(const TcpParameters& parameters, const std::vector<TcpPlanned>& plan, const Ordinals& lost = {},
           const Ordinals& marked = {})
      : network_(events_, 2, Bytes(parameters.timestamps ? 1'052 : 1'040), SimTime::from_ps(ns),
                 [&](const Unit& unit, std::uint64_t ordinal) {
                   const bool there = unit.from == PortId{0};
                   return ScriptedNetwork::Fate{SimTime::from_ps(10'000 * ns),
                                                there && lost.contains(ordinal),
                                                there && marked.contains(ordinal)};
                 }),
        tcp_(events_, network_, 2, parameters),
        dispatch_(events_, tcp_) {
    dispatch_.run(plan);
  }

  struct Sent {
    std::int64_t at, size;
    bool operator==(const Sent&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Sent& sent) {
      return out << sent.size << " B at " << sent.at;
    }
  };
  std::vector<Sent> sent_by(std::uint32_t host) const {
    std::vector<Sent> all;
    for (const auto& [at, unit] : network_.injected)
      if (unit.from == PortId{host}) all.push_back({at, unit.size.count()});
    return all;
  }
  /// In ps; -1: never.
  std::int64_t when(std::size_t message, What what) const {
    return dispatch_.when(message, what).value_or(-1);
  }
  std::int64_t counted(std::string_view name) const {
    const CounterTable table = tcp_.counted().at(0);
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      if (table.columns[column].name == name) return std::get<std::int64_t>(table.rows.at(0)[column]);
    ADD_FAILURE() << "no " << name;
    return -1;
  }

 private:
  EventQueue events_;
  ScriptedNetwork network_;
  Tcp tcp_;
  TcpDispatch dispatch_;
};

using Sent = TcpBench::Sent;

// ---- connections

TEST(Tcp, ShakesHandsBeforeTheFirstData) {
  const TcpBench run(with_handshake(), {{0, 0, 1, 999}});
  EXPECT_EQ(run.sent_by(0), (std::vector<Sent>{{0, 48}, {20'096 * ns, 40}, {20'136 * ns, 1'040}}));
  EXPECT_EQ(run.sent_by(1), (std::vector<Sent>{{10'048 * ns, 48}, {31'176 * ns, 40}}));
  EXPECT_EQ(run.when(0, What::departed), 0);
  EXPECT_EQ(run.when(0, What::delivered), 31'176 * ns);
  EXPECT_EQ(run.counted("connections"), 1);
}

TEST(Tcp, SaysItsOptionsInTheSyn) {
  TcpParameters parameters = with_handshake();
  parameters.sack = true;
  EXPECT_EQ(TcpBench(parameters, {{0, 0, 1, 0}}).sent_by(0).at(0), (Sent{0, 52}));
  parameters.timestamps = true;
  EXPECT_EQ(TcpBench(parameters, {{0, 0, 1, 0}}).sent_by(0).at(0), (Sent{0, 60}));
  parameters.sack = false;
  EXPECT_EQ(TcpBench(parameters, {{0, 0, 1, 0}}).sent_by(0).at(0), (Sent{0, 60}));
}

TEST(Tcp, OpensFromBothSidesAtOnce) {
  const TcpBench run(with_handshake(), {{0, 0, 1, 999}, {0, 1, 0, 999}});
  for (const std::uint32_t host : {0U, 1U}) {
    const std::vector<Sent> sent = run.sent_by(host);
    EXPECT_EQ(sent.at(0), (Sent{0, 48}));
    EXPECT_EQ(sent.at(1), (Sent{10'048 * ns, 48}));
    EXPECT_EQ(sent.at(2), (Sent{20'096 * ns, 1'040}));
    EXPECT_EQ(run.when(host, What::delivered), 31'136 * ns);
  }
  EXPECT_EQ(run.counted("connections"), 1);
}

TEST(Tcp, ConnectsEachPairOfProcessesByItself) {
  const TcpBench run(with_handshake(), {{0, 0, 1, 999, 1}, {0, 0, 1, 999, 2}, {1 * ms, 1, 0, 999, 1}});
  EXPECT_EQ(run.counted("connections"), 2);
  EXPECT_EQ(run.when(2, What::delivered), 1 * ms + 11'040 * ns);
}

// The second SYN goes 1 s after the first. Then one segment at first, and slow start from there.
TEST(Tcp, RepeatsALostSynAndBeginsWithOneSegment) {
  const TcpBench run(with_handshake(), {{0, 0, 1, 2'999}}, {0});
  EXPECT_EQ(run.sent_by(0), (std::vector<Sent>{{0, 48},
                                               {s, 48},
                                               {s + 20'096 * ns, 40},
                                               {s + 20'136 * ns, 1'040},
                                               {s + 41'216 * ns, 1'040},
                                               {s + 42'256 * ns, 1'040}}));
}

// RFC 6298, 5.7: data waits for 3 s then.
TEST(Tcp, WaitsLongerForAnAcknowledgementAfterALostSyn) {
  const TcpBench run(with_handshake(), {{0, 0, 1, 999}}, {0, 3});
  EXPECT_EQ(run.sent_by(0).at(4), (Sent{s + 20'136 * ns + 3 * s, 1'040}));
}

// 1, 2 and 4 s after each other; there is no third repetition.
TEST(Tcp, GivesUpWhereNobodyAnswersItsSyns) {
  TcpParameters parameters = with_handshake();
  parameters.handshake_tries = 2;
  const TcpBench run(parameters, {{0, 0, 1, 999}}, {0, 1, 2});
  EXPECT_EQ(run.sent_by(0), (std::vector<Sent>{{0, 48}, {s, 48}, {3 * s, 48}}));
  EXPECT_EQ(run.when(0, What::returned), 7 * s);
  EXPECT_EQ(run.counted("failed connections"), 1);
}

// Timeouts after 1, 2 and 4 s, the third of which is one too many. What is under way the other way is
// returned, too; the next message has a new connection.
TEST(Tcp, FailsAndReturnsMessagesBothWays) {
  TcpParameters parameters = plain();
  parameters.tries = 2;
  const TcpBench run(
      parameters, {{0, 0, 1, 1'999}, {7 * s - 5'000 * ns, 1, 0, 999}, {8 * s, 0, 1, 999}, {8 * s, 1, 0, 999}},
      {0, 1, 2, 3});
  EXPECT_EQ(run.sent_by(0).at(2), (Sent{s, 1'040}));
  EXPECT_EQ(run.sent_by(0).at(3), (Sent{3 * s, 1'040}));
  EXPECT_EQ(run.when(0, What::returned), 7 * s);
  EXPECT_EQ(run.when(1, What::returned), 7 * s);
  EXPECT_EQ(run.when(1, What::delivered), -1);
  EXPECT_EQ(run.when(2, What::delivered), 8 * s + 11'040 * ns);
  EXPECT_EQ(run.when(3, What::delivered), 8 * s + 11'040 * ns);
  EXPECT_EQ(run.counted("failed connections"), 1);
}

// The first SYN takes so long that its repetition opens the connection, and comes while an acknowledgement of
// data is owed. The ACK that answers it carries that, and echoes the time of the data (RFC 7323, 4.3): the
// round trip is 90 us, and what is lost at 2 s goes again after the least timeout. From the SYN it would be 1
// s.
TEST(Tcp, TakesNoTimeFromALateSyn) {
  TcpParameters parameters = with_handshake();
  parameters.timestamps = true;
  parameters.quick_acknowledgements = 0;
  parameters.acknowledge_delay = SimTime::from_ps(150 * ms);
  EventQueue events;
  ScriptedNetwork network(
      events, 2, Bytes(1'052), SimTime::from_ps(ns), [](const Unit& unit, std::uint64_t ordinal) {
        const bool there = unit.from == PortId{0};
        return ScriptedNetwork::Fate{SimTime::from_ps(there && ordinal == 0 ? s + 100'000 * ns : 10'000 * ns),
                                     there && ordinal == 4, false};
      });
  Tcp tcp(events, network, 2, parameters);
  TcpDispatch dispatch(events, tcp);
  dispatch.run({{0, 0, 1, 999, 0, true}, {2 * s, 0, 1, 999}});
  EXPECT_EQ(dispatch.when(0, What::completed), s + 110'112 * ns);
  std::vector<Sent> sent;
  for (const auto& [at, unit] : network.injected)
    if (unit.from == PortId{0}) sent.push_back({at, unit.size.count()});
  EXPECT_EQ(sent, (std::vector<Sent>{{0, 60},
                                     {s, 60},
                                     {s + 20'120 * ns, 52},
                                     {s + 20'172 * ns, 1'052},
                                     {2 * s, 1'052},
                                     {2 * s + 200 * ms, 1'052}}));
}

// ---- the stream

TEST(Tcp, CompletesAMessageWhenItIsAcknowledged) {
  const TcpBench run(plain(), {{0, 0, 1, 1'999, 0, true}, {0, 0, 1, 999}});
  EXPECT_EQ(run.when(0, What::delivered), 12'080 * ns);
  EXPECT_EQ(run.when(0, What::completed), 22'120 * ns);
  EXPECT_EQ(run.when(1, What::completed), -1);
}

TEST(Tcp, TakesItsLatencies) {
  TcpParameters parameters = plain();
  parameters.send_latency = SimTime::from_ps(100 * ns);
  parameters.receive_latency = SimTime::from_ps(20 * ns);
  parameters.delivery_latency = SimTime::from_ps(3 * ns);
  const TcpBench run(parameters, {{0, 0, 1, 999}});
  EXPECT_EQ(run.when(0, What::departed), 100 * ns);
  EXPECT_EQ(run.sent_by(1).at(0), (Sent{11'160 * ns, 40}));
  EXPECT_EQ(run.when(0, What::delivered), 11'163 * ns);
}

TEST(Tcp, AcknowledgesEverySecondSegmentAndOtherwiseAfterTheDelay) {
  TcpParameters parameters = plain();
  parameters.quick_acknowledgements = 0;
  EXPECT_EQ(TcpBench(parameters, {{0, 0, 1, 999}}).sent_by(1),
            (std::vector<Sent>{{11'040 * ns + 40 * ms, 40}}));
  EXPECT_EQ(TcpBench(parameters, {{0, 0, 1, 1'999}}).sent_by(1), (std::vector<Sent>{{12'080 * ns, 40}}));
  EXPECT_EQ(TcpBench(parameters, {{0, 0, 1, 2'999}}).sent_by(1),
            (std::vector<Sent>{{12'080 * ns, 40}, {13'120 * ns + 40 * ms, 40}}));
  parameters.acknowledge_every = 3;
  EXPECT_EQ(TcpBench(parameters, {{0, 0, 1, 2'999}}).sent_by(1), (std::vector<Sent>{{13'120 * ns, 40}}));
  parameters.quick_acknowledgements = 1;
  EXPECT_EQ(TcpBench(parameters, {{0, 0, 1, 1'999}}).sent_by(1),
            (std::vector<Sent>{{11'040 * ns, 40}, {12'080 * ns + 40 * ms, 40}}));
}

TEST(Tcp, LetsDataCarryAcknowledgements) {
  TcpParameters parameters = plain();
  parameters.quick_acknowledgements = 0;
  const TcpBench run(parameters, {{0, 0, 1, 999, 0, true}, {15'000 * ns, 1, 0, 999}});
  EXPECT_EQ(run.sent_by(1), (std::vector<Sent>{{15'000 * ns, 1'040}}));
  EXPECT_EQ(run.when(0, What::completed), 26'040 * ns);
}

// 100 B go at once; with Nagle's rule 100 more wait until those are acknowledged, but a full segment does
// not.
TEST(Tcp, HoldsSmallSegmentsBackWithNaglesRule) {
  TcpParameters parameters = plain();
  const std::vector<TcpPlanned> small{{0, 0, 1, 99}, {1'000 * ns, 0, 1, 99}};
  EXPECT_EQ(TcpBench(parameters, small).sent_by(0), (std::vector<Sent>{{0, 140}, {1'000 * ns, 140}}));
  parameters.nagle = true;
  EXPECT_EQ(TcpBench(parameters, small).sent_by(0), (std::vector<Sent>{{0, 140}, {20'180 * ns, 140}}));
  const TcpBench full(parameters, {{0, 0, 1, 99}, {1'000 * ns, 0, 1, 1'099}});
  EXPECT_EQ(full.sent_by(0), (std::vector<Sent>{{0, 140}, {1'000 * ns, 1'040}, {22'080 * ns, 140}}));
}

// Three segments are offered, the fourth waits for the first acknowledgement.
TEST(Tcp, SendsNoMoreThanTheReceiveBuffer) {
  TcpParameters parameters = plain();
  parameters.receive_buffer = Bytes(3'999);
  const TcpBench run(parameters, {{0, 0, 1, 9'999}});
  EXPECT_EQ(run.sent_by(0).at(2), (Sent{2'080 * ns, 1'040}));
  EXPECT_EQ(run.sent_by(0).at(3), (Sent{21'080 * ns, 1'040}));
}

// 2,500 B of 4,000 are in the buffer at first: two whole segments, and not the half one. The last byte is
// there when 1,500 B have been acknowledged, which the second acknowledgement does.
TEST(Tcp, SendsNoMoreThanTheSendBufferAndDepartsWithTheLastByteInIt) {
  TcpParameters parameters = plain();
  parameters.send_buffer = Bytes(2'500);
  const TcpBench run(parameters, {{0, 0, 1, 3'999}});
  EXPECT_EQ(run.sent_by(0),
            (std::vector<Sent>{{0, 1'040}, {1'040 * ns, 1'040}, {21'080 * ns, 1'040}, {22'120 * ns, 1'040}}));
  EXPECT_EQ(run.when(0, What::departed), 22'120 * ns);
}

// ---- losses

// The third of 10 segments is lost. Those behind it are acknowledged at 13, 14, 15 x 1,040 + 10,000 ns ...;
// the third of these acknowledgements comes 10,040 ns (with SACK 10,052) after 16,240 ns.
TEST(Tcp, RepeatsALostSegmentAtTheThirdDuplicate) {
  const TcpBench without(plain(), {{0, 0, 1, 9'999}}, {2});
  EXPECT_EQ(without.sent_by(0).size(), 11U);
  EXPECT_EQ(without.sent_by(0).at(10), (Sent{26'280 * ns, 1'040}));
  EXPECT_EQ(without.when(0, What::delivered), 37'320 * ns);
  const TcpBench with(with_sack(), {{0, 0, 1, 9'999}}, {2});
  EXPECT_EQ(with.sent_by(0).size(), 11U);
  EXPECT_EQ(with.sent_by(0).at(10), (Sent{26'292 * ns, 1'040}));
  EXPECT_EQ(with.sent_by(1).at(2), (Sent{14'160 * ns, 52}));
  for (const TcpBench* run : {&without, &with}) {
    EXPECT_EQ(run->counted("sent again"), 1);
    EXPECT_EQ(run->counted("fast recoveries"), 1);
    EXPECT_EQ(run->counted("timeouts"), 0);
  }
}

// The third and the fifth. With SACK recovery begins with the acknowledgement of the seventh (17,280 ns + 60
// + 10,000), and the next one makes the fifth lost. (When the first repetition is acknowledged, at
// 38,380 + 52 + 10,000 ns, the last hole is repeated once more to be sure: RFC 6675, NextSeg, rule 4.)
// Without, the second hole is known a round trip later.
TEST(Tcp, RepairsTwoLossesInOneRoundTripWithSack) {
  const TcpBench with(with_sack(), {{0, 0, 1, 9'999}}, {2, 4});
  EXPECT_EQ(with.sent_by(0).size(), 13U);
  EXPECT_EQ(with.sent_by(0).at(10), (Sent{27'340 * ns, 1'040}));
  EXPECT_EQ(with.sent_by(0).at(11), (Sent{28'380 * ns, 1'040}));
  EXPECT_EQ(with.sent_by(0).at(12), (Sent{48'432 * ns, 1'040}));
  EXPECT_EQ(with.when(0, What::delivered), 39'420 * ns);
  const TcpBench without(plain(), {{0, 0, 1, 9'999}}, {2, 4});
  EXPECT_EQ(without.sent_by(0).size(), 12U);
  EXPECT_EQ(without.sent_by(0).at(10), (Sent{27'320 * ns, 1'040}));
  EXPECT_EQ(without.sent_by(0).at(11), (Sent{48'400 * ns, 1'040}));
  EXPECT_EQ(without.when(0, What::delivered), 59'440 * ns);
  for (const TcpBench* run : {&without, &with}) {
    EXPECT_EQ(run->counted("fast recoveries"), 1);
    EXPECT_EQ(run->counted("timeouts"), 0);
  }
}

// The first of 20, with a window of 10: each of the first two duplicates (at 22,120 and 23,160 ns) lets a new
// segment go, the third one the lost one.
TEST(Tcp, SendsNewSegmentsAtTheFirstTwoDuplicates) {
  const TcpBench run(plain(), {{0, 0, 1, 19'999}}, {0});
  EXPECT_EQ(run.sent_by(0).at(9), (Sent{9'360 * ns, 1'040}));
  EXPECT_EQ(run.sent_by(0).at(10), (Sent{22'120 * ns, 1'040}));
  EXPECT_EQ(run.sent_by(0).at(11), (Sent{23'160 * ns, 1'040}));
  EXPECT_EQ(run.sent_by(0).at(12), (Sent{24'200 * ns, 1'040}));
  // It fills the gap: the next acknowledgement is of all, and recovery is over.
  EXPECT_EQ(run.counted("sent again"), 1);
}

// A measured round trip of 21 us, so that the least timeout counts; doubled the second time.
TEST(Tcp, RepeatsALostTailAfterTheTimeoutAndThenAfterTwiceThat) {
  const TcpBench run(plain(), {{0, 0, 1, 999}, {1 * ms, 0, 1, 999}}, {1, 2});
  EXPECT_EQ(run.sent_by(0),
            (std::vector<Sent>{{0, 1'040}, {1 * ms, 1'040}, {201 * ms, 1'040}, {601 * ms, 1'040}}));
  EXPECT_EQ(run.counted("timeouts"), 2);
}

TEST(Tcp, WaitsForTheFirstTimeoutBeforeItHasMeasured) {
  const TcpBench run(plain(), {{0, 0, 1, 999}}, {0, 1});
  EXPECT_EQ(run.sent_by(0), (std::vector<Sent>{{0, 1'040}, {s, 1'040}, {3 * s, 1'040}}));
}

// ---- marks

// A mark on the first of 20 segments. Its acknowledgement (21,080 ns) halves the window to 5 of 10 segments
// in flight, so that the 11th goes when 6 are acknowledged (26,280 ns). That says CWR, the echo ends, and
// there is one reduction; another mark in the same window changes nothing, one behind CWR does.
TEST(Tcp, ReducesItsWindowOnceForTheMarksOfAWindow) {
  TcpParameters parameters = plain();
  EXPECT_EQ(TcpBench(parameters, {{0, 0, 1, 19'999}}, {}, {0}).sent_by(0).at(10), (Sent{21'080 * ns, 1'040}));
  parameters.ecn = true;
  const TcpBench one(parameters, {{0, 0, 1, 19'999}}, {}, {0});
  EXPECT_EQ(one.sent_by(0).at(9), (Sent{9'360 * ns, 1'040}));
  EXPECT_EQ(one.sent_by(0).at(10), (Sent{26'280 * ns, 1'040}));
  EXPECT_EQ(one.counted("reductions"), 1);
  const TcpBench two(parameters, {{0, 0, 1, 19'999}}, {}, {0, 9});
  EXPECT_EQ(two.sent_by(0).at(10), (Sent{26'280 * ns, 1'040}));
  EXPECT_EQ(two.counted("reductions"), 1);
  EXPECT_EQ(two.counted("came marked"), 2);
  const TcpBench further(parameters, {{0, 0, 1, 19'999}}, {}, {0, 15});
  EXPECT_EQ(further.counted("reductions"), 2);
}

// The segment with CWR (the 11th) is lost: the receiver goes on to echo the mark, but the loss has cut the
// window already, and the repetition is none that says CWR; the next new segment says it.
TEST(Tcp, EchoesAMarkUntilItHearsThatTheWindowWasReduced) {
  TcpParameters parameters = with_sack();
  parameters.ecn = true;
  const TcpBench lost(parameters, {{0, 0, 1, 29'999}}, {10}, {0});
  EXPECT_EQ(lost.counted("fast recoveries"), 1);
  EXPECT_EQ(lost.counted("timeouts"), 0);
  EXPECT_EQ(lost.counted("reductions"), 1);
}

// ---- whatever happens

TEST(Tcp, DeliversOnceAndInOrderOverANetworkThatLosesAndReorders) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    EventQueue events;
    RandomStream random(seed, "rough network");
    ScriptedNetwork network(events, 3, Bytes(1'052), SimTime::from_ps(ns), [&](const Unit&, std::uint64_t) {
      return ScriptedNetwork::Fate{SimTime::from_ps(static_cast<std::int64_t>(random.below(60'000'000))),
                                   random.below(10) == 0, random.below(5) == 0};
    });
    TcpParameters parameters;
    parameters.sack = seed % 2 == 0;
    parameters.ecn = seed % 3 == 0;
    parameters.tries = 1'000;
    parameters.handshake_tries = 1'000;
    Tcp tcp(events, network, 3, parameters);
    TcpDispatch dispatch(events, tcp);
    std::vector<TcpPlanned> plan;
    for (int n = 0; n < 30; ++n) {
      const auto from = static_cast<std::uint32_t>(random.below(3));
      plan.push_back({static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(5 * ms))), from,
                      (from + 1 + static_cast<std::uint32_t>(random.below(2))) % 3,
                      static_cast<std::int64_t>(random.below(20'000)), random.below(2)});
    }
    std::sort(plan.begin(), plan.end(), [](const auto& one, const auto& other) { return one.at < other.at; });
    dispatch.run(plan);
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::size_t> last;
    for (const std::size_t message : dispatch.deliveries) {
      const TcpPlanned& planned = plan[message];
      const auto [before, first] = last.try_emplace({planned.from, planned.to, planned.channel}, message);
      if (!first) {
        EXPECT_LT(before->second, message) << "seed " << seed;
      }
      before->second = message;
    }
    for (std::size_t message = 0; message < plan.size(); ++message) {
      const auto& told = dispatch.told[message];
      ASSERT_EQ(told.size(), 2U) << "seed " << seed;
      EXPECT_EQ(told[0].what, What::departed);
      EXPECT_EQ(told[1].what, What::delivered);
    }
  }
}

}  // namespace
}  // namespace morgana::testing
