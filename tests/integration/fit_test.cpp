// Measured times become a platform, and a program's predicted time is compared with its real one.

#include "tests/integration/morgana_test.h"

namespace morgana::test {
namespace {

using testing::HasSubstr;

/// The number in front of a unit: `send-overhead = "1.005 us"`.
double value_in(const std::string& toml, const std::string& key) {
  const std::string begin = "\n" + key + " = \"";
  const std::size_t at = toml.find(begin);
  return at == std::string::npos ? -1 : std::stod(toml.substr(at + begin.size()));
}

/// The expected values are the keys of platforms/loggp-example.toml.
TEST_F(MorganaTest, APlatformThatWasMeasuredFromOutsideIsFoundAgain) {
  succeed({"run", "-n", "2", "--platform", "loggp-example", "--compute", "none", "--quiet", "--",
           program("network.measure"), path("table.txt")});
  const FinishedProcess fitted = succeed({"fit", "table.txt", "-o", "again.toml", "--csv", "residuals.csv"});
  EXPECT_THAT(fitted.out, HasSubstr("overheads     send 1.0"));
  EXPECT_THAT(read("residuals.csv"), HasSubstr("bytes,measured_us,fitted_us\n"));
  const std::string toml = read("again.toml");
  constexpr double within = 0.03;
  EXPECT_NEAR(value_in(toml, "send-overhead"), 1, within);
  EXPECT_NEAR(value_in(toml, "receive-overhead"), 1, within);
  EXPECT_NEAR(value_in(toml, "latency"), 5, 5 * within);
  EXPECT_NEAR(value_in(toml, "gap"), 2, 2 * within);
  EXPECT_NEAR(value_in(toml, "gap-per-byte"), 1, within);
  EXPECT_THAT(toml, HasSubstr("eager-limit = \"64 KiB\""));
  succeed({"run", "-n", "2", "--platform", "./again.toml", "--compute", "none", "--quiet", "--",
           program("network.measure"), path("again.txt")});
}

TEST_F(MorganaTest, NetPipesOutputBecomesAPlatform) {
  succeed({"run", "-n", "2", "--platform", "ibm-sp2", "--compute", "none", "--quiet", "--", "NPmpich2", "-n",
           "10", "-u", "300000", "-o", path("np.out")});
  succeed({"fit", "np.out", "-o", "sp2.toml", "--quiet"});
  const std::string toml = read("sp2.toml");
  EXPECT_NEAR(value_in(toml, "gap-per-byte"), 25, 25 * 0.03);
  EXPECT_THAT(toml, HasSubstr("eager-limit = \"4 KiB\""));
}

/// Tables of two real networks, as their measurers have published them: the step at the eager limit is where
/// it is in the table, and a line for each side comes within a few per cent.
TEST_F(MorganaTest, FitTakesPublishedTablesOfRealNetworks) {
  struct Published {
    const char* network;
    const char* limit;
  };
  for (const auto& [network, limit] : {Published{"cray-aries", "8 KiB"}, Published{"efa-hpc6a", "64 KiB"}}) {
    const std::string table = std::string(MORGANA_SOURCE "/docs/measurements/") + network + ".txt";
    const std::string out = succeed({"fit", table, "-o", std::string(network) + ".toml"}).out;
    EXPECT_THAT(out, testing::ContainsRegex("latencies within [0-5]\\.[0-9] % in the mean")) << network;
    EXPECT_THAT(read(std::string(network) + ".toml"), HasSubstr(std::string("eager-limit = \"") + limit))
        << network;
  }
}

TEST_F(MorganaTest, FitSaysWhatItLacks) {
  EXPECT_THAT(morgana({"fit"}).err,
              HasSubstr("nothing to fit: name tables of measured times, or give --measure"));
  write("text.txt", "nothing of that kind\n");
  EXPECT_THAT(morgana({"fit", "text.txt"}).err, HasSubstr("text.txt: no table of NetPIPE"));
}

TEST_F(MorganaTest, ValidateComparesPredictedAndMeasuredTimes) {
  write(
      "table.txt",
      "# OSU MPI Latency Test\n# Size Latency (us)\n1 1\n2 1\n4 1\n8 1\n16 1\n1024 1.5\n4096 3\n65536 33\n");
  const FinishedProcess result =
      succeed({"validate", "-n", "2", "--table", "table.txt", "--runs", "1", "--", program("ring")});
  EXPECT_THAT(result.out, testing::ContainsRegex("measured +predicted +error"));
  EXPECT_THAT(result.out, testing::ContainsRegex("communication .* %"));
  const FinishedProcess over_pvm =
      succeed({"validate", "-n", "2", "--table", "table.txt", "--runs", "1", "--", program("pvm_alone")});
  EXPECT_THAT(over_pvm.out, HasSubstr(" | 2 hosts | "));
  EXPECT_THAT(over_pvm.out, testing::ContainsRegex("measured +predicted +error"));
  EXPECT_THAT(morgana({"validate", "-n", "2"}).err, HasSubstr("no program to start"));
  EXPECT_THAT(morgana({"validate", "-n", "2", "--", "ls"}).err, HasSubstr("is linked to neither MPICH"));
}

}  // namespace
}  // namespace morgana::test
