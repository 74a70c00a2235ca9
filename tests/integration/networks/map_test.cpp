#include <algorithm>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Map : public MorganaTest {};

TEST_F(Map, FindsTheNowAndHandsOutRoutes) {
  const FinishedProcess run = succeed({"map", "--platform", "myrinet-itb", "--set", "network.topology=now",
                                       "--mappers", "99,3,42", "--routes", "in-transit", "--json", "m.json"});
  EXPECT_THAT(run.out, AllOf(HasSubstr("host 3 found 40 switches, 100 hosts and 95 cables"),
                             HasSubstr("all that it can reach"), HasSubstr("free of deadlock")));
  const nlohmann::json report = read_json("m.json");
  ASSERT_EQ(report.at("rounds").size(), 1u);
  const nlohmann::json& map = report.at("rounds").at(0).at("maps").at(0);
  EXPECT_EQ(map.at("leader"), 3);
  EXPECT_EQ(map.at("hosts_told"), 100);
  EXPECT_EQ(map.at("equal"), true);
  EXPECT_LT(map.at("unanswered"), map.at("probes"));
  EXPECT_LT(map.at("began_ps"), map.at("found_ps"));
  EXPECT_LT(map.at("found_ps"), map.at("ended_ps"));
}

TEST_F(Map, MapsAgainWhatIsLeftAfterDeaths) {
  const FinishedProcess run =
      succeed({"map", "--platform", "myrinet-ud", "--set", "network.columns=4", "--set", "network.rows=4",
               "--set", "network.corruption=0.001", "--kill-switch", "9", "--kill-cable", "0.8"});
  // Switch 9 has four cables and eight hosts.
  EXPECT_THAT(run.out, AllOf(HasSubstr("found 16 switches, 128 hosts and 32 cables"),
                             HasSubstr("After the death of switch 9 and the cable at 0.8"),
                             HasSubstr("found 15 switches, 120 hosts and 27 cables")));
  EXPECT_EQ(run.out.find("not what there is"), std::string::npos);
}

TEST_F(Map, SaysWhenTheMapperIsCutOff) {
  succeed({"map", "--platform", "myrinet-ud", "--set", "network.topology=now", "--kill-cable", "0.0", "-q",
           "--json", "m.json"});
  const nlohmann::json round = read_json("m.json").at("rounds").at(1);
  EXPECT_TRUE(round.at("maps").empty());
  EXPECT_THAT(round.at("failures").at(0).at("why").get<std::string>(), HasSubstr("is it plugged in"));
}

TEST_F(Map, TheSameSeedGivesTheSame) {
  const auto out = [this](const char* seed) {
    return succeed({"map", "--platform", "myrinet-ud", "--set", "network.topology=irregular", "--set",
                    "network.hosts-per-switch=4", "--set", "network.ports-per-switch=8", "--set",
                    "network.corruption=0.002", "--mappers", "0,40,60", "--seed", seed})
        .out;
  };
  EXPECT_EQ(out("1"), out("1"));
  EXPECT_NE(out("1"), out("2"));
}

TEST_F(Map, RefusesWhatCannotBeMapped) {
  const auto refusal = [this](std::vector<std::string> words) {
    words.insert(words.begin(), "map");
    const FinishedProcess refused = morgana(words);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    return refused.err;
  };
  EXPECT_THAT(refusal({}), HasSubstr("--platform"));
  EXPECT_THAT(refusal({"--platform", "atm-oc3"}), HasSubstr("atm-oc3 has no Myrinet"));
  const auto ud = [&](const std::string& option, const std::string& value) {
    return refusal({"--platform", "myrinet-ud", option, value});
  };
  EXPECT_THAT(ud("--routes", "minimal"), HasSubstr("in-transit"));
  EXPECT_THAT(ud("--mappers", "512"), HasSubstr("hosts 0 to 511"));
  EXPECT_THAT(ud("--kill-cable", "3"), HasSubstr("SWITCH.PORT"));
  EXPECT_THAT(ud("--kill-cable", "3.12"), HasSubstr("there is no cable"));
  EXPECT_THAT(ud("--kill-switch", "64"), HasSubstr("switches 0 to 63"));
  EXPECT_THAT(ud("--json", "/nowhere/m.json"), HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace morgana::test
