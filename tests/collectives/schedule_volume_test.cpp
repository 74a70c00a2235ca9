#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "tests/collectives/schedule_volume.h"

// What the algorithms' papers say of their volumes and numbers of rounds.
namespace morgana::schedule_tests {
namespace {

TEST(DisseminationBarrier, TakesTheLogarithmRoundedUpOfEmptyMessages) {
  for_members(Kind::barrier, "dissemination", Bytes(), [](std::int32_t members, const Execution& execution) {
    EXPECT_EQ(execution.rounds, rounds_of_halving(members));
    expect_of_all(execution, [&](const Execution::Member& member) {
      EXPECT_EQ(member.messages_sent, rounds_of_halving(members));
      EXPECT_EQ(member.sent, Bytes());
    });
  });
}

TEST(BinomialBroadcast, SendsTheMessageOnceToEveryoneInLogarithmicDepth) {
  for_members(Kind::broadcast, "binomial", Bytes(1000), [](std::int32_t members, const Execution& execution) {
    EXPECT_EQ(execution.rounds, rounds_of_halving(members));
    for (std::size_t me = 1; me < execution.members.size(); ++me)
      EXPECT_EQ(execution.members[me].received, Bytes(1000));
    EXPECT_EQ(total_sent(execution), Bytes(1000) * (members - 1));
  });
}

TEST(BinomialBroadcast, StartsAllItsSendsAtOnceWhenNonblocking) {
  const auto root_of = [](bool blocking) {
    return schedules_of(equal_parts({Kind::broadcast, 32, 0, false, blocking}, Bytes(8)))[0];
  };
  EXPECT_EQ(root_of(false).size(), 5);
  EXPECT_EQ(root_of(true).size(), 5 + 4);
}

/// A scatter hands everyone the blocks of their subtree, as many as the lowest bit of their number says; the
/// allgather then brings everything that is not theirs.
TEST(ScatterAllgatherBroadcasts, MoveTheSubtreesBlocksAndThenAllOthers) {
  for (const auto* algorithm : {"scatter-recursive-doubling-allgather", "scatter-ring-allgather"})
    for (const Bytes bytes : {Bytes(1), Bytes(97), Bytes(100'000)})
      for_members(Kind::broadcast, algorithm, bytes, [&](std::int32_t members, const Execution& execution) {
        const auto block = Bytes((bytes.count() + members - 1) / members);
        const auto before = [&](std::int32_t i) { return std::min(bytes, block * i); };
        for (std::int32_t number = 1; number < members; ++number) {
          const Bytes subtree = before(std::min(members, number + (number & -number))) - before(number);
          const Bytes own = before(number + 1) - before(number);
          EXPECT_EQ(execution.members[static_cast<std::size_t>(number)].received, subtree + bytes - own);
        }
        EXPECT_EQ(execution.members[0].received, bytes - before(1));
      });
}

TEST(ScatterAllgatherBroadcasts, PassOnMoreThanNeededWhenNonblocking) {
  // Number 2 of 11 holds blocks 2 and 3; to number 3 it sends blocks 3 to 10.
  const auto schedules = schedules_of(equal_parts({Kind::broadcast, 11, 9, false, false}, Bytes(12288)));
  const auto& steps = schedules[0];
  const auto first_send = std::ranges::find(steps, ScheduleStep::Kind::send, &ScheduleStep::kind);
  EXPECT_EQ(*first_send, (ScheduleStep{ScheduleStep::Kind::send, 1, Bytes(12288 - 3 * 1118)}));
}

TEST(BinomialGather, BringsEveryContributionUpItsTree) {
  for_members(Kind::gather, "binomial", Bytes(100), [](std::int32_t members, const Execution& execution) {
    EXPECT_EQ(execution.members[0].received, Bytes(100) * (members - 1));
    EXPECT_EQ(execution.rounds, hops_of_tree(members));
    for (std::int32_t number = 1; number < members; ++number)
      EXPECT_EQ(execution.members[static_cast<std::size_t>(number)].sent,
                Bytes(100) * std::min(number & -number, members - number));
  });
}

TEST(BinomialScatter, TakesEveryBlockDownItsTree) {
  for_members(Kind::scatter, "binomial", Bytes(100), [](std::int32_t members, const Execution& execution) {
    EXPECT_EQ(execution.members[0].sent, Bytes(100) * (members - 1));
    EXPECT_EQ(execution.rounds, rounds_of_halving(members));
    for (std::int32_t number = 1; number < members; ++number)
      EXPECT_EQ(execution.members[static_cast<std::size_t>(number)].received,
                Bytes(100) * std::min(number & -number, members - number));
  });
}

TEST(BinomialGather, ReordersShortBlocksThatWrapAroundAtTheRoot) {
  const auto copied = [](std::int32_t root, Bytes bytes) {
    return run({Kind::gather, 8, root, true}, "binomial", bytes)
        .members[static_cast<std::size_t>(root)]
        .copied;
  };
  EXPECT_EQ(copied(0, Bytes(1023)), Bytes());
  EXPECT_EQ(copied(4, Bytes(1023)), Bytes());          // 0 to 3 arrive together, in order
  EXPECT_EQ(copied(6, Bytes(1023)), Bytes());          // 0 and 1, then 2 to 5
  EXPECT_EQ(copied(5, Bytes(1023)), Bytes(1023) * 2);  // 7 and 0 arrive together
  EXPECT_EQ(copied(3, Bytes(1023)), Bytes(1023) * 4);  // 7 to 2 arrive together
  EXPECT_EQ(copied(3, Bytes(1024)), Bytes());          // placed by a datatype
}

TEST(BinomialScatter, OrdersTheBlocksFirstAtARootOtherThanZero) {
  const auto copied = [](std::int32_t root, bool in_place) {
    return run({Kind::scatter, 8, root, in_place}, "binomial", Bytes(100))
        .members[static_cast<std::size_t>(root)]
        .copied;
  };
  EXPECT_EQ(copied(0, false), Bytes(100));
  EXPECT_EQ(copied(0, true), Bytes());
  EXPECT_EQ(copied(3, false), Bytes(800 + 100));
  EXPECT_EQ(copied(3, true), Bytes(700));
}

TEST(LinearGatherAndScatter, MoveEveryBlockOnce) {
  for (const Kind kind : {Kind::gather, Kind::gatherv, Kind::scatter, Kind::scatterv})
    for_members(kind, "linear", Bytes(100), [](std::int32_t members, const Execution& execution) {
      EXPECT_EQ(total_sent(execution), Bytes(100) * (members - 1));
      EXPECT_EQ(execution.rounds, 1);
    });
}

TEST(Allgathers, BringEveryoneExactlyWhatIsNotTheirs) {
  for (const Kind kind : {Kind::allgather, Kind::allgatherv})
    for (const auto* algorithm : {"ring", "bruck", "recursive-doubling"})
      for_members(kind, algorithm, Bytes(1000), [](std::int32_t members, const Execution& execution) {
        expect_of_all(execution, [&](const Execution::Member& member) {
          EXPECT_EQ(member.received, Bytes(1000) * (members - 1));
        });
      });
}

TEST(Allgathers, TakeTheRoundsOfTheirAlgorithms) {
  for (const Kind kind : {Kind::allgather, Kind::allgatherv}) {
    for_members(kind, "ring", Bytes(1000), [](std::int32_t members, const Execution& execution) {
      EXPECT_EQ(execution.rounds, members - 1);
    });
    for_members(kind, "bruck", Bytes(1000), [](std::int32_t members, const Execution& execution) {
      EXPECT_EQ(execution.rounds, rounds_of_halving(members));
    });
    for_members(
        kind, "recursive-doubling", Bytes(1000),
        [](std::int32_t members, const Execution& execution) {
          EXPECT_EQ(execution.rounds, rounds_of_halving(members));
        },
        true);
  }
}

TEST(AllgathervRing, BringsUnequalContributionsInPieces) {
  const std::vector<Bytes> sizes{Bytes(100'000), Bytes(), Bytes(40'000), Bytes(7)};
  Parts parts = equal_parts({Kind::allgatherv, 4}, Bytes());
  for (CollectivePart& part : parts) part.receive_sizes = sizes;
  const auto schedules = schedules_of(parts, tuned(Kind::allgatherv, "ring"));
  const Execution execution = execute(schedules, Sends::eager);
  ASSERT_EQ(execution.failure, "");
  const Bytes total(140'007);
  for (std::size_t me = 0; me < 4; ++me) {
    EXPECT_EQ(execution.members[me].received, total - sizes[me]);
    EXPECT_EQ(execution.members[me].sent, total - sizes[(me + 1) % 4]);
    for (const ScheduleStep& step : schedules[me])
      if (step.kind == ScheduleStep::Kind::send) {
        EXPECT_LE(step.bytes, Bytes(32768));
      }
  }
}

TEST(Alltoalls, SendEveryBlockOnceUnlessTheyForward) {
  for (const Kind kind : {Kind::alltoall, Kind::alltoallv, Kind::alltoallw})
    for (const auto* algorithm : {"pairwise", "scattered"})
      for_members(kind, algorithm, Bytes(100), [&](std::int32_t members, const Execution& execution) {
        expect_of_all(execution, [&](const Execution::Member& member) {
          EXPECT_EQ(member.sent, Bytes(100) * (members - 1));
          EXPECT_EQ(member.messages_sent, members - 1);
          EXPECT_EQ(member.copied, Bytes(100));
        });
        EXPECT_EQ(execution.rounds, algorithm == std::string_view("pairwise") ? members - 1
                                    : members <= 32                           ? 1
                                                                              : 2);
      });
}

TEST(Alltoalls, InPlaceExchangeEveryPairOnce) {
  for (const Kind kind : {Kind::alltoall, Kind::alltoallv, Kind::alltoallw})
    for (std::int32_t members = 2; members <= most_members; ++members)
      expect_of_all(run({kind, members, 0, true}, "pairwise-replace", Bytes(100)),
                    [&](const Execution::Member& member) {
                      EXPECT_EQ(member.sent, Bytes(100) * (members - 1));
                      EXPECT_EQ(member.received, Bytes(100) * (members - 1));
                    });
}

TEST(BruckAlltoall, SendsEachBlockOncePerBitOfItsDistance) {
  for_members(Kind::alltoall, "bruck", Bytes(100), [](std::int32_t members, const Execution& execution) {
    int hops = 0;
    for (std::int32_t distance = 1; distance < members; ++distance)
      hops += std::popcount(static_cast<std::uint32_t>(distance));
    expect_of_all(execution, [&](const Execution::Member& member) {
      EXPECT_EQ(member.sent, Bytes(100) * hops);
      EXPECT_EQ(member.messages_sent, rounds_of_halving(members));
    });
    EXPECT_EQ(execution.rounds, rounds_of_halving(members));
  });
}

TEST(Neighbourhoods, SendAlongEveryEdgeAtOnceAndCopyToThemselves) {
  Parts parts = equal_parts({Kind::neighbor_alltoall, 4}, Bytes(100));
  for (std::int32_t me = 0; me < 4; ++me) {
    auto& part = parts[static_cast<std::size_t>(me)];
    part.sources = part.destinations = {(me + 3) % 4, (me + 1) % 4, me, me};
  }
  const Execution execution = execute(schedules_of(parts), Sends::synchronous);
  EXPECT_EQ(execution.failure, "");
  EXPECT_EQ(execution.rounds, 1);
  expect_of_all(execution, [](const Execution::Member& member) {
    EXPECT_EQ(member.sent, Bytes(200));
    EXPECT_EQ(member.copied, Bytes(200));
  });
}

TEST(InPlace, LeavesOutTheCopyOfOnesOwnData) {
  const auto copied = [](Kind kind, bool in_place, std::string_view algorithm) {
    return run({kind, 8, 0, in_place}, algorithm, Bytes(4096)).members[0].copied;
  };
  EXPECT_EQ(copied(Kind::allreduce, false, "recursive-doubling"), Bytes(4096));
  EXPECT_EQ(copied(Kind::allreduce, true, "recursive-doubling"), Bytes());
  EXPECT_EQ(copied(Kind::reduce, false, "binomial"), Bytes(4096));
  EXPECT_EQ(copied(Kind::reduce, true, "binomial"), Bytes());
  EXPECT_EQ(copied(Kind::gather, false, "binomial"), Bytes(4096));
  EXPECT_EQ(copied(Kind::gather, true, "binomial"), Bytes());
  EXPECT_EQ(copied(Kind::scatter, false, "binomial"), Bytes(4096));
  EXPECT_EQ(copied(Kind::scatter, true, "binomial"), Bytes());
  EXPECT_EQ(copied(Kind::allgather, false, "ring"), Bytes(4096));
  EXPECT_EQ(copied(Kind::allgather, true, "ring"), Bytes());
}

}  // namespace
}  // namespace morgana::schedule_tests
