#include "experiments/row.h"

#include <gtest/gtest.h>

#include <limits>

namespace morgana {
namespace {

Row row_with(Rule rule, Standing standing = Standing::judged) {
  Row row;
  row.rule = std::move(rule);
  row.standing = standing;
  return row;
}

Verdict verdict(Rule rule, double value) {
  return judge(row_with(std::move(rule)), measured(value));
}

TEST(Rule, HoldsUpToItsLimitAndNoFurther) {
  EXPECT_EQ(verdict(within_share(200, 0.01), 202), Verdict::pass);
  EXPECT_EQ(verdict(within_share(200, 0.01), 197.9), Verdict::fail);
  EXPECT_EQ(verdict(within_factor(10, 1.5), 15), Verdict::pass);
  EXPECT_EQ(verdict(within_factor(10, 1.5), 6.6), Verdict::fail);
  EXPECT_EQ(verdict(within(49, 10), 39), Verdict::pass);
  EXPECT_EQ(verdict(within(49, 10), 38.9), Verdict::fail);
  EXPECT_EQ(verdict(between(71, 72), 71), Verdict::pass);
  EXPECT_EQ(verdict(between(71, 72), 72.1), Verdict::fail);
  EXPECT_EQ(verdict(at_least(5), 5), Verdict::pass);
  EXPECT_EQ(verdict(at_least(5), 4.9), Verdict::fail);
  EXPECT_EQ(verdict(at_most(5), 5), Verdict::pass);
  EXPECT_EQ(verdict(at_most(5), 5.1), Verdict::fail);
  EXPECT_EQ(verdict(below(10), 10), Verdict::fail);
  EXPECT_EQ(verdict(below(10), 9.9), Verdict::pass);
}

TEST(Rule, TakesNoValueForFailure) {
  EXPECT_EQ(judge(row_with(at_most(5)), Measurement()), Verdict::fail);
  EXPECT_EQ(verdict(at_most(5), std::numeric_limits<double>::quiet_NaN()), Verdict::fail);
  EXPECT_EQ(verdict(at_least(5), std::numeric_limits<double>::infinity()), Verdict::fail);
}

TEST(Rule, InWordsAsksWhetherTheyAreSo) {
  EXPECT_EQ(judge(row_with(as_worded("first")), found(true, "1")), Verdict::pass);
  EXPECT_EQ(judge(row_with(as_worded("first")), found(false, "2")), Verdict::fail);
}

TEST(Verdict, OfAContradictedOrAnInformationalRowIsJustThat) {
  for (const double value : {1.0, 100.0}) {
    EXPECT_EQ(judge(row_with(at_most(5), Standing::contradicted), measured(value)),
              Verdict::paper_inconsistent);
    EXPECT_EQ(judge(row_with(at_most(5), Standing::informational), measured(value)), Verdict::informational);
  }
}

TEST(Verdict, OfAFittedRowThatAgreesIsNoPass) {
  EXPECT_EQ(judge(row_with(at_most(5), Standing::fitted), measured(5)), Verdict::fitted);
  EXPECT_EQ(judge(row_with(at_most(5), Standing::fitted), measured(6)), Verdict::fail);
}

TEST(Measurement, HasARadiusOnlyWhereSeveralRunsGaveOne) {
  EXPECT_EQ(measured(ConfidenceInterval{3, 0.5}, 10).radius, 0.5);
  EXPECT_EQ(measured(ConfidenceInterval{3, std::numeric_limits<double>::infinity()}, 1).radius, 0);
}

}  // namespace
}  // namespace morgana
