#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "emulator/engine/engine.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"
#include "tests/support/messages.h"

// What the engine says of programs that can't go on, and of what was left over.
namespace morgana {
namespace {

using namespace script;
using namespace literals;
using testing::HasSubstr;
using testing::Not;

Operation made(Context context, std::vector<Rank> members) {
  Operation o = plain(OperationKind::context_created);
  o.call = Call::MPI_Comm_split;
  o.context = context;
  o.members = std::move(members);
  return o;
}

TEST(Engine, NamesWhatEveryRankWaitsForInADeadlock) {
  ScriptedSource source({{receive(1, 800, 5, 1), wait({1}), exit()},
                         {send(0, 100000, 6, 1, SendMode::synchronous), wait({1}), exit()},
                         {exit()}});
  try {
    Machine machine = logp_machine(3);
    Engine(machine, source, {}).run();
    FAIL() << "ended";
  } catch (const Deadlock& deadlock) {
    expect_message(deadlock.what(), {"rank 0: waits in MPI_Waitall", "from rank 1 with tag 5", "800 bytes",
                                     "100000 bytes from rank 1 with tag 6", "rank 1: waits in MPI_Waitall",
                                     "100000 bytes to rank 0 with tag 6", "rank 2: has ended"});
  }
}

TEST(Engine, NamesTheCommunicatorWhoseOtherMembersRanksWaitFor) {
  const Context pair{7};
  Operation in_pair = collective(CollectiveKind::barrier, 0, 1);
  in_pair.context = pair;
  ScriptedSource source({{collective(CollectiveKind::barrier, 0, 1), wait({1}), exit()},
                         {made(pair, {Rank{2}, Rank{1}}), in_pair, wait({1}), exit()},
                         {made(pair, {Rank{2}, Rank{1}}), exit()}});
  Machine machine = logp_machine(3);
  Engine engine(machine, source, {});
  try {
    engine.run();
    FAIL() << "no deadlock";
  } catch (const Deadlock& deadlock) {
    expect_message(deadlock.what(),
                   {"rank 0: waits in MPI_Waitall", "MPI_COMM_WORLD in MPI_Bcast",
                    "rank 1: waits in MPI_Waitall", "2 ranks (2, 1) made by MPI_Comm_split in MPI_Bcast"});
  }
}

std::string deadlock_of(std::vector<std::vector<Operation>> scripts) {
  const std::size_t ranks = scripts.size();
  ScriptedSource source(std::move(scripts));
  Machine machine = logp_machine(ranks);
  Engine engine(machine, source, {});
  try {
    engine.run();
  } catch (const Deadlock& deadlock) {
    return deadlock.what();
  }
  return "it came to its end";
}

/// A rank that sends so many bytes to one rank and receives as many from another one.
std::vector<Operation> passes_on(int to, int from, std::int64_t bytes, SendMode mode = SendMode::standard,
                                 SimTime before = SimTime()) {
  return {after(before, send(to, bytes, 5, 1, mode)), wait({1}), receive(from, bytes, 5, 2), wait({2}),
          exit()};
}

// Rank 1 computes for 9 us, its send takes 1 us of its processor, and then it waits for good. The requests to
// send are under way for 5 us from then on.
TEST(Engine, SaysWhenTheLastRankBlockedInADeadlock) {
  expect_message(deadlock_of({passes_on(1, 1, 5000), passes_on(0, 0, 5000, SendMode::standard, 9_us)}),
                 "0.000010000 s");
  expect_message(deadlock_of({passes_on(1, 1, 5000, SendMode::standard, 700_us), passes_on(0, 0, 5000)}),
                 "0.000701000 s");
  // The last one that could have helped has ended.
  expect_message(deadlock_of({{receive(1, 8, 5, 1), wait({1}), exit()}, {after(2_ms, exit())}}),
                 "0.002000000 s");
}

// The eager limit is 4096 bytes.
TEST(Engine, NamesTheCycleOfADeadlockAndWhetherItIsThereOnlyAboveTheEagerLimit) {
  const std::string above =
      deadlock_of({passes_on(1, 2, 4097), passes_on(2, 0, 4097), passes_on(0, 1, 4097)});
  EXPECT_THAT(above, HasSubstr("\n  cycle: rank 0 (MPI_Waitall) waits for rank 1 (MPI_Waitall), which waits "
                               "for rank 2 (MPI_Waitall), which waits for rank 0\n"));
  EXPECT_THAT(above, HasSubstr("\n  eager hint: the send of 4097 bytes from rank 0 to rank 1 waits for its "
                               "receive, as it is longer than messages.eager-limit (4096 bytes)."));
  expect_message(deadlock_of({passes_on(1, 2, 4096), passes_on(2, 0, 4096), passes_on(0, 1, 4096)}),
                 "it came to its end");
  // Size does not matter to a synchronous send, or to ranks that all receive first.
  for (const std::string& text :
       {deadlock_of(
            {passes_on(1, 1, 4097, SendMode::synchronous), passes_on(0, 0, 8, SendMode::synchronous)}),
        deadlock_of({{receive(1, 8000, 5, 1), wait({1}), send(1, 8000, 5, 2), wait({2}), exit()},
                     {receive(0, 8000, 5, 1), wait({1}), send(0, 8000, 5, 2), wait({2}), exit()}})}) {
    EXPECT_THAT(text, HasSubstr("cycle: rank 0 (MPI_Waitall) waits for rank 1 (MPI_Waitall), which waits for "
                                "rank 0\n"));
    EXPECT_THAT(text, Not(HasSubstr("eager hint")));
  }
}

TEST(Engine, NamesNoCycleWhereARankWaitsForOneThatHasEndedOrForAnyOfSeveral) {
  EXPECT_THAT(deadlock_of({{receive(1, 8, 5, 1), wait({1}), exit()}, {exit()}}), Not(HasSubstr("cycle")));
  // Rank 2 could still help rank 0, were it not to wait itself.
  EXPECT_THAT(deadlock_of({{receive(1, 8, 5, 1), receive(2, 8, 5, 2), wait({1, 2}, Completion::any), exit()},
                           {receive(0, 8, 5, 1), wait({1}), exit()},
                           {receive(1, 8, 5, 1), wait({1}), exit()}}),
              Not(HasSubstr("cycle")));
}

TEST(Engine, NamesTheMembersThatHaveNotCalledACollective) {
  const Operation barrier = collective(CollectiveKind::barrier, 0, 1);
  const std::string text = deadlock_of({{barrier, wait({1}), exit()},
                                        {exit()},
                                        {barrier, wait({1}), exit()},
                                        {receive(0, 8, 5, 1), wait({1}), barrier, exit()}});
  EXPECT_THAT(text, HasSubstr("\n  missing: 2 of the 4 members of MPI_COMM_WORLD have not called MPI_Bcast: "
                              "rank 1 (has ended), rank 3 (waits in MPI_Waitall)\n"));
  // Rank 3 waits for rank 0, and that for rank 3.
  EXPECT_THAT(text, HasSubstr("cycle: rank 0 (MPI_Waitall) waits for rank 3 (MPI_Waitall), which waits for "
                              "rank 0\n"));
  // Who has left the collective is not missing: a root of a broadcast sends eagerly and goes on.
  const auto part_of = [](int request) { return collective(CollectiveKind::broadcast, 8, request, 0); };
  expect_message(deadlock_of({{part_of(1), wait({1}), receive(1, 8, 5, 2), wait({2}), exit()},
                              {part_of(1), wait({1}), part_of(2), wait({2}), exit()}}),
                 {"1 of the 2 members", "MPI_COMM_WORLD", "MPI_Bcast", "rank 0 (waits in MPI_Waitall)"});
}

// In the order in which the sends began; no more than three are named.
TEST(Engine, NamesInADeadlockWhatWasSentToARankInstead) {
  const Context pair{7};
  Operation in_pair = send(0, 8, 5, 1);
  in_pair.context = pair;
  ScriptedSource source(
      {{made(pair, {Rank{0}, Rank{1}}), receive(1, 8, 5, 1), wait({1}), exit()},
       {made(pair, {Rank{0}, Rank{1}}), in_pair, wait({1}), after(9_us, send(0, 16, 6, 2)), wait({2}),
        exit()},
       {after(3_us, send(0, 1, 5, 1)), wait({1}), after(100_us, send(0, 2, 4, 2)), wait({2}), exit()}});
  Machine machine = logp_machine(3);
  Engine engine(machine, source, {});
  try {
    engine.run();
    FAIL() << "no deadlock";
  } catch (const Deadlock& deadlock) {
    expect_message(deadlock.what(),
                   {"8 bytes from rank 1 with tag 5", "2 ranks (0, 1) made by MPI_Comm_split",
                    "1 byte from rank 2 with tag 5", "16 bytes from rank 1 with tag 6", "1 more"});
  }
}

TEST(Engine, NamesTheCommunicatorOfAMessageThatIsWaitedFor) {
  const Context pair{7};
  Operation in_pair = receive(1, 8, 5, 1);
  in_pair.context = pair;
  ScriptedSource source({{made(pair, {Rank{0}, Rank{1}}), in_pair, wait({1}), exit()},
                         {made(pair, {Rank{0}, Rank{1}}), exit()}});
  Machine machine = logp_machine(2);
  Engine engine(machine, source, {});
  try {
    engine.run();
    FAIL() << "no deadlock";
  } catch (const Deadlock& deadlock) {
    expect_message(deadlock.what(), {"rank 0: waits in MPI_Waitall", "from rank 1 with tag 5",
                                     "2 ranks (0, 1) made by MPI_Comm_split", "8 bytes"});
  }
  EXPECT_THAT(engine.activity_report(), HasSubstr("rank 0: waits in MPI_Waitall for a message from rank 1"));
}

TEST(Engine, SaysTheCallOfACollectiveOnce) {
  Operation waiting = wait({1});
  waiting.call = collective(CollectiveKind::barrier, 0, 1).call;
  ScriptedSource source({{collective(CollectiveKind::barrier, 0, 1), waiting, exit()}, {exit()}});
  Machine machine = logp_machine(2);
  Engine engine(machine, source, {});
  try {
    engine.run();
    FAIL() << "no deadlock";
  } catch (const Deadlock& deadlock) {
    expect_message(deadlock.what(), {"MPI_Bcast", "MPI_COMM_WORLD"});
  }
}

TEST(Engine, NamesTheCommunicatorInWhichCollectivesDoNotFit) {
  ScriptedSource source({{collective(CollectiveKind::barrier, 0, 1), wait({1}), exit()},
                         {collective(CollectiveKind::broadcast, 8, 1), wait({1}), exit()}});
  Machine machine = logp_machine(2);
  Engine engine(machine, source, {});
  try {
    engine.run();
    FAIL() << "no error";
  } catch (const Error& error) {
    expect_message(error.what(), {"rank 1", "MPI_Bcast", "number 1 of MPI_COMM_WORLD", "rank 0"});
  }
}

TEST(Engine, ReportsHowManyMessagesNobodyReceivedAndWhichWasTheFirst) {
  // Rank 1 receives the second of three; the one with tag 5 was sent first.
  ScriptedSource source({{send(1, 16, 5, 1), send(1, 8, 6, 2), send(1, 24, 7, 3), wait({1, 2, 3}), exit()},
                         {receive(0, 8, 6, 1), wait({1}), exit()}});
  Machine machine = logp_machine(2);
  Engine engine(machine, source, {});
  engine.run();
  EXPECT_EQ(engine.unreceived_report(),
            "2 messages were never received: the first one from rank 0 to rank 1 with tag 5 (16 bytes)");
}

TEST(Engine, ReportsNothingWhereEveryMessageWasReceived) {
  ScriptedSource source({{send(1, 1, 5, 1), wait({1}), exit()}, {receive(0, 1, 5, 1), wait({1}), exit()}});
  Machine machine = logp_machine(2);
  Engine engine(machine, source, {});
  engine.run();
  EXPECT_EQ(engine.unreceived_report(), "");
}

}  // namespace
}  // namespace morgana
