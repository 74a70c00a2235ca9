#include "experiments/pushpull/pushpull.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "experiments/pushpull/curve_shapes.h"
#include "experiments/pushpull/settings.h"

namespace morgana {
namespace {

using namespace push_pull_paper;

TEST(CurveShapes, FindAJumpBetweenTheSizesBesideIt) {
  // A byte costs 0.1 us; between 300 and 400 B there are 50 us more.
  const std::vector<Sample> curve{{0, 10}, {100, 20}, {200, 30}, {300, 40}, {400, 100}, {500, 110}};
  const auto jump = greatest_jump(curve, 1);
  ASSERT_TRUE(jump);
  EXPECT_EQ(jump->before, 300);
  EXPECT_EQ(jump->behind, 400);
  EXPECT_NEAR(jump->rise, 50, 1e-9);
  EXPECT_FALSE(greatest_jump(curve, 60));
}

TEST(CurveShapes, KnowThatWideStepsAreNoJumps) {
  const std::vector<Sample> line{{0, 10}, {100, 20}, {101, 20.1}, {102, 20.2}, {1000, 110}};
  EXPECT_FALSE(greatest_jump(line, 1));
  // Twice the slope is none either, three times is.
  EXPECT_FALSE(greatest_jump(std::vector<Sample>{{0, 0}, {100, 10}, {200, 20}, {300, 40}, {400, 50}}, 1));
  EXPECT_TRUE(greatest_jump(std::vector<Sample>{{0, 0}, {100, 10}, {200, 20}, {300, 51}, {400, 61}}, 1));
  EXPECT_FALSE(greatest_jump(std::vector<Sample>{{0, 0}, {1, 100}}, 1));
}

TEST(CurveShapes, FindTheFirstOfTheLowest) {
  EXPECT_EQ(lowest(std::vector<Sample>{{0, 3}, {40, 2}, {80, 1}, {120, 1}, {160, 4}}), 80);
  EXPECT_EQ(nearly_lowest(std::vector<Sample>{{0, 3}, {40, 1.009}, {80, 1}, {120, 2}}, 0.01), 40);
}

TEST(PushPull, HasEveryCheckAndEveryFigure) {
  const Experiment experiment = push_pull_messaging();
  for (int check = 1; check <= 15; ++check)
    EXPECT_FALSE(choose_rows(experiment, {fmt::format("R-{:02}", check)}).empty()) << check;
  std::set<std::string> figures;
  for (const ExperimentFigure& one : experiment.figures) figures.insert(one.name);
  for (const char* name :
       {"figure-5", "figure-6", "figure-8-early", "figure-8-late", "first-push", "second-push"})
    EXPECT_TRUE(figures.contains(name)) << name;
}

TEST(PushPull, CountsRowsThatWereFittedAsFitted) {
  std::set<std::string> fitted;
  for (const Row& row : push_pull_messaging().rows)
    if (row.standing == Standing::fitted) {
      fitted.insert(row.id);
      EXPECT_FALSE(row.note.empty()) << row.id << " must say what was fitted";
    }
  EXPECT_EQ(fitted, (std::set<std::string>{"R-01", "R-03", "R-04", "R-05", "R-08.same", "R-09", "R-11",
                                           "R-16.pull", "R-17.middle", "R-17.most", "R-17.short"}));
}

/// A laboratory in which every test gives, for a message of s bytes, what `value` says of the condition.
Laboratory laboratory(const Experiment& experiment,
                      const std::function<double(const Condition&, int)>& value) {
  Laboratory all(Runner(2), 1);
  std::set<Condition> conditions;
  for (const Row& row : experiment.rows) conditions.insert(row.needs.begin(), row.needs.end());
  for (const Test* test : tests())
    all.define(test->workload, [value, test](const Condition& condition, const Platform&, std::uint64_t) {
      RunOutcome outcome;
      for (const int size : test->sizes) outcome.figures[figure_of(size)] = value(condition, size);
      return outcome;
    });
  all.carry_out(conditions, [](const std::string&, double) {});
  return all;
}

// A made-up machine with the paper's knees: each row must find its own.
TEST(PushPull, FindsThePapersKneesWhereTheyAre) {
  const Experiment experiment = push_pull_messaging();
  const auto bytes_of = [](const std::string& override) {
    return std::atof(override.substr(override.find('=') + 1).c_str());
  };
  const Laboratory there = laboratory(experiment, [&](const Condition& condition, int size) {
    const double base = 35 + 0.1 * size;
    const bool pulls = size > 760, all = condition.platform == push_all.platform;
    if (condition.workload == std::string(late.workload)) {
      if (all) return size > 2960 ? 150'000 : 1000 + base;
      return 1000 + base + (pulls ? 40 : 0) + (condition.platform == push_zero.platform ? 70 : 0);
    }
    if (condition.workload == std::string(search.workload)) {
      double us = 400;
      for (const std::string& one : condition.overrides)
        us += one.starts_with("messages.second-push") ? std::abs(bytes_of(one) - 640)
                                                      : std::abs(bytes_of(one) - 100);
      return us;
    }
    if (condition.workload == std::string(trip_within.workload)) return base + (all && size > 3400 ? 30 : 0);
    return base +
           (pulls ? 12.5 * static_cast<double>(condition.overrides.size()) : 0);  // 0, 1, 2 and 3 of them
  });
  std::map<std::string, JudgedRow> rows;
  for (const JudgedRow& row : judge_rows(choose_rows(experiment, {}), there)) rows.emplace(row.row->id, row);
  const auto value = [&](const char* id) { return rows.at(id).measurement.value.value_or(-1); };
  EXPECT_EQ(value("R-06"), 640);
  EXPECT_EQ(value("R-07"), 100);
  EXPECT_EQ(value("R-08"), 760);
  EXPECT_NEAR(value("R-09"), 12.5, 1e-9);
  EXPECT_NEAR(value("R-10.difference"), 70, 1e-9);
  EXPECT_EQ(value("R-12"), 2980);
  for (const char* const order : {"R-13.below", "R-13.beyond", "R-13.pull", "R-18"})
    EXPECT_EQ(rows.at(order).verdict, Verdict::pass) << order << rows.at(order).measurement.text;
  EXPECT_EQ(value("R-14"), 760);
  EXPECT_EQ(value("R-15"), 3400);
}

}  // namespace
}  // namespace morgana
