#include "emulator/core/confidence.h"

#include <gtest/gtest.h>

#include <cmath>

namespace morgana {
namespace {

// From the tables of Student's distribution in statistics books (two-sided 90 %, 95 % and 99 %).
TEST(StudentT, IsAsInPrintedTables) {
  EXPECT_NEAR(student_t(0.90, 1), 6.314, 5e-4);
  EXPECT_NEAR(student_t(0.90, 9), 1.833, 5e-4);
  EXPECT_NEAR(student_t(0.90, 30), 1.697, 5e-4);
  EXPECT_NEAR(student_t(0.95, 4), 2.776, 5e-4);
  EXPECT_NEAR(student_t(0.99, 10), 3.169, 5e-4);
}

TEST(ConfidenceInterval, IsAroundTheMeanByTTimesTheStandardError) {
  RunningStatistics values;
  for (const double value : {1.0, 2.0, 3.0, 4.0, 5.0}) values.add(value);
  const ConfidenceInterval interval = confidence_interval(values);
  EXPECT_DOUBLE_EQ(interval.mean, 3);
  EXPECT_NEAR(interval.radius, 2.132 * std::sqrt(2.5 / 5), 1e-3);  // t(4) = 2.132
  EXPECT_DOUBLE_EQ(interval.least() + interval.radius, 3);
  EXPECT_DOUBLE_EQ(interval.greatest() - interval.radius, 3);
}

TEST(ConfidenceInterval, SaysNothingAfterOneValue) {
  RunningStatistics values;
  values.add(7);
  EXPECT_EQ(confidence_interval(values).mean, 7);
  EXPECT_TRUE(std::isinf(confidence_interval(values).radius));
}

TEST(ConfidenceInterval, IsAPointWhereAllValuesAreEqual) {
  RunningStatistics values;
  for (int i = 0; i < 10; ++i) values.add(42);
  EXPECT_EQ(confidence_interval(values).radius, 0);
}

}  // namespace
}  // namespace morgana
