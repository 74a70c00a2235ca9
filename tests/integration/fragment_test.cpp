#include <algorithm>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// How `morgana fragment` cuts messages. The numbers are those of Wang et al., Towards a Theory of Optimal
/// Communication Pipelines, 1998, or computed by hand from its tables.
class Fragment : public MorganaTest {
 protected:
  nlohmann::json plan(const std::string& stages, const std::string& bytes, const std::string& policy) {
    succeed(
        {"fragment", "--stages", stages, "--bytes", bytes, "--policy", policy, "-q", "--json", "plan.json"});
    return read_json("plan.json");
  }
};

// "The best latency is achieved when the number of fragments is five" (section 5.4).
TEST_F(Fragment, CutsGams4KibIntoFive) {
  const FinishedProcess run = succeed({"fragment", "--stages", "gam", "--bytes", "4 KiB"});
  EXPECT_THAT(run.out, AllOf(HasSubstr("4 KiB: fixed, 5 fragments"), HasSubstr("51.9 % more"),
                             HasSubstr("lower bound    126.90 us")));
  const nlohmann::json report = plan("gam", "4 KiB", "fixed");
  EXPECT_EQ(report.at("fragments"), (std::vector<int>{819, 819, 820, 819, 819}));
  EXPECT_EQ(report.at("bottleneck"), "network and receiver DMA");
  EXPECT_EQ(report.at("first_ps").get<std::int64_t>() + report.at("inside_ps").get<std::int64_t>() +
                report.at("last_ps").get<std::int64_t>(),
            report.at("latency_ps").get<std::int64_t>());
  // The third stage takes the longest, 7.5 + 24.9 x: 5 * 7.5 + 4 * 24.9 = 137.1 us in all.
  EXPECT_EQ(report.at("inside_ps").get<std::int64_t>() / 1'000'000, 137);
}

// One fragment of 4 KB after the other: 286.9 us, and what the second takes in the slowest stage, 7.5 + 4
// * 24.9.
TEST_F(Fragment, AFixedSizeIsWhatGamDoes) {
  const nlohmann::json report = plan("gam", "8 KiB", "4096");
  EXPECT_EQ(report.at("fragments"), (std::vector<int>{4096, 4096}));
  EXPECT_NEAR(report.at("latency_ps").get<double>() / 1e6, 394.0, 0.001);
}

TEST_F(Fragment, EachPolicyIsBetterWhereThePaperSaysSo) {
  const auto latency = [this](const char* policy) {
    return plan("network+disk", "64 KiB", policy).at("latency_ps").get<double>();
  };
  const double fixed = latency("fixed"), hierarchical = latency("hierarchical"), ramp = latency("ramp");
  EXPECT_NEAR(fixed / hierarchical, 1.213, 0.007);  // "a 21.3 % overall reduction of latency"
  EXPECT_NEAR(hierarchical / ramp, 1.092, 0.006);   // "by another 9.2 %"
  // In two stages' worth of the disk's work: the network's pieces are smaller.
  const nlohmann::json report = plan("network+disk", "64 KiB", "hierarchical");
  EXPECT_EQ(report.at("stages").at(0).at("pieces").size(), 26u);
  EXPECT_EQ(report.at("stages").at(4).at("pieces").size(), 2u);
  EXPECT_LE(plan("gam", "4 KiB", "optimal").at("latency_ps"), plan("gam", "4 KiB", "fixed").at("latency_ps"));
}

// 4.0 + 60.1 x = 92.8 + 26.2 x at 2682.3 bytes.
TEST_F(Fragment, TellsWhereTheBottleneckMoves) {
  EXPECT_THAT(succeed({"fragment", "--stages", "gms", "--bytes", "8 KiB"}).out,
              AllOf(HasSubstr("Req-CPU, from 2683 bytes on Wire"), HasSubstr("fixed, 3 fragments")));
}

// 100 bytes take 1 + 100 us and, at 8 Mb/s, 2 + 100 us.
TEST_F(Fragment, ReadsStagesFromAFile) {
  write("my.toml",
        "[[stage]]\noverhead = \"1 us\"\ncost = \"1 us/B\"\n"
        "[[stage]]\nname = \"wire\"\noverhead = \"2 us\"\nrate = \"8 Mb/s\"\n");
  succeed({"fragment", "--stages", "my.toml", "--bytes", "100 B", "--fragments", "1", "-q", "--json",
           "plan.json"});
  EXPECT_EQ(read_json("plan.json").at("latency_ps"), 203'000'000);
  EXPECT_EQ(read_json("plan.json").at("stages").at(1).at("name"), "wire");
}

TEST_F(Fragment, WritesLatencyOverTheNumberOfFragments) {
  const FinishedProcess run =
      succeed({"fragment", "--stages", "gms", "--bytes", "8 KiB", "-q", "--csv", "-"});
  // 101 + 8 * 137.5 = 1201; 101 + 4 * 137.5 + 4.0 + 4 * 60.1 = 895.4.
  EXPECT_THAT(run.out,
              StartsWith("fragments,mean_bytes,latency_us\n1,8192,1201.000000\n2,4096,895.400000\n"));
}

TEST_F(Fragment, DrawsBothPictures) {
  succeed({"fragment", "--stages", "network+disk", "--bytes", "64 KiB", "--policy", "ramp", "-q", "--plot",
           "curve.svg", "--diagram", "stages.svg"});
  EXPECT_THAT(read("curve.svg"), AllOf(HasSubstr("<svg"), HasSubstr("lower bound"), HasSubstr("ramp")));
  EXPECT_THAT(read("stages.svg"), AllOf(HasSubstr("<svg"), HasSubstr("disk"), HasSubstr("sender copy")));
  // One fragment makes no range to draw over.
  EXPECT_EQ(
      succeed({"fragment", "--stages", "gam", "--bytes", "1 B", "--plot", "one.svg", "--diagram", "d.svg"})
          .err,
      "");
}

TEST_F(Fragment, CutsASingleByteByEveryPolicy) {
  for (const char* policy : {"fixed", "ramp", "hierarchical", "optimal", "4096", "128"})
    EXPECT_THAT(succeed({"fragment", "--stages", "gam", "--bytes", "1 B", "--policy", policy}).out,
                HasSubstr("1 B: "))
        << policy;
}

TEST_F(Fragment, RefusesMistakesInOneSentence) {
  const auto refusal = [this](std::vector<std::string> words) {
    words.insert(words.begin(), "fragment");
    const FinishedProcess refused = morgana(words);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    return refused.err;
  };
  const auto file = [&](const std::string& text) {
    write("bad.toml", text);
    return refusal({"--stages", "bad.toml", "--bytes", "4 KiB"});
  };
  const auto gam = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--stages", "gam"});
    return refusal(words);
  };
  EXPECT_THAT(file("[[stage]]\noverhead = \"-5 us\"\ncost = \"1 us/KB\"\n"),
              AllOf(HasSubstr("bad.toml:2:12"), HasSubstr("negative")));
  EXPECT_THAT(file("[[stage]]\noverhead = \"5 us\"\ncost = \"-1 us/KB\"\n"),
              AllOf(HasSubstr("bad.toml:3:8"), HasSubstr("negative")));
  EXPECT_THAT(file("[[stage]]\noverhead = \"5 KB\"\ncost = \"1 us/KB\"\n"),
              AllOf(HasSubstr("bad.toml:2:12"), HasSubstr("\"KB\" is not a unit of a time")));
  EXPECT_THAT(file("[[stage]]\noverhead = \"5 us\"\ncost = \"1 us\"\n"), HasSubstr("not a cost per byte"));
  EXPECT_THAT(file("[[stage]]\noverhead = 5\ncost = \"1 us/KB\"\n"), HasSubstr("text in quotes"));
  EXPECT_THAT(file("[[stage]]\noverhead = \"5 us\"\n"), HasSubstr("either a cost or a rate"));
  EXPECT_THAT(file("[[stage]]\noverhed = \"5 us\"\n"), HasSubstr("did you mean overhead?"));
  EXPECT_THAT(file("[[stage"), HasSubstr("not TOML"));
  EXPECT_THAT(file(""), HasSubstr("no stages"));
  EXPECT_THAT(file("[[stage]]\noverhead = \"2000 h\"\ncost = \"1 ms/B\"\n[[stage]]\noverhead = \"2000 h\"\n"
                   "cost = \"1 ms/B\"\n"),
              HasSubstr("clock"));
  EXPECT_THAT(refusal({"--stages", "gan", "--bytes", "4 KiB"}), HasSubstr("did you mean gam?"));
  EXPECT_THAT(gam({"--bytes", "0 B"}), HasSubstr("at least one byte"));
  EXPECT_THAT(gam({"--bytes", "4096"}), HasSubstr("unit is missing"));
  EXPECT_THAT(gam({}), HasSubstr("--bytes is required"));
  EXPECT_THAT(gam({"--bytes", "4 B", "--fragments", "5"}), HasSubstr("the message has 4"));
  EXPECT_THAT(gam({"--bytes", "4 B", "--fragments", "0"}), HasSubstr("from 1 on"));
  EXPECT_THAT(gam({"--bytes", "4 B", "--policy", "2", "--fragments", "2"}),
              HasSubstr("leave one of them out"));
  EXPECT_THAT(gam({"--bytes", "4 B", "--policy", "best"}), HasSubstr("fixed, ramp, hierarchical, optimal"));
  EXPECT_THAT(gam({"--bytes", "4 GiB", "--policy", "128"}), HasSubstr("choose larger ones"));
  EXPECT_THAT(gam({"--bytes", "4 MiB", "--policy", "optimal"}), HasSubstr("--fragments"));
  EXPECT_THAT(gam({"--bytes", "4 KiB", "--policy", "ramp", "--fragments", "200"}), HasSubstr("give fewer"));
  EXPECT_THAT(gam({"--bytes", "1 MiB", "--fragments", "5000", "--diagram", "d.svg"}), HasSubstr("apart"));
  EXPECT_THAT(gam({"--bytes", "4 KiB", "--diagram", "d.gif"}), HasSubstr(".svg"));
}

}  // namespace
}  // namespace morgana::test
