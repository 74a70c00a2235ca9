#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "emulator/core/error.h"
#include "emulator/operations/collective_names.h"
#include "tests/collectives/schedule_inter_cases.h"
#include "tests/support/effort.h"
#include "tests/support/messages.h"

// Collectives between the two groups of an intercommunicator.
namespace morgana::schedule_tests {
namespace {

using Kind = CollectiveKind;

constexpr std::uint64_t seed = 1;
constexpr std::int32_t most_members = 8;  // of a group

class InterSchedules : public testing::TestWithParam<Kind> {
 protected:
  using Check = std::function<void(const InterShape&, const Parts&, const std::vector<Schedule>&)>;

  /// Calls `check` with every size of the groups, every root and form, and several draws of sizes.
  void for_every_case(const Check& check) {
    const Kind kind = GetParam();
    std::uint64_t cases = 0;
    for (std::int32_t first = 1; first <= most_members; ++first)
      for (std::int32_t second = 1; second <= most_members; ++second)
        for (std::int32_t root = 0; root < (is_rooted(kind) ? first + second : 1); ++root)
          for (int form = 0; form < 4; ++form)
            for (int draw = 0; draw < (is_rooted(kind) ? 1 : 5); ++draw) {
              const std::uint64_t number = cases++;
              if (!is_tried(number)) continue;
              const InterShape shape{kind, first, second, root, (form & 1) != 0, (form & 2) != 0};
              RandomStream random(seed, fmt::format("{} {}", name_of(kind), number));
              const Parts parts = draw_inter_parts(shape, random);
              SCOPED_TRACE(
                  fmt::format("seed {}: {} and {} members, root {}, blocking {}, commutative {}, "
                              "draw {}, {} bytes",
                              seed, first, second, root, shape.blocking, shape.commutative, draw,
                              parts[static_cast<std::size_t>(root)].bytes.count()));
              check(shape, parts, schedules_of(parts));
              if (HasFailure()) return;
            }
  }
};

TEST_P(InterSchedules, CompleteAndMatchWhenSendsAreEager) {
  for_every_case([](const InterShape&, const Parts&, const std::vector<Schedule>& schedules) {
    EXPECT_EQ(execute(schedules, Sends::eager).failure, "");
  });
}

TEST_P(InterSchedules, CompleteAndMatchWhenSendsWaitForTheirReceives) {
  for_every_case([](const InterShape&, const Parts&, const std::vector<Schedule>& schedules) {
    EXPECT_EQ(execute(schedules, Sends::synchronous).failure, "");
  });
}

TEST_P(InterSchedules, EndOnlyWhenAllWhoseDataAreNeededHaveEnteredAndBytesHaveCome) {
  for_every_case([](const InterShape& shape, const Parts& parts, const std::vector<Schedule>& schedules) {
    const Execution execution = execute(schedules, Sends::eager);
    for (std::int32_t me = 0; me < shape.members(); ++me) {
      const auto& member = execution.members[static_cast<std::size_t>(me)];
      const Needs needs = needs_of(shape, parts, me);
      const MemberSet missing = needs.members & ~member.heard_of;
      EXPECT_TRUE(missing.none()) << "member " << me << " has not heard of " << missing;
      EXPECT_GE(member.received, needs.bytes) << "member " << me;
    }
  });
}

TEST_P(InterSchedules, LeaveTheRestOfTheRootsGroupAlone) {
  if (!is_rooted(GetParam())) return;
  for_every_case([](const InterShape& shape, const Parts&, const std::vector<Schedule>& schedules) {
    for (std::int32_t me = 0; me < shape.members(); ++me)
      if (me != shape.root && shape.group_of(me) == shape.group_of(shape.root)) {
        EXPECT_TRUE(schedules[static_cast<std::size_t>(me)].empty()) << "member " << me;
      }
  });
}

TEST_P(InterSchedules, HaveNoFenceAtTheirEndsOrAfterAnother) {
  for_every_case([](const InterShape&, const Parts&, const std::vector<Schedule>& schedules) {
    const auto is_fence = [](const ScheduleStep& step) { return step.kind == ScheduleStep::Kind::fence; };
    for (const Schedule& schedule : schedules) {
      if (schedule.empty()) continue;
      EXPECT_FALSE(is_fence(schedule.front()) || is_fence(schedule.back()));
      EXPECT_EQ(std::ranges::adjacent_find(
                    schedule, [&](const auto& a, const auto& b) { return is_fence(a) && is_fence(b); }),
                schedule.end());
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Of, InterSchedules, testing::ValuesIn(kinds_between_groups()),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

/// Messages from one group to the other.
int crossings(const InterShape& shape, Bytes bytes) {
  const std::vector<Schedule> schedules = schedules_of(equal_inter_parts(shape, bytes));
  int count = 0;
  for (std::int32_t me = 0; me < shape.members(); ++me)
    for (const ScheduleStep& step : schedules[static_cast<std::size_t>(me)])
      if (step.kind == ScheduleStep::Kind::send && shape.group_of(step.peer) != shape.group_of(me)) ++count;
  return count;
}

TEST(BetweenGroups, OnlyLeadersAndRootsTalkWhereOneMessageIsEnough) {
  for (const bool blocking : {true, false}) {
    for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::gather, Kind::scatter})
      EXPECT_EQ(crossings({kind, 3, 5, 1, blocking}, Bytes(100)), 1) << name_of(kind);
    for (const Kind kind : {Kind::barrier, Kind::allgather, Kind::allreduce, Kind::reduce_scatter,
                            Kind::reduce_scatter_block, Kind::create_context})
      EXPECT_EQ(crossings({kind, 3, 5, 0, blocking}, Bytes(100)), 2) << name_of(kind);
  }
}

TEST(BetweenGroups, EveryoneSendsWhereOnlyTheReceiverKnowsTheSizes) {
  EXPECT_EQ(crossings({Kind::gatherv, 3, 5, 1}, Bytes(100)), 5);
  EXPECT_EQ(crossings({Kind::scatterv, 3, 5, 4}, Bytes(100)), 3);
  EXPECT_EQ(crossings({Kind::allgatherv, 3, 5}, Bytes(100)), 3 + 5);
}

TEST(BetweenGroups, AlltoallsExchangeEveryPair) {
  for (const Kind kind : {Kind::alltoall, Kind::alltoallv, Kind::alltoallw})
    EXPECT_EQ(crossings({kind, 3, 5}, Bytes(100)), 2 * 3 * 5) << name_of(kind);
}

TEST(BetweenGroups, OnlySomeAlltoallsSendEmptyMessages) {
  EXPECT_EQ(crossings({Kind::alltoall, 3, 5, 0, false}, Bytes()), 30);
  EXPECT_EQ(crossings({Kind::alltoallv, 3, 5, 0, true}, Bytes()), 30);
  EXPECT_EQ(crossings({Kind::alltoallv, 3, 5, 0, false}, Bytes()), 0);
  EXPECT_EQ(crossings({Kind::alltoallw, 3, 5, 0, false}, Bytes()), 30);
}

TEST(BetweenGroups, GathersAndScattersAreLinearFrom2048BytesOn) {
  for (const Kind kind : {Kind::gather, Kind::scatter})
    for (const bool blocking : {true, false}) {
      EXPECT_EQ(crossings({kind, 3, 4, 1, blocking}, Bytes(511)), 1);
      EXPECT_EQ(crossings({kind, 3, 4, 1, blocking}, Bytes(512)), 4);
    }
}

TEST(BetweenGroups, TheOtherGroupBroadcastsAsAnOrdinaryCommunicatorWould) {
  constexpr std::int32_t root = 1, first = 3, second = 8;
  for (const bool blocking : {true, false}) {
    const auto across =
        schedules_of(equal_inter_parts({Kind::broadcast, first, second, root, blocking}, Bytes(100'000)));
    const auto alone =
        schedules_of(equal_parts({Kind::broadcast, second, 0, false, blocking}, Bytes(100'000)));
    for (std::size_t place = 0; place < second; ++place) {
      Schedule expected = alone[place];
      for (ScheduleStep& step : expected)
        if (step.kind != ScheduleStep::Kind::fence) step.peer += first;
      if (place == 0)
        expected.insert(expected.begin(), {{ScheduleStep::Kind::receive, root, Bytes(100'000)},
                                           {ScheduleStep::Kind::fence, -1, Bytes()}});
      EXPECT_EQ(across[first + place], expected) << "place " << place << ", blocking " << blocking;
    }
  }
}

TEST(BetweenGroups, AllreduceReducesEachGroupsOperandsInTheGroup) {
  for (const bool blocking : {true, false}) {
    const Execution execution =
        execute(schedules_of(equal_inter_parts({Kind::allreduce, 4, 8, 0, blocking}, Bytes(100))),
                Sends::synchronous);
    Bytes reduced[2];
    for (std::size_t me = 0; me < 12; ++me) reduced[me < 4 ? 0 : 1] += execution.members[me].reduced;
    EXPECT_EQ(reduced[0], Bytes(100) * 3);
    EXPECT_EQ(reduced[1], Bytes(100) * 7);
  }
}

TEST(BetweenGroups, TuningHasNoSay) {
  const Parts parts = equal_inter_parts({Kind::broadcast, 3, 8, 1}, Bytes(100));
  EXPECT_EQ(schedules_of(parts), schedules_of(parts, tuned(Kind::broadcast, "scatter-ring-allgather")));
}

// What the user can get wrong, or a trace can say.

void expect_rejected(const CollectivePart& part, const char* what) {
  Schedule schedule;
  try {
    make_schedule(part, 5, 1, {}, schedule);
    ADD_FAILURE() << "accepted, though it should say: " << what;
  } catch (const Error& error) {
    expect_message(error.what(), {what, "member 1 of 5"});
  }
}

CollectivePart between(Kind kind, std::int32_t first_group = 2) {
  CollectivePart part;
  part.kind = kind;
  part.first_group = first_group;
  return part;
}

TEST(InterScheduleArguments, NeedMembersInBothGroups) {
  for (const std::int32_t first_group : {-1, 5, 6})
    expect_rejected(between(Kind::barrier, first_group), fmt::format("of {} members", first_group).c_str());
}

TEST(InterScheduleArguments, NeedAKindThatMpiDefinesBetweenGroups) {
  for (int i = 0; i <= static_cast<int>(Kind::create_context); ++i) {
    const auto kind = static_cast<Kind>(i);
    if (!std::ranges::count(kinds_between_groups(), kind))
      expect_rejected(between(kind), "MPI does not define it");
  }
}

TEST(InterScheduleArguments, NeedTheirOwnBuffers) {
  CollectivePart part = between(Kind::allreduce);
  part.in_place = true;
  expect_rejected(part, "in place");
}

TEST(InterScheduleArguments, NeedASizeForEveryMemberOfTheOtherGroup) {
  for (const Kind kind :
       {Kind::gatherv, Kind::scatterv, Kind::allgatherv, Kind::alltoallv, Kind::alltoallw}) {
    CollectivePart part = between(kind);
    part.root = 1;
    part.send_sizes.resize(2);
    part.receive_sizes.resize(2);
    expect_rejected(part, "3 are needed");
  }
}

TEST(InterScheduleArguments, NeedAShareForEveryMemberOfTheOwnGroup) {
  CollectivePart part = between(Kind::reduce_scatter);
  part.send_sizes.resize(3);
  expect_rejected(part, "3 block sizes are given, 2 are needed");
}

TEST(InterScheduleArguments, NeedOneSizeOfTheOtherGroupsBlocks) {
  for (const Kind kind : {Kind::allgather, Kind::alltoall}) {
    CollectivePart part = between(kind);
    part.receive_sizes.resize(3);
    expect_rejected(part, "3 receive sizes are given, 1 is needed");
  }
}

TEST(InterScheduleArguments, NeedARootAmongTheMembers) {
  CollectivePart part = between(Kind::reduce);
  part.root = 5;
  expect_rejected(part, "root 5");
}

}  // namespace
}  // namespace morgana::schedule_tests
