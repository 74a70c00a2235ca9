#include "runs/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace morgana {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Two measured runs of 100 ms, of which 90 ms are communication; all of the model's 10 ms is computing.
Validation far_off(std::optional<double> crowded, std::optional<double> crowded_second) {
  return {{{0.1, 0.01, 0.09, crowded}, {0.101, 0.01, 0.091, crowded_second}},
          {{0.01, 0.01, 0, {}}},
          "morgana fit --measure"};
}

TEST(Validation, BlamesTheFitWhereProcessorsWereFree) {
  EXPECT_THAT(verdict(far_off(0.02, 0.9)), AllOf(StartsWith("deviates: the predicted time is 90.0 % shorter"),
                                                 HasSubstr("the fit misses what this program sends")));
}

TEST(Validation, IsUndecidedWhereEveryMeasuredRunWaitedForProcessors) {
  EXPECT_THAT(verdict(far_off(0.98, 0.6)),
              AllOf(StartsWith("undecided: the predicted time is 90.0 % shorter"),
                    HasSubstr("waited for a processor during 60.0 % of the measured run")));
}

TEST(Validation, TakesUnknownCrowdingForNone) {
  EXPECT_THAT(verdict(far_off(0.98, {})), StartsWith("deviates"));
}

TEST(Validation, PassesANearPredictionOnACrowdedMachine) {
  EXPECT_THAT(verdict({{{0.1, 0.05, 0.05, 0.9}, {0.1, 0.05, 0.05, 0.9}}, {{0.095, 0.05, 0.045, {}}}, ""}),
              StartsWith("passed"));
}

TEST(Validation, ReadsHowLongProcessesHaveWaited) {
  const std::optional<double> before = seconds_of_crowding();
  if (!before) GTEST_SKIP() << "this kernel has no /proc/pressure/cpu";
  EXPECT_GE(*before, 0);
  EXPECT_GE(seconds_of_crowding(), before);
}

}  // namespace
}  // namespace morgana
