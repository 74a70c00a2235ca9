#include "emulator/report/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace morgana {
namespace {

using namespace literals;
using testing::HasSubstr;
using testing::Not;

RunStatistics two_ranks() {
  RunStatistics statistics(2);
  Operation send;
  send.kind = OperationKind::send;
  send.bytes = 1_KiB;
  statistics.operation_ended(Rank{0}, send, 10_us, 14_us, {});
  Operation exit;
  exit.kind = OperationKind::exit;
  statistics.operation_ended(Rank{0}, exit, 20_us, 20_us, {});
  statistics.operation_ended(Rank{1}, exit, 16_us, 16_us, {});
  statistics.message_delivered(Rank{0}, Rank{1}, 1_KiB, 10_us, 13_us);
  return statistics;
}

const RunDescription described{"./program 7", "loggp-example", 5, false};

std::vector<std::string> settings_of(const RunDescription& description) {
  std::vector<std::string> texts;
  for (const BottleneckLine& line : setting_lines(RunStatistics(2), description))
    texts.push_back(line.label + ": " + line.text);
  return texts;
}

TEST(RunReport, SaysHowTheProgramWasRunWhereThatIsNotAsUsual) {
  RunDescription description;
  EXPECT_THAT(settings_of(description), testing::IsEmpty());
  description.overrides = {"network.bandwidth=x2", "messages.eager-limit=1 KiB"};
  description.map = "spread:4";
  description.seed = 5;
  EXPECT_THAT(settings_of(description),
              testing::ElementsAre("set: network.bandwidth=x2, messages.eager-limit=1 KiB",
                                   "placement: spread, 4 to a host", "seed: 5"));
  description.map = "odd:4";  // a file
  EXPECT_THAT(settings_of(description), testing::Contains("placement: odd:4"));
  const nlohmann::json json = nlohmann::json::parse(run_json(two_ranks(), description, std::nullopt));
  EXPECT_EQ(json.at("overrides"), nlohmann::json({"network.bandwidth=x2", "messages.eager-limit=1 KiB"}));
  EXPECT_EQ(json.at("map"), "odd:4");
  EXPECT_FALSE(nlohmann::json::parse(run_json(two_ranks(), described, std::nullopt)).contains("overrides"));
}

TEST(RunJson, HasTheSimulatedTimeAtTheTopLevel) {
  const auto json = nlohmann::json::parse(run_json(two_ranks(), described, std::nullopt));
  EXPECT_EQ(json.at("simulated_time_ps"), 20'000'000);
  EXPECT_EQ(json.at("platform"), "loggp-example");
  EXPECT_EQ(json.at("subject"), "./program 7");
  EXPECT_EQ(json.at("seed"), 5);
  EXPECT_EQ(json.at("latency").at("median_ps"), 3'000'000);
  EXPECT_EQ(json.at("per_rank").at(0).at("communication_ps"), 4'000'000);
  EXPECT_EQ(json.at("per_rank").at(1).at("compute_ps"), 16'000'000);
  EXPECT_EQ(json.at("total").at("messages_sent"), 1);
}

TEST(RunJson, HoldsNoWallTimeUnlessAsked) {
  EXPECT_FALSE(nlohmann::json::parse(run_json(two_ranks(), described, std::nullopt)).contains("wall"));
  const auto timed = nlohmann::json::parse(run_json(two_ranks(), described, WallTime{0.5}));
  EXPECT_EQ(timed.at("wall").at("seconds"), 0.5);
  EXPECT_DOUBLE_EQ(timed.at("wall").at("slowdown").get<double>(), 25000.0);
}

TEST(RunJson, TakesACommandLineThatIsNoUtf8) {
  RunDescription odd = described;
  odd.subject = "./program \xff";
  EXPECT_TRUE(nlohmann::json::accept(run_json(two_ranks(), odd, std::nullopt)));
}

TEST(RunSummary, SaysWhereTheTimeWent) {
  const std::string text = run_summary(two_ranks(), described, WallTime{0.5});
  EXPECT_THAT(text, HasSubstr("./program 7 | 2 ranks | loggp-example"));
  EXPECT_THAT(text, HasSubstr("simulated time  20.00 us"));
  EXPECT_THAT(text, HasSubstr("latency  mean 3.000 us, median 3.000 us, 99th percentile 3.000 us"));
  EXPECT_THAT(text, HasSubstr("slowdown 25000"));
}

TEST(RunSummary, OfANativeRunSaysMeasuredAndNoSlowdown) {
  RunDescription native = described;
  native.native = true;
  const std::string text = run_summary(two_ranks(), native, WallTime{0.5});
  EXPECT_THAT(text, HasSubstr("measured time   20.00 us"));
  EXPECT_THAT(text, Not(HasSubstr("slowdown")));
}

TEST(RunSummary, OfManyRanksShowsExtremesInstead) {
  const std::string text = run_summary(two_ranks(), described, std::nullopt, 1);
  EXPECT_THAT(text, HasSubstr("least"));
  EXPECT_THAT(text, HasSubstr("greatest"));
  EXPECT_THAT(text, HasSubstr("18.00 us"));  // the mean of 20 and 16
}

TEST(RunCsv, HasALineForEachRank) {
  const std::string csv = run_csv(two_ranks());
  EXPECT_THAT(csv, HasSubstr("\n0,0,20000000,16000000,4000000,0,1,1024,0,0,0,0,0,0,1,4000000,1024\n"));
  EXPECT_THAT(csv, HasSubstr("\n1,0,16000000,16000000,0,0,0,0,0,0,0,0,0,0,0,0,0\n"));
}

// The kernel had the processor for 3 us before the send, and for 1 us between the parts of a call, which
// belongs to the call.
TEST(RunStatistics, WhatInterruptsTookIsNeitherComputingNorCommunication) {
  RunStatistics statistics(1);
  Operation send, wait, exit;
  send.kind = OperationKind::send;
  send.part = CallPart::first;
  send.interrupted = 3_us;
  statistics.operation_ended(Rank{0}, send, 10_us, 14_us, {});
  wait.kind = OperationKind::wait;
  wait.part = CallPart::last;
  wait.interrupted = 1_us;
  statistics.operation_ended(Rank{0}, wait, 15_us, 18_us, {});
  exit.kind = OperationKind::exit;
  statistics.operation_ended(Rank{0}, exit, 20_us, 20_us, {});
  const RunStatistics::PerRank& rank = statistics.ranks()[0];
  EXPECT_EQ(rank.interrupted, 3_us);
  EXPECT_EQ(rank.communication, 8_us);
  EXPECT_EQ(rank.compute(), 9_us);
  EXPECT_THAT(run_summary(statistics, described, std::nullopt),
              HasSubstr("interrupted  3.000 us of ranks' time outside of their waiting, by kernels and other "
                        "ranks' turns\n"));
}

}  // namespace
}  // namespace morgana
