#include "runs/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/messages.h"

namespace morgana {
namespace {

/// Two measured runs of 100 ms, of which 90 ms are communication; all of the model's 10 ms is computing.
Validation far_off(std::optional<double> crowded, std::optional<double> crowded_second) {
  return {{{0.1, 0.01, 0.09, crowded}, {0.101, 0.01, 0.091, crowded_second}},
          {{0.01, 0.01, 0, {}}},
          "morgana fit --measure"};
}

TEST(Validation, BlamesTheFitWhereProcessorsWereFree) {
  expect_message(verdict(far_off(0.02, 0.9)), "90.0 %");
}

TEST(Validation, IsUndecidedWhereEveryMeasuredRunWaitedForProcessors) {
  expect_message(verdict(far_off(0.98, 0.6)), {"90.0 %", "60.0 %"});
}

TEST(Validation, TakesUnknownCrowdingForNone) {
  expect_message(verdict(far_off(0.98, {})), {"deviates", "90.0 %", "100.0 %"});
}

TEST(Validation, PassesANearPredictionOnACrowdedMachine) {
  expect_message(verdict({{{0.1, 0.05, 0.05, 0.9}, {0.1, 0.05, 0.05, 0.9}}, {{0.095, 0.05, 0.045, {}}}, ""}),
                 {"passed", "5.0 %", "10 %"});
}

TEST(Validation, ReadsHowLongProcessesHaveWaited) {
  const std::optional<double> before = seconds_of_crowding();
  if (!before) GTEST_SKIP() << "this kernel has no /proc/pressure/cpu";
  EXPECT_GE(*before, 0);
  EXPECT_GE(seconds_of_crowding(), before);
}

}  // namespace
}  // namespace morgana
