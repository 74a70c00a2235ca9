#include <filesystem>
#include <string>
#include <utility>

#include "tests/integration/support/morgana_test.h"
#include "tests/support/goal_schedules.h"

namespace morgana::test {
namespace {

using ::morgana::testing::GoalSchedule;
using ::testing::AllOf;
using ::testing::HasSubstr;

class Schedules : public MorganaTest {
 protected:
  std::int64_t replayed_ps(const std::string& file, const std::string& platform) {
    succeed({"replay", file, "--platform", platform, "--quiet", "--json", "replay.json"});
    return simulated_ps("replay.json");
  }
};

/// A pipelined all-reduce on a binary tree, `chunks` of it: all the way up first, or chunk by chunk.
GoalSchedule tree_allreduce(std::size_t ranks, int chunks) {
  GoalSchedule all(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::vector<std::string>& lines = all.lines[rank];
    std::vector<std::size_t> children;
    for (const std::size_t child : {2 * rank + 1, 2 * rank + 2})
      if (child < ranks) children.push_back(child);
    for (int s = 0; s < chunks; ++s) {
      for (const std::size_t child : children) {
        lines.push_back(fmt::format("u{}_{}: recv 4096b from {} tag {}", s, child, child, s));
        lines.push_back(fmt::format("b{}_{}: send 4096b to {} tag {}", s, child, child, 1000 + s));
        if (rank > 0) {
          lines.push_back(fmt::format("p{} requires u{}_{}", s, s, child));
          lines.push_back(fmt::format("b{}_{} requires d{}", s, child, s));
        }
      }
      if (rank > 0) {
        lines.push_back(fmt::format("p{}: send 4096b to {} tag {}", s, (rank - 1) / 2, s));
        lines.push_back(fmt::format("d{}: recv 4096b from {} tag {}", s, (rank - 1) / 2, 1000 + s));
      } else {
        for (const std::size_t child : children)
          for (const std::size_t other : children)
            lines.push_back(fmt::format("b{}_{} requires u{}_{}", s, child, s, other));
      }
    }
  }
  return all;
}

TEST_F(Schedules, RunOnAnyPlatformWithoutATrace) {
  write("d.goal", testing::dissemination(16).text());
  EXPECT_EQ(replayed_ps("d.goal", "loggopsim"), 22'000'000);
  EXPECT_THAT(succeed({"replay", "d.goal", "--platform", "fast-ethernet"}).out, HasSubstr("16 ranks"));
  const FinishedProcess compared =
      succeed({"compare", "d.goal", "--platforms", "loggopsim,ideal", "--csv", "c.csv"});
  EXPECT_THAT(read("c.csv"), AllOf(HasSubstr("loggopsim,22000000,"), HasSubstr("ideal,0,")));
  succeed({"sweep", "d.goal", "--platform", "loggopsim", "--over", "network.latency=2500,3500 ns", "--csv",
           "s.csv", "--quiet"});
  EXPECT_THAT(read("s.csv"), AllOf(HasSubstr("22000000"), HasSubstr("26000000")));
  succeed({"replay", "d.goal", "--platform", "loggopsim", "--quiet", "--trace", "d.otf2"});
  EXPECT_EQ(replayed_ps("d.otf2", "loggopsim"), 22'000'000);
}

TEST_F(Schedules, ComputeForTheTimesThatTheyHave) {
  write("a.goal",
        "num_ranks 2\nrank 0 {\na: calc 3000\nb: send 8b to 1\nb requires a\n}\nrank 1 {\nrecv 8b from "
        "0\n}\n");
  const std::string out = succeed({"replay", "a.goal", "--platform", "ethernet-10"}).out;
  EXPECT_THAT(out, HasSubstr("compute time    as the schedule has it\n"));
  EXPECT_THAT(
      succeed({"replay", "a.goal", "--platform", "ethernet-10", "--set", "hosts.compute-scale=2"}).out,
      HasSubstr("compute time    as the schedule has it, x 2: hosts.compute-scale\n"));
}

// Of the sample of 8 GPUs, by hand: 4 x 400 + 4 x 800 + 300 us computed.
TEST_F(Schedules, OfExecutionTracesHaveOneDivisionOfTheirTime) {
  const std::string out = succeed({"compare", std::string(MORGANA_SOURCE) + "/traces/samples/data-parallel",
                                   "--platforms", "dgx-h100,dgx-a100", "--json", "c.json"})
                              .out;
  for (const auto& run : read_json("c.json").at("platforms")) {
    const auto& use = run.at("execution");
    EXPECT_EQ(run.at("compute_ps"), 5'100'000'000);
    EXPECT_EQ(run.at("compute_ps"), use.at("computing_ps"));
    EXPECT_EQ(run.at("communication_ps").get<std::int64_t>(),
              use.at("exposed_communication_ps").get<std::int64_t>() + use.at("idle_ps").get<std::int64_t>());
  }
  EXPECT_THAT(out, HasSubstr("mean latency  of messages, those of collectives included\n"));
  EXPECT_THAT(succeed({"sweep", std::string(MORGANA_SOURCE) + "/traces/samples/data-parallel", "--platform",
                       "dgx-h100", "--over", "nccl.nvls=no"})
                  .out,
              HasSubstr("mean latency  of messages, those of collectives included\n"));
  EXPECT_THAT(out, AllOf(HasSubstr("NVLink from the GPUs"), ::testing::Not(HasSubstr("links from hosts"))));
  const std::string summary =
      succeed({"replay", std::string(MORGANA_SOURCE) + "/traces/samples/data-parallel", "--platform",
               "dgx-h100", "--set", "nccl.nvls=no"})
          .out;
  EXPECT_THAT(summary, AllOf(HasSubstr("(448 messages, those of collectives included)"),
                             ::testing::Not(HasSubstr("point to point"))));
}

TEST_F(Schedules, AreNamedWhereATraceIsAskedFor) {
  write("a.goal", "num_ranks 1\nrank 0 {\na: calc 3000\n}\n");
  std::filesystem::create_directories(path("steps/one"));
  write("steps/one/t.0.et", "");
  for (const auto& [name, what] : {std::pair("a.goal", "a schedule (GOAL)"),
                                   std::pair("steps/one/t.0.et", "an execution trace of Chakra"),
                                   std::pair("steps/one", "an execution trace of Chakra")}) {
    const FinishedProcess refused = morgana({"stats", name});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr(std::string(name) + " is " + what),
                                   HasSubstr("`morgana replay " + std::string(name) + " --platform NAME")));
  }
  for (const char* command : {"stats", "replay"})
    EXPECT_THAT(morgana({command, "steps"}).err,
                AllOf(HasSubstr("steps holds a folder with execution traces of Chakra (.et)"),
                      HasSubstr("such as steps/one")));
  EXPECT_THAT(morgana({"stats", "none.et"}).err, HasSubstr("there is no trace none.et"));
}

TEST_F(Schedules, AreIndependentOfTheOrderOfLines) {
  const GoalSchedule schedule = tree_allreduce(7, 5);
  write("a.goal", schedule.text());
  const std::int64_t time = replayed_ps("a.goal", "fast-ethernet");
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    write("b.goal", schedule.shuffled(seed).text());
    EXPECT_EQ(replayed_ps("b.goal", "fast-ethernet"), time);
  }
}

TEST_F(Schedules, AreIndependentOfTheOrderOfLinesAlsoAsTraces) {
  for (const GoalSchedule& schedule : {testing::dissemination(8), testing::binomial_tree(8)}) {
    write("a.goal", schedule.text());
    const std::int64_t time = replayed_ps("a.goal", "fast-ethernet");
    succeed({"import", "a.goal", "-o", "a.otf2", "--quiet"});
    const std::int64_t imported = replayed_ps("a.otf2", "fast-ethernet");
    EXPECT_LE(time, imported);
    write("b.goal", schedule.shuffled(1).text());
    succeed({"import", "b.goal", "-o", "b.otf2", "--quiet"});
    EXPECT_EQ(replayed_ps("b.otf2", "fast-ethernet"), imported);
  }
}

// A rank of a trace waits for one thing after the other: for its part from the root, by the number of the
// node that needs it, before it has sent up what the root needs. The schedule itself runs.
TEST_F(Schedules, WhoseRanksWouldWaitForEachOtherAsATraceAreRefusedByImport) {
  write("a.goal", tree_allreduce(7, 5).text());
  const FinishedProcess refused = morgana({"import", "a.goal", "-o", "a.otf2", "--quiet"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("deadlock"), HasSubstr("rank 1: waits")));
  EXPECT_GT(replayed_ps("a.goal", "fast-ethernet"), 0);
}

TEST_F(Schedules, EndWithASentenceThatNamesTheLine) {
  write("lost.goal", "num_ranks 2\nrank 0 {\n}\nrank 1 {\nl1: recv 10b from 0 tag -1\n}\n");
  const FinishedProcess waits = morgana({"replay", "lost.goal", "--platform", "ideal", "--json", "x.json"});
  EXPECT_EQ(waits.exit_code, 3);
  EXPECT_THAT(waits.err,
              AllOf(HasSubstr("deadlock"), HasSubstr("lost.goal:5: l1 waits for a message from rank 0"),
                    HasSubstr("not written, as the run did not come to its end: x.json")));
  write("cycle.goal", "num_ranks 1\nrank 0 {\na: calc 5\nb: calc 5\na requires b\nb irequires a\n}\n");
  const FinishedProcess refused = morgana({"replay", "cycle.goal", "--platform", "ideal"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("cycle.goal:3: this line requires itself, perhaps through others"));
  write("big.goal",
        "num_ranks 2\nrank 0 {\nsend 5b to 1 tag 4000000000\n}\nrank 1 {\nrecv 5b from 0 tag -1\n}\n");
  EXPECT_GT(replayed_ps("big.goal", "loggopsim"), 0);
  EXPECT_THAT(morgana({"import", "big.goal", "-o", "b.otf2"}).err,
              HasSubstr("big.goal:3: tag 4000000000 does not fit into a trace"));
}

}  // namespace
}  // namespace morgana::test
