#include <algorithm>

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/sample_traces.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SweepCommand : public MorganaTest {
 protected:
  std::vector<std::string> sweep(const std::string& csv, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"sweep",  ep_sample,
                                   "--over", "network.background.load=30 %,60 %",
                                   "--over", "network.switches=1,2",
                                   "-p",     "atm-oc3-loaded",
                                   "--csv",  csv};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(SweepCommand, GivesTheSameFileForTheSameSeeds) {
  succeed(sweep("one.csv", {"--seeds", "3", "-j", "1"}));
  succeed(sweep("two.csv", {"--seeds", "3", "-j", "4"}));
  EXPECT_EQ(read("one.csv"), read("two.csv"));
}

TEST_F(SweepCommand, GoesOnWhereItWasBrokenOffAndSaysSo) {
  succeed(sweep("whole.csv", {"--seeds", "2"}));
  const std::string whole = read("whole.csv");
  std::size_t fourth_line = 0;
  for (int i = 0; i < 3; ++i) fourth_line = whole.find('\n', fourth_line) + 1;
  write("cut.csv", whole.substr(0, fourth_line + 20));
  const FinishedProcess again = succeed(sweep("cut.csv", {"--seeds", "2"}));
  EXPECT_THAT(again.err, HasSubstr("2 of 8 runs are in cut.csv already"));
  EXPECT_EQ(read("cut.csv"), whole);
}

TEST_F(SweepCommand, AddsSeedsToAFile) {
  succeed(sweep("grown.csv", {"--seeds", "1"}));
  succeed(sweep("grown.csv", {"--seeds", "3"}));
  succeed(sweep("whole.csv", {"--seeds", "3"}));
  EXPECT_EQ(read("grown.csv"), read("whole.csv"));
}

TEST_F(SweepCommand, AgreesWithASingleReplay) {
  succeed({"sweep", ep_sample, "-p", "atm-oc3-loaded", "--over", "network.switches=2", "--seeds", "5..5",
           "--json", "sweep.json"});
  succeed({"replay", ep_sample, "-p", "atm-oc3-loaded", "--set", "network.switches=2", "--seed", "5",
           "--quiet", "--json", "replay.json"});
  const auto figures = read_json("sweep.json").at("points").at(0).at("figures");
  EXPECT_EQ(figures.at("total_ps").at("mean"), read_json("replay.json").at("simulated_time_ps"));
  EXPECT_TRUE(figures.at("total_ps").at("radius").is_null());  // of one run nothing can be said
}

TEST_F(SweepCommand, ShowsWhichPartOfTheBytesStayedWithinHostsWhereAnyDid) {
  const auto over = [](const std::string& processors) {
    return std::vector<std::string>{"sweep",  ep_sample,  "-p",    "fast-ethernet",
                                    "--over", processors, "--csv", "hosts.csv"};
  };
  EXPECT_THAT(succeed(over("hosts.processors=1")).out, Not(HasSubstr("within hosts")));
  EXPECT_THAT(succeed(over("hosts.processors=1,4")).out,
              AllOf(HasSubstr("within hosts"), HasSubstr("  0.0 %\n"), HasSubstr("100.0 %\n")));
  EXPECT_THAT(read("hosts.csv"),
              AllOf(HasSubstr(",hosts,share_within_hosts\n"), HasSubstr(",4,0\n"), HasSubstr(",1,1\n")));
}

TEST_F(SweepCommand, VariesRanksAndArgumentsOfALiveProgram) {
  const FinishedProcess swept = succeed({"sweep", "--over", "ranks=2,3", "--over", "rounds=1,4", "--compute",
                                         "none", "--csv", "live.csv", "--", program("ring"), "{rounds}"});
  EXPECT_THAT(swept.out, AllOf(HasSubstr("rounds"), Not(HasSubstr("checksum"))));
  EXPECT_THAT(read("live.csv"),
              HasSubstr(program("ring") + " '{rounds}',hdr-fat-tree,,block,3,4,1,1,finished,"));
}

TEST_F(SweepCommand, BindsArgumentsToRanksAndDrawsWeakScaling) {
  const FinishedProcess swept = succeed(
      {"sweep",     "--compute",      "none",     "-p",       "loggp-example", "--over",     "ranks=2..8:x2",
       "--let",     "count=64*ranks", "--plot",   "weak.svg", "--figure",      "efficiency", "--json",
       "weak.json", "--csv",          "weak.csv", "--",       program("ring"), "3",          "{count}"});
  EXPECT_THAT(swept.out, AllOf(HasSubstr("ranks  count  runs"), HasSubstr("8        512 ")));
  const auto report = read_json("weak.json");
  EXPECT_EQ(report.at("scaling"), "weak");
  const auto& last = report.at("points").at(2);
  EXPECT_EQ(last.at("values"), nlohmann::json({{"ranks", "8"}, {"count", "512"}}));
  EXPECT_NEAR(last.at("speed_up").get<double>(), 4 * last.at("efficiency").get<double>(), 1e-9);
  EXPECT_THAT(read("weak.svg"),
              AllOf(HasSubstr("ideal"), HasSubstr("weak scaling"), HasSubstr("efficiency (%)")));
  // A run of the last point with its arguments gives the same time.
  succeed({"run", "-n", "8", "--compute", "none", "-p", "loggp-example", "--quiet", "--json", "run.json",
           "--", program("ring"), "3", "512"});
  EXPECT_EQ(last.at("figures").at("total_ps").at("mean"), simulated_ps("run.json"));
}

TEST_F(SweepCommand, KeepsStandardErrorOfEachRun) {
  write("silent.sh", "#!/bin/sh\nexec " + program("ring") + "\n");
  write("loud.sh", "#!/bin/sh\necho \"size $1 is loud\" >&2\nexec ./silent.sh\n");
  for (const char* script : {"silent.sh", "loud.sh"})
    std::filesystem::permissions(path(script), std::filesystem::perms::owner_all);
  const auto sweep_of = [this](const std::vector<std::string>& more, const std::string& name) {
    std::vector<std::string> words{"sweep", "-n", "2", "--compute", "none", "--over", "size=1,a/b"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--", name, "{size}"});
    return succeed(words);
  };
  const FinishedProcess kept = sweep_of({"--csv", "r.csv", "--json", "r.json"}, "./loud.sh");
  EXPECT_EQ(read("r.csv.stderr/size=1,+seed+1.txt"), "size 1 is loud\nsize 1 is loud\n");
  EXPECT_EQ(read("r.csv.stderr/size=a%2Fb,+seed+1.txt"), "size a/b is loud\nsize a/b is loud\n");
  EXPECT_THAT(kept.err, AllOf(HasSubstr("what 2 runs wrote to standard error is in r.csv.stderr"),
                              Not(HasSubstr("is loud"))));
  // Beside the first result that is a file, nowhere without one, and nothing is left of silent runs.
  EXPECT_THAT(sweep_of({"--csv", "-", "--json", "s.json"}, "./loud.sh").err,
              HasSubstr("is in s.json.stderr"));
  EXPECT_THAT(sweep_of({}, "./loud.sh").err, Not(HasSubstr("loud")));
  sweep_of({"--csv", "silent.csv"}, "./silent.sh");
  EXPECT_FALSE(std::filesystem::exists(path("silent.csv.stderr")));
}

TEST_F(SweepCommand, TakesComputeTimesFromARecording) {
  succeed({"run", "-n", "3", "--trace", "ring.otf2", "--", program("ring")});
  const auto total = [this](const std::vector<std::string>& compute) {
    std::vector<std::string> words{
        "sweep", "-n", "3", "-p", "loggp-example", "--over", "network.latency=1 us,1 ms", "--json", "s.json"};
    words.insert(words.end(), compute.begin(), compute.end());
    words.insert(words.end(), {"--", program("ring")});
    succeed(words);
    return read_json("s.json").at("points").at(0).at("figures").at("total_ps").at("mean").get<double>();
  };
  const double recorded = total({"--compute", "recorded:ring.otf2", "--csv", "r.csv"});
  EXPECT_GT(recorded, total({"--compute", "none"}));
  EXPECT_EQ(total({"--compute", "recorded:ring.otf2"}), recorded);  // reproducible
  EXPECT_THAT(read("r.csv"), HasSubstr("--compute recorded:ring.otf2 "));
}

TEST_F(SweepCommand, MakesARowOfADeadlockAndOfAFailure) {
  const FinishedProcess swept =
      morgana({"sweep", "-n", "2", "--compute", "none", "--csv", "stuck.csv", "--", program("deadlock")});
  EXPECT_EQ(swept.exit_code, 1);
  EXPECT_THAT(swept.out, HasSubstr("hdr-fat-tree: deadlock"));
  EXPECT_THAT(read("stuck.csv"), HasSubstr(",deadlock,,"));
}

// Others offer half as much again as the links carry, and three repetitions of a frame are called too many.
TEST_F(SweepCommand, SaysOfALoadThatIsTooMuchThatItIsUnstable) {
  const std::vector<std::string> loaded{
      cg_sample,           "-p",    "atm-oc3-sscop",      "--set", "network.buffer=20", "--set",
      "transport.tries=3", "--set", "transport.poll=2 ms"};
  std::vector<std::string> words{"sweep"};
  words.insert(words.end(), loaded.begin(), loaded.end());
  words.insert(words.end(),
               {"--over", "network.background.load=10,150 %", "--csv", "u.csv", "--json", "u.json"});
  const FinishedProcess swept = morgana(words);
  EXPECT_EQ(swept.exit_code, 1);
  EXPECT_THAT(swept.out, HasSubstr("network.background.load 150 %: unstable: what was sent again"));
  EXPECT_THAT(read("u.csv"), HasSubstr(",unstable,,"));
  EXPECT_EQ(read_json("u.json").at("points").at(1).at("reasons"), nlohmann::json({"unstable"}));

  std::vector<std::string> once{"replay"};
  once.insert(once.end(), loaded.begin(), loaded.end());
  once.insert(once.end(), {"--set", "network.background.load=150 %"});
  const FinishedProcess replayed = morgana(once);
  EXPECT_EQ(replayed.exit_code, 3);
  EXPECT_THAT(
      replayed.err,
      HasSubstr(
          "morgana: unstable: a frame was sent again 3 times without success (transport.tries)\ndeadlock"));
}

TEST_F(SweepCommand, RefusesWhatItCannotSweepInOneSentence) {
  const auto refusal = [this](std::vector<std::string> more) {
    std::vector<std::string> words{"sweep", ep_sample, "-p", "atm-oc3"};
    words.insert(words.end(), more.begin(), more.end());
    const FinishedProcess refused = morgana(words);
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    return refused.err;
  };
  EXPECT_THAT(refusal({"-n", "4"}), HasSubstr("-n 4 is for a program after"));
  EXPECT_THAT(refusal({"--over", "network.rat=1 Mb/s"}), HasSubstr("did you mean network.rate?"));
  EXPECT_THAT(refusal({"--over", "network.rate=1 us"}), HasSubstr("--over network.rate=1 us"));
  EXPECT_THAT(refusal({"--over", "network.rate=1 Mb/s..1 Gb/s:x10"}), HasSubstr("mixes the units"));
  EXPECT_THAT(refusal({"--seeds", "0"}), HasSubstr("--seeds 0"));
  EXPECT_THAT(refusal({"--over", "network.switches=1,2", "--plot", "x.svg", "--figure", "speed"}),
              HasSubstr("there is no figure speed; the figures are total_ps,"));
  EXPECT_THAT(refusal({"--over", "network.switches=1,2", "--plot", "x.svg", "--figure", "efficiency"}),
              HasSubstr("efficiency is speedup by rank"));
  EXPECT_THAT(refusal({"--let", "network.switches=2*"}), HasSubstr("--let network.switches=2*: "));
  EXPECT_THAT(refusal({"--let", "network.switches"}), HasSubstr("an expression over the names of --over"));
  EXPECT_THAT(refusal({"--scaling", "big"}), HasSubstr("--scaling"));
  EXPECT_THAT(refusal({"--plot", "x.svg"}), HasSubstr("sweep something with --over"));
  EXPECT_THAT(refusal({"--plot", "no/such/x.svg"}), HasSubstr("cannot draw no/such/x.svg: No such file"));
  EXPECT_THAT(refusal({"--compute", "recorded:x.otf2"}), HasSubstr("a trace's compute times are its own"));
  EXPECT_THAT(refusal({"--compute", "recorded:"}), HasSubstr("not measured, none or recorded:TRACE"));
  EXPECT_THAT(refusal({"--", "ring"}), HasSubstr("a trace or a program"));
  write("notes.csv", "my notes\n");
  EXPECT_THAT(refusal({"--csv", "notes.csv"}), HasSubstr("it holds something else"));
  EXPECT_EQ(read("notes.csv"), "my notes\n");
}

// "1 KiB" is 1 to most programs.
TEST_F(SweepCommand, SaysThatAProgramIsGivenUnits) {
  const std::vector<std::string> sweep{"sweep",          "-n",    "2", "--compute", "none", "--platform",
                                       "infiniband-hdr", "--over"};
  const auto over = [&](const std::string& sizes) {
    std::vector<std::string> words = sweep;
    words.insert(words.end(), {sizes, "--", program("ring"), "1", "{size}"});
    return morgana(words).err;
  };
  EXPECT_THAT(over("size=1 KiB,2 KiB"), HasSubstr("is given {size} as it stands, \"2 KiB\" with its unit"));
  EXPECT_THAT(over("size=1024,2048"), Not(HasSubstr("as it stands")));
}

}  // namespace
}  // namespace morgana::test
