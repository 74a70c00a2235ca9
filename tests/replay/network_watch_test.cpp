#include "replay/network_watch.h"

#include <gmock/gmock.h>

#include <vector>

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(LinkSeries, HasTheBusiestLinksWhereverTheyChange) {
  const auto ps = [](std::int64_t time) { return SimTime::from_ps(time); };
  const LinkEnd host{LinkEnd::Kind::host, 3, 0}, port{LinkEnd::Kind::switch_port, 1, 2};
  LinkHistory history;
  history.window = ps(40);
  history.end = ps(150);
  history.links = {{host, port, 5, 0.3}, {port, host, 9, 0.1}, {host, host, 0, 0.0}, {port, port, 7, 0.6}};
  history.busy = {0.5F, 0.5F, 0.25F, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  const std::vector<NetworkMetrics::Series> series = link_series(history, 2);
  ASSERT_EQ(series.size(), 2U) << "of the two busiest, in the network's order";
  EXPECT_EQ(series[0].name, "host 3 to switch 1 port 2: busy");
  EXPECT_EQ(series[0].unit, "%");
  EXPECT_FALSE(series[0].accumulated);
  EXPECT_THAT(series[0].points,
              ElementsAre(Pair(ps(0), 50), Pair(ps(80), 25), Pair(ps(120), 0), Pair(ps(150), 0)));
  EXPECT_EQ(series[1].name, "switch 1 port 2 to switch 1 port 2: busy");
  EXPECT_THAT(series[1].points, ElementsAre(Pair(ps(0), 100), Pair(ps(150), 0)));
}

TEST(LinkSeries, HasWhatIsQueuedAtTheEndOfEachWindow) {
  const auto ps = [](std::int64_t time) { return SimTime::from_ps(time); };
  LinkHistory history;
  history.window = ps(40'000'000);
  history.end = ps(150'000'000);
  history.links = {{{LinkEnd::Kind::host, 3, 0}, {LinkEnd::Kind::switch_port, 1, 2}, 5, 1}};
  history.busy = {1, 1, 1, 1};
  history.queued = {ps(0), ps(2'500'000), ps(2'500'000), ps(0)};
  const std::vector<NetworkMetrics::Series> series = link_series(history, 2);
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[1].name, "host 3 to switch 1 port 2: queued");
  EXPECT_EQ(series[1].unit, "us");
  EXPECT_FALSE(series[1].accumulated);
  EXPECT_THAT(series[1].points, ElementsAre(Pair(ps(80'000'000), 2.5), Pair(ps(150'000'000), 0)));
}

}  // namespace
}  // namespace morgana
