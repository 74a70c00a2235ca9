#include "emulator/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;
using testing::ElementsAre;

std::vector<SimTime> run(Machine machine, ScriptedSource& source) {
  return Engine(machine, source, {}).run();
}

TEST(Engine, GivesABlockingEagerMessageLogGPsTime) {
  ScriptedSource source({{send(1, 1, 5, 1), wait({1}), exit()}, {receive(0, 1, 5, 1), wait({1}), exit()}});
  EXPECT_THAT(run(logp_machine(2), source), ElementsAre(o_s, o_s + L + o_r));
  const Completed& completed = source.answers[1].at(0).completed.at(0);
  EXPECT_EQ(completed.source, Rank{0});
  EXPECT_EQ(completed.tag, Tag{5});
  EXPECT_EQ(completed.bytes, 1_B);
  EXPECT_EQ(completed.payload, 1005U);
}

TEST(Engine, ChargesTheBytesOfALongerEagerMessageToTheWire) {
  ScriptedSource source(
      {{send(1, 4096, 5, 1), wait({1}), exit()}, {receive(0, 4096, 5, 1), wait({1}), exit()}});
  EXPECT_THAT(run(logp_machine(2), source), ElementsAre(o_s, o_s + L + G.time_for(4095_B) + o_r));
}

TEST(Engine, SendsALongMessageByRequestClearanceAndData) {
  ScriptedSource source(
      {{send(1, 5000, 5, 1), wait({1}), exit()}, {receive(0, 5000, 5, 1), wait({1}), exit()}});
  const SimTime data_starts = o_s + L + L;  // the request there, the clearance back
  const SimTime wire = G.time_for(4999_B);
  EXPECT_THAT(run(logp_machine(2), source), ElementsAre(data_starts + wire, data_starts + wire + L + o_r));
}

TEST(Engine, HoldsTheSenderOfALongMessageUntilItsReceiveIsPosted) {
  ScriptedSource source(
      {{send(1, 5000, 5, 1), wait({1}), exit()}, {after(1_ms, receive(0, 5000, 5, 1)), wait({1}), exit()}});
  EXPECT_THAT(run(logp_machine(2), source),
              ElementsAre(1_ms + L + G.time_for(4999_B), 1_ms + L + G.time_for(4999_B) + L + o_r));
}

TEST(Engine, EndsASynchronousSendWhenTheMatchIsAcknowledged) {
  ScriptedSource source({{send(1, 8, 5, 1, SendMode::synchronous), wait({1}), exit()},
                         {after(1_ms, receive(0, 8, 5, 1)), wait({1}), exit()}});
  EXPECT_THAT(run(logp_machine(2), source), ElementsAre(1_ms + L, 1_ms + o_r));
}

TEST(Engine, EndsABufferedSendAtOnceHoweverLongItIs) {
  ScriptedSource source({{send(1, 100000, 5, 1, SendMode::buffered), wait({1}), exit()},
                         {after(1_ms, receive(0, 100000, 5, 1)), wait({1}), exit()}});
  EXPECT_EQ(run(logp_machine(2), source).at(0), o_s);
}

TEST(Engine, MovesMessagesWithinAHostThroughItsMemory) {
  ScriptedSource source(
      {{send(1, 1000, 5, 1), wait({1}), exit()}, {receive(0, 1000, 5, 1), wait({1}), exit()}});
  const SimTime copy = 100_ns;  // 1000 bytes at 0.1 ns
  EXPECT_THAT(run(logp_machine(2, 2), source),
              ElementsAre(200_ns + copy, 200_ns + copy + 50_ns + 200_ns + copy));
}

TEST(Engine, CopiesALongMessageWithinAHostOnce) {
  ScriptedSource source(
      {{send(1, 10000, 5, 1), wait({1}), exit()}, {receive(0, 10000, 5, 1), wait({1}), exit()}});
  const SimTime done = 200_ns + 50_ns + 1_us;  // the request, then one copy of 10000 bytes at 0.1 ns
  EXPECT_THAT(run(logp_machine(2, 2), source), ElementsAre(done, done + 200_ns));
}

TEST(Engine, CopiesLongMessagesToOneRankOfAHostOneAfterTheOther) {
  // The requests leave at 200, 400 and 600 ns and are there 50 ns later; each copy of 10000 bytes at 0.1 ns
  // takes 1 us: they end at 1250, 2250 and 3250 ns. The receiver's overheads of 200 ns follow the arrivals:
  // the last one at 3450 ns.
  ScriptedSource source(
      {{send(1, 10000, 1, 1), send(1, 10000, 2, 2), send(1, 10000, 3, 3), wait({1, 2, 3}), exit()},
       {receive(0, 10000, 1, 1), receive(0, 10000, 2, 2), receive(0, 10000, 3, 3), wait({1, 2, 3}), exit()}});
  EXPECT_THAT(run(logp_machine(2, 2), source), ElementsAre(3250_ns, 3450_ns));
}

TEST(Engine, CopiesLongMessagesToTwoRanksOfAHostSideBySide) {
  // The requests leave at 200 and 400 ns, and each receiver copies its own.
  ScriptedSource source({{send(1, 10000, 1, 1), send(2, 10000, 1, 2), wait({1, 2}), exit()},
                         {receive(0, 10000, 1, 1), wait({1}), exit()},
                         {receive(0, 10000, 1, 1), wait({1}), exit()}});
  EXPECT_THAT(run(logp_machine(3, 3), source), ElementsAre(1450_ns, 1450_ns, 1650_ns));
}

TEST(Engine, OverlapsComputingWithANonblockingReceive) {
  ScriptedSource source(
      {{send(1, 1, 5, 1), wait({1}), exit()}, {receive(0, 1, 5, 1), after(1_ms, wait({1})), exit()}});
  EXPECT_EQ(run(logp_machine(2), source).at(1), 1_ms + o_r);
}

TEST(Engine, MatchesAWildcardByArrivalInSimulatedTime) {
  // Rank 1 sends first in the list's order, rank 2 first in time.
  ScriptedSource source({{receive(-1, 8, -1, 1), wait({1}), receive(-1, 8, -1, 2), wait({2}), exit()},
                         {after(2_ms, send(0, 8, 1, 1)), wait({1}), exit()},
                         {after(1_ms, send(0, 8, 2, 1)), wait({1}), exit()}});
  run(logp_machine(3), source);
  EXPECT_EQ(source.answers[0].at(0).completed.at(0).source, Rank{2});
  EXPECT_EQ(source.answers[0].at(1).completed.at(0).source, Rank{1});
}

TEST(Engine, CompletesTheFirstOfAWaitAny) {
  ScriptedSource source(
      {{receive(1, 8, 5, 1), receive(2, 8, 5, 2), wait({1, 2}, Completion::any), wait({1}), exit()},
       {after(2_ms, send(0, 8, 5, 1)), wait({1}), exit()},
       {after(1_ms, send(0, 8, 5, 1)), wait({1}), exit()}});
  run(logp_machine(3), source);
  ASSERT_EQ(source.answers[0].at(0).completed.size(), 1U);
  EXPECT_EQ(source.answers[0].at(0).completed[0].request, RequestId{2});
  EXPECT_EQ(source.answers[0].at(0).clock, 1_ms + o_s + L + G.time_for(7_B) + o_r);
}

TEST(Engine, ChargesATestThatFindsNothing) {
  ScriptedSource source({{receive(1, 8, 5, 1), wait({1}, Completion::all, OperationKind::test),
                          after(1_ms, wait({1}, Completion::all, OperationKind::test)), exit()},
                         {send(0, 8, 5, 1), wait({1}), exit()}});
  run(logp_machine(2), source);
  EXPECT_TRUE(source.answers[0].at(0).completed.empty());
  EXPECT_EQ(source.answers[0].at(0).clock, 100_ns);
  EXPECT_EQ(source.answers[0].at(1).completed.size(), 1U);
  EXPECT_EQ(source.answers[0].at(1).clock, 100_ns + 1_ms + o_r);
}

TEST(Engine, LetsAProbeSeeTheMessageAndLeaveIt) {
  Operation probe = plain(OperationKind::probe);
  probe.wants_answer = true;
  ScriptedSource source(
      {{probe, receive(1, 8, 5, 1), wait({1}), exit()}, {after(1_ms, send(0, 8, 5, 1)), wait({1}), exit()}});
  run(logp_machine(2), source);
  EXPECT_EQ(source.answers[0].at(0).completed.at(0).source, Rank{1});
  EXPECT_EQ(source.answers[0].at(0).clock, 1_ms + o_s + L + G.time_for(7_B));
  EXPECT_EQ(source.answers[0].at(1).completed.at(0).bytes, 8_B);
}

TEST(Engine, CancelsNoReceiveWhoseRendezvousHasBegun) {
  // The request is there after o_s + L and a byte, the data two ways later; the cancel lies between.
  Operation cancel = plain(OperationKind::cancel);
  cancel.request = RequestId{1};
  Operation again = receive(0, 8, 6, 2);
  ScriptedSource source(
      {{send(1, 5000, 5, 1), wait({1}), send(1, 8, 6, 2), wait({2}), exit()},
       {receive(0, 5000, 5, 1), after(o_s + L + 1_us, cancel), wait({1}), again, wait({2}), exit()}});
  Machine machine = logp_machine(2);
  Engine(machine, source, {}).run();
  const Completed& completed = source.answers[1].at(0).completed.at(0);
  EXPECT_FALSE(completed.cancelled);
  EXPECT_EQ(completed.bytes, 5000_B);
  EXPECT_EQ(source.answers[1].at(1).completed.at(0).bytes, 8_B);
}

TEST(Engine, TakesACancelledReceiveOutOfTheLine) {
  Operation cancel = plain(OperationKind::cancel);
  cancel.request = RequestId{1};
  ScriptedSource source({{receive(-1, 8, -1, 1), cancel, wait({1}), receive(1, 8, 5, 2), wait({2}), exit()},
                         {after(1_ms, send(0, 8, 5, 1)), wait({1}), exit()}});
  run(logp_machine(2), source);
  EXPECT_TRUE(source.answers[0].at(0).completed.at(0).cancelled);
  EXPECT_EQ(source.answers[0].at(1).completed.at(0).source, Rank{1});
}

TEST(Engine, SleepsAndTellsTheTime) {
  Operation sleep = plain(OperationKind::sleep);
  sleep.duration = 5_s;
  ScriptedSource source({{after(1_ms, sleep), after(2_ms, plain(OperationKind::read_clock)), exit()}});
  run(logp_machine(1), source);
  EXPECT_EQ(source.answers[0].at(0).clock, 5_s + 3_ms);
}

TEST(Engine, HoldsABarrierUntilTheLastHasCome) {
  ScriptedSource source({{collective(CollectiveKind::barrier, 0, 1), wait({1}), exit()},
                         {after(1_ms, collective(CollectiveKind::barrier, 0, 1)), wait({1}), exit()}});
  EXPECT_THAT(run(logp_machine(2), source), ElementsAre(1_ms + o_s + L + o_r, 1_ms + o_s + o_r));
}

TEST(Engine, GivesEveryMemberTheDepositsOfThoseItDependsOn) {
  std::vector<std::vector<Operation>> scripts;
  for (std::uint64_t rank = 0; rank < 5; ++rank) {
    Operation all = collective(CollectiveKind::allreduce, 8, 1);
    all.collective.element = 8_B;
    all.payload = rank + 1;
    scripts.push_back({after(static_cast<std::int64_t>(rank) * 1_ms, all), wait({1}), exit()});
  }
  ScriptedSource source(scripts);
  run(logp_machine(5), source);
  for (const auto& answers : source.answers)
    EXPECT_THAT(answers.at(0).completed.at(0).deposits, ElementsAre(1, 2, 3, 4, 5));
}

/// A long allreduce, of which the last member to enter says `bytes`.
std::vector<SimTime> allreduce_with_a_last_member_of(std::int64_t bytes) {
  const auto part = [](std::int64_t size) {
    Operation all = collective(CollectiveKind::allreduce, size, 1);
    all.collective.element = 4_B;
    return all;
  };
  std::vector<std::vector<Operation>> scripts;
  for (int rank = 0; rank < 3; ++rank) scripts.push_back({part(65536), wait({1}), exit()});
  scripts.push_back({after(1_ms, part(bytes)), wait({1}), exit()});
  ScriptedSource source(std::move(scripts));
  return run(logp_machine(4), source);
}

// A reduction of 65,536 bytes is a reduce-scatter and an allgather, one of 4 bytes an exchange of everything
// by recursive doubling (MPICH 4.0): half the one and half the other would never end.
TEST(Engine, CarriesOutACollectiveWithTheSizesOfItsFirstMemberWhereMembersDisagree) {
  EXPECT_EQ(allreduce_with_a_last_member_of(4), allreduce_with_a_last_member_of(65536));
}

TEST(Engine, CarriesOutAnAllgathervWithTheSizesOfItsFirstMemberWhereMembersDisagree) {
  const auto sizes = [](std::int64_t of_last) {
    Operation all = collective(CollectiveKind::allgatherv, 0, 1);
    all.collective.receive_sizes = {8_B, 8_B, 8_B, Bytes(of_last)};
    return all;
  };
  const auto exits = [&](std::int64_t as_the_last_says) {
    ScriptedSource source({{sizes(8), wait({1}), exit()},
                           {sizes(8), wait({1}), exit()},
                           {sizes(8), wait({1}), exit()},
                           {after(1_ms, sizes(as_the_last_says)), wait({1}), exit()}});
    return run(logp_machine(4), source);
  };
  EXPECT_EQ(exits(1 << 20), exits(8));
}

TEST(Engine, RefusesMembersThatEnterDifferentCollectives) {
  ScriptedSource source({{collective(CollectiveKind::barrier, 0, 1), wait({1}), exit()},
                         {after(1_us, collective(CollectiveKind::broadcast, 8, 1)), wait({1}), exit()}});
  try {
    run(logp_machine(2), source);
    FAIL() << "accepted";
  } catch (const Error& error) {
    expect_message(error.what(), "rank 1 enters");
  }
}

TEST(Engine, RefusesOperationsThatMakeNoSense) {
  const auto refusal = [](Operation operation) {
    ScriptedSource source({{std::move(operation), exit()}});
    try {
      run(logp_machine(1), source);
    } catch (const Deadlock&) {
      return std::string("deadlock");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  expect_message(refusal(send(1, 8, 5, 1)), {"rank 0: MPI_Isend", "rank 1", "0 to 0"});
  expect_message(refusal(send(-1, 8, 5, 1)), {"rank 0: MPI_Isend", "rank -1"});
  expect_message(refusal(send(0, -8, 5, 1)), "rank 0: MPI_Isend");
  expect_message(refusal(send(0, 8, -1, 1)), {"rank 0: MPI_Isend", "tag -1"});
  expect_message(refusal(wait({7})), {"rank 0: MPI_Waitall", "request 7"});
  Operation elsewhere = collective(CollectiveKind::barrier, 0, 1);
  elsewhere.context = Context{99};
  expect_message(refusal(elsewhere), "rank 0");
  Operation plane = send(0, 8, 5, 1);
  plane.context = Context{std::uint64_t{1} << 63};
  expect_message(refusal(plane), "rank 0: MPI_Isend");
  expect_message(refusal(after(SimTime() - 1_ps, send(0, 8, 5, 1))), "rank 0");
}

TEST(Engine, RefusesARequestNamedTwice) {
  ScriptedSource source({{receive(0, 8, 5, 1), wait({1, 1}), exit()}});
  EXPECT_THROW(run(logp_machine(1), source), Error);
}

/// A valid random program: everybody sends to everybody in rounds, with wildcards, tests, collectives and
/// computing.
std::vector<std::vector<Operation>> random_program(std::uint64_t seed, std::size_t ranks) {
  RandomStream random(seed, "program");
  std::vector<std::vector<Operation>> scripts(ranks);
  const bool wild = random.chance(0.5);  // all receives or none: a wildcard may take a later round's message
  for (int round = 0; round < 6; ++round) {
    const int shift = 1 + static_cast<int>(random.below(ranks));
    const auto bytes =
        static_cast<std::int64_t>(random.below(wild ? 4000 : 9000));  // so none may wait for its own
    const bool polls = random.chance(0.3), gathers = random.chance(0.4);
    for (std::size_t i = 0; i < ranks; ++i) {
      const int count = static_cast<int>(ranks);
      const int to = (static_cast<int>(i) + shift) % count,
                from = (static_cast<int>(i) + count - shift % count) % count;
      auto& script = scripts[i];
      const auto pause = [&] {
        return SimTime::from_ps(static_cast<std::int64_t>(random.below(20'000'000)));
      };
      script.push_back(after(pause(), receive(wild ? -1 : from, 10000, wild ? -1 : round, 1)));
      script.push_back(after(pause(), send(to, bytes, round, 2)));
      if (polls) {
        Operation poll = plain(OperationKind::test_probe);
        poll.wants_answer = true;
        script.push_back(after(pause(), poll));
      }
      script.push_back(after(pause(), wait({1, 2})));
      if (polls) script.push_back(plain(OperationKind::read_clock));
      if (gathers) {
        script.push_back(after(pause(), collective(CollectiveKind::allgather, 100, 3)));
        script.push_back(wait({3}));
      }
    }
  }
  for (auto& script : scripts) script.push_back(exit());
  return scripts;
}

class Interleaving : public testing::TestWithParam<int> {};

TEST_P(Interleaving, DoesNotChangeTheResult) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  const std::size_t ranks = 2 + seed % 6, per_host = 1 + seed % 3;
  auto program = random_program(seed, ranks);
  for (auto& script :
       program)  // a test may have completed the send already; then nothing is left to wait for
    std::erase_if(script, [](const Operation& o) { return o.kind == OperationKind::test; });
  ScriptedSource known(program), live(program);
  live.hesitate(seed);
  EXPECT_EQ(run(logp_machine(ranks, per_host), known), run(logp_machine(ranks, per_host), live));
  for (auto* source : {&known, &live})
    for (auto& answers : source->answers)
      for (Answer& answer : answers) {  // as far as is known by then
        answer.quiet_until = answer.quiet_but_for_computing = SimTime();
        answer.computing.clear();
      }
  EXPECT_TRUE(known.answers == live.answers);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Interleaving, testing::Range(0, 200));

}  // namespace
}  // namespace morgana
