// PVM programs whose messages come part by part.

#include <sstream>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

/// The program's clock shows whole microseconds.
auto at(int us) {
  return AllOf(Ge(us - 1), Le(us + 1));
}

class PvmStreams : public MorganaTest {
 protected:
  /// When each of four parts of 9180 bytes has been unpacked, in us after the receive.
  std::vector<int> parts(const std::string& platform, const std::string& pause,
                         const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"run", "-n", "2", "--platform", platform, "--compute", "none", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    for (const std::string& word :
         {std::string("--"), program("pvm_streams"), std::string("4"), std::string("9180"), pause})
      words.push_back(word);
    const std::string out = succeed(words).out;
    EXPECT_THAT(out, HasSubstr("PASS"));
    std::vector<int> times;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);)
      if (const auto place = line.find(" at "); place != std::string::npos)
        times.push_back(std::stoi(line.substr(place + 4)));
    return times;
  }
};

/// A packet is 9180 bytes, (9180 + 8 of the trailer) / 48 rounded up = 192 cells, which the interface takes
/// 8.25 us each for, longer than the link: 1584 us.
constexpr int packet = 1584;

TEST_F(PvmStreams, APartIsUnpackedWhenItsPacketIsThere) {
  EXPECT_THAT(parts("atm-oc3-streamed", "0"), ElementsAre(at(0), at(packet), at(2 * packet), at(3 * packet)));
}

TEST_F(PvmStreams, WhatComesWhileTheProgramIsBusyIsNotWaitedFor) {
  EXPECT_THAT(parts("atm-oc3-streamed", "1000"),
              ElementsAre(at(1000), at(2000), at(2 * packet), at(3 * packet)));
}

TEST_F(PvmStreams, AReceiveTakesTheWholeMessageWhereNothingIsStreamed) {
  EXPECT_THAT(parts("atm-oc3", "0"), ElementsAre(at(0), at(0), at(0), at(0)));
  EXPECT_THAT(parts("atm-oc3-streamed", "1000", {"--set", "transport.stream=off"}),
              ElementsAre(at(1000), at(2000), at(3000), at(4000)));
}

// Two tasks, on one host unless -n gives more.
TEST_F(PvmStreams, ANoteSaysThatAllTasksShareAHost) {
  const auto run = [this](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"--platform", "atm-oc3", "--compute", "none", "--", program("pvm_streams"),
                               "4", "9180", "0"});
    return succeed(words);
  };
  const FinishedProcess one = run({}), two = run({"-n", "2"});
  EXPECT_THAT(one.err, HasSubstr("no message used the network: all 2 ranks are on one host"));
  EXPECT_THAT(one.err, HasSubstr("; -n N gives the virtual machine N hosts"));
  EXPECT_THAT(two.err, testing::Not(HasSubstr("used the network")));
  EXPECT_THAT(two.out, HasSubstr(" | 2 ranks | "));
}

TEST_F(PvmStreams, ATraceTellsOfThePartsAndTakesAsLong) {
  parts("atm-oc3-streamed", "700", {"--trace", "run.otf2", "--json", "run.json"});
  const FinishedProcess printed = run_to_end({"otf2-print", path("run.otf2/traces.otf2")});
  EXPECT_THAT(printed.out, HasSubstr("pvm_upkbyte"));
  EXPECT_THAT(printed.out, HasSubstr("morgana.streamed"));
  succeed({"replay", "run.otf2", "--platform", "atm-oc3-streamed", "--quiet", "--json", "same.json"});
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("same.json"));
  // Elsewhere its receive ends with the whole message.
  succeed({"replay", "run.otf2", "--platform", "atm-oc3", "--quiet", "--json", "whole.json"});
  EXPECT_GT(simulated_ps("whole.json"), simulated_ps("same.json"));
}

}  // namespace
}  // namespace morgana::test
