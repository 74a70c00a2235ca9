#include "runs/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <map>

#include "emulator/core/error.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

Job gives(double value) {
  return {"gives", [value] { return RunOutcome{"finished", {{"value", value}}}; }};
}

std::map<std::size_t, double> results(const std::vector<Job>& jobs, std::size_t side_by_side) {
  std::map<std::size_t, double> all;
  Runner(side_by_side).run(jobs, [&](std::size_t index, const RunOutcome& outcome) {
    EXPECT_TRUE(all.emplace(index, outcome.figures.at("value")).second) << index;
  });
  return all;
}

std::string error_of(const Job& job) {
  try {
    Runner(2).run(std::vector<Job>{gives(1), job, gives(2)}, [](std::size_t, const RunOutcome&) {});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Runner, TellsEveryJobsResultOnceWhateverRunsSideBySide) {
  std::vector<Job> jobs;
  for (int i = 0; i < 23; ++i) jobs.push_back(gives(i * 1.1));
  for (const std::size_t side_by_side : {1, 3, 50}) {
    const auto all = results(jobs, side_by_side);
    ASSERT_EQ(all.size(), jobs.size());
    for (const auto& [index, value] : all) EXPECT_EQ(value, static_cast<double>(index) * 1.1);
  }
}

TEST(Runner, CarriesFiguresToTheLastBit) {
  const double value = 0.1 + 0.2;
  EXPECT_EQ(results({gives(value)}, 1).at(0), value);
}

TEST(Runner, MakesEachRunInAProcessOfItsOwn) {
  const auto pid = [] { return RunOutcome{"finished", {{"value", static_cast<double>(::getpid())}}}; };
  const auto all = results({{"a", pid}, {"b", pid}}, 1);
  EXPECT_NE(all.at(0), all.at(1));
  EXPECT_NE(all.at(0), ::getpid());
}

TEST(Runner, PassesOnAnErrorWithTheJobsName) {
  expect_message(error_of({"load 3", []() -> RunOutcome { throw Error("too much"); }}), "load 3: too much");
}

TEST(Runner, SaysThatARunCrashed) {
  expect_message(error_of({"bad",
                           []() -> RunOutcome {
                             ::kill(::getpid(), SIGKILL);
                             return {};
                           }}),
                 "signal 9");
}

TEST(Runner, PassesOnHowARunEndedThatDidNotFinish) {
  std::string word;
  Runner(1).run(std::vector<Job>{{"stuck",
                                  [] {
                                    return RunOutcome{"deadlock", {}};
                                  }}},
                [&](std::size_t, const RunOutcome& outcome) { word = outcome.word; });
  EXPECT_EQ(word, "deadlock");
}

}  // namespace
}  // namespace morgana
