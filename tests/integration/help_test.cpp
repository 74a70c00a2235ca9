#include <filesystem>
#include <string>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(MorganaTest, HelpOfEverySubcommandShowsAnExample) {
  for (const char* name : {"run", "capture", "replay", "compare", "stats", "platforms", "calibrate",
                           "completion", "fragment", "probe", "place", "tune", "cache", "manual", "export"}) {
    const std::string help = succeed({name, "--help"}).out;
    EXPECT_THAT(help, HasSubstr("Example")) << name;
    EXPECT_THAT(help, HasSubstr(std::string("morgana ") + name)) << name;
  }
}

TEST_F(MorganaTest, HelpAsAWordIsHelpAsAnOption) {
  EXPECT_EQ(succeed({"help"}).out, succeed({"--help"}).out);
  EXPECT_EQ(succeed({"help", "sweep"}).out, succeed({"sweep", "--help"}).out);
}

TEST_F(MorganaTest, VersionIsOneLine) {
  EXPECT_EQ(succeed({"-V"}).out, succeed({"--version"}).out);
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
  EXPECT_THAT(complete("morgana fragment --stages network", "3"), HasSubstr("network+disk+network"));
  EXPECT_THAT(complete("morgana fragment --policy opt", "3"), HasSubstr("optimal"));
}

TEST_F(MorganaTest, DoctorFindsTheMachineThatRunsTheTestsReady) {
  const std::string text = succeed({"doctor"}).out;
  EXPECT_THAT(text, AllOf(HasSubstr("shim library"), HasSubstr("mpiexec.mpich"), Not(HasSubstr("missing "))));
}

}  // namespace
}  // namespace morgana::test
