#include "emulator/transport/ece/ece.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "emulator/core/error.h"
#include "tests/transport/assured/category_cells.h"
#include "tests/transport/harness.h"

namespace morgana::testing {
namespace {
namespace ece_transport {
using namespace literals;
using ece::LatencyEngine;
using ece::Path;

/// Short timers: monitoring, each time by a POLL, every 100 us; a cell takes 53 ns and the way 1 us. Cells of
/// four elements of 8 B.
EceParameters quick(LatencyEngine engine = LatencyEngine::switching) {
  EceParameters parameters;
  parameters.engine = engine;
  parameters.monitoring = 100_us;
  parameters.missing = 50_us;
  parameters.upper = 20_us;
  parameters.lower = 10_us;
  parameters.no_response = 1_s;
  return parameters;
}

struct Bench {
  explicit Bench(const EceParameters& parameters)
      : network(events, 3), transport(events, network, 3, parameters), dispatch(events, transport) {}
  EventQueue events;
  CategoryCells network;
  Ece transport;
  Dispatch dispatch;

  const std::vector<Fate>& send(const std::vector<Planned>& plan) {
    const std::vector<Fate>& fates = dispatch.run(plan);
    dispatch.expect_all_delivered();
    return fates;
  }
  /// UBR's cells that leave before then take so long.
  void slow_until(SimTime end, SimTime latency) {
    network.latency = [end, latency](ServiceCategory category, SimTime now) {
      return category == ServiceCategory::ubr && now < end ? latency : CategoryCells::usual_latency;
    };
  }
  std::uint64_t data_over(Path path) const { return transport.counters().of(path).data; }
};

// 100 B are 32, 32, 32 and 4: four cells of 53 ns, and 1 us of way. The POLL after 100 us brings the
// acknowledgement.
TEST(EceTransport, SendsOverUbrWhileLatencyIsLow) {
  Bench bench(quick());
  const Fate fate = bench.send({{0_us, 0, 1, 100}})[0];
  EXPECT_EQ(fate.departed, 212_ns);
  EXPECT_EQ(fate.delivered, 1212_ns);
  EXPECT_EQ(bench.network.cells_of(ServiceCategory::ubr), 4U + 1);
  EXPECT_EQ(bench.network.cells_of(ServiceCategory::vbr), 1U);
  EXPECT_EQ(bench.network.cells_of(ServiceCategory::abr), 0U);
  EXPECT_EQ(bench.network.cells_of(ServiceCategory::cbr), 0U);
}

// The first cell takes 30.053 us, more than T_M. Its LSTAT, 1.053 us later, changes the mode: the second
// message, sent at 40 us, goes over ABR and comes 1.053 us later.
TEST(EceTransport, GoesToAbrWhenACellHasTakenTooLong) {
  Bench bench(quick());
  bench.slow_until(50_us, 30_us);
  const auto& fates = bench.send({{0_us, 0, 1, 32}, {40_us, 0, 1, 32}});
  EXPECT_EQ(fates[0].delivered, 30'053_ns);
  EXPECT_EQ(fates[1].delivered, 40_us + 1053_ns);
  EXPECT_EQ(bench.data_over(Path::ordinary), 1U);
  EXPECT_EQ(bench.data_over(Path::backup), 1U);
  // The second one is of the monitoring cell of 100 us, which is fast.
  EXPECT_EQ(bench.transport.counters().lstats, 2U);
}

// As before, but the message at 31 us finds the LSTAT still under way: the old mode is the sender's until
// 31.106 us.
TEST(EceTransport, ChangesWhenTheReceiverHasTold) {
  Bench bench(quick());
  bench.slow_until(1_us, 30_us);
  bench.send({{0_us, 0, 1, 32}, {31_us, 0, 1, 32}});
  EXPECT_EQ(bench.data_over(Path::ordinary), 2U);
}

// In the high mode the monitoring cell at 100 us takes the UBR connection and comes after 1.053 us, less than
// T_m: another LSTAT, and the message at 110 us takes UBR again. The POLL of the same time took ABR.
TEST(EceTransport, ComesBackWhenAMonitoringCellIsFast) {
  Bench bench(quick());
  bench.slow_until(50_us, 30_us);
  bench.send({{0_us, 0, 1, 32}, {40_us, 0, 1, 32}, {110_us, 0, 1, 32}});
  const EceCounters counters = bench.transport.counters();
  EXPECT_EQ(counters.of(Path::ordinary).data, 2U);
  EXPECT_EQ(counters.of(Path::backup).data, 1U);
  EXPECT_EQ(counters.changes, 2U);
  EXPECT_EQ(counters.lstats, 2U);
  // The POLLs at 100 and, over UBR again, at 200 us.
  EXPECT_EQ(counters.of(Path::backup).cells, 1U + 1);
  EXPECT_EQ(counters.of(Path::ordinary).cells, 2U + 1 + 1);
  EXPECT_EQ(counters.stats, 2U);
}

// Each third monitoring is a POLL: at 300 us.
TEST(EceTransport, PollsWithEachNthMonitoring) {
  EceParameters parameters = quick();
  parameters.polls = 3;
  Bench bench(parameters);
  bench.send({{0_us, 0, 1, 32}});
  EXPECT_EQ(bench.network.cells_of(ServiceCategory::ubr), 1U + 3);
  EXPECT_EQ(bench.transport.counters().polls, 1U);
  EXPECT_EQ(bench.events.now(), 300_us + 2 * 1053_ns);
}

// The monitoring cell of 100 us, the second cell of all, is lost. It is missing at 150 us; the LSTAT is
// there at 151.053 us, and of two messages around that time the second goes over ABR.
TEST(EceTransport, TakesAMissingMonitoringCellForHighLatency) {
  Bench bench(quick());
  bench.network.lost = [](ServiceCategory, std::uint64_t n) { return n == 1; };
  bench.send({{0_us, 0, 1, 32}, {151_us, 0, 1, 32}, {152_us, 0, 1, 32}});
  const EceCounters counters = bench.transport.counters();
  EXPECT_EQ(counters.missing, 1U);
  EXPECT_EQ(counters.of(Path::ordinary).data, 2U);
  EXPECT_EQ(counters.of(Path::backup).data, 1U);
}

// The POLL of 100 us takes 30.053 us: one LSTAT answers it, and no STAT.
TEST(EceTransport, AnswersAPollThatCameLateByLstatAlone) {
  Bench bench(quick());
  bench.network.latency = [](ServiceCategory category, SimTime now) {
    return category == ServiceCategory::ubr && now > 50_us && now < 150_us ? 30_us
                                                                           : CategoryCells::usual_latency;
  };
  bench.send({{0_us, 0, 1, 32}});
  EXPECT_EQ(bench.transport.counters().lstats, 1U);
  EXPECT_EQ(bench.transport.counters().stats, 0U);
  EXPECT_EQ(bench.events.now(), 100_us + 30'053_ns + 1053_ns);
}

// Of three cells 53 ns apart, all of which take 30 us, the second is lost: the third's USTAT goes before its
// LSTAT does, so the repetition still takes UBR. (The first's LSTAT has come 106 ns before.)
TEST(EceTransport, RepeatsOverTheConnectionOfTheMode) {
  Bench bench(quick());
  bench.slow_until(10_us, 30_us);
  bench.network.lost = [](ServiceCategory, std::uint64_t n) { return n == 1; };
  const Fate fate = bench.send({{0_us, 0, 1, 96}})[0];
  EXPECT_EQ(fate.delivered, 30_us + 159_ns + 1053_ns + 1053_ns);
  EXPECT_EQ(bench.data_over(Path::backup), 1U);
  EXPECT_EQ(bench.transport.counters().again_by_ustat, 1U);
}

// Four cells at 0, and two each at 10 and 20 us, all of which take 30 us over UBR. The first one's LSTAT has
// T_o = 0 and is there at 31.106 us: all eight go again over ABR, 53 ns each, though the LSTAT tells that the
// first has come. The message of 20 us is there before its copy over UBR would have been, at 50.106 us.
TEST(EceTransport, SendsAgainOverAbrWhatWentSinceTheCellThatWasLateWhereItDuplicates) {
  Bench bench(quick(LatencyEngine::duplicating));
  bench.slow_until(50_us, 30_us);
  const auto& fates = bench.send({{0_us, 0, 1, 128}, {10_us, 0, 1, 64}, {20_us, 0, 1, 64}});
  EXPECT_EQ(bench.transport.counters().late, 8U);
  EXPECT_EQ(bench.data_over(Path::ordinary), 8U);
  EXPECT_EQ(bench.data_over(Path::backup), 8U);
  EXPECT_LT(*fates[2].delivered, 33_us);
  EXPECT_EQ(bench.transport.counters().duplicates, 8U);
}

// The same where the second message's cell is the one that takes longer than T_M: T_o is 10 us, so the first
// message's cells don't go again.
TEST(EceTransport, SendsAgainNothingThatWentBeforeThat) {
  Bench bench(quick(LatencyEngine::duplicating));
  bench.network.latency = [](ServiceCategory category, SimTime now) {
    return category == ServiceCategory::ubr && now > 5_us && now < 50_us ? 30_us
                                                                         : CategoryCells::usual_latency;
  };
  bench.send({{0_us, 0, 1, 128}, {10_us, 0, 1, 64}, {20_us, 0, 1, 64}});
  EXPECT_EQ(bench.transport.counters().late, 4U);
}

// In the high mode each SD goes twice, and a lost copy asks for nothing: no USTAT, no repetition.
TEST(EceTransport, SendsEachCellTwiceInTheHighModeWhereItDuplicates) {
  Bench bench(quick(LatencyEngine::duplicating));
  bench.slow_until(90_us, 30_us);
  // Cells 0: SD, 1: LSTAT, 2: the SD of T_o again; then pairs: 3 UBR, 4 ABR, 5 UBR ...
  bench.network.lost = [](ServiceCategory, std::uint64_t n) { return n == 3 || n == 6; };
  bench.send({{0_us, 0, 1, 32}, {40_us, 0, 1, 96}});
  const EceCounters counters = bench.transport.counters();
  EXPECT_EQ(counters.of(Path::ordinary).data, 1U + 3);
  EXPECT_EQ(counters.of(Path::backup).data, 1U + 3);
  EXPECT_EQ(counters.ustats, 0U);
  EXPECT_EQ(counters.again_by_stat + counters.again_by_ustat, 0U);
}

// Copies wait at ABR's source, 10 us apart; those over UBR don't wait for them.
TEST(EceTransport, DoesNotHoldUpUbrByTheCopiesOverAbr) {
  Bench bench(quick(LatencyEngine::duplicating));
  bench.slow_until(35_us, 30_us);
  bench.network.abr_pitch = 10_us;
  const auto& fates = bench.send({{0_us, 0, 1, 32}, {40_us, 0, 1, 320}});
  EXPECT_EQ(fates[1].delivered, 40_us + 10 * 53_ns + 1_us);
}

// Two cells wait at ABR's source for a long time when the mode becomes low: what follows takes UBR at once,
// and as it shows a gap what waits is sent again there. The message has come, and is told to have left,
// before its first cells have left.
TEST(EceTransport, DoesNotWaitForAbrWhenTheModeIsLowAgain) {
  Bench bench(quick());
  bench.slow_until(50_us, 30_us);
  bench.network.abr_pitch = 1_s;
  const auto& fates =
      bench.send({{0_us, 0, 1, 32}, {40_us, 0, 1, 32}, {41_us, 0, 1, 32}, {120_us, 0, 1, 32}});
  EXPECT_LT(*fates[2].delivered, 124_us);
  EXPECT_LT(*fates[3].delivered, 124_us);
}

// The LSTAT, the second cell of all, is lost. The STAT of the POLL at 100 us tells the receiver's mode.
TEST(EceTransport, LearnsTheModeFromAStatWhereAnLstatIsLost) {
  Bench bench(quick());
  bench.slow_until(150_us, 30_us);
  bench.network.lost = [](ServiceCategory, std::uint64_t n) { return n == 1; };
  bench.send({{0_us, 0, 1, 32}, {60_us, 0, 1, 32}, {140_us, 0, 1, 32}});
  EXPECT_EQ(bench.data_over(Path::ordinary), 2U);
  EXPECT_EQ(bench.data_over(Path::backup), 1U);
  // The lost one, and that of the monitoring cell of 200 us, which is fast.
  EXPECT_EQ(bench.transport.counters().lstats, 2U);
}

// The sender's clock loses 1 ms a second and the receiver's, of the third host, gains as much: T_M of 20 us
// is passed when they are 19 us apart, after some 9.5 ms. Told the time each millisecond, they are never more
// than 2 us and roundings apart.
TEST(EceTransport, MeasuresWithDriftingClocksUntilTheyAreResynchronised) {
  EceParameters parameters = quick();
  parameters.drift = 1_ms;
  const std::vector<Planned> plan{{0_us, 0, 2, 32}, {9_ms, 0, 2, 32}, {11_ms, 0, 2, 32}, {12_ms, 0, 2, 32}};
  Bench alone(parameters);
  alone.send(plan);
  EXPECT_EQ(alone.transport.counters().changes, 1U);
  EXPECT_EQ(alone.data_over(Path::ordinary), 2U);
  EXPECT_EQ(alone.network.cells_of(ServiceCategory::cbr), 0U);
  parameters.resynchronisation = 1_ms;
  Bench told(parameters);
  told.send(plan);
  EXPECT_EQ(told.transport.counters().changes, 0U);
  EXPECT_EQ(told.data_over(Path::ordinary), 4U);
  EXPECT_EQ(told.network.cells_of(ServiceCategory::cbr), 12U);
}

// Nothing comes through: the connections are released a second after the first cell.
TEST(EceTransport, ReturnsWhatItHasWhenThePeerDoesNotAnswer) {
  for (const LatencyEngine engine : {LatencyEngine::switching, LatencyEngine::duplicating}) {
    Bench bench(quick(engine));
    bench.network.lost = [](ServiceCategory, std::uint64_t) { return true; };
    const auto& fates = bench.dispatch.run({{0_us, 0, 1, 100}, {1500_ms, 0, 1, 32}});
    EXPECT_EQ(fates[0].returned, 1_s);
    EXPECT_EQ(fates[1].returned, 2500_ms);
    EXPECT_EQ(bench.transport.counters().given_up, 2U);
  }
}

TEST(EceTransport, CallsALoadUnstableWhenACellIsRepeatedTooOften) {
  EceParameters parameters = quick();
  parameters.tries = 3;
  Bench bench(parameters);
  bool first = true;
  // No SD comes, but POLLs do: SDs alone go at 0 and with a STAT.
  bench.network.lost = [&](ServiceCategory category, std::uint64_t) {
    const bool monitors = bench.events.now().ps() % (100_us).ps() == 0 && !first;
    first = false;
    return category == ServiceCategory::abr || (category == ServiceCategory::ubr && !monitors);
  };
  bench.dispatch.expected_outcome = Outcome::unstable;
  EXPECT_TRUE(bench.dispatch.run({{0_us, 0, 1, 32}})[0].returned);
  EXPECT_EQ(bench.transport.how_lost(),
            "unstable: a cell was sent again 3 times without success (transport.tries)");
}

// Both engines; the latency of UBR is high or low in each of five periods of 40 us; and of nine cells in a
// row, of whatever kind, from the 1st, 10th, 19th or 28th of all on, each subset is lost.
TEST(EceTransport, SurvivesEveryScheduleOfModesAndLosses) {
  std::uint64_t changes = 0, late = 0, by_stat = 0, by_ustat = 0, missing = 0;
  const auto survives = [&](LatencyEngine engine, std::uint32_t high, std::uint64_t begin,
                            std::uint32_t lost) {
    EceParameters parameters = quick(engine);
    parameters.monitoring = 20_us;
    parameters.missing = 10_us;
    parameters.upper = 5_us;
    parameters.lower = 4_us;
    Bench bench(parameters);
    bench.network.abr_pitch = 2_us;
    bench.network.latency = [&](ServiceCategory category, SimTime now) {
      const bool is_high = now < 200_us && (high >> now / 40_us & 1U) != 0;
      return category == ServiceCategory::ubr && is_high ? 15_us : CategoryCells::usual_latency;
    };
    bench.network.lost = [&](ServiceCategory, std::uint64_t n) {
      return n >= begin && n < begin + 9 && (lost >> (n - begin) & 1U) != 0;
    };
    bench.send({{0_us, 0, 1, 80},
                {18_us, 0, 1, 0},
                {19_us, 0, 1, 64},
                {60_us, 0, 1, 32},
                {101_us, 0, 1, 64},
                {145_us, 0, 1, 96}});
    const EceCounters counters = bench.transport.counters();
    EXPECT_EQ(counters.data, 3U + 1 + 2 + 1 + 2 + 3);
    changes += counters.changes;
    late += counters.late;
    by_stat += counters.again_by_stat;
    by_ustat += counters.again_by_ustat;
    missing += counters.missing;
  };
  for (const LatencyEngine engine : {LatencyEngine::switching, LatencyEngine::duplicating})
    for (std::uint32_t high = 0; high < 1U << 5; ++high)
      for (std::uint64_t begin = 0; begin < 36; begin += 9)
        for (std::uint32_t lost = 0; lost < 1U << 9; ++lost) {
          survives(engine, high, begin, lost);
          if (HasFailure())
            FAIL() << "engine " << static_cast<int>(engine) << ", high " << high << ", lost " << lost
                   << " from cell " << begin;
        }
  // Each kind of event took place often.
  EXPECT_GT(changes, 10'000U);
  EXPECT_GT(late, 1'000U);
  EXPECT_GT(by_stat, 10'000U);
  EXPECT_GT(by_ustat, 1'000U);
  EXPECT_GT(missing, 1'000U);
}

TEST(EceTransport, SurvivesRandomLossUpToSixtyPercentAcrossTheWrap) {
  std::uint64_t changes = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    std::mt19937 generator(seed);
    const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
    const std::uint32_t percent = random() % 61;
    std::vector<Planned> plan;
    for (std::uint32_t i = 0; i < 40; ++i)
      plan.push_back(
          {(i * 7) * 1_us, i % 3, (i + 1 + i / 3 % 2) % 3, static_cast<std::int64_t>(random() % 500)});
    EceParameters parameters = quick(random() % 2 ? LatencyEngine::switching : LatencyEngine::duplicating);
    parameters.monitoring = 30_us;
    parameters.missing = SimTime::from_ps(1'000'000 + random() % 60'000'000);
    parameters.polls = 1 + random() % 3;
    parameters.first = 0U - 20;
    parameters.window = random() % 2 ? 4 : 64;
    parameters.no_response = 100'000_s;
    parameters.drift = random() % 2 ? 0_us : 900_us;
    parameters.resynchronisation = random() % 2 ? 0_us : 200_us;
    Bench bench(parameters);
    bench.network.abr_pitch = SimTime::from_ps(random() % 9'000'000);
    bench.network.latency = [&](ServiceCategory category, SimTime) {
      const std::uint32_t most = category == ServiceCategory::ubr ? 40 : 3;
      return SimTime::from_ps(1'000'000 + random() % (most * 1'000'000));
    };
    bench.network.lost = [&](ServiceCategory, std::uint64_t) { return random() % 100 < percent; };
    bench.send(plan);
    changes += bench.transport.counters().changes;
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(changes, 1000U);
}

TEST(EceTransport, RefusesParametersThatMeanNothing) {
  const auto refused = [](auto change) {
    EceParameters parameters = quick();
    change(parameters);
    EXPECT_THROW(Bench{parameters}, Error);
  };
  refused([](EceParameters& p) { p.element = 33_B; });
  refused([](EceParameters& p) { p.element = 0_B; });
  refused([](EceParameters& p) { p.window = 1U << 31; });
  refused([](EceParameters& p) { p.no_response = p.monitoring; });
  refused([](EceParameters& p) { p.polls = 0; });
  refused([](EceParameters& p) { p.lower = p.upper; });
  refused([](EceParameters& p) { p.monitoring = 9_us; });
  refused([](EceParameters& p) { p.missing = 0_us; });
  refused([](EceParameters& p) { p.drift = 2_ms; });
  refused([](EceParameters& p) { p.resynchronisation = 1_us; });
  refused([](EceParameters& p) { p.polls = 1001; });
}

}  // namespace ece_transport
}  // namespace
}  // namespace morgana::testing
