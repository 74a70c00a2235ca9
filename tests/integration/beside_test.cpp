// Traces beside a trace, and traffic beside a schedule.

#include <set>
#include <string>
#include <tuple>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Beside : public MorganaTest {
 protected:
  /// Records rings of 4 ranks.
  void record(const std::string& trace, const std::string& bytes) {
    succeed({"run", "-n", "4", "--platform", "ideal", "--compute", "none", "--quiet", "--trace", trace, "--",
             program("ring"), "4", bytes});
  }
  nlohmann::json replayed(std::vector<std::string> options) {
    options.insert(options.begin(), {"replay", "a.otf2", "--quiet", "--json", "result.json"});
    succeed(options);
    return read_json("result.json");
  }
};

// On a LogGP network hosts share nothing, so that jobs on hosts of their own do not delay each other.
TEST_F(Beside, JobsOnANetworkWithoutContentionTakeTheirOwnTimes) {
  record("a.otf2", "3000");
  record("b.otf2", "90000");
  const auto alone = replayed({"--platform", "loggp-example"});
  succeed({"replay", "b.otf2", "--platform", "loggp-example", "--quiet", "--json", "b.json"});
  const auto both =
      replayed({"--platform", "loggp-example", "--beside", "b.otf2", "--beside", "a.otf2@3 ms"});
  EXPECT_FALSE(alone.contains("jobs"));
  EXPECT_EQ(both.at("simulated_time_ps"), alone.at("simulated_time_ps"));
  EXPECT_EQ(both.at("per_rank"), alone.at("per_rank"));
  EXPECT_EQ(both.at("hosts"), alone.at("hosts"));
  const auto& jobs = both.at("jobs");
  ASSERT_EQ(jobs.size(), 3);
  EXPECT_EQ(jobs.at(0).at("end_ps"), alone.at("simulated_time_ps"));
  EXPECT_EQ(jobs.at(1).at("end_ps"), simulated_ps("b.json"));
  EXPECT_EQ(jobs.at(1).at("first_host"), 4);
  EXPECT_EQ(jobs.at(2).at("start_ps"), 3'000'000'000);
  EXPECT_EQ(jobs.at(2).at("end_ps"), 3'000'000'000 + simulated_ps("result.json"));
}

TEST_F(Beside, TheSummaryNamesEachJobWithItsTime) {
  record("a.otf2", "3000");
  const std::string out =
      succeed({"replay", "a.otf2", "--platform", "roce-100g", "--beside", "a.otf2", "--beside-times", "2"})
          .out;
  EXPECT_THAT(out, AllOf(HasSubstr("\njob 1 "), HasSubstr("a.otf2, 4 ranks on 2 hosts from host 0 on\n"),
                         HasSubstr("\njob 2 "), HasSubstr("2 hosts from host 2 on, 2 times\n")));
}

/// Leaves of four hosts: with a host for each rank the jobs are on leaves of their own, with two ranks a host
/// on one leaf.
TEST_F(Beside, JobsThatShareNoLinkAreNoted) {
  record("a.otf2", "3000");
  const auto notes = [this](const std::string& map) {
    return succeed({"replay", "a.otf2", "--platform", "hdr-fat-tree", "--set", "network.hosts-per-switch=4",
                    "--set", "network.arity=4", "--beside", "a.otf2", "--map", map})
        .err;
  };
  EXPECT_THAT(notes("cyclic"), HasSubstr("a.otf2 and the first job use no link of the network in common"));
  EXPECT_THAT(notes("block"), testing::Not(HasSubstr("in common")));
}

// Four ranks on two leaves each, two jobs on four leaves; with one path between two hosts nothing is drawn.
TEST_F(Beside, JobsOnDifferentLeavesShareNoLink) {
  record("a.otf2", "3000");
  const std::vector<std::string> command{"replay",        "a.otf2",          "--platform",
                                         "hdr-fat-tree",  "--set",           "network.hosts-per-switch=2",
                                         "--set",         "network.arity=4", "--map",
                                         "cyclic",        "--beside",        "a.otf2",
                                         "--beside-alone"};
  const auto result = succeed(command);
  EXPECT_THAT(
      result.err,
      HasSubstr("their hosts are at different leaves, and each cable in use between switches is one leaf's"));
  EXPECT_THAT(result.err, Not(HasSubstr("scatter")));
  EXPECT_THAT(result.out, AllOf(HasSubstr("\njob 1 "), HasSubstr(", as alone: ")));
}

// Job 1 is on hosts 0 to 3, job 2 on hosts 4 to 7, whose links are much busier; each host has links of its
// own.
TEST_F(Beside, TheLimitIsLookedForInLinksThatTheFirstJobUsed) {
  for (const auto& [trace, kind, bytes] :
       {std::tuple{"a.otf2", "alltoall", "65536"}, std::tuple{"b.otf2", "incast", "4194304"}})
    succeed({"run", "-n", "4", "--platform", "ideal", "--compute", "none", "--quiet", "--trace", trace, "--",
             program("exchange"), kind, bytes});
  for (const char* platform : {"roce-100g", "fast-ethernet-tree", "myrinet-gm"}) {
    SCOPED_TRACE(platform);
    const auto lines = [&](std::vector<std::string> more) {
      more.insert(more.begin(), {"replay", "a.otf2", "--platform", platform, "--map", "cyclic"});
      return succeed(more).out;
    };
    const auto line = [](const std::string& out, const std::string& label) {
      const std::size_t at = out.find("\n" + label + " ");
      return at == std::string::npos ? "" : out.substr(at + 1, out.find('\n', at + 1) - at - 1);
    };
    const std::string out = lines({"--beside", "b.otf2"});
    const std::string busiest = line(out, "busiest links"), trouble = line(out, "trouble");
    for (const char* host : {"host 4", "host 5", "host 6", "host 7"})
      EXPECT_THAT(busiest, Not(HasSubstr(host)));
    // Only the first marks packets; on the last no link is busy for half of the run.
    EXPECT_EQ(trouble.find("of all 2 jobs, ") != std::string::npos, platform == std::string("roce-100g"));
    if (platform == std::string("myrinet-gm"))
      EXPECT_EQ(busiest, "");
    else
      EXPECT_THAT(busiest, HasSubstr("of the links that job 1 used"));
    EXPECT_THAT(lines({}), Not(HasSubstr("that job 1 used")));
  }
}

// The same routes beside others as alone: with one path for each pair of hosts, what job 1 used alone is what
// it uses beside job 2. On the last platform its packets are in transit at hosts of nobody's.
TEST_F(Beside, LinksOfTheProgramAreThoseThatItUsesAlone) {
  for (const auto& [trace, ranks] : {std::tuple{"a.otf2", "16"}, std::tuple{"b.otf2", "4"}})
    succeed({"run", "-n", ranks, "--platform", "ideal", "--compute", "none", "--quiet", "--trace", trace,
             "--", program("exchange"), "alltoall", "2048"});
  for (const char* platform : {"fast-ethernet-tree", "myrinet-gm", "myrinet-itb"}) {
    SCOPED_TRACE(platform);
    const auto used = [&](const std::vector<std::string>& beside) {
      std::vector<std::string> options{"--platform", platform, "--map", "spread"};
      if (platform == std::string("myrinet-itb"))
        options.insert(options.end(), {"--set", "network.in-transit.overflow=host-memory"});
      options.insert(options.end(), beside.begin(), beside.end());
      std::set<std::string> links;
      const auto result = replayed(options);
      for (const auto& link : result.at("links"))
        if (link.at("utilisation") > 0 && link.value("of_program", true))
          links.insert(link.at("from").dump() + link.at("from_port").dump() + link.at("to").dump());
      return links;
    };
    const auto alone = used({});
    EXPECT_FALSE(alone.empty());
    EXPECT_EQ(used({"--beside", "b.otf2"}), alone);
  }
}

TEST_F(Beside, NoLinkLimitsAProgramOnOneHost) {
  record("a.otf2", "3000");
  const std::string out =
      succeed({"replay", "a.otf2", "--platform", "hdr-fat-tree", "--set", "hosts.processors=4", "--set",
               "background.load=0.8", "--set", "background.hosts=0..7"})
          .out;
  EXPECT_THAT(out, AllOf(HasSubstr("no message used the network"), Not(HasSubstr("\nlimit ")),
                         Not(HasSubstr("\nbusiest links "))));
}

TEST_F(Beside, PagesHaveTheJobsAndHowTheyWereRun) {
  record("a.otf2", "3000");
  succeed({"replay", "a.otf2", "--platform", "roce-100g", "--beside", "a.otf2", "--set",
           "network.bandwidth=x2", "--ranks-per-host", "1", "--seed", "7", "--quiet", "--report", "run.html",
           "--json", "run.json"});
  const std::string page = read("run.html");
  for (const char* text :
       {R"("label":"job 2","text":")", R"("label":"set","text":"network.bandwidth=x2")",
        R"("label":"placement","text":"block, 1 to a host")", R"("label":"seed","text":"7")"})
    EXPECT_THAT(page, HasSubstr(text));
  const nlohmann::json result = read_json("run.json");
  EXPECT_EQ(result.at("overrides"), nlohmann::json({"network.bandwidth=x2"}));
  EXPECT_EQ(result.at("map"), "block:1");
}

TEST_F(Beside, CompareHasItOnEachPlatform) {
  record("a.otf2", "300000");
  const std::vector<std::string> how{"compare", "a.otf2", "--platforms", "loggp-example,fast-ethernet-tree",
                                     "--map",   "spread", "--quiet",     "--json"};
  std::vector<std::string> alone = how, beside = how;
  alone.push_back("alone.json");
  beside.insert(beside.end(), {"beside.json", "--beside", "a.otf2"});
  succeed(alone);
  succeed(beside);
  const auto of = [&](const char* file, int platform) {
    return read_json(file).at("platforms").at(platform).at("simulated_time_ps").get<std::int64_t>();
  };
  EXPECT_EQ(of("alone.json", 0), of("beside.json", 0));
  EXPECT_LT(of("alone.json", 1), of("beside.json", 1));
}

TEST_F(Beside, WhatIsNoJobIsRefusedInASentence) {
  record("a.otf2", "3000");
  write("b.goal", "num_ranks 2\nrank 0 {\na: send 8b to 1\n}\nrank 1 {\na: recv 8b from 0\n}\n");
  const auto refusal = [&](const std::vector<std::string>& options) {
    std::vector<std::string> all{"replay", "a.otf2", "--platform", "loggp-example"};
    all.insert(all.end(), options.begin(), options.end());
    const FinishedProcess process = morgana(all);
    EXPECT_EQ(process.exit_code, 2);
    return process.err;
  };
  EXPECT_THAT(refusal({"--beside", "none.otf2"}), HasSubstr("--beside none.otf2: "));
  EXPECT_THAT(refusal({"--beside", "b.goal"}),
              HasSubstr("a schedule runs beside schedules, not beside a trace"));
  EXPECT_THAT(refusal({"--beside", "a.otf2@soon"}), HasSubstr("the job's start follows the @"));
  EXPECT_THAT(refusal({"--beside-times", "3"}), HasSubstr("--beside"));
  EXPECT_THAT(refusal({"--beside", "a.otf2", "--beside-times", "0"}), HasSubstr("at least once"));
  EXPECT_THAT(refusal({"--beside", "a.otf2", "--set", "hosts.count=6"}),
              HasSubstr("job 2 (a.otf2) has 4 ranks, which need 4 hosts of their own"));
  EXPECT_THAT(refusal({"--beside-alone"}), HasSubstr("--beside-alone compares with jobs of --beside"));
}

// A trace runs beside a schedule as the schedule that export makes of it, an execution trace as it is.
TEST_F(Beside, SchedulesAndExecutionTracesAreJobsOfEachOther) {
  record("a.otf2", "3000");
  succeed({"export", "a.otf2", "--to", "goal", "-o", "a.goal", "--quiet"});
  const std::string samples = MORGANA_SOURCE "/traces/samples/";
  const auto run = [this](std::vector<std::string> options) {
    options.insert(options.begin(), "replay");
    options.insert(options.end(), {"--platform", "dgx-h100-pod", "--set", "collectives.library=nccl",
                                   "--quiet", "--json", "run.json"});
    succeed(options);
    return read_json("run.json");
  };
  const auto step = run({samples + "data-parallel"}), ring = run({samples + "ring-allreduce.goal"});
  const auto both = run({samples + "data-parallel", "--beside", samples + "ring-allreduce.goal", "--beside",
                         "a.otf2@1 ms", "--beside", samples + "data-parallel", "--beside-alone"});
  // Each job of eight ranks has a node of its own, whose switch it shares with nobody.
  EXPECT_EQ(both.at("simulated_time_ps"), step.at("simulated_time_ps"));
  EXPECT_EQ(both.at("execution"), step.at("execution"));
  const auto& jobs = both.at("jobs");
  ASSERT_EQ(jobs.size(), 4);
  EXPECT_EQ(jobs.at(1).at("end_ps"), ring.at("simulated_time_ps"));
  EXPECT_EQ(jobs.at(2).at("start_ps"), 1'000'000'000);
  for (const auto& job : jobs)
    EXPECT_EQ(job.at("alone_ps").get<std::int64_t>(),
              job.at("end_ps").get<std::int64_t>() - job.at("start_ps").get<std::int64_t>());
  const auto reversed = run({samples + "ring-allreduce.goal", "--beside", samples + "data-parallel"});
  EXPECT_EQ(reversed.at("jobs").at(1).at("end_ps"), step.at("simulated_time_ps"));
  const std::string out = succeed({"replay", "a.goal", "--platform", "roce-100g", "--beside", "a.goal",
                                   "--beside-times", "2", "--report", "run.html"})
                              .out;
  EXPECT_THAT(out, AllOf(HasSubstr("\njob 1 "), HasSubstr("a.goal, 4 ranks on"), HasSubstr("\njob 2 "),
                         HasSubstr(", 2 times\n")));
  EXPECT_THAT(read("run.html"), HasSubstr(R"("label":"job 2","text":")"));
}

// Alone a trace is the schedule that it is beside others: these share no link, so that nothing slows it.
TEST_F(Beside, ATraceBesideAScheduleIsAScheduleAloneToo) {
  succeed({"run", "-n", "4", "--platform", "ideal", "--compute", "none", "--quiet", "--trace", "all.otf2",
           "--", program("alltoalls")});
  write("g.goal", "num_ranks 2\nrank 0 {\na: send 1000000b to 1\n}\nrank 1 {\na: recv 1000000b from 0\n}\n");
  const auto run = [this](std::vector<std::string> options) {
    options.insert(options.begin(), "replay");
    options.insert(options.end(), {"--platform", "edr-fat-tree-2to1", "--set", "hosts.processors=1",
                                   "--quiet", "--json", "run.json"});
    succeed(options);
    return read_json("run.json");
  };
  succeed(
      {"export", "all.otf2", "--to", "goal", "--platform", "edr-fat-tree-2to1", "-o", "all.goal", "--quiet"});
  const auto job = run({"g.goal", "--beside", "all.otf2", "--beside-alone"}).at("jobs").at(1);
  EXPECT_EQ(job.at("alone_ps"), job.at("end_ps"));
  EXPECT_EQ(job.at("alone_ps"), run({"all.goal"}).at("simulated_time_ps"));
  EXPECT_NE(job.at("alone_ps"), run({"all.otf2"}).at("simulated_time_ps"));
}

// Where the network has as many hosts as a run takes, alone it has those of all jobs: hosts hang where they
// hung. A job that begins when the other is over slows nobody.
TEST_F(Beside, AJobAloneHasTheNetworkOfAllJobs) {
  succeed({"run", "-n", "4", "--platform", "ideal", "--compute", "none", "--quiet", "--trace", "a.otf2", "--",
           program("alltoalls")});
  succeed({"export", "a.otf2", "--to", "goal", "-o", "a.goal", "--quiet"});
  for (const std::string program : {"a.otf2", "a.goal"}) {
    SCOPED_TRACE(program);
    succeed({"replay",         program,
             "--platform",     "hdr-fat-tree",
             "--set",          "network.hosts-per-switch=spread",
             "--set",          "network.topology=chain",
             "--set",          "network.switches=4",
             "--set",          "network.routes=spanning-tree",
             "--set",          "hosts.processors=1",
             "--beside",       program + "@1 s",
             "--beside-alone", "--quiet",
             "--json",         "run.json"});
    for (const auto& job : read_json("run.json").at("jobs"))
      EXPECT_EQ(job.at("alone_ps").get<std::int64_t>(),
                job.at("end_ps").get<std::int64_t>() - job.at("start_ps").get<std::int64_t>());
  }
}

// The ranks of the jobs beside begin together, though each host has one processor for two of them: waiting
// for the start takes none.
TEST_F(Beside, AJobThatStartsLaterTakesAsLong) {
  record("a.otf2", "3000");
  const auto job = [&](const std::string& beside) {
    return replayed({"--platform", "loggp-example", "--map", "block:2", "--set", "hosts.processors=1",
                     "--set", "hosts.quantum=100 us", "--beside", beside})
        .at("jobs")
        .at(1);
  };
  const auto later = job("a.otf2@5 ms");
  EXPECT_EQ(later.at("start_ps"), 5'000'000'000);
  EXPECT_EQ(later.at("end_ps").get<std::int64_t>() - 5'000'000'000, job("a.otf2").at("end_ps"));
}

/// Without eager messages.
class BesideDeadlock : public Beside {
 protected:
  /// Both ranks of job 2 send before they receive.
  void SetUp() override {
    Beside::SetUp();
    import("b",
           "num_ranks 2\nrank 0 {\na: send 8b to 1\nb: recv 8b from 1\nb requires a\n}\n"
           "rank 1 {\na: send 8b to 0\nb: recv 8b from 0\nb requires a\n}\n");
  }
  void import(const std::string& name, const std::string& schedule) {
    write(name + ".goal", schedule);
    succeed({"import", name + ".goal", "-o", name + ".otf2"});
  }
  FinishedProcess beside_b(std::vector<std::string> words) {
    words.insert(words.end(), {"--set", "messages.eager-limit=0 B", "--beside", "b.otf2"});
    return morgana(words);
  }
};

TEST_F(BesideDeadlock, OfAnotherJobLeavesTheFirstJobsResult) {
  record("a.otf2", "3000");
  const auto alone = replayed({"--platform", "loggp-example", "--set", "messages.eager-limit=0 B"});
  const FinishedProcess both = beside_b(
      {"replay", "a.otf2", "--platform", "loggp-example", "--json", "result.json", "--report", "page.html"});
  EXPECT_EQ(both.exit_code, 3);
  EXPECT_THAT(both.err, AllOf(HasSubstr("on loggp-example job 2 (b.otf2) stands still; job 1 has ended"),
                              HasSubstr("MPI_Wait"), HasSubstr("ranks 0 to 3 are job 1's"),
                              Not(HasSubstr("never received"))));
  EXPECT_THAT(both.out, HasSubstr("\njob 2           stands still since "));
  const std::string page = read("page.html");
  EXPECT_THAT(page, AllOf(HasSubstr(R"("label":"job 2","text":"stands still since )"),
                          HasSubstr(R"("text":"on loggp-example job 2 (b.otf2) stands still)")));
  const auto result = read_json("result.json");
  EXPECT_EQ(result.at("simulated_time_ps"), alone.at("simulated_time_ps"));
  EXPECT_EQ(result.at("per_rank"), alone.at("per_rank"));
  EXPECT_FALSE(result.at("jobs").at(0).at("stands_still"));
  EXPECT_TRUE(result.at("jobs").at(1).at("stands_still"));
}

TEST_F(BesideDeadlock, IsNamedByCompareWithItsPlatforms) {
  record("a.otf2", "3000");
  const FinishedProcess both = beside_b(
      {"compare", "a.otf2", "--platforms", "loggp-example,fast-ethernet-tree", "--json", "result.json"});
  EXPECT_EQ(both.exit_code, 3);
  for (const char* platform : {"loggp-example", "fast-ethernet-tree"})
    EXPECT_THAT(both.err, HasSubstr(std::string("on ") + platform + " job 2 (b.otf2) stands still"));
  const auto platforms = read_json("result.json").at("platforms");
  EXPECT_EQ(platforms.size(), 2);
  for (const auto& one : platforms) EXPECT_TRUE(one.at("stands_still")) << one;
  const FinishedProcess alone =
      morgana({"compare", "a.otf2", "--platforms", "loggp-example", "--json", "alone.json"});
  EXPECT_EQ(alone.exit_code, 0);
  EXPECT_FALSE(read_json("alone.json").at("platforms").at(0).at("stands_still"));
}

// Job 1 waits for a receive that it does not have. The cycle is of ranks 2 and 3, which its page has not.
TEST_F(BesideDeadlock, OfTheFirstJobHasNoRanksOfOthersOnItsPage) {
  import("a", "num_ranks 2\nrank 0 {\na: send 8b to 1\n}\nrank 1 {\na: calc 5\n}\n");
  const FinishedProcess both =
      beside_b({"replay", "a.otf2", "--platform", "loggp-example", "--report", "page.html"});
  EXPECT_EQ(both.exit_code, 3);
  EXPECT_THAT(both.err, AllOf(HasSubstr("cycle: rank 2"), HasSubstr("ranks 0 to 1 are job 1's")));
  EXPECT_THAT(read("page.html"), Not(HasSubstr(R"("cycle":[{")")));
}

TEST_F(Beside, BackgroundTrafficDelaysASchedule) {
  write("b.goal", "num_ranks 2\nrank 0 {\na: send 1000000b to 1\n}\nrank 1 {\na: recv 1000000b from 0\n}\n");
  const auto time = [&](const std::string& load) {
    succeed({"replay", "b.goal", "--platform", "roce-100g", "--quiet", "--json", "goal.json", "--map",
             "cyclic", "--set", "background.hosts=0,1", "--set", "background.load=" + load});
    return simulated_ps("goal.json");
  };
  EXPECT_LT(time("0"), time("0.8"));
}

// Of 8 bytes, which are there before the first background message is drawn. Traffic of hosts at another
// switch meets nothing of them: their time counts from their own start, which takes no time of a processor.
TEST_F(Beside, ACollectiveBeginsInTrafficThatHasSettled) {
  struct Case {
    const char *platform, *ranks, *apart, *map;
    std::vector<std::string> more = {};
  };
  const std::vector<std::string> shared{"--set", "hosts.processors=1", "--set", "hosts.quantum=100 us"};
  for (const Case& one :
       {Case{"roce-100g", "4", "100,101", "cyclic"}, Case{"roce-100g", "4", "100,101", "block:2", shared},
        Case{"dgx-h100", "8", "8,9", "cyclic"}}) {
    SCOPED_TRACE(std::string(one.platform) + ", " + one.map);
    const auto measured = [this, &one](const std::string& load, const std::string& hosts) {
      std::vector<std::string> words{"collective",
                                     "all-reduce",
                                     "-p",
                                     one.platform,
                                     "-n",
                                     one.ranks,
                                     "--map",
                                     one.map,
                                     "--bytes",
                                     "8 B",
                                     "-q",
                                     "--json",
                                     "time.json",
                                     "--set",
                                     "background.load=" + load,
                                     "--set",
                                     "background.hosts=" + hosts};
      words.insert(words.end(), one.more.begin(), one.more.end());
      succeed(words);
      return read_json("time.json").at("rows").at(0).at("time_ps").get<std::int64_t>();
    };
    EXPECT_EQ(measured("0.5", one.apart), measured("0", "0,1"));
    EXPECT_GT(measured("0.5", "0..7"), measured("0", "0,1"));
  }
}

TEST_F(Beside, BackgroundTrafficDoesNotHideTheDeadlockOfASchedule) {
  write("b.goal", "num_ranks 2\nrank 0 {\na: recv 8b from 1\n}\nrank 1 {\na: recv 8b from 0\n}\n");
  const FinishedProcess stuck = morgana(
      {"replay", "b.goal", "--platform", "roce-100g", "--map", "cyclic", "--set", "background.load=0.2"});
  EXPECT_NE(stuck.exit_code, 0);
  EXPECT_THAT(stuck.err, HasSubstr("eadlock"));
}

}  // namespace
}  // namespace morgana::test
