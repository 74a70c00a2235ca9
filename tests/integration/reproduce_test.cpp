#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Reproduce : public MorganaTest {
 protected:
  std::map<std::string, nlohmann::json> rows(const std::string& file) const {
    std::map<std::string, nlohmann::json> result;
    const nlohmann::json report = read_json(file);
    for (const auto& row : report.at("rows")) result[row.at("id")] = row;
    return result;
  }
};

TEST_F(Reproduce, ListsExperimentsAndRows) {
  EXPECT_THAT(succeed({"reproduce"}).out, AllOf(HasSubstr("atm-emulator  "), HasSubstr("1997")));
  EXPECT_THAT(succeed({"reproduce", "atm-emulator", "--list"}).out, HasSubstr("A-01.latency  one cell"));
}

TEST_F(Reproduce, MeetsTheValidationThatFollowsFromThePapersParameters) {
  succeed({"reproduce", "atm-emulator", "--rows", "A-01,A-02", "--json", "rows.json", "--quiet"});
  const auto all = rows("rows.json");
  ASSERT_EQ(all.size(), 4u);
  for (const auto& [id, row] : all) EXPECT_EQ(row.at("verdict"), "pass") << id;
  // 2 x 8.25 + 12.5 + 2 x 3.028571 + 0.5 us: the paper's parts, added up.
  EXPECT_NEAR(all.at("A-01.latency").at("measured").get<double>(), 35.557, 0.001);
}

TEST_F(Reproduce, RunsAKernelLiveOnceAndThenFromItsRecording) {
  succeed({"reproduce", "atm-emulator", "--rows", "A-13.ft.count,A-24.ft", "--traces", "kept", "--json",
           "live.json"});
  succeed({"reproduce", "atm-emulator", "--rows", "A-13.ft.count,A-24.ft", "--traces", "kept", "--from",
           "traces", "--json", "replayed.json"});
  EXPECT_EQ(read_json("live.json").at("rows"), read_json("replayed.json").at("rows"));
  EXPECT_EQ(rows("live.json").at("A-13.ft.count").at("measured"), 191);
  const FinishedProcess again =
      morgana({"reproduce", "atm-emulator", "--rows", "A-24.ft", "--traces", "kept"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("take it with --from traces"));
}

TEST_F(Reproduce, SaysWhereProgramsComeFromOnlyIfItRunsSome) {
  const std::string atm =
      succeed({"reproduce", "atm-emulator", "--rows", "A-01", "--seeds", "2", "--json", "atm.json"}).out;
  EXPECT_THAT(atm, HasSubstr("programs run live once"));
  EXPECT_EQ(read_json("atm.json").at("experiments").at(0).at("from"), "live");
  const std::string itb =
      succeed({"reproduce", "itb", "--rows", "I-01", "--seeds", "2", "--json", "itb.json"}).out;
  EXPECT_THAT(itb, testing::Not(HasSubstr("programs")));
  EXPECT_FALSE(read_json("itb.json").at("experiments").at(0).contains("from"));
}

// 8192 B: (8192 + 4 + 8) / 48 = 170.9 cells; four doubles a cell, 1024 / 4; one a cell, 1024.
TEST_F(Reproduce, CountsTheCellsThatProtocolsMakeOfAMessage) {
  const std::string out = succeed({"reproduce", "atm-transport", "--rows", "A-44"}).out;
  EXPECT_THAT(out, HasSubstr("3 rows: 3 pass"));
}

// Improvements of 21.3 and 25.8 % (section 5.5); theory alone gives them, and the pictures.
TEST_F(Reproduce, CarriesOutThePaperOnPipelines) {
  const std::string out = succeed({"reproduce", "pipelines", "--rows", "P-03,P-16,P-17,P-21", "--json",
                                   "rows.json", "--plot", "figures"})
                              .out;
  EXPECT_THAT(out, HasSubstr("4 rows: 4 pass, 0 fail, 0 paper-inconsistent, 0 informational"));
  const auto all = rows("rows.json");
  EXPECT_NEAR(all.at("P-16").at("measured").get<double>(), 21.3, 0.3);
  EXPECT_NEAR(all.at("P-21").at("measured").get<double>(), 25.8, 0.3);
  for (const char* figure : {"8", "10", "11", "12", "13", "14"})
    EXPECT_THAT(read(std::string("figures/pipelines-figure-") + figure + ".svg"), HasSubstr("<svg"));
  EXPECT_FALSE(std::filesystem::exists(path("figures/pipelines-figure-9.svg"))) << "shows other rows, P-27";
}

// The knees of section 3.2.1 (80 + 680 B are pushed) and of section 3.2.2, and its two latencies of 3072 B.
TEST_F(Reproduce, RunsTheProgramsOfThePaperOnPushPullMessaging) {
  const std::string out = succeed({"reproduce", "push-pull", "--rows", "R-01,R-08,R-10,R-12", "--traces",
                                   "kept", "--json", "rows.json"})
                              .out;
  EXPECT_THAT(out, HasSubstr("R-01, fitted: "));
  const auto all = rows("rows.json");
  EXPECT_EQ(all.at("R-01").at("verdict"), "fitted");
  EXPECT_NEAR(all.at("R-01").at("measured").get<double>(), 34.9, 0.03 * 34.9);
  EXPECT_EQ(all.at("R-08").at("measured"), 760);
  EXPECT_NEAR(all.at("R-10.push-pull").at("measured").get<double>(), 1227.42, 0.05 * 1227.42);
  EXPECT_NEAR(all.at("R-10.push-zero").at("measured").get<double>(), 1303.58, 0.05 * 1303.58);
  EXPECT_NEAR(all.at("R-12").at("measured").get<double>(), 3000, 100);
  EXPECT_TRUE(std::filesystem::is_empty(path("kept")));  // what the programs have written is gone
}

// Figure 5's round trip and gap, which were fitted, and section 5.2's bandwidths, which were not.
TEST_F(Reproduce, MeasuresActiveMessages) {
  const std::string out = succeed({"reproduce", "am2", "--rows", "V-01,V-02,V-09,V-11,V-12", "--json",
                                   "rows.json", "--plot", "figures"})
                              .out;
  EXPECT_THAT(out, HasSubstr("V-12, paper-inconsistent: "));
  const auto all = rows("rows.json");
  for (const char* row : {"V-01", "V-02"}) EXPECT_EQ(all.at(row).at("verdict"), "fitted");
  EXPECT_NEAR(all.at("V-01").at("measured").get<double>(), 41.94, 0.01 * 41.94);
  EXPECT_NEAR(all.at("V-02").at("measured").get<double>(), 15.98, 0.01 * 15.98);
  EXPECT_NEAR(all.at("V-09").at("measured").get<double>(), 31, 0.03 * 31);
  EXPECT_NEAR(all.at("V-11").at("measured").get<double>(), 38, 0.02 * 38);
}

TEST_F(Reproduce, RefusesWhatItDoesNotKnow) {
  const auto refusal = [this](const std::vector<std::string>& words) {
    const FinishedProcess refused = morgana(words);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    return refused.err;
  };
  EXPECT_THAT(refusal({"reproduce", "atm-emulater"}), HasSubstr("did you mean atm-emulator?"));
  write("file", "");
  for (const char* folder : {"--plot", "--traces"}) {
    EXPECT_THAT(refusal({"reproduce", "atm-emulator", "--rows", "A-01", folder, "file/figures"}),
                HasSubstr("cannot write into the folder file/figures: Not a directory"));
  }
  EXPECT_THAT(refusal({"reproduce", "atm-emulator", "--rows", "A-99"}), HasSubstr("no row A-99"));
  EXPECT_THAT(refusal({"reproduce", "atm-emulator", "--from", "traces"}), HasSubstr("--traces"));
  EXPECT_THAT(
      refusal({"reproduce", "atm-emulator", "--rows", "A-24.ft", "--from", "traces", "--traces", "none"}),
      HasSubstr("there is no recording none/ft.pvm.otf2"));
}

}  // namespace
}  // namespace morgana::test
