// Programs and traces on a Myrinet of which something dies.
#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class MyrinetFaults : public MorganaTest {
 protected:
  MyrinetFaults() {
    write("net.toml",
          "extends = \"myrinet-ud\"\n[network]\ntopology = \"listed\"\nswitches = 3\nhosts-at = [0, 2]\n"
          "cables = [\"0-1\", \"1-2\"]\n");
    write("dying.toml", "extends = \"./net.toml\"\n[network]\nfaults = [\"cable 1-2 at 0 s\"]\n");
  }
  static auto tells_the_loss() {
    return AllOf(
        HasSubstr("deadlock"), HasSubstr("from rank 0 to rank 1"),
        HasSubstr("its packet needed the cable switch 1 port 1 -> switch 2 port 1, dead since 0.0000"),
        HasSubstr("leave it out of network.faults"));
  }
};

TEST_F(MyrinetFaults, ALiveProgramEndsWithTheMessageThatTheDeadCableLost) {
  const FinishedProcess run = morgana({"run", "-n", "2", "-p", "./dying.toml", "--", program("pingpong")});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err, tells_the_loss());
}

TEST_F(MyrinetFaults, AReplayEndsWithTheMessageThatTheDeadCableLost) {
  succeed({"run", "-n", "2", "-p", "./net.toml", "--trace", "whole.otf2", "--", program("pingpong")});
  EXPECT_EQ(morgana({"replay", "whole.otf2", "-p", "./net.toml"}).exit_code, 0);
  const FinishedProcess replay = morgana({"replay", "whole.otf2", "-p", "./dying.toml"});
  EXPECT_NE(replay.exit_code, 0);
  EXPECT_THAT(replay.err, tells_the_loss());
}

TEST_F(MyrinetFaults, AReliableTransportGivesUpAndNamesTheDeadCable) {
  const FinishedProcess run = morgana({"run", "-n", "2", "-p", "./dying.toml", "--set",
                                       "transport.kind=go-back-n", "--", program("pingpong")});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err, tells_the_loss());
  EXPECT_THAT(run.err, AllOf(HasSubstr("given up after 15 repetitions"), HasSubstr("transport.tries")));
}

TEST_F(MyrinetFaults, WhatDiesLaterOrOffTheWayChangesNothing) {
  const auto replayed = [this](const std::string& faults) {
    succeed({"replay", "whole.otf2", "-p", "./net.toml", "--set", "network.faults=" + faults, "--json",
             "r.json"});
    return simulated_ps("r.json");
  };
  succeed({"run", "-n", "2", "-p", "./net.toml", "--trace", "whole.otf2", "--", program("pingpong")});
  const std::int64_t whole = replayed("");
  EXPECT_EQ(replayed("switch 1 at 1000 s"), whole);
  EXPECT_EQ(replayed("cable 0.0 at 1000 s, cable 1-2 at 999 s"), whole);
}

TEST_F(MyrinetFaults, AreMetByGeneratedTraffic) {
  const auto load = [this](const std::string& faults) {
    const std::string out = succeed({"traffic", "-p", "myrinet-ud", "--set", "network.faults=" + faults,
                                     "--load", "0.005", "--messages", "4000", "-q", "--json", "-"})
                                .out;
    return nlohmann::json::parse(out).at("loads").at(0);
  };
  EXPECT_EQ(load("").at("lost"), 0);
  // One message in 512 goes to host 3, and one comes from it.
  const double lost = load("cable 0.3 at 0 s").at("lost"),
               delivered = load("cable 0.3 at 0 s").at("delivered");
  EXPECT_NEAR(lost / (lost + delivered), 2.0 / 512, 0.002);
}

}  // namespace
}  // namespace morgana::test
