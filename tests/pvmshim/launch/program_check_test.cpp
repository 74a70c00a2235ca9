#include "pvmshim/launch/process/program_check.h"

#include "pvmshim/channel/other_mpis.h"
#include "pvmshim/launch/process/clock_check.h"
#include "pvmshim/launch/process/elf_needs.h"
#include "pvmshim/launch/process/library_search.h"
#include "tests/support/messages.h"

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
  expect_message(error_of([] { find_program("no-such-program"); }), "'no-such-program'");
}

TEST(FindProgram, TakesPathsAsTheyAre) {
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  expect_message(error_of([] { find_program("./no-such-program"); }), "./no-such-program");
  expect_message(error_of([] { find_program("./no-such-folder/ft.pvm"); }),
                 {"./no-such-folder/ft.pvm", "`ninja -C build kernels`"});
  expect_message(error_of([] { find_program("./no-such-folder/deadlock"); }),
                 {"./no-such-folder/deadlock", "`ninja -C build examples`"});
  EXPECT_THAT(error_of([] { find_program("./no-such-folder/ft.exe"); }), Not(HasSubstr("ninja")));
  expect_message(error_of([] { find_program("/etc/passwd"); }), "/etc/passwd");
  expect_message(error_of([] { find_program("/tmp"); }), "/tmp");
}

TEST(CheckProgram, AcceptsWhatIsLinkedToMpich) {
  EXPECT_NO_THROW(check_program(TEST_PROGRAMS "/misbehaving"));
}

TEST(CheckProgram, RefusesAProgramWithoutMpi) {
  expect_message(check_of(TEST_PROGRAMS "/without_mpi"),
                 {"BUILD/tests/programs/without_mpi", "MPICH", "Open MPI"});
}

TEST(CheckProgram, RefusesAStaticProgram) {
  expect_message(check_of(TEST_PROGRAMS "/linked_statically"),
                 {"BUILD/tests/programs/linked_statically", "statically"});
}

// Each defines a function of the library itself, as one that is linked to its archive does.
TEST(CheckProgram, NamesTheLibraryThatAProgramHasInside) {
  for (const char* name : {"/has_pvm_inside", "/has_pvm_inside_dynamic"}) {
    const std::string program = std::string(TEST_PROGRAMS) + name;
    expect_message(check_of(program), {"has_pvm_inside", "PVM (libpvm3.a)"});
    expect_message(error_of([&] { check_pvm_program(program); }), "PVM");
  }
  for (const char* name : {"/has_mpi_inside", "/has_mpi_inside_dynamic"})
    expect_message(check_of(std::string(TEST_PROGRAMS) + name), {"has_mpi_inside", "MPI"});
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
  expect_message(check_of(text.path()), "ELF");
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
  expect_message(
      missing_binding_text("./solver", "libmpi_mpifh.so.40"),
      {"./solver", "libmpi_mpifh.so.40", "Fortran", "libopenmpi3", "libopenmpi3t64", "libopenmpi40"});
  // Open MPI 5, Debian 13's, has no library for C++.
  expect_message(missing_binding_text("./solver", "libmpi_cxx.so.40"),
                 {"./solver", "libmpi_cxx.so.40", "C++"});
  EXPECT_THAT(missing_binding_text("./solver", "libmpi_cxx.so.40"), Not(HasSubstr("libopenmpi40")));
}

TEST(CheckProgram, NamesTheMpiThatNothingStandsInFor) {
  const Script copy(linked_to("libmpi.so.20"));
  expect_message(check_of(copy.path()), {"libmpi.so.20", "MPICH"});
  const Script fortran(linked_to("libmpi_f8.so"));
  expect_message(check_of(fortran.path()), {"libmpi_f8.so", "Open MPI", "libmpi.so.40"});
  const Script cxx(linked_to("libmpi_cxx.so"));
  expect_message(check_of(cxx.path()), {"libmpi_cxx.so", "Open MPI 4 or 5"});
  // Another version of MPI 5.0's own, which Open MPI has no part in.
  const Script standard(linked_to("libmpi_abi.so"));
  expect_message(check_of(standard.path()), {"libmpi_abi.so", "MPI 5.0's", "libmpi_abi.so.1"});
  EXPECT_THAT(check_of(standard.path()), Not(HasSubstr("of Open MPI")));
  expect_message(unsupported_part_text("./solver", "libmpi_abi.so.2"), "libmpi_abi.so.2");
  const Script java(linked_to("libmpi_java.so"));
  expect_message(check_of(java.path()), {"libmpi_java.so", "Open MPI", "Java"});
}

TEST(CheckProgram, TakesAChoiceThatTheProgramDoesNotContradict) {
  const Script mpich(linked_to("libmpich.so.12")), openmpi(linked_to("libmpi.so.40")), script("#!/bin/sh\n");
  EXPECT_EQ(check_program(mpich.path(), MpiChoice::mpich), MpiInterface::mpich);
  EXPECT_EQ(check_program(openmpi.path(), MpiChoice::openmpi), MpiInterface::openmpi);
  EXPECT_EQ(check_program(script.path()), MpiInterface::mpich);
  EXPECT_EQ(check_program(script.path(), MpiChoice::openmpi), MpiInterface::openmpi);
  expect_message(error_of([&] { check_program(mpich.path(), MpiChoice::openmpi); }), "--mpi");
  expect_message(error_of([&] { check_program(openmpi.path(), MpiChoice::mpich); }), "--mpi");
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
    SCOPED_TRACE(starter.front());
    expect_message(check_of_command(command), {"BUILD/tests/programs/without_mpi", "MPICH"});
  }
  // What cannot be found among the arguments is left to the run.
  EXPECT_EQ(check_of_command({"xargs"}), "no error");
  EXPECT_EQ(check_of_command({"env", "-C", "/tmp", "./a"}), "no error");
}

TEST(CheckCommand, AcceptsAnyProgramThatIsGivenAnMpiProgram) {
  EXPECT_EQ(check_of_command({"/bin/cat", TEST_PROGRAMS "/misbehaving"}), "no error");
  expect_message(check_of_command({"/bin/cat", TEST_PROGRAMS "/without_mpi"}), "/bin/cat");
  expect_message(check_of_command({"/bin/cat", "/bin/sh"}), "/bin/cat");
}

TEST(CheckCommand, TellsToLeaveLaunchersOut) {
  const std::string good = TEST_PROGRAMS "/misbehaving";
  expect_message(check_of_command({"mpiexec", "-n", "3", good, "x"}),
                 {"mpiexec", "`-n 3 -- BUILD/tests/programs/misbehaving x`"});
  expect_message(check_of_command({"/opt/bin/srun", "--mpi=pmi2", good}),
                 {"/opt/bin/srun", "`-- BUILD/tests/programs/misbehaving`"});
  expect_message(check_of_command({"nice", "mpirun", "-np", "2", good}),
                 {"mpirun", "`-n 2 -- BUILD/tests/programs/misbehaving`"});
  expect_message(check_of_command({"mpirun"}), "mpirun");
  expect_message(check_of_command({"oshrun", "-n", "2", good}),
                 {"oshrun", "`-n 2 -- BUILD/tests/programs/misbehaving`"});
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
