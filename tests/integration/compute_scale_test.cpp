// How compute times become those of a platform's processors.

#include <cmath>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ComputeScale : public MorganaTest {
 protected:
  ComputeScale() { succeed({"capture", "-n", "4", "-o", "ring.otf2", "--quiet", "--", program("ring")}); }

  /// As if EP took so long on this machine for one pair of random numbers.
  void calibrated_to(const std::string& seconds_per_pair) const {
    write("calibration.toml", "ep-seconds-per-pair = " + seconds_per_pair + "\n");
  }
  double scale_of(const std::string& platform) {
    succeed({"replay", "ring.otf2", "--platform", platform, "--quiet", "--json", "scale.json"});
    return read_json("scale.json").at("compute_scale").get<double>();
  }
};

TEST_F(ComputeScale, IsTheQuotientOfEpsTimesOnceTheMachineIsCalibrated) {
  calibrated_to("2e-6");
  // Four times 53.6 s, 9.3 s and 42.7 s for 2^25 pairs.
  EXPECT_DOUBLE_EQ(scale_of("ethernet-10"), 214.4 / std::exp2(25) / 2e-6);
  EXPECT_DOUBLE_EQ(scale_of("sgi-powerchallenge"), 37.2 / std::exp2(25) / 2e-6);
  EXPECT_DOUBLE_EQ(scale_of("ibm-sp2"), 170.8 / std::exp2(25) / 2e-6);
  EXPECT_EQ(scale_of("fast-ethernet"), 1.0);
}

TEST_F(ComputeScale, DoesTheSameAsAScaleThatIsSet) {
  calibrated_to("2e-6");
  scale_of("ibm-sp2");
  const std::int64_t by_ep = simulated_ps("scale.json");
  const std::string scale = read_json("scale.json").at("compute_scale").dump();
  succeed({"replay", "ring.otf2", "--platform", "ibm-sp2", "--set", "hosts.compute-scale=" + scale, "--quiet",
           "--json", "set.json"});
  EXPECT_EQ(simulated_ps("set.json"), by_ep);
}

TEST_F(ComputeScale, OfARunIsThatOfAReplay) {
  calibrated_to("2e-6");
  const std::string out = succeed({"run", "-n", "2", "--platform", "ibm-sp2", "--trace", "run.otf2", "--json",
                                   "run.json", "--", program("ring")})
                              .out;
  EXPECT_THAT(out, HasSubstr("compute time    x 2.545: EP takes 5090 ns a pair"));
  succeed({"replay", "run.otf2", "--platform", "ibm-sp2", "--quiet", "--json", "again.json"});
  EXPECT_EQ(simulated_ps("again.json"), simulated_ps("run.json"));
}

TEST_F(ComputeScale, Is1WithAHintUntilThen) {
  const std::string out = succeed({"replay", "ring.otf2", "--platform", "ibm-sp2", "--json", "run.json"}).out;
  EXPECT_THAT(out, HasSubstr("compute time    x 1: as on this machine, which is not calibrated"));
  EXPECT_THAT(out, HasSubstr("`morgana calibrate`"));
  EXPECT_EQ(read_json("run.json").at("compute_scale"), 1.0);
}

TEST_F(ComputeScale, Is1OnAnotherMachineThanTheCalibratedOne) {
  write("calibration.toml", "ep-seconds-per-pair = 1e-8\nprocessor = \"Abacus 7\"\n");
  const std::string out = succeed({"replay", "ring.otf2", "--platform", "ibm-sp2"}).out;
  EXPECT_THAT(out, HasSubstr("x 1: as on this machine, which is another than the calibrated one (Abacus 7)"));
}

TEST_F(ComputeScale, OfABrokenCalibrationIsRefused) {
  for (const char* broken : {"ep-seconds-per-pair = 0", "ep-seconds-per-pair = \"fast\"", "ep-sec", "\x01"}) {
    write("calibration.toml", broken);
    const FinishedProcess refused = morgana({"replay", "ring.otf2", "--platform", "ibm-sp2"});
    EXPECT_EQ(refused.exit_code, 2) << broken;
    EXPECT_THAT(refused.err, HasSubstr("calibration.toml: "));
    EXPECT_THAT(refused.err, HasSubstr("`morgana calibrate`"));
    EXPECT_EQ(morgana({"replay", "ring.otf2", "--platform", "fast-ethernet"}).exit_code, 0);
  }
}

TEST_F(ComputeScale, IsMeasuredAndRemembered) {
  EXPECT_THAT(morgana({"calibrate", "--show"}).err, HasSubstr("not calibrated"));
  const std::string out = succeed({"calibrate", "--runs", "1"}).out;
  EXPECT_THAT(out, HasSubstr("ibm-sp2"));
  EXPECT_THAT(out, HasSubstr("remembered in " + path("calibration.toml")));
  EXPECT_EQ(succeed({"calibrate", "--show"}).out, out);
  EXPECT_GT(scale_of("ibm-sp2"), 1.0);  // a computer of today is faster than one of 1995
}

TEST_F(ComputeScale, IsRememberedWhereTheUserKeepsSettings) {
  // An empty name is as good as none.
  const auto calibrate_with = [](std::vector<std::string> settings) {
    settings.insert(settings.begin(), {"/usr/bin/env", "MORGANA_CALIBRATION="});
    for (const char* word : {MORGANA_BIN "/morgana", "calibrate", "--runs", "1"}) settings.emplace_back(word);
    const FinishedProcess calibrated = run_to_end(settings);
    EXPECT_EQ(calibrated.exit_code, 0) << calibrated.err;
  };
  calibrate_with({"XDG_CONFIG_HOME=" + path("settings")});
  EXPECT_THAT(read("settings/morgana/calibration.toml"), HasSubstr("ep-seconds-per-pair = "));
  calibrate_with({"XDG_CONFIG_HOME=", "HOME=" + path("home")});
  EXPECT_THAT(read("home/.config/morgana/calibration.toml"), HasSubstr("ep-seconds-per-pair = "));
}

TEST_F(ComputeScale, ThatDiffersBetweenComparedPlatformsIsToldWithTheRemedy) {
  calibrated_to("2e-6");
  const char* const remedy = "--set hosts.compute-scale=1";
  const char* const platforms = "ibm-sp2,fast-ethernet,roce-100g-loggp";
  EXPECT_THAT(morgana({"compare", "ring.otf2", "--platforms", platforms}).err,
              HasSubstr("compute times are x 2.545 on ibm-sp2; x 1 on fast-ethernet, roce-100g-loggp; " +
                        std::string(remedy)));
  EXPECT_THAT(morgana({"sweep", "ring.otf2", "--over", "platform=ibm-sp2,fast-ethernet"}).err,
              HasSubstr(remedy));
  EXPECT_THAT(
      morgana({"compare", "ring.otf2", "--platforms", platforms, "--set", "hosts.compute-scale=1"}).err,
      Not(HasSubstr(remedy)));
  EXPECT_THAT(morgana({"compare", "ring.otf2", "--platforms", "fast-ethernet,roce-100g-loggp"}).err,
              Not(HasSubstr(remedy)));
}

TEST_F(ComputeScale, ThatPlatformsHaveInCommonIsExplainedOnce) {
  const std::string out =
      succeed({"compare", "ring.otf2", "--platforms", "ethernet-10,fast-ethernet,ibm-sp2"}).out;
  EXPECT_THAT(out, HasSubstr("compute time on ethernet-10, ibm-sp2  x 1: as on this machine, which is not"));
  EXPECT_EQ(out.find("calibrate`"), out.rfind("calibrate`"));
}

TEST_F(ComputeScale, OfAComparisonIsEachPlatformsOwn) {
  // The form of Table 2.2 of Vila i Sallent, 1997: total, communication, share.
  calibrated_to("2e-6");
  const std::string table =
      succeed({"compare", "ring.otf2", "--platforms", "ethernet-10,sgi-powerchallenge,ibm-sp2,fddi-100",
               "--json", "table.json"})
          .out;
  EXPECT_THAT(table, testing::ContainsRegex("platform +total +compute +communication +share"));
  EXPECT_THAT(table, HasSubstr("compute time on ibm-sp2  x 2.545: EP takes"));
  const auto runs = read_json("table.json").at("platforms");
  ASSERT_EQ(runs.size(), 4u);
  for (const auto& run : runs) {
    EXPECT_THAT(table, HasSubstr("\n" + run.at("platform").get<std::string>() + " "));
    EXPECT_DOUBLE_EQ(run.at("compute_scale").get<double>(), scale_of(run.at("platform")));
    EXPECT_EQ(run.at("simulated_time_ps"), simulated_ps("scale.json"));
    // A rank's life in the mean: no longer than the run, and nearly as long.
    const double total = run.at("simulated_time_ps").get<double>(),
                 life = run.at("communication_ps").get<double>() + run.at("compute_ps").get<double>();
    EXPECT_LE(life, total);
    EXPECT_GT(life, 0.9 * total);
  }
  // The bus is the fastest of the four, as in that table.
  for (const auto& run : runs)
    EXPECT_GE(run.at("communication_ps"), runs.at(1).at("communication_ps")) << run.at("platform");
}

TEST_F(ComputeScale, MeansNothingWithoutComputeTime) {
  write("calibration.toml", "not read");
  EXPECT_THAT(
      succeed({"run", "-n", "2", "--platform", "ibm-sp2", "--compute", "none", "--", program("ring")}).out,
      HasSubstr("compute time    none (--compute none)"));
}

}  // namespace
}  // namespace morgana::test
