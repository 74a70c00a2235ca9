#include "runs/sweep_answer.h"

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

/// Of points with these times in seconds, the last axis changing first; 0: it did not finish.
std::string answer_of(const Answered& study, std::initializer_list<double> seconds) {
  SweepRequest request;
  request.command = {"./program"};
  request.platform = "loggp-example";
  request.scaling = study.scaling;
  for (const std::string& axis : study.over) request.axes.push_back(parse_axis(axis));
  const Sweep sweep(request);
  std::vector<PointSummary> points;
  for (const double time : seconds) {
    points.push_back({sweep.points().at(points.size()).values, 1, 0, {}, {}});
    if (time > 0) points.back().figures["total_ps"].add(time * 1e12);
  }
  return sweep_answer(sweep, points);
}

// 12 s / 3 s = 4 of 8; 12 s / 4 s = 3 of 4, and 12 s / 7 s = 1.71 of 2.
TEST(SweepAnswer, IsWhatMoreRanksBring) {
  EXPECT_EQ(answer_of({{"ranks=2,4,8,16"}}, {12, 7, 4, 3}),
            "16 ranks are 4.00 times as fast as 2, of an ideal 8: efficiency 50.0 % (strong scaling).");
  EXPECT_EQ(
      answer_of({{"ranks=2,4,8,16"}}, {12, 7, 4, 6}),
      "16 ranks are 2.00 times as fast as 2, of an ideal 8: efficiency 25.0 % (strong scaling). Most is "
      "reached with 8 ranks: 3.00 times. Up to 8 ranks the efficiency is above 50 %.");
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

TEST(SweepAnswer, LeavesOutWhatDidNotEnd) {
  EXPECT_EQ(answer_of({{"network.latency=1 us,2 us,4 us"}}, {2, 0, 3}),
            "Fastest with network.latency 1 us: 2.000 s. Slowest with 4 us: 3.000 s, 1.50 times as long.");
  EXPECT_EQ(answer_of({{"network.latency=1 us,2 us"}}, {2, 0}), "");
}

}  // namespace
}  // namespace morgana
