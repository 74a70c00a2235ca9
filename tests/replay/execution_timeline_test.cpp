#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "replay/comparison.h"

namespace morgana {
namespace {

SimTime total_of(const std::vector<ExecutionTimeline::Span>& spans) {
  SimTime total;
  for (const ExecutionTimeline::Span& span : spans) total += span.end - span.begin;
  return total;
}

// The sample (traces/samples/README.md): four layers forward of 400 us, backward of 800 us, an all-reduce of
// a layer's gradients as soon as its backward pass has ended, and then an optimiser of 300 us. So computing
// is one span of 4,800 us and one of 300 us, and three of four all-reduces are hidden.
TEST(ExecutionTimelineOfAReplay, HasWhatEachRankDoesWhen) {
  ExecutionTimeline timeline;
  ReplayOptions options;
  options.execution = &timeline;
  const ReplayResult result = replay_on(Platform::load("dgx-h100", std::vector<std::string>{"nccl.nvls=no"}),
                                        std::filesystem::path(MORGANA_SAMPLES) / "data-parallel", options);
  ASSERT_EQ(timeline.ranks.size(), 8U);
  constexpr std::int64_t us = 1'000'000;
  for (const ExecutionTimeline::OfRank& rank : timeline.ranks) {
    ASSERT_EQ(rank.streams.size(), 1U);
    const auto& computing = rank.streams.begin()->second;
    ASSERT_EQ(computing.size(), 2U);
    EXPECT_EQ((computing[0].end - computing[0].begin).ps(), 4'800 * us);
    EXPECT_EQ((computing[1].end - computing[1].begin).ps(), 300 * us);
    EXPECT_EQ(rank.hidden.size(), 3U);
    ASSERT_EQ(rank.exposed.size(), 1U);
    EXPECT_EQ(rank.exposed[0].begin, computing[0].end);
    EXPECT_EQ(rank.exposed[0].end, computing[1].begin);
    // Along rings all ranks do the same, so each one's times are the mean's.
    EXPECT_EQ(total_of(rank.hidden), result.execution->hidden);
    EXPECT_EQ(total_of(rank.exposed), result.execution->exposed);
  }
}

}  // namespace
}  // namespace morgana
