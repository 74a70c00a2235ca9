#include "runs/sweep/sweep_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "runs/sweep/sweep_engine.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

/// An environment variable for as long as a test lasts.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

std::string refusal_of(const std::string& part) {
  try {
    read_part(part);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SweepPart, TogetherTheyTakeEachRunOnce) {
  for (std::size_t of = 1; of <= 7; ++of) {
    for (std::size_t run = 0; run < 20; ++run) {
      std::size_t takers = 0;
      for (std::size_t number = 1; number <= of; ++number) takers += SweepPart{number, of}.takes(run) ? 1 : 0;
      EXPECT_EQ(takers, 1U) << run << " of " << of;
    }
  }
  EXPECT_TRUE((SweepPart{2, 3}).takes(4));
}

TEST(SweepPart, IsWrittenOrToldByMpiexecOrSlurm) {
  EXPECT_EQ(read_part("2/8").number, 2U);
  EXPECT_EQ(read_part("2/8").of, 8U);
  {
    const Variable rank("PMI_RANK", "0"), size("PMI_SIZE", "3");
    EXPECT_EQ(read_part("mpi").number, 1U);
    EXPECT_EQ(read_part("mpi").of, 3U);
  }
  const Variable task("SLURM_ARRAY_TASK_ID", "12"), least("SLURM_ARRAY_TASK_MIN", "10"),
      count("SLURM_ARRAY_TASK_COUNT", "5");
  EXPECT_EQ(read_part("slurm").number, 3U);
  EXPECT_EQ(read_part("slurm").of, 5U);
}

TEST(SweepPart, IsRefusedWhereItIsNone) {
  for (const char* wrong :
       {"", "2", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/2", "1/2 ", "99999999999999999999/2"})
    expect_message(refusal_of(wrong), {"--part ", "K/N"});
  expect_message(refusal_of("mpi"), "PMI_RANK");
  expect_message(refusal_of("slurm"), "SLURM_ARRAY_TASK_ID");
}

// A program's own mpiexec would take the part for one of its ranks, or ask Slurm for machines.
TEST(SweepPart, LeavesNothingOfItsJobToWhatItStarts) {
  const Variable rank("PMI_RANK", "1"), slurm("SLURM_NODELIST", "n1"), hydra("HYDRA_LAUNCHER", "slurm"),
      other("SLURRY", "kept");
  leave_job();
  for (const char* name : {"PMI_RANK", "SLURM_NODELIST", "HYDRA_LAUNCHER"})
    EXPECT_EQ(std::getenv(name), nullptr);
  EXPECT_STREQ(std::getenv("SLURRY"), "kept");
}

TEST(SweepPart, KeepsItsResultsBesideTheSweeps) {
  EXPECT_EQ(part_file("a/b.csv", {2, 8}), "a/b.csv.part-2-of-8");
  const std::filesystem::path folder = testing::TempDir() + "morgana-parts-" + std::to_string(::getpid());
  std::filesystem::create_directory(folder);
  EXPECT_THAT(part_files(folder / "b.csv"), IsEmpty());
  for (const char* name : {"b.csv", "b.csv.part-2-of-8", "b.csv.part-1-of-8", "b.csv.part-x-of-8",
                           "b.csv.part-1", "bb.csv.part-1-of-8", "b.csv.part-1-of-8.bak"})
    std::ofstream(folder / name) << "x";
  EXPECT_THAT(part_files(folder / "b.csv"),
              ElementsAre(folder / "b.csv.part-1-of-8", folder / "b.csv.part-2-of-8"));
  std::filesystem::remove_all(folder);
}

TEST(SweepPart, IsStartedByTheEngineWithItsOwnOptions) {
  SharedSweep shared;
  shared.parts = 3;
  shared.options = {"-f", "hosts"};
  shared.command = {"/bin/morgana", "sweep", "--over=a=1,2", "t.otf2"};
  shared.results = "/tmp/r.csv";
  EXPECT_THAT(shared.engine_command(), ElementsAre("mpiexec.mpich", "-n", "3", "-f", "hosts", "/bin/morgana",
                                                   "sweep", "--part", "mpi", "--over=a=1,2", "t.otf2"));
  shared.engine = SweepEngine::slurm;
  shared.options = {"--partition=short"};
  shared.command.emplace_back("it's");
  const std::vector<std::string> slurm = shared.engine_command();
  EXPECT_EQ(slurm.front(), "sbatch");
  EXPECT_EQ(slurm.back(), "--wrap=exec /bin/morgana sweep --part slurm --over=a=1,2 t.otf2 'it'\\''s'");
  EXPECT_THAT(slurm, AllOf(Contains("--array=1-3"), Contains("--wait"), Contains("--partition=short"),
                           Contains("--output=/tmp/r.csv.task-%a.log")));
}

}  // namespace
}  // namespace morgana
