// RACK-TLP (RFC 8985) by hand; TcpBench has the times. A first message of one segment measures a round trip
// of 1,040 + 10,000 + 40 + 10,000 = 21,080 ns, so that RACK.min_RTT / 4 is 5,270 ns. An acknowledgement with
// a range has 52 B: what comes out of order is heard of 21,092 ns after it was sent.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "emulator/transport/tcp/tcp.h"
#include "tests/transport/scripted_network.h"
#include "tests/transport/tcp_bench.h"

namespace morgana::testing::tcp_bench {
namespace {

using What = TcpDispatch::What;
using Sent = TcpBench::Sent;

TcpParameters with_rack() {
  TcpParameters all = with_sack();
  all.loss_detection = TcpParameters::LossDetection::rack;
  return all;
}

/// After the one that measures, which has the ordinal 0: a message of so many segments, 1 ms later.
std::vector<TcpPlanned> then(std::int64_t segments) {
  return {{0, 0, 1, 999}, {1 * ms, 0, 1, segments * 1'000 - 1}};
}

// One segment in flight: 2 SRTT and the delay of acknowledgements, instead of the timeout of 200 ms.
TEST(TcpRack, ProbesForALostTailOfOneSegment) {
  const TcpBench run(with_rack(), then(1), {1});
  const std::int64_t probed = 1 * ms + 42'160 * ns + 40 * ms;
  EXPECT_EQ(run.sent_by(0), (std::vector<Sent>{{0, 1'040}, {1 * ms, 1'040}, {probed, 1'040}}));
  EXPECT_EQ(run.when(1, What::delivered), probed + 11'040 * ns);
  EXPECT_EQ(run.counted("tail loss probes"), 1);
  EXPECT_EQ(run.counted("segments sent again"), 1);
  EXPECT_EQ(run.counted("timeouts"), 0);
}

// The last two of ten. The eighth is acknowledged at 8 x 1,040 + 20,040 ns; 2 SRTT later the last one goes
// again, and what it reports makes the ninth lost.
TEST(TcpRack, RepairsATailOfSeveralSegmentsThatAProbeReports) {
  const TcpBench run(with_rack(), then(10), {9, 10});
  const std::int64_t probed = 1 * ms + (28'360 + 42'160) * ns;
  EXPECT_EQ(run.sent_by(0).size(), 13U);
  EXPECT_EQ(run.sent_by(0).at(11), (Sent{probed, 1'040}));
  EXPECT_EQ(run.sent_by(0).at(12), (Sent{probed + 21'092 * ns, 1'040}));
  EXPECT_EQ(run.when(1, What::delivered), probed + (21'092 + 11'040) * ns);
  EXPECT_EQ(run.counted("fast recoveries"), 1);
  EXPECT_EQ(run.counted("timeouts"), 0);
}

// The probe of the last test is over when recovery begins (RFC 8985, 7.1): a later lost tail has one of its
// own.
TEST(TcpRack, ProbesAgainAfterARecoveryThatAProbeBegan) {
  TcpParameters stamped = with_rack();
  stamped.timestamps = true;
  std::vector<TcpPlanned> plan = then(10);
  plan.push_back({100 * ms, 0, 1, 999});
  const TcpBench run(stamped, plan, {9, 10, 13});
  EXPECT_EQ(run.counted("tail loss probes"), 2);
  EXPECT_EQ(run.counted("segments sent again"), 3);
  EXPECT_EQ(run.counted("timeouts"), 0);
}

// Segments that are not in flight any more send no probe, nor does a connection without a round trip.
TEST(TcpRack, SendsNoProbeWithoutNeed) {
  EXPECT_EQ(TcpBench(with_rack(), then(10)).counted("tail loss probes"), 0);
  const TcpBench unmeasured(with_rack(), {{0, 0, 1, 999}}, {0});
  EXPECT_EQ(unmeasured.sent_by(0), (std::vector<Sent>{{0, 1'040}, {1 * s, 1'040}}));
  EXPECT_EQ(unmeasured.counted("tail loss probes"), 0);
  EXPECT_EQ(unmeasured.counted("timeouts"), 1);
}

// With a margin the probe, and the look at what may be lost, come so much later.
TEST(TcpRack, WaitsForItsTimersMargin) {
  TcpParameters slow = with_rack();
  slow.timer_margin = SimTime::from_ps(2 * ms);
  EXPECT_EQ(TcpBench(slow, then(10), {9, 10}).sent_by(0).at(11),
            (Sent{3 * ms + (28'360 + 42'160) * ns, 1'040}));
  EXPECT_EQ(TcpBench(slow, then(3), {1}).sent_by(0).at(4), (Sent{3 * ms + (21'092 + 5'270) * ns, 1'040}));
}

// The first of three: two come behind it, too few for RFC 6675. It is lost when a round trip and the window
// have passed since it was sent.
TEST(TcpRack, FindsALossWithFewerThanThreeSegmentsBehindIt) {
  const TcpBench run(with_rack(), then(3), {1});
  EXPECT_EQ(run.sent_by(0).at(4), (Sent{1 * ms + (21'092 + 5'270) * ns, 1'040}));
  EXPECT_EQ(run.counted("fast recoveries"), 1);
  EXPECT_EQ(run.counted("timeouts"), 0);
  EXPECT_EQ(TcpBench(with_sack(), then(3), {1}).counted("timeouts"), 1);
}

// The third of ten: with three selective acknowledgements, as long as no reordering was seen, the window is
// 0, and the third one (of the sixth segment) makes it lost.
TEST(TcpRack, FindsALossAtTheThirdSelectiveAcknowledgement) {
  const TcpBench run(with_rack(), then(10), {3});
  EXPECT_EQ(run.sent_by(0).at(11), (Sent{1 * ms + (5 * 1'040 + 21'092) * ns, 1'040}));
  EXPECT_EQ(run.counted("segments sent again"), 1);
}

// The first of 30, and its repetition, which goes at the third selective acknowledgement (24,212 ns; the
// first two let a new segment go each). The window is 5 of the 10 in flight, and the pipe 9: a new segment
// goes when it is 4, with the acknowledgement of the ninth segment at 8 x 1,040 + 21,092 = 29,412 ns. That is
// heard of 21,092 ns later, and the repetition is lost. RFC 6675 waits for the timer.
TEST(TcpRack, FindsALostRepetition) {
  const TcpBench run(with_rack(), then(30), {1, 13});
  EXPECT_EQ(run.sent_by(0).at(13), (Sent{1 * ms + 24'212 * ns, 1'040}));
  EXPECT_EQ(run.sent_by(0).at(14), (Sent{1 * ms + 29'412 * ns, 1'040}));
  EXPECT_EQ(run.sent_by(0).at(18), (Sent{1 * ms + 50'504 * ns, 1'040}));
  EXPECT_EQ(run.counted("segments sent again"), 2);
  EXPECT_EQ(run.counted("fast recoveries"), 2);
  EXPECT_EQ(run.counted("timeouts"), 0);
  EXPECT_EQ(TcpBench(with_sack(), then(30), {1, 13}).counted("timeouts"), 1);
}

// The first segment of each message comes 4 us late, less than the window. In the first message two come
// before it; then reordering has been seen, and the five before it in the second message make nothing lost.
TEST(TcpRack, WaitsForSegmentsThatAreReordered) {
  for (const bool rack : {true, false}) {
    EventQueue events;
    ScriptedNetwork network(events, 2, Bytes(1'040), SimTime::from_ps(ns),
                            [](const Unit& unit, std::uint64_t n) {
                              const bool late = unit.from == PortId{0} && (n == 1 || n == 4);
                              return ScriptedNetwork::Fate{SimTime::from_ps((late ? 14'000 : 10'000) * ns)};
                            });
    Tcp tcp(events, network, 2, rack ? with_rack() : with_sack());
    TcpDispatch dispatch(events, tcp);
    std::vector<TcpPlanned> plan = then(3);
    plan.push_back({2 * ms, 0, 1, 5'999});
    dispatch.run(plan);
    std::size_t segments = 0;
    for (const auto& [at, unit] : network.injected) segments += unit.size == Bytes(1'040) ? 1 : 0;
    if (rack)
      EXPECT_EQ(segments, 10U);
    else
      EXPECT_GT(segments, 10U);
  }
}

}  // namespace
}  // namespace morgana::testing::tcp_bench
