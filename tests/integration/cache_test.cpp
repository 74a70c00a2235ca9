#include "tests/integration/morgana_test.h"

namespace morgana::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// `morgana cache`, and replays that find in it what they need.
class CacheCommand : public MorganaTest {};

// The smallest trace that is worth it has a megabyte.
TEST_F(CacheCommand, ReplaysGiveTheSameOutOfTheCache) {
  succeed({"run", "-n", "4", "--compute", "none", "--quiet", "--platform", "loggp-example", "--trace",
           "t.otf2", "--", program("ring"), "3000"});
  const auto told = [this](const std::string& words) {
    const FinishedProcess result = in_shell("MORGANA_CACHE=kept morgana " + words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  EXPECT_EQ(told("cache"), "0 translated traces in kept, 0 B\n");
  const std::string replay = "replay t.otf2 --platform fast-ethernet --json - -q";
  const std::string first = told(replay);
  EXPECT_THAT(told("cache"), StartsWith("1 translated trace in kept, "));
  EXPECT_EQ(told(replay), first);
  EXPECT_THAT(told("cache --clear"), StartsWith("removed 1 translated trace in kept, "));
  EXPECT_EQ(told("cache"), "0 translated traces in kept, 0 B\n");
}

TEST_F(CacheCommand, SaysThatNothingIsKept) {
  EXPECT_THAT(succeed({"cache"}).out, HasSubstr("translated traces are not kept: MORGANA_CACHE is \"off\""));
}

}  // namespace
}  // namespace morgana::test
