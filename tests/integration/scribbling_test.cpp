#include <iostream>
#include <random>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::HasSubstr;

/// A rank that writes nonsense into what it shares with the emulator.
class Scribbling : public MorganaTest, public testing::WithParamInterface<const char*> {};

TEST_P(Scribbling, EndsTheRunAndIsNamed) {
  std::random_device fresh;
  for (int run = 0; run < 5; ++run) {
    const std::string seed = std::to_string(fresh() % 1'000'000);
    std::cout << "seed " << seed << std::endl;
    const FinishedProcess result =
        morgana({"run", "-n", "3", "--quiet", "--", program("scribbling"), GetParam(), seed});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_THAT(result.err, testing::ContainsRegex("morgana: rank 2[ :]"));
  }
}

INSTANTIATE_TEST_SUITE_P(OverThe, Scribbling, testing::Values("ring", "counters"),
                         [](const auto& what) { return std::string(what.param); });

TEST_F(MorganaTest, ARecordingOverWhichARankHasWrittenIsRefused) {
  const FinishedProcess result =
      morgana({"capture", "-o", "kept.otf2", "-n", "3", "--quiet", "--", program("scribbling"), "log", "1"});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("rank-2.log, operation 1"));
  EXPECT_FALSE(std::filesystem::exists(path("kept.otf2")));
}

TEST_F(MorganaTest, ARankThatScribblesOverItsWholeSlotEndsTheRun) {
  std::random_device fresh;
  for (int run = 0; run < 5; ++run) {
    // The first one has written over the number of the rank's machine and ended the rank by a fault.
    const std::string seed = std::to_string(run == 0 ? 656151 : fresh() % 1'000'000);
    std::cout << "seed " << seed << std::endl;
    // It may also kill itself or claim to have called MPI_Abort.
    const FinishedProcess result =
        morgana({"run", "-n", "3", "--quiet", "--", program("scribbling"), "slot", seed});
    EXPECT_NE(result.exit_code, 0);
    EXPECT_NE(result.exit_code, 128 + 11) << result.err;
    EXPECT_THAT(result.err, HasSubstr("morgana: rank "));
  }
}

}  // namespace
}  // namespace morgana::test
