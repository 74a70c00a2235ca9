// Machines that are examined before a run, and commands whose runs several machines make. Agents on one
// machine are started by mpiexec as on several.

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/sample_traces.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Machines : public MorganaTest {
 protected:
  static std::vector<std::string> with(std::vector<std::string> command, const std::string& agents) {
    command.insert(command.end(), {"--on", "mpi", "--with=-n", "--with=" + agents});
    return command;
  }
};

TEST_F(Machines, AreExaminedBeforeARun) {
  const FinishedProcess done = morgana(with({"doctor"}, "3"));
  EXPECT_THAT(done.out, AllOf(HasSubstr("agents                  3 in "), HasSubstr("all of this build: "),
                              HasSubstr("between each two, there and back in "),
                              HasSubstr("all see " + path("").substr(0, path("").size() - 1) + "\n"),
                              HasSubstr("(agent 2)  ")));
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(in_shell("ls -A").out, "");  // no file of the examination stays
}

TEST_F(Machines, ThatDoNotStartAreMissing) {
  const FinishedProcess done = morgana({"doctor", "--on", "mpi", "--with=-launcher", "--with=nosuch"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(
      done.out,
      AllOf(HasSubstr("failed   agents                  mpiexec.mpich, which was to start the agents, has "
                      "ended before they had come"),
            HasSubstr("Something has failed")));
  EXPECT_EQ(morgana({"doctor", "--with=-n"}).exit_code, 2);
}

class MachinesOutOfReach : public Machines {
 protected:
  /// What three commands say where ssh is this. @param codes  with which they end
  void start_by(const std::string& ssh, const std::string& codes) {
    write("ssh", "#!/bin/bash\n" + ssh + "\n");
    write("hosts", "nosuchhost.invalid\n");
    const FinishedProcess done = in_shell(
        "chmod +x ssh; export PATH=$PWD:$PATH\n"
        "on='--on ssh --with=-f --with=hosts'\n"
        "morgana doctor $on >doctor.out 2>&1 & doctor=$!\n"
        "morgana run -n 2 --compute none $on -- ring >run.out 2>&1 & run=$!\n"
        "morgana compare " +
        cg_sample +
        " --platforms fast-ethernet,infiniband-hdr $on >compare.out 2>&1 & compare=$!\n"
        "wait $doctor; echo doctor $?; wait $run; echo run $?; wait $compare; echo compare $?");
    EXPECT_EQ(done.out, codes);
  }
  static constexpr const char* nobody_ =
      "no agent has come that mpiexec.mpich was to start on nosuchhost.invalid";
  static constexpr const char* advice_ = " said stands above. Does mpiexec reach the machines (";
};

TEST_F(MachinesOutOfReach, AreNotWaitedForWithoutEnd) {
  start_by("exec sleep 1000", "doctor 1\nrun 2\ncompare 2\n");
  EXPECT_THAT(read("doctor.out"), AllOf(HasSubstr(std::string("failed   agents                  ") + nobody_ +
                                                  " within 30 s; what mpiexec.mpich" + advice_),
                                        HasSubstr("Something has failed")));
  for (const char* file : {"run.out", "compare.out"})
    EXPECT_THAT(read(file), HasSubstr(std::string(nobody_) + " within 60 s; what mpiexec.mpich" + advice_))
        << file;
}

// mpiexec goes on then.
TEST_F(MachinesOutOfReach, AreNotWaitedForWhereSshHasFailed) {
  start_by("echo no route to $2 >&2; exit 255", "doctor 1\nrun 2\ncompare 2\n");
  for (const char* file : {"doctor.out", "run.out", "compare.out"})
    EXPECT_THAT(read(file),
                AllOf(HasSubstr("no route to nosuchhost.invalid\n"),
                      HasSubstr(std::string("mpiexec.mpich's ssh for nosuchhost.invalid has ended before its "
                                            "agent had come (exit code 255): ") +
                                nobody_ + "; what it" + advice_)))
        << file;
}

// Open MPI's libraries for other languages are its own: where one is not found, doctor says so.
TEST_F(Machines, AreAskedForOpenMpisLanguages) {
  const FinishedProcess without = in_shell("LD_LIBRARY_PATH=$PWD morgana doctor");
  const FinishedProcess with =
      in_shell("touch libmpi_mpifh.so.40 libmpi_cxx.so.40; LD_LIBRARY_PATH=$PWD morgana doctor");
  EXPECT_THAT(without.out, HasSubstr("in C and Python (libmpi.so.40)"));
  EXPECT_THAT(with.out, HasSubstr("in C and Python (libmpi.so.40), Fortran (libmpi_mpifh.so.40), C++ "
                                  "(libmpi_cxx.so.40); and for MPICH's own name"));
}

TEST_F(Machines, AreNotForValidate) {
  const FinishedProcess done = morgana({"validate", "-n", "2", "--on", "mpi", "--", program("ring")});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(
      done.err,
      AllOf(
          HasSubstr(
              "--on is not an option of morgana validate; it works on this machine alone: it compares times "
              "that this machine measures"),
          HasSubstr("call it on the machine that you mean"), HasSubstr("morgana run"),
          HasSubstr(" have it")));
}

// The second machine has another folder in the same place.
TEST_F(Machines, ThatDoNotShareFilesAreNamed) {
  if (in_shell("unshare --mount true").exit_code != 0) GTEST_SKIP() << "needs root";
  write("elsewhere",
        "#!/bin/bash\nwhile [[ $1 == -* ]]; do shift; done\nshift\n"
        "exec unshare --mount bash -c \"mount -t tmpfs none '" +
            path("") + "' && cd / && $*\"\n");
  const FinishedProcess done = in_shell(
      "chmod +x elsewhere; printf '127.0.0.2\\n' >hosts; morgana doctor --on mpi --with=-f --with=hosts "
      "--with=-launcher --with=ssh --with=-launcher-exec --with=$PWD/elsewhere; echo code $?");
  EXPECT_THAT(done.out, AllOf(HasSubstr("missing  files on "), HasSubstr("it lacks a file just written"),
                              HasSubstr("code 1")))
      << done.err;
}

TEST_F(Machines, ShareTheRunsOfTune) {
  const std::vector<std::string> tune{"tune",           cg_sample,  "-p",       "fast-ethernet-smp",
                                      "--push",         "0 B,80 B", "--quiet",  "--second-push",
                                      "0..400 B:200 B", "--json",   "tune.json"};
  succeed(tune);
  const std::string alone = read("tune.json");
  const FinishedProcess done = succeed(with(tune, "2"));
  EXPECT_EQ(read("tune.json"), alone);
  EXPECT_EQ(done.err, "");
}

// Its computing is measured once, here; the others replay that.
TEST_F(Machines, ShareTheRunsOfTuneForAProgram) {
  std::vector<std::string> tune = with({"tune", "-p", "fast-ethernet-smp", "--push", "0 B", "--second-push",
                                        "0 B,80 B", "-n", "4", "--map", "cyclic"},
                                       "2");
  tune.insert(tune.end(), {"--", program("ring"), "1"});
  const FinishedProcess done = succeed(tune);
  EXPECT_THAT(done.out, HasSubstr("best: "));
}

TEST_F(Machines, ShareTheRunsOfAnExperiment) {
  const std::vector<std::string> reproduce{"reproduce", "push-pull", "--rows", "R-01,R-06", "--quick",
                                           "--quiet",   "--jobs",    "1",      "--json",    "rows.json"};
  succeed(reproduce);
  const std::string alone = read("rows.json");
  succeed(with(reproduce, "2"));
  EXPECT_EQ(read("rows.json"), alone);
  EXPECT_EQ(in_shell("ls -A").out, "rows.json\n");
}

// Its runs have its command line, too: it is what the agent has started.
TEST_F(Machines, MakeTheRunsOfAWorkerThatWasKilled) {
  const FinishedProcess done = in_shell(
      "morgana reproduce push-pull --quick --quiet --json alone.json\n"
      "morgana reproduce push-pull --quick --quiet --json rows.json --jobs 1 --on mpi --with=-n --with=2 & "
      "run=$!\n"
      "below() { for child in $(pgrep -P $1); do echo $child; below $child; done; }\n"
      "words() { tr '\\0' ' ' </proc/$1/cmdline 2>/dev/null; }\n"
      "worker() { for one in $(below $run); do [[ $(words $one) == *' agent '* ]] || continue\n"
      "for child in $(pgrep -P $one); do [[ $(words $child) == *' --traces='* && -n $(pgrep -P $child) ]] "
      "&& echo $child && return; done; done; }\n"
      "until [[ -n $victim || ! -d /proc/$run ]]; do victim=$(worker); done\n"
      "kill -9 $victim\n"
      "wait $run; echo code $?; cmp alone.json rows.json && echo same");
  EXPECT_THAT(done.out, AllOf(HasSubstr("code 0"), HasSubstr("same"))) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("this command was ended by signal 9"),
                              HasSubstr("is gone; others make its runs")));
}

TEST_F(Machines, ShareTheReplaysOfCompare) {
  const auto compare = [](const std::string& name) {
    return std::vector<std::string>{"compare",         cg_sample,
                                    "--platforms",     "hdr-fat-tree,dragonfly-1056,torus-3d",
                                    "--map",           "cyclic",
                                    "--compute-noise", "normal:0.1",
                                    "--set",           "background.load=0.1",
                                    "--set",           "background.hosts=0..15",
                                    "--json",          name + ".json",
                                    "--csv",           name + ".csv",
                                    "--report",        name + ".html"};
  };
  succeed(compare("one"));
  std::vector<std::string> one_by_one = compare("in-turn");
  one_by_one.insert(one_by_one.end(), {"--jobs", "1"});
  succeed(one_by_one);
  succeed(with(compare("shared"), "2"));
  for (const std::string ending : {".json", ".csv", ".html"}) {
    EXPECT_EQ(read("in-turn" + ending), read("one" + ending));
    EXPECT_EQ(read("shared" + ending), read("one" + ending));
  }
}

TEST_F(Machines, ShareReplaysOfTracesOnly) {
  const FinishedProcess done =
      morgana({"compare", "--platforms", "fast-ethernet", "--on", "mpi", "--", program("ring")});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("record the program first (morgana capture"));
}

TEST_F(Machines, DoNotMeasureComputingInEveryRun) {
  const FinishedProcess done = morgana(with({"reproduce", "atm-emulator", "--from", "live-everywhere"}, "2"));
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("leave out --on, or take --from live"));
}

TEST_F(Machines, AreNotForAPingPong) {
  const FinishedProcess done = morgana(with({"tune", "-p", "fast-ethernet"}, "2"));
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("--on distributes runs of a trace or a program"));
}

}  // namespace
}  // namespace morgana::test
