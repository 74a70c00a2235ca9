#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/itb/counts.h"
#include "experiments/itb/itb.h"
#include "experiments/itb/network_map.h"
#include "experiments/itb/task.h"
#include "experiments/itb/testbed.h"

namespace morgana {
namespace {

using itb_paper::PaperTask;

TEST(Itb, NoRowOfItTakesAPlatform) {
  const Experiment experiment = itb();
  for (const Row& row : experiment.rows)
    for (const Condition& condition : row.needs) EXPECT_TRUE(condition.platform.empty()) << row.id;
  EXPECT_EQ(experiment.figures.size(), 29u);
}

TEST(Itb, DifferentTasksAreToldApart) {
  const PaperTask load{.kind = PaperTask::Kind::load, .network = "torus", .load = 0.015};
  PaperTask other = load;
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

// Myricom, "GM 1.6.4 API Performance", 2003: 8.5 us with the PCI64B's 133 MHz, 6.7 us with the PCI64C's 200.
TEST(Itb, InterfacesAtTwoClocksHaveTheLatenciesThatTheirMakerPublished) {
  EXPECT_NEAR(half_round_trip(itb_paper::published_testbed(133e6), 1), 8500, 50);
  EXPECT_NEAR(half_round_trip(itb_paper::published_testbed(200e6), 1), 6700, 50);
}

// It is sent on while it still comes: a packet of 4096 B would take 26 us to come first.
TEST(Itb, AHostInTransitAddsTheSameToShortAndLongPackets) {
  const std::map<std::string, double> figures = itb_paper::testbed_figures();
  EXPECT_LT(figures.at("in_transit"), 2000);
  EXPECT_NEAR(figures.at("in_transit_least"), figures.at("in_transit_most"), 0.1);
}

TEST(Itb, ItsHostInTransitTakesADispatchAHandlerFourBytesAndACable) {
  itb_paper::Testbed testbed = itb_paper::paper_testbed();
  const double around = half_round_trip(testbed, 100);
  testbed.through_host = true;
  const gm::Parameters& program = testbed.program;
  const SimTime added = (program.dispatch + program.handler) * program.lanai.cycle +
                        3 * testbed.network.flit + testbed.network.cable;
  EXPECT_NEAR(2 * (half_round_trip(testbed, 100) - around), static_cast<double>(added.ps()) / 1000, 0.1);
}

TEST(Itb, CountsOfBitReversalOnTheTorus) {
  // Of nine bits reversed 2^5 numbers stay the same.
  const auto counted = itb_paper::counts("torus", "bit-reversal", 1);
  EXPECT_EQ(counted.at("fixed"), 32);
  EXPECT_LT(counted.at("minimal"), counted.at("legal"));
}

TEST(Itb, MinimalRoutesShareTheTorusMoreEvenlyThanLegalOnes) {
  PaperTask task{.kind = PaperTask::Kind::load, .network = "torus", .load = 0.015};
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

// Of 32 hosts 8 are their own bit reversal and send nothing: 3/4 of a load are all that is generated.
TEST(Itb, HostsThatSendNothingDoNotKeepALoadFromBeingAcceptedWhole) {
  const PaperTask task{
      .kind = PaperTask::Kind::saturation, .network = "irregular:8", .pattern = "bit-reversal", .length = 32};
  const auto figures = carry_out(task, {.messages = 1000}, 1);
  for (const std::string routes : {"up-down", "in-transit"}) {
    EXPECT_GT(figures.at(routes + ".sustained"), 0);
    EXPECT_LE(figures.at(routes + ".sustained"), figures.at(routes + ".peak"));
  }
  EXPECT_GT(figures.at("sustained_factor"), 0);
}

TEST(Itb, ALoadMayBeAShareOfTheKnee) {
  const itb_paper::Effort effort{.messages = 1000};
  const auto saturated =
      carry_out({.kind = PaperTask::Kind::saturation, .network = "irregular:8", .length = 32}, effort, 1);
  const PaperTask half{.kind = PaperTask::Kind::load,
                       .network = "irregular:8",
                       .length = 32,
                       .routes = "in-transit",
                       .load = 0.5,
                       .of_the_knee = true,
                       .messages = 1000};
  const auto measured = carry_out(half, effort, 1);
  EXPECT_DOUBLE_EQ(measured.at("load"), 0.5 * saturated.at("in-transit.knee"));
  EXPECT_NEAR(measured.at("accepted"), measured.at("load"), 0.05 * measured.at("load"));
}

TEST(Itb, AHotHostsSwitchStandsOutInThePicture) {
  const PaperTask task{
      .kind = PaperTask::Kind::load, .network = "torus", .pattern = "hotspot:10%@100", .load = 0.01};
  const auto figures = carry_out(task, {.messages = 1000}, 1);
  const LinkMap map = itb_paper::network_map("torus", figures);
  ASSERT_EQ(map.places.size(), 64u);
  EXPECT_EQ(map.places[100 / 8].name, "H");
  EXPECT_EQ(map.places[0].name, "0");
  const auto busiest = std::max_element(map.lines.begin(), map.lines.end(),
                                        [](const auto& a, const auto& b) { return a.share < b.share; });
  EXPECT_DOUBLE_EQ(busiest->share, figures.at("greatest"));
}

TEST(Itb, WhatIsAcceptedWholeIsNoMoreThanThePeak) {
  const PaperTask task{
      .kind = PaperTask::Kind::saturation, .network = "irregular:8", .pattern = "hotspot:30%", .length = 32};
  const auto figures = carry_out(task, {.messages = 1000}, 1);
  for (const std::string routes : {"up-down", "in-transit"}) {
    EXPECT_GT(figures.at(routes + ".sustained"), 0);
    EXPECT_LE(figures.at(routes + ".sustained"), figures.at(routes + ".peak"));
  }
  EXPECT_DOUBLE_EQ(figures.at("sustained_factor"),
                   figures.at("in-transit.sustained") / figures.at("up-down.sustained"));
  EXPECT_FALSE(figures.contains("change"));
}

TEST(Itb, LatenciesAreComparedAtTheLowestLoadAndAtSharesOfWhatIsAccepted) {
  const PaperTask task{.kind = PaperTask::Kind::saturation, .network = "irregular:8", .length = 32};
  const auto figures = carry_out(task, {.messages = 1000}, 1);
  const double lowest = std::min(figures.at("up-down.load.0"), figures.at("in-transit.load.0"));
  EXPECT_DOUBLE_EQ(figures.at("low_share"), 100 * lowest / figures.at("up-down.peak"));
  EXPECT_NEAR(figures.at("change"), figures.at("change.10"), 5);
  for (const char* name : {"change.20", "change.30"}) EXPECT_TRUE(figures.contains(name)) << name;
}

}  // namespace
}  // namespace morgana
