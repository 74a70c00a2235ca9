// DCTCP's window for flows of transports other than TCP: by hand, against its plain model, and in Ultra
// Ethernet's transport (rc_window_test has that of RDMA).
#include "emulator/transport/congestion/dctcp_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <set>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/transport/uet/uet.h"
#include "tests/support/effort.h"
#include "tests/transport/reference_dctcp_flow.h"
#include "tests/transport/scripted_network.h"

namespace morgana::testing::dctcp_flow {
namespace {

using Repetition = CongestionControl::Repetition;

/// Packets of 1,000 B at 8 Gb/s, which is a byte in a nanosecond; windows of at most 20 packets.
constexpr std::int64_t packet_bytes = 1'000;

struct Told {
  explicit Told(const DctcpParameters& given = {}) : parameters(given) {}

  /// The next packet is acknowledged; as many are under way as the window holds then.
  void acknowledge(bool marked = false) {
    place += packet_bytes;
    flow.acknowledged({.now = {},
                       .place = place,
                       .returned = Bytes(packet_bytes),
                       .marked = marked,
                       .marked_bytes = Bytes(marked ? packet_bytes : 0),
                       .under_way = Bytes(packet_bytes * (flow.window().count() / packet_bytes))});
  }
  std::int64_t window() const { return flow.window().count(); }

  DctcpParameters parameters;
  DctcpFlow flow{parameters, BitRate(8'000'000'000), Bytes(packet_bytes), Bytes(20'000)};
  std::int64_t place = 0;
};

TEST(DctcpFlow, BeginsWithTheMostWindowAtTheLineRateAndStaysThere) {
  Told one;
  for (int n = 0; n < 100; ++n) one.acknowledge();
  EXPECT_EQ(one.window(), 20'000);
  EXPECT_EQ(one.flow.rate({}), BitRate(8'000'000'000));
  one.flow.sent(SimTime::from_ps(7), Bytes(packet_bytes));
  EXPECT_EQ(one.flow.may_send(), SimTime::from_ps(1'000'007));
}

/// Without a mark alpha is 15/16 after the first acknowledgement. The second one is marked: 20,000 x (1 -
/// 15/32) = 10,625. 10 packets are under way then, which with the next 10 are one window.
TEST(DctcpFlow, IsCutOnceAWindowByHalfOfAlpha) {
  Told one;
  one.acknowledge();
  EXPECT_EQ(one.flow.alpha(), 15.0 / 16);
  one.acknowledge(true);
  EXPECT_EQ(one.window(), 10'625);
  EXPECT_EQ(one.flow.rate({}), BitRate(4'250'000'000));
  one.flow.sent({}, Bytes(packet_bytes));  // 1,000 ns x 20,000 / 10,625
  EXPECT_EQ(one.flow.may_send(), SimTime::from_ps(1'882'353));
  // 20 packets were under way at the cut: 22,000 ends its window.
  for (int n = 3; n <= 22; ++n) {
    one.acknowledge(n % 3 == 0);
    EXPECT_EQ(one.window(), 10'625) << n;
  }
  const double alpha = one.flow.alpha();
  one.acknowledge(true);
  EXPECT_EQ(one.window(), static_cast<std::int64_t>(10'625 * (1 - one.flow.alpha() / 2)));
  EXPECT_LE(one.flow.alpha(), alpha);
}

/// A round trip that holds 1,500 B paces two packets, the most window, at the line rate, and the least
/// window, one packet after a timeout, at two thirds of it: a window in each round trip. One that holds 12 B
/// paces nothing.
TEST(DctcpFlow, PacesByTheRoundTripWhereItHoldsLessThanTwoPackets) {
  const DctcpParameters parameters;
  const auto rate_after = [&](Bytes in_round_trip, bool is_lost) {
    DctcpFlow flow(parameters, BitRate(9'000'000'000), Bytes(packet_bytes), in_round_trip);
    EXPECT_EQ(flow.window(), Bytes(2 * packet_bytes));
    if (is_lost) flow.repeats({}, Repetition::by_timeout);
    return flow.rate({});
  };
  EXPECT_EQ(rate_after(Bytes(1'500), false), BitRate(9'000'000'000));
  EXPECT_EQ(rate_after(Bytes(1'500), true), BitRate(6'000'000'000));
  EXPECT_EQ(rate_after(Bytes(12), true), BitRate(9'000'000'000));
}

/// After a cut nothing counts until the window that was under way is over; then a packet is added when a
/// window of 10,625 B, 11 packets, is acknowledged.
TEST(DctcpFlow, GrowsByAPacketAWindow) {
  Told one;
  one.acknowledge();
  one.acknowledge(true);
  for (int n = 3; n <= 22 + 10; ++n) one.acknowledge();
  EXPECT_EQ(one.window(), 10'625);
  one.acknowledge();
  EXPECT_EQ(one.window(), 11'625);
  for (int n = 0; n < 1'000; ++n) one.acknowledge();
  EXPECT_EQ(one.window(), 20'000);
}

/// Of four packets that one feedback reports a quarter was marked: alpha = 15/16 x 15/16 + 1/64.
TEST(DctcpFlow, CountsTheBytesThatCameMarked) {
  Told one;
  one.acknowledge();  // the window of alpha ends at 21,000
  one.place = 18'000;
  const auto feedback = [&one](std::int64_t up_to, std::int64_t marked) {
    const Bytes returned(up_to - one.place);
    one.place = up_to;
    one.flow.acknowledged({.now = {},
                           .place = up_to,
                           .returned = returned,
                           .marked = marked > 0,
                           .marked_bytes = Bytes(marked),
                           .under_way = Bytes(5'000)});
  };
  feedback(22'000, 1'000);
  EXPECT_NEAR(one.flow.alpha(), 15.0 / 16 * 15 / 16 + 1.0 / 64, 1e-15);
}

/// A trimmed packet halves what was under way, once a window.
TEST(DctcpFlow, TakesTrimmedPacketsForLosses) {
  Told one;
  one.acknowledge();
  for (int n = 0; n < 18; ++n) {
    one.flow.trimmed({.now = {}, .packet = Bytes(packet_bytes), .under_way = Bytes((18 - n) * packet_bytes)});
    EXPECT_EQ(one.window(), 9'000);
  }
  one.flow.trimmed({.now = {}, .packet = Bytes(packet_bytes), .under_way = Bytes(9'000)});
  EXPECT_EQ(one.window(), 4'500);
  one.acknowledge(true);
  EXPECT_EQ(one.window(), 4'500) << "a mark of the same window";
}

/// A repetition that the receiver asks for is a loss: half of what is under way, once a window.
TEST(DctcpFlow, HalvesWhatIsUnderWayAtALoss) {
  Told one;
  one.acknowledge();  // 20 packets are under way
  one.flow.repeats({}, Repetition::by_receiver);
  EXPECT_EQ(one.window(), 10'000);
  one.flow.repeats({}, Repetition::by_receiver);
  one.acknowledge(true);
  EXPECT_EQ(one.window(), 10'000) << "the same window";
}

TEST(DctcpFlow, BeginsAgainWithAPacketAfterATimeout) {
  Told one;
  one.acknowledge();
  one.flow.repeats({}, Repetition::by_timeout);
  EXPECT_EQ(one.window(), 1'000);
  for (int n = 0; n < 9; ++n) one.acknowledge();  // slow start, up to half of 20
  EXPECT_EQ(one.window(), 10'000);
  one.acknowledge();
  EXPECT_EQ(one.window(), 10'000);
}

TEST(DctcpFlow, IsTheSameAsItsModelInThousandsOfHistories) {
  for (std::uint64_t seed = 0; seed < random_cases(2'000) && !::testing::Test::HasFailure(); ++seed) {
    RandomStream random(seed, "flows of DCTCP");
    const auto below = [&random](std::int64_t bound) {
      return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
    };
    const DctcpParameters parameters{0.01 + 0.99 * random.uniform(), random.uniform()};
    const std::int64_t bits = 1'000'000 + below(400'000'000'000), packet = 64 + below(5'000),
                       most = below(100 * packet);
    DctcpFlow model(parameters, BitRate(bits), Bytes(packet), Bytes(most));
    ReferenceDctcpFlow reference(parameters, bits, packet, most);
    std::int64_t now = 0, place = 0, under_way = 0;
    const double marks = random.uniform() * random.uniform(), rare = 0.1 * random.uniform();
    for (int step = 0; step < 300; ++step) {
      now += below(1'000'000);
      const SimTime at = SimTime::from_ps(now);
      if (under_way == 0 || random.chance(0.5)) {
        const Bytes size(1 + below(packet));
        under_way += size.count();
        model.sent(at, size);
        reference.sent(at, size.count());
      } else if (random.chance(rare)) {
        const Bytes gone(1 + below(std::min(under_way, packet)));
        const TrimFeedback trim{.now = at, .packet = gone, .under_way = Bytes(under_way)};
        under_way -= gone.count();
        model.trimmed(trim);
        reference.trimmed(trim);
      } else if (random.chance(rare)) {
        const auto why = random.chance(0.5) ? Repetition::by_timeout : Repetition::by_receiver;
        if (random.chance(0.5)) under_way = 0;
        model.repeats(at, why);
        reference.repeats(at, why);
      } else {
        // 0 where an acknowledgement has been overtaken; its mark is news.
        const std::int64_t returned = random.chance(0.1) ? 0 : 1 + below(under_way);
        under_way -= returned;
        place += returned;
        const bool marked = random.chance(marks);
        const FlowFeedback feedback{.now = at,
                                    .place = returned > 0 ? place : below(place + 1),
                                    .returned = Bytes(returned),
                                    .marked = marked,
                                    .marked_bytes = Bytes(marked ? 1 + below(2 * packet) : 0),
                                    .under_way = Bytes(under_way)};
        model.acknowledged(feedback);
        reference.acknowledged(feedback);
      }
      ASSERT_EQ(model.window().count(), reference.window()) << "seed " << seed << " step " << step;
      ASSERT_EQ(model.alpha(), reference.w.alpha) << "seed " << seed << " step " << step;
      ASSERT_LE(std::abs((model.may_send() - reference.may_send).ps()), 1)
          << "seed " << seed << " step " << step;
    }
  }
}

// ---- in Ultra Ethernet's transport

constexpr std::int64_t ns = 1'000, way = 1'000'013, data_bytes = 1'064, control_bytes = 64;

/// One message of full packets of which some are marked and some are trimmed, each packet acknowledged: when
/// each starts, by the model of the window. A byte takes a nanosecond.
std::vector<std::int64_t> starts_by_the_model(std::int64_t packets,
                                              const std::vector<ScriptedNetwork::Fate>& fates,
                                              const UetParameters& parameters, std::int64_t most) {
  ReferenceDctcpFlow flow(parameters.dctcp, 8'000'000'000, data_bytes, most);
  struct Answer {
    std::int64_t at, psn;
    bool marked, trimmed;
  };
  std::deque<Answer> answers;  // in the order of time
  std::set<std::int64_t> repeats;
  std::vector<std::int64_t> starts;
  std::int64_t now = 0, next = 0, under_way = 0, come = 0;
  const auto may_start = [&] {
    return (!repeats.empty() || next < packets) && under_way + data_bytes <= flow.window();
  };
  const auto take = [&](const Answer& answer) {
    const SimTime at = SimTime::from_ps(answer.at);
    if (answer.trimmed) {
      flow.trimmed({.now = at, .packet = Bytes(data_bytes), .under_way = Bytes(under_way)});
      repeats.insert(answer.psn);
      under_way -= data_bytes;
      return;
    }
    come += data_bytes;
    under_way -= data_bytes;
    flow.acknowledged({.now = at,
                       .place = come,
                       .returned = Bytes(data_bytes),
                       .marked_bytes = Bytes(answer.marked ? data_bytes : 0),
                       .under_way = Bytes(under_way)});
  };
  while (come < packets * data_bytes) {
    while (!answers.empty() && (answers.front().at <= now || !may_start())) {
      const Answer answer = answers.front();
      answers.pop_front();
      now = std::max(now, answer.at);
      take(answer);
    }
    if (!may_start()) break;
    const ScriptedNetwork::Fate& fate = fates[starts.size()];
    std::int64_t psn = next;
    if (repeats.empty())
      ++next;
    else
      psn = *repeats.begin(), repeats.erase(repeats.begin());
    starts.push_back(now);
    under_way += data_bytes;
    flow.sent(SimTime::from_ps(now), data_bytes);
    now += data_bytes * ns;
    answers.push_back({now + way + control_bytes * ns + way, psn, fate.marked, fate.trimmed != Trimmed::no});
  }
  return starts;
}

TEST(DctcpFlow, IsTheWindowOfUltraEthernetsConnections) {
  std::uint64_t trims = 0, marks = 0;
  for (std::uint64_t seed = 0; seed < 200 && !::testing::Test::HasFailure(); ++seed) {
    RandomStream random(seed, "DCTCP over Ultra Ethernet");
    const double marked = 0.4 * random.uniform() * random.uniform(), trimmed = 0.05 * random.uniform();
    std::vector<ScriptedNetwork::Fate> fates(1'000);
    for (ScriptedNetwork::Fate& fate : fates)
      fate = {.latency = SimTime::from_ps(way),
              .marked = random.chance(marked),
              .trimmed = random.chance(trimmed) ? Trimmed::on_the_way : Trimmed::no};
    UetParameters parameters;
    parameters.payload = Bytes(data_bytes - control_bytes);
    parameters.acknowledge_bytes = Bytes(1);
    parameters.timeout = SimTime::from_ps(1'000'000'000);
    parameters.control = UetParameters::Control::dctcp;
    parameters.nscc.base_round_trip = SimTime::from_ps(3'128 * ns);
    parameters.nscc.most_window = 1 + 4 * random.uniform();
    parameters.dctcp.gain = 0.05 + 0.5 * random.uniform();
    const std::int64_t packets = 100 + static_cast<std::int64_t>(random.below(200));
    EventQueue events;
    ScriptedNetwork network(
        events, 2, Bytes(2'000), SimTime::from_ps(ns), [&fates](const Unit& unit, std::uint64_t ordinal) {
          return unit.may_be_trimmed ? fates[ordinal]
                                     : ScriptedNetwork::Fate{.latency = SimTime::from_ps(way)};
        });
    Uet uet(events, network, 2, parameters);
    TcpDispatch dispatch(events, uet);
    dispatch.run({{0, 0, 1, packets * (data_bytes - control_bytes)}});
    std::vector<std::int64_t> starts;
    for (const ScriptedNetwork::Injected& one : network.injected)
      if (one.unit.may_be_trimmed) starts.push_back(one.at);
    const auto most = static_cast<std::int64_t>(parameters.nscc.most_window * 3'128);
    EXPECT_EQ(starts, starts_by_the_model(packets, fates, parameters, most)) << "seed " << seed;
    trims += uet.counters().trimmed;
    marks += uet.counters().marked;
    EXPECT_EQ(uet.counters().timeouts, 0U);
  }
  EXPECT_GT(trims, 500U);
  EXPECT_GT(marks, 2'000U);
}

}  // namespace
}  // namespace morgana::testing::dctcp_flow
