#include <algorithm>

#include "tests/integration/morgana_test.h"

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
