#include "traces/otf2/network_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"
#include "tests/traces/otf2/sample_trace.h"
#include "traces/export/timeline.h"
#include "traces/otf2/trace_reader.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::sample_properties;
using testing::TemporaryFolder;
using testing::write_sample;

void write_with_metrics(const std::filesystem::path& folder) {
  TraceWriter writer(folder, sample_properties(2));
  write_sample(writer, 1);
  writer.add(
      {{{"host 0 to switch 1 port 2: busy",
         "%",
         false,
         {{SimTime::from_ps(0), 12.5}, {SimTime::from_ps(30'000), 0.1}, {SimTime::from_ps(80'000), 0}}},
        {"go-back-n: sent again", "#", true, {{SimTime::from_ps(0), 0}, {SimTime::from_ps(30'000), 7}}}}});
  writer.finish();
}

TEST(NetworkMetrics, AreReadBackAsTheyWereWritten) {
  const TemporaryFolder folder;
  write_with_metrics(folder / "trace");
  const NetworkMetrics metrics = read_network_metrics(folder / "trace");
  ASSERT_EQ(metrics.series.size(), 2U);
  EXPECT_EQ(metrics.series[0].name, "host 0 to switch 1 port 2: busy");
  EXPECT_EQ(metrics.series[0].unit, "%");
  EXPECT_FALSE(metrics.series[0].accumulated);
  EXPECT_THAT(metrics.series[0].points,
              ElementsAre(Pair(SimTime::from_ps(0), 12.5), Pair(SimTime::from_ps(30'000), 0.1),
                          Pair(SimTime::from_ps(80'000), 0)));
  EXPECT_EQ(metrics.series[1].name, "go-back-n: sent again");
  EXPECT_EQ(metrics.series[1].unit, "#");
  EXPECT_TRUE(metrics.series[1].accumulated);
  EXPECT_THAT(metrics.series[1].points,
              ElementsAre(Pair(SimTime::from_ps(0), 0), Pair(SimTime::from_ps(30'000), 7)));
}

TEST(NetworkMetrics, AreNoRanksAndNothingToComplainOf) {
  const TemporaryFolder folder;
  write_with_metrics(folder / "trace");
  write_sample(folder / "plain", 1);
  const TraceReader reader(folder / "trace");
  EXPECT_EQ(reader.ranks(), 2U);
  EXPECT_THAT(reader.notices(), IsEmpty());
  EXPECT_EQ(timeline_csv(read_timeline(folder / "trace")), timeline_csv(read_timeline(folder / "plain")));
  EXPECT_EQ(read_timeline(folder / "trace").metrics.series.size(), 2U);
}

TEST(NetworkMetrics, OfATraceWithoutAnyAreNone) {
  const TemporaryFolder folder;
  write_sample(folder / "plain", 1);
  EXPECT_THAT(read_network_metrics(folder / "plain").series, IsEmpty());
}

TEST(NetworkMetrics, ThatAreCutOffAreRefused) {
  const TemporaryFolder folder;
  write_with_metrics(folder / "trace");
  // Location 2 holds them.
  std::filesystem::resize_file(folder / "trace" / "traces" / "2.evt", 8);
  EXPECT_THROW(read_network_metrics(folder / "trace"), Error);
}

}  // namespace
}  // namespace morgana
