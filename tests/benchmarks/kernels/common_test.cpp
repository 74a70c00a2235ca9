#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "benchmarks/kernels/common/collectives.h"
#include "benchmarks/kernels/common/nas_random.h"
#include "benchmarks/kernels/common/report.h"
#include "benchmarks/kernels/common/split.h"
#include "tests/benchmarks/kernels/thread_team.h"

namespace morgana::kernels::test {
namespace {

TEST(NasRandom, IsPowersOfFiveToTheThirteenth) {
  // With seed 1 the numbers are a, a^2, ... mod 2^46.
  NasRandom random(1);
  EXPECT_EQ(random.next(), 1220703125.0 * 0x1p-46);
  const std::uint64_t square = (1220703125ULL * 1220703125ULL) % (1ULL << 46);
  EXPECT_EQ(random.next(), static_cast<double>(square) * 0x1p-46);
}

TEST(NasRandom, SkipsAsIfTheNumbersHadBeenDrawn) {
  for (const unsigned count : {0U, 1U, 2U, 7U, 1000U}) {
    NasRandom drawn(314159265), skipped(314159265);
    for (unsigned i = 0; i < count; ++i) drawn.next();
    skipped.skip(count);
    EXPECT_EQ(drawn.next(), skipped.next()) << count;
  }
}

TEST(Shares, CoverEverythingOnceAndDifferByOneAtMost) {
  for (const int parts : {1, 2, 3, 5, 8, 16}) {
    for (const int count : {0, 1, 7, 64, 1400}) {
      int next = 0;
      for (int part = 0; part < parts; ++part) {
        const Interval share = share_of(part, parts, count);
        EXPECT_EQ(share.begin, next);
        EXPECT_GE(share.size(), count / parts);
        EXPECT_LE(share.size(), count / parts + 1);
        next = share.end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(WorkerGrid, IsTheMostNearlySquareRectangle) {
  const auto sides = [](int workers) {
    const WorkerGrid grid = WorkerGrid::of(workers);
    return std::pair(grid.rows, grid.columns);
  };
  EXPECT_EQ(sides(1), std::pair(1, 1));
  EXPECT_EQ(sides(4), std::pair(2, 2));
  EXPECT_EQ(sides(5), std::pair(1, 5));
  EXPECT_EQ(sides(8), std::pair(2, 4));
  EXPECT_EQ(sides(12), std::pair(3, 4));
}

class Collectives : public testing::TestWithParam<int> {};

TEST_P(Collectives, SumToFirstGivesTheSum) {
  const int workers = GetParam();
  EXPECT_TRUE(run_threads(workers, [&](Team& team) {
    double values[2] = {team.rank() + 1.0, 100.0};
    sum_to_first(team, values);
    if (!team.first()) return;
    EXPECT_EQ(values[0], workers * (workers + 1) / 2);
    EXPECT_EQ(values[1], 100.0 * workers);
  }));
}

TEST_P(Collectives, GreatestToFirstFindsItWhereverItIs) {
  const int workers = GetParam();
  for (int holder = 0; holder < workers; ++holder) {
    run_threads(workers, [&](Team& team) {
      double value = team.rank() == holder ? 7.0 : 1.0;
      greatest_to_first(team, value);
      if (team.first()) {
        EXPECT_EQ(value, 7.0);
      }
    });
  }
}

TEST_P(Collectives, SumToAllGivesAllTheSameBits) {
  const int workers = GetParam();
  std::vector<double> sums(static_cast<std::size_t>(workers));
  EXPECT_TRUE(run_threads(workers, [&](Team& team) {
    double value = 1.0 / (team.rank() + 3);
    sum_to_all(team, std::span(&value, 1));
    sums[static_cast<std::size_t>(team.rank())] = value;
  }));
  double expected = 0.0;
  for (int rank = 0; rank < workers; ++rank) expected += 1.0 / (rank + 3);
  EXPECT_NEAR(sums[0], expected, 1e-14);
  EXPECT_THAT(sums, testing::Each(sums[0]));
}

TEST_P(Collectives, GatherToAllGivesAllEveryPiece) {
  const int workers = GetParam();
  // Pieces of different lengths, one of them empty.
  std::vector<int> starts{0};
  for (int rank = 0; rank < workers; ++rank) starts.push_back(starts.back() + (rank == 1 ? 0 : rank + 1));
  std::vector<double> expected(static_cast<std::size_t>(starts.back()));
  std::iota(expected.begin(), expected.end(), 0.0);
  EXPECT_TRUE(run_threads(workers, [&](Team& team) {
    std::vector<double> values(expected.size(), -1.0);
    const auto rank = static_cast<std::size_t>(team.rank());
    for (int i = starts[rank]; i < starts[rank + 1]; ++i) values[static_cast<std::size_t>(i)] = i;
    gather_to_all(team, values, starts);
    EXPECT_EQ(values, expected);
  }));
}

TEST_P(Collectives, TrafficOfAllIsWhatAllHaveSent) {
  const int workers = GetParam();
  run_threads(workers, [&](Team& team) {
    const std::vector<float> values(static_cast<std::size_t>(team.rank()) + 1);
    const int next = (team.rank() + 1) % team.size();
    team.send(next, 1, values);
    std::vector<float> received(static_cast<std::size_t>((team.rank() - 1 + workers) % workers) + 1);
    team.receive((team.rank() - 1 + workers) % workers, 1, received);
    const Traffic traffic = traffic_of_all(team);
    if (!team.first()) return;
    EXPECT_EQ(traffic.messages(), workers);
    EXPECT_EQ(traffic.bytes(), 4 * workers * (workers + 1) / 2);
  });
}

INSTANTIATE_TEST_SUITE_P(Among, Collectives, testing::Values(1, 2, 3, 4, 5, 7, 8, 16));

TEST(Traffic, KnowsMeanAndMedian) {
  Traffic traffic;
  EXPECT_EQ(traffic.mean(), 0.0);
  EXPECT_EQ(traffic.median(), 0.0);
  traffic.add(8, 2);
  traffic.add(100);
  EXPECT_EQ(traffic.mean(), 116.0 / 3.0);
  EXPECT_EQ(traffic.median(), 8.0);
  traffic.add(200);
  EXPECT_EQ(traffic.median(), 54.0) << "the mean of the two in the middle";
}

}  // namespace
}  // namespace morgana::kernels::test
