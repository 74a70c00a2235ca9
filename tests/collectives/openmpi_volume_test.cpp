#include <algorithm>

#include "tests/collectives/openmpi_volume.h"

// Messages, bytes and rounds of Open MPI's algorithms that move data, as their descriptions say.
namespace morgana::schedule_tests {
namespace {

TEST(OpenMpiBarriers, SendTheMessagesOfTheirAlgorithms) {
  const auto expect = [](std::string_view algorithm, auto messages) {
    for_openmpi(Kind::barrier, {algorithm}, Bytes(),
                [&](std::int32_t members, const Execution& execution, std::int32_t) {
                  EXPECT_EQ(total_messages(execution), messages(members));
                  EXPECT_EQ(total_sent(execution), Bytes());
                  for (const auto& member : execution.members)
                    EXPECT_EQ(member.heard_of.count(), static_cast<std::size_t>(members));
                });
  };
  const auto there_and_back = [](std::int32_t n) { return 2 * (n - 1); };
  expect("linear", there_and_back);
  expect("tree", there_and_back);
  expect("double-ring", [](std::int32_t n) { return 2 * n; });
  expect("bruck", [](std::int32_t n) { return n * rounds_of_halving(n); });
  expect("recursive-doubling", [](std::int32_t n) {
    const std::int32_t power = power_within(n);
    return power * hops_of_tree(n) + 2 * (n - power);
  });
  EXPECT_EQ(total_messages(run({Kind::barrier, 2}, OpenMpi{"two-proc"}, Bytes())), 2);
}

TEST(OpenMpiBarriers, TakeTheirRounds) {
  for_openmpi(Kind::barrier, {"double-ring"}, Bytes(),
              [](std::int32_t members, const Execution& execution, std::int32_t) {
                EXPECT_EQ(execution.rounds, 2 * members);
              });
  for_openmpi(Kind::barrier, {"linear"}, Bytes(),
              [](std::int32_t members, const Execution& execution, std::int32_t) {
                EXPECT_EQ(execution.rounds, 1 + (members - 1));  // member 0 lets the others go one by one
              });
}

/// The deepest of `members` numbers in a tree in base 4.
int depth_in_base_four(std::int32_t members) {
  int deepest = 0;
  for (std::int32_t number = 0; number < members; ++number) {
    int digits = 0;
    for (std::int32_t rest = number; rest > 0; rest /= 4) digits += rest % 4 != 0 ? 1 : 0;
    deepest = std::max(deepest, digits);
  }
  return deepest;
}

TEST(OpenMpiBroadcasts, BringTheMessageOnceToEveryoneInTheDepthOfTheirTrees) {
  const auto expect = [](const OpenMpi& how, auto rounds) {
    for_openmpi(
        Kind::broadcast, how, Bytes(1000),
        [&](std::int32_t members, const Execution& execution, std::int32_t root) {
          EXPECT_EQ(total_messages(execution), members - 1);
          for (std::int32_t me = 0; me < members; ++me)
            EXPECT_EQ(execution.members[static_cast<std::size_t>(me)].received,
                      me == root ? Bytes() : Bytes(1000));
          EXPECT_EQ(execution.rounds, rounds(members));
        },
        rooted);
  };
  expect({"linear"}, [](std::int32_t) { return 1; });
  expect({"pipeline"}, [](std::int32_t n) { return n - 1; });
  expect({"chain"}, [](std::int32_t n) { return n - 1; });
  expect({"chain", Bytes(), 4}, [](std::int32_t n) { return (n - 1 + 3) / 4; });
  expect({"binary"}, [](std::int32_t n) { return hops_of_tree(n); });
  expect({"binomial"}, [](std::int32_t n) { return hops_of_tree(n); });
  expect({"knomial"}, [](std::int32_t n) { return depth_in_base_four(n); });
}

TEST(OpenMpiBroadcasts, GoInPieces) {
  for (const std::string_view algorithm : {"pipeline", "chain", "binary", "binomial", "knomial"})
    for_openmpi(
        Kind::broadcast, {algorithm, Bytes(300)}, Bytes(1000),
        [&](std::int32_t members, const Execution& execution, std::int32_t) {
          EXPECT_EQ(total_messages(execution), 4 * (members - 1));  // 300, 300, 300 and 100 bytes
          EXPECT_EQ(total_sent(execution), Bytes(1000) * (members - 1));
          if (algorithm == "pipeline") {
            EXPECT_EQ(execution.rounds, members - 1 + 3);
          }
        },
        rooted);
}

TEST(OpenMpiSegments, AreWholeElementsToTheNearest) {
  const auto first_piece = [](std::int64_t segment) {
    Parts parts = equal_parts({Kind::broadcast, 2}, Bytes(800), Bytes(8));
    return schedules_of(parts, tuning_of(Kind::broadcast, {"pipeline", Bytes(segment)}))[0][0].bytes;
  };
  EXPECT_EQ(first_piece(0), Bytes(800));
  EXPECT_EQ(first_piece(7), Bytes(800));  // shorter than an element
  EXPECT_EQ(first_piece(8), Bytes(8));
  EXPECT_EQ(first_piece(20), Bytes(16));  // 2.5 elements: no more than half
  EXPECT_EQ(first_piece(21), Bytes(24));
  EXPECT_EQ(first_piece(800), Bytes(800));
  EXPECT_EQ(first_piece(799), Bytes(800));  // 99.9 elements
}

TEST(OpenMpiSplitBinaryBroadcast, SendsHalvesDownAndExchangesThem) {
  for (const std::int64_t segment : {0, 100})
    for_openmpi(
        Kind::broadcast, {"split-binary", Bytes(segment)}, Bytes(1001),
        [&](std::int32_t members, const Execution& execution, std::int32_t root) {
          for (std::int32_t me = 0; me < members; ++me)
            EXPECT_EQ(execution.members[static_cast<std::size_t>(me)].received,
                      me == root ? Bytes() : Bytes(1001));
          if (segment > 0) return;
          // Each gets one half down the tree; pairs exchange, and the last of an even number hears the root.
          EXPECT_EQ(total_messages(execution), 2 * (members - 1));
        },
        rooted);
  // Halves of 501 and 500 bytes: the left subtree of 4 (numbers 1 and 3) gets the first.
  const Execution four = run({Kind::broadcast, 4}, OpenMpi{"split-binary"}, Bytes(1001));
  EXPECT_EQ(four.members[0].sent, Bytes(501 + 500 + 500));
  EXPECT_EQ(four.members[1].sent, Bytes(501 + 501));  // to 3, and to 2 in exchange
  EXPECT_EQ(four.members[2].sent, Bytes(500));
  EXPECT_EQ(four.members[3].sent, Bytes());
  // One byte has no second half.
  EXPECT_EQ(total_messages(run({Kind::broadcast, 5}, OpenMpi{"split-binary"}, Bytes(1))), 4);
}

// Steps of schedules.
ScheduleStep receive(std::int32_t from, std::int64_t bytes) {
  return {ScheduleStep::Kind::receive, from, Bytes(bytes)};
}
ScheduleStep send(std::int32_t to, std::int64_t bytes) {
  return {ScheduleStep::Kind::send, to, Bytes(bytes)};
}
const ScheduleStep fence{ScheduleStep::Kind::fence, -1, Bytes()};

// Intermediate members send a piece to one child after the other; the next piece is received beside the last.
TEST(OpenMpiSplitBinaryBroadcast, SendsAPieceToOneChildAfterTheOther) {
  // Number 1 of 7: halves of 200 bytes in two pieces, from 0, to 3 and 5; then it exchanges with 2.
  const Schedule one = schedules_of(equal_parts({Kind::broadcast, 7}, Bytes(400)),
                                    tuning_of(Kind::broadcast, {"split-binary", Bytes(100)}))[1];
  EXPECT_EQ(one, (Schedule{receive(0, 100), fence, send(3, 100), fence, receive(0, 100), send(5, 100), fence,
                           send(3, 100), fence, send(5, 100), fence, receive(2, 200), send(2, 200)}));
}

TEST(OpenMpiScatterAllgatherBroadcasts, CutWholeElements) {
  for (const std::string_view algorithm : {"scatter-allgather", "scatter-allgather-ring"}) {
    const auto schedules = [algorithm](std::int64_t bytes, const char* how) {
      return schedules_of(equal_parts({Kind::broadcast, 5}, Bytes(bytes), Bytes(8)),
                          tuning_of(Kind::broadcast, {how == nullptr ? algorithm : how}));
    };
    EXPECT_EQ(schedules(32, nullptr), schedules(32, "linear"));  // 4 elements for 5 members
    // 11 elements: 3, 3, 3, 2 and none. The root sends numbers 4, 2 (and 3) and 1 theirs.
    const Schedule root = schedules(88, nullptr)[0];
    EXPECT_EQ(root[0], send(2, 24 + 16));
    EXPECT_EQ(root[2], send(1, 24));
  }
}

TEST(OpenMpiScatterAllgatherBroadcasts, AreMpichsUnlessThereIsLessThanAByteForEach) {
  for (const auto& [own, mpichs] : {std::pair{"scatter-allgather", "scatter-recursive-doubling-allgather"},
                                    std::pair{"scatter-allgather-ring", "scatter-ring-allgather"}})
    for (std::int32_t members = 2; members <= most_openmpi_members; ++members) {
      const Parts parts = equal_parts({Kind::broadcast, members, members / 2}, Bytes(members));
      EXPECT_EQ(schedules_of(parts, tuning_of(Kind::broadcast, {own})),
                schedules_of(parts, tuned(Kind::broadcast, mpichs)));
      const Parts shorter = equal_parts({Kind::broadcast, members, members / 2}, Bytes(members - 1));
      EXPECT_EQ(schedules_of(shorter, tuning_of(Kind::broadcast, {own})),
                schedules_of(shorter, tuning_of(Kind::broadcast, {"linear"})));
    }
}

TEST(OpenMpiGathers, BringEveryBlockToTheRoot) {
  const auto at_root = [](const OpenMpi& how, int messages_of_each, bool forwards) {
    for_openmpi(
        Kind::gather, how, Bytes(1000),
        [&](std::int32_t members, const Execution& execution, std::int32_t root) {
          const auto& received = execution.members[static_cast<std::size_t>(root)].received;
          EXPECT_EQ(received, Bytes(1000) * (members - 1));
          if (forwards) return;
          EXPECT_EQ(total_sent(execution), Bytes(1000) * (members - 1));
          EXPECT_EQ(total_messages(execution), messages_of_each * (members - 1));
        },
        rooted);
  };
  at_root({"linear"}, 1, false);
  at_root({"linear-sync"}, 3, false);  // the root's question, the block, and an empty rest
  at_root({"linear-sync", Bytes(300)}, 3, false);
  at_root({"binomial"}, 1, true);
  for_openmpi(Kind::gather, {"binomial"}, Bytes(100),
              [](std::int32_t members, const Execution& execution, std::int32_t) {
                EXPECT_EQ(execution.rounds, hops_of_tree(members));
                for (std::int32_t number = 1; number < members; ++number)
                  EXPECT_EQ(execution.members[static_cast<std::size_t>(number)].sent,
                            Bytes(100) * std::min(number & -number, members - number));
              });
}

// The receive of a rest is posted before the root asks the next member.
TEST(OpenMpiLinearSyncGather, AsksOneMemberAfterTheOther) {
  const Schedule root = schedules_of(equal_parts({Kind::gather, 3}, Bytes(1000)),
                                     tuning_of(Kind::gather, {"linear-sync", Bytes(300)}))[0];
  EXPECT_EQ(root, (Schedule{receive(1, 300),
                            send(1, 0),
                            fence,
                            receive(1, 700),
                            receive(2, 300),
                            send(2, 0),
                            fence,
                            receive(2, 700),
                            {ScheduleStep::Kind::copy, -1, Bytes(1000)}}));
}

TEST(OpenMpiGathers, CopyWhereTheRootCollectsInABufferOfItsOwn) {
  const auto copied = [](std::int32_t root, bool in_place, std::int32_t me) {
    return run({Kind::gather, 8, root, in_place}, OpenMpi{"binomial"}, Bytes(100))
        .members[static_cast<std::size_t>(me)]
        .copied;
  };
  EXPECT_EQ(copied(0, false, 0), Bytes(100));
  EXPECT_EQ(copied(0, true, 0), Bytes());
  EXPECT_EQ(copied(3, true, 3), Bytes(100 + 800));  // into the buffer, and all back in order
  EXPECT_EQ(copied(0, false, 1), Bytes());          // a leaf
  EXPECT_EQ(copied(0, false, 2), Bytes(100));
}

TEST(OpenMpiScatters, TakeEveryBlockToItsMember) {
  const auto from_root = [](std::string_view algorithm, auto rounds) {
    for_openmpi(
        Kind::scatter, {algorithm}, Bytes(1000),
        [&](std::int32_t members, const Execution& execution, std::int32_t root) {
          EXPECT_EQ(execution.members[static_cast<std::size_t>(root)].sent, Bytes(1000) * (members - 1));
          EXPECT_EQ(total_messages(execution), members - 1);
          EXPECT_EQ(execution.rounds, rounds(members));
        },
        rooted);
  };
  from_root("linear", [](std::int32_t n) { return n - 1; });
  from_root("linear-nonblocking", [](std::int32_t) { return 1; });
  from_root("binomial", [](std::int32_t n) { return rounds_of_halving(n); });
}

TEST(OpenMpiAllgathers, BringEveryoneExactlyWhatIsNotTheirs) {
  const auto expect = [](Kind kind, std::string_view algorithm, auto messages) {
    for_openmpi(kind, {algorithm}, Bytes(1000),
                [&](std::int32_t members, const Execution& execution, std::int32_t) {
                  expect_of_all(execution, [&](const Execution::Member& member) {
                    EXPECT_EQ(member.received, Bytes(1000) * (members - 1));
                    EXPECT_EQ(member.messages_sent, messages(members));
                  });
                  EXPECT_EQ(execution.rounds, messages(members));
                });
  };
  const auto around_ring = [](std::int32_t n) { return n - 1; };
  const auto with_neighbors = [](std::int32_t n) { return n % 2 == 0 ? n / 2 : n - 1; };
  for (const Kind kind : {Kind::allgather, Kind::allgatherv}) {
    expect(kind, "ring", around_ring);
    expect(kind, "bruck", rounds_of_halving);
    expect(kind, "neighbor-exchange", with_neighbors);
  }
  expect(Kind::allgather, "recursive-doubling", rounds_of_halving);
  for (const Kind kind : {Kind::allgather, Kind::allgatherv}) {
    const Execution two = run({kind, 2}, OpenMpi{"two-proc"}, Bytes(1000));
    EXPECT_EQ(total_messages(two), 2);
    EXPECT_EQ(total_sent(two), Bytes(2000));
  }
}

TEST(OpenMpiAllgathers, GatherAndBroadcastAll) {
  for (const Kind kind : {Kind::allgather, Kind::allgatherv})
    for_openmpi(kind, {"linear"}, Bytes(1000),
                [](std::int32_t members, const Execution& execution, std::int32_t) {
                  EXPECT_EQ(execution.members[0].received, Bytes(1000) * (members - 1));
                  EXPECT_GE(execution.members[1].received, Bytes(1000) * members);
                });
}

TEST(OpenMpiAllgathervs, SendUnequalAndEmptyBlocks) {
  const std::vector<Bytes> sizes{Bytes(700), Bytes(), Bytes(40), Bytes(5), Bytes(), Bytes(3)};
  const Bytes total(748);
  Parts parts = equal_parts({Kind::allgatherv, 6}, Bytes());
  for (CollectivePart& part : parts) part.receive_sizes = sizes;
  for (const std::string_view algorithm : {"ring", "bruck", "neighbor-exchange"}) {
    const Execution execution =
        execute(schedules_of(parts, tuning_of(Kind::allgatherv, {algorithm})), Sends::eager);
    EXPECT_EQ(execution.failure, "");
    for (std::size_t me = 0; me < 6; ++me) EXPECT_EQ(execution.members[me].received, total - sizes[me]);
    EXPECT_EQ(total_messages(execution), algorithm == "ring" ? 30 : 18);
  }
}

// MPI_Allgatherv itself returns at once.
TEST(OpenMpiAllgathervs, OfNothingSendNothing) {
  for (const std::string_view algorithm : {"linear", "ring", "bruck", "neighbor-exchange"})
    EXPECT_EQ(total_messages(run({Kind::allgatherv, 6}, OpenMpi{algorithm}, Bytes())), 0) << algorithm;
  EXPECT_EQ(total_messages(run({Kind::allgatherv, 2}, OpenMpi{"two-proc"}, Bytes())), 0);
}

TEST(OpenMpiAlltoalls, SendEveryBlockOnceUnlessTheyForward) {
  for (const Kind kind : {Kind::alltoall, Kind::alltoallv, Kind::alltoallw})
    for (const std::string_view algorithm : {"linear", "linear-sync", "pairwise"}) {
      if (kind != Kind::alltoall && algorithm == "linear-sync") continue;
      if (kind == Kind::alltoallw && algorithm == "pairwise") continue;  // MPICH's name there
      for_openmpi(kind, {algorithm}, Bytes(100),
                  [&](std::int32_t members, const Execution& execution, std::int32_t) {
                    expect_of_all(execution, [&](const Execution::Member& member) {
                      EXPECT_EQ(member.sent, Bytes(100) * (members - 1));
                      EXPECT_EQ(member.messages_sent, members - 1);
                      EXPECT_EQ(member.copied, Bytes(100));
                    });
                    EXPECT_EQ(execution.rounds, algorithm == "pairwise" ? members - 1 : 1);
                  });
    }
  for_openmpi(Kind::alltoall, {"bruck"}, Bytes(100),
              [](std::int32_t members, const Execution& execution, std::int32_t) {
                int hops = 0;
                for (std::int32_t distance = 1; distance < members; ++distance)
                  hops += std::popcount(static_cast<std::uint32_t>(distance));
                expect_of_all(execution, [&](const Execution::Member& member) {
                  EXPECT_EQ(member.sent, Bytes(100) * hops);
                  EXPECT_EQ(member.messages_sent, rounds_of_halving(members));
                  EXPECT_EQ(member.copied, Bytes(100) * (2 * members + hops));
                });
              });
  EXPECT_EQ(total_sent(run({Kind::alltoall, 2}, OpenMpi{"two-proc"}, Bytes(100))), Bytes(200));
}

TEST(OpenMpiAlltoalls, InPlaceExchangeWithEveryoneOnceAndCopyOneOfTwo) {
  for (const Kind kind : {Kind::alltoall, Kind::alltoallv, Kind::alltoallw})
    for (const bool blocking : {true, false})
      for (std::int32_t members = 2; members <= most_openmpi_members; ++members) {
        SCOPED_TRACE(members);
        const Execution execution = run({kind, members, 0, true, blocking}, OpenMpi{}, Bytes(100));
        expect_of_all(execution, [&](const Execution::Member& member) {
          EXPECT_EQ(member.sent, Bytes(100) * (members - 1));
          EXPECT_EQ(member.received, Bytes(100) * (members - 1));
          EXPECT_EQ(member.copied, Bytes(100) * (members / 2));
        });
      }
}

TEST(OpenMpiAlltoallvs, SendEmptyBlocksButAlltoallwDoesNot) {
  EXPECT_EQ(total_messages(run({Kind::alltoallv, 5}, OpenMpi{"linear"}, Bytes())), 20);
  EXPECT_EQ(total_messages(run({Kind::alltoallv, 5}, OpenMpi{"pairwise"}, Bytes())), 20);
  EXPECT_EQ(total_messages(run({Kind::alltoallw, 5}, OpenMpi{"linear"}, Bytes())), 0);
  EXPECT_EQ(total_messages(run({Kind::alltoallv, 5, 0, false, false}, OpenMpi{}, Bytes())), 0);
}

TEST(OpenMpiNonblocking, MovesEverythingAtOnce) {
  const auto at_once = [](Kind kind, Bytes bytes) {
    for (std::int32_t members = 2; members <= most_openmpi_members; ++members) {
      const Execution execution = run({kind, members, 0, false, false}, OpenMpi{}, bytes);
      EXPECT_EQ(execution.rounds, 1);
      EXPECT_EQ(total_sent(execution), bytes * members * (members - 1));
    }
  };
  at_once(Kind::allgather, Bytes(100'000));
  at_once(Kind::allgatherv, Bytes(100'000));
  at_once(Kind::alltoall, Bytes(100'000));
  at_once(Kind::alltoallv, Bytes(100'000));
  for (const Kind kind : {Kind::gather, Kind::gatherv, Kind::scatter, Kind::scatterv}) {
    const Execution execution = run({kind, 17, 5, false, false}, OpenMpi{}, Bytes(100));
    EXPECT_EQ(execution.rounds, 1);
    EXPECT_EQ(total_sent(execution), Bytes(1600));
  }
}

}  // namespace
}  // namespace morgana::schedule_tests
