#include "tests/collectives/openmpi_volume.h"

// Messages, bytes and rounds of Open MPI's reductions, as their descriptions say.
namespace morgana::schedule_tests {
namespace {

TEST(OpenMpiReduces, SendAndCombineEveryOperandOnce) {
  const auto expect = [](const OpenMpi& how, auto rounds) {
    for_openmpi(
        Kind::reduce, how, Bytes(1000),
        [&](std::int32_t members, const Execution& execution, std::int32_t root) {
          EXPECT_EQ(total_sent(execution), Bytes(1000) * (members - 1));
          EXPECT_EQ(total_messages(execution), members - 1);
          EXPECT_EQ(total_reduced(execution), Bytes(1000) * (members - 1));
          EXPECT_EQ(execution.rounds, rounds(members));
          EXPECT_EQ(execution.members[static_cast<std::size_t>(root)].sent, Bytes());
        },
        rooted);
  };
  expect({"linear"}, [](std::int32_t) { return 1; });
  expect({"pipeline"}, [](std::int32_t n) { return n - 1; });
  expect({"chain"}, [](std::int32_t n) { return n - 1; });
  expect({"chain", Bytes(), 4}, [](std::int32_t n) { return (n - 1 + 3) / 4; });
  expect({"binary"}, [](std::int32_t n) { return hops_of_tree(n); });
  expect({"binomial"}, [](std::int32_t n) { return hops_of_tree(n); });
}

TEST(OpenMpiReduces, GoInPieces) {
  for (const std::string_view algorithm : {"pipeline", "chain", "binary", "binomial"})
    for_openmpi(
        Kind::reduce, {algorithm, Bytes(300)}, Bytes(1000),
        [&](std::int32_t members, const Execution& execution, std::int32_t) {
          EXPECT_EQ(total_messages(execution), 4 * (members - 1));
          EXPECT_EQ(total_reduced(execution), Bytes(1000) * (members - 1));
          if (algorithm == "pipeline") {
            EXPECT_EQ(execution.rounds, members - 1 + 3);
          }
        },
        rooted);
}

// The next operand is received while the last one is reduced, and while the result goes to the parent.
TEST(OpenMpiReduces, ReceiveWhileTheyReduce) {
  const auto step = [](ScheduleStep::Kind kind, std::int32_t peer) {
    return ScheduleStep{kind, peer, Bytes(500)};
  };
  using enum ScheduleStep::Kind;
  const ScheduleStep fence_step{fence, -1, Bytes()}, reduction = step(reduce, -1);
  // Number 1 of 7, below 0: children 3 and 5; two pieces.
  const Schedule inner = schedules_of(equal_parts({Kind::reduce, 7}, Bytes(1000)),
                                      tuning_of(Kind::reduce, {"binary", Bytes(500)}))[1];
  EXPECT_EQ(inner, (Schedule{step(receive, 3), fence_step, step(receive, 5), reduction, fence_step,
                             step(receive, 3), reduction, step(send, 0), fence_step, step(receive, 5),
                             reduction, fence_step, reduction, fence_step, step(send, 0)}));
  // Around rings likewise.
  const Schedule ring = schedules_of(equal_parts({Kind::reduce_scatter, 3}, Bytes(500)),
                                     tuning_of(Kind::reduce_scatter, {"ring"}))[0];
  EXPECT_EQ(ring, (Schedule{{copy, -1, Bytes(1500)},
                            fence_step,
                            step(receive, 2),
                            step(send, 1),
                            fence_step,
                            step(receive, 2),
                            reduction,
                            step(send, 1),
                            fence_step,
                            reduction,
                            fence_step,
                            step(copy, -1)}));
}

// Only member 0 reduces in place: the last one, root of the tree in order, starts from a copy of its operand.
TEST(OpenMpiNonoverlappingAllreduce, CopiesTheLastOperandThatDoesNotCommute) {
  const auto copied = [](bool in_place, std::size_t me) {
    return run({Kind::allreduce, 15, 0, in_place, true, false}, OpenMpi{"nonoverlapping"}, Bytes(262'144))
        .members[me]
        .copied;
  };
  EXPECT_EQ(copied(false, 14), Bytes(262'144));
  EXPECT_EQ(copied(true, 14), Bytes(262'144));
  EXPECT_EQ(copied(false, 0), Bytes());
  EXPECT_EQ(copied(true, 0), Bytes(262'144));
}

TEST(OpenMpiLinearReduce, CopiesWhereTheRootsBufferIsNotTheLastOperands) {
  const auto copied = [](std::int32_t root, bool in_place) {
    return run({Kind::reduce, 4, root, in_place}, OpenMpi{"linear"}, Bytes(100))
        .members[static_cast<std::size_t>(root)]
        .copied;
  };
  EXPECT_EQ(copied(0, false), Bytes());
  EXPECT_EQ(copied(3, false), Bytes(100));
  EXPECT_EQ(copied(0, true), Bytes(100));
  EXPECT_EQ(copied(3, true), Bytes(200));
}

TEST(OpenMpiInOrderBinaryReduce, EndsAtTheLastMemberWhoSendsTheResultOn) {
  for (const bool commutative : {true, false})
    for (std::int32_t members = 2; members <= most_openmpi_members; ++members)
      for (std::int32_t root = 0; root < members; ++root) {
        SCOPED_TRACE(testing::Message() << "root " << root << " of " << members);
        const Execution execution = run({Kind::reduce, members, root, false, true, commutative},
                                        OpenMpi{"in-order-binary"}, Bytes(1000));
        EXPECT_EQ(total_messages(execution), members - 1 + (root == members - 1 ? 0 : 1));
        EXPECT_EQ(total_reduced(execution), Bytes(1000) * (members - 1));
      }
  // Below 7 of 8: its right half 0 to 3 and its left half 4 to 6; below 6: 4 and 5; below 3: 1 and 2 over 0.
  const auto schedules =
      schedules_of(equal_parts({Kind::reduce, 8, 7}, Bytes(8)), tuning_of(Kind::reduce, {"in-order-binary"}));
  std::vector<std::int32_t> parents;
  for (std::size_t me = 0; me < 7; ++me) parents.push_back(schedules[me].back().peer);
  EXPECT_EQ(parents, (std::vector<std::int32_t>{1, 3, 3, 7, 6, 6, 7}));
}

/// Of Rabenseifner's: pairs beyond the power of two reduce halves first, then halves of halves.
TEST(OpenMpiRabenseifner, SharesTheReductions) {
  for (const Kind kind : {Kind::reduce, Kind::allreduce})
    for_openmpi(kind, {"rabenseifner"}, Bytes(1600),
                [](std::int32_t members, const Execution& execution, std::int32_t) {
                  EXPECT_EQ(total_reduced(execution), Bytes(1600) * (members - 1));
                });
  for (std::int32_t members = 2; members <= 16; members *= 2) {
    const Execution execution =
        run({Kind::allreduce, members}, OpenMpi{"rabenseifner"}, Bytes(64) * members, Bytes(8));
    EXPECT_EQ(execution.rounds, 2 * rounds_of_halving(members));
    expect_of_all(execution, [&](const Execution::Member& member) {
      EXPECT_EQ(member.sent, Bytes(2 * 64) * (members - 1));
      EXPECT_EQ(member.reduced, Bytes(64) * (members - 1));
    });
  }
}

TEST(OpenMpiRabenseifner, BringsTheWholeResultToEveryRoot) {
  for_openmpi(
      Kind::reduce, {"rabenseifner"}, Bytes(1600),
      [](std::int32_t members, const Execution& execution, std::int32_t root) {
        const std::int32_t power = power_within(members), beyond = members - power;
        const Bytes block(1600 / power), half(800);
        const bool paired = root < 2 * beyond, stays_out = paired && root % 2 != 0;
        // A pair exchanges halves, and the even member gets the other one's reduced half.
        const Bytes before = !paired ? Bytes() : stays_out ? half : half + half;
        const Bytes halving = stays_out ? Bytes() : Bytes(1600) - block;
        const Bytes gathered = stays_out ? Bytes(1600) : Bytes(1600) - block;
        EXPECT_EQ(execution.members[static_cast<std::size_t>(root)].received, before + halving + gathered);
      },
      rooted);
}

TEST(OpenMpiRabenseifner, GivesOddElementsToTheUpperHalf) {
  const auto schedules = schedules_of(equal_parts({Kind::allreduce, 4}, Bytes(8 * 263), Bytes(8)),
                                      tuning_of(Kind::allreduce, {"rabenseifner"}));
  const auto first_sent = [&](std::size_t me) {
    for (const ScheduleStep& step : schedules[me])
      if (step.kind == ScheduleStep::Kind::send) return step.bytes;
    return Bytes();
  };
  EXPECT_EQ(first_sent(0), Bytes(8 * 132));
  EXPECT_EQ(first_sent(1), Bytes(8 * 131));
}

TEST(OpenMpiReductions, AreLinearWithFewElementsOrOperandsThatDoNotCommute) {
  for (const Kind kind : {Kind::reduce, Kind::allreduce}) {
    const auto is_linear = [kind](const Parts& parts) {
      return schedules_of(parts, tuning_of(kind, {"rabenseifner"})) ==
             schedules_of(parts, tuning_of(kind, {"linear"}));
    };
    EXPECT_TRUE(is_linear(equal_parts({kind, 9}, Bytes(7 * 8), Bytes(8))));
    EXPECT_FALSE(is_linear(equal_parts({kind, 9}, Bytes(8 * 8), Bytes(8))));
    EXPECT_TRUE(is_linear(equal_parts({kind, 9, 0, false, true, false}, Bytes(800), Bytes(8))));
  }
}

TEST(OpenMpiAllreduces, ReduceThenBroadcast) {
  for (const std::string_view algorithm : {"linear", "nonoverlapping"})
    for_openmpi(Kind::allreduce, {algorithm}, Bytes(1600),
                [](std::int32_t members, const Execution& execution, std::int32_t) {
                  EXPECT_EQ(total_reduced(execution), Bytes(1600) * (members - 1));
                  EXPECT_EQ(total_sent(execution), Bytes(1600) * 2 * (members - 1));
                });
}

TEST(OpenMpiRecursiveDoublingAllreduce, ExchangesEverythingInAPowerOfTwo) {
  for_openmpi(Kind::allreduce, {"recursive-doubling"}, Bytes(8),
              [](std::int32_t members, const Execution& execution, std::int32_t) {
                const std::int32_t power = power_within(members);
                const int exchanges = power * hops_of_tree(members);
                EXPECT_EQ(total_messages(execution), exchanges + 2 * (members - power));
                EXPECT_EQ(total_reduced(execution), Bytes(8) * (exchanges + members - power));
              });
  // The result changes buffers with every partner of a higher number: twice at 0, once at 1 and 2, never
  // at 3.
  const Execution four = run({Kind::allreduce, 4}, OpenMpi{"recursive-doubling"}, Bytes(100));
  std::vector<std::int64_t> copied;
  for (const auto& member : four.members) copied.push_back(member.copied.count());
  EXPECT_EQ(copied, (std::vector<std::int64_t>{200, 100, 100, 200}));
}

TEST(OpenMpiRingAllreduce, SendsEveryBlockTwiceAroundTheRing) {
  for_openmpi(Kind::allreduce, {"ring"}, Bytes(1000),
              [](std::int32_t members, const Execution& execution, std::int32_t) {
                EXPECT_EQ(execution.rounds, 2 * (members - 1));
                EXPECT_EQ(total_sent(execution), Bytes(1000) * 2 * (members - 1));
                EXPECT_EQ(total_reduced(execution), Bytes(1000) * (members - 1));
              });
  const Parts few = equal_parts({Kind::allreduce, 9}, Bytes(8));
  EXPECT_EQ(schedules_of(few, tuning_of(Kind::allreduce, {"ring"})),
            schedules_of(few, tuning_of(Kind::allreduce, {"recursive-doubling"})));
}

TEST(OpenMpiSegmentedRingAllreduce, ReducesInPhases) {
  for (std::int32_t members = 2; members <= most_openmpi_members; ++members) {
    SCOPED_TRACE(members);
    // Three segments of 100 bytes for each block.
    const Bytes bytes = Bytes(300) * members;
    const Execution execution = run({Kind::allreduce, members}, OpenMpi{"segmented-ring", Bytes(100)}, bytes);
    expect_of_all(execution, [&](const Execution::Member& member) {
      EXPECT_EQ(member.messages_sent, (3 + 1) * (members - 1));
      EXPECT_EQ(member.sent, Bytes(2 * 300) * (members - 1));
    });
    EXPECT_EQ(total_reduced(execution), bytes * (members - 1));
    const Parts whole = equal_parts({Kind::allreduce, members}, bytes);
    EXPECT_EQ(schedules_of(whole, tuning_of(Kind::allreduce, {"segmented-ring"})),
              schedules_of(whole, tuning_of(Kind::allreduce, {"ring"})));
  }
}

TEST(OpenMpiReduceScatters, ReduceEveryBlockOncePerFurtherMember) {
  for (const Kind kind : {Kind::reduce_scatter, Kind::reduce_scatter_block})
    for (const std::string_view algorithm : {"nonoverlapping", "recursive-halving", "ring", "butterfly"}) {
      if (kind == Kind::reduce_scatter_block && algorithm == "ring") continue;
      for_openmpi(kind, {algorithm}, Bytes(100),
                  [](std::int32_t members, const Execution& execution, std::int32_t) {
                    EXPECT_EQ(total_reduced(execution), Bytes(100) * members * (members - 1));
                  });
    }
}

TEST(OpenMpiRingReduceScatter, PassesEveryBlockToItsMember) {
  for_openmpi(Kind::reduce_scatter, {"ring"}, Bytes(100),
              [](std::int32_t members, const Execution& execution, std::int32_t) {
                EXPECT_EQ(execution.rounds, members - 1);
                expect_of_all(execution, [&](const Execution::Member& member) {
                  EXPECT_EQ(member.sent, Bytes(100) * (members - 1));
                  EXPECT_EQ(member.copied, Bytes(100) * members + Bytes(100));
                });
              });
  Parts parts = equal_parts({Kind::reduce_scatter, 3}, Bytes());
  for (CollectivePart& part : parts) part.send_sizes = {Bytes(1), Bytes(20), Bytes(300)};
  const Execution unequal =
      execute(schedules_of(parts, tuning_of(Kind::reduce_scatter, {"ring"})), Sends::eager);
  EXPECT_EQ(unequal.failure, "");
  EXPECT_EQ(unequal.members[0].received, Bytes(20 + 1));  // its own block comes last
  EXPECT_EQ(unequal.members[1].received, Bytes(300 + 20));
  EXPECT_EQ(unequal.members[2].received, Bytes(1 + 300));
}

/// A halving of the operands; then members whose number is no palindrome in bits exchange blocks.
TEST(OpenMpiButterflyReduceScatter, HalvesAndExchangesMirroredBlocks) {
  for (const Kind kind : {Kind::reduce_scatter, Kind::reduce_scatter_block}) {
    const Execution eight = run({kind, 8}, OpenMpi{"butterfly"}, Bytes(100));
    for (std::size_t me = 0; me < 8; ++me) {
      const bool is_palindrome = me == 0 || me == 2 || me == 5 || me == 7;
      const bool exchanges = kind == Kind::reduce_scatter && !is_palindrome;
      EXPECT_EQ(eight.members[me].sent, Bytes(700 + (exchanges ? 100 : 0))) << me;
    }
  }
  // Of 3: 0 hands over to 1; 1 and 2 exchange halves, of 200 and 100 bytes; 0's block comes back from 1.
  const Execution three = run({Kind::reduce_scatter, 3}, OpenMpi{"butterfly"}, Bytes(100));
  EXPECT_EQ(three.members[0].sent, Bytes(300));
  EXPECT_EQ(three.members[1].sent, Bytes(100 + 100));
  EXPECT_EQ(three.members[2].sent, Bytes(200));
  EXPECT_EQ(three.members[0].received, Bytes(100));
}

TEST(OpenMpiScans, GoFromEachMemberToTheNext) {
  for_openmpi(Kind::scan, {}, Bytes(100), [](std::int32_t members, const Execution& execution, std::int32_t) {
    EXPECT_EQ(execution.rounds, members - 1);
    EXPECT_EQ(total_messages(execution), members - 1);
    EXPECT_EQ(total_reduced(execution), Bytes(100) * (members - 1));
  });
  for_openmpi(Kind::exscan, {}, Bytes(100),
              [](std::int32_t members, const Execution& execution, std::int32_t) {
                EXPECT_EQ(execution.rounds, members - 1);
                EXPECT_EQ(total_messages(execution), members - 1);
                EXPECT_EQ(total_reduced(execution), Bytes(100) * (members - 2));
              });
}

TEST(OpenMpiNonblockingReductions, GoUpABinomialTreeAndDownAgain) {
  for (std::int32_t members = 2; members <= most_openmpi_members; ++members) {
    SCOPED_TRACE(members);
    const Execution all = run({Kind::allreduce, members, 0, false, false}, OpenMpi{}, Bytes(800), Bytes(8));
    EXPECT_EQ(total_messages(all), 2 * (members - 1));
    EXPECT_EQ(total_reduced(all), Bytes(800) * (members - 1));
    EXPECT_EQ(all.rounds, 2 * hops_of_tree(members));
    for (const Kind kind : {Kind::reduce_scatter, Kind::reduce_scatter_block}) {
      const Execution scattered = run({kind, members, 0, false, false}, OpenMpi{}, Bytes(8), Bytes(8));
      EXPECT_EQ(total_messages(scattered), 2 * (members - 1));
      EXPECT_EQ(total_sent(scattered), Bytes(8) * (members + 1) * (members - 1));
    }
  }
}

// What goes up and what comes down again are one round of libnbc's.
TEST(OpenMpiNonblockingReductions, WaitForTheResultWhileTheySend) {
  const ScheduleStep up{ScheduleStep::Kind::send, 0, Bytes(8)},
      down{ScheduleStep::Kind::receive, 0, Bytes(8)};
  const auto last = [](const Shape& shape) {
    return schedules_of(equal_parts(shape, Bytes(8), Bytes(8)), tuning_of(shape.kind, {}))[1];
  };
  EXPECT_EQ(last({Kind::allreduce, 2, 0, false, false}), (Schedule{up, down}));
  EXPECT_EQ(last({Kind::reduce, 2, 1, false, false, false}), (Schedule{up, down}));
}

TEST(OpenMpiNonblockingReductions, GoAroundARingWithFewLongElements) {
  // 4 members, 3 elements of 32768 bytes: fewer than the power of two, but 65536 bytes or more.
  const Bytes element(32768);
  const Execution ring = run({Kind::allreduce, 4, 0, false, false}, OpenMpi{}, element * 3, element);
  EXPECT_EQ(total_messages(ring), 4 * 6);
  EXPECT_EQ(total_sent(ring), element * 3 * 6);
  EXPECT_EQ(total_reduced(ring), element * 3 * 3);
}

TEST(OpenMpiNonblockingReduce, GoesDownAChainInPiecesForTwoMembers) {
  // 65536 bytes in 8 pieces.
  const Execution chain = run({Kind::reduce, 2, 1, false, false}, OpenMpi{}, Bytes(65536), Bytes(8));
  EXPECT_EQ(chain.members[0].messages_sent, 8);
  EXPECT_EQ(chain.members[1].reduced, Bytes(65536));
}

TEST(OpenMpiContexts, TakeThreeAllreducesOfAnInteger) {
  for (std::int32_t members = 2; members <= most_openmpi_members; ++members) {
    const Execution execution = run({Kind::create_context, members}, OpenMpi{}, Bytes());
    EXPECT_EQ(total_messages(execution), 3 * 2 * (members - 1));
    EXPECT_EQ(total_sent(execution), Bytes(4) * 3 * 2 * (members - 1));
  }
}

}  // namespace
}  // namespace morgana::schedule_tests
