#include <gtest/gtest.h>

#include "experiments/itb/counts.h"
#include "experiments/itb/itb.h"
#include "experiments/itb/task.h"

namespace morgana {
namespace {

using itb_paper::Task;

TEST(Itb, NoRowOfItTakesAPlatform) {
  const Experiment experiment = itb();
  for (const Row& row : experiment.rows)
    for (const Condition& condition : row.needs) EXPECT_TRUE(condition.platform.empty()) << row.id;
  EXPECT_EQ(experiment.figures.size(), 26u);
}

TEST(Itb, DifferentTasksAreToldApart) {
  const Task load{.kind = Task::Kind::load, .network = "torus", .load = 0.015};
  Task other = load;
  other.load = 0.03;
  EXPECT_NE(to_text(load), to_text(other));
  other = load;
  other.routes = "in-transit";
  EXPECT_NE(to_text(load), to_text(other));
  other = load;
  other.one_routing_unit = true;
  EXPECT_NE(to_text(load), to_text(other));
}

TEST(Itb, AnInTransitHostKeepsAHeadForItsDetectionAndTheProgramming) {
  EXPECT_DOUBLE_EQ(itb_paper::in_transit_delay(), 275 + 200);
}

TEST(Itb, CountsOfBitReversalOnTheTorus) {
  // Of nine bits reversed 2^5 numbers stay the same.
  const auto counted = itb_paper::counts("torus", "bit-reversal", 1);
  EXPECT_EQ(counted.at("fixed"), 32);
  EXPECT_LT(counted.at("minimal"), counted.at("legal"));
}

TEST(Itb, MinimalRoutesShareTheTorusMoreEvenlyThanLegalOnes) {
  Task task{.kind = Task::Kind::load, .network = "torus", .load = 0.015};
  const itb_paper::Effort effort{.messages = 1000};
  const auto legal = carry_out(task, effort, 1);
  task.routes = "in-transit";
  const auto minimal = carry_out(task, effort, 1);
  EXPECT_EQ(legal.at("links"), 256);
  EXPECT_EQ(legal.at("root"), legal.at("greatest"));
  EXPECT_LT(minimal.at("greatest"), legal.at("greatest"));
  EXPECT_GT(minimal.at("least"), legal.at("least"));
  EXPECT_EQ(legal.at("most_packets"), 0);
}

}  // namespace
}  // namespace morgana
