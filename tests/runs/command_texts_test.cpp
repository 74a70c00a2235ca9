// What the command says of times that it takes or measures.
#include <gtest/gtest.h>

#include "cli/common/progress_bar.h"
#include "cli/common/recording.h"

namespace morgana::cli {
namespace {

// As long again for each part that is left: 10 s for a fifth are 40 s for the rest.
TEST(TimeLeft, FollowsFromTheShareDone) {
  EXPECT_EQ(time_left_text(10, 0.2), ", about 40 s left");
  EXPECT_EQ(time_left_text(10, 0.19), ", about 50 s left") << "42.6 s, in steps of 10";
  EXPECT_EQ(time_left_text(10, 0.1), ", about 2 min left") << "90 s";
  EXPECT_EQ(time_left_text(100, 0.5), ", about 2 min left") << "100 s";
}

TEST(TimeLeft, IsNotGuessedFromLittle) {
  EXPECT_EQ(time_left_text(4.9, 0.2), "") << "too early";
  EXPECT_EQ(time_left_text(100, 0.019), "") << "too small a share";
  EXPECT_EQ(time_left_text(100, 1), "") << "nothing is left";
}

// Two ranks need two processors.
TEST(BusyMachine, IsOneWhoseOtherProgramsLeaveNoProcessorForEachRank) {
  EXPECT_EQ(busy_text(0, 2), "");
  EXPECT_EQ(busy_text(1, 2), "1 other program computes on 2 processors");
  EXPECT_EQ(busy_text(2, 4), "");
  EXPECT_EQ(busy_text(3, 4), "3 other programs compute on 4 processors");
}

TEST(BusyMachine, OfOneProcessorIsOneWithAnyOtherProgram) {
  EXPECT_EQ(busy_text(0, 1), "") << "the two ranks take turns in any case";
  EXPECT_EQ(busy_text(1, 1), "1 other program computes on 1 processor");
}

}  // namespace
}  // namespace morgana::cli
