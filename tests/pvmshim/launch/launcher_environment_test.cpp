#include "pvmshim/launch/process/launcher_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace morgana {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

/// A variable of this process while the object lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(LauncherEnvironment, DividesVariablesBetweenMpiexecAndItsRanks) {
  const Variable slurm("SLURM_NODELIST", "a[1-2]"), pbs("PBS_NODEFILE", "hosts"), own("SLURMLIKE", "1"),
      hydra("HYDRA_HOST_FILE", "hosts"), place("PMI_RANK", "3"), run("MORGANA_CHANNEL", "/proc/1/fd/3"),
      wish("MORGANA_CALIBRATION", "off");
  const LauncherEnvironment divided = launcher_environment();
  for (const char* entry : {"SLURM_NODELIST=a[1-2]", "PBS_NODEFILE=hosts", "HYDRA_HOST_FILE=hosts"}) {
    EXPECT_THAT(divided.withheld, Contains(entry));
    EXPECT_THAT(divided.mpiexecs, Not(Contains(entry)));
  }
  EXPECT_THAT(divided.mpiexecs, Contains("SLURMLIKE=1"));
  EXPECT_THAT(divided.mpiexecs, Contains("MORGANA_CALIBRATION=off"));
  EXPECT_THAT(divided.mpiexecs, Contains("HYDRA_CONFIG_FILE=/dev/null"));
  EXPECT_THAT(divided.withheld, Contains("HYDRA_CONFIG_FILE"));
  for (const auto* half : {&divided.withheld, &divided.mpiexecs})
    for (const char* beginning : {"PMI_RANK", "MORGANA_CHANNEL"})
      EXPECT_THAT(*half, Not(Contains(StartsWith(beginning))));
}

TEST(LauncherEnvironment, GivesBackAConfigurationThatTheUserNames) {
  const Variable named("HYDRA_CONFIG_FILE", "mine.conf");
  const LauncherEnvironment divided = launcher_environment();
  EXPECT_THAT(divided.withheld, Contains("HYDRA_CONFIG_FILE=mine.conf"));
  EXPECT_EQ(
      std::ranges::count_if(divided.mpiexecs,
                            [](const std::string& one) { return one.starts_with("HYDRA_CONFIG_FILE"); }),
      1);
}

TEST(LauncherEnvironment, KnowsAnAllocationByTheJobsNumberFirst) {
  EXPECT_FALSE(allocation_here());
  const Variable file("PBS_NODEFILE", "hosts");
  EXPECT_EQ(allocation_here()->variable, "PBS_NODEFILE");
  const Variable job("PBS_JOBID", "7.server");
  EXPECT_EQ(allocation_here()->value, "7.server");
  const Variable none("SLURM_JOB_ID", "");
  EXPECT_EQ(allocation_here()->system, "PBS");
}

}  // namespace
}  // namespace morgana
