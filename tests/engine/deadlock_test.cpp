#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "emulator/engine/engine.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"

// What the engine says of programs that can't go on, and of what was left over.
namespace morgana {
namespace {

using namespace script;
using namespace literals;
using testing::HasSubstr;

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
    EXPECT_THAT(
        deadlock.what(),
        HasSubstr("rank 0: waits in MPI_Waitall for a message from rank 1 with tag 5 (up to "
                  "800 bytes); sent to it, but not asked for: 100000 bytes from rank 1 with tag 6\n"));
    EXPECT_THAT(deadlock.what(),
                HasSubstr("rank 1: waits in MPI_Waitall to send 100000 bytes to rank 0 with tag 6"));
    EXPECT_THAT(deadlock.what(), HasSubstr("rank 2: has ended"));
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
    EXPECT_THAT(deadlock.what(), HasSubstr("rank 0: waits in MPI_Waitall for the other members of "
                                           "MPI_COMM_WORLD in MPI_Bcast"));
    EXPECT_THAT(deadlock.what(),
                HasSubstr("rank 1: waits in MPI_Waitall for the other members of a communicator of 2 ranks "
                          "(2, 1) made by MPI_Comm_split in MPI_Bcast"));
  }
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
    EXPECT_THAT(
        deadlock.what(),
        HasSubstr("; sent to it, but not asked for: 8 bytes from rank 1 with tag 5 on a communicator of 2 "
                  "ranks (0, 1) made by MPI_Comm_split, 1 byte from rank 2 with tag 5, 16 bytes from "
                  "rank 1 with tag 6 and 1 more\n"));
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
    EXPECT_THAT(deadlock.what(),
                HasSubstr("rank 0: waits in MPI_Waitall for a message from rank 1 with tag 5 on "
                          "a communicator of 2 ranks (0, 1) made by MPI_Comm_split (up to 8 "
                          "bytes)"));
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
    EXPECT_THAT(deadlock.what(), HasSubstr("waits in MPI_Bcast for the other members of MPI_COMM_WORLD\n"));
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
    EXPECT_THAT(error.what(),
                HasSubstr("as collective number 1 of MPI_COMM_WORLD, where rank 0 has entered"));
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
