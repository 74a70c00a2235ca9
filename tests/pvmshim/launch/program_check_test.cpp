#include "pvmshim/launch/process/program_check.h"

#include "pvmshim/channel/other_mpis.h"
#include "pvmshim/launch/process/clock_check.h"
#include "pvmshim/launch/process/elf_needs.h"
#include "pvmshim/launch/process/library_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace morgana {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

template <typename Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string check_of(const std::string& program) {
  return error_of([&program] { check_program(program); });
}

/// An executable file with this text.
class Script {
 public:
  explicit Script(const std::string& text) {
    std::string name = (fs::temp_directory_path() / "morgana-script-XXXXXX").string();
    close(mkstemp(name.data()));
    path_ = name;
    std::ofstream(path_) << text;
    chmod(path_.c_str(), 0700);
  }
  ~Script() { fs::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(FindProgram, LooksInPath) {
  EXPECT_TRUE(find_program("sh").is_absolute());
  EXPECT_THAT(error_of([] { find_program("no-such-program"); }), HasSubstr("no program 'no-such-program'"));
}

TEST(FindProgram, TakesPathsAsTheyAre) {
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_THAT(error_of([] { find_program("./no-such-program"); }), HasSubstr("no program ./no-such-program"));
  EXPECT_THAT(
      error_of([] { find_program("./no-such-folder/ft.pvm"); }),
      HasSubstr(
          "no program ./no-such-folder/ft.pvm; it is one of Morgana's kernels: `ninja -C build kernels`"));
  EXPECT_THAT(error_of([] { find_program("./no-such-folder/deadlock"); }),
              HasSubstr("`ninja -C build examples`"));
  EXPECT_THAT(error_of([] { find_program("./no-such-folder/ft.exe"); }), Not(HasSubstr("ninja")));
  EXPECT_THAT(error_of([] { find_program("/etc/passwd"); }), HasSubstr("/etc/passwd can't be executed"));
  EXPECT_THAT(error_of([] { find_program("/tmp"); }), HasSubstr("/tmp can't be executed"));
}

TEST(CheckProgram, AcceptsWhatIsLinkedToMpich) {
  EXPECT_NO_THROW(check_program(TEST_PROGRAMS "/misbehaving"));
}

TEST(CheckProgram, RefusesAProgramWithoutMpi) {
  EXPECT_THAT(check_of(TEST_PROGRAMS "/without_mpi"), HasSubstr("is linked to neither MPICH"));
}

TEST(CheckProgram, RefusesAStaticProgram) {
  EXPECT_THAT(check_of(TEST_PROGRAMS "/linked_statically"), HasSubstr("linked statically"));
}

// Each defines a function of the library itself, as one that is linked to its archive does.
TEST(CheckProgram, NamesTheLibraryThatAProgramHasInside) {
  for (const char* name : {"/has_pvm_inside", "/has_pvm_inside_dynamic"}) {
    const std::string program = std::string(TEST_PROGRAMS) + name;
    EXPECT_THAT(check_of(program), HasSubstr("is linked statically with PVM (libpvm3.a)")) << name;
    EXPECT_THAT(error_of([&] { check_pvm_program(program); }),
                HasSubstr("relink it with PVM's shared library"))
        << name;
  }
  for (const char* name : {"/has_mpi_inside", "/has_mpi_inside_dynamic"})
    EXPECT_THAT(check_of(std::string(TEST_PROGRAMS) + name), HasSubstr("is linked statically with MPI"));
  EXPECT_EQ(library_linked_into(TEST_PROGRAMS "/without_mpi"), "");
  EXPECT_EQ(library_linked_into(TEST_PROGRAMS "/misbehaving"), "");
  EXPECT_EQ(library_linked_into("/etc/passwd"), "");
}

TEST(CheckProgram, TrustsScriptsAndInterpreters) {
  const Script script("#!/bin/sh\nexec true\n");
  EXPECT_NO_THROW(check_program(script.path()));
  EXPECT_NO_THROW(check_program("/bin/sh"));
}

TEST(CheckProgram, RefusesWhatIsNeitherProgramNorScript) {
  const Script text("just words\n");
  EXPECT_THAT(check_of(text.path()), HasSubstr("neither a program (ELF) nor a script"));
}

/// A program that is linked to another library in place of MPICH's.
std::string linked_to(std::string library) {
  std::ifstream file(TEST_PROGRAMS "/misbehaving", std::ios::binary);
  std::string program{std::istreambuf_iterator<char>(file), {}};
  const std::string mpich = "libmpich.so.12";
  library.resize(mpich.size());
  for (std::size_t at = program.find(mpich); at != std::string::npos; at = program.find(mpich, at + 1))
    program.replace(at, mpich.size(), library);
  return program;
}

// MPI libraries need not be installed for this: the name in the program is what counts.
TEST(CheckProgram, KnowsTheMpiThatAProgramIsLinkedTo) {
  EXPECT_EQ(check_program(Script(linked_to("libmpich.so.12")).path()), MpiInterface::mpich);
  EXPECT_EQ(check_program(Script(linked_to("libmpi.so.12")).path()), MpiInterface::mpich_family);
  EXPECT_EQ(check_program(Script(linked_to("libmpi.so.40")).path()), MpiInterface::openmpi);
}

TEST(CheckProgram, TakesOpenMpisFortranAndCxxForOpenMpi) {
  for (const char* name : {"libmpi_mpifh.so.40", "libmpi_usempif08.so.40", "libmpi_usempi_ignore_tkr.so.40",
                           "libmpi_cxx.so.40", "libmpi_cxx.so.40.30.1"}) {
    EXPECT_TRUE(is_openmpi_binding(name)) << name;
    EXPECT_FALSE(is_other_mpi(name)) << name;
  }
  for (const char* name : {"libmpi_cxx.so.20", "libmpi_mpifh.so.12", "libmpi_java.so.40"}) {
    EXPECT_FALSE(is_openmpi_binding(name)) << name;
    EXPECT_TRUE(is_other_mpi(name)) << name;
  }
}

TEST(CheckProgram, NamesThePackageOfAMissingLibraryForFortran) {
  EXPECT_TRUE(is_missing("libmpi_mpifh.so.40-which-nobody-has", {}));
  EXPECT_FALSE(is_missing("libc.so.6", {}));
  EXPECT_THAT(missing_binding_text("./solver", "libmpi_mpifh.so.40"),
              AllOf(HasSubstr("./solver needs libmpi_mpifh.so.40, Open MPI's library for Fortran"),
                    HasSubstr("libopenmpi3"), HasSubstr("libopenmpi3t64"), HasSubstr("libopenmpi40")));
  // Open MPI 5, Debian 13's, has no library for C++.
  EXPECT_THAT(missing_binding_text("./solver", "libmpi_cxx.so.40"),
              AllOf(HasSubstr("for C++"), Not(HasSubstr("libopenmpi40"))));
}

TEST(CheckProgram, NamesTheMpiThatNothingStandsInFor) {
  const Script copy(linked_to("libmpi.so.20"));
  EXPECT_THAT(check_of(copy.path()),
              HasSubstr("is linked to libmpi.so.20, but Morgana runs programs for MPICH"));
  const Script fortran(linked_to("libmpi_f8.so"));
  EXPECT_THAT(check_of(fortran.path()),
              HasSubstr("needs libmpi_f8.so of Open MPI, and Morgana stands in for its MPI library"));
  const Script cxx(linked_to("libmpi_cxx.so"));
  EXPECT_THAT(check_of(cxx.path()), HasSubstr("build the program with Open MPI 4 or 5"));
  // Another version of MPI 5.0's own, which Open MPI has no part in.
  const Script standard(linked_to("libmpi_abi.so"));
  EXPECT_THAT(
      check_of(standard.path()),
      AllOf(HasSubstr("needs libmpi_abi.so, and of the library of MPI 5.0's standard binary interface"),
            HasSubstr("libmpi_abi.so.1"), Not(HasSubstr("of Open MPI"))));
  EXPECT_THAT(unsupported_part_text("./solver", "libmpi_abi.so.2"),
              HasSubstr("needs libmpi_abi.so.2, and of"));
  const Script java(linked_to("libmpi_java.so"));
  EXPECT_THAT(check_of(java.path()), HasSubstr("C in place of Java"));
}

TEST(CheckProgram, TakesAChoiceThatTheProgramDoesNotContradict) {
  const Script mpich(linked_to("libmpich.so.12")), openmpi(linked_to("libmpi.so.40")), script("#!/bin/sh\n");
  EXPECT_EQ(check_program(mpich.path(), MpiChoice::mpich), MpiInterface::mpich);
  EXPECT_EQ(check_program(openmpi.path(), MpiChoice::openmpi), MpiInterface::openmpi);
  EXPECT_EQ(check_program(script.path()), MpiInterface::mpich);
  EXPECT_EQ(check_program(script.path(), MpiChoice::openmpi), MpiInterface::openmpi);
  EXPECT_THAT(error_of([&] { check_program(mpich.path(), MpiChoice::openmpi); }),
              HasSubstr("leave out --mpi"));
  EXPECT_THAT(error_of([&] { check_program(openmpi.path(), MpiChoice::mpich); }),
              HasSubstr("leave out --mpi"));
}

std::string check_of_command(const std::vector<std::string>& command) {
  return error_of([&command] { check_command(command); });
}

TEST(CheckCommand, FindsTheProgramInWhatAShellIsGiven) {
  const Script openmpi(linked_to("libmpi.so.40"));
  EXPECT_EQ(check_command({"/bin/sh", "-c", "cd / && " + openmpi.path() + " 5"}), MpiInterface::openmpi);
  EXPECT_EQ(check_command({"/bin/bash", "-ec", "exec " + openmpi.path()}), MpiInterface::openmpi);
  EXPECT_EQ(check_command({"taskset", "-c", "0", "bash", "-c", openmpi.path() + " 5"}),
            MpiInterface::openmpi);
  EXPECT_EQ(check_command({"bash", "-euo", "pipefail", "-c", openmpi.path()}), MpiInterface::openmpi);
  EXPECT_EQ(check_command({"bash", "script", "-c", openmpi.path()}), MpiInterface::mpich);  // the script's
  EXPECT_EQ(check_command({"/bin/sh", "-c", "true"}), MpiInterface::mpich);
  EXPECT_EQ(check_command({"/bin/sh", "-c"}), MpiInterface::mpich);
  EXPECT_EQ(check_command({"/bin/sh", "-c", openmpi.path()}, MpiChoice::mpich), MpiInterface::mpich);
}

TEST(CheckCommand, LooksThroughProgramsThatStartAnother) {
  const std::string good = TEST_PROGRAMS "/misbehaving", bad = TEST_PROGRAMS "/without_mpi";
  const std::vector<std::vector<std::string>> starters{{"nice", "-n", "5"},
                                                       {"env", "A=/bin/sh", "B=2"},
                                                       {"/usr/bin/timeout", "-v", "5"},
                                                       {"nice", "env", "B=1", "timeout", "-k", "1", "5"}};
  for (const std::vector<std::string>& starter : starters) {
    std::vector<std::string> command = starter;
    command.push_back(good);
    EXPECT_EQ(check_of_command(command), "no error") << starter.front();
    command.back() = bad;
    command.push_back(good);  // an argument of the program's own
    EXPECT_THAT(check_of_command(command), HasSubstr(bad + " is linked to neither MPICH")) << starter.front();
  }
  // What cannot be found among the arguments is left to the run.
  EXPECT_EQ(check_of_command({"xargs"}), "no error");
  EXPECT_EQ(check_of_command({"env", "-C", "/tmp", "./a"}), "no error");
}

TEST(CheckCommand, AcceptsAnyProgramThatIsGivenAnMpiProgram) {
  EXPECT_EQ(check_of_command({"/bin/cat", TEST_PROGRAMS "/misbehaving"}), "no error");
  EXPECT_THAT(check_of_command({"/bin/cat", TEST_PROGRAMS "/without_mpi"}),
              HasSubstr("/bin/cat is linked to neither"));
  EXPECT_THAT(check_of_command({"/bin/cat", "/bin/sh"}), HasSubstr("/bin/cat is linked to neither"));
}

TEST(CheckCommand, TellsToLeaveLaunchersOut) {
  const std::string good = TEST_PROGRAMS "/misbehaving";
  EXPECT_THAT(check_of_command({"mpiexec", "-n", "3", good, "x"}),
              HasSubstr("as in `-n 3 -- " + good + " x`"));
  EXPECT_THAT(check_of_command({"/opt/bin/srun", "--mpi=pmi2", good}), HasSubstr("as in `-- " + good + "`"));
  EXPECT_THAT(check_of_command({"nice", "mpirun", "-np", "2", good}),
              HasSubstr("as in `-n 2 -- " + good + "`"));
  EXPECT_THAT(check_of_command({"mpirun"}), HasSubstr("leave it out"));
  EXPECT_THAT(check_of_command({"oshrun", "-n", "2", good}), HasSubstr("oshrun starts ranks, and so does"));
}

TEST(CheckCommand, KnowsTheApiAndTheCancellingOfWhatIsStarted) {
  EXPECT_FALSE(may_cancel_messages(std::vector<std::string>{"nice", TEST_PROGRAMS "/misbehaving"}));
  EXPECT_TRUE(may_read_mpi_clock({"nice", TEST_PROGRAMS "/misbehaving"}));
  EXPECT_FALSE(may_read_mpi_clock({"nice", TEST_PROGRAMS "/cancelling"}));
  EXPECT_TRUE(may_read_mpi_clock({"xargs"}));
  EXPECT_TRUE(may_cancel_messages(std::vector<std::string>{"nice", TEST_PROGRAMS "/cancelling"}));
  EXPECT_TRUE(may_cancel_messages(std::vector<std::string>{"xargs"}));
  EXPECT_EQ(api_of({"nice", TEST_PROGRAMS "/misbehaving"}), ProgramApi::mpi);
}

TEST(MayCancelMessages, IsSaidOfProgramsThatCallMpiCancel) {
  EXPECT_TRUE(may_cancel_messages(TEST_PROGRAMS "/cancelling"));
  EXPECT_FALSE(may_cancel_messages(TEST_PROGRAMS "/misbehaving"));
}

// What it will call is not written in it: a script, what loads libraries when it runs, what is not linked to
// MPICH.
TEST(MayCancelMessages, IsSaidOfProgramsOfWhichItCannotBeKnown) {
  const Script script("#!/bin/sh\n");
  EXPECT_TRUE(may_cancel_messages(script.path()));
  EXPECT_TRUE(may_cancel_messages(TEST_PROGRAMS "/without_mpi"));
  EXPECT_TRUE(may_cancel_messages(TEST_PROGRAMS "/linked_statically"));
  EXPECT_TRUE(may_cancel_messages("/no-such-folder/program"));
}

}  // namespace
}  // namespace morgana
