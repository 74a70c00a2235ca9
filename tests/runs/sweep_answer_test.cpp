#include "runs/sweep/sweep_answer.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "tests/support/messages.h"

namespace morgana {
namespace {

struct Answered {
  std::vector<std::string> over;
  std::optional<Scaling> scaling = std::nullopt;
};

/// Of points with these times in seconds by seed, the last axis changing first; none: it did not finish.
std::string answer_of_seeds(const Answered& study, const std::vector<std::vector<double>>& seconds) {
  SweepRequest request;
  request.command = {"./program"};
  request.platform = "loggp-example";
  request.scaling = study.scaling;
  for (const std::string& axis : study.over) request.axes.push_back(parse_axis(axis));
  const Sweep sweep(request);
  std::vector<PointSummary> points;
  for (const std::vector<double>& times : seconds) {
    points.push_back({sweep.points().at(points.size()).values, 1, 0, {}, {}});
    for (const double time : times) points.back().figures["total_ps"].add(time * 1e12);
  }
  return sweep_answer(sweep, points);
}

/// Of one seed; 0: it did not finish.
std::string answer_of(const Answered& study, std::initializer_list<double> seconds) {
  std::vector<std::vector<double>> times;
  for (const double time : seconds) {
    times.emplace_back();
    if (time > 0) times.back().push_back(time);
  }
  return answer_of_seeds(study, times);
}

// 12 s / 3 s = 4 of 8; 12 s / 4 s = 3 of 4, and 12 s / 7 s = 1.71 of 2.
TEST(SweepAnswer, IsWhatMoreRanksBring) {
  expect_message(answer_of({{"ranks=2,4,8,16"}}, {12, 7, 4, 3}), {"16 ranks", "4.00", "50.0 %"});
  expect_message(answer_of({{"ranks=2,4,8,16"}}, {12, 7, 4, 6}),
                 {"16 ranks", "2.00", "25.0 %", "8 ranks", "3.00", "50 %"});
}

TEST(SweepAnswer, SaysWhereMoreRanksAreSlower) {
  expect_message(answer_of({{"ranks=2,4"}}, {10, 25}), {"4 ranks", "2.50", "20.0 %"});
}

TEST(SweepAnswer, CountsTheWorkOfWeakScaling) {
  expect_message(answer_of({{"ranks=2,8"}, Scaling::weak}, {10, 16}),
                 {"8 ranks", "2.50", "2 ranks", "62.5 %"});
}

TEST(SweepAnswer, IsOfTheFirstValuesOfOtherAxes) {
  expect_message(answer_of({{"ranks=2,4", "network.latency=1 us,2 us"}}, {8, 100, 4, 100}),
                 {"network.latency", "1 us", "4 ranks", "2.00", "100.0 %"});
}

TEST(SweepAnswer, IsTheBestValueOfAKeyElse) {
  expect_message(answer_of({{"network.latency=1 us,2 us,4 us"}}, {2, 1, 3}),
                 {"network.latency", "2 us", "1.000 s", "4 us", "3.000 s"});
  expect_message(answer_of({{"network.latency=1 us,2 us"}}, {2, 2}), "2.000 s");
}

// 2.008 s / 2 s; a factor of 1.00 would say nothing.
TEST(SweepAnswer, SaysByHowManyPercentPointsDifferThatAreAlmostAlike) {
  expect_message(answer_of({{"network.latency=1 us,2 us"}}, {2, 2.008}),
                 {"network.latency", "1 us", "2.000 s", "2 us", "2.008 s", "0.4 %"});
  expect_message(answer_of({{"network.latency=1 us,2 us"}}, {3, 3.001}),
                 {"network.latency", "1 us", "3.000 s", "2 us", "3.001 s", "0.1 %"});
}

TEST(SweepAnswer, NamesAllPointsThatAreFastest) {
  expect_message(answer_of({{"network.latency=1 us,2 us,4 us"}}, {2, 2, 3}),
                 {"network.latency", "1 us", "2 us", "2.000 s", "4 us", "3.000 s", "1.50"});
  expect_message(answer_of({{"network.latency=1 us,2 us,4 us"}}, {2.00001, 2, 3}),
                 {"network.latency", "1 us", "2 us", "2.000 s", "4 us", "3.000 s", "1.50"});
  expect_message(answer_of({{"network.latency=1 us,2 us,4 us"}}, {2.01, 2, 3}),
                 {"network.latency", "2 us", "2.000 s", "4 us", "3.000 s", "1.50"});
  expect_message(
      answer_of({{"network.latency=1 us,2 us", "network.bandwidth=1 Gb/s,2 Gb/s"}}, {1, 3, 1, 3}),
      {"network.latency", "1 us", "network.bandwidth", "1 Gb/s", "2 us", "1.000 s", "2 Gb/s", "3.000 s"});
  expect_message(answer_of({{"network.latency=1 us,2 us,3 us,4 us,5 us,6 us"}}, {1, 1, 1, 1, 1, 2}),
                 {"network.latency", "1 us", "2 us", "3 us", "1.000 s", "6 us", "2.000 s"});
}

// Two seeds 0.2 s apart: an interval of 90 % is 6.31 * 0.1 s = 0.63 s to either side.
TEST(SweepAnswer, GivesEveryTimeNextToItsPointWhereIntervalsOverlap) {
  expect_message(answer_of_seeds({{"network.latency=1 us,2 us,4 us"}}, {{2.1, 2.3}, {1.9, 2.1}, {8.9, 9.1}}),
                 {"network.latency", "2 us", "2.000 s", "4 us", "9.000 s", "4.50", "1 us", "2.200 s"});
  expect_message(answer_of_seeds({{"network.latency=1 us,2 us"}}, {{2.1, 2.3}, {1.9, 2.1}}),
                 {"network.latency", "2 us", "2.000 s", "1 us", "2.200 s", "1.10"});
  expect_message(answer_of_seeds({{"network.latency=1 us,2 us"}}, {{2.1, 2.3}, {4.9, 5.1}}),
                 {"network.latency", "1 us", "2.200 s", "2 us", "5.000 s", "2.27"});
}

// The slowest point's interval reaches below the fastest one's: 6.31 * 0.111 s = 0.70 s of 1.43 s.
TEST(SweepAnswer, NamesTheSlowestPointEvenIfItCannotBeToldFromTheFastest) {
  expect_message(answer_of_seeds({{"network.latency=1 us,2 us,3 us"}},
                                 {{0.8436, 0.8436}, {0.9761, 0.9903}, {1.541, 1.319}}),
                 {"network.latency", "1 us", "843.6 ms", "3 us", "1.430 s", "1.70", "2 us", "983.2 ms"});
}

// 12 s / 3 s with 8 ranks; 16 ranks take 3.1 s, and their interval is 0.63 s to either side.
TEST(SweepAnswer, NamesNumbersOfRanksThatCannotBeToldFromTheBest) {
  expect_message(answer_of_seeds({{"ranks=2,4,8,16"}}, {{11.9, 12.1}, {6.9, 7.1}, {2.9, 3.1}, {3.0, 3.2}}),
                 {"16 ranks", "3.87", "48.4 %", "8 ranks", "4.00", "50 %"});
  expect_message(answer_of_seeds({{"ranks=2,4"}}, {{1.9, 2.1}, {1.8, 2.0}}),
                 {"4 ranks", "1.05", "52.6 %", "2 ranks", "1.00"});
  expect_message(answer_of({{"ranks=2,4,8"}}, {4, 2, 2}), {"8 ranks", "2.00", "50.0 %"});
}

TEST(SweepAnswer, HasNoRatioToNoTime) {
  expect_message(answer_of_seeds({{"network.latency=1 us,2 us"}}, {{0}, {3}}),
                 {"network.latency", "1 us", "2 us", "3.000 s"});
}

TEST(SweepAnswer, LeavesOutWhatDidNotEnd) {
  expect_message(answer_of({{"network.latency=1 us,2 us,4 us"}}, {2, 0, 3}),
                 {"network.latency", "1 us", "2.000 s", "4 us", "3.000 s", "1.50"});
  EXPECT_EQ(answer_of({{"network.latency=1 us,2 us"}}, {2, 0}), "");
}

}  // namespace
}  // namespace morgana
