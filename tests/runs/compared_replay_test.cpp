#include "runs/compared_replay.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "runs/shared_progress.h"

namespace morgana::test {
namespace {

using testing::ElementsAre;

ComparedReplay with_everything() {
  ComparedReplay replay;
  replay.run.platform = "torus-3d";
  replay.run.total = SimTime::from_ps(123456789);
  replay.run.compute = SimTime::from_ps(333);
  replay.run.communication = SimTime::from_ps(444);
  replay.run.communication_share = 1.0 / 3;
  replay.run.compute_scale = 0.1;
  replay.run.messages = 7;
  replay.run.mean_latency = 1.1e-6;
  replay.run.median_latency = 1.2e-6;
  replay.run.p99_latency = 1.3e-6;
  replay.run.ranks = 4;
  replay.run.hosts = HostUse{2, 3, {4, Bytes(5)}, {6, Bytes(7)}};
  replay.run.busiest_link = BusiestLink{"host 1 to switch 2 port 3", 0.7};
  replay.run.recorded = Recorded::by_processor_time;
  replay.run.path.emplace();
  replay.run.path->at(static_cast<std::size_t>(PathKind::protocol)) = SimTime::from_ps(42);
  replay.run.limit = "uplinks";
  replay.run.background =
      BackgroundUse{0.3, 8, {9, Bytes(10)}, 11, {12, Bytes(13)}, 14, SimTime::from_ps(15)};
  replay.run.openmpi_collectives = true;
  replay.notices = {"one", "two"};
  replay.page = {{"ranks", 4}};
  replay.stands_still = "on torus-3d job 2 (b.otf2) stands still";
  return replay;
}

// JSON and CSV show each member of a run.
TEST(ComparedReplay, IsTheSameAsText) {
  const ComparedReplay told = compared_replay_of(text_of(with_everything()));
  EXPECT_THAT(told.notices, ElementsAre("one", "two"));
  EXPECT_EQ(told.page.at("ranks"), 4);
  EXPECT_EQ(told.stands_still, with_everything().stands_still);
  const Comparison before{"all", 1, {with_everything().run}}, after{"all", 1, {told.run}};
  EXPECT_EQ(comparison_json(after), comparison_json(before));
  EXPECT_EQ(comparison_csv(after), comparison_csv(before));
  EXPECT_EQ(host_lines(after), host_lines(before));
  EXPECT_EQ(told.run.communication_share, 1.0 / 3);
}

TEST(ComparedReplay, MayLackWhatIsNotKnown) {
  const ComparedReplay told = compared_replay_of(text_of(ComparedReplay()));
  EXPECT_FALSE(told.run.hosts || told.run.busiest_link || told.run.path || told.run.background);
  EXPECT_TRUE(told.page.is_null());
}

TEST(ComparedReplay, IsNoOtherText) {
  EXPECT_THROW(compared_replay_of("{}"), nlohmann::json::exception);
  EXPECT_THROW(compared_replay_of(""), nlohmann::json::exception);
}

TEST(SharedProgress, IsTheMeanOfAllRuns) {
  const SharedProgress progress(4);
  EXPECT_EQ(progress.mean(), 0);
  progress.set(1, 1);
  progress.set(3, 0.5);
  EXPECT_EQ(progress.mean(), 0.375);
  EXPECT_EQ(SharedProgress(0).mean(), 0);
}

TEST(SharedProgress, IsSeenByOtherProcesses) {
  const SharedProgress progress(1);
  EXPECT_EXIT(
      {
        progress.set(0, 1);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(progress.mean(), 1);
}

}  // namespace
}  // namespace morgana::test
