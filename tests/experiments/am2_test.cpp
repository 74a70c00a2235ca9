#include "experiments/am2/am2.h"

#include <gtest/gtest.h>

#include <set>

#include "experiments/am2/rows.h"

namespace morgana {
namespace {

TEST(ActiveMessages, SaysOfWhatWasFittedOrContradictedWhy) {
  std::set<std::string> fitted_rows;
  for (const Row& row : active_messages().rows) {
    EXPECT_FALSE(row.standing != Standing::judged && row.note.empty()) << row.id;
    if (row.standing == Standing::fitted) fitted_rows.insert(row.id);
  }
  EXPECT_EQ(fitted_rows, (std::set<std::string>{"V-01", "V-02", "V-03", "V-06", "V-08", "V-10", "V-15",
                                                "V-18", "V-20", "V-22", "V-23", "V-25", "V-27"}));
}

/// What a workload finds on a platform of round numbers.
double am2_figure(const std::string& workload, const std::string& name, std::vector<std::string> overrides) {
  Laboratory laboratory(Runner(1), 1);
  am2_paper::define_programs(laboratory);
  const Condition condition{workload, "loggp-example", std::move(overrides)};
  laboratory.carry_out({condition}, [](const std::string&, double) {});
  return laboratory.mean(condition, name);
}

std::vector<std::string> late_receives() {
  return {"messages.receive-overhead=2 us"};
}

// Two ways of o_s + L + o_r = 1 + 5 + 2 us.
TEST(ActiveMessages, TimesAPingByItself) {
  EXPECT_NEAR(am2_figure(am2_paper::ping(), "us", late_receives()), 16, 0.2);
}

// The server's processor takes 2 + 1 us for each request of many; 48 each of 14 clients.
TEST(ActiveMessages, CountsTheRequestsThatAServerAnswers) {
  EXPECT_NEAR(am2_figure(am2_paper::requests(14, am2_paper::credits), "rate", late_receives()), 1e6 / 3,
              0.03 * 1e6 / 3);
}

}  // namespace
}  // namespace morgana
