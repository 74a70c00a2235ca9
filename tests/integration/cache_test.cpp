#include "tests/integration/support/morgana_test.h"

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

// All of them translate the trace, and one's translation is kept.
TEST_F(CacheCommand, ReplaysAtTheSameTimeDoNotDisturbEachOther) {
  succeed({"run", "-n", "4", "--compute", "none", "--quiet", "--platform", "loggp-example", "--trace",
           "t.otf2", "--", program("ring"), "3000"});
  const std::string replay = "morgana replay t.otf2 --platform fast-ethernet -q --json ";
  const FinishedProcess result = in_shell("export MORGANA_CACHE=kept\nfor i in 1 2 3 4 5 6; do " + replay +
                                          "$i.json || echo failed >&2 & done; wait; morgana cache");
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("1 translated trace in kept, "));
  const FinishedProcess alone = in_shell("MORGANA_CACHE=off " + replay + "alone.json");
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  for (const char* name : {"1.json", "2.json", "3.json", "4.json", "5.json", "6.json"})
    EXPECT_EQ(read(name), read("alone.json")) << name;
}

TEST_F(CacheCommand, SaysThatNothingIsKept) {
  EXPECT_THAT(succeed({"cache"}).out,
              HasSubstr("translated traces are not cached: MORGANA_CACHE is \"off\""));
}

}  // namespace
}  // namespace morgana::test
