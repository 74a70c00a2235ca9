#include "runs/collective_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace morgana {
namespace {

using Collective = MeasuredCollective;

SimTime time_on_example(Collective collective, std::size_t ranks, std::int64_t bytes,
                        const std::string& algorithm) {
  return CollectiveTimer(Platform::load("loggp-example"), CollectiveLibrary::mpich, {collective, ranks})
      .time(Bytes(bytes), {algorithm})
      .time;
}

constexpr SimTime ns_of(std::int64_t count) {
  return SimTime::from_ps(1000 * count);
}

// loggp-example: 1 us on either side, 5 us of latency and 1 ns for each byte but the first: a message of k
// bytes takes 7 us + (k - 1) ns.
TEST(CollectiveTimer, IsThatOfTheAlgorithmsMessages) {
  EXPECT_EQ(time_on_example(Collective::broadcast, 2, 1000, "binomial"), ns_of(7'999));
  // Two rounds: rank 0 to 2, then 0 to 1 and 2 to 3.
  EXPECT_EQ(time_on_example(Collective::broadcast, 4, 1000, "binomial"), ns_of(2 * 7'999));
  // A copy of the rank's own block at 0.1 ns/B, then three rounds around the ring, of a block of 1,000 B
  // each.
  EXPECT_EQ(time_on_example(Collective::all_gather, 4, 4000, "ring"), ns_of(100 + 3 * 7'999));
  // The same copy, of the buffer, then two rounds with all of it.
  EXPECT_EQ(time_on_example(Collective::all_reduce, 4, 1000, "recursive-doubling"), ns_of(100 + 2 * 7'999));
}

TEST(CollectiveTimer, IsThatOfOpenMpisAlgorithms) {
  const auto time_of = [](Collective collective, std::size_t ranks, std::int64_t bytes,
                          const std::string& algorithm) {
    return CollectiveTimer(Platform::load("loggp-example"), CollectiveLibrary::openmpi, {collective, ranks})
        .time(Bytes(bytes), {algorithm})
        .time;
  };
  // From rank to rank.
  EXPECT_EQ(time_of(Collective::broadcast, 4, 1000, "pipeline"), ns_of(3 * 7'999));
  EXPECT_EQ(time_of(Collective::reduce, 4, 1000, "pipeline"), ns_of(3 * 7'999));
  // The operand is copied first; the result of ranks 0 and 3 is copied back from the temporary buffer.
  EXPECT_EQ(time_of(Collective::all_reduce, 4, 1000, "recursive-doubling"), ns_of(100 + 2 * 7'999 + 100));
  // Blocks of 1,000 B twice around the ring.
  EXPECT_EQ(time_of(Collective::all_reduce, 4, 4000, "ring"), ns_of(400 + 6 * 7'999));
  // Halves of 2,000 B and 1,000 B, and back.
  EXPECT_EQ(time_of(Collective::all_reduce, 4, 4000, "rabenseifner"), ns_of(400 + 2 * (8'999 + 7'999)));
  // One block of 1,000 B with one neighbour, then two with the other.
  EXPECT_EQ(time_of(Collective::all_gather, 4, 4000, "neighbor-exchange"), ns_of(100 + 7'999 + 8'999));
  // The own block is copied last.
  EXPECT_EQ(time_of(Collective::all_to_all, 3, 3000, "pairwise"), ns_of(2 * 7'999 + 100));
}

TEST(CollectiveTimer, ChoosesAsTheLibraryDoes) {
  const auto chosen = [](CollectiveLibrary library) {
    return CollectiveTimer(Platform::load("loggp-example"), library, {Collective::all_reduce, 4})
        .carried_out_by(Bytes(8192), {});
  };
  EXPECT_EQ(chosen(CollectiveLibrary::openmpi), "rabenseifner");
  EXPECT_EQ(chosen(CollectiveLibrary::mpich), "reduce-scatter-allgather");
  EXPECT_EQ(chosen(CollectiveLibrary::automatic), "reduce-scatter-allgather");
}

TEST(CollectiveTimer, SaysBandwidthsAsNcclTestsDo) {
  const CollectiveTime measured =
      CollectiveTimer(Platform::load("loggp-example"), CollectiveLibrary::mpich, {Collective::all_gather, 4})
          .time(Bytes(4000), {"ring"});
  EXPECT_DOUBLE_EQ(measured.algorithm_bandwidth, 4000 / 24.097e-6);
  EXPECT_DOUBLE_EQ(measured.bus_bandwidth, measured.algorithm_bandwidth * 0.75);
}

// What auto chooses is not run again: a run of NCCL's graph says how far it has come.
TEST(CollectiveTimer, RunsWhatIsCarriedOutAlikeOnce) {
  const CollectiveTimer timer(Platform::load("dgx-a100"), CollectiveLibrary::nccl,
                              {Collective::all_reduce, 8});
  int reports = 0;
  const auto count = [&](double) { ++reports; };
  const Bytes bytes(64 << 20);
  const CollectiveTime ring = timer.time(bytes, {"ring", "simple"}, count);
  EXPECT_GT(std::exchange(reports, 0), 0);
  EXPECT_EQ(timer.carried_out_by(bytes, {}), ring.carried_out_by);
  EXPECT_EQ(timer.time(bytes, {}, count).time, ring.time);
  EXPECT_EQ(reports, 0);
  EXPECT_NE(timer.time(bytes, {"tree", "simple"}, count).time, ring.time);
  EXPECT_GT(reports, 0);
}

// Only what is named is cut, though it is what auto chooses.
TEST(CollectiveTimer, OpenMpisNamedAlgorithmsAreCutAndItsChoiceIsNot) {
  const std::vector<std::string> cut{"collectives.segment=200 B"};
  const auto timer = [&cut] {
    return CollectiveTimer(Platform::load("loggp-example", cut), CollectiveLibrary::openmpi,
                           {Collective::broadcast, 7});
  };
  const Bytes bytes(2000);
  const CollectiveTimer both = timer();
  const CollectiveTime chosen = both.time(bytes, {}), named = both.time(bytes, {"binary"});
  EXPECT_EQ(chosen.carried_out_by, "binary");
  EXPECT_EQ(named.carried_out_by, "binary");
  EXPECT_EQ(named.time, timer().time(bytes, {"binary"}).time);
  EXPECT_NE(named.time, chosen.time);
}

TEST(CollectiveTimer, LeavesTheChoiceToTheLibrary) {
  // MPICH: recursive doubling below 524,288 B with a power of two of ranks.
  EXPECT_EQ(time_on_example(Collective::all_gather, 4, 4000, "auto"),
            time_on_example(Collective::all_gather, 4, 4000, "recursive-doubling"));
  EXPECT_LT(time_on_example(Collective::all_gather, 4, 4000, "auto"),
            time_on_example(Collective::all_gather, 4, 4000, "ring"));
}

// MPICH 4.0's table: 524,288 B are no longer short; and it falls back on its own choice where what is asked
// for can't carry out the collective (a part for each of 4 ranks of a single element).
TEST(CollectiveTimer, NamesTheAlgorithmThatCarriedItOut) {
  const auto by = [](Collective collective, std::size_t ranks, std::int64_t bytes, const char* asked) {
    return CollectiveTimer(Platform::load("loggp-example"), CollectiveLibrary::mpich, {collective, ranks})
        .time(Bytes(bytes), {asked})
        .carried_out_by;
  };
  EXPECT_EQ(by(Collective::all_gather, 4, 524'272, "auto"), "recursive-doubling");
  EXPECT_EQ(by(Collective::all_gather, 4, 524'288, "auto"), "ring");
  EXPECT_EQ(by(Collective::all_gather, 3, 81'900, "auto"), "bruck");
  EXPECT_EQ(by(Collective::all_gather, 4, 4'000, "ring"), "ring");
  EXPECT_EQ(by(Collective::all_reduce, 4, 4, "reduce-scatter-allgather"), "recursive-doubling");
  EXPECT_EQ(by(Collective::all_reduce, 4, 16, "reduce-scatter-allgather"), "reduce-scatter-allgather");
}

TEST(CollectiveTimer, ATunersLineStandsForNcclsChoice) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("tuner.csv",
                                        "allreduce,0,65536,tree,simple,-1,-1,-1\n"
                                        "allreduce,65537,1048576,ring,ll128,1,2,16\n");
  const auto time_on = [](const std::vector<std::string>& overrides, std::int64_t bytes,
                          const CollectiveTimer::How& how) {
    return CollectiveTimer(Platform::load("dgx-a100", overrides), CollectiveLibrary::nccl,
                           {Collective::all_reduce, 16})
        .time(Bytes(bytes), how);
  };
  const std::vector<std::string> tuned{"collectives.tuner=" + file};
  const CollectiveTime tree = time_on(tuned, 65'536, {}), ring = time_on(tuned, 65'600, {});
  EXPECT_EQ(tree.carried_out_by, "tree simple (tuner, line 1)");
  EXPECT_EQ(tree.time, time_on({}, 65'536, {"tree", "simple"}).time);
  EXPECT_EQ(ring.carried_out_by, "ring ll128 (tuner, line 2)");
  EXPECT_EQ(ring.time, time_on({"nccl.channels=1 channels"}, 65'600, {"ring", "ll128"}).time);
  EXPECT_NE(ring.time, time_on({}, 65'600, {"ring", "ll128"}).time);
  // Beyond the table, and where an algorithm is asked for, NCCL's model decides.
  EXPECT_EQ(time_on(tuned, 1'048'592, {}).time, time_on({}, 1'048'592, {}).time);
  EXPECT_EQ(time_on(tuned, 65'536, {"ring"}).carried_out_by, time_on({}, 65'536, {"ring"}).carried_out_by);
}

TEST(CollectiveTimer, ATunerThatCanNotBeUsedIsNamed) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("tuner.csv", "allreduce,0,1,ring,ll\n");
  const auto refusal = [&](const std::string& name, CollectiveLibrary library) {
    try {
      const std::vector<std::string> tuned{"collectives.tuner=" + name};
      CollectiveTimer(Platform::load("dgx-a100", tuned), library, {Collective::all_reduce, 8});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("it was taken");
  };
  expect_message(refusal(file, CollectiveLibrary::nccl), "tuner.csv:1: 5 fields");
  expect_message(refusal(file + ".none", CollectiveLibrary::nccl), {"collectives.tuner", "tuner.csv.none"});
  folder.write("tuner.csv", "allreduce,0,1,ring,ll,-1,-1,-1\n");
  expect_message(refusal(file, CollectiveLibrary::mpich), "MPICH");
}

TEST(CollectiveTimer, RefusesAlgorithmsThatThereAreNot) {
  try {
    time_on_example(Collective::all_reduce, 4, 1000, "tree");
    FAIL() << "there is one";
  } catch (const Error& error) {
    expect_message(error.what(),
                   {"\"tree\" for allreduce", "\"auto\"", "NCCL (--library nccl)", "\"ring\", \"tree\""});
  }
}

// What dgx-h100 took when each node of a ring was stored, before they were computed from their numbers: a
// change of the schedule shows, which a comparison of both forms of one source can't. Other parameters of the
// platform are other times; take them anew then, from a version with these parameters alone changed.
TEST(CollectiveTimer, OfNcclsRingsIsThatOfStoredNodes) {
  struct Case {
    Collective collective;
    std::size_t ranks;
    std::int64_t bytes;
    const char* protocol;
    std::int64_t ps;
  };
  for (const Case& one : {Case{Collective::all_reduce, 16, 1'000'000, "simple", 390'283'000},
                          Case{Collective::all_gather, 16, 1 << 20, "ll128", 55'702'063},
                          Case{Collective::reduce_scatter, 8, 1 << 16, "ll", 11'206'784},
                          Case{Collective::broadcast, 16, 4 << 20, "simple", 137'793'782},
                          Case{Collective::all_reduce, 16, 100'000'000, "ll128", 565'642'099},
                          Case{Collective::reduce, 8, 12'344, "ll", 11'412'955}}) {
    SCOPED_TRACE(std::to_string(one.bytes) + " " + one.protocol);
    EXPECT_EQ(
        CollectiveTimer(Platform::load("dgx-h100"), CollectiveLibrary::nccl, {one.collective, one.ranks})
            .time(Bytes(one.bytes), {"ring", one.protocol})
            .time,
        SimTime::from_ps(one.ps));
  }
}

}  // namespace
}  // namespace morgana
