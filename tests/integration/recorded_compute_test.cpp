#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RecordedComputing : public MorganaTest {};

TEST_F(RecordedComputing, AnMpiProgramTakesTheRecordedTimeAgain) {
  succeed({"run", "-n", "3", "--platform", "ethernet-10", "--trace", "run.otf2", "--json", "run.json",
           "--quiet", "--", program("ring")});
  for (const char* again : {"a.json", "b.json"})
    succeed({"run", "-n", "3", "--platform", "ethernet-10", "--compute", "recorded:run.otf2", "--json", again,
             "--quiet", "--", program("ring")});
  EXPECT_EQ(read("a.json"), read("b.json"));
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("a.json"));
}

TEST_F(RecordedComputing, APvmProgramTakesTheRecordedTimeAgain) {
  const std::vector<std::string> kernel{"--", program("cg.pvm"), "--tasks", "3", "--class", "S"};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "-n", "3", "--platform", "fast-ethernet", "--quiet"});
    words.insert(words.end(), kernel.begin(), kernel.end());
    EXPECT_THAT(succeed(words).out, HasSubstr("PASS"));
  };
  run({"--trace", "run.otf2", "--json", "run.json"});
  run({"--compute", "recorded:run.otf2", "--json", "again.json"});
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("again.json"));
}

TEST_F(RecordedComputing, AnotherProgramsTraceIsRefused) {
  succeed({"run", "-n", "2", "--trace", "run.otf2", "--quiet", "--", program("pingpong")});
  const FinishedProcess refused =
      morgana({"run", "-n", "2", "--compute", "recorded:run.otf2", "--", program("ring")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("the program calls"), HasSubstr("recorded in run.otf2")));
}

TEST_F(RecordedComputing, WhatIsNoTraceIsRefused) {
  EXPECT_EQ(morgana({"run", "--compute", "recorded:nothing", "--", program("ring")}).exit_code, 2);
  const FinishedProcess unknown = morgana({"run", "--compute", "guessed", "--", program("ring")});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("guessed is not measured, none or recorded:TRACE"));
}

}  // namespace
}  // namespace morgana::test
