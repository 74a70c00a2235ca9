#include <algorithm>

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/sample_traces.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// `morgana tune`. What it finds by hand calculation stands in tests/runs/tuning_test.cpp.
class Tune : public MorganaTest {
 protected:
  nlohmann::json tuned(std::vector<std::string> words) {
    words.insert(words.begin(), {"tune", "--json", "tuned.json"});
    succeed(words);
    return read_json("tuned.json");
  }
};

TEST_F(Tune, ShowsTheCurvesOfAPingPong) {
  const FinishedProcess run =
      succeed({"tune", "-p", "fast-ethernet-smp", "--bytes", "4000 B", "--second-push", "0..1600 B:80 B",
               "--push", "0 B,80 B", "--csv", "tuned.csv", "--plot", "tuned.svg"});
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("ping-pong of 4000 B between two hosts"), HasSubstr(" *"), HasSubstr("best: "),
                    HasSubstr("as the platform is: "), HasSubstr("everything pushed: ")));
  EXPECT_THAT(read("tuned.csv"),
              StartsWith("varied,bytes,outcome,time_ps\nmessages.second-push,0,finished,"));
  EXPECT_THAT(read("tuned.svg"), HasSubstr("<svg"));
}

TEST_F(Tune, TakesReplaysOfATraceForWhatReplayGives) {
  const nlohmann::json report =
      tuned({cg_sample, "-p", "fast-ethernet", "--push", "0 B,200 B", "--second-push", "0 B,400 B"});
  std::vector<std::string> replay{"replay", cg_sample, "-p", "fast-ethernet", "-q", "--json", "replay.json"};
  for (const nlohmann::json& setting : report.at("settings")) replay.insert(replay.end(), {"--set", setting});
  succeed(replay);
  EXPECT_EQ(report.at("best_ps"), simulated_ps("replay.json"));
}

TEST_F(Tune, RunsAProgramWithTheSameComputingEachTime) {
  const std::vector<std::string> words{"-n",
                                       "2",
                                       "-p",
                                       "loggp-example",
                                       "--push",
                                       "0 B",
                                       "--second-push",
                                       "0 B,8 B",
                                       "--set",
                                       "messages.eager-limit=1 MiB",
                                       "--",
                                       program("ring"),
                                       "5"};
  // Every message of the ring goes at once: the times differ only if computing does.
  const nlohmann::json points = tuned(words).at("steps").at(0).at("points");
  EXPECT_EQ(points.at(0).at("time_ps"), points.at(1).at("time_ps"));
  EXPECT_GT(points.at(0).at("time_ps"), 0);
}

TEST_F(Tune, RefusesWhatCantBeTuned) {
  const auto refusal = [this](std::vector<std::string> words) {
    words.insert(words.begin(), "tune");
    const FinishedProcess refused = morgana(words);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    return refused.err;
  };
  EXPECT_THAT(refusal({}), HasSubstr("--platform"));
  EXPECT_THAT(refusal({"-p", "native"}), HasSubstr("native has no model"));
  EXPECT_THAT(refusal({"-p", "ideal", "--bytes", "0 B"}), HasSubstr("of a message without bytes"));
  EXPECT_THAT(refusal({"-p", "ideal", "--bytes", "2 GiB"}), HasSubstr("messages up to 1 GiB"));
  EXPECT_THAT(refusal({"-p", "ideal", "--bytes", "1 us"}), HasSubstr("--bytes 1 us"));
  EXPECT_THAT(refusal({"-p", "ideal", "--push", "0..8 KiB:1 KiB"}),
              HasSubstr("5 KiB is beyond the longest message of 4 KiB"));
  EXPECT_THAT(refusal({"-p", "ideal", "--push", "0..8 KiB"}), HasSubstr("--push 0..8 KiB: "));
  EXPECT_THAT(refusal({"-p", "ideal", "--local", "--second-push", "1 B"}), HasSubstr("within a host"));
  EXPECT_THAT(refusal({"-p", "ideal", "--local"}), HasSubstr("set hosts.processors to 2"));
  EXPECT_THAT(refusal({"-p", "loggp-example", "--set", "hosts.count=1", "--set", "hosts.processors=2"}),
              HasSubstr("both ranks are on one host"));
  EXPECT_THAT(refusal({"-p", "ideal", "--set", "messages.push=5 B"}), HasSubstr("is what is searched"));
  EXPECT_THAT(refusal({"-p", "ideal", "--bytes", "1 KiB", "x.otf2"}),
              HasSubstr("--bytes is the ping-pong's"));
  EXPECT_THAT(refusal({"-p", "ideal", "x.otf2"}), HasSubstr("there is no trace x.otf2"));
  EXPECT_THAT(refusal({"-p", "ideal", "x.otf2", "--", "false"}), HasSubstr("not both"));
  EXPECT_THAT(refusal({"-p", "ideal", "--", "no-such-program"}), HasSubstr("no-such-program"));
  EXPECT_THAT(refusal({"-p", "ideal", "--rounds", "0"}), HasSubstr("--rounds"));
  EXPECT_THAT(refusal({"-p", "ideal", "--plot", "x.gif"}), HasSubstr("x.gif"));
}

}  // namespace
}  // namespace morgana::test
