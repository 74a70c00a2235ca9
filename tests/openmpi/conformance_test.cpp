#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "pvmshim/launch/process/program_check.h"
#include "tests/conformance/described.h"
#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

namespace fs = std::filesystem;

/// Programs of the conformance suite that Open MPI 4.1.4 itself does not get through, and where it stops:
/// these must pass every case in emulation, and are not compared.
const std::map<std::string, std::string> not_native{
    {"allgather_alltoall", "MPI_Alltoallw: a missing datatype of an empty block is an error"},
    {"cancel", "synchronous sends are not cancelled"},
    {"collective_errors", "roots out of range and missing buffers crash it"},
    {"environment", "MPI_Get_library_version counts the zero at the end"},
    {"errors", "a message with a part of an item is no error"},
    {"gather_scatter", "MPI_IN_PLACE without data at the root is an error"},
    {"multiple_windows", "one-sided calls of several threads at once are an error"},
    {"neighbourhoods", "MPI_Neighbor_alltoallw: a missing datatype of an empty block is an error"},
    {"self_attributes", "MPI has ended when the attributes of MPI_COMM_WORLD are deleted"},
    {"spinning", "ranks that spin without calling MPI while others wait do not get on"},
    {"windows_errors", "wrong arguments crash it"},
    {"windows_layouts", "accumulating pairs of a value and a place crashes it"},
    {"windows_memory", "windows without memory have addresses"},
    {"windows_sharing", "parts of a shared window begin on pages of their own, and are as long"}};

/// Those that Open MPI 4.1 compiles.
std::vector<Conforming> suite() {
  std::vector<Conforming> found = all_programs();
  std::erase_if(found, [](const Conforming& one) { return one.needs_mpi_4; });
  return found;
}

/// The output over Open MPI itself.
FinishedProcess over_open_mpi(int ranks, const std::vector<std::string>& command, const std::string& folder) {
  const std::string prefix = OPENMPI_PREFIX;
  HowToRun how;
  how.folder = folder;
  if (!prefix.empty()) {
    const char* path = std::getenv("PATH");
    how.environment = {"OPAL_PREFIX=" + prefix + "/usr",
                       "PATH=" + prefix + "/usr/bin:" + (path == nullptr ? "" : path)};
  }
  how.environment.insert(how.environment.end(),
                         {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                          "OMPI_MCA_mpi_yield_when_idle=1", "OMPI_MCA_btl=self,vader", "OMPI_MCA_pml=ob1",
                          "OMPI_MCA_osc=^ucx", "OMPI_MCA_btl_vader_single_copy_mechanism=none"});
  std::vector<std::string> words{"mpiexec.openmpi", "--oversubscribe", "-n", std::to_string(ranks)};
  words.insert(words.end(), command.begin(), command.end());
  return run_to_end(words, how);
}

/// Programs built with an installed Open MPI, whose libraries for Fortran and C++ emulated ranks load, too.
class OverOpenMpi : public MorganaTest {
 protected:
  void SetUp() override {
    MorganaTest::SetUp();
    if (!fs::exists(OPENMPI_LIBRARY))
      GTEST_SKIP() << "Open MPI is not installed, and MORGANA_OPENMPI names no prefix with it";
    if (const char* path = std::getenv("LD_LIBRARY_PATH")) path_before_ = path;
    setenv("LD_LIBRARY_PATH", fs::path(OPENMPI_LIBRARY).parent_path().c_str(), 1);
  }
  void TearDown() override {
    if (path_before_.empty())
      unsetenv("LD_LIBRARY_PATH");
    else
      setenv("LD_LIBRARY_PATH", path_before_.c_str(), 1);
    MorganaTest::TearDown();
  }

  /// Emulated and replayed, in the same time. @return what it prints emulated
  std::string emulated_and_replayed(int ranks, const std::vector<std::string>& command,
                                    const Conforming& about = {}) {
    const std::vector<std::string> platform{"--platform", "fast-ethernet", "--set",
                                            about.one_host ? "hosts.processors=8" : "hosts.processors=1"};
    std::vector<std::string> run{"run",     "--compute", "none",   "--quiet",  "-n", std::to_string(ranks),
                                 "--trace", "run.otf2",  "--json", "run.json", "--"};
    run.insert(run.begin() + 1, platform.begin(), platform.end());
    run.insert(run.end(), command.begin(), command.end());
    const FinishedProcess emulated = succeed(run);
    if (about.no_replay.empty()) {
      std::vector<std::string> replay{"replay", "run.otf2", "--quiet", "--json", "replay.json"};
      replay.insert(replay.end(), platform.begin(), platform.end());
      succeed(replay);
      EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
    }
    return emulated.out;
  }

 private:
  std::string path_before_;
};

class OpenMpiConformance : public OverOpenMpi, public testing::WithParamInterface<Conforming> {};

TEST_P(OpenMpiConformance, IsTheSameOverOpenMpiEmulatedAndReplayed) {
  const Conforming& suite = GetParam();
  const std::string binary = program("openmpi/conformance-" + suite.name);
  if (!fs::exists(binary)) GTEST_SKIP() << "Open MPI is installed without this language";
  const std::string emulated = emulated_and_replayed(suite.ranks, {binary}, suite);
  EXPECT_THAT(emulated, testing::HasSubstr("case "));
  EXPECT_THAT(emulated, testing::Not(testing::HasSubstr("FAIL")));
  if (not_native.contains(suite.name)) return;
  const FinishedProcess native = over_open_mpi(suite.ranks, {binary}, path(""));
  EXPECT_EQ(native.exit_code, 0) << native.out << native.err;
  EXPECT_EQ(emulated, native.out);
}

INSTANTIATE_TEST_SUITE_P(Of, OpenMpiConformance, testing::ValuesIn(suite()),
                         [](const testing::TestParamInfo<Conforming>& about) { return about.param.name; });

/// A program that prints what each rank gets, in whatever order.
class OpenMpiBindings : public OverOpenMpi, public testing::WithParamInterface<std::string> {
 protected:
  static std::vector<std::string> sorted_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) lines.push_back(line);
    std::ranges::sort(lines);
    return lines;
  }
};

TEST_P(OpenMpiBindings, AreTheSameOverOpenMpiEmulatedAndReplayed) {
  const std::string binary = program("openmpi/" + GetParam());
  if (!fs::exists(binary)) GTEST_SKIP() << "Open MPI is installed without this language";
  const FinishedProcess native = over_open_mpi(3, {binary}, path(""));
  EXPECT_EQ(native.exit_code, 0) << native.out << native.err;
  EXPECT_FALSE(native.out.empty());
  EXPECT_EQ(sorted_lines(emulated_and_replayed(3, {binary})), sorted_lines(native.out));
}

INSTANTIATE_TEST_SUITE_P(Of, OpenMpiBindings,
                         testing::Values("fortran_77", "fortran_90", "fortran_2008", "cxx_bindings"),
                         [](const testing::TestParamInfo<std::string>& about) { return about.param; });

/// Debian's mpi4py, installed or in the prefix with Open MPI.
class Mpi4py : public OverOpenMpi {
 protected:
  void SetUp() override {
    OverOpenMpi::SetUp();
    if (IsSkipped()) return;
    if (const char* path = std::getenv("PYTHONPATH")) python_path_before_ = path;
    const std::string packages = std::string(OPENMPI_PREFIX) + "/usr/lib/python3/dist-packages";
    setenv("PYTHONPATH", packages.c_str(), 1);
    if (run_to_end({"python3", "-c", "import mpi4py"}).exit_code != 0 ||
        check_command({"python3", "x.py"}) != MpiInterface::openmpi)
      GTEST_SKIP() << "there is no python3 with an mpi4py for Open MPI, neither installed nor in "
                   << packages;
  }
  void TearDown() override {
    if (python_path_before_.empty())
      unsetenv("PYTHONPATH");
    else
      setenv("PYTHONPATH", python_path_before_.c_str(), 1);
    OverOpenMpi::TearDown();
  }

 private:
  std::string python_path_before_;
};

/// A script, and how many checks it has.
struct Checks {
  std::string script;
  std::ptrdiff_t count;
};

class Mpi4pyChecks : public Mpi4py, public testing::WithParamInterface<Checks> {};

TEST_P(Mpi4pyChecks, AreTheSameOverOpenMpiEmulatedAndReplayed) {
  const auto command = [this](const std::string& files) {
    std::filesystem::create_directory(path(files));
    return std::vector<std::string>{
        "python3", "-B", MORGANA_SOURCE "/tests/openmpi/mpi4py_" + GetParam().script + ".py", path(files)};
  };
  const std::string emulated = emulated_and_replayed(4, command("emulated"));
  EXPECT_EQ(std::ranges::count(emulated, '\n'), GetParam().count);
  EXPECT_THAT(emulated, testing::Not(testing::HasSubstr("FAIL")));
  const FinishedProcess native = over_open_mpi(4, command("native"), path(""));
  EXPECT_EQ(native.exit_code, 0) << native.out << native.err;
  EXPECT_EQ(emulated, native.out);
}

INSTANTIATE_TEST_SUITE_P(Of, Mpi4pyChecks, testing::Values(Checks{"calls", 23}, Checks{"objects", 37}),
                         [](const testing::TestParamInfo<Checks>& about) { return about.param.script; });

TEST_F(Mpi4py, AbortEndsTheRunWithItsCode) {
  const FinishedProcess run =
      morgana({"run", "-n", "3", "--quiet", "--", "python3", "-c",
               "from mpi4py import MPI; MPI.COMM_WORLD.rank == 1 and MPI.COMM_WORLD.Abort(7); "
               "MPI.COMM_WORLD.Barrier()"});
  EXPECT_EQ(run.exit_code, 7) << run.err;
  EXPECT_THAT(run.err, testing::HasSubstr("rank 1"));
}

}  // namespace
}  // namespace morgana::test
