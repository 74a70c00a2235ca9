#include "tests/integration/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// What the user did, and what the one sentence must say.
struct Mistake {
  const char* name;
  std::vector<std::string> arguments;
  std::vector<std::string> says;
};

class BadInput : public MorganaTest, public testing::WithParamInterface<Mistake> {};

TEST_P(BadInput, GivesOneSentenceAndExitCode2) {
  write("truncated.otf2", "OTF2 but not for long");
  write("broken.toml", "description = \"x\"\n[network]\nkind = \"loggp\"\nlatency = \"5 apples\"\n");
  write("map", "0\nzero\n");
  write("script.sh", "#!/bin/sh\nexit 0\n");
  const FinishedProcess result = morgana(GetParam().arguments);
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("morgana: ")) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const std::string& part : GetParam().says) EXPECT_THAT(result.err, HasSubstr(part));
}

const std::vector<Mistake> mistakes{
    {"NoSubcommand", {}, {"subcommand", "morgana --help"}},
    {"UnknownSubcommand", {"comparr"}, {"comparr", "compare"}},
    {"UnknownOption", {"run", "--speed", "9", "--", "NPmpich2"}, {"--speed", "morgana run --help"}},
    {"NoProgram", {"run", "-n", "2"}, {"no program to start", "--"}},
    {"ProgramWithoutDashes", {"run", "-n", "2", "NPmpich2"}, {"NPmpich2", "after \"--\""}},
    {"ZeroRanks", {"run", "-n", "0", "--", "NPmpich2"}, {"--ranks", "0"}},
    {"RanksThatAreNoNumber", {"run", "-n", "two", "--", "NPmpich2"}, {"two"}},
    {"UnknownComputeMode", {"run", "--compute", "guessed", "--", "NPmpich2"}, {"guessed"}},
    {"MissingProgram", {"run", "-n", "2", "--", "./no-such-program"}, {"no-such-program"}},
    {"ProgramThatIsNoProgram", {"run", "-n", "2", "--", "./truncated.otf2"}, {"truncated.otf2"}},
    {"UnknownPlatform",
     {"run", "--platform", "fast-etherne", "--", "NPmpich2"},
     {"fast-etherne", "fast-ethernet"}},
    {"UnknownKey",
     {"run", "--set", "network.latencies=5 us", "--", "NPmpich2"},
     {"network.latencies", "network.latency"}},
    {"OverrideWithoutValue", {"run", "--set", "network.latency", "--", "NPmpich2"}, {"network.latency"}},
    {"UnitThatDoesNotFit",
     {"run", "--set", "network.latency=5 MB", "--", "NPmpich2"},
     {"network.latency", "5 MB"}},
    {"QuantityWithoutUnit", {"run", "--set", "network.latency=5", "--", "NPmpich2"}, {"network.latency"}},
    {"BrokenPlatformFile", {"platforms", "broken.toml"}, {"broken.toml:4", "5 apples"}},
    {"MissingPlatformFile", {"platforms", "none.toml"}, {"none.toml"}},
    {"MissingMap", {"run", "--map", "nowhere", "--", "NPmpich2"}, {"nowhere"}},
    {"BrokenMap", {"run", "-n", "2", "--map", "map", "--", "NPmpich2"}, {"map"}},
    {"MissingTrace", {"replay", "none.otf2"}, {"none.otf2"}},
    {"TruncatedTrace", {"replay", "truncated.otf2"}, {"truncated.otf2"}},
    {"StatisticsOfNoTrace", {"stats", "none.otf2"}, {"none.otf2"}},
    {"ReplayOnNative", {"replay", "none.otf2", "--platform", "native"}, {"native"}},
    {"CompareNothing", {"compare", "--platforms", "ideal"}, {"trace", "--"}},
    {"CompareWithUnknownPlatform", {"compare", "none.otf2", "--platforms", "ideal,idol"}, {"idol", "ideal"}},
    {"PlotOfAnotherKind",
     {"compare", "none.otf2", "--platforms", "ideal", "--plot", "plot.gif"},
     {"plot.gif", ".svg", ".png"}},
    {"CaptureWithoutFolder", {"capture", "-n", "2", "--", "NPmpich2"}, {"--output"}},
    {"CaptureOverAFile", {"capture", "-n", "2", "-o", "map", "--", "NPmpich2", "-n", "1"}, {"map"}},
    {"UnknownShell", {"completion", "fish"}, {"fish"}},
};

INSTANTIATE_TEST_SUITE_P(Table, BadInput, testing::ValuesIn(mistakes),
                         [](const auto& mistake) { return std::string(mistake.param.name); });

TEST_F(MorganaTest, HelpOfEverySubcommandShowsAnExample) {
  for (const char* name : {"run", "capture", "replay", "compare", "stats", "platforms", "completion"}) {
    const std::string help = succeed({name, "--help"}).out;
    EXPECT_THAT(help, HasSubstr("Example")) << name;
    EXPECT_THAT(help, HasSubstr(std::string("morgana ") + name)) << name;
  }
}

TEST_F(MorganaTest, VersionIsOneLine) {
  EXPECT_THAT(succeed({"--version"}).out, testing::MatchesRegex("morgana [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(MorganaTest, CompletionKnowsSubcommandsOptionsAndPlatforms) {
  write("completion", succeed({"completion", "bash"}).out);
  const auto complete = [&](const std::string& words, const std::string& position) {
    const std::string bin = std::filesystem::path(program("morgana")).parent_path();
    return run_to_end({"bash", "-c",
                       "PATH=" + bin + ":$PATH; source '" + path("completion") + "'; COMP_WORDS=(" + words +
                           "); COMP_CWORD=" + position + "; _morgana; echo \"${COMPREPLY[*]}\""})
        .out;
  };
  EXPECT_EQ(complete("morgana cap", "1"), "capture\n");
  EXPECT_THAT(complete("morgana run --js", "2"), HasSubstr("--json"));
  EXPECT_THAT(complete("morgana run --platform fast", "3"), HasSubstr("fast-ethernet"));
  EXPECT_THAT(complete("morgana compare x --platforms ideal,fast", "4"), HasSubstr("ideal,fast-ethernet"));
  EXPECT_THAT(complete("morgana platforms fast", "2"), HasSubstr("fast-ethernet"));
}

TEST_F(MorganaTest, DoctorFindsTheMachineThatRunsTheTestsReady) {
  const std::string text = succeed({"doctor"}).out;
  EXPECT_THAT(text, AllOf(HasSubstr("shim library"), HasSubstr("mpiexec.mpich"), Not(HasSubstr("missing "))));
}

}  // namespace
}  // namespace morgana::test
