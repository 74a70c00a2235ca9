// `morgana demo`: a tour whose commands are those that a user can type again.
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class DemoTour : public MorganaTest {
 protected:
  static std::vector<std::string> shown_commands(const std::string& output) {
    std::vector<std::string> commands;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("$ ")) commands.push_back(line.substr(2));
    return commands;
  }
};

TEST_F(DemoTour, ShowsCommandsThatPrintTheSameAgainAndLeavesPages) {
  const FinishedProcess tour = in_shell("morgana demo --output tour");
  ASSERT_EQ(tour.exit_code, 0) << tour.out << tour.err;
  const std::vector<std::string> commands = shown_commands(tour.out);
  ASSERT_EQ(commands.size(), 7U) << tour.out;
  for (const std::string page : {"run.html", "compare.html", "sweep.html", "deadlock.html"}) {
    EXPECT_THAT(read("tour/" + page), HasSubstr("</html>"));
    EXPECT_THAT(tour.out, HasSubstr("\n  " + page + " "));
  }
  EXPECT_THAT(tour.out, HasSubstr("these pages in " + path("tour")));
  EXPECT_THAT(tour.err, HasSubstr("rank 0 (MPI_Recv) waits for rank 2 (MPI_Recv), which waits for rank 1"));

  const FinishedProcess ring = in_shell("cd tour && " + commands[0]);
  EXPECT_THAT(ring.out, HasSubstr("ring of 8: checksum "));
  EXPECT_THAT(tour.out, HasSubstr("$ " + commands[0] + '\n' + ring.out));
  const FinishedProcess compared = in_shell("cd tour && " + commands[4]);
  EXPECT_THAT(tour.out, HasSubstr("$ " + commands[4] + '\n' + compared.out));
  EXPECT_EQ(in_shell("cd tour && " + commands[6]).exit_code, 3);
}

TEST_F(DemoTour, OverwritesNothing) {
  write("tour", "mine\n");
  const FinishedProcess refused = morgana({"demo", "--output", "tour"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("tour is there already"), HasSubstr("--output")));
  EXPECT_EQ(read("tour"), "mine\n");
  std::filesystem::create_directory(path("morgana-demo"));
  EXPECT_THAT(morgana({"demo"}).err, HasSubstr("morgana-demo is there already"));
  EXPECT_TRUE(std::filesystem::is_empty(path("morgana-demo")));
  EXPECT_THAT(morgana({"demo", "--output", "tour/below"}).err, HasSubstr("tour/below"));
}

/// A command that does not end as it should is named, and the tour does not go on.
TEST_F(DemoTour, EndsWithTheFirstCommandThatFails) {
  const FinishedProcess broken = in_shell("MORGANA_PLATFORMS=$PWD/nowhere morgana demo --output tour");
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_EQ(shown_commands(broken.out).size(), 1U) << broken.out;
  EXPECT_THAT(broken.err, AllOf(HasSubstr("the tour ends here: `morgana run -n 8 "),
                                HasSubstr("exit code 2 instead of 0"), HasSubstr(path("tour"))));
  EXPECT_THAT(broken.out, Not(HasSubstr("has left these pages")));
}

}  // namespace
}  // namespace morgana::test
