#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "emulator/collectives/algorithm_choice.h"
#include "emulator/core/error.h"
#include "emulator/operations/collective_names.h"
#include "tests/collectives/schedule_cases.h"
#include "tests/support/messages.h"

// Which algorithm MPICH 4.0 takes, on both sides of every limit of its selection table.
namespace morgana::schedule_tests {
namespace {

using Kind = CollectiveKind;

struct Limit {
  const char* what;
  Shape shape;
  std::int64_t last_before;  ///< bytes of the largest block for which `before` is taken
  std::int64_t step;         ///< to the first for which `after` is
  const char* before;
  const char* after;
  std::int64_t element = 1;
};

constexpr Shape blocking(Kind kind, std::int32_t members) {
  return {kind, members};
}
constexpr Shape nonblocking(Kind kind, std::int32_t members) {
  return {kind, members, 0, false, false};
}
constexpr Shape noncommutative(Kind kind, std::int32_t members) {
  return {kind, members, 0, false, true, false};
}

const std::vector<Limit> limits{
    {"ShortBroadcastPower", blocking(Kind::broadcast, 8), 12288, 1, "binomial",
     "scatter-recursive-doubling-allgather"},
    {"ShortBroadcast", blocking(Kind::broadcast, 9), 12288, 1, "binomial", "scatter-ring-allgather"},
    {"MediumBroadcast", blocking(Kind::broadcast, 16), 524288, 1, "scatter-recursive-doubling-allgather",
     "scatter-ring-allgather"},
    {"ShortIbcastPower", nonblocking(Kind::broadcast, 8), 12287, 1, "binomial",
     "scatter-recursive-doubling-allgather"},
    {"ShortIbcast", nonblocking(Kind::broadcast, 9), 12287, 1, "binomial", "scatter-ring-allgather"},
    {"MediumIbcast", nonblocking(Kind::broadcast, 16), 524287, 1, "scatter-recursive-doubling-allgather",
     "scatter-ring-allgather"},
    {"AllgatherPower", blocking(Kind::allgather, 16), 524288 / 16 - 1, 1, "recursive-doubling", "ring"},
    {"Allgather", blocking(Kind::allgather, 10), 8191, 1, "bruck", "ring"},
    {"AllgathervPower", blocking(Kind::allgatherv, 16), 524288 / 16 - 1, 1, "recursive-doubling", "ring"},
    {"Allgatherv", nonblocking(Kind::allgatherv, 10), 8191, 1, "bruck", "ring"},
    {"ShortAlltoall", blocking(Kind::alltoall, 9), 256, 1, "bruck", "scattered"},
    {"ShortIalltoall", nonblocking(Kind::alltoall, 9), 2048, 1, "bruck", "scattered"},
    {"MediumAlltoall", blocking(Kind::alltoall, 9), 32768, 1, "scattered", "pairwise"},
    {"MediumAlltoallOfFew", blocking(Kind::alltoall, 7), 32768, 1, "scattered", "pairwise"},
    {"MediumIalltoall", nonblocking(Kind::alltoall, 9), 32768, 1, "scattered", "pairwise"},
    {"ShortReduce", blocking(Kind::reduce, 8), 2048, 8, "binomial", "reduce-scatter-gather", 8},
    {"ShortIreduce", nonblocking(Kind::reduce, 8), 2048, 8, "binomial", "reduce-scatter-gather", 8},
    {"FewElementsReduce", blocking(Kind::reduce, 20), 15 * 512, 512, "binomial", "reduce-scatter-gather",
     512},
    {"ShortAllreduce", blocking(Kind::allreduce, 8), 8, 1, "recursive-doubling", "reduce-scatter-allgather"},
    {"ShortIallreduce", nonblocking(Kind::allreduce, 8), 2048, 8, "recursive-doubling",
     "reduce-scatter-allgather", 8},
    {"FewElementsAllreduce", blocking(Kind::allreduce, 20), 15 * 8, 8, "recursive-doubling",
     "reduce-scatter-allgather", 8},
    {"ReduceScatter", blocking(Kind::reduce_scatter, 8), 524288 / 8 - 1, 1, "recursive-halving", "pairwise"},
    {"IreduceScatterBlockInElements", nonblocking(Kind::reduce_scatter_block, 8), 8 * (524288 / 8 - 1), 8,
     "recursive-halving", "pairwise", 8},
    {"ReduceScatterBlock", blocking(Kind::reduce_scatter_block, 8), 524288 / 8 - 1, 1, "recursive-halving",
     "pairwise"},
};

class Limits : public testing::TestWithParam<Limit> {};

TEST_P(Limits, SeparateTwoAlgorithms) {
  const Limit& limit = GetParam();
  const auto schedules = [&](std::int64_t bytes, const CollectiveTuning& tuning) {
    return schedules_of(equal_parts(limit.shape, Bytes(bytes), Bytes(limit.element)), tuning);
  };
  const auto before = tuned(limit.shape.kind, limit.before), after = tuned(limit.shape.kind, limit.after);
  const std::int64_t first_after = limit.last_before + limit.step;
  EXPECT_EQ(schedules(limit.last_before, {}), schedules(limit.last_before, before));
  EXPECT_EQ(schedules(first_after, {}), schedules(first_after, after));
  EXPECT_NE(schedules(first_after, before), schedules(first_after, after));
}

INSTANTIATE_TEST_SUITE_P(Of, Limits, testing::ValuesIn(limits),
                         [](const auto& limit) { return std::string(limit.param.what); });

void expect_choice(const Parts& parts, std::string_view algorithm, std::string_view other) {
  EXPECT_EQ(schedules_of(parts), schedules_of(parts, tuned(parts[0].kind, algorithm)));
  EXPECT_NE(schedules_of(parts), schedules_of(parts, tuned(parts[0].kind, other)));
}

TEST(Choice, OfABroadcastToFewIsAlwaysBinomial) {
  expect_choice(equal_parts(blocking(Kind::broadcast, 7), Bytes(1'000'000)), "binomial",
                "scatter-ring-allgather");
}

TEST(Choice, OfAnAlltoallAmongFewIsNeverBruck) {
  expect_choice(equal_parts(blocking(Kind::alltoall, 8), Bytes(8)), "scattered", "bruck");
}

TEST(Choice, OfAlltoallInPlaceReplacesPairwise) {
  for (const Kind kind : {Kind::alltoall, Kind::alltoallv, Kind::alltoallw}) {
    const Parts parts = equal_parts({kind, 9, 0, true}, Bytes(8));
    EXPECT_EQ(schedules_of(parts), schedules_of(parts, tuned(kind, "pairwise-replace")));
    EXPECT_EQ(schedules_of(parts), schedules_of(parts, tuned(kind, "scattered")));  // can't be in place
  }
}

TEST(Choice, OfReductionsOfOperandsThatDoNotCommuteNeverSplitsThem) {
  for (const Kind kind : {Kind::reduce, Kind::allreduce})
    for (const auto& schedule : schedules_of(equal_parts(noncommutative(kind, 8), Bytes(100'000))))
      for (const ScheduleStep& step : schedule)
        if (step.kind != ScheduleStep::Kind::fence) {
          EXPECT_EQ(step.bytes, Bytes(100'000));
        }
}

TEST(Choice, OfReduceScatterOfOperandsThatDoNotCommute) {
  for (const Kind kind : {Kind::reduce_scatter, Kind::reduce_scatter_block}) {
    expect_choice(equal_parts(noncommutative(kind, 8), Bytes(64)), "noncommutative", "recursive-doubling");
    const Parts not_a_power = equal_parts(noncommutative(kind, 9), Bytes(64));
    EXPECT_EQ(schedules_of(not_a_power), schedules_of(not_a_power, tuned(kind, "recursive-doubling")));
  }
  Parts unequal = equal_parts(noncommutative(Kind::reduce_scatter, 8), Bytes(64));
  for (CollectivePart& part : unequal) part.send_sizes[3] = Bytes(65);
  EXPECT_EQ(schedules_of(unequal), schedules_of(unequal, tuned(Kind::reduce_scatter, "recursive-doubling")));
}

TEST(Choice, FallsBackOnMpichWhereTheTunedAlgorithmCanNotBeUsed) {
  const auto expect_fallback = [](const Parts& parts, std::string_view algorithm) {
    EXPECT_EQ(schedules_of(parts), schedules_of(parts, tuned(parts[0].kind, algorithm)));
  };
  expect_fallback(equal_parts(blocking(Kind::allreduce, 8), Bytes(7)), "reduce-scatter-allgather");
  expect_fallback(equal_parts(noncommutative(Kind::reduce, 8), Bytes(9999)), "reduce-scatter-gather");
  expect_fallback(equal_parts(noncommutative(Kind::reduce_scatter, 8), Bytes(9999)), "pairwise");
  expect_fallback(equal_parts(blocking(Kind::reduce_scatter_block, 9), Bytes(99)), "noncommutative");
}

TEST(Choice, OfAContextIsThatOfAllreduce) {
  const Parts parts = equal_parts(blocking(Kind::create_context, 16), Bytes());
  EXPECT_NE(schedules_of(parts), schedules_of(parts, tuned(Kind::allreduce, "recursive-doubling")));
  EXPECT_EQ(schedules_of(parts), schedules_of(parts, tuned(Kind::create_context, "allreduce")));
}

TEST(AlgorithmChoices, CoverEveryKindAndAreNamedOnce) {
  std::set<std::string> names, kinds;
  for (const AlgorithmChoice& choice : algorithm_choices()) {
    EXPECT_TRUE(collective_named(choice.kind)) << choice.kind;
    EXPECT_FALSE(choice.description.empty() || choice.chosen_when.empty()) << choice.algorithm;
    EXPECT_TRUE(names
                    .insert(std::to_string(static_cast<int>(choice.library)) + " " +
                            std::string(choice.kind) + " " + std::string(choice.algorithm))
                    .second);
    kinds.emplace(choice.kind);
    EXPECT_NO_THROW(check(tuned(*collective_named(choice.kind), choice.algorithm)));
  }
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(Kind::create_context) + 1);
}

TEST(AlgorithmChoices, RejectAnAlgorithmThatDoesNotExistAndNameThoseThatDo) {
  const auto parts = equal_parts(blocking(Kind::allreduce, 4), Bytes(8));
  for (const auto& attempt :
       std::vector<std::function<void()>>{[&] { schedules_of(parts, tuned(Kind::allreduce, "magic")); },
                                          [&] { check(tuned(Kind::allreduce, "magic")); }}) {
    try {
      attempt();
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      expect_message(error.what(),
                     {"\"magic\"", "allreduce", "\"recursive-doubling\", \"reduce-scatter-allgather\""});
    }
  }
}

TEST(AlgorithmChoices, RejectACollectiveThatDoesNotExist) {
  CollectiveTuning tuning;
  tuning.algorithm["bcast"] = "binomial";
  EXPECT_THROW(check(tuning), Error);
}

TEST(CollectiveNames, AreReadBack) {
  for (int i = 0; i <= static_cast<int>(Kind::create_context); ++i)
    EXPECT_EQ(collective_named(name_of(static_cast<Kind>(i))), static_cast<Kind>(i));
  EXPECT_EQ(collective_named("bcast"), std::nullopt);
}

// What the user can get wrong, or a trace can say.

void expect_rejected(const CollectivePart& part, const char* what) {
  Schedule schedule;
  try {
    make_schedule(part, 4, 1, {}, schedule);
    ADD_FAILURE() << "accepted, though it should say: " << what;
  } catch (const Error& error) {
    expect_message(error.what(), {what, "member 1 of 4"});
  }
}

TEST(ScheduleArguments, NeedARootAmongTheMembers) {
  for (const Kind kind :
       {Kind::broadcast, Kind::gather, Kind::gatherv, Kind::scatter, Kind::scatterv, Kind::reduce}) {
    CollectivePart part;
    part.kind = kind;
    part.root = 4;
    expect_rejected(part, "root 4");
    part.root = -1;
    expect_rejected(part, "root -1");
  }
}

TEST(ScheduleArguments, NeedASizeForEveryMember) {
  for (const Kind kind : {Kind::allgatherv, Kind::alltoallv, Kind::alltoallw, Kind::reduce_scatter,
                          Kind::gatherv, Kind::scatterv}) {
    CollectivePart part;
    part.kind = kind;
    part.root = 1;
    part.send_sizes.resize(3);
    part.receive_sizes.resize(3);
    expect_rejected(part, "4 are needed");
  }
}

TEST(ScheduleArguments, NeedASizeForEveryNeighbour) {
  CollectivePart part;
  part.kind = Kind::neighbor_alltoallv;
  part.destinations = {0, 2};
  part.send_sizes = {Bytes(1)};
  expect_rejected(part, "1 send size is given, 2 are needed");
}

TEST(ScheduleArguments, NeedNeighboursAmongTheMembers) {
  CollectivePart part;
  part.kind = Kind::neighbor_allgather;
  part.sources = {0, 4};
  expect_rejected(part, "neighbour 4");
}

TEST(ScheduleArguments, NeedSizesThatAreNotNegative) {
  CollectivePart part;
  part.kind = Kind::broadcast;
  part.bytes = Bytes(-1);
  expect_rejected(part, "-1 bytes");
  part.kind = Kind::allgatherv;
  part.bytes = Bytes();
  part.receive_sizes.assign(4, Bytes(-1));
  expect_rejected(part, "negative");
}

TEST(ScheduleArguments, NeedElementsWithASize) {
  CollectivePart part;
  part.kind = Kind::allreduce;
  part.bytes = Bytes(8);
  part.element = Bytes();
  expect_rejected(part, "elements without a size");
}

TEST(Schedule, OfNothingIsEmpty) {
  for (const Kind kind :
       {Kind::broadcast, Kind::gather, Kind::gatherv, Kind::scatter, Kind::scatterv, Kind::allgather,
        Kind::allgatherv, Kind::alltoall, Kind::alltoallv, Kind::alltoallw, Kind::reduce, Kind::allreduce,
        Kind::reduce_scatter, Kind::reduce_scatter_block, Kind::scan, Kind::exscan})
    for (const Schedule& schedule : schedules_of(equal_parts(blocking(kind, 5), Bytes())))
      EXPECT_TRUE(schedule.empty()) << name_of(kind);
}

TEST(Schedule, ReplacesWhatWasInTheVector) {
  Schedule schedule(100);
  make_schedule(equal_parts(blocking(Kind::barrier, 2), Bytes())[0], 2, 0, {}, schedule);
  EXPECT_EQ(schedule.size(), 2);
}

}  // namespace
}  // namespace morgana::schedule_tests
