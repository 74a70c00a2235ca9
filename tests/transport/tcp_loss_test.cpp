// TCP's losses and marks by hand; TcpBench has the times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/transport/tcp/tcp.h"
#include "tests/transport/scripted_network.h"
#include "tests/transport/tcp_bench.h"

namespace morgana::testing::tcp_bench {
namespace {

using What = TcpDispatch::What;
using Sent = TcpBench::Sent;

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
    EXPECT_EQ(run->counted("segments sent again"), 1);
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

// PRR (RFC 6937). The first of 40 is lost, with a window of 20; the acknowledgement of segment n comes at
// 1,040 (n + 1) + 20,052 ns. Those of 1 and 2 let a new segment go each, that of 3 the lost one: 22 are in
// flight, W is 10. With n acknowledged n - 2 are delivered, of which 10 / 22 may go: two with n = 7, three
// with 9, four with 11, five with 13. At 16 acknowledged the pipe is 26 - 16 = W, so that none goes; at 17
// and 18 it is one less, and one goes. By the pipe alone (RFC 6675) nothing goes until it is 9, at 13
// acknowledged; then one goes at each.
TEST(Tcp, ReducesItsRateInProportionToWhatIsDelivered) {
  const auto after_the_first_repetition = [](TcpParameters::Recovery recovery) {
    TcpParameters parameters = with_sack();
    parameters.window.initial = 20;
    parameters.recovery = recovery;
    const TcpBench run(parameters, {{0, 0, 1, 39'999}}, {0});
    EXPECT_EQ(run.sent_by(0).at(22), (Sent{24'212 * ns, 1'040}));
    EXPECT_EQ(run.counted("segments sent again"), 1);
    std::vector<std::int64_t> acknowledged;  // when the next six go
    for (std::size_t place = 23; place < 29; ++place)
      acknowledged.push_back((run.sent_by(0).at(place).at / ns - 20'052) / 1'040 - 1);
    return acknowledged;
  };
  EXPECT_EQ(after_the_first_repetition(TcpParameters::Recovery::prr),
            (std::vector<std::int64_t>{7, 9, 11, 13, 17, 18}));
  EXPECT_EQ(after_the_first_repetition(TcpParameters::Recovery::pipe),
            (std::vector<std::int64_t>{13, 14, 15, 16, 17, 18}));
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
  EXPECT_EQ(run.counted("segments sent again"), 1);
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
  EXPECT_EQ(two.counted("segments marked (ECN)"), 2);
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
    if (seed % 4 == 0) parameters.loss_detection = TcpParameters::LossDetection::rack;
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
}  // namespace morgana::testing::tcp_bench
