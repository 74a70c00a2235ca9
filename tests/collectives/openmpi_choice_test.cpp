#include <gmock/gmock.h>

#include "emulator/collectives/algorithm_choice.h"
#include "emulator/core/error.h"
#include "tests/collectives/openmpi_volume.h"
#include "tests/support/messages.h"

// Which algorithm Open MPI 4.1.4 takes: rows of coll_tuned_decision_fixed.c on both sides of their limits,
// and the selection of libnbc.
namespace morgana::schedule_tests {
namespace {

std::string_view openmpis(Kind kind, std::int32_t members, std::int64_t bytes, bool commutative = true) {
  const Parts parts = equal_parts({kind, members, 0, false, true, commutative}, Bytes(bytes));
  return algorithm_of(parts[0], members, tuning_of(kind, {}));
}

struct TuneRow {
  Kind kind;
  std::int32_t members;
  std::int64_t limit;  ///< the first size of `from`
  const char* below;
  const char* from;
  bool commutative = true;
};

const std::vector<TuneRow> tuned_rows{
    {Kind::allreduce, 2, 8, "ring", "recursive-doubling"},
    {Kind::allreduce, 3, 4096, "recursive-doubling", "ring"},
    {Kind::allreduce, 3, 65536, "ring", "segmented-ring"},
    {Kind::allreduce, 3, 262144, "segmented-ring", "rabenseifner"},
    {Kind::allreduce, 4, 16, "ring", "recursive-doubling"},
    {Kind::allreduce, 7, 8192, "recursive-doubling", "rabenseifner"},
    {Kind::allreduce, 16, 64, "segmented-ring", "recursive-doubling"},
    {Kind::allreduce, 32, 128, "segmented-ring", "rabenseifner"},
    {Kind::allreduce, 127, 262144, "recursive-doubling", "rabenseifner"},
    {Kind::allreduce, 128, 131072, "nonoverlapping", "recursive-doubling"},
    {Kind::allreduce, 3, 131072, "recursive-doubling", "linear", false},
    {Kind::allreduce, 15, 1048576, "recursive-doubling", "nonoverlapping", false},
    {Kind::broadcast, 2, 32, "pipeline", "binary"},
    {Kind::broadcast, 3, 512, "pipeline", "knomial"},
    {Kind::broadcast, 3, 131072, "binary", "chain"},
    {Kind::broadcast, 7, 8192, "binomial", "linear"},
    {Kind::broadcast, 4, 1048576, "linear", "chain"},
    {Kind::broadcast, 15, 8, "knomial", "binary"},
    {Kind::broadcast, 31, 1048576, "binomial", "scatter-allgather"},
    {Kind::broadcast, 32, 2048, "binomial", "knomial"},
    {Kind::broadcast, 255, 65536, "binary", "knomial"},
    {Kind::broadcast, 1023, 16384, "knomial", "split-binary"},
    {Kind::reduce, 2, 8, "rabenseifner", "binary"},
    {Kind::reduce, 3, 32, "pipeline", "linear"},
    {Kind::reduce, 3, 524288, "pipeline", "chain"},
    {Kind::reduce, 7, 4096, "binary", "chain"},
    {Kind::reduce, 8, 8192, "binary", "binomial"},
    {Kind::reduce, 256, 16384, "in-order-binary", "binomial"},
    {Kind::reduce, 3, 8, "in-order-binary", "linear", false},
    {Kind::reduce, 15, 262144, "linear", "in-order-binary", false},
    {Kind::allgather, 32, 1024, "recursive-doubling", "neighbor-exchange"},
    {Kind::allgather, 63, 65536, "neighbor-exchange", "ring"},
    {Kind::allgather, 256, 128, "bruck", "recursive-doubling"},
    {Kind::allgatherv, 2, 2048, "ring", "two-proc"},
    {Kind::allgatherv, 7, 256, "linear", "neighbor-exchange"},
    {Kind::allgatherv, 8, 1024, "linear", "bruck"},
    {Kind::allgatherv, 31, 262144, "bruck", "ring"},
    {Kind::alltoall, 2, 4, "two-proc", "pairwise"},
    {Kind::alltoall, 2, 32768, "pairwise", "linear-sync"},
    {Kind::alltoall, 3, 8192, "linear-sync", "linear"},
    {Kind::alltoall, 8, 262144, "linear-sync", "linear"},
    {Kind::alltoall, 31, 512, "bruck", "linear-sync"},
    {Kind::alltoall, 64, 262144, "linear", "pairwise"},
    {Kind::gather, 3, 4, "linear", "binomial"},
    {Kind::gather, 7, 262144, "linear", "linear-sync"},
    {Kind::gather, 300, 8192, "linear", "binomial"},
    {Kind::scatter, 3, 2, "linear-nonblocking", "linear"},
    {Kind::scatter, 4, 2048, "binomial", "linear"},
    {Kind::scatter, 64, 512, "binomial", "linear-nonblocking"},
    {Kind::reduce_scatter_block, 3, 131072, "butterfly", "nonoverlapping"},
    {Kind::reduce_scatter_block, 7, 32, "recursive-doubling", "butterfly"},
    {Kind::reduce_scatter_block, 32, 65536, "butterfly", "nonoverlapping"},
};

TEST(OpenMpiChoice, FollowsTheRowsOfItsTables) {
  for (const TuneRow& row : tuned_rows) {
    SCOPED_TRACE(testing::Message() << row.members << " members, " << row.limit << " bytes: " << row.below
                                    << ", " << row.from);
    EXPECT_EQ(openmpis(row.kind, row.members, row.limit - 1, row.commutative), row.below);
    EXPECT_EQ(openmpis(row.kind, row.members, row.limit, row.commutative), row.from);
  }
}

TEST(OpenMpiChoice, GoesByTheSumOfAReduceScatter) {
  // 8 members: recursive halving below 262144 bytes of all blocks.
  EXPECT_EQ(openmpis(Kind::reduce_scatter, 8, 262144 / 8 - 1), "recursive-halving");
  EXPECT_EQ(openmpis(Kind::reduce_scatter, 8, 262144 / 8), "ring");
  EXPECT_EQ(openmpis(Kind::reduce_scatter, 8, 1, false), "nonoverlapping");
}

TEST(OpenMpiChoice, GoesByTheMeanOfAnAllgatherv) {
  // 4 members with 1023 bytes: 255 each, rounded down; 256 with one more.
  Parts parts = equal_parts({Kind::allgatherv, 4}, Bytes());
  parts[0].receive_sizes = {Bytes(1000), Bytes(), Bytes(), Bytes(23)};
  EXPECT_EQ(algorithm_of(parts[0], 4, tuning_of(Kind::allgatherv, {})), "linear");
  parts[0].receive_sizes.back() += Bytes(1);
  EXPECT_EQ(algorithm_of(parts[0], 4, tuning_of(Kind::allgatherv, {})), "neighbor-exchange");
}

// Which MPI says to ignore there, and which programs usually give as 0.
TEST(OpenMpiChoice, OfAnAllgatherInPlaceGoesByTheSendCount) {
  Parts parts = equal_parts({Kind::allgather, 32, 0, true}, Bytes(65536));
  EXPECT_EQ(algorithm_of(parts[0], 32, tuning_of(Kind::allgather, {})), "recursive-doubling");
  parts[0].send_sizes = {Bytes(65536)};
  EXPECT_EQ(algorithm_of(parts[0], 32, tuning_of(Kind::allgather, {})), "ring");
}

TEST(OpenMpiChoice, OfBarriersGoesByMembers) {
  const std::vector<std::pair<std::int32_t, const char*>> from{{2, "recursive-doubling"},
                                                               {3, "recursive-doubling"},
                                                               {4, "linear"},
                                                               {7, "linear"},
                                                               {8, "recursive-doubling"},
                                                               {63, "recursive-doubling"},
                                                               {64, "bruck"},
                                                               {255, "bruck"},
                                                               {256, "tree"},
                                                               {511, "tree"},
                                                               {512, "bruck"},
                                                               {1023, "bruck"},
                                                               {1024, "tree"},
                                                               {4095, "tree"},
                                                               {4096, "bruck"}};
  for (const auto& [members, algorithm] : from) EXPECT_EQ(openmpis(Kind::barrier, members, 0), algorithm);
}

TEST(OpenMpiChoice, OfAlltoallvGoesByMembers) {
  const std::vector<std::pair<std::int32_t, const char*>> from{
      {2, "pairwise"},   {3, "pairwise"}, {4, "linear"},     {63, "linear"},     {64, "pairwise"},
      {127, "pairwise"}, {128, "linear"}, {256, "pairwise"}, {1023, "pairwise"}, {1024, "linear"}};
  for (const auto& [members, algorithm] : from) EXPECT_EQ(openmpis(Kind::alltoallv, members, 9), algorithm);
}

TEST(OpenMpiChoice, IsLinearWhereTunedHasNothing) {
  for (const Kind kind : {Kind::gatherv, Kind::scatterv, Kind::alltoallw, Kind::scan, Kind::exscan})
    EXPECT_EQ(openmpis(kind, 9, 100'000), "linear");
  EXPECT_EQ(openmpis(Kind::create_context, 9, 0), "next-number");
}

TEST(OpenMpiChoice, OfNonblockingFormsIsLibnbcs) {
  const auto messages = [](Kind kind, std::int32_t members, std::int64_t bytes) {
    return total_messages(run({kind, members, 0, false, false}, OpenMpi{}, Bytes(bytes), Bytes(8)));
  };
  // Broadcasts: everyone from the root up to 4 members, a tree from 5 on.
  const auto first_of = [](std::int32_t members) {
    return schedules_of(equal_parts({Kind::broadcast, members, 0, false, false}, Bytes(8)),
                        tuning_of(Kind::broadcast, {}))[0]
        .size();
  };
  EXPECT_EQ(first_of(4), 3U);
  EXPECT_EQ(first_of(5), 3U);  // members 1, 2 and 4
  EXPECT_EQ(first_of(9), 4U);
  // Allreduce: binomial trees below 65536 bytes or 4 members, else Rabenseifner's.
  EXPECT_EQ(messages(Kind::allreduce, 4, 65528), 6);
  EXPECT_EQ(messages(Kind::allreduce, 4, 65536), 16);
  EXPECT_EQ(messages(Kind::allreduce, 3, 65536), 4);
  // Reduce: Rabenseifner's from 3 members on, with an element for each of the power of two.
  EXPECT_EQ(messages(Kind::reduce, 4, 32), 8 + 3);
  EXPECT_EQ(messages(Kind::reduce, 4, 24), 3);
  EXPECT_EQ(messages(Kind::reduce, 2, 65528), 1);
  EXPECT_EQ(messages(Kind::reduce, 2, 65536), 8);
}

TEST(OpenMpiChoice, IsMpichsBetweenGroupsAndAlone) {
  for (int kind = 0; kind < static_cast<int>(Kind::create_context); ++kind) {
    const Parts alone = equal_parts({static_cast<Kind>(kind), 1}, Bytes(64), Bytes(8));
    EXPECT_EQ(schedules_of(alone, tuning_of(static_cast<Kind>(kind), {})), schedules_of(alone));
  }
  Parts between = equal_parts({Kind::allreduce, 5}, Bytes(64), Bytes(8));
  for (CollectivePart& part : between) part.first_group = 2;
  EXPECT_EQ(schedules_of(between, tuning_of(Kind::allreduce, {})), schedules_of(between));
}

TEST(OpenMpiChoice, GivesWayWhereTheNamedAlgorithmCanNotBeUsed) {
  const auto gives_way = [](const Parts& parts, std::string_view algorithm) {
    return schedules_of(parts, tuning_of(parts[0].kind, {algorithm})) ==
           schedules_of(parts, tuning_of(parts[0].kind, {}));
  };
  EXPECT_TRUE(gives_way(equal_parts({Kind::allgather, 5}, Bytes(8)), "two-proc"));
  EXPECT_TRUE(gives_way(equal_parts({Kind::alltoall, 5, 0, true}, Bytes(8)), "bruck"));
  EXPECT_TRUE(gives_way(equal_parts({Kind::reduce, 5, 0, false, true, false}, Bytes(8)), "binary"));
  EXPECT_FALSE(gives_way(equal_parts({Kind::reduce, 5}, Bytes(80000)), "binary"));
}

TEST(AlgorithmNames, OfBothLibrariesMeanTheTunedLibrarys) {
  const Parts parts = equal_parts({Kind::broadcast, 8}, Bytes(100));
  const auto root_of = [&](CollectiveLibrary library, std::string_view algorithm) {
    CollectiveTuning tuning = tuned(Kind::broadcast, algorithm);
    tuning.library = library;
    return schedules_of(parts, tuning)[0];
  };
  // MPICH sends to one child after the other, the far ones first; Open MPI to all at once.
  EXPECT_EQ(root_of(CollectiveLibrary::mpich, "binomial").front().peer, 4);
  EXPECT_EQ(root_of(CollectiveLibrary::automatic, "binomial").front().peer, 4);
  EXPECT_EQ(root_of(CollectiveLibrary::openmpi, "binomial").front().peer, 1);
  // A name that only one of them has means that one's.
  EXPECT_EQ(root_of(CollectiveLibrary::mpich, "knomial"), root_of(CollectiveLibrary::openmpi, "knomial"));
  EXPECT_EQ(root_of(CollectiveLibrary::mpich, "scatter-ring-allgather"),
            root_of(CollectiveLibrary::openmpi, "scatter-ring-allgather"));
}

TEST(AlgorithmNames, ThatDoNotExistAreAnsweredByThoseOfBothLibraries) {
  try {
    check(tuning_of(Kind::allreduce, {"magic"}));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    expect_message(error.what(),
                   {"\"magic\"", "allreduce", "MPICH's \"recursive-doubling\", \"reduce-scatter-allgather\"",
                    "Open MPI's \"linear\", \"nonoverlapping\""});
  }
}

TEST(CollectiveTuning, SettlesWhatIsAutomaticByTheProgram) {
  const auto settled = [](CollectiveLibrary library, bool built_for_openmpi) {
    CollectiveTuning tuning;
    tuning.library = library;
    tuning.settle(built_for_openmpi);
    return tuning.library;
  };
  using Library = CollectiveLibrary;
  EXPECT_EQ(settled(Library::automatic, true), Library::openmpi);
  EXPECT_EQ(settled(Library::automatic, false), Library::mpich);
  EXPECT_EQ(settled(Library::nccl, true), Library::openmpi);
  EXPECT_EQ(settled(Library::mpich, true), Library::mpich);
  EXPECT_EQ(settled(Library::openmpi, false), Library::openmpi);
}

// 16 members of elements of 4 B: coll_base_allreduce.c's rings call recursive doubling below 16 elements, and
// a message that is not cut is no segmented ring.
TEST(OpenMpiChoice, SaysWhatAFunctionDoesInFact) {
  const auto text = [](std::int32_t members, std::int64_t bytes, bool commutative = true) {
    const Parts parts = equal_parts({Kind::allreduce, members, 0, false, true, commutative}, Bytes(bytes));
    return algorithm_text(parts[0], members, tuning_of(Kind::allreduce, {}));
  };
  EXPECT_EQ(text(16, 8), "segmented-ring as recursive-doubling");
  EXPECT_EQ(text(3, 65536), "segmented-ring as ring");
  EXPECT_EQ(text(3, 4096), "ring");
  EXPECT_EQ(text(16, 64), "recursive-doubling");
}

}  // namespace
}  // namespace morgana::schedule_tests
