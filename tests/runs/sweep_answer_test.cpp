#include "runs/sweep/sweep_answer.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

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
  EXPECT_EQ(answer_of({{"ranks=2,4,8,16"}}, {12, 7, 4, 3}),
            "16 ranks are 4.00 times as fast as 2, of an ideal 8: efficiency 50.0 % (strong scaling).");
  EXPECT_EQ(
      answer_of({{"ranks=2,4,8,16"}}, {12, 7, 4, 6}),
      "16 ranks are 2.00 times as fast as 2, of an ideal 8: efficiency 25.0 % (strong scaling). Most is "
      "reached with 8 ranks: 3.00 times. Up to 8 ranks the efficiency is at least 50 %.");
}

TEST(SweepAnswer, SaysWhereMoreRanksAreSlower) {
  EXPECT_EQ(answer_of({{"ranks=2,4"}}, {10, 25}),
            "4 ranks take 2.50 times as long as 2: efficiency 20.0 % (strong scaling). No number of ranks "
            "gains on 2.");
}

TEST(SweepAnswer, CountsTheWorkOfWeakScaling) {
  EXPECT_EQ(answer_of({{"ranks=2,8"}, Scaling::weak}, {10, 16}),
            "8 ranks do 2.50 times the work of 2 ranks per time, of an ideal 4: efficiency 62.5 % (weak "
            "scaling).");
}

TEST(SweepAnswer, IsOfTheFirstValuesOfOtherAxes) {
  EXPECT_EQ(answer_of({{"ranks=2,4", "network.latency=1 us,2 us"}}, {8, 100, 4, 100}),
            "With network.latency 1 us: 4 ranks are 2.00 times as fast as 2, of an ideal 2: efficiency 100.0 "
            "% (strong scaling).");
}

TEST(SweepAnswer, IsTheBestValueOfAKeyElse) {
  EXPECT_EQ(answer_of({{"network.latency=1 us,2 us,4 us"}}, {2, 1, 3}),
            "Fastest with network.latency 2 us: 1.000 s. Slowest with 4 us: 3.000 s, 3.00 times as long.");
  EXPECT_EQ(answer_of({{"network.latency=1 us,2 us"}}, {2, 2}), "All points take the same time: 2.000 s.");
}

// 2.008 s / 2 s; a factor of 1.00 would say nothing.
TEST(SweepAnswer, SaysByHowManyPercentPointsDifferThatAreAlmostAlike) {
  EXPECT_EQ(answer_of({{"network.latency=1 us,2 us"}}, {2, 2.008}),
            "Fastest with network.latency 1 us: 2.000 s. Slowest with 2 us: 2.008 s, 0.4 % longer.");
  EXPECT_EQ(
      answer_of({{"network.latency=1 us,2 us"}}, {3, 3.001}),
      "Fastest with network.latency 1 us: 3.000 s. Slowest with 2 us: 3.001 s, less than 0.1 % longer.");
}

TEST(SweepAnswer, NamesAllPointsThatAreFastest) {
  EXPECT_EQ(
      answer_of({{"network.latency=1 us,2 us,4 us"}}, {2, 2, 3}),
      "Fastest with network.latency 1 us and 2 us alike: 2.000 s. Slowest with 4 us: 3.000 s, 1.50 times "
      "as long.");
  EXPECT_EQ(
      answer_of({{"network.latency=1 us,2 us,4 us"}}, {2.00001, 2, 3}),
      "Fastest with network.latency 1 us and 2 us alike: 2.000 s. Slowest with 4 us: 3.000 s, 1.50 times "
      "as long.")
      << "equal as far as it is shown";
  EXPECT_EQ(answer_of({{"network.latency=1 us,2 us,4 us"}}, {2.01, 2, 3}),
            "Fastest with network.latency 2 us: 2.000 s. Slowest with 4 us: 3.000 s, 1.50 times as long.");
  EXPECT_EQ(answer_of({{"network.latency=1 us,2 us", "network.bandwidth=1 Gb/s,2 Gb/s"}}, {1, 3, 1, 3}),
            "Fastest with network.latency 1 us, network.bandwidth 1 Gb/s and network.latency 2 us, "
            "network.bandwidth 1 Gb/s alike: 1.000 s. Slowest with network.latency 1 us, network.bandwidth 2 "
            "Gb/s and network.latency 2 us, network.bandwidth 2 Gb/s alike: 3.000 s, 3.00 times as long.");
  EXPECT_EQ(
      answer_of({{"network.latency=1 us,2 us,3 us,4 us,5 us,6 us"}}, {1, 1, 1, 1, 1, 2}),
      "Fastest with network.latency 1 us, 2 us, 3 us and 2 more alike: 1.000 s. Slowest with 6 us: 2.000 "
      "s, 2.00 times as long.");
}

// Two seeds 0.2 s apart: an interval of 90 % is 6.31 * 0.1 s = 0.63 s to either side.
TEST(SweepAnswer, GivesEveryTimeNextToItsPointWhereIntervalsOverlap) {
  EXPECT_EQ(answer_of_seeds({{"network.latency=1 us,2 us,4 us"}}, {{2.1, 2.3}, {1.9, 2.1}, {8.9, 9.1}}),
            "Fastest with network.latency 2 us: 2.000 s. Slowest with 4 us: 9.000 s, 4.50 times as long. "
            "Confidence intervals overlap: 1 us (2.200 s) cannot be told from 2 us; more seeds may tell them "
            "apart.");
  EXPECT_EQ(answer_of_seeds({{"network.latency=1 us,2 us"}}, {{2.1, 2.3}, {1.9, 2.1}}),
            "Fastest with network.latency 2 us: 2.000 s. Slowest with 1 us: 2.200 s, 1.10 times as long. "
            "Confidence "
            "intervals overlap: 1 us cannot be told from 2 us; more seeds may tell them apart.");
  EXPECT_EQ(answer_of_seeds({{"network.latency=1 us,2 us"}}, {{2.1, 2.3}, {4.9, 5.1}}),
            "Fastest with network.latency 1 us: 2.200 s. Slowest with 2 us: 5.000 s, 2.27 times as long.");
}

// The slowest point's interval reaches below the fastest one's: 6.31 * 0.111 s = 0.70 s of 1.43 s.
TEST(SweepAnswer, NamesTheSlowestPointEvenIfItCannotBeToldFromTheFastest) {
  EXPECT_EQ(
      answer_of_seeds({{"network.latency=1 us,2 us,3 us"}},
                      {{0.8436, 0.8436}, {0.9761, 0.9903}, {1.541, 1.319}}),
      "Fastest with network.latency 1 us: 843.6 ms. Slowest with 3 us: 1.430 s, 1.70 times as long. "
      "Confidence intervals overlap: 3 us cannot be told from 1 us, 2 us (983.2 ms) not from 3 us; more "
      "seeds may tell them apart.");
}

// 12 s / 3 s with 8 ranks; 16 ranks take 3.1 s, and their interval is 0.63 s to either side.
TEST(SweepAnswer, NamesNumbersOfRanksThatCannotBeToldFromTheBest) {
  EXPECT_EQ(
      answer_of_seeds({{"ranks=2,4,8,16"}}, {{11.9, 12.1}, {6.9, 7.1}, {2.9, 3.1}, {3.0, 3.2}}),
      "16 ranks are 3.87 times as fast as 2, of an ideal 8: efficiency 48.4 % (strong scaling). Most is "
      "reached with 8 ranks: 4.00 times. Confidence intervals overlap: 16 ranks (3.87 times) cannot be told "
      "from 8; more seeds may tell them apart. Up to 8 ranks the efficiency is at least 50 %.");
  EXPECT_EQ(
      answer_of_seeds({{"ranks=2,4"}}, {{1.9, 2.1}, {1.8, 2.0}}),
      "4 ranks are 1.05 times as fast as 2, of an ideal 2: efficiency 52.6 % (strong scaling). No number of "
      "ranks is certain to gain on 2. Confidence intervals overlap: 2 ranks (1.00 times) cannot be told from "
      "4; more seeds may tell them apart.");
  EXPECT_EQ(answer_of({{"ranks=2,4,8"}}, {4, 2, 2}),
            "8 ranks are 2.00 times as fast as 2, of an ideal 4: efficiency 50.0 % (strong scaling). Most is "
            "reached with 4 and 8 ranks alike: 2.00 times.");
}

TEST(SweepAnswer, HasNoRatioToNoTime) {
  EXPECT_EQ(answer_of_seeds({{"network.latency=1 us,2 us"}}, {{0}, {3}}),
            "Fastest with network.latency 1 us: 0 s. Slowest with 2 us: 3.000 s.");
}

TEST(SweepAnswer, LeavesOutWhatDidNotEnd) {
  EXPECT_EQ(answer_of({{"network.latency=1 us,2 us,4 us"}}, {2, 0, 3}),
            "Fastest with network.latency 1 us: 2.000 s. Slowest with 4 us: 3.000 s, 1.50 times as long.");
  EXPECT_EQ(answer_of({{"network.latency=1 us,2 us"}}, {2, 0}), "");
}

}  // namespace
}  // namespace morgana
