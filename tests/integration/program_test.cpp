#include <thread>

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/native_run.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Programs that check themselves: each must pass over the real MPI, and under Morgana on a slow network.
class Program : public MorganaTest, public testing::WithParamInterface<std::string> {};

TEST_P(Program, ComputesTheSameUnderMorganaAsOverTheRealMpi) {
  const FinishedProcess native = run_natively(4, {program(GetParam())});
  EXPECT_EQ(native.exit_code, 0) << native.out << native.err;
  EXPECT_THAT(native.out, HasSubstr("PASS"));
  const FinishedProcess emulated =
      succeed({"run", "-n", "4", "--platform", "ethernet-10", "--quiet", "--", program(GetParam())});
  EXPECT_THAT(emulated.out, HasSubstr("PASS"));
}

TEST_P(Program, IsRecordedAndReplayed) {
  EXPECT_THAT(succeed({"capture", "-n", "4", "-o", "program.otf2", "--", program(GetParam())}).out,
              HasSubstr("PASS"));
  const FinishedProcess printed = run_to_end({"otf2-print", path("program.otf2/traces.otf2")});
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_EQ(printed.err, "");
  succeed({"replay", "program.otf2", "--platform", "fast-ethernet", "--quiet", "--json", "replay.json"});
  EXPECT_GT(simulated_ps("replay.json"), 0);
}

INSTANTIATE_TEST_SUITE_P(Of, Program,
                         testing::Values("forking", "signals", "openmp", "threads", "profiled", "pingpong",
                                         "nonblocking", "overlap", "collectives", "reductions", "alltoalls",
                                         "datatypes", "communicators", "probes", "pollers", "statuses",
                                         "truncation", "clocks", "windows", "cxx_bindings", "fortran_mpif",
                                         "fortran_mpi", "fortran_f08"));

/// Not over MPICH, which waits for the receiver for ever.
class CancelledSends : public MorganaTest, public testing::WithParamInterface<std::string> {};

TEST_P(CancelledSends, EndAndReplayAlike) {
  EXPECT_THAT(succeed({"run", "-n", "4", "--platform", GetParam(), "--quiet", "--json", "run.json", "--trace",
                       "run.otf2", "--", program("cancelled_sends")})
                  .out,
              HasSubstr("PASS"));
  succeed({"replay", "run.otf2", "--platform", GetParam(), "--quiet", "--json", "replay.json"});
  EXPECT_EQ(read_json("run.json").at("per_rank"), read_json("replay.json").at("per_rank"));
}

INSTANTIATE_TEST_SUITE_P(On, CancelledSends,
                         testing::Values("fast-ethernet", "infiniband-hdr", "smp-push-pull", "smp-push-all"));

TEST_F(MorganaTest, WildcardReceivesMatchInTheOrderOfSimulatedTime) {
  // Rank 1 works for a good while before it sends, which takes no simulated time; rank 2 sleeps, which takes
  // only simulated time. The program checks the order itself.
  EXPECT_THAT(
      succeed({"run", "-n", "3", "--compute", "none", "--quiet", "--", program("wildcards"), "simulated"})
          .out,
      HasSubstr("PASS"));
}

/// A rank's operations have one order: its threads must not call MPI at once (MPI 4.0, 11.3.1).
TEST_F(MorganaTest, SessionsNameTheLevelOfThreadsThatTheyGet) {
  const std::string levels =
      "MPI_THREAD_SINGLE gets MPI_THREAD_SERIALIZED\n"
      "MPI_THREAD_MULTIPLE gets MPI_THREAD_SERIALIZED\n"
      "nothing gets MPI_THREAD_SERIALIZED\n";
  EXPECT_EQ(succeed({"run", "-n", "1", "--quiet", "--", program("session_level")}).out, levels);
  EXPECT_EQ(
      succeed({"capture", "-n", "1", "--quiet", "-o", path("run.otf2"), "--", program("session_level")}).out,
      levels);
}

TEST_F(MorganaTest, ProcessorsAreNamedAfterTheModelledHosts) {
  const std::string out = succeed({"run", "-n", "3", "--platform", "ethernet-10", "--set",
                                   "hosts.processors=2", "--quiet", "--", program("processor_names")})
                              .out;
  EXPECT_THAT(out, HasSubstr("rank 0 on host0;"));
  EXPECT_THAT(out, HasSubstr("rank 1 on host0;"));
  EXPECT_THAT(out, HasSubstr("rank 2 on host1;"));
}

TEST_F(MorganaTest, ClocksShowSimulatedTime) {
  EXPECT_THAT(
      succeed({"run", "-n", "2", "--compute", "none", "--quiet", "--", program("clocks"), "simulated"}).out,
      HasSubstr("PASS"));
}

/// Programs that find out, told that they are simulated, whether they really are.
class SimulatedProgram : public MorganaTest, public testing::WithParamInterface<std::string> {};

TEST_P(SimulatedProgram, LivesInSimulatedTime) {
  EXPECT_THAT(succeed({"run", "-n", "3", "--quiet", "--", program(GetParam()), "simulated"}).out,
              HasSubstr("PASS"));
}

INSTANTIATE_TEST_SUITE_P(Of, SimulatedProgram, testing::Values("dlopened", "forking", "openmp"));

TEST_F(MorganaTest, ThreadsComputeBesideEachOtherOnAsManyCoresAsARankHas) {
  for (const std::string cores : {"unlimited", "1", "2"}) {
    const FinishedProcess done = succeed({"run", "-n", "2", "--set", "hosts.cores-per-rank=" + cores, "--",
                                          program("threads"), cores == "unlimited" ? "0" : cores});
    EXPECT_THAT(done.out, HasSubstr("PASS"));
    EXPECT_THAT(done.err, testing::AllOf(testing::ContainsRegex("a rank had up to [2-5] threads at once"),
                                         HasSubstr("hosts.cores-per-rank = " + cores)));
  }
  EXPECT_THAT(succeed({"run", "-n", "2", "--compute", "none", "--", program("threads")}).err,
              testing::Not(HasSubstr("threads")));
}

TEST_F(MorganaTest, AProfilerBetweenProgramAndMpiSeesEveryCall) {
  const std::string binary = program("profiled_by_library");
  const FinishedProcess native = run_natively(2, {binary});
  EXPECT_THAT(native.out, HasSubstr("profile: 5 sends, 5 receives"));
  const FinishedProcess emulated = succeed({"run", "-n", "2", "--quiet", "--", binary});
  EXPECT_THAT(emulated.out, HasSubstr("profile: 5 sends, 5 receives"));
  EXPECT_THAT(emulated.out, HasSubstr("PASS"));
}

TEST_F(MorganaTest, ResultsEqualThoseOfANativeRun) {
  const auto checksum = [](const std::string& out) { return out.substr(0, out.find(',')); };
  const FinishedProcess native = run_natively(4, {program("ring")});
  const FinishedProcess emulated = succeed({"run", "-n", "4", "--quiet", "--", program("ring")});
  EXPECT_THAT(emulated.out, HasSubstr("checksum"));
  EXPECT_EQ(checksum(native.out), checksum(emulated.out));
}

TEST_F(MorganaTest, TheSummaryFollowsTheProgramsOutput) {
  const std::string out = succeed({"run", "-n", "4", "--", program("ring")}).out;
  const std::size_t own = out.find("ring of 4"), summary = out.find("simulated time");
  ASSERT_NE(own, std::string::npos);
  ASSERT_NE(summary, std::string::npos);
  EXPECT_LT(own, summary);
  for (const char* part : {"latency", "99th percentile", "wall time", "slowdown", "communication"}) {
    EXPECT_THAT(out, HasSubstr(part));
  }
}

TEST_F(MorganaTest, ANativeRunIsMeasuredInTheSameForm) {
  const std::string out =
      succeed({"run", "-n", "2", "--platform", "native", "--json", "native.json", "--", program("ring")}).out;
  EXPECT_THAT(out, HasSubstr("measured time"));
  EXPECT_EQ(read_json("native.json").at("platform"), "native");
  EXPECT_EQ(read_json("native.json").at("per_rank").size(), 2u);
  EXPECT_GT(simulated_ps("native.json"), 0);
  EXPECT_THAT(morgana({"run", "-n", "1", "--platform", "native", "--compute", "none", "--map", "cyclic", "--",
                       program("ring")})
                  .err,
              HasSubstr("without effect is --compute none, --map cyclic"));
}

// As modules built on MPICH do: the library is loaded into the interpreter. The constant is MPI_COMM_WORLD
// there. A line is written at once, because an unbuffered interpreter writes each part that it prints apart.
TEST_F(MorganaTest, APythonProgramRunsAsAnyOther) {
  write("barrier.py", R"(import ctypes, sys
mpi, world, rank = ctypes.CDLL("libmpich.so.12"), 0x44000000, ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
if rank.value == 1 and len(sys.argv) > 1:
    import atexit
    atexit.register(mpi.MPI_Finalize)
    raise RuntimeError("rank 1 has had enough")
mpi.MPI_Barrier(world)
sys.stdout.write("rank %d\n" % rank.value)
mpi.MPI_Finalize()
)");
  if (in_shell("command -v python3").exit_code != 0) GTEST_SKIP() << "python3 is not here";
  EXPECT_THAT(
      succeed({"run", "-n", "2", "-p", "fast-ethernet", "--quiet", "--", "python3", "barrier.py"}).out,
      AllOf(HasSubstr("rank 0\n"), HasSubstr("rank 1\n")));
  const std::string err =
      morgana({"run", "-n", "2", "-p", "fast-ethernet", "--quiet", "--", "python3", "barrier.py", "x"}).err;
  EXPECT_LT(err.find("RuntimeError: rank 1 has had enough"), err.find("rank 0: waits in MPI_Barrier"));
  EXPECT_THAT(err, HasSubstr("calls MPI_Finalize after an exception"));
}

TEST_F(MorganaTest, APlacementDecidesWhoMeetsOverTheNetwork) {
  write("apart", "0\n1\n");
  const auto time = [&](const std::string& map) {
    succeed({"run", "-n", "2", "--platform", "fast-ethernet", "--set", "hosts.processors=2", "--set",
             "hosts.count=2", "--map", map, "--compute", "none", "--quiet", "--json", "run.json", "--",
             program("ring")});
    return simulated_ps("run.json");
  };
  const std::int64_t together = time("block"), apart = time("cyclic");
  EXPECT_LT(together, apart);
  EXPECT_EQ(time("apart"), apart);
}

TEST_F(MorganaTest, TheSummarySaysHowManyHostsThereWereAndCyclicSpreadsRanks) {
  const auto out = [&](const std::string& map) {
    return succeed({"run", "-n", "2", "--platform", "infiniband-hdr", "--map", map, "--compute", "none", "--",
                    program("pingpong")})
        .out;
  };
  EXPECT_THAT(out("block"), HasSubstr("hosts           1 with 2 processors; no message used the network"));
  EXPECT_THAT(out("cyclic"), HasSubstr("hosts           2, one for each rank"));
}

TEST_F(MorganaTest, AComparisonSaysWhereRanksShareHosts) {
  succeed({"capture", "-n", "2", "-o", "ring.otf2", "--quiet", "--", program("ring")});
  EXPECT_THAT(
      succeed({"compare", "ring.otf2", "--platforms", "roce-100g-loggp,fast-ethernet,infiniband-hdr"}).out,
      HasSubstr(
          "hosts on roce-100g-loggp, infiniband-hdr  1 with 2 processors; no message used the network\n"));
}

TEST_F(MorganaTest, ARecordingSaysWhenRanksHaveToWaitForProcessors) {
  const FinishedProcess crowded =
      morgana({"capture", "-n", std::to_string(std::thread::hardware_concurrency() + 1), "-o", "ring.otf2",
               "--", program("ring")});
  EXPECT_EQ(crowded.exit_code, 0) << crowded.err;
  EXPECT_THAT(crowded.err, HasSubstr("waiting for one is recorded as computing, or in calls as "
                                     "communication; `morgana run --platform ideal"));
}

TEST_F(MorganaTest, AMeasuredRunSaysWhenRanksHaveToWaitForProcessors) {
  const std::string ranks = std::to_string(std::thread::hardware_concurrency() + 1);
  const auto said_by = [&](const std::string& compute, const std::string& also) {
    return succeed({"run", "-n", ranks, "--platform", "fast-ethernet", also, "--compute", compute, "--",
                    program("ring")})
        .err;
  };
  const std::string said = "computing is measured as CPU time, which grows where programs take turns";
  EXPECT_THAT(said_by("measured", "--seed=1"), HasSubstr("note: " + ranks + " ranks share "));
  EXPECT_THAT(said_by("measured", "--trace=run.otf2"), HasSubstr(said));
  EXPECT_THAT(said_by("none", "--seed=1"), testing::Not(HasSubstr(said)));
  EXPECT_THAT(said_by("recorded:run.otf2", "--seed=1"), testing::Not(HasSubstr(said)));
}

TEST_F(MorganaTest, CountersOfANetworkThatCountsNothingAreSaidToBeNone) {
  EXPECT_THAT(
      succeed({"run", "-n", "2", "--platform", "loggp-example", "--counters", "--", program("ring")}).out,
      HasSubstr("network and transport count nothing"));
}

TEST_F(MorganaTest, ARunWithoutAPlatformIsOnAClusterOfTodayAndSaysSo) {
  const FinishedProcess run = succeed({"run", "-n", "2", "--compute", "none", "--", program("ring")});
  EXPECT_THAT(run.err, HasSubstr("note: no --platform is given: this is hdr-fat-tree, A cluster of today"));
  EXPECT_THAT(run.out, HasSubstr("| 2 ranks | hdr-fat-tree\n"));
  EXPECT_THAT(run.out, HasSubstr("\ncritical path   "));
  EXPECT_THAT(run.err, HasSubstr("note: no message used the network: all 2 ranks are on one host with 2 "));
  const FinishedProcess named =
      succeed({"run", "-n", "2", "-p", "hdr-fat-tree", "--compute", "none", "--", program("ring")});
  EXPECT_THAT(named.err, Not(HasSubstr("no --platform")));
  EXPECT_EQ(
      succeed({"run", "-n", "2", "--map", "cyclic", "--compute", "none", "--quiet", "--", program("ring")})
          .err,
      "");
}

/// --quiet silences what informs, and not what makes the result another than was asked for.
TEST_F(MorganaTest, QuietRunsStillSayWhatTheResultIsNot) {
  const auto notes = [this](std::vector<std::string> settings) {
    std::vector<std::string> words{"run", "-n", "2", "--compute", "none", "--quiet"};
    words.insert(words.end(), settings.begin(), settings.end());
    words.insert(words.end(), {"--", program("ring")});
    return succeed(words).err;
  };
  EXPECT_THAT(notes({"--map", "cyclic", "--set", "network.leaves=4"}),
              AllOf(HasSubstr("note: network.leaves has no effect"), Not(HasSubstr("no --platform"))));
  EXPECT_THAT(notes({}), AllOf(HasSubstr("no message used the network"), Not(HasSubstr("no --platform"))));
  EXPECT_THAT(notes({"-p", "infiniband-hdr", "--set", "network.kind=ethernet-switched"}),
              HasSubstr("drops what the platform had set for the former kind"));
}

TEST_F(MorganaTest, RunsSayThatClocksLackRecordedComputing) {
  succeed({"run", "-n", "2", "-p", "ideal", "--compute", "none", "--quiet", "--trace", "r.otf2", "--",
           program("ring")});
  EXPECT_THAT(
      succeed({"run", "-n", "2", "-p", "ideal", "--compute", "recorded:r.otf2", "--", program("ring")}).err,
      HasSubstr("note: --compute recorded: a clock that the program reads"));
}

TEST_F(MorganaTest, TheSampleOfADeadlockPrintsItsUsage) {
  EXPECT_THAT(run_to_end({program("deadlock"), "--help"}).out, HasSubstr("usage: morgana run"));
}

TEST_F(MorganaTest, KeysThatLeaveOthersBehindAreNoted) {
  const auto notes = [this](std::vector<std::string> settings) {
    std::vector<std::string> words{"run", "-n", "2", "-p", "hdr-fat-tree", "--compute", "none"};
    words.insert(words.end(), settings.begin(), settings.end());
    words.insert(words.end(), {"--", program("ring")});
    return succeed(words).err;
  };
  for (const std::string set : {"network.link-speed=NDR", "network.rate=400 Gb/s", "network.bandwidth=x2"})
    EXPECT_THAT(notes({"--set", set}),
                AllOf(HasSubstr("note: " + set.substr(0, set.find('=')) +
                                " is set, and these keep the values that the platform has for its own: "),
                      HasSubstr("transport.fetch-per-byte = 38.5 ps/B"), Not(HasSubstr("ejection-rate = "))));
  EXPECT_THAT(notes({"--map", "cyclic"}), Not(HasSubstr("no message used")));
  EXPECT_THAT(notes({"--set", "network.leaves=4"}), HasSubstr("note: network.leaves has no effect"));
  EXPECT_EQ(notes({"--map", "cyclic"}), "");
  EXPECT_EQ(notes({"--map", "cyclic", "--set", "network.bandwidth=x2", "--quiet"}), "");
}

/// Eight hosts of one leaf, then of all: what crosses cables between switches.
TEST_F(MorganaTest, TheSummarySaysThatNoCableBetweenSwitchesWasUsed) {
  const auto summary = [this](const std::string& map) {
    return succeed({"run", "-n", "8", "-p", "hdr-fat-tree", "--set", "hosts.processors=1", "--map", map,
                    "--compute", "none", "--", program("ring")})
        .out;
  };
  EXPECT_THAT(summary("block"),
              HasSubstr("\nidle cables     no message crossed a cable between switches: all "
                        "hosts in use are at switch 0; --map spread"));
  EXPECT_THAT(summary("spread"), Not(HasSubstr("idle cables")));
}

/// Buffers of two packets in front of slow links: frames are lost, and go-back-n sends them again.
TEST_F(MorganaTest, TheSummaryNamesLossesAndRetransmissions) {
  const FinishedProcess run = succeed(
      {"run", "-n", "4", "-p", "fast-ethernet", "--set", "transport.kind=go-back-n", "--set",
       "network.buffer=2 frames", "--compute", "none", "--json", "run.json", "--", program("alltoalls")});
  EXPECT_THAT(run.out, testing::ContainsRegex("\ntrouble         Ethernet outputs: [0-9]+ frames lost"));
  EXPECT_THAT(run.out, HasSubstr("sent again"));
  EXPECT_EQ(read_json("run.json").at("trouble").at(0).at("name"), "frames lost");
}

TEST_F(MorganaTest, ABusyLinkIsNamedInTheSummaryAndCountersShowTheBusiest) {
  const std::string out =
      succeed({"run", "-n", "2", "--platform", "myrinet-ud", "--set", "network.rate=1 Mb/s", "--counters",
               "--compute", "none", "--", program("ring")})
          .out;
  EXPECT_THAT(out, HasSubstr("\nbusiest links   host 0 to switch 0 port 0 ("));
  EXPECT_THAT(out, HasSubstr("flits"));
}

TEST_F(MorganaTest, AComparisonShowsEveryPlatformInOrderWithItsRatio) {
  succeed({"capture", "-n", "4", "-o", "ring.otf2", "--quiet", "--", program("ring")});
  const std::string table = succeed({"compare", "ring.otf2", "--platforms", "ethernet-10,fast-ethernet",
                                     "--csv", "table.csv", "--json", "table.json", "--plot", "table.svg"})
                                .out;
  EXPECT_LT(table.find("ethernet-10"), table.find("fast-ethernet"));
  const auto runs = read_json("table.json").at("platforms");
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs.at(0).at("ratio"), 1.0);
  EXPECT_LT(runs.at(1).at("ratio"), 1.0);
  succeed({"replay", "ring.otf2", "--platform", "fast-ethernet", "--quiet", "--json", "single.json"});
  EXPECT_EQ(runs.at(1).at("simulated_time_ps"), simulated_ps("single.json"));
  EXPECT_THAT(read("table.csv"),
              HasSubstr("\nfast-ethernet," + std::to_string(simulated_ps("single.json")) + ","));
  EXPECT_THAT(read("table.svg"), HasSubstr("fast-ethernet"));
  EXPECT_THAT(table, HasSubstr("\ncritical path "));
  // The path's pieces add up to the run's time.
  for (const auto& run : runs) EXPECT_EQ(run.at("critical_path").at("total_ps"), run.at("simulated_time_ps"));
}

/// Two leaves, each of four hosts with two uplinks: what ranks of one leaf send to the other passes uplinks
/// that are half as many as hosts. One host after the other is filled with four ranks.
TEST_F(MorganaTest, RanksPerHostFillHostsAndShowWhatLimits) {
  const auto run = [this](std::vector<std::string> more) {
    std::vector<std::string> words{
        "run",       "-n",   "32",     "-p",      "edr-fat-tree-2to1", "--set", "network.hosts-per-switch=4",
        "--compute", "none", "--json", "run.json"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--", program("exchange"), "alltoall", "65536"});
    return succeed(words).out;
  };
  const std::string two_to_one = run({"--set", "network.arity=2", "-ppn", "4"});
  const std::int64_t crowded = simulated_ps("run.json");
  EXPECT_THAT(two_to_one, HasSubstr("\nhosts           8 with 32 processors each"));
  EXPECT_THAT(two_to_one, testing::ContainsRegex("\nlimit           [^\n]*uplinks of the leaves"));
  const std::string full = run({"--set", "network.arity=4", "--ranks-per-host", "4"});
  EXPECT_THAT(full, Not(testing::ContainsRegex("\nlimit           [^\n]*uplinks")));
  EXPECT_LT(simulated_ps("run.json"), crowded);
  // Other commands know the same words; ranks on 2 of 4 hosts, or on all.
  succeed({"run", "-n", "4", "-p", "ideal", "--compute", "none", "--quiet", "--trace", "run.otf2", "--",
           program("ring")});
  const auto hosts = [this](std::vector<std::string> words) {
    words.insert(words.end(), {"--set", "hosts.processors=4"});
    return succeed(words).out;
  };
  EXPECT_THAT(hosts({"replay", "run.otf2", "-p", "hdr-fat-tree", "-ppn", "2"}),
              HasSubstr("\nhosts           2 with 4 processors each"));
  EXPECT_THAT(hosts({"compare", "run.otf2", "--platforms", "hdr-fat-tree", "-ppn=2"}),
              HasSubstr("hosts on hdr-fat-tree  2 with 4 processors each"));
  hosts({"sweep", "run.otf2", "--platform", "hdr-fat-tree", "--over", "network.latency=x1", "--perhost", "2",
         "--csv", "sweep.csv"});
  EXPECT_THAT(read("sweep.csv"), HasSubstr(",block:2,"));
}

/// Four times as many ranks as processors at once: in real time each would seem to compute while it waits.
TEST_F(MorganaTest, AProgramIsComparedByTheProcessorTimeOfItsRanksUnlessToldOtherwise) {
  const std::string ranks = std::to_string(4 * std::thread::hardware_concurrency());
  const FinishedProcess compared = morgana({"compare", "-n", ranks, "--platforms", "ideal,fast-ethernet",
                                            "--csv", "table.csv", "--", program("ring")});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_THAT(compared.err, testing::Not(HasSubstr("waiting for one is recorded as computing")));
  EXPECT_THAT(compared.out, HasSubstr("recorded for ideal, fast-ethernet  by the CPU time"));
  EXPECT_THAT(read("table.csv"), HasSubstr(",processor-time,"));
}

TEST_F(MorganaTest, AProgramIsComparedOverTheRealMpiWhenAskedFor) {
  EXPECT_THAT(
      succeed({"compare", "-n", "2", "--record", "real", "--platforms", "ideal", "--", program("ring")}).out,
      HasSubstr("recorded for ideal  over the real MPI"));
}

TEST_F(MorganaTest, AProgramIsComparedWithItsOwnNativeRun) {
  succeed({"compare", "-n", "2", "--platforms", "native,ethernet-10", "--json", "table.json", "--quiet", "--",
           program("ring")});
  EXPECT_EQ(read_json("table.json").at("platforms").at(0).at("platform"), "native");
  EXPECT_EQ(read_json("table.json").at("platforms").at(0).at("recorded"), "real");
  EXPECT_EQ(read_json("table.json").at("platforms").at(1).at("platform"), "ethernet-10");
  EXPECT_EQ(read_json("table.json").at("platforms").at(1).at("recorded"), "processor-time");
}

/// 1'767'225'600 s after 1970 begins 2026: 56 years of 365 days and 14 leap days.
TEST_F(MorganaTest, SimulatedDatesBeginWhereTheUserSays) {
  const FinishedProcess wrong = morgana({"run", "--date", "2026-02-30", "--", program("ring")});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, testing::HasSubstr("\"2026-02-30\" is not a date"));
  const FinishedProcess said =
      succeed({"run", "--compute", "none", "--quiet", "--date", "2026-01-01", "--", program("clocks")});
  EXPECT_THAT(said.out, testing::HasSubstr("date 1767225600"));
}

}  // namespace
}  // namespace morgana::test
