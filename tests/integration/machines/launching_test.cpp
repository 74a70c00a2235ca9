// What runs on which ranks, and what surrounds them: several programs, batch systems, programs that start the
// ranks' program, and programs that ranks start.

#include <cctype>

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/printed_lines.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string launched = MORGANA_BIN "/launched";

class Launching : public MorganaTest {
 protected:
  /// `morgana run -q --compute none WORDS` in a shell, which may set variables before it.
  FinishedProcess run(const std::string& words, const std::string& before = "") const {
    return in_shell(before + " morgana run -q --compute none " + words);
  }
  static bool there_is(const std::string& program) {
    return run_to_end({"bash", "-c", "command -v " + program}).exit_code == 0;
  }
};

// --- Several programs -----------------------------------------------------------------------------------

TEST_F(Launching, GivesEachOfSeveralProgramsItsArgumentsVariablesAndNumber) {
  const FinishedProcess done =
      run("-n 2 --env SHOW=A,B --env A=1 --platform fast-ethernet -- " + launched +
          " x 'y z' : -n 1 -x SHOW=A,B -x B=2 " + launched + " : -np 2 " + launched + " '' w");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out,
            "rank 0 of 5, program 0: [x] [y z] A=1 B=(none)\n"
            "rank 1 of 5, program 0: [x] [y z] A=1 B=(none)\n"
            "rank 2 of 5, program 1: A=(none) B=2\n"
            "rank 3 of 5, program 2: [] [w]\n"
            "rank 4 of 5, program 2: [] [w]\n");
}

TEST_F(Launching, OfSeveralProgramsNativelyGivesTheSame) {
  const FinishedProcess done =
      run("-n 1 --env SHOW=A --env A=1 --platform native -- " + launched + " x : -n 1 " + launched);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out, "rank 0 of 2, program 0: [x] A=1\nrank 1 of 2, program 1:\n");
}

TEST_F(Launching, NamesAllProgramsInResultsAndTraces) {
  const std::string words = "-n 1 -- " + launched + " a '\\:' : -n 2 --env 'A=1 2' " + launched + " b";
  const std::string text = launched + " a '\\:' : -n 2 --env 'A=1 2' " + launched + " b";
  const FinishedProcess done = run("--json run.json --trace run.otf2 " + words);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("rank 0 of 3, program 0: [a] [:]\n"));
  EXPECT_EQ(read_json("run.json").at("subject"), text);
  EXPECT_EQ(in_shell("morgana capture -q -o real.otf2 " + words).exit_code, 0);
  for (const char* trace : {"run.otf2", "real.otf2"}) {
    succeed({"stats", "-q", "--json", "stats.json", trace});
    EXPECT_EQ(read_json("stats.json").at("program"), text) << trace;
    EXPECT_EQ(read_json("stats.json").at("per_rank").size(), 3U) << trace;
  }
  // What is printed can be typed again.
  EXPECT_EQ(run("-n 1 -- " + text).out, done.out);
}

TEST_F(Launching, ReplaysAndComparesSeveralProgramsAsOne) {
  const std::string words = "-n 1 -- " + launched + " a : -n 1 " + launched;
  EXPECT_EQ(run("--platform fast-ethernet --json run.json --trace run.otf2 " + words).exit_code, 0);
  succeed({"replay", "-q", "run.otf2", "--platform", "fast-ethernet", "--json", "replay.json"});
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
  const FinishedProcess compared =
      in_shell("morgana compare --quiet --json compare.json --platforms ideal,fast-ethernet -n 1 -- " +
               launched + " : -n 1 " + launched);
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_THAT(read("compare.json"), HasSubstr(launched + " : -n 1 " + launched));
}

TEST_F(Launching, PassesALoneColonThatIsNoSeparator) {
  EXPECT_EQ(run("-n 1 -- " + launched + " ':' 2>&1").exit_code, 2);
  EXPECT_EQ(run("-n 1 -- " + launched + " '\\:' '\\\\:' a:b ::").out,
            "rank 0 of 1, program 0: [:] [\\:] [a:b] [::]\n");
}

// --- Standard input --------------------------------------------------------------------------------------

TEST_F(Launching, GivesStandardInputToOneRank) {
  const std::string words = "-n 3 --env INPUT=1 -- " + launched;
  const auto reads = [](int reader) {
    std::string text;
    for (int rank = 0; rank < 3; ++rank)
      text += "rank " + std::to_string(rank) + " of 3, program 0: read " +
              (rank == reader ? "hello" : "nothing") + "\n";
    return text;
  };
  EXPECT_EQ(run(words, "echo hello |").out, reads(0));
  EXPECT_EQ(run("--stdin 0 " + words, "echo hello |").out, reads(0));
  EXPECT_EQ(run("--stdin 2 " + words, "echo hello |").out, reads(2));
  EXPECT_EQ(run("--stdin=1 " + words + " <<<hello").out, reads(1));
  EXPECT_EQ(run("--stdin none " + words, "echo hello |").out, reads(-1));
  // From a file that somebody else has begun to read.
  write("lines", "first\nhello\n");
  EXPECT_EQ(in_shell("{ read -r line; morgana run -q --compute none --stdin 1 " + words + "; } <lines").out,
            reads(1));
}

// --- Batch systems ---------------------------------------------------------------------------------------

/// Variables that lead MPICH's mpiexec to hosts that there are not.
struct Surroundings {
  const char* name;
  const char* variables;
  const char* shown;  ///< one that ranks see as natively, with its value
  const char* said;   ///< by `morgana doctor`
};

class InAnAllocation : public Launching, public testing::WithParamInterface<Surroundings> {};

TEST_P(InAnAllocation, RanksRunOnThisMachineAndSeeTheVariables) {
  write("hosts", "nowhere1.invalid\nnowhere2.invalid\n");
  write(".mpiexec.hydra.conf", "-f hosts\n");
  const std::string shown = GetParam().shown, name = shown.substr(0, shown.find('='));
  const std::string here = "export SHOW=" + name + " " + GetParam().variables + ";";
  const std::string expected =
      "rank 0 of 2, program 0: " + shown + "\nrank 1 of 2, program 0: " + shown + "\n";
  EXPECT_EQ(run("-n 2 -- " + launched, here).out, expected);
  EXPECT_EQ(run("-n 2 --platform native -- " + launched, here).out, expected);
  EXPECT_EQ(in_shell(here + "morgana capture -q -n 2 -o real.otf2 -- " + launched).out, expected);
  const FinishedProcess doctor = in_shell(here + "morgana doctor");
  EXPECT_THAT(doctor.out, AllOf(HasSubstr(GetParam().said), HasSubstr("two ranks start and end")));
}

INSTANTIATE_TEST_SUITE_P(
    Each, InAnAllocation,
    testing::Values(
        Surroundings{"Slurm",
                     "SLURM_JOB_ID=17 SLURM_JOBID=17 SLURM_NNODES=2 SLURM_NODELIST=nowhere[1-2].invalid "
                     "SLURM_TASKS_PER_NODE='2(x2)' SLURM_NPROCS=4",
                     "SLURM_JOB_ID=17", "in an allocation of Slurm (SLURM_JOB_ID=17)"},
        Surroundings{"Pbs", "PBS_JOBID=18.server PBS_ENVIRONMENT=PBS_BATCH PBS_NODEFILE=$PWD/hosts",
                     "PBS_JOBID=18.server", "in an allocation of PBS (PBS_JOBID=18.server)"},
        Surroundings{
            "Lsf", "LSB_JOBID=19 LSB_MCPU_HOSTS='nowhere1.invalid 2 nowhere2.invalid 2' LSF_BINDIR=/nowhere",
            "LSB_JOBID=19", "in an allocation of LSF (LSB_JOBID=19)"},
        Surroundings{"HostFile", "HYDRA_HOST_FILE=hosts HYDRA_LAUNCHER=ssh", "HYDRA_HOST_FILE=hosts",
                     "no allocation here"},
        Surroundings{"HydrasConfiguration", "HOME=$PWD", "HYDRA_CONFIG_FILE=(none)", "no allocation here"},
        // Morgana as a rank of another mpiexec's.
        Surroundings{"AnotherLauncher", "PMI_RANK=7 PMI_SIZE=9 PMI_FD=9 PMIX_RANK=7 OMPI_COMM_WORLD_RANK=7",
                     "OMPI_COMM_WORLD_RANK=(none)", "no allocation here"}),
    [](const auto& which) { return which.param.name; });

// --- Programs that start the ranks' program --------------------------------------------------------------

class StartedBy : public Launching, public testing::WithParamInterface<std::string> {};

std::string name_of_starter(const testing::TestParamInfo<std::string>& which) {
  std::string name;
  for (const char c : which.param)
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
  return name;
}

TEST_P(StartedBy, RunsAsItsArgumentsSay) {
  const std::string starter = GetParam().substr(0, GetParam().find(' '));
  if (!there_is(starter)) GTEST_SKIP() << "needs " << starter;
  // Not every machine lets everybody do what these do, a debugger for one.
  if (in_shell(GetParam() + " true </dev/null").exit_code != 0)
    GTEST_SKIP() << GetParam() << " does not work here";
  for (const std::string how : {"run --compute none", "capture -o real.otf2"}) {
    const FinishedProcess done =
        in_shell("morgana " + how + " -q -n 2 -- " + GetParam() + " " + launched + " x </dev/null");
    EXPECT_EQ(done.exit_code, 0) << how << '\n' << done.out << done.err;
    EXPECT_THAT(done.out,
                AllOf(HasSubstr("rank 0 of 2, program 0: [x]\n"), HasSubstr("rank 1 of 2, program 0: [x]\n")))
        << how << '\n'
        << done.err;
    EXPECT_THAT(without_notes(done.err), Not(HasSubstr("morgana:"))) << how;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, StartedBy,
                         testing::Values("nice", "env A=1", "env -u LD_PRELOAD", "taskset -c 0",
                                         "/usr/bin/time -o time.out", "strace -o strace.out",
                                         "strace -f -o strace.out", "stdbuf -oL", "timeout 100", "nohup",
                                         "setsid", "setsid -w", "chrt -o 0", "setarch -R", "ionice -c 3",
                                         "prlimit --nofile=1000", "xargs", "numactl -l",
                                         "perf record -q -o /dev/null", "gdb -batch -ex run --args",
                                         "nice timeout 100 taskset -c 0"),
                         name_of_starter);

TEST_F(Launching, KeepsItsOwnLibraryBesideOneThatTheProgramsStarterPreloads) {
  const std::string tool = "LD_PRELOAD=" MORGANA_BIN "/libprofiler.so";
  for (const std::string& words : {"-- env " + tool + " " + launched, "--env " + tool + " -- " + launched,
                                   "-- sh -c '" + tool + " exec " + launched + "'",
                                   "-- sh -c '" + tool + " " + launched + "; exit $?'"}) {
    const FinishedProcess done = run("-n 2 --env SHOW=LD_PRELOAD " + words);
    EXPECT_EQ(done.exit_code, 0) << words << done.err;
    // The rank's own LD_PRELOAD is the program's once it has begun.
    EXPECT_THAT(done.out, HasSubstr("rank 1 of 2, program 0: " + tool + "\n")) << words << done.err;
  }
}

// Hydra 4.2 signals those that still run when one rank has left MPI.
TEST_F(Launching, AStarterOutlivesThatOtherRanksHaveLeftMpi) {
  const std::string signal = "kill -USR1 $$; ";
  for (const std::string& script : {signal + launched + " x", launched + " x; " + signal + "exit $?",
                                    signal + "exec " + launched + " x"}) {
    const FinishedProcess done = run("-n 2 -- sh -c '" + script + "'");
    EXPECT_EQ(done.exit_code, 0) << script << '\n' << done.err;
    EXPECT_THAT(done.out,
                AllOf(HasSubstr("rank 0 of 2, program 0: [x]\n"), HasSubstr("rank 1 of 2, program 0: [x]\n")))
        << script;
    EXPECT_EQ(without_notes(done.err), "") << script;
  }
}

// Any other signal ends a rank as ever.
TEST_F(Launching, AStarterThatIsKilledEndsTheRun) {
  const FinishedProcess done = run("-n 2 -- sh -c 'kill -USR2 $$; exec " + launched + "'");
  EXPECT_EQ(done.exit_code, 128 + SIGUSR2);
  EXPECT_THAT(done.err, HasSubstr("was killed by signal 12 (User defined signal 2)"));
}

// --- Programs that ranks start ---------------------------------------------------------------------------

TEST_F(Launching, ARanksChildrenAreNoRanks) {
  // Another MPI job, by system, popen, fork and exec, and posix_spawn.
  const std::string child = "mpiexec.mpich -n 2 " + launched + " nested </dev/null";
  for (const std::string how : {"run --compute none", "capture -o real.otf2"}) {
    const FinishedProcess done = in_shell(
        "morgana " + how + " -q -n 2 --env SHOW=MPIR_CVAR_NOLOCAL,LD_PRELOAD --env CHILD='env -u CHILD " +
        child + "' -- " + launched + " outer");
    EXPECT_EQ(done.exit_code, 0) << done.err;
    const std::string none = " MPIR_CVAR_NOLOCAL=(none) LD_PRELOAD=(none)\n",
                      nested = "rank 1 of 2, program 0: [nested]" + none;
    std::size_t times = 0;
    for (std::size_t at = 0; (at = done.out.find(nested, at)) != std::string::npos; ++at) ++times;
    EXPECT_EQ(times, 5U) << how << done.out << done.err;
    EXPECT_THAT(done.out, AllOf(HasSubstr("rank 1 of 2, program 0: [outer]"), Not(HasSubstr("FAIL"))))
        << done.err;
  }
}

TEST_F(Launching, AScriptThatIsARankMayStartOtherMpiJobsBeforeItsProgram) {
  write("rank.sh", "#!/bin/sh\nmpiexec.mpich -n 1 " + launched + " before </dev/null >&2\n" + launched +
                       " \"$@\" || exit\nmpiexec.mpich -n 1 " + launched + " after </dev/null >&2\n");
  const FinishedProcess done = run("-n 2 -- sh rank.sh x");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out, "rank 0 of 2, program 0: [x]\nrank 1 of 2, program 0: [x]\n");
  EXPECT_THAT(done.err, AllOf(HasSubstr("rank 0 of 1, program 0: [before]\n"),
                              HasSubstr("rank 0 of 1, program 0: [after]\n")));
}

TEST_F(Launching, ARankMayStartMorganaItself) {
  const FinishedProcess done = run("-n 2 --env CHILD='env -u CHILD morgana run -q --compute none -n 3 -- " +
                                   launched + " inner' -- " + launched + " outer");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("rank 2 of 3, program 0: [inner]"),
                              HasSubstr("rank 1 of 2, program 0: [outer]"), Not(HasSubstr("FAIL"))));
}

}  // namespace
}  // namespace morgana::test
