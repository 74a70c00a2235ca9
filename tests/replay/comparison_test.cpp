#include "replay/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "replay/comparison_answer.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::HasSubstr;

/// One rank that communicates from `entered` to `end`.
RunStatistics run(SimTime entered, SimTime end) {
  RunStatistics statistics(1);
  Operation wait;
  wait.kind = OperationKind::wait;
  statistics.operation_ended(Rank{0}, wait, entered, end, {});
  return statistics;
}

Comparison two_platforms() {
  Comparison comparison{"./program", 3, {}};
  comparison.add(compared_run("slow", run(2_ms, 8_ms)));
  comparison.add(compared_run("fast", run(2_ms, 4_ms)));
  return comparison;
}

TEST(Comparison, RatiosAreToTheFirstRun) {
  const Comparison comparison = two_platforms();
  EXPECT_EQ(comparison.runs[0].ratio, 1.0);
  EXPECT_EQ(comparison.runs[1].ratio, 0.5);
}

TEST(Comparison, IsAnsweredByTheFastestPlatformAndItsLimit) {
  Comparison comparison = two_platforms();
  comparison.runs[1].limit = "links to hosts";
  expect_message(comparison_answer(comparison), {"fast: 4.000 ms", "slow: 8.000 ms", "2.00"});
  comparison.add(compared_run("other", run(3_ms, 4_ms)));
  EXPECT_TRUE(
      comparison_answer(comparison).starts_with("Fastest on fast and other alike: 4.000 ms. Slowest"));
  comparison.add(compared_run("none", run(0_ms, 0_ms)));
  expect_message(comparison_answer(comparison), {"none: 0 s", "slow: 8.000 ms"});
  comparison.runs.resize(1);
  EXPECT_EQ(comparison_answer(comparison), "");
  comparison.add(compared_run("as slow", run(0_ms, 8_ms)));
  expect_message(comparison_answer(comparison), "8.000 ms");
}

TEST(Comparison, ARunThatTakesNoTimeHasRatio1) {
  Comparison comparison{"./program", 1, {}};
  comparison.add(compared_run("first", run(0_ms, 0_ms)));
  comparison.add(compared_run("second", run(0_ms, 1_ms)));
  EXPECT_EQ(comparison.runs[1].ratio, 1.0);
}

TEST(Comparison, SplitsTheTotalByTheShareOfCommunication) {
  const Comparison comparison = two_platforms();
  EXPECT_EQ(comparison.runs[0].communication, 6_ms);
  EXPECT_EQ(comparison.runs[0].compute, 2_ms);
  EXPECT_EQ(comparison.runs[0].communication_share, 0.75);
}

TEST(Comparison, TheTableHasALineForEachPlatformInOrder) {
  EXPECT_EQ(comparison_table(two_platforms()),
            "platform     total   compute  communication   share  ratio\n"
            "slow      8.000 ms  2.000 ms       6.000 ms  75.0 %   1.00\n"
            "fast      4.000 ms  2.000 ms       2.000 ms  50.0 %  0.500\n");
}

TEST(Comparison, TheTableHasLatenciesWhereSomePlatformHasOne) {
  Comparison comparison = two_platforms();
  comparison.runs[1].mean_latency = 2e-6;
  EXPECT_THAT(
      comparison_table(comparison),
      testing::StartsWith("platform     total   compute  communication   share  ratio  mean latency\n"
                          "slow      8.000 ms  2.000 ms       6.000 ms  75.0 %   1.00             -\n"
                          "fast      4.000 ms  2.000 ms       2.000 ms  50.0 %  0.500      2.000 us\n"));
}

/// 2 ms of computing and 6 ms in a call; the second rank ends after 1 ms and 1 ms.
RunStatistics uneven_end() {
  RunStatistics statistics(2);
  Operation wait;
  wait.kind = OperationKind::wait;
  statistics.operation_ended(Rank{0}, wait, 2_ms, 8_ms, {});
  statistics.operation_ended(Rank{1}, wait, 1_ms, 2_ms, {});
  return statistics;
}

// By hand: (2 + 1) / 2 and (6 + 1) / 2; 8 - 5 remain.
TEST(Comparison, CountsNoComputingThatARankHasNotDone) {
  Comparison comparison{"./program", 1, {}};
  comparison.add(compared_run("one", uneven_end()));
  EXPECT_EQ(comparison.runs[0].compute, SimTime::from_ps(1'500'000'000));
  EXPECT_EQ(comparison.runs[0].communication, SimTime::from_ps(3'500'000'000));
  EXPECT_EQ(comparison.runs[0].communication_share, 0.7);
  comparison.add(compared_run("two", run(2_ms, 8_ms)));
  const StackedBars bars = comparison_bars(comparison);
  EXPECT_THAT(bars.parts, ElementsAre("compute", "communication", "ended before the last rank"));
  EXPECT_THAT(bars.seconds[0], ElementsAre(0.0015, 0.0035, testing::DoubleNear(0.003, 1e-12)));
  EXPECT_THAT(bars.seconds[1], ElementsAre(0.002, 0.006, testing::DoubleNear(0, 1e-12)));
}

TEST(Comparison, CautionsWherePlatformsDifferInHosts) {
  Comparison comparison = two_platforms();
  EXPECT_EQ(caution_about_hosts(comparison), "");
  comparison.runs[0].hosts = HostUse{2, 16, {}, {}};
  comparison.runs[1].hosts = HostUse{2, 32, {}, {}};
  EXPECT_EQ(caution_about_hosts(comparison), "");
  comparison.runs[1].hosts->hosts = 32;
  expect_message(caution_about_hosts(comparison), {"2 on slow", "32 on fast", "--ranks-per-host N"});
}

TEST(Comparison, CsvAndJsonHoldPicoseconds) {
  EXPECT_THAT(comparison_csv(two_platforms()),
              HasSubstr("\nfast,4000000000,2000000000,2000000000,0.5,0.5,0,0,0,0,,,trace,,,,,,,\n"));
  const auto json = nlohmann::json::parse(comparison_json(two_platforms()));
  EXPECT_EQ(json.at("seed"), 3);
  EXPECT_EQ(json.at("platforms").at(0).at("simulated_time_ps"), 8'000'000'000);
}

/// 3 ms of computing and 1 ms of network on the first; of the second nothing is known.
TEST(Comparison, SaysWhyEachPlatformTakesItsTime) {
  EXPECT_EQ(reasons_table(two_platforms()), "");
  Comparison comparison = two_platforms();
  PathTimes path;
  path[static_cast<std::size_t>(PathKind::computing)] = 3_ms;
  path[static_cast<std::size_t>(PathKind::wire)] = 1_ms;
  comparison.runs[0].path = path;
  comparison.runs[0].limit = "uplinks of the leaves limit: ...";
  EXPECT_EQ(reasons_table(comparison),
            "critical path  computing  network\n"
            "slow              75.0 %   25.0 %\n"
            "fast                   -        -\n"
            "limit on slow  uplinks of the leaves limit: ...\n");
  const auto json = nlohmann::json::parse(comparison_json(comparison)).at("platforms");
  EXPECT_EQ(json.at(0).at("critical_path").at("total_ps"), 4'000'000'000);
  EXPECT_EQ(json.at(0).at("critical_path").at("wire_ps"), 1'000'000'000);
  EXPECT_EQ(json.at(0).at("limit"), "uplinks of the leaves limit: ...");
  EXPECT_FALSE(json.at(1).contains("critical_path"));
  EXPECT_THAT(comparison_csv(comparison),
              HasSubstr(",trace,3000000000,0,0,1000000000,0,0,uplinks of the leaves limit: ...\n"));
}

TEST(Comparison, SaysHowWhatItComparesWasRecorded) {
  EXPECT_EQ(recording_lines(two_platforms()), "");
  Comparison comparison = two_platforms();
  comparison.add(compared_run("native", run(2_ms, 4_ms)));
  comparison.runs[0].recorded = comparison.runs[1].recorded = Recorded::by_processor_time;
  comparison.runs[2].recorded = Recorded::in_real_time;
  EXPECT_EQ(
      recording_lines(comparison),
      "recorded for slow, fast  by the CPU time that its ranks use, in an emulated run\n"
      "recorded for native  over the real MPI or PVM, where waiting for a processor counts as computing\n");
  EXPECT_THAT(comparison_csv(comparison), HasSubstr(",processor-time,,,,,,,\nnative,"));
  EXPECT_THAT(comparison_csv(comparison), HasSubstr(",real,,,,,,,\n"));
  EXPECT_EQ(nlohmann::json::parse(comparison_json(comparison)).at("platforms").at(0).at("recorded"),
            "processor-time");
}

TEST(Comparison, BarsPutCommunicationOnCompute) {
  const StackedBars bars = comparison_bars(two_platforms());
  EXPECT_THAT(bars.categories, ElementsAre("slow", "fast"));
  EXPECT_THAT(bars.parts, ElementsAre("compute", "communication"));
  EXPECT_THAT(bars.seconds[0], ElementsAre(0.002, 0.006));
  EXPECT_THAT(bars.notes, ElementsAre("x 1.00", "x 0.500"));
}

}  // namespace
}  // namespace morgana
