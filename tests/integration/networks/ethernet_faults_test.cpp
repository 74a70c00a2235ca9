// Programs on a switched Ethernet that loses frames, in full buffers and on what dies.
#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class EthernetFaults : public MorganaTest {
 protected:
  EthernetFaults() {
    write("ring.toml",
          "extends = \"fast-ethernet\"\n[network]\ntopology = \"ring\"\nswitches = 3\n"
          "hosts-per-switch = 1\n");
  }
  FinishedProcess pingpong(const std::vector<std::string>& settings) {
    std::vector<std::string> words{"run", "-n", "2", "-p", "./ring.toml", "--compute", "none"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), {"--json", "run.json", "--", program("pingpong")});
    return morgana(words);
  }
};

// Host n hangs on port 0 of switch n; the trunk from 0 to 1 has the next ports.
TEST_F(EthernetFaults, AProgramEndsWithTheMessageThatADeadTrunkLost) {
  const FinishedProcess run = pingpong({"network.faults=cable 0-1 at 0 s", "network.convergence=1000 s"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err, AllOf(HasSubstr("deadlock"), HasSubstr("from rank 0 to rank 1"),
                             HasSubstr("given up after 15 repetitions"),
                             HasSubstr("its frame needed the cable switch 0 port 1 -> switch 1 port 1, dead "
                                       "since 0.000000000 s"),
                             HasSubstr("leave it out of network.faults")));
}

TEST_F(EthernetFaults, AProgramGoesRoundADeadTrunkOnceTheTablesDo) {
  const auto time_with = [this](const std::vector<std::string>& settings) {
    EXPECT_EQ(pingpong(settings).exit_code, 0);
    return simulated_ps("run.json");
  };
  const std::int64_t whole = time_with({});
  // Two trunks instead of one from the start.
  const std::int64_t round = time_with({"network.faults=cable 0-1 at 0 s", "network.convergence=0 s"});
  EXPECT_GT(round, whole);
  // go-back-n repeats what was lost until then.
  const std::int64_t later = time_with({"network.faults=cable 0-1 at 0 s", "network.convergence=3 s"});
  EXPECT_GT(later, 3'000'000'000'000);
  EXPECT_EQ(time_with({"network.faults=cable 1-2 at 0 s"}), whole);  // it was blocked
}

TEST_F(EthernetFaults, AProgramEndsWithTheMessageThatAFullBufferLost) {
  // Several hosts at once send to another one's output, and each tries once more.
  const FinishedProcess run = morgana({"run", "-n", "4", "-p", "fast-ethernet", "--compute", "none", "--set",
                                       "transport.tries=1", "--set", "transport.retransmit-after=1 ms",
                                       "--set", "network.buffer=1 frame", "--", program("alltoalls")});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("its frame was lost at "), HasSubstr("at the output of switch 0 to host"),
                    HasSubstr("whose buffer of 1 frame was full"),
                    HasSubstr("--set network.buffer=unlimited loses none of them")));
}

}  // namespace
}  // namespace morgana::test
