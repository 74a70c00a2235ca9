#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "pvmshim/launch/process/program_check.h"
#include "tests/integration/support/morgana_test.h"
#include "tests/openmpi/changed_program.h"

namespace morgana::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class OpenMpi : public MorganaTest {
 protected:
  static std::string built(const std::string& name) { return program("openmpi/" + name); }

  FinishedProcess refused(const std::vector<std::string>& arguments) {
    FinishedProcess result = morgana(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
    EXPECT_TRUE(result.err.starts_with("morgana: ")) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result;
  }
};

// The program checks what each kind of parameter becomes; its expectations hold over Open MPI itself, too.
TEST_F(OpenMpi, HandlesConstantsStatusesAndCallbacksAreTheProgramsOwn) {
  const FinishedProcess run = succeed({"run",
                                       "-n",
                                       "3",
                                       "--compute",
                                       "none",
                                       "--platform",
                                       "fast-ethernet",
                                       "--set",
                                       "hosts.processors=2",
                                       "--set",
                                       "hosts.count=2",
                                       "--trace",
                                       "run.otf2",
                                       "--json",
                                       "run.json",
                                       "--quiet",
                                       "--",
                                       built("translated"),
                                       path("data"),
                                       "variables"});
  EXPECT_THAT(run.out, HasSubstr("PASS\n"));
  EXPECT_THAT(run.out, HasSubstr("Morgana's stand-in for Open MPI's library"));
  // Two ranks share the first host.
  EXPECT_THAT(run.out, HasSubstr("rank 0: 0 3 0 2\nrank 1: 1 3 1 2\nrank 2: 2 3 0 1\n"));
  succeed({"replay", "run.otf2", "--platform", "fast-ethernet", "--set", "hosts.processors=2", "--set",
           "hosts.count=2", "--quiet", "--json", "replay.json"});
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
}

TEST_F(OpenMpi, ACaptureIsMadeOverTheRealMpich) {
  const FinishedProcess run = succeed({"capture", "-n", "3", "-o", "made.otf2", "--quiet", "--",
                                       built("translated"), path("data"), "variables"});
  EXPECT_THAT(run.out, HasSubstr("PASS\n"));
  EXPECT_THAT(run.out, HasSubstr("rank 0: 0 3 0 3\nrank 1: 1 3 1 3\nrank 2: 2 3 2 3\n"));
  succeed({"replay", "made.otf2", "--platform", "fast-ethernet", "--quiet"});
}

// As Open MPI's library for Fortran has them, which need not be installed.
TEST_F(OpenMpi, FortransEntryPointsThatReachIntoObjectsAreOurs) {
  const FinishedProcess run =
      succeed({"run", "-n", "3", "--compute", "none", "--quiet", "--", built("fortran_entries")});
  EXPECT_EQ(run.out, "PASS\n");
}

TEST_F(OpenMpi, ProgramsOfBothInterfacesAreRanksOfOneRun) {
  const FinishedProcess run = succeed({"run", "-n", "1", "--compute", "none", "--quiet", "--",
                                       built("family"), ":", "-n", "2", built("sum")});
  EXPECT_EQ(run.out, "sum 6\n");
}

// All of them have the same algorithms then, which is said unless the platform chooses the library.
TEST_F(OpenMpi, RunsAndJobsOfTwoInterfacesSayWhoseAlgorithmsTheyHave) {
  const auto said = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, {"--platform", "loggp-example"});
    const FinishedProcess run = succeed(arguments);
    return run.out + run.err;
  };
  const std::vector<std::string> both{"run",           "-n", "1",  "--compute", "none",      "--",
                                      built("family"), ":",  "-n", "2",         built("sum")};
  const auto notice_of = [](const std::string& what) {
    return HasSubstr("not all " + what + " were built for Open MPI, so the collectives of all have MPICH's");
  };
  const auto chosen = [](std::vector<std::string> arguments, const std::string& library) {
    arguments.insert(arguments.begin() + 1, {"--set", "collectives.library=" + library});
    return arguments;
  };
  EXPECT_THAT(said(both), notice_of("programs"));
  EXPECT_THAT(said(chosen(both, "openmpi")), Not(notice_of("programs")));
  for (const std::string name : {"family", "sum"})
    said({"run", "-n", "3", "--compute", "none", "--trace", name + ".otf2", "--", built(name)});
  EXPECT_THAT(said({"replay", "sum.otf2", "--beside", "family.otf2"}), notice_of("jobs"));
  EXPECT_THAT(said({"replay", "family.otf2", "--beside", "sum.otf2"}), notice_of("jobs"));
  EXPECT_THAT(said({"replay", "sum.otf2", "--beside", "sum.otf2"}), Not(notice_of("jobs")));
  EXPECT_THAT(said(chosen({"replay", "sum.otf2", "--beside", "family.otf2"}, "mpich")),
              Not(notice_of("jobs")));
}

TEST_F(OpenMpi, ComparisonsSayWhoseAlgorithmsTheyHave) {
  succeed({"run", "-n", "3", "--compute", "none", "--quiet", "--trace", "sum.otf2", "--", built("sum")});
  const std::string out = succeed({"compare", "sum.otf2", "--platforms", "loggp-example,fast-ethernet",
                                   "--json", "compared.json"})
                              .out;
  EXPECT_THAT(out, HasSubstr("collectives on loggp-example, fast-ethernet  by Open MPI 4.1's algorithms\n"));
  EXPECT_EQ(read_json("compared.json").at("platforms").at(1).at("collective_library"), "openmpi");
  const std::string mpich = succeed({"compare", "sum.otf2", "--platforms", "loggp-example,fast-ethernet",
                                     "--json", "compared.json", "--set", "collectives.library=mpich"})
                                .out;
  EXPECT_THAT(mpich, Not(HasSubstr("collectives on")));
  EXPECT_FALSE(read_json("compared.json").at("platforms").at(1).contains("collective_library"));
}

// An allreduce of 4 B among 4 ranks. MPICH: recursive doubling. Open MPI: a ring, which for fewer elements
// than ranks is recursive doubling with a copy more.
TEST_F(OpenMpi, ProgramsTakeOpenMpisAlgorithmsAndSoDoTheirReplays) {
  const std::vector<std::string> on{"--platform", "loggp-example", "--quiet", "--set",
                                    "messages.copy-per-byte=1 us/B"};
  const auto with = [&](std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), on.begin(), on.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    succeed(arguments);
  };
  const auto run = [&](const std::string& name, std::vector<std::string> options) {
    options.insert(options.end(), {"--json", name + ".json", "--trace", name + ".otf2", "--", built("sum")});
    with({"run", "-n", "4", "--compute", "none"}, options);
    return simulated_ps(name + ".json");
  };
  const auto replay = [&](const std::string& name, std::vector<std::string> options) {
    options.insert(options.end(), {"--json", "replay.json"});
    with({"replay", name + ".otf2"}, options);
    return simulated_ps("replay.json");
  };
  const std::vector<std::string> as_mpich{"--set", "collectives.library=mpich"};
  const auto own = run("own", {}), mpich = run("mpich", as_mpich);
  EXPECT_EQ(own, mpich + 4'000'000);  // 4 B at 1 us/B
  EXPECT_EQ(read_json("own.json").at("collective_library"), "openmpi");
  EXPECT_FALSE(read_json("mpich.json").contains("collective_library"));
  EXPECT_EQ(replay("own", {}), own);
  EXPECT_EQ(read_json("replay.json").at("collective_library"), "openmpi");
  EXPECT_EQ(replay("own", as_mpich), mpich);
  EXPECT_EQ(replay("mpich", {}), own);  // the trace says what the program was built for
}

TEST_F(OpenMpi, AToolStandsBetweenTheProgramAndTheStandIn) {
  const FinishedProcess linked =
      succeed({"run", "-n", "2", "--compute", "none", "--quiet", "--", built("ring_with_tool")});
  EXPECT_THAT(linked.out, HasSubstr("round 1, sum 1\n"));
  EXPECT_THAT(linked.out, HasSubstr("tool: 1 reductions, 1 sends\ntool: 1 reductions, 1 sends\n"));
  const FinishedProcess preloaded = succeed({"run", "-n", "2", "--compute", "none", "--quiet", "--env",
                                             "LD_PRELOAD=" + built("libtool.so"), "--", built("ring")});
  EXPECT_THAT(preloaded.out, HasSubstr("round 1, sum 1\n"));
  EXPECT_THAT(preloaded.out, HasSubstr("tool: 1 reductions, 1 sends\ntool: 1 reductions, 1 sends\n"));
}

// What a program that is given its MPI when it runs gets is the user's to say.
TEST_F(OpenMpi, AProgramWhoseMpiIsNotKnownGetsTheChosenOne) {
  const FinishedProcess run = succeed({"run", "-n", "3", "--compute", "none", "--quiet", "--mpi", "openmpi",
                                       "--", "sh", "-c", "exec " + built("ring")});
  EXPECT_EQ(run.out, "round 3, sum 3\n");
}

TEST_F(OpenMpi, ALibraryOfMpichsFamilyIsMpich) {
  const FinishedProcess run =
      succeed({"run", "-n", "3", "--compute", "none", "--quiet", "--", built("family")});
  EXPECT_EQ(run.out, "sum 6\n");
  EXPECT_EQ(check_command({built("family")}), MpiInterface::mpich_family);
  EXPECT_EQ(check_command({built("ring")}), MpiInterface::openmpi);
  EXPECT_EQ(check_command({built("untranslated_cost")}), MpiInterface::mpich);
}

TEST_F(OpenMpi, WhatCannotRunIsRefusedInOneSentence) {
  EXPECT_THAT(refused({"run", "--", built("linked_to_both")}).err,
              HasSubstr("is linked to MPICH (libmpich.so.12) and to Open MPI (libmpi.so.40)"));
  EXPECT_THAT(refused({"run", "--mpi", "mpich", "--", built("ring")}).err, HasSubstr("leave out --mpi"));
  EXPECT_THAT(refused({"capture", "-o", "x.otf2", "--mpi", "openmpi", "--", built("untranslated_cost")}).err,
              HasSubstr("leave out --mpi"));
  EXPECT_THAT(refused({"run", "--mpi", "lam", "--", built("ring")}).err, HasSubstr("--mpi"));
  write_changed(path("fortran"), built("ring"), "libmpi.so.40", "libmpi_f8.so");
  EXPECT_THAT(refused({"run", "--", "./fortran"}).err, HasSubstr("needs libmpi_f8.so of Open MPI"));
  write_changed(path("for32bits"), built("ring"), std::string(ELFMAG) + char(ELFCLASS64),
                std::string(ELFMAG) + char(ELFCLASS32));
  EXPECT_THAT(refused({"run", "--", "./for32bits"}).err, HasSubstr("another kind of machine"));
}

// A Python is asked which file its mpi4py is; mpi4py itself is not loaded.
TEST_F(OpenMpi, APythonsInterfaceIsThatOfItsMpi4py) {
  if (run_to_end({"python3", "-c", ""}).exit_code != 0) GTEST_SKIP() << "there is no python3";
  fs::create_directory(path("mpi4py"));
  write("mpi4py/__init__.py", "raise SystemExit(3)\n");
  ASSERT_EQ(setenv("PYTHONPATH", path("").c_str(), 1), 0);
  EXPECT_EQ(check_command({"python3", "x.py"}), MpiInterface::mpich);
  fs::copy_file(built("libtool.so"), path("mpi4py/MPI.so"));
  EXPECT_EQ(check_command({"python3", "x.py"}), MpiInterface::openmpi);
  EXPECT_EQ(check_command({"python3", "x.py"}, MpiChoice::mpich), MpiInterface::mpich);
  write("compute", "#!/usr/bin/env python3\n");
  fs::permissions(path("compute"), fs::perms::owner_all);
  EXPECT_EQ(check_command({path("compute")}), MpiInterface::openmpi);
  fs::remove(path("mpi4py/MPI.so"));
  fs::copy_file(built("family"), path("mpi4py/MPI.so"));
  EXPECT_EQ(check_command({"python3", "x.py"}), MpiInterface::mpich_family);
  unsetenv("PYTHONPATH");
}

TEST_F(OpenMpi, DoctorSaysWhatIsSupported) {
  EXPECT_THAT(morgana({"doctor"}).out, HasSubstr("libmpi.so.40"));
}

}  // namespace
}  // namespace morgana::test
