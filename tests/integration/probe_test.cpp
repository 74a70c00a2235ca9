#include <algorithm>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// `morgana probe`. Numbers are those of hand calculation (tests/runs/platform_probe_test.cpp).
class Probe : public MorganaTest {};

TEST_F(Probe, TellsWhatItFoundAndWhatIsKnown) {
  const FinishedProcess run = succeed({"probe", "--platform", "loggp-example", "--json", "probe.json",
                                       "--csv", "probe.csv", "--plot", "probe.svg"});
  EXPECT_THAT(run.out, AllOf(HasSubstr("recovered"), HasSubstr("6.999"), HasSubstr("sender's host"),
                             HasSubstr("* transport and network"), HasSubstr("best sent as a whole"),
                             HasSubstr("A pipeline of stages explains it")));
  const nlohmann::json report = read_json("probe.json");
  EXPECT_TRUE(report.at("is_pipeline"));
  EXPECT_NEAR(report.at("ranges").at(0).at("latency").at("overhead_us").get<double>(), 6.999, 1e-6);
  EXPECT_NEAR(report.at("ranges").at(0).at("interval").at("us_per_kb").get<double>(), 1.024, 1e-6);
  EXPECT_EQ(report.at("message").at("fragments"), 1);
  EXPECT_THAT(read("probe.csv"), StartsWith("bytes,latency_us,latency_line_us,interval_us,"));
  EXPECT_THAT(read("probe.svg"), HasSubstr("<svg"));
}

// InfiniBand's platform sends more than 8 KiB by rendezvous.
TEST_F(Probe, SaysWhyAPlatformIsNoPipeline) {
  EXPECT_THAT(succeed({"probe", "--platform", "infiniband-hdr"}).out,
              AllOf(HasSubstr("is no good model"),
                    HasSubstr("From 8193 B on messages go by rendezvous (messages.eager-limit)")));
}

// Push-pull messaging sends the first 760 B ahead: back to back, they cost nothing.
TEST_F(Probe, SaysThatAnOverheadBelowNothingIsNone) {
  EXPECT_THAT(succeed({"probe", "--platform", "smp-push-pull"}).out,
              HasSubstr("the slowest stage would have an overhead of -59.36 us, less than nothing"));
}

TEST_F(Probe, GainsWhatItPredicts) {
  succeed({"probe", "--platform", "atm-sockets", "-q", "--json", "probe.json"});
  const nlohmann::json message = read_json("probe.json").at("message");
  EXPECT_GT(message.at("fragments"), 1);
  EXPECT_NEAR(message.at("measured_us").get<double>() / message.at("predicted_us").get<double>(), 1, 0.01);
  EXPECT_LT(message.at("measured_us"), message.at("unfragmented_measured_us"));
}

TEST_F(Probe, RefusesWhatCantBeProbed) {
  const auto refusal = [this](std::vector<std::string> words) {
    words.insert(words.begin(), "probe");
    const FinishedProcess refused = morgana(words);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    return refused.err;
  };
  EXPECT_THAT(refusal({}), HasSubstr("--platform"));
  EXPECT_THAT(refusal({"-p", "native"}), HasSubstr("native has no model that could be probed"));
  EXPECT_THAT(refusal({"-p", "ideal", "--least", "0 B"}),
              HasSubstr("--least 0 B: there must be at least one"));
  EXPECT_THAT(refusal({"-p", "ideal", "--most", "1 us"}), HasSubstr("--most 1 us"));
  EXPECT_THAT(refusal({"-p", "ideal", "--most", "1025 B"}), HasSubstr("give at least twice --least 1 KiB"));
  EXPECT_THAT(refusal({"-p", "ideal", "--bytes", "1 MiB"}), HasSubstr("what was not measured"));
  EXPECT_THAT(refusal({"-p", "ideal", "--most", "2 GiB"}), HasSubstr("messages up to 1 GiB are probed"));
  EXPECT_THAT(refusal({"-p", "ideal", "--bound", "0 %"}), HasSubstr("--bound 0 %"));
  EXPECT_THAT(refusal({"-p", "ideal", "--burst", "3"}), HasSubstr("--burst"));
  EXPECT_THAT(refusal({"-p", "loggp-example", "--set", "hosts.count=1", "--set", "hosts.processors=2"}),
              HasSubstr("both ranks are on one host"));
  EXPECT_THAT(refusal({"-p", "ideal", "--plot", "x.gif"}), HasSubstr("x.gif"));
}

}  // namespace
}  // namespace morgana::test
