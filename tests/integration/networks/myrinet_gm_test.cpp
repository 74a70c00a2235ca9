// Programs over GM on Myrinet interfaces: losses are mended on the interfaces, and a dead cable is named.
#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Words = std::vector<std::string>;

class MyrinetGm : public MorganaTest {
 protected:
  FinishedProcess run(const std::string& ranks, const Words& how, const Words& program_words) {
    Words words{"run",       "-n",   ranks,    "--platform", "myrinet-gm", "--set", "network.corruption=1 %",
                "--compute", "none", "--seed", "3"};
    words.insert(words.end(), how.begin(), how.end());
    words.emplace_back("--");
    words.insert(words.end(), program_words.begin(), program_words.end());
    return morgana(words);
  }
  /// What the program prints but its time.
  static std::string result_of(const FinishedProcess& process) {
    EXPECT_EQ(process.exit_code, 0) << process.out << process.err;
    EXPECT_THAT(process.out, HasSubstr("PASS\n")) << process.err;
    return process.out.substr(0, process.out.find("time "));
  }
  static auto names_the_cable() {
    return AllOf(
        HasSubstr("given up after 2 repetitions; the last of its packets to be lost: its packet needed "
                  "the cable switch 0 port 1 -> host 1, dead since"),
        HasSubstr("interface.gm.tries"), HasSubstr("network.faults"));
  }
};

TEST_F(MyrinetGm, KernelsAreRightWhereAPacketInAHundredIsCorrupted) {
  for (const char* kernel : {"cg", "is"}) {
    SCOPED_TRACE(kernel);
    const std::string name = kernel;
    const std::string expected =
        result_of(morgana({"run", "-n", "4", "--platform", "ideal", "--compute", "none", "--quiet", "--",
                           program(name + ".mpi"), "--class", "S"}));
    EXPECT_EQ(
        result_of(run("4", {"--json", "mpi.json", "--counters"}, {program(name + ".mpi"), "--class", "S"})),
        expected);
    EXPECT_GT(read_json("mpi.json").at("counters").at("GM").at(0).at("packets_sent_again"), 0);
    result_of(run("4", {}, {program(name + ".pvm"), "--tasks", "4", "--class", "S"}));
  }
}

TEST_F(MyrinetGm, NetPipeRunsWhereAPacketInAHundredIsCorrupted) {
  const FinishedProcess result =
      run("2", {}, {"NPmpich2", "-l", "1", "-u", "200000", "-p", "0", "-n", "5", "-o", path("np.out")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(read("np.out"), HasSubstr("196608 "));
}

TEST_F(MyrinetGm, ReplaysToThePicosecondWhatCorruptionHasDone) {
  EXPECT_EQ(
      run("5", {"--json", "run.json", "--trace", "run.otf2"}, {program("ring"), "6", "30000"}).exit_code, 0);
  const Words platform{"--platform", "myrinet-gm", "--set",  "network.corruption=1 %",
                       "--seed",     "3",          "--quiet"};
  Words replay{"replay", "run.otf2", "--json", "replay.json"};
  replay.insert(replay.end(), platform.begin(), platform.end());
  succeed(replay);
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
  EXPECT_EQ(read_json("run.json").at("per_rank"), read_json("replay.json").at("per_rank"));
}

TEST_F(MyrinetGm, ADeadCableEndsKernelsWithItsName) {
  const Words dying{"--set", "network.faults=cable 0.1 at 2 ms", "--set", "interface.gm.tries=2"};
  const FinishedProcess mpi = run("4", dying, {program("cg.mpi"), "--class", "S"});
  EXPECT_NE(mpi.exit_code, 0);
  EXPECT_THAT(mpi.err, names_the_cable());
  const FinishedProcess pvm = run("4", dying, {program("cg.pvm"), "--tasks", "4", "--class", "S"});
  EXPECT_NE(pvm.exit_code, 0);
  EXPECT_THAT(pvm.err, names_the_cable());
}

TEST_F(MyrinetGm, ADeadCableIsAnErrorThatTheProgramCanHandle) {
  const FinishedProcess result =
      run("2", {"--set", "network.faults=cable 0.1 at 500 ms", "--set", "interface.gm.tries=2", "--quiet"},
          {program("returned"), "send"});
  EXPECT_EQ(result.out, "send: MPI_ERR_OTHER\n") << result.err;
  EXPECT_EQ(result.exit_code, 9);
}

}  // namespace
}  // namespace morgana::test
