#include "runs/sweep/scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "tests/support/messages.h"

namespace morgana {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(ScalingStudy, ReportsSpeedUpAndEfficiencyOverRanks) {
  SweepRequest request;
  request.command = {"./program"};
  request.platform = "loggp-example";
  request.seeds = {1};
  for (const char* axis : {"ranks=2,8", "network.latency=1 us,2 us"})
    request.axes.push_back(parse_axis(axis));
  const Sweep sweep(request);
  // By point: 2 ranks with 1 us and 2 us, 8 ranks with these.
  std::vector<PointSummary> points;
  for (const std::vector<std::string>& values :
       {std::vector<std::string>{"2", "1 us"}, {"2", "2 us"}, {"8", "1 us"}, {"8", "2 us"}})
    points.push_back({values, 1, 0, {}, {}});
  const double seconds[] = {12, 12, 4, 6};
  for (std::size_t i = 0; i < 4; ++i) points[i].figures["total_ps"].add(seconds[i] * 1e12);
  const std::vector<SpeedUp> gains = speed_ups(sweep, points);
  ASSERT_EQ(gains.size(), 4u);
  EXPECT_EQ(gains[0].factor, 1);
  EXPECT_EQ(gains[2].factor, 3);         // 12 s / 4 s
  EXPECT_EQ(gains[2].efficiency, 0.75);  // with four times the ranks
  EXPECT_EQ(gains[3].factor, 2);
  EXPECT_EQ(gains[3].efficiency, 0.5);
  EXPECT_THAT(sweep_table(sweep, points), AllOf(HasSubstr("speedup"), HasSubstr("75.0 %")));
}

SweepRequest study_of_ranks(const std::string& over) {
  SweepRequest request;
  request.command = {"./program", "{n}"};
  request.platform = "loggp-example";
  request.axes = {parse_axis(over)};
  return request;
}

/// A point of each value of the only axis, with a time in seconds; 0: it did not finish.
std::vector<PointSummary> points_with(const Sweep& sweep, std::initializer_list<double> seconds) {
  std::vector<PointSummary> points;
  for (const double time : seconds) {
    const SweepPoint& point = sweep.points()[points.size()];
    points.push_back({point.values, 1, 0, {}, {}, point.bound});
    if (time > 0) points.back().figures["total_ps"].add(time * 1e12);
  }
  return points;
}

std::vector<double> heights(const Curve& curve) {
  std::vector<double> all;
  for (const CurvePoint& point : curve.points) all.push_back(point.y);
  return all;
}

TEST(ScalingStudy, IsWeakWhereTheWorkFollowsFromTheRanks) {
  SweepRequest request = study_of_ranks("ranks=4,8,16");
  EXPECT_EQ(Sweep(request).scaling(0), Scaling::strong);
  request.bindings = {parse_binding("half=ranks/2"), parse_binding("n=256*half")};
  request.command = {"./program", "{n}", "{half}"};
  const Sweep weak(request);
  EXPECT_EQ(weak.scaling(0), Scaling::weak);
  request.scaling = Scaling::strong;
  EXPECT_EQ(Sweep(request).scaling(0), Scaling::strong);
  // n = 4, 8, 16: the time that was 10 s is 12.5 s and 20 s.
  const std::vector<SpeedUp> gains = speed_ups(weak, points_with(weak, {10, 12.5, 20}));
  EXPECT_EQ(gains[1].factor, 1.6);
  EXPECT_EQ(gains[1].efficiency, 0.8);
  EXPECT_EQ(gains[2].factor, 2);
  EXPECT_EQ(gains[2].efficiency, 0.5);
}

TEST(ScalingStudy, IsDrawnBesideAnIdealLine) {
  const Sweep sweep(study_of_ranks("ranks=4..16:x2"));
  const std::vector<PointSummary> points = points_with(sweep, {12, 6, 4});
  const Curves speed_up = sweep_curves(sweep, points, "speedup");
  ASSERT_EQ(speed_up.curves.size(), 2U);
  EXPECT_THAT(heights(speed_up.curves[0]), ElementsAre(1, 2, 3));
  EXPECT_EQ(speed_up.curves[1].name, "ideal");
  EXPECT_EQ(speed_up.curves[1].style, Curve::Style::line);
  EXPECT_THAT(heights(speed_up.curves[1]), ElementsAre(1, 2, 4));
  EXPECT_TRUE(speed_up.logarithmic_x && speed_up.logarithmic_y) << "or the ideal one would be bent";
  const Curves efficiency = sweep_curves(sweep, points, "efficiency");
  EXPECT_THAT(heights(efficiency.curves[0]), ElementsAre(100, 100, 75));
  EXPECT_THAT(heights(efficiency.curves[1]), ElementsAre(100, 100, 100));
  EXPECT_EQ(efficiency.y_name, "efficiency (%)");
  EXPECT_FALSE(efficiency.logarithmic_y);
}

TEST(ScalingStudy, ComparesWithTheFewestWhereverTheyStandAndLeavesOutWhatDidNotFinish) {
  const Sweep sweep(study_of_ranks("ranks=8,2,4"));
  const std::vector<PointSummary> points = points_with(sweep, {3, 12, 0});
  EXPECT_THAT(heights(sweep_curves(sweep, points, "speedup").curves[0]), ElementsAre(4, 1));
  EXPECT_THAT(heights(sweep_curves(sweep, points, "speedup").curves[1]), ElementsAre(1, 2, 4));
  EXPECT_EQ(speed_ups(sweep, points_with(sweep, {3, 0, 4}))[0].factor, 0) << "nothing to compare with";
}

TEST(ScalingStudy, OfOtherAxesHasASpeedUpButNothingIdeal) {
  SweepRequest request = study_of_ranks("network.bandwidth=x1,x2,x4");
  const Sweep sweep(request);
  const Curves curves = sweep_curves(sweep, points_with(sweep, {8, 4, 4}), "speedup");
  ASSERT_EQ(curves.curves.size(), 1U);
  EXPECT_THAT(heights(curves.curves[0]), ElementsAre(1, 2, 2));
  try {
    check_curves(sweep, "efficiency");
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    expect_message(error.what(), "network.bandwidth");
  }
  EXPECT_NO_THROW(check_curves(Sweep(study_of_ranks("n=1,2,4")), "efficiency"));
  EXPECT_THROW(check_curves(Sweep(study_of_ranks("n=small,large")), "efficiency"), Error);
}

TEST(ScalingStudy, HasTheUncertaintyOfBothTimes) {
  SweepRequest request = study_of_ranks("ranks=1,2");
  request.seeds = {1, 2};
  const Sweep sweep(request);
  std::vector<PointSummary> points{{{"1"}, 2, 0, {}, {}}, {{"2"}, 2, 0, {}, {}}};
  for (const double time : {9e12, 11e12}) points[0].figures["total_ps"].add(time);
  for (const double time : {4e12, 6e12}) points[1].figures["total_ps"].add(time);
  const std::vector<SpeedUp> gains = speed_ups(sweep, points);
  EXPECT_EQ(gains[0].uncertainty, 0) << "it is compared with itself";
  // t(1) = 6.314, standard errors 1 s of 10 s and 1 s of 5 s.
  EXPECT_NEAR(gains[1].uncertainty, 6.314 * 0.223607, 1e-3);
}

// A program of one rank that computes nothing takes the time of its library's start.
TEST(ScalingStudy, HasNoSpeedUpOverOneRankThatNeitherComputesNorCommunicates) {
  SweepRequest request = study_of_ranks("ranks=1,2,4");
  request.compute = ComputeMode::none;
  const Sweep sweep(request);
  const std::vector<PointSummary> points = points_with(sweep, {2e-7, 1e-4, 2e-4});
  EXPECT_TRUE(speed_ups(sweep, points).empty());
  EXPECT_THAT(sweep_table(sweep, points), Not(HasSubstr("speedup")));
  EXPECT_THAT(no_speed_up(sweep), HasSubstr("--compute none"));
  EXPECT_THROW(check_curves(sweep, "speedup"), Error);
  EXPECT_NO_THROW(check_curves(sweep, "total_ps"));
  request.axes = {parse_axis("ranks=2,4")};  // they communicate
  EXPECT_EQ(no_speed_up(Sweep(request)), "");
  request.axes = {parse_axis("ranks=1,2")};
  request.compute = ComputeMode::measured;
  EXPECT_EQ(no_speed_up(Sweep(request)), "");
}

}  // namespace
}  // namespace morgana
