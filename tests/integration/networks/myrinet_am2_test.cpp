// Programs over Active Messages II on Myrinet interfaces: losses are mended there, and what a dead host's
// peers have sent to it comes back to them.
#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class MyrinetAm2 : public MorganaTest {
 protected:
  FinishedProcess run(const std::string& ranks, const std::vector<std::string>& how,
                      const std::vector<std::string>& program_words) {
    std::vector<std::string> words{"run",       "-n",   ranks,    "--platform", "myrinet-am2",
                                   "--compute", "none", "--seed", "3"};
    words.insert(words.end(), how.begin(), how.end());
    words.emplace_back("--");
    words.insert(words.end(), program_words.begin(), program_words.end());
    return morgana(words);
  }
  /// What a kernel that is right prints, but its time.
  static std::string am2_result_of(const FinishedProcess& process) {
    EXPECT_EQ(process.exit_code, 0) << process.out << process.err;
    EXPECT_THAT(process.out, HasSubstr("PASS\n")) << process.err;
    return process.out.substr(0, process.out.find("time "));
  }
};

TEST_F(MyrinetAm2, KernelsAreRightWhereEveryTwentiethPacketIsCorrupted) {
  for (const char* kernel : {"cg.mpi", "is.mpi"}) {
    SCOPED_TRACE(kernel);
    const std::vector<std::string> words{program(kernel), "--class", "S"};
    const std::string expected = am2_result_of(run("4", {"--quiet"}, words));
    EXPECT_EQ(am2_result_of(
                  run("4", {"--set", "network.corruption=5 %", "--json", "mpi.json", "--counters"}, words)),
              expected);
    EXPECT_GT(read_json("mpi.json").at("counters").at("Active_Messages_II").at(0).at("packets_sent_again"),
              0);
  }
  am2_result_of(
      run("4", {"--set", "network.corruption=5 %"}, {program("cg.pvm"), "--tasks", "4", "--class", "S"}));
}

TEST_F(MyrinetAm2, ReplaysToThePicosecondWhatCorruptionHasDone) {
  EXPECT_EQ(run("5", {"--set", "network.corruption=5 %", "--json", "run.json", "--trace", "run.otf2"},
                {program("ring"), "6", "30000"})
                .exit_code,
            0);
  succeed({"replay", "run.otf2", "--platform", "myrinet-am2", "--set", "network.corruption=5 %", "--seed",
           "3", "--json", "replay.json", "--quiet"});
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
  EXPECT_EQ(read_json("run.json").at("per_rank"), read_json("replay.json").at("per_rank"));
}

// Hosts' endpoints are taken away each millisecond, with packets corrupted as well.
TEST_F(MyrinetAm2, IsRightAndReplaysToThePicosecondWhileEndpointsComeAndGo) {
  const std::vector<std::string> words{program("cg.mpi"), "--class", "S"};
  const std::vector<std::string> restless{"--set", "interface.am2.evict-every=1 ms", "--set",
                                          "network.corruption=1 %"};
  std::vector<std::string> recorded = restless;
  for (const char* word : {"--json", "run.json", "--counters", "--trace", "run.otf2"})
    recorded.emplace_back(word);
  EXPECT_EQ(am2_result_of(run("4", recorded, words)), am2_result_of(run("4", {"--quiet"}, words)));
  EXPECT_GT(read_json("run.json").at("counters").at("Active_Messages_II").at(0).at("endpoints_unloaded"), 10);
  std::vector<std::string> replay{"replay", "run.otf2", "--platform",  "myrinet-am2", "--seed",
                                  "3",      "--json",   "replay.json", "--quiet"};
  replay.insert(replay.end(), restless.begin(), restless.end());
  succeed(replay);
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
}

// Host 1's cable dies. What rank 0 and rank 3 have sent to it comes back.
TEST_F(MyrinetAm2, ADeadHostsPeersHaveTheirMessagesReturned) {
  const std::vector<std::string> dying{"--set", "network.faults=cable 0.1 at 2 ms", "--set",
                                       "interface.am2.tries=2"};
  const FinishedProcess result = run("4", dying, {program("cg.mpi"), "--class", "S"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("from rank 0 to rank 1, at "), HasSubstr("from rank 3 to rank 1, at "),
                    HasSubstr("returned after 2 retransmissions without ACK or NACK; the last of them: its "
                              "packet needed the cable switch 0 port 1 -> host 1, dead since 0.002000000 s"),
                    HasSubstr("interface.am2.tries"), HasSubstr("network.faults")));
}

TEST_F(MyrinetAm2, AReturnedMessageIsAnErrorThatTheProgramCanHandle) {
  const FinishedProcess result =
      run("2", {"--set", "network.faults=cable 0.1 at 500 ms", "--set", "interface.am2.tries=2", "--quiet"},
          {program("returned"), "ssend"});
  EXPECT_EQ(result.out, "ssend: MPI_ERR_OTHER\n") << result.err;
  EXPECT_EQ(result.exit_code, 9);
}

}  // namespace
}  // namespace morgana::test
