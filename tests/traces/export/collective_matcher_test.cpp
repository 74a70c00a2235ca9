#include "traces/export/collective_matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// "0: rank 1, 5 to 9" for each part.
std::vector<std::string> parts_of(const Timeline& timeline) {
  std::vector<std::string> texts;
  for (const Timeline::Part& part : timeline.parts)
    texts.push_back(std::to_string(part.collective) + ": rank " + std::to_string(index(part.rank)) + ", " +
                    std::to_string(part.begin.ps()) + " to " + std::to_string(part.end.ps()));
  return texts;
}

TEST(CollectiveMatcher, CountsTheCollectivesOfEachCommunicator) {
  // Communicator 7 has both ranks, 8 and 9 have one rank each.
  CollectiveMatcher matcher;
  for (const int rank : {0, 1}) {
    matcher.next_rank();
    const int later = 100 * rank;
    matcher.end(matcher.begin(7, Rank{rank}, 3, SimTime::from_ps(10 + later)), SimTime::from_ps(120));
    matcher.end(matcher.begin(static_cast<std::uint32_t>(8 + rank), Rank{rank}, 3, SimTime::from_ps(130)),
                SimTime::from_ps(140));
    matcher.end(matcher.begin(7, Rank{rank}, 4, SimTime::from_ps(150)), SimTime::from_ps(160 + rank));
  }
  Timeline timeline;
  matcher.finish(timeline);
  EXPECT_THAT(timeline.collectives, ElementsAre(3, 4));
  EXPECT_THAT(parts_of(timeline), ElementsAre("0: rank 0, 10 to 120", "0: rank 1, 110 to 120",
                                              "1: rank 0, 150 to 160", "1: rank 1, 150 to 161"));
}

TEST(CollectiveMatcher, CountsThoseInTheBackgroundWhereTheyBegin) {
  // Rank 0 begins one in the background and completes it behind a blocking one; rank 1 the other way round.
  CollectiveMatcher matcher;
  const std::size_t background = matcher.begin(7, Rank{0}, 1, SimTime::from_ps(0));
  matcher.end(matcher.begin(7, Rank{0}, 2, SimTime::from_ps(10)), SimTime::from_ps(20));
  matcher.end(background, SimTime::from_ps(30));
  matcher.next_rank();
  matcher.end(matcher.begin(7, Rank{1}, 1, SimTime::from_ps(5)), SimTime::from_ps(8));
  matcher.end(matcher.begin(7, Rank{1}, 2, SimTime::from_ps(12)), SimTime::from_ps(20));
  Timeline timeline;
  matcher.finish(timeline);
  EXPECT_THAT(timeline.collectives, ElementsAre(1, 2));
  EXPECT_THAT(parts_of(timeline), ElementsAre("0: rank 0, 0 to 30", "0: rank 1, 5 to 8",
                                              "1: rank 0, 10 to 20", "1: rank 1, 12 to 20"));
}

TEST(CollectiveMatcher, LeavesOutWhatHasNotEndedOnTwoRanks) {
  // Of a run that was broken off: rank 1 waits in its second one for ever.
  CollectiveMatcher matcher;
  matcher.end(matcher.begin(7, Rank{0}, 1, SimTime::from_ps(0)), SimTime::from_ps(10));
  matcher.end(matcher.begin(7, Rank{0}, 1, SimTime::from_ps(20)), SimTime::from_ps(30));
  matcher.next_rank();
  matcher.begin(7, Rank{1}, 1, SimTime::from_ps(1));
  Timeline timeline;
  matcher.finish(timeline);
  EXPECT_THAT(timeline.collectives, IsEmpty());
  EXPECT_THAT(timeline.parts, IsEmpty());
}

TEST(CollectiveMatcher, PutsThemInTheOrderOfTheirFirstBegin) {
  CollectiveMatcher matcher;
  for (const int rank : {0, 1}) {
    matcher.next_rank();
    matcher.end(matcher.begin(8, Rank{rank}, 1, SimTime::from_ps(50 - 40 * rank)), SimTime::from_ps(60));
    matcher.end(matcher.begin(7, Rank{rank}, 2, SimTime::from_ps(30)), SimTime::from_ps(70));
  }
  Timeline timeline;
  matcher.finish(timeline);
  EXPECT_THAT(timeline.collectives, ElementsAre(1, 2)) << "at 10, where rank 1 begins it, and at 30";
}

}  // namespace
}  // namespace morgana
