#include "emulator/transport/pcaal/pcaal.h"

#include <gtest/gtest.h>

#include <random>

#include "emulator/core/error.h"
#include "tests/transport/assured/lossy_cells.h"
#include "tests/transport/harness.h"

namespace morgana::testing {
namespace {
namespace pcaal_transport {
using namespace literals;

/// Short timers; a byte takes 1 ns on the wire, so a cell 53 ns, and the way 1 us. Cells of four elements of
/// 8 B.
PcAalParameters quick_poll() {
  PcAalParameters parameters;
  parameters.poll = 100_us;
  parameters.no_response = 1_s;
  return parameters;
}

struct Outcomes {
  std::vector<Fate> fates;
  PcAalCounters counters;
  double latency_of_data = 0;
};

Outcomes run(const std::vector<Planned>& plan, const PcAalParameters& parameters,
             LossyNetwork::Script script = nullptr, bool all = true) {
  EventQueue events;
  LossyCells network(events, 3, std::move(script));
  PcAal transport(events, network, 3, parameters);
  Dispatch dispatch(events, transport);
  const std::vector<Fate> fates = dispatch.run(plan);
  if (all) dispatch.expect_all_delivered();
  return {fates, transport.counters(), transport.mean_latency_of_data()};
}

// 100 B are 32, 32, 32 and 4: four cells of 53 ns, and 1 us of way.
TEST(PcAalTransport, SendsACellForFourDoubles) {
  const Outcomes result = run({{0_us, 0, 1, 100}}, quick_poll());
  EXPECT_EQ(result.fates[0].departed, 212_ns);
  EXPECT_EQ(result.fates[0].delivered, 1212_ns);
}

// 8192 B are 1024 doubles. The POLL of the end brings the acknowledgement: one cell, and one of STAT.
TEST(PcAalTransport, CountsTheCellsOfThePapersMessage) {
  PcAalParameters parameters = quick_poll();
  const Outcomes several = run({{0_us, 0, 1, 8192}}, parameters);
  EXPECT_EQ(several.counters.data, 256U);
  EXPECT_EQ(several.counters.cells, 256U + 1 + 1);
  parameters.packing = pcaal::Packing::single;
  EXPECT_EQ(run({{0_us, 0, 1, 8192}}, parameters).counters.data, 1024U);
}

// The second of three cells is lost. The third arrives at 3 * 53 ns + 1 us; its USTAT and the repetition take
// 1053 ns each.
TEST(PcAalTransport, MendsAGapByUstat) {
  const Outcomes result = run({{0_us, 0, 1, 96}}, quick_poll(), [](const Unit& unit, std::uint64_t n) {
    return unit.from == PortId{0} && n == 1;
  });
  EXPECT_EQ(result.fates[0].delivered, 159_ns + 1000_ns + 1053_ns + 1053_ns);
  EXPECT_EQ(result.counters.again_by_ustat, 1U);
  EXPECT_EQ(result.counters.again_by_stat, 0U);
}

// Three cells that go at once come 53 ns apart, the first after 1053 ns. If the second is lost the third has
// to wait for it: both are there, in order, when the message is. A message of one cell at another time counts
// as much as each of them.
TEST(PcAalTransport, KnowsTheLatencyOfEachCellOfData) {
  EXPECT_NEAR(run({{0_us, 0, 1, 96}}, quick_poll()).latency_of_data, 1106e-9, 1e-15);
  const auto second = [](const Unit& unit, std::uint64_t n) { return unit.from == PortId{0} && n == 1; };
  EXPECT_NEAR(run({{0_us, 0, 1, 96}}, quick_poll(), second).latency_of_data, (1053 + 2 * 3265) * 1e-9 / 3,
              1e-15);
  EXPECT_NEAR(run({{0_us, 0, 1, 96}, {50_us, 1, 2, 8}}, quick_poll()).latency_of_data,
              (3 * 1106 + 1053) * 1e-9 / 4, 1e-15);
  EXPECT_EQ(run({}, quick_poll()).latency_of_data, 0);
}

// The only cell is lost: the POLL goes 100 us after it; POLL, STAT and the repetition take 1053 ns each.
TEST(PcAalTransport, MendsALostTailByPoll) {
  const Outcomes result = run({{0_us, 0, 1, 32}}, quick_poll(), [](const Unit& unit, std::uint64_t n) {
    return unit.from == PortId{0} && n == 0;
  });
  EXPECT_EQ(result.fates[0].delivered, 100_us + 3 * 1053_ns);
  EXPECT_EQ(result.counters.again_by_stat, 1U);
}

// Of three cells, 53 ns apart, the second comes again by USTAT: until then only the first's 32 B are there.
TEST(PcAalTransport, TellsHowMuchOfAStreamedMessageHasCome) {
  EventQueue events;
  LossyCells network(events, 2,
                     [](const Unit& unit, std::uint64_t n) { return unit.from == PortId{0} && n == 1; });
  PcAalParameters parameters = quick_poll();
  parameters.stream = true;
  PcAal transport(events, network, 2, parameters);
  Dispatch dispatch(events, transport);
  dispatch.streamed = true;
  const Fate fate = dispatch.run({{0_us, 0, 1, 96}})[0];
  EXPECT_EQ(dispatch.prefixes[0], (Prefixes{{1053_ns, 32}, {3265_ns, 64}}));
  EXPECT_EQ(fate.delivered, 3265_ns);
}

// Nothing comes through: the connection is released a second after its first cell.
TEST(PcAalTransport, ReturnsWhatItHasWhenThePeerDoesNotAnswer) {
  const Outcomes result = run(
      {{0_us, 0, 1, 100}, {1500_ms, 0, 1, 32}}, quick_poll(), [](const Unit&, std::uint64_t) { return true; },
      false);
  EXPECT_EQ(result.fates[0].returned, 1_s);
  EXPECT_EQ(result.fates[1].returned, 2500_ms);
  EXPECT_EQ(result.counters.given_up, 2U);
}

// Every second cell of host 0 is the SD, which never comes; POLL and STAT do. The n-th POLL goes after
// n * 100 us, and its STAT, 2.106 us later, has the SD sent again; the fourth repetition would be one too
// many.
TEST(PcAalTransport, CallsALoadUnstableWhenACellIsRepeatedTooOften) {
  PcAalParameters parameters = quick_poll();
  parameters.tries = 3;
  EventQueue events;
  LossyCells network(events, 2,
                     [](const Unit& unit, std::uint64_t n) { return unit.from == PortId{0} && n % 2 == 0; });
  PcAal transport(events, network, 2, parameters);
  Dispatch dispatch(events, transport);
  dispatch.expected_outcome = morgana::Outcome::unstable;
  EXPECT_EQ(dispatch.run({{0_us, 0, 1, 32}})[0].returned, 400_us + 2106_ns);
  EXPECT_EQ(transport.how_lost(),
            "unstable: a cell was sent again 3 times without success (transport.tries)");
}

// Any of the first ten cells of all kinds and both hosts, in the order in which they are handed over.
TEST(PcAalTransport, SurvivesEveryLossPatternOfTenCells) {
  for (std::uint32_t lost = 0; lost < 1U << 10; ++lost) {
    std::uint32_t cells = 0;
    const Outcomes result =
        run({{0_us, 0, 1, 80}, {1_us, 0, 1, 0}, {150_us, 0, 1, 40}}, quick_poll(),
            [&](const Unit&, std::uint64_t) { return cells < 10 && (lost >> cells++ & 1U); });
    EXPECT_EQ(result.counters.data, 3U + 1 + 2);
    if (HasFailure()) FAIL() << "lost: " << lost;
  }
}

// A message of ten cells, all sent before the first POLL; each subset of them is lost once. With alternate
// ones lost, the STAT takes two cells.
TEST(PcAalTransport, SurvivesEveryLossPatternOfTenDataCells) {
  for (std::uint32_t lost = 0; lost < 1U << 10; ++lost) {
    run({{0_us, 0, 1, 320}}, quick_poll(), [&](const Unit& unit, std::uint64_t n) {
      return unit.from == PortId{0} && n < 10 && (lost >> n & 1U);
    });
    if (HasFailure()) FAIL() << "lost: " << lost;
  }
}

TEST(PcAalTransport, SurvivesRandomLossUpToSixtyPercentAcrossTheWrap) {
  for (std::uint32_t percent = 0; percent <= 60; percent += 20) {
    for (const pcaal::Packing packing : {pcaal::Packing::single, pcaal::Packing::several}) {
      std::mt19937 random(percent);
      std::vector<Planned> plan;
      for (std::uint32_t i = 0; i < 60; ++i)
        plan.push_back(
            {(i * 7) * 1_us, i % 3, (i + 1 + i / 3 % 2) % 3, static_cast<std::int64_t>(random() % 700)});
      PcAalParameters parameters = quick_poll();
      parameters.packing = packing;
      parameters.first = 0U - 20;
      parameters.window = 64;
      parameters.no_response = 100'000_s;
      const Outcomes result =
          run(plan, parameters, [&](const Unit&, std::uint64_t) { return random() % 100 < percent; });
      if (percent == 0) {
        EXPECT_EQ(result.counters.again_by_stat + result.counters.again_by_ustat, 0U);
      }
      if (HasFailure()) FAIL() << "seed and percent: " << percent;
    }
  }
}

TEST(PcAalTransport, RefusesParametersThatMeanNothing) {
  const auto refused = [](auto change) {
    PcAalParameters parameters = quick_poll();
    change(parameters);
    EXPECT_THROW(run({}, parameters), Error);
  };
  refused([](PcAalParameters& p) { p.element = 36_B; });
  refused([](PcAalParameters& p) { p.element = 0_B; });
  refused([](PcAalParameters& p) { p.window = 1U << 31; });
  refused([](PcAalParameters& p) { p.no_response = p.poll; });
}

}  // namespace pcaal_transport
}  // namespace
}  // namespace morgana::testing
