// Measured times become a platform, and a program's predicted time is compared with its real one.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The number in front of a unit: `send-overhead = "1.005 us"`.
double value_in(const std::string& toml, const std::string& key) {
  const std::string begin = "\n" + key + " = \"";
  const std::size_t at = toml.find(begin);
  return at == std::string::npos ? -1 : std::stod(toml.substr(at + begin.size()));
}

/// Of a time, in us: 1 us is written as "999.989 ns" where that was found.
double us_in(const std::string& toml, const std::string& key) {
  const std::size_t at = toml.find("\n" + key + " = \"");
  const bool nanoseconds =
      at != std::string::npos &&
      toml.substr(at + 1, toml.find('\n', at + 1) - at).find(" ns\"") != std::string::npos;
  return value_in(toml, key) / (nanoseconds ? 1000 : 1);
}

/// The expected values are the keys of platforms/loggp-example.toml.
TEST_F(MorganaTest, APlatformThatWasMeasuredFromOutsideIsFoundAgain) {
  succeed({"run", "-n", "2", "--platform", "loggp-example", "--compute", "none", "--quiet", "--",
           program("network.measure"), path("table.txt")});
  const FinishedProcess fitted = succeed({"fit", "table.txt", "-o", "again.toml", "--csv", "residuals.csv"});
  EXPECT_THAT(fitted.out, testing::ContainsRegex("overheads     send (1\\.0|999)"));
  EXPECT_THAT(read("residuals.csv"), HasSubstr("bytes,measured_us,fitted_us,of\n"));
  const std::string toml = read("again.toml");
  constexpr double within = 0.03;
  EXPECT_NEAR(us_in(toml, "send-overhead"), 1, within);
  EXPECT_NEAR(us_in(toml, "receive-overhead"), 1, within);
  EXPECT_NEAR(value_in(toml, "latency"), 5, 5 * within);
  EXPECT_NEAR(value_in(toml, "gap"), 2, 2 * within);
  EXPECT_NEAR(value_in(toml, "gap-per-byte"), 1, within);
  EXPECT_THAT(toml, HasSubstr("eager-limit = \"64 KiB\""));
  succeed({"run", "-n", "2", "--platform", "./again.toml", "--compute", "none", "--quiet", "--",
           program("network.measure"), path("again.txt")});
}

/// Calls, latencies and messages that follow each other are fitted together; 98304 B is the last size of the
/// table up to the platform's eager limit of 128000 B.
TEST_F(MorganaTest, StreamsOfNetworkMeasureAreFittedBesideItsCalls) {
  succeed({"run", "-n", "2", "--platform", "fast-ethernet", "--compute", "none", "--quiet", "--",
           program("network.measure"), path("table.txt")});
  const std::string out = succeed({"fit", "table.txt", "-o", "again.toml"}).out;
  EXPECT_THAT(
      out, AllOf(HasSubstr("eager limit   98304 B"),
                 testing::ContainsRegex("bandwidths within [0-2]\\.[0-9] % in the mean, [0-9]\\.[0-9] %")));
  EXPECT_NEAR(value_in(read("again.toml"), "send-overhead"), 10, 0.1);
}

TEST_F(MorganaTest, FitRefusesTablesThatContradictEachOther) {
  std::string latency = "# OSU MPI Latency Test v5.6.2\n# Size Latency (us)\n",
              giga = "# OSU MPI Bandwidth Test v5.6.2\n# Size Bandwidth (MB/s)\n";
  for (double bytes = 1; bytes <= 1 << 20; bytes *= 2) {
    latency += fmt::format("{:.0f} {:.3f}\n", bytes, 2 + bytes / 12'000);
    giga += fmt::format("{:.0f} {:.6f}\n", bytes, bytes / (0.3 + bytes / 12'000) / 1000);
  }
  write("lat.txt", latency);
  write("giga.txt", giga);
  const FinishedProcess refused = morgana({"fit", "lat.txt", "giga.txt", "-o", "none.toml"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("the tables contradict each other"), HasSubstr("check the units")));
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

TEST_F(MorganaTest, FitTakesALogOfNcclTests) {
  std::string log;
  for (int rank = 0; rank < 8; ++rank)
    log += fmt::format("#   Rank {:2} Pid 7 on node0 device {:2} [0x00] A100\n", rank, rank);
  log += "#  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  error\n";
  for (double bytes = 8; bytes <= 1 << 26; bytes *= 2) {
    const double us = std::min({35 + bytes / 21'000, 65 + bytes / 86'000, 104 + bytes / 133'000}),
                 algbw = bytes / us / 1e3;
    const std::string measured = fmt::format("{:.2f} {:.2f} {:.2f}", us, algbw, algbw * 1.75);
    log += fmt::format("{:.0f} {:.0f} float sum {} 0 {} 0\n", bytes, bytes / 4, measured, measured);
  }
  write("all_reduce.log", log);
  const FinishedProcess fitted = succeed({"fit", "all_reduce.log", "-o", "gpus.toml", "--csv", "left.csv"});
  EXPECT_THAT(fitted.out, AllOf(HasSubstr("extends dgx-a100"), HasSubstr("keys          fitted to the log"),
                                HasSubstr("ring-ll128-hop")));
  EXPECT_THAT(read("gpus.toml"), HasSubstr("\"nccl.ring-ll-hop\" = \"fitted to all_reduce.log"));
  EXPECT_THAT(read("left.csv"), AllOf(HasSubstr("bytes,measured_us,fitted_us"), HasSubstr("ring simple")));
  succeed({"collective", "all-reduce", "-p", "./gpus.toml", "--bytes", "1 MiB"});
  EXPECT_THAT(morgana({"fit", "all_reduce.log", "all_reduce.log"}).err, HasSubstr("fitted by itself"));
  EXPECT_THAT(morgana({"fit", "gpus.toml", "-p", "dgx-a100"}).err, HasSubstr("--platform names"));
}

TEST_F(MorganaTest, ValidateComparesPredictedAndMeasuredTimes) {
  write(
      "table.txt",
      "# OSU MPI Latency Test\n# Size Latency (us)\n1 1\n2 1\n4 1\n8 1\n16 1\n1024 1.5\n4096 3\n65536 33\n");
  const FinishedProcess result =
      succeed({"validate", "-n", "2", "--table", "table.txt", "--runs", "1", "--", program("ring")});
  EXPECT_THAT(result.out, testing::ContainsRegex("measured +predicted +error"));
  EXPECT_THAT(result.out, testing::ContainsRegex("communication .* %"));
  EXPECT_THAT(result.out, testing::ContainsRegex(
                              "verdict    undecided: the predicted time is .* % (shorter|longer) than the "
                              "measured one, and one run"));
  EXPECT_THAT(
      succeed({"validate", "-n", "2", "--table", "table.txt", "--runs", "3", "--", program("ring")}).out,
      testing::ContainsRegex(
          "verdict    (passed|deviates|undecided): the predicted time is .* % (shorter|longer)"));
  if (HAS_PVM != 0) {
    const FinishedProcess over_pvm =
        succeed({"validate", "-n", "2", "--table", "table.txt", "--runs", "1", "--", program("pvm_alone")});
    EXPECT_THAT(over_pvm.out, HasSubstr(" | 2 hosts | "));
    EXPECT_THAT(over_pvm.out, testing::ContainsRegex("measured +predicted +error"));
  }
  EXPECT_THAT(morgana({"validate", "-n", "2"}).err, HasSubstr("no program to start"));
  EXPECT_THAT(morgana({"validate", "-n", "2", "--", "ls"}).err, HasSubstr("is linked to neither MPICH"));
}

}  // namespace
}  // namespace morgana::test
