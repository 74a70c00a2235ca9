#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "tests/collectives/schedule_volume.h"

// What the algorithms' papers say of their volumes and numbers of rounds.
namespace morgana::schedule_tests {
namespace {

TEST(BinomialReduce, SendsEveryOperandOnceInLogarithmicDepth) {
  for_members(Kind::reduce, "binomial", Bytes(1000), [](std::int32_t members, const Execution& execution) {
    EXPECT_EQ(total_sent(execution), Bytes(1000) * (members - 1));
    EXPECT_EQ(total_reduced(execution), Bytes(1000) * (members - 1));
    EXPECT_EQ(execution.rounds, hops_of_tree(members));
  });
}

TEST(BinomialReduce, ReducesInMemberOrderInMemberZeroWhenOperandsDoNotCommute) {
  const Execution execution = run({Kind::reduce, 16, 5, false, true, false}, "binomial", Bytes(1000));
  EXPECT_EQ(execution.rounds, 4 + 1);
  EXPECT_EQ(execution.members[5].reduced, Bytes());
  EXPECT_EQ(execution.members[0].reduced, Bytes(4000));
  EXPECT_EQ(execution.members[5].received, Bytes(1000));
}

TEST(RabenseifnerReduce, SharesTheWorkAndTheVolumeOfAPowerOfTwo) {
  for (std::int32_t members = 2; members <= most_members; members *= 2)
    for (const std::int32_t root : {0, members - 1}) {
      const Bytes bytes = Bytes(64) * members;
      const Execution execution = run({Kind::reduce, members, root}, "reduce-scatter-gather", bytes);
      expect_of_all(execution, [&](const Execution::Member& member) {
        EXPECT_EQ(member.reduced, Bytes(64) * (members - 1));
      });
      // Halving sends all but one's own share; in the gather a block hops up once per level below the root.
      EXPECT_EQ(total_sent(execution),
                bytes * (members - 1) + Bytes(64) * (members / 2 * rounds_of_halving(members)));
      EXPECT_EQ(execution.members[static_cast<std::size_t>(root)].received, Bytes(2 * 64) * (members - 1));
      EXPECT_EQ(execution.rounds, 2 * rounds_of_halving(members));
    }
}

TEST(RabenseifnerReduce, BringsTheWholeResultToEveryRoot) {
  for (std::int32_t members = 2; members <= most_members; ++members) {
    const std::int32_t power = 1 << hops_of_tree(members), beyond = members - power;
    const Bytes block(64), bytes = block * power;
    for (std::int32_t root = 0; root < members; ++root) {
      SCOPED_TRACE(testing::Message() << "root " << root << " of " << members);
      const Execution execution = run({Kind::reduce, members, root}, "reduce-scatter-gather", bytes);
      const bool paired = root < 2 * beyond, stays_out = paired && root % 2 != 0;
      const Bytes from_neighbour = paired ? bytes : Bytes();
      EXPECT_EQ(execution.members[static_cast<std::size_t>(root)].received,
                stays_out ? bytes : from_neighbour + 2 * (bytes - block));
    }
  }
}

TEST(Reductions, CombineEveryOperandOnceWhereNobodyRepeatsAnothersWork) {
  const auto expect_once = [](Kind kind, std::string_view algorithm) {
    for_members(kind, algorithm, Bytes(3200), [](std::int32_t members, const Execution& execution) {
      EXPECT_EQ(total_reduced(execution), Bytes(3200) * (members - 1));
    });
  };
  expect_once(Kind::reduce, "binomial");
  expect_once(Kind::reduce, "reduce-scatter-gather");
  expect_once(Kind::allreduce, "reduce-scatter-allgather");
}

TEST(Reductions, CopyResultsThatLandInTheReceiveBufferWhenOperandsDoNotCommute) {
  const auto copied = [](Kind kind, std::string_view algorithm, bool commutative) {
    std::vector<std::int64_t> bytes;
    for (const auto& member : run({kind, 4, 0, false, true, commutative}, algorithm, Bytes(100)).members)
      bytes.push_back(member.copied.count());
    return bytes;
  };
  using Copied = std::vector<std::int64_t>;
  // Own operand, and what higher members sent.
  EXPECT_EQ(copied(Kind::allreduce, "recursive-doubling", true), (Copied{100, 100, 100, 100}));
  EXPECT_EQ(copied(Kind::allreduce, "recursive-doubling", false), (Copied{300, 200, 200, 100}));
  EXPECT_EQ(copied(Kind::reduce, "binomial", true), (Copied{100, 100, 100, 100}));
  EXPECT_EQ(copied(Kind::reduce, "binomial", false), (Copied{300, 100, 200, 100}));
  // All operands before, the own result after, and between them 3 blocks of distance 1 and 2 of distance 2.
  EXPECT_EQ(copied(Kind::reduce_scatter, "recursive-doubling", true), (Copied{500, 500, 500, 500}));
  EXPECT_EQ(copied(Kind::reduce_scatter, "recursive-doubling", false), (Copied{1000, 700, 800, 500}));
}

TEST(PairwiseReduceScatter, MovesTheResultToTheFrontOfTheBufferInPlace) {
  const auto copied = [](bool in_place, std::size_t me) {
    return run({Kind::reduce_scatter, 4, 0, in_place}, "pairwise", Bytes(100)).members[me].copied;
  };
  EXPECT_EQ(copied(false, 0), Bytes(100));
  EXPECT_EQ(copied(false, 1), Bytes(100));
  EXPECT_EQ(copied(true, 0), Bytes());
  EXPECT_EQ(copied(true, 1), Bytes(100));
}

TEST(RecursiveDoublingAllreduce, ExchangesEverythingInEveryRound) {
  for_members(Kind::allreduce, "recursive-doubling", Bytes(8),
              [](std::int32_t members, const Execution& execution) {
                const int rounds = hops_of_tree(members);
                if (!power_of_two(members)) {
                  EXPECT_EQ(execution.rounds, rounds + 2);
                  return;
                }
                EXPECT_EQ(execution.rounds, rounds);
                expect_of_all(execution, [&](const Execution::Member& member) {
                  EXPECT_EQ(member.sent, Bytes(8) * rounds);
                  EXPECT_EQ(member.reduced, Bytes(8) * rounds);
                });
              });
}

TEST(RabenseifnerAllreduce, MovesTwiceAllButItsOwnShareOfAPowerOfTwo) {
  for (std::int32_t members = 2; members <= most_members; members *= 2) {
    const Execution execution =
        run({Kind::allreduce, members}, "reduce-scatter-allgather", Bytes(64) * members, Bytes(8));
    EXPECT_EQ(execution.rounds, 2 * rounds_of_halving(members));
    expect_of_all(execution, [&](const Execution::Member& member) {
      EXPECT_EQ(member.sent, Bytes(2 * 64) * (members - 1));
      EXPECT_EQ(member.reduced, Bytes(64) * (members - 1));
    });
  }
}

TEST(RabenseifnerAllreduce, SplitsWholeElements) {
  for (const Schedule& schedule : schedules_of(equal_parts({Kind::allreduce, 8}, Bytes(8 * 1003), Bytes(8))))
    for (const ScheduleStep& step : schedule) EXPECT_EQ(step.bytes.count() % 8, 0);
}

TEST(RabenseifnerAllreduce, TakesTwoMoreRoundsForTheMembersBeyondAPowerOfTwo) {
  const Execution execution = run({Kind::allreduce, 20}, "reduce-scatter-allgather", Bytes(1600));
  EXPECT_EQ(execution.rounds, 2 * 4 + 2);
  EXPECT_EQ(execution.members[0].sent, Bytes(1600));
  EXPECT_EQ(execution.members[0].received, Bytes(1600));
}

TEST(ReduceScatters, ReduceEveryBlockOncePerFurtherMember) {
  for (const Kind kind : {Kind::reduce_scatter, Kind::reduce_scatter_block})
    for (const auto* algorithm : {"recursive-halving", "pairwise"})
      for_members(kind, algorithm, Bytes(100), [](std::int32_t members, const Execution& execution) {
        EXPECT_EQ(total_reduced(execution), Bytes(100) * members * (members - 1));
      });
}

TEST(ReduceScatters, MoveTheVolumesOfTheirAlgorithms) {
  for (const Kind kind : {Kind::reduce_scatter, Kind::reduce_scatter_block}) {
    for_members(kind, "pairwise", Bytes(100), [](std::int32_t members, const Execution& execution) {
      EXPECT_EQ(execution.rounds, members - 1);
      expect_of_all(execution,
                    [&](const auto& member) { EXPECT_EQ(member.sent, Bytes(100) * (members - 1)); });
    });
    for (const auto* algorithm : {"recursive-halving", "noncommutative"})
      for_members(
          kind, algorithm, Bytes(100),
          [](std::int32_t members, const Execution& execution) {
            EXPECT_EQ(execution.rounds, rounds_of_halving(members));
            expect_of_all(execution,
                          [&](const auto& member) { EXPECT_EQ(member.sent, Bytes(100) * (members - 1)); });
          },
          true);
    for_members(
        kind, "recursive-doubling", Bytes(100),
        [](std::int32_t members, const Execution& execution) {
          const int rounds = rounds_of_halving(members);
          expect_of_all(execution, [&](const auto& member) {
            EXPECT_EQ(member.sent, Bytes(100) * (members * rounds - (members - 1)));
            EXPECT_EQ(member.reduced, member.sent);
          });
        },
        true);
  }
}

TEST(Scans, SendTheirOperandToEveryPartnerThatExists) {
  for (const Kind kind : {Kind::scan, Kind::exscan})
    for_members(kind, "recursive-doubling", Bytes(100), [](std::int32_t members, const Execution& execution) {
      EXPECT_EQ(execution.rounds, rounds_of_halving(members));
      for (std::int32_t me = 0; me < members; ++me) {
        int partners = 0;
        for (std::int32_t distance = 1; distance < members; distance *= 2)
          partners += (me ^ distance) < members ? 1 : 0;
        EXPECT_EQ(execution.members[static_cast<std::size_t>(me)].sent, Bytes(100) * partners);
      }
    });
}

TEST(Exscan, HasOneReductionLessThanScanWhereverThereIsAResult) {
  const Execution scan = run({Kind::scan, 13}, "recursive-doubling", Bytes(100));
  const Execution exscan = run({Kind::exscan, 13}, "recursive-doubling", Bytes(100));
  EXPECT_EQ(exscan.members[0].reduced, scan.members[0].reduced);
  for (std::size_t me = 1; me < 13; ++me)
    EXPECT_EQ(exscan.members[me].reduced + Bytes(100), scan.members[me].reduced);
}

TEST(RabenseifnerAllreduce, LeavesTheRemainderToTheFirstBlocksOrToTheLastWhenNonblocking) {
  const auto sent_first = [](bool blocking) {
    std::vector<std::int64_t> bytes;
    for (const Schedule& schedule :
         schedules_of(equal_parts({Kind::allreduce, 4, 0, true, blocking}, Bytes(8 * 263), Bytes(8)),
                      tuned(Kind::allreduce, "reduce-scatter-allgather")))
      for (const ScheduleStep& step : schedule)
        if (step.kind == ScheduleStep::Kind::send) {
          bytes.push_back(step.bytes.count());
          break;
        }
    return bytes;
  };
  // 263 elements in blocks of 66, 66, 66, 65 or of 65, 65, 65, 68; members 0 and 2 first send the upper two.
  EXPECT_EQ(sent_first(true), (std::vector<std::int64_t>{8 * 131, 8 * 132, 8 * 131, 8 * 132}));
  EXPECT_EQ(sent_first(false), (std::vector<std::int64_t>{8 * 133, 8 * 130, 8 * 133, 8 * 130}));
}

TEST(CreateContext, ReducesAMaskOf65WordsAndSpreadsANumber) {
  const Execution execution =
      execute(schedules_of(equal_parts({Kind::create_context, 8}, Bytes())), Sends::eager);
  EXPECT_EQ(execution.failure, "");
  EXPECT_EQ(total_reduced(execution), Bytes(260) * 7);
  EXPECT_EQ(execution.rounds, 2 * 3 + 3);
}

TEST(CreateContext, ExchangesWholeMasksAmongMoreMembersThanWords) {
  const auto schedules = schedules_of(equal_parts({Kind::create_context, 200}, Bytes()));
  for (const ScheduleStep& step : schedules[150])
    if (step.kind == ScheduleStep::Kind::send) {
      EXPECT_TRUE(step.bytes == Bytes(260) || step.bytes == Bytes(4)) << step.bytes.count();
    }
}

}  // namespace
}  // namespace morgana::schedule_tests
