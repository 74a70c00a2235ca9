#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

TEST_F(MorganaTest, ARunWithoutComputeTimeIsReproducibleToTheByte) {
  for (const std::string name : {"first.json", "second.json"}) {
    succeed({"run", "-n", "4", "--platform", "ethernet-10-loaded", "--compute", "none", "--quiet", "--json",
             name, "--", program("ring")});
  }
  EXPECT_EQ(read("first.json"), read("second.json"));
}

/// Whatever the trace's samples of the network stand between.
TEST_F(MorganaTest, RanksThatPollAtTheSameTimeTakeTheSameTimeEachTime) {
  const auto ranks = [this](std::vector<std::string> more) {
    std::vector<std::string> words{"run",  "-n",      "4",      "--platform", "infiniband-hdr", "--compute",
                                   "none", "--quiet", "--json", "run.json",   "--critical-path"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--", program("pollers"), "1000"});
    succeed(words);
    const nlohmann::json run = read_json("run.json");
    return nlohmann::json{run.at("per_rank"), run.at("critical_path")};
  };
  const auto untraced = ranks({});
  EXPECT_EQ(ranks({}), untraced);
  EXPECT_EQ(ranks({"--trace", "run.otf2"}), untraced);
}

TEST_F(MorganaTest, AReplayIsReproducibleToTheByte) {
  succeed({"run", "-n", "4", "--quiet", "--trace", "run.otf2", "--", program("ring")});
  for (const std::string name : {"first.json", "second.json"}) {
    succeed({"replay", "run.otf2", "--platform", "ethernet-10-loaded", "--quiet", "--json", name});
  }
  EXPECT_EQ(read("first.json"), read("second.json"));
}

TEST_F(MorganaTest, AnotherSeedMeansAnotherBackgroundLoad) {
  succeed({"run", "-n", "4", "--quiet", "--trace", "run.otf2", "--", program("ring")});
  for (const std::string seed : {"1", "2"}) {
    succeed({"replay", "run.otf2", "--platform", "ethernet-10-loaded", "--seed", seed, "--quiet", "--json",
             seed});
  }
  EXPECT_NE(simulated_ps("1"), simulated_ps("2"));
}

TEST_F(MorganaTest, UnmodifiedNetPipeIsReproducibleToTheByte) {
  for (const std::string name : {"first", "second"}) {
    succeed({"run", "-n", "2", "--compute", "none", "--quiet", "--json", name + ".json", "--", "NPmpich2",
             "-u", "1000", "-n", "5", "-o", "np.out"});
    std::filesystem::rename(path("np.out"), path(name + ".out"));
  }
  EXPECT_EQ(read("first.json"), read("second.json"));
  EXPECT_EQ(read("first.out"), read("second.out"));
}

}  // namespace
}  // namespace morgana::test
