#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/sample_traces.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class StandardOutput : public MorganaTest {};

TEST_F(StandardOutput, CarriesOnlyTheJsonThatIsSentThere) {
  const std::vector<std::vector<std::string>> commands{
      {"run", "-n", "2", "--compute", "none", "--json", "-", "--", program("ring")},
      {"replay", ep_sample, "--json", "-"},
      {"stats", ep_sample, "--json", "-"},
      {"compare", ep_sample, "--platforms", "ideal,ethernet-10", "--json", "-"},
      {"sweep", ep_sample, "--over", "platform=ideal,ethernet-10", "--json", "-"},
      {"traffic", "--load", "0.01", "--messages", "1000", "--json", "-"},
      {"reproduce", "atm-emulator", "--rows", "A-01", "--json", "-"}};
  for (const std::vector<std::string>& command : commands) {
    const FinishedProcess result = succeed(command);
    EXPECT_TRUE(nlohmann::json::accept(result.out)) << command[0] << '\n' << result.out;
    EXPECT_NE(result.err, "") << command[0] << " has no summary left";
  }
}

TEST_F(StandardOutput, LeavesTheProgramsOwnToStandardErrorThen) {
  const FinishedProcess result =
      succeed({"run", "-n", "2", "--compute", "none", "--quiet", "--csv", "-", "--", program("ring")});
  EXPECT_THAT(result.out, AllOf(testing::StartsWith("rank,"), Not(HasSubstr("checksum"))));
  EXPECT_THAT(result.err, HasSubstr("checksum"));
}

TEST_F(StandardOutput, AndFilesTakeOneResultEach) {
  const auto refusal = [this](const std::string& first, const std::string& second) {
    const FinishedProcess refused = morgana({"replay", ep_sample, "--json", first, "--csv", second});
    EXPECT_EQ(refused.exit_code, 2);
    return refused.err;
  };
  EXPECT_THAT(refusal("a.out", "./a.out"), HasSubstr("--json and --csv both name ./a.out"));
  EXPECT_THAT(refusal("-", "-"), HasSubstr("both name standard output"));
}

TEST_F(StandardOutput, ThatIsFullOrClosedIsTheCauseThatIsNamed) {
  const std::string loud = "morgana run -n 2 --compute none -- sh -c 'yes | head -c 10000000; ring'";
  EXPECT_THAT(in_shell(loud + " >/dev/full").err, HasSubstr("morgana: standard output is full"));
  EXPECT_THAT(in_shell(loud + " | true").err, HasSubstr("morgana: standard output was closed"));
}

// Whoever closes standard error wants the results without the words.
TEST_F(StandardOutput, CarriesOnWhereStandardErrorDoesNot) {
  for (const std::string nowhere : {" 2>&-", " 2>/dev/full"}) {
    EXPECT_EQ(in_shell("morgana no-such-command" + nowhere).exit_code, 2) << nowhere;
    EXPECT_EQ(in_shell("morgana export " + ep_sample + " -o ep.json" + nowhere).exit_code, 0) << nowhere;
  }
}

TEST_F(StandardOutput, ASweepsRowsGoToADeviceAtTheEnd) {
  const FinishedProcess result = morgana({"sweep", ep_sample, "--csv", "/dev/full"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("cannot write /dev/full: No space left"), Not(HasSubstr("newer"))));
}

}  // namespace
}  // namespace morgana::test
