#include "report/full_link.h"

#include <gtest/gtest.h>

namespace morgana {
namespace {

SimTime ps(std::int64_t time) {
  return SimTime::from_ps(time);
}

/// Two ranks for 100 ps: both in MPI_Alltoall from 20 ps to 100 ps, one in MPI_Send before.
Timeline two_ranks() {
  Timeline timeline;
  timeline.ranks = 2;
  timeline.end = ps(100);
  timeline.names = {"MPI_Send", "MPI_Alltoall"};
  timeline.calls = {{Rank{0}, 0, ps(0), ps(20), Bytes(1)},
                    {Rank{0}, 1, ps(20), ps(100), Bytes(8)},
                    {Rank{1}, 1, ps(20), ps(100), Bytes(8)}};
  return timeline;
}

/// Two links in windows of 10 ps, of which the second is busier.
LinkHistory history_of(std::vector<float> second) {
  LinkHistory history{ps(10), ps(100), {}, {}, {}, {}};
  history.links.resize(2);
  history.links[0].utilisation = 0.1;
  for (const float one : second) history.links[1].utilisation += static_cast<double>(one) / 10;
  history.busy.assign(10, 1.0F);  // of the first link: not asked for
  history.busy.insert(history.busy.end(), second.begin(), second.end());
  return history;
}

// Full in the windows from 30 ps to 70 ps and in the first one, in which nobody is in MPI_Alltoall: 4 of 8.
TEST(FullLink, IsOfTheCallThatTakesTheRanksLongest) {
  EXPECT_EQ(full_link_text(two_ranks(), history_of({1, 0, 0.5F, 1, 0.96F, 1, 0.97F, 0.9F, 0, 0})),
            "the busiest link is full during at least 50.0 % of the ranks' time in MPI_Alltoall");
}

TEST(FullLink, SaysNothingOfLinksThatAreHardlyEverFull) {
  EXPECT_EQ(full_link_text(two_ranks(), history_of(std::vector<float>(10, 0.9F))), "");
  EXPECT_EQ(full_link_text(two_ranks(), {}), "");
  EXPECT_EQ(full_link_text(Timeline(), history_of(std::vector<float>(10, 1.0F))), "");
}

}  // namespace
}  // namespace morgana
