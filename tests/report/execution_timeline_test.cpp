#include "emulator/report/execution_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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

// Parts of 10 ns: 0-10 is filled for 2 + 3 ns, half of it; 10-20 for 4 ns; 20-40 wholly.
TEST(ExecutionTimeline, IsCoarsenedByWhatFillsHalfOfAPart) {
  ExecutionTimeline timeline;
  timeline.ranks.resize(1);
  auto& list = timeline.ranks[0].streams[7];
  timeline.add(list, 0_ns, 2_ns);
  timeline.add(list, 6_ns, 9_ns);
  timeline.add(list, 12_ns, 16_ns);
  timeline.add(list, 20_ns, 40_ns);
  const ExecutionTimeline coarse = coarsened(timeline, 10_ns);
  EXPECT_THAT(in_ns(coarse.ranks[0].streams.at(7)), testing::ElementsAre(Ns{0, 10}, Ns{20, 40}));
  EXPECT_EQ(coarse.end, 40_ns);
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
  EXPECT_GT(data.at("step_ps").get<std::int64_t>(), 60'000);
}

}  // namespace
}  // namespace morgana
