#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The programs of benchmarks/pushpull on a platform of round numbers: o = 1 us at both ends, L = 5 us, G = 1
/// ns/B.
class PushPullPrograms : public MorganaTest {
 protected:
  /// The value behind "bytes," in what a program prints.
  double measured(const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> words{"run",           "-q",        "-n",   "2",  "-p",
                                   "loggp-example", "--compute", "none", "--", program(name)};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--output", path("measured.csv")});
    succeed(words);
    const std::string text = read("measured.csv");
    return std::stod(text.substr(text.rfind(',') + 1));
  }
};

// 1 us + 5 us + 999 ns + 1 us. Two reads of the clock at one time differ by 0.1 us, once a round at most.
TEST_F(PushPullPrograms, MeasureASingleTrip) {
  EXPECT_NEAR(measured("pushpull.trip", {"--sizes", "1000"}), 7.999, 0.05);
}

// 50,001 B arrive after 1 + 5 + 50 + 1 us, and 4 B come back as they do alone.
TEST_F(PushPullPrograms, MeasureABandwidthWithoutTheAcknowledgement) {
  EXPECT_NEAR(measured("pushpull.bandwidth", {"--sizes", "50001"}), 50001 / 57.0, 1);
}

// 600,000 NOPs are 1000 us at three a cycle of 200 MHz. The message of a byte takes 7 us, one way and back;
// the pong's compute of x follows the receive.
TEST_F(PushPullPrograms, ComputeForAsLongAsNopsTake) {
  EXPECT_NEAR(measured("pushpull.receiver", {"--sizes", "1", "--x", "600000", "--y", "0"}),
              1000 + 7 + 1000 + 7, 0.3);
}

// The pong begins when its answer in the barrier has left, 5 + 1 us before the ping has it, and computes for
// 500 us; the message was there long before. Its receive takes 1 us, its computing 166.7 us, and the way back
// 7 us.
TEST_F(PushPullPrograms, ReceiveLate) {
  EXPECT_NEAR(measured("pushpull.receiver", {"--sizes", "1", "--x", "100000", "--y", "300000"}),
              500 - 6 + 1 + 166.7 + 7, 0.5);
}

TEST_F(PushPullPrograms, RefuseWhatTheyDontUnderstand) {
  const FinishedProcess run =
      morgana({"run", "-q", "-n", "2", "--", program("pushpull.trip"), "--sizes", "1,"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("--sizes 1, is no option"), HasSubstr("usage: pushpull.trip")));
}

// What computes on the processor that is interrupted goes on later: the pong, while it computes, by the
// ping's message (5 us). The ping's message is there, so that nothing is added behind it.
TEST_F(PushPullPrograms, UseTheirProcessorWhileTheyCompute) {
  succeed({"run",          "-q",
           "-n",           "2",
           "-p",           "fast-ethernet-smp",
           "--map",        "cyclic",
           "--compute",    "none",
           "--set",        "hosts.interrupts.handling=fixed",
           "--set",        "hosts.processors=1",
           "--json",       "run.json",
           "--",           program("pushpull.receiver"),
           "--sizes",      "1",
           "--x",          "100000",
           "--y",          "300000",
           "--iterations", "4"});
  EXPECT_EQ(read_json("run.json").at("per_rank").at(1).at("interrupted_ps"), 4 * 5'000'000);
}

// PVM's daemon has room for requests of any length. Were the addresses of 1 TiB looked up before it listens,
// that would take 17 minutes each time.
TEST_F(MorganaTest, PvmsDaemonListensAtOnceOverPushPullMessaging) {
  for (const std::string platform :
       {"smp-push-pull", "smp-push-all", "myrinet-push-pull", "atm-oc3-push-pull"}) {
    SCOPED_TRACE(platform);
    succeed({"run", "-q", "-n", "4", "-p", platform, "--compute", "none", "--json", "run.json", "--",
             program("pvm_pollers"), "2", "leave"});
    EXPECT_LT(simulated_ps("run.json"), 10'000'000'000);
  }
}

}  // namespace
}  // namespace morgana::test
