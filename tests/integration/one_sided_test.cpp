#include <regex>
#include <sstream>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::HasSubstr;

class OneSided : public MorganaTest {
 protected:
  /// What the program prints on two hosts of `loggp-example`: o = 1 us, L = 5 us, g = 2 us, G = 1 ns/B, no
  /// message shorter than 64 bytes in an access.
  std::string times(const std::vector<std::string>& settings = {}) {
    std::vector<std::string> run{"run",  "-n",     "2",        "--platform", "loggp-example", "--compute",
                                 "none", "--json", "run.json", "--trace",    "run.otf2",      "--quiet"};
    run.insert(run.end(), settings.begin(), settings.end());
    run.insert(run.end(), {"--", program("one_sided")});
    return succeed(run).out;
  }
};

TEST_F(OneSided, TakesTheTimesOfTheHandCalculation) {
  const std::string out = times();
  // o, 1000 G and L there, 63 G and L back.
  EXPECT_THAT(out, HasSubstr("put 12.063 us"));
  // The other way round.
  EXPECT_THAT(out, HasSubstr("get 12.063 us"));
  EXPECT_THAT(out, HasSubstr("fetch 11.126 us"));
  // The tenth put leaves nine times 1000 G + g after the first.
  EXPECT_THAT(out, HasSubstr("puts 39.063 us"));
  EXPECT_THAT(out, HasSubstr("lock 11.126 us"));
  EXPECT_THAT(out, HasSubstr("unlock 11.126 us"));
  EXPECT_THAT(out, HasSubstr("PASS"));
}

TEST_F(OneSided, TakesTheTimeOfMemoryWithinAHost) {
  const std::string out = times({"--set", "hosts.processors=2"});
  // 0.2 us of overhead, one copy of 1001 bytes at 0.1 ns/B, 0.1 us of latency each way.
  EXPECT_THAT(out, HasSubstr("put 0.500 us"));
  EXPECT_THAT(out, HasSubstr("PASS"));
}

TEST_F(OneSided, CompletesAnEpochAfterItsAccesses) {
  // The access's round trip, and then o for the message that says so.
  EXPECT_THAT(times(), HasSubstr("complete 13.063 us"));
}

TEST_F(OneSided, IsReplayedFromItsTraceToTheSamePicosecond) {
  times();
  succeed({"replay", "run.otf2", "--platform", "loggp-example", "--quiet", "--json", "replay.json"});
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
}

TEST_F(OneSided, IsTheSameInEveryRun) {
  const auto run = [this] {
    succeed({"run", "-n", "4", "--compute", "none", "--set", "hosts.processors=4", "--quiet", "--json",
             "run.json", "--", program("windows")});
    return simulated_ps("run.json");
  };
  const std::int64_t first = run();
  EXPECT_EQ(run(), first);
}

/// What a rank does in a trace, without times and without the numbers of requests.
std::string operations_in(const std::string& printed, int rank) {
  static const std::regex record("([A-Z_0-9]+) +([0-9]+) +[0-9]+ *(.*)");
  static const std::regex attributes(" *ADDITIONAL ATTRIBUTES: (.*)");
  static const std::regex numbers(
      "(\"morgana.completed\".*Value: |\"morgana.request\" <[0-9]*>; UINT64; |Request: |<)[0-9]+");
  std::istringstream lines(printed);
  std::string operations;
  std::smatch found;
  bool is_mine = false;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, found, record)) {
      is_mine = std::stoi(found[2]) == rank;
      if (is_mine)
        operations += found[1].str() + " " + std::regex_replace(found[3].str(), numbers, "$1") + "\n";
    } else if (is_mine && std::regex_match(line, found, attributes)) {
      operations += "  " + std::regex_replace(found[1].str(), numbers, "$1") + "\n";
    }
  }
  return operations;
}

TEST_F(OneSided, ARecordingSaysWhatAnEmulatedRunDoes) {
  const auto printed = [this](const std::string& trace) {
    return run_to_end({"otf2-print", path(trace + "/traces.otf2")}).out;
  };
  const auto compare = [&](const std::string& ranks, const std::vector<std::string>& command) {
    std::vector<std::string> run{"run", "--compute", "none", "--trace", "run.otf2", "--quiet", "-n", ranks};
    std::vector<std::string> capture{"capture", "-o", "capture.otf2", "--quiet", "-n", ranks};
    for (auto* arguments : {&run, &capture}) {
      arguments->push_back("--");
      arguments->insert(arguments->end(), command.begin(), command.end());
      succeed(*arguments);
    }
    const std::string emulated = printed("run.otf2"), recorded = printed("capture.otf2");
    for (int rank = 0; rank < std::stoi(ranks); ++rank) {
      const std::string operations = operations_in(emulated, rank);
      EXPECT_THAT(operations, HasSubstr("MPI_Win_create"));
      EXPECT_EQ(operations_in(recorded, rank), operations) << "rank " << rank;
    }
    std::filesystem::remove_all(path("run.otf2"));
    std::filesystem::remove_all(path("capture.otf2"));
  };
  compare("4", {program("conformance/windows_layouts")});
  compare("6", {program("conformance/windows_groups"), "pairs_exchange_while_others_do_nothing",
                "one_origin_many_targets", "halves_on_one_window", "exposed_and_locked_at_once"});
}

TEST_F(OneSided, ACircleOfLocksIsADeadlockThatNamesThem) {
  write("circle.c",
        "#include <mpi.h>\n"
        "int main(int argc, char** argv) {\n"
        "  int rank, *memory; MPI_Win window;\n"
        "  MPI_Init(&argc, &argv);\n"
        "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
        "  MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);\n"
        "  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);\n"
        "  MPI_Barrier(MPI_COMM_WORLD);\n"
        "  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window);\n"
        "  MPI_Finalize();\n"
        "}\n");
  ASSERT_EQ(run_to_end({"mpicc.mpich", "-o", path("circle"), path("circle.c")}).exit_code, 0);
  const FinishedProcess result = morgana({"run", "-n", "2", "--quiet", "--", "./circle"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("rank 0: waits in MPI_Win_lock for the lock of rank 1's window"));
  EXPECT_THAT(result.err, HasSubstr("rank 1: waits in MPI_Win_lock for the lock of rank 0's window"));
}

}  // namespace
}  // namespace morgana::test
