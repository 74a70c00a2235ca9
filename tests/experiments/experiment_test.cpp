#include "experiments/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "emulator/core/error.h"

namespace morgana {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Row plain_row(const std::string& id, double value) {
  Row row{id, "a title of " + id, "5", "us", RowKind::deterministic, at_most(5)};
  row.measure = [value](const Laboratory&) { return measured(value); };
  return row;
}

Experiment three_rows() {
  Experiment experiment;
  experiment.name = "small";
  experiment.source = "A. Nobody, 1997";
  experiment.rows = {plain_row("X-1.a", 4), plain_row("X-1.b", 6), plain_row("X-2", 5)};
  experiment.rows[1].note = "because";
  return experiment;
}

std::vector<std::string> ids(const std::vector<const Row*>& rows) {
  std::vector<std::string> result;
  for (const Row* row : rows) result.push_back(row->id);
  return result;
}

TEST(Experiments, HaveRowsThatCanBeToldApartAndJudged) {
  for (const Experiment& experiment : experiments()) {
    std::set<std::string> seen;
    for (const Row& row : experiment.rows) {
      EXPECT_TRUE(seen.insert(row.id).second) << row.id << " is there twice";
      EXPECT_TRUE(row.measure) << row.id;
      EXPECT_FALSE(row.title.empty() || row.paper.empty() || row.rule.text.empty()) << row.id;
      EXPECT_TRUE(row.standing != Standing::contradicted || !row.note.empty()) << row.id << " must say why";
    }
  }
}

TEST(Experiments, NameOnlyPlatformsAndKeysThatThereAre) {
  for (const Experiment& experiment : experiments())
    for (const Row& row : experiment.rows)
      for (const Condition& condition : row.needs) {
        if (condition.platform.empty()) continue;  // it brings its own network
        EXPECT_NO_THROW(Platform::load(condition.platform, condition.overrides)) << row.id;
      }
}

TEST(Experiments, OfTheAtmEmulatorHaveEveryRow) {
  std::set<std::string> checks;
  for (const Row& row : experiments().front().rows) checks.insert(row.id.substr(0, row.id.find('.')));
  for (const auto& [first, last] : {std::pair{1, 7}, {10, 14}, {20, 25}, {30, 39}})
    for (int i = first; i <= last; ++i)
      EXPECT_TRUE(checks.contains("A-" + std::string(i < 10 ? "0" : "") + std::to_string(i))) << i;
}

TEST(Rows, AreChosenByIdOrByCheck) {
  const Experiment experiment = three_rows();
  EXPECT_THAT(ids(choose_rows(experiment, {})), testing::ElementsAre("X-1.a", "X-1.b", "X-2"));
  EXPECT_THAT(ids(choose_rows(experiment, {"X-1"})), testing::ElementsAre("X-1.a", "X-1.b"));
  EXPECT_THAT(ids(choose_rows(experiment, {"x-2", "X-1.B"})), testing::ElementsAre("X-1.b", "X-2"));
  EXPECT_THROW(choose_rows(experiment, {"X-3"}), Error);
  EXPECT_THROW(choose_rows(experiment, {"X"}), Error);
}

TEST(Rows, HaveProvisionalVerdictsIfTheyHangOnChanceAndWereMeasuredInHaste) {
  Row by_chance, certain;
  by_chance.id = "X-1";
  by_chance.kind = RowKind::statistical;
  by_chance.needs = {{"work", "ideal"}};
  certain.id = "X-2";
  certain.needs = by_chance.needs;
  const std::vector<JudgedRow> rows{{&by_chance, measured(1), Verdict::fail},
                                    {&certain, measured(1), Verdict::fail}};
  EXPECT_THAT(rows_table(rows, true), AllOf(HasSubstr("X-1, fail?:"), HasSubstr("X-2, fail:")));
  EXPECT_THAT(rows_table(rows), Not(HasSubstr("?")));
}

TEST(Rows, ThatWereFittedAreCountedByThemselves) {
  const Row fitted = plain_row("X-1", 4), judged = plain_row("X-2", 5);
  const std::vector<JudgedRow> rows{{&fitted, measured(4), Verdict::fitted},
                                    {&judged, measured(5), Verdict::pass}};
  EXPECT_EQ(verdict_counts(rows), "2 rows: 1 pass, 0 fail, 1 fitted, 0 paper-inconsistent, 0 informational");
  EXPECT_THAT(rows_table(rows), HasSubstr("X-1, fitted: a title of X-1"));
}

TEST(Rows, AreReportedWithTheirVerdicts) {
  const Experiment experiment = three_rows();
  const Laboratory laboratory(Runner(1), 2);
  const auto rows = judge_rows(choose_rows(experiment, {}), laboratory);
  EXPECT_EQ(verdict_counts(rows), "3 rows: 2 pass, 1 fail, 0 paper-inconsistent, 0 informational");
  EXPECT_THAT(rows_table(rows),
              AllOf(HasSubstr("X-1.b, fail: a title of X-1.b; because"), Not(HasSubstr("X-2, "))));
  const auto json = nlohmann::json::parse(experiments_json({{&experiment, ExperimentOptions(), rows}}));
  ASSERT_EQ(json.at("rows").size(), 3u);
  const auto& row = json.at("rows").at(1);
  EXPECT_EQ(row.at("id"), "X-1.b");
  EXPECT_EQ(row.at("paper"), "5");
  EXPECT_EQ(row.at("measured"), 6);
  EXPECT_EQ(row.at("unit"), "us");
  EXPECT_EQ(row.at("kind"), "D");
  EXPECT_EQ(row.at("rule"), "<= 5");
  EXPECT_EQ(row.at("verdict"), "fail");
}

}  // namespace
}  // namespace morgana
