#include "experiments/infiniband/infiniband.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/platform/platform.h"
#include "experiments/infiniband/programs.h"
#include "experiments/infiniband/published.h"

namespace morgana {
namespace {

using infiniband_tables::Benchmark;
using infiniband_tables::emulated;
using infiniband_tables::published_tables;
using infiniband_tables::PublishedTable;

const PublishedTable& table_of(const std::string& id) {
  for (const PublishedTable& table : published_tables())
    if (table.id == id) return table;
  throw std::out_of_range(id);
}

double ours(const std::string& id, std::int64_t bytes) {
  return emulated(table_of(id), bytes, Platform::load("edr-fat-tree-2to1", {}), 1);
}

TEST(InfiniBandTables, HaveARowForEveryPublishedValue) {
  const Experiment experiment = infiniband();
  std::size_t points = 0;
  for (const PublishedTable& table : published_tables()) points += table.points.size();
  EXPECT_EQ(experiment.rows.size(), points);
  for (int table = 1; table <= 11; ++table)
    EXPECT_FALSE(choose_rows(experiment, {fmt::format("IB-{:02}", table)}).empty()) << table;
}

TEST(InfiniBandTables, OnlyOnePairAndAllreducesByRecursiveDoublingAreFitted) {
  const Experiment experiment = infiniband();
  for (const Row& row : experiment.rows) {
    const bool one_pair = row.id.starts_with("IB-01.") || row.id.starts_with("IB-02.");
    const bool allreduce = row.id.starts_with("IB-09.");
    const bool short_operand = std::stoi(row.id.substr(row.id.find('.') + 1)) < 10'000;
    if (row.standing == Standing::contradicted) continue;
    EXPECT_EQ(row.standing, one_pair || (allreduce && short_operand) ? Standing::fitted : Standing::judged)
        << row.id;
  }
}

// Of the page's two runs with 16 pairs one has 38.4 and the other 73.6 million messages of 32 B a second;
// with 8 pairs they are within 5.6 %.
TEST(InfiniBandTables, RowsThatThePagesOtherRunWouldNotPassAreInconsistent) {
  const Experiment experiment = infiniband();
  std::vector<std::string> rows;
  for (const Row& row : experiment.rows)
    if (row.standing == Standing::contradicted) rows.push_back(row.id);
  EXPECT_EQ(rows, (std::vector<std::string>{"IB-05.1", "IB-06.2", "IB-06.32", "IB-06.64", "IB-06.256",
                                            "IB-08.32", "IB-08.64", "IB-08.128"}));
}

TEST(InfiniBandTables, CollectivesHaveTheAlgorithmsOfOpenMpi403) {
  const Experiment experiment = infiniband();
  const auto algorithm_of = [&](const std::string& row) {
    return choose_rows(experiment, {row}).front()->needs.front().overrides.back();
  };
  EXPECT_EQ(algorithm_of("IB-09.8192"), "collectives.allreduce=recursive-doubling");
  EXPECT_EQ(algorithm_of("IB-09.16384"), "collectives.allreduce=ring");
  EXPECT_EQ(algorithm_of("IB-10.512"), "collectives.allgather=recursive-doubling");
  EXPECT_EQ(algorithm_of("IB-10.1024"), "collectives.allgather=neighbor-exchange");
  EXPECT_EQ(algorithm_of("IB-11.128"), "collectives.alltoall=bruck");
  EXPECT_EQ(algorithm_of("IB-11.256"), "collectives.alltoall=linear");
  EXPECT_EQ(algorithm_of("IB-11.4096"), "collectives.alltoall=pairwise");
}

TEST(InfiniBandTables, TwoPairsHaveTwiceTheRateOfOneUntilTheLinkIsFull) {
  const double one = ours("IB-04", 8);
  EXPECT_NEAR(ours("IB-05", 8) / one, 2, 0.05);
  // 4,096 B of payload and 26 B of headers a packet: 100 Gb/s are 12,421 MB/s.
  EXPECT_LT(ours("IB-08", 65536) * 65536, 12'422);
  EXPECT_GT(ours("IB-08", 65536) * 65536, 12'422 * 0.97);
}

TEST(InfiniBandTables, BothWaysAtOnceAreFasterThanOneWay) {
  EXPECT_GT(ours("IB-03", 1 << 20), 1.5 * ours("IB-02", 1 << 20));
  EXPECT_LT(ours("IB-03", 1 << 20), 2 * ours("IB-02", 1 << 20) * 1.01);
}

TEST(InfiniBandTables, ACollectiveOfMoreTakesLonger) {
  for (const char* id : {"IB-09", "IB-10", "IB-11"}) EXPECT_LT(ours(id, 4), ours(id, 4096)) << id;
}

}  // namespace
}  // namespace morgana
