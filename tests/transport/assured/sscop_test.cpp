#include "emulator/transport/sscop/sscop.h"

#include <gtest/gtest.h>

#include <random>

#include "emulator/core/error.h"
#include "emulator/network/atm/atm_network.h"
#include "emulator/topology/cable_plan.h"
#include "tests/transport/assured/lossy_cells.h"
#include "tests/transport/harness.h"

namespace morgana::testing {
namespace {
namespace sscop_transport {
using namespace literals;

/// Short timers; a byte takes 1 ns on the wire, and the way 1 us.
SscopParameters quick() {
  SscopParameters parameters;
  parameters.frame = 100_B;
  parameters.poll_every = 0;
  parameters.poll = 100_us;
  parameters.keep_alive = 200_us;
  parameters.no_response = 1_s;
  parameters.idle = 2_s;
  return parameters;
}

struct Result {
  std::vector<Fate> fates;
  SscopCounters counters;
};

Result run(const std::vector<Planned>& plan, const SscopParameters& parameters,
           LossyNetwork::Script script = nullptr, bool all = true) {
  EventQueue events;
  LossyCells network(events, 3, std::move(script));
  Sscop transport(events, network, 3, parameters);
  Dispatch dispatch(events, transport);
  const std::vector<Fate> fates = dispatch.run(plan);
  if (all) dispatch.expect_all_delivered();
  return {fates, transport.counters()};
}

// An SD of 100 B: 104 octets, with AAL5's 8 three cells of 48, 159 B on the wire; 1 us of way.
TEST(SscopTransport, TakesThreeCellsForAHundredBytes) {
  const Result result = run({{0_us, 0, 1, 100}}, quick());
  EXPECT_EQ(result.fates[0].departed, 159_ns);
  EXPECT_EQ(result.fates[0].delivered, 1159_ns);
}

// 250 B are SDs of 100, 100 and 50 B: 3 + 3 + 2 cells (54 and 8 octets, in two cells). The POLL has 8 octets,
// the STAT 12: with AAL5's trailer one cell each. (Whether the poll of the end has gone when nothing is
// unacknowledged any more depends on the timer only: it has, as it brings the acknowledgement.)
TEST(SscopTransport, CountsFramesAndCells) {
  const Result result = run({{0_us, 0, 1, 250}}, quick());
  EXPECT_EQ(result.counters.data, 3U);
  EXPECT_EQ(result.counters.user_bytes, 250U);
  EXPECT_EQ(result.counters.polls, 1U);
  EXPECT_EQ(result.counters.stats, 1U);
  EXPECT_EQ(result.counters.cells, 3U + 3 + 2 + 1 + 1);
}

// The second of three SDs is lost. The third arrives at 3 * 159 ns + 1 us and its USTAT, one cell of 53 ns,
// 1.053 us later; the repetition is there 1.159 us after that.
TEST(SscopTransport, MendsAGapByUstat) {
  const Result result = run({{0_us, 0, 1, 300}}, quick(), [](const Unit& unit, std::uint64_t n) {
    return unit.from == PortId{0} && n == 1;
  });
  EXPECT_EQ(result.fates[0].delivered, 477_ns + 1000_ns + 1053_ns + 1159_ns);
  EXPECT_EQ(result.counters.again_by_ustat, 1U);
  EXPECT_EQ(result.counters.again_by_stat, 0U);
}

// The only SD is lost: the POLL goes 100 us after it was handed over; POLL and STAT take 1.053 us each.
TEST(SscopTransport, MendsALostTailByPoll) {
  const Result result = run({{0_us, 0, 1, 100}}, quick(), [](const Unit& unit, std::uint64_t n) {
    return unit.from == PortId{0} && n == 0;
  });
  EXPECT_EQ(result.fates[0].delivered, 100_us + 1053_ns + 1053_ns + 1159_ns);
  EXPECT_EQ(result.counters.again_by_stat, 1U);
}

// Hosts 0 and 1 send an SD of three cells of 1 us each at once, through a switch with room for two cells: of
// host 1's only the first one comes. Its POLL, after 100 us, is taken for the rest of that packet. The next
// one leaves at 201 us, behind host 0's last POLL at the switch, and is there at 203; its STAT, behind that
// of host 0 on host 2's link, at 205; and the SD once more at 209.
TEST(SscopTransport, LosesThePollBehindAFrameThatLostItsLastCell) {
  AtmParameters parameters;
  parameters.network = CablePlan::uniform(topology::chain(1), 3, {BitRate(424'000'000), SimTime()}).graph();
  parameters.switches.buffer = 2;
  EventQueue events;
  AtmNetwork network(events, parameters, 1);
  Sscop transport(events, network, 3, quick());
  Dispatch dispatch(events, transport);
  const std::vector<Fate> fates = dispatch.run({{0_us, 0, 2, 100}, {0_us, 1, 2, 100}});
  EXPECT_EQ(fates[0].delivered, 5_us);
  EXPECT_EQ(fates[1].delivered, 209_us);
  EXPECT_EQ(transport.counters().again_by_stat, 1U);
  EXPECT_EQ(transport.counters().frames_lost, 2U);  // SD and POLL
}

TEST(SscopTransport, PollsAfterSoManyFrames) {
  SscopParameters parameters = quick();
  parameters.poll_every = 2;
  EXPECT_EQ(run({{0_us, 0, 1, 400}}, parameters).counters.polls, 2U);
}

// Nothing comes through: the connection is released a second after its first SD, and the messages come back.
TEST(SscopTransport, ReturnsWhatItHasWhenThePeerDoesNotAnswer) {
  const Result result = run(
      {{0_us, 0, 1, 100}, {1_us, 0, 1, 100}, {1500_ms, 0, 1, 100}}, quick(),
      [](const Unit&, std::uint64_t) { return true; }, false);
  EXPECT_EQ(result.fates[0].returned, 1_s);
  EXPECT_EQ(result.fates[1].returned, 1_s);
  EXPECT_EQ(result.fates[2].returned, 2500_ms);
  EXPECT_EQ(result.counters.given_up, 3U);
  EXPECT_EQ(result.counters.data, 3U);  // two before the first release, one after it
}

TEST(SscopTransport, SendsAgainOverAFreshConnectionAfterARelease) {
  bool dead = true;
  EventQueue events;
  LossyCells network(events, 2, [&](const Unit&, std::uint64_t) { return dead; });
  Sscop transport(events, network, 2, quick());
  Dispatch dispatch(events, transport);
  EXPECT_EQ(dispatch.run({{0_us, 0, 1, 100}})[0].returned, 1_s);
  dead = false;
  dispatch.send(0, 1, 100);
  while (!events.idle()) events.handle_next();
  EXPECT_EQ(dispatch.run({})[1].delivered, 1_s + 1159_ns);
}

// An idle connection asks for ever whether its peer is there, but keeps no run from ending.
TEST(SscopTransport, LetsTheQueueRestWhenAllIsAcknowledged) {
  EventQueue events;
  LossyCells network(events, 2);
  Sscop transport(events, network, 2, quick());
  Dispatch dispatch(events, transport);
  dispatch.run({{0_us, 0, 1, 100}});
  EXPECT_TRUE(events.idle());
  EXPECT_FALSE(events.empty());
  const std::uint64_t polls = transport.counters().polls;
  while (events.now() < 10_s) events.handle_next();
  EXPECT_GT(transport.counters().polls, polls);
  EXPECT_EQ(transport.counters().given_up, 0U);
}

// Any of the first ten frames of all kinds and both hosts, in the order in which they are handed over.
TEST(SscopTransport, SurvivesEveryLossPatternOfTenFrames) {
  for (std::uint32_t lost = 0; lost < 1U << 10; ++lost) {
    std::uint32_t frames = 0;
    const Result result =
        run({{0_us, 0, 1, 250}, {1_us, 0, 1, 0}, {150_us, 0, 1, 120}}, quick(),
            [&](const Unit&, std::uint64_t) { return frames < 10 && (lost >> frames++ & 1U); });
    EXPECT_EQ(result.counters.data, 3U + 1 + 2);
    if (HasFailure()) FAIL() << "lost: " << lost;
  }
}

// A message of ten SDs, all sent before the first POLL; each subset of its first ten frames is lost once.
TEST(SscopTransport, SurvivesEveryLossPatternOfTenDataFrames) {
  for (std::uint32_t lost = 0; lost < 1U << 10; ++lost) {
    run({{0_us, 0, 1, 1000}}, quick(), [&](const Unit& unit, std::uint64_t n) {
      return unit.from == PortId{0} && n < 10 && (lost >> n & 1U);
    });
    if (HasFailure()) FAIL() << "lost: " << lost;
  }
}

TEST(SscopTransport, SurvivesRandomLossUpToSixtyPercentAcrossTheWrap) {
  for (std::uint32_t percent = 0; percent <= 60; percent += 20) {
    std::mt19937 random(percent);
    std::vector<Planned> plan;
    for (std::uint32_t i = 0; i < 60; ++i)
      plan.push_back(
          {(i * 7) * 1_us, i % 3, (i + 1 + i / 3 % 2) % 3, static_cast<std::int64_t>(random() % 700)});
    SscopParameters parameters = quick();
    parameters.first = (1U << 24) - 20;
    parameters.window = 8;
    parameters.longest_list = 3;
    parameters.no_response = 100'000_s;
    const Result result =
        run(plan, parameters, [&](const Unit&, std::uint64_t) { return random() % 100 < percent; });
    if (percent == 0) {
      EXPECT_EQ(result.counters.again_by_stat + result.counters.again_by_ustat, 0U);
    }
  }
}

// The SD never comes, POLL and STAT (a cell each) do. The n-th POLL goes after n * 100 us, and its
// STAT, 2.106 us later, has the SD sent again; the fourth repetition would be one too many.
TEST(SscopTransport, CallsALoadUnstableWhenAFrameIsRepeatedTooOften) {
  SscopParameters parameters = quick();
  parameters.tries = 3;
  EventQueue events;
  LossyCells network(events, 2, [](const Unit& unit, std::uint64_t) { return unit.size > 53_B; });
  Sscop transport(events, network, 2, parameters);
  Dispatch dispatch(events, transport);
  dispatch.expected_outcome = morgana::Outcome::unstable;
  EXPECT_EQ(dispatch.run({{0_us, 0, 1, 100}})[0].returned, 400_us + 2106_ns);
  EXPECT_EQ(transport.how_lost(),
            "unstable: a frame was sent again 3 times without success (transport.tries)");
}

// Q.2110 ends a connection when no POLL is answered, but counts no repetitions: where POLL and STAT come
// through, an SD that is lost a thousand times, for a hundred times Timer_NO-RESPONSE, is sent again and
// again.
TEST(SscopTransport, RepeatsForEverWhereControlFramesComeThrough) {
  SscopParameters parameters = quick();
  parameters.no_response = 1_ms;
  int lost = 0;
  const Result result = run({{0_us, 0, 1, 100}}, parameters, [&](const Unit& unit, std::uint64_t) {
    return unit.size > 53_B && lost < 1000 && ++lost > 0;
  });
  EXPECT_EQ(result.counters.again_by_stat, 1000U);
  EXPECT_GT(result.fates[0].delivered, 100_ms);
  EXPECT_EQ(result.counters.given_up, 0U);
}

TEST(SscopTransport, RefusesParametersThatMeanNothing) {
  const auto refused = [](auto change) {
    SscopParameters parameters = quick();
    change(parameters);
    EXPECT_THROW(run({}, parameters), Error);
  };
  refused([](SscopParameters& p) { p.frame = 65529_B; });
  refused([](SscopParameters& p) { p.window = 1U << 23; });
  refused([](SscopParameters& p) { p.longest_list = 4; });
  refused([](SscopParameters& p) { p.no_response = p.poll; });
}

}  // namespace sscop_transport
}  // namespace
}  // namespace morgana::testing
