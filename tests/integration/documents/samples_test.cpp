#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

namespace fs = std::filesystem;

const fs::path samples = fs::path(MORGANA_SOURCE) / "traces/samples";

std::vector<std::string> sample_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(samples))
    if (entry.path().extension() == ".otf2") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

/// The recorded traces that come with the sources.
class Sample : public MorganaTest, public testing::WithParamInterface<std::string> {
 protected:
  std::string trace() const { return (samples / (GetParam() + ".otf2")).string(); }
};

TEST_P(Sample, IsReplayedWithAllItsMessages) {
  succeed({"stats", trace(), "--quiet", "--json", "stats.json"});
  const auto messages = read_json("stats.json").at("messages").get<std::uint64_t>();
  EXPECT_GT(messages, 0U);
  for (const char* platform : {"ethernet-10", "infiniband-hdr"}) {
    const FinishedProcess replay =
        succeed({"replay", trace(), "--platform", platform, "--json", "replay.json"});
    EXPECT_EQ(replay.err, "") << platform;  // no message without its receive
    EXPECT_EQ(read_json("replay.json").at("total").at("messages_sent"), messages) << platform;
    EXPECT_EQ(read_json("replay.json").at("total").at("messages_received"), messages) << platform;
  }
}

TEST_P(Sample, TakesLongerOnASlowerNetwork) {
  succeed({"replay", trace(), "--platform", "ethernet-10", "--quiet", "--json", "slow.json"});
  succeed({"replay", trace(), "--platform", "infiniband-hdr", "--quiet", "--json", "fast.json"});
  EXPECT_GT(simulated_ps("slow.json"), simulated_ps("fast.json"));
}

INSTANTIATE_TEST_SUITE_P(Of, Sample, testing::ValuesIn(sample_names()), [](const auto& sample) {
  std::string name = sample.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

/// Schedules and execution traces of our own making: their times follow from what they say.
class SampleSchedule : public MorganaTest {
 protected:
  std::int64_t time_of(const std::string& name, const std::string& platform) {
    succeed({"replay", (samples / name).string(), "-p", platform, "--quiet", "--json", "run.json"});
    return simulated_ps("run.json");
  }
};

// 14 ring steps of 1 MiB take 88,157,300 ns by LogGOPSim's parameters, and seven of them add for 50 us.
TEST_F(SampleSchedule, ARingAddsInTheFirstHalfOfItsSteps) {
  EXPECT_EQ(time_of("ring-allreduce.goal", "loggopsim"), (88'157'300 + 7 * 50'000) * std::int64_t{1000});
}

// On a network that takes no time only the four blocks of 500 us are left.
TEST_F(SampleSchedule, TwoStreamsComputeAndExchangeBesideEachOther) {
  EXPECT_EQ(time_of("two-streams.goal", "ideal"), 2'000'000'000);
  EXPECT_GT(time_of("two-streams.goal", "hdr-fat-tree"), 2'000'000'000);
}

// Backward passes hide all but the last all-reduce: 4 x 400 us forward, 4 x 800 us backward, it, and 300 us.
TEST_F(SampleSchedule, ATrainingStepEndsWithItsLastAllReduce) {
  succeed({"collective", "all-reduce", "-p", "dgx-h100", "-n", "8", "--bytes", "128 MiB", "--quiet", "--json",
           "all-reduce.json"});
  const auto reduced = read_json("all-reduce.json").at("rows").at(0).at("time_ps").get<std::int64_t>();
  EXPECT_EQ(time_of("data-parallel", "dgx-h100"), 5'100'000'000 + reduced);
}

// On a network that takes no time: 4 x 300 us forward, 4 x 600 us backward, and 150 us. Else a layer's
// activations and errors, which are reduced on nodes of 8, can't hide, while gradients between the nodes can.
TEST_F(SampleSchedule, TensorParallelRanksReduceWithinNodesAndGradientsBetweenThem) {
  EXPECT_EQ(time_of("tensor-parallel", "ideal"), 3'750'000'000);
  succeed({"collective", "all-reduce", "-p", "dgx-h100", "-n", "8", "--bytes", "32 MiB", "--quiet", "--json",
           "all-reduce.json"});
  const auto within = read_json("all-reduce.json").at("rows").at(0).at("time_ps").get<std::int64_t>();
  EXPECT_GE(time_of("tensor-parallel", "dgx-h100"), 3'750'000'000 + 8 * within);
}

// Five times a millisecond. Each rank sends five messages; its row and its column stay communicators.
TEST_F(SampleSchedule, RowsAndColumnsAreImportedWithTheirCommunicators) {
  succeed({"import", (samples / "rows-and-columns.dim").string(), "-o", "rows.otf2"});
  succeed({"stats", "rows.otf2", "--quiet", "--json", "stats.json"});
  EXPECT_EQ(read_json("stats.json").at("messages"), 4 * 5);
  EXPECT_EQ(read_json("stats.json").at("bytes"), 4 * 5 * 1'000'000);
  EXPECT_EQ(read_json("stats.json").at("collectives").at("MPI_Allreduce").at("calls"), 4 * 5);
  succeed({"replay", "rows.otf2", "-p", "ideal", "--quiet", "--json", "ideal.json"});
  EXPECT_EQ(simulated_ps("ideal.json"), 5'000'000'000);
}

TEST_F(SampleSchedule, ComeFromTheScriptBesideThem) {
  const FinishedProcess made = in_shell((samples / "make-schedules").string() + " .");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  for (const auto& entry : fs::directory_iterator(samples)) {
    const fs::path name = entry.path().filename();
    if (name.extension() == ".goal" || name.extension() == ".et" || name.extension() == ".dim") {
      std::ifstream there(entry.path(), std::ios::binary);
      EXPECT_EQ(read(name.string()), std::string(std::istreambuf_iterator<char>(there), {})) << name;
    }
  }
}

TEST(Samples, AreThereForEachKernelAndSmall) {
  const std::vector<std::string> names = sample_names();
  for (const char* kernel : {"cg", "ep", "ft", "is", "mg", "pde1", "pde2", "solver"})
    EXPECT_THAT(names, testing::Contains(std::string(kernel) + ".mpi"));
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(samples))
    if (entry.is_regular_file()) bytes += entry.file_size();
  EXPECT_LT(bytes, 3'000'000U);
}

}  // namespace
}  // namespace morgana::test
