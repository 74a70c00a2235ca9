#include "emulator/report/execution_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "report/execution_data.h"

namespace morgana {
namespace {

using namespace literals;

std::vector<std::pair<std::int64_t, std::int64_t>> in_ns(const std::vector<ExecutionTimeline::Span>& spans) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (const auto& span : spans) all.emplace_back(span.begin.ps() / 1000, span.end.ps() / 1000);
  return all;
}
using Ns = std::pair<std::int64_t, std::int64_t>;

TEST(ExecutionTimeline, JoinsSpansThatFollowEachOther) {
  ExecutionTimeline timeline;
  timeline.ranks.resize(1);
  auto& list = timeline.ranks[0].exposed;
  timeline.add(list, 10_ns, 20_ns);
  timeline.add(list, 20_ns, 20_ns);  // nothing
  timeline.add(list, 20_ns, 30_ns);
  timeline.add(list, 40_ns, 50_ns);
  EXPECT_THAT(in_ns(list), testing::ElementsAre(Ns{10, 30}, Ns{40, 50}));
  EXPECT_EQ(timeline.end, 50_ns);
  EXPECT_EQ(timeline.spans(), 2U);
}

SimTime filled_by(const std::vector<ExecutionTimeline::Span>& spans) {
  SimTime sum;
  for (const auto& span : spans) sum += span.end - span.begin;
  return sum;
}

// Parts of 10 ns: 0-10 is filled for 2 + 3 ns, as much as it is idle, and drawn 5 ns too long; 10-20 for 4
// ns, so that it is still 1 ns too long; 20-40 wholly; 40-45, the last one, for 3 ns, of which 2 are left to
// draw.
TEST(ExecutionTimeline, IsCoarsenedByWhatMostOfAPartIs) {
  ExecutionTimeline timeline;
  timeline.ranks.resize(2);
  auto& list = timeline.ranks[0].streams[7];
  timeline.add(list, 0_ns, 2_ns);
  timeline.add(list, 6_ns, 9_ns);
  timeline.add(list, 12_ns, 16_ns);
  timeline.add(list, 20_ns, 40_ns);
  timeline.add(list, 41_ns, 44_ns);
  timeline.add(timeline.ranks[1].streams[0], 0_ns, 45_ns);
  const ExecutionTimeline coarse = coarsened(timeline, 10_ns);
  EXPECT_THAT(in_ns(coarse.ranks[0].streams.at(7)), testing::ElementsAre(Ns{0, 10}, Ns{20, 40}));
  EXPECT_THAT(in_ns(coarse.ranks[1].streams.at(0)), testing::ElementsAre(Ns{0, 45}));
  EXPECT_EQ(coarse.end, 45_ns);
}

// Of each 10 ns a rank communicates hidden for 3 and exposed for 4, neither of them half of the time.
TEST(ExecutionTimeline, KeepsTheSharesOfWhatIsCoarsened) {
  ExecutionTimeline timeline;
  timeline.ranks.resize(1);
  auto& rank = timeline.ranks[0];
  for (int i = 0; i < 1000; ++i) {
    timeline.add(rank.streams[0], i * 10_ns, i * 10_ns + 6_ns);
    timeline.add(rank.hidden, i * 10_ns + 1_ns, i * 10_ns + 4_ns);
    timeline.add(rank.exposed, i * 10_ns + 6_ns, i * 10_ns + 10_ns);
  }
  for (const SimTime step : {10_ns, 25_ns, 300_ns}) {
    const ExecutionTimeline coarse = coarsened(timeline, step);
    const auto of_step = [&](const std::vector<ExecutionTimeline::Span>& spans) {
      return filled_by(spans).seconds() / step.seconds();
    };
    EXPECT_NEAR(of_step(coarse.ranks[0].streams.at(0)), of_step(rank.streams[0]), 2);
    EXPECT_NEAR(of_step(coarse.ranks[0].hidden), of_step(rank.hidden), 2);
    EXPECT_NEAR(of_step(coarse.ranks[0].exposed), of_step(rank.exposed), 2);
    for (const auto& span : coarse.ranks[0].hidden)
      for (const auto& other : coarse.ranks[0].exposed)
        EXPECT_TRUE(span.end <= other.begin || other.end <= span.begin) << "one kind at a time";
  }
}

// 4 ns and a gap of 1 us, again and again: nothing is drawn in the gaps.
TEST(ExecutionTimeline, StaysIdleInPartsWithoutSpans) {
  ExecutionTimeline timeline;
  timeline.ranks.resize(1);
  for (int i = 0; i < 10; ++i) timeline.add(timeline.ranks[0].exposed, i * 1_us, i * 1_us + 4_ns);
  const ExecutionTimeline coarse = coarsened(timeline, 10_ns);
  EXPECT_THAT(
      in_ns(coarse.ranks[0].exposed),
      testing::ElementsAre(Ns{1000, 1010}, Ns{3000, 3010}, Ns{6000, 6010}, Ns{8000, 8010}, Ns{9000, 9004}))
      << "44 ns for 40; the last part ends with the timeline";
}

TEST(ExecutionTimeline, IsRowsOfStreamsAndOfCommunicationOnAPage) {
  ExecutionTimeline timeline;
  timeline.ranks.resize(2);
  timeline.add(timeline.ranks[0].streams[0], 0_ns, 10_ns);
  timeline.add(timeline.ranks[0].streams[3], 5_ns, 15_ns);
  timeline.add(timeline.ranks[0].hidden, 10_ns, 15_ns);
  timeline.add(timeline.ranks[0].exposed, 15_ns, 20_ns);
  timeline.add(timeline.ranks[0].hidden, 20_ns, 22_ns);
  const nlohmann::json data = execution_data(timeline, 100);
  EXPECT_EQ(data.at("names"), (nlohmann::json{"stream 0", "stream 3", "communication", "communication"}));
  EXPECT_EQ(data.at("kinds"), (nlohmann::json{"computing", "hidden", "exposed"}));
  EXPECT_EQ(data.at("kind"), "AAABAgE=") << "bytes 0 0 1 2 1: communication in the order of time";
  EXPECT_EQ(data.at("step_ps"), 0);
}

TEST(ExecutionTimeline, IsCutToFewerSpansWhereItHasTooMany) {
  ExecutionTimeline timeline;
  timeline.ranks.resize(1);
  for (int i = 0; i < 1000; ++i) timeline.add(timeline.ranks[0].streams[0], i * 100_ns, i * 100_ns + 60_ns);
  const nlohmann::json data = execution_data(timeline, 50);
  const SimTime step = SimTime::from_ps(data.at("step_ps").get<std::int64_t>());
  EXPECT_GT(step, 100_ns);
  const auto characters =
      data.at("begin_ps").get<std::string>().size();  // 4 of base64 for 3 bytes of a double
  EXPECT_LE(characters * 3 / 4 / sizeof(double), 50U);
  EXPECT_GE(characters * 3 / 4 / sizeof(double), 13U) << "not fewer than half of what they may be, twice";
  const ExecutionTimeline coarse = coarsened(timeline, step);
  EXPECT_NEAR(filled_by(coarse.ranks[0].streams.at(0)).seconds(), 60e-6, 2 * step.seconds());
}

}  // namespace
}  // namespace morgana
