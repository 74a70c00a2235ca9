// A recorded trace as a schedule: what it says, and that its replay goes as the trace's does.

#include "replay/trace_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "emulator/core/end_of_time.h"
#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "replay/graph_run.h"
#include "replay/trace_source.h"
#include "replay/translation/trace_translation.h"
#include "tests/engine/scripted_source.h"
#include "tests/support/effort.h"
#include "tests/support/goal_schedules.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"
#include "traces/export/goal.h"
#include "traces/import/goal.h"
#include "traces/otf2/trace_writer.h"

namespace morgana {
namespace {

using namespace script;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Script = std::vector<std::vector<Operation>>;

Operation after(std::int64_t ps, Operation operation) {
  operation.elapsed = SimTime::from_ps(ps);
  return operation;
}

Operation of_kind(OperationKind kind, Call call) {
  Operation operation;
  operation.kind = kind;
  operation.call = call;
  return operation;
}

class TraceScheduleTest : public ::testing::Test {
 protected:
  static Machine machine(const Platform& platform, std::size_t ranks) {
    Machine built = platform.build(ranks, {}, 1);
    built.collectives.settle(false);
    return built;
  }
  /// Ends of a program's ranks on a platform. @param trace  where it is recorded
  std::vector<SimTime> record(const Platform& platform, OperationSource& source) {
    Machine built = machine(platform, source.ranks());
    TraceProperties properties;
    properties.host_of.assign(source.ranks(), "host");
    TraceWriter writer(folder_ / "trace", properties);
    std::vector<OperationObserver*> observers{&writer};
    std::vector<SimTime> ends = Engine(built, source, observers).run();
    writer.finish();
    return ends;
  }
  TraceSchedule schedule(const Platform& platform, std::size_t ranks) {
    const Machine built = machine(platform, ranks);
    return schedule_of("trace", std::make_shared<TraceTranslation>(folder_ / "trace"), built);
  }
  TraceSchedule schedule(const Script& script) {
    const Platform ideal = Platform::load("ideal");
    ScriptedSource source(script);
    record(ideal, source);
    return schedule(ideal, script.size());
  }
  std::string text(const Script& script) { return goal_text(*schedule(script).graph); }
  std::string refusal(const Script& script) {
    try {
      schedule(script);
    } catch (const Error& error) {
      return error.what();
    }
    return "it was written";
  }
  /// Ends of a schedule's ranks, read from its text.
  std::vector<SimTime> ends_of(const Platform& platform, const DependencyGraph& graph) {
    const auto read = read_goal_graph(folder_.write("s.goal", goal_text(graph)));
    Machine built = machine(platform, read->ranks());
    return GraphRun(built, *read, {}).run();
  }

  testing::TemporaryFolder folder_;
};

// Calculations are whole nanoseconds whose remainders add up: 1500.7 and 500.6 ns are 1500 and 501 ns.
TEST_F(TraceScheduleTest, HasCalculationsMessagesAndWhatTheyRequire) {
  const std::string all = text({{after(1'500'700, send(1, 64, 3, 1)), after(500'600, wait({1})),
                                 after(1'000'000, send(1, 8, 4, 2)), wait({2}), exit()},
                                {receive(0, 100, 3, 1), receive(0, 8, 4, 2), wait({1}),
                                 after(7'000'000, wait({2})), after(2'000'000, exit())}});
  EXPECT_EQ(all,
            "num_ranks 2\n"
            "\n"
            "rank 0 {\n"
            "l1: calc 1500\n"
            "l2: send 64b to 1 tag 3\n"
            "l3: calc 501\n"
            "l4: calc 1000\n"
            "l5: send 8b to 1 tag 4\n"
            "l2 requires l1\n"
            "l4 requires l2\n"
            "l3 irequires l2\n"
            "l4 requires l3\n"
            "l5 requires l4\n"
            "}\n"
            "\n"
            "rank 1 {\n"
            "l1: recv 64b from 0 tag 3\n"
            "l2: recv 8b from 0 tag 4\n"
            "l3: calc 7000\n"
            "l4: calc 2000\n"
            "l3 requires l1\n"
            "l2 irequires l1\n"
            "l4 requires l2\n"
            "l3 irequires l2\n"
            "l4 requires l3\n"
            "}\n");
}

// Messages of a communicator, and those of a collective, never meet MPI_COMM_WORLD's: they have other tags.
TEST_F(TraceScheduleTest, GivesCommunicatorsAndCollectivesTagsOfTheirOwn) {
  Operation pair = of_kind(OperationKind::context_created, Call::MPI_Comm_split);
  pair.context = Context{3};
  pair.members = {Rank{1}, Rank{0}};
  Operation there = send(1, 5, 7, 1);
  there.context = pair.context;
  Operation here = receive(0, 5, 7, 1);
  here.context = pair.context;
  const Operation barrier = collective(CollectiveKind::barrier, 0, 3);
  const TraceSchedule made =
      schedule({{pair, there, send(1, 6, 7, 2), wait({1, 2}), barrier, wait({3}), exit()},
                {pair, here, receive(0, 6, 7, 2), wait({1, 2}), barrier, wait({3}), exit()}});
  EXPECT_THAT(made.notices, IsEmpty());
  EXPECT_THAT(goal_text(*made.graph),
              AllOf(HasSubstr("l1: send 5b to 1 tag 1073741824\nl2: send 6b to 1 tag 7\n"),
                    HasSubstr("l1: recv 5b from 0 tag 1073741824\nl2: recv 6b from 0 tag 7\n"),
                    // A barrier of two is one message each way.
                    HasSubstr("l3: send 0b to 1 tag 1073741825\nl4: recv 0b from 1 tag 1073741825\n")));
}

TEST_F(TraceScheduleTest, ResolvesWildcardsAndProbesAsRecorded) {
  Operation any = receive(0, 500, 0, 1);
  any.peer = any_rank;
  any.tag = any_tag;
  Operation look = of_kind(OperationKind::probe, Call::MPI_Probe);
  look.peer = any_rank;
  look.tag = any_tag;
  look.wants_answer = true;
  const TraceSchedule made = schedule(
      {{send(1, 5, 7, 1), send(1, 6, 8, 2), wait({1, 2}), exit()},
       {any, wait({1}), look, after(3'000'000, receive(0, 500, 8, 2)), wait({2}), after(1'000'000, exit())}});
  EXPECT_THAT(goal_text(*made.graph), HasSubstr("rank 1 {\n"
                                                "l1: recv 5b from 0 tag 7\n"
                                                "l2: recv 6b from 0 tag 8\n"
                                                "l3: calc 3000\n"
                                                "l4: calc 1000\n"
                                                "l2 requires l1\n"));
  expect_messages(made.notices, {"1 probe", "MPI_Probe of rank 1"});
}

TEST_F(TraceScheduleTest, SaysWhatAScheduleCannotHold) {
  Operation get = of_kind(OperationKind::access, Call::MPI_Get);
  get.peer = Rank{1};
  get.request = RequestId{1};
  get.reply = Bytes(8);
  expect_message(refusal({{get, wait({1}), exit()}, {exit()}}), {"trace: rank 0: MPI_Get", "rank 1"});

  Operation look = of_kind(OperationKind::probe, Call::MPI_Probe);
  look.peer = Rank{0};
  look.tag = Tag{7};
  look.wants_answer = true;
  expect_message(refusal({{send(1, 5, 7, 1), wait({1}), exit()}, {look, exit()}}),
                 {"trace: rank 1", "probe", "from rank 0 with tag 7"});

  Operation any = receive(0, 500, 7, 1);
  any.peer = any_rank;
  expect_message(refusal({{exit()}, {any, exit()}}), {"trace: rank 1: MPI_Irecv", "tag 7"});

  Operation cancel = of_kind(OperationKind::cancel, Call::MPI_Cancel);
  cancel.request = RequestId{1};
  expect_message(refusal({{exit()}, {receive(0, 500, 7, 1), cancel, wait({1}), exit()}}),
                 "trace: rank 1: MPI_Cancel");
}

TEST_F(TraceScheduleTest, BinaryFormSaysTheSameAsText) {
  const Operation all = collective(CollectiveKind::alltoall, 800, 1);
  const TraceSchedule made = schedule({5, {after(3'000'000, all), wait({1}), exit()}});
  const std::string binary = goal_binary(*made.graph);
  EXPECT_EQ(binary, testing::binary_goal(*made.graph));
  EXPECT_EQ(goal_text(*read_goal_graph(folder_.write("s.bin", binary))), goal_text(*made.graph));
}

/// Rounds of computing, exchanges and collectives in which all ranks take part.
class Rounds {
 public:
  /// @param waits_at_once  no receive is outstanding while its rank computes, and no batch has more than two
  ///     messages
  Rounds(std::uint64_t seed, std::size_t ranks, bool waits_at_once)
      : random_(seed, "rounds"), script_(ranks), waits_at_once_(waits_at_once) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      Operation half = of_kind(OperationKind::context_created, Call::MPI_Comm_split);
      half.context = Context{5 + rank % 2};
      for (std::size_t member = rank % 2; member < ranks; member += 2)
        half.members.push_back(Rank{static_cast<std::int32_t>(member)});
      script_[rank].push_back(half);
    }
    for (int round = 0; round < 30; ++round) add_round();
    for (auto& of_rank : script_) of_rank.push_back(after(computing(), exit()));
  }
  const Script& script() const { return script_; }

 private:
  std::int64_t computing() {
    return random_.chance(0.3) ? 0 : static_cast<std::int64_t>(random_.below(20'000)) * 1000;
  }
  void add_round() {
    const std::uint64_t request = ++requests_;
    if (random_.chance(0.5)) return add_exchange(request);
    constexpr CollectiveKind kinds[] = {CollectiveKind::barrier,   CollectiveKind::broadcast,
                                        CollectiveKind::allreduce, CollectiveKind::reduce,
                                        CollectiveKind::alltoall,  CollectiveKind::allgather,
                                        CollectiveKind::scan,      CollectiveKind::gather};
    // The last four start more than two messages at a time, or only some members wait.
    const CollectiveKind kind = kinds[random_.below(waits_at_once_ ? 4 : 8)];
    const auto bytes = static_cast<std::int64_t>(8 * random_.below(1000));
    const bool halves = random_.chance(0.4);
    for (std::size_t rank = 0; rank < script_.size(); ++rank) {
      Operation all = collective(kind, kind == CollectiveKind::barrier ? 0 : bytes, request);
      all.collective.element = Bytes(8);
      if (halves) all.context = Context{5 + rank % 2};
      script_[rank].push_back(after(computing(), all));
      script_[rank].push_back(wait({request}));
    }
  }
  void add_exchange(std::uint64_t request) {
    const auto ranks = static_cast<int>(script_.size());
    const int distance = 1 + static_cast<int>(random_.below(script_.size() - 1));
    const auto bytes = static_cast<std::int64_t>(random_.below(100'000));
    ++requests_;
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<Operation>& of_rank = script_[static_cast<std::size_t>(rank)];
      const Operation gets = receive((rank + ranks - distance) % ranks, bytes, 9, request);
      const Operation gives = send((rank + distance) % ranks, bytes, 9, request + 1);
      of_rank.push_back(after(computing(), gets));
      of_rank.push_back(after(waits_at_once_ ? 0 : computing(), gives));
      of_rank.push_back(after(waits_at_once_ ? 0 : computing(), wait({request, request + 1})));
    }
  }

  RandomStream random_;
  Script script_;
  bool waits_at_once_;
  std::uint64_t requests_ = 0;
};

// Where messages take no time, ends follow from computing and from who waits for whom alone, and the schedule
// has both: the same picoseconds, as all computing is whole nanoseconds.
TEST_F(TraceScheduleTest, TakesTheTimeOfTheTraceWhereMessagesTakeNone) {
  const Platform ideal = Platform::load("ideal");
  for (std::uint64_t seed = 1; seed <= random_cases(20); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const std::size_t ranks = 2 + seed % 7;
    ScriptedSource source(Rounds(seed, ranks, false).script());
    const std::vector<SimTime> ends = record(ideal, source);
    const TraceSchedule made = schedule(ideal, ranks);
    EXPECT_THAT(made.notices, IsEmpty());
    EXPECT_EQ(ends, ends_of(ideal, *made.graph));
  }
}

// By LogGP a message costs its sender and its receiver time on their CPUs. A schedule pays for a receive when
// its message has come, a program when it waits: the same where it waits at once.
TEST_F(TraceScheduleTest, TakesTheTimeOfTheTraceByLogGpWhereRanksWaitAtOnce) {
  const Platform loggp = Platform::load("loggopsim");
  for (std::uint64_t seed = 1; seed <= random_cases(20); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const std::size_t ranks = 2 + seed % 7;
    ScriptedSource source(Rounds(seed, ranks, true).script());
    const std::vector<SimTime> ends = record(loggp, source);
    const TraceSchedule made = schedule(loggp, ranks);
    EXPECT_EQ(ends, ends_of(loggp, *made.graph));
  }
}

const std::vector<std::string> by_itself{"collectives.progress=asynchronous"};

/// Each rank starts an allreduce, computes, and then waits for it; the computing differs by rank and round.
Script overlapped_collectives(std::uint64_t seed, std::size_t ranks) {
  RandomStream random(seed, "overlap");
  Script script(ranks);
  for (std::uint64_t round = 1; round <= 10; ++round) {
    const auto bytes = static_cast<std::int64_t>(8 * random.below(1000));
    for (auto& of_rank : script) {
      Operation all = collective(CollectiveKind::allreduce, bytes, round);
      all.collective.element = Bytes(8);
      all.collective.blocking = false;
      of_rank.push_back(after(static_cast<std::int64_t>(random.below(20'000)) * 1000, all));
      of_rank.push_back(after(static_cast<std::int64_t>(random.below(50'000)) * 1000, wait({round})));
    }
  }
  for (auto& of_rank : script) of_rank.push_back(exit());
  return script;
}

// What goes on by itself does so on CPU 1, and does not wait until the rank has computed.
TEST_F(TraceScheduleTest, NonblockingCollectivesGoOnBesideComputingWithAsynchronousProgress) {
  const Platform ideal = Platform::load("ideal", by_itself);
  for (std::uint64_t seed = 1; seed <= random_cases(20); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const std::size_t ranks = 2 + seed % 7;
    ScriptedSource source(overlapped_collectives(seed, ranks));
    const std::vector<SimTime> ends = record(ideal, source);
    const TraceSchedule made = schedule(ideal, ranks);
    EXPECT_EQ(made.graph->cpus(), 2U);
    EXPECT_THAT(made.notices, ::testing::ElementsAre(::testing::HasSubstr("on CPU 1")));
    EXPECT_EQ(ends, ends_of(ideal, *made.graph));
  }
}

// A barrier of two is one message each way: rank 0 has it when rank 1 has entered, though it computes. By
// LogGP that is over long before either has computed.
TEST_F(TraceScheduleTest, ABarrierIsOverWhileItsRanksCompute) {
  const Platform loggp = Platform::load("loggopsim", by_itself);
  Operation barrier = collective(CollectiveKind::barrier, 0, 1);
  barrier.collective.blocking = false;
  Script script;
  for (std::int64_t rank = 0; rank < 4; ++rank)
    script.push_back({barrier, after((rank + 1) * 100'000'000, wait({1})), exit()});
  ScriptedSource source(script);
  const std::vector<SimTime> computed{SimTime::from_ps(100'000'000), SimTime::from_ps(200'000'000),
                                      SimTime::from_ps(300'000'000), SimTime::from_ps(400'000'000)};
  EXPECT_EQ(record(loggp, source), computed);
  EXPECT_EQ(ends_of(loggp, *schedule(loggp, 4).graph), computed);
  // In calls alone it needs the rank's own CPU, as its calculations do.
  const TraceSchedule in_calls = schedule(Platform::load("loggopsim"), 4);
  EXPECT_EQ(in_calls.graph->cpus(), 1U);
  expect_messages(in_calls.notices,
                  {"4 nonblocking collectives", "MPI_Bcast of rank 0", "collectives.progress=asynchronous"});
}

// The receiver of the first and the third message is late: the sender goes on when it receives them.
TEST_F(TraceScheduleTest, SynchronousSendsEndWhenTheyAreReceived) {
  const Platform ideal = Platform::load("ideal");
  ScriptedSource source(
      {{send(1, 10, 9, 1, SendMode::synchronous), wait({1}), after(5'000'000, send(1, 20, 9, 2)), wait({2}),
        send(1, 30, 9, 3, SendMode::synchronous), wait({3}), after(1'000'000, exit())},
       {after(200'000'000, receive(0, 10, 9, 1)), wait({1}), after(1'000'000, receive(0, 20, 9, 2)),
        wait({2}), after(100'000'000, receive(0, 30, 9, 3)), wait({3}), exit()}});
  const std::vector<SimTime> ends = record(ideal, source);
  // The second message is sent 5 us after the first one is received.
  EXPECT_THAT(ends, ElementsAre(SimTime::from_ps(306'000'000), SimTime::from_ps(305'000'000)));
  const TraceSchedule made = schedule(ideal, 2);
  EXPECT_EQ(ends_of(ideal, *made.graph), ends);
  expect_messages(made.notices, {"2 synchronous sends", "MPI_Isend of rank 0"});
}

TEST_F(TraceScheduleTest, CountsSendsThatNobodyAwaits) {
  const TraceSchedule made =
      schedule({{send(1, 5, 7, 1, SendMode::buffered), wait({1}), send(1, 5, 8, 2), exit()},
                {receive(0, 5, 7, 1), receive(0, 5, 8, 2), wait({1, 2}), exit()}});
  expect_messages(made.notices, {"2 sends", "MPI_Isend of rank 0"});
}

const std::vector<std::string> one_a_host{"hosts.processors=1"};

// How far they are apart where messages cost something and ranks compute behind what they post, or have more
// than two messages under way; on either side. Decision 0147 has the sizes.
TEST_F(TraceScheduleTest, TakesAboutTheTimeOfTheTraceOnOtherPlatforms) {
  constexpr std::int64_t mebibyte = 1 << 20;
  Script both_ways(2), short_to_all(8), long_to_all(8);
  for (int rank = 0; rank < 2; ++rank)
    both_ways[static_cast<std::size_t>(rank)] = {receive(1 - rank, mebibyte, 4, 1),
                                                 send(1 - rank, mebibyte, 4, 2),
                                                 after(50'000'000, wait({1, 2})), exit()};
  for (std::size_t rank = 0; rank < 8; ++rank) {
    short_to_all[rank] = {collective(CollectiveKind::alltoall, 8, 1), wait({1}), exit()};
    long_to_all[rank] = {collective(CollectiveKind::alltoall, 20'000, 1), wait({1}), exit()};
  }
  for (const char* name : {"fast-ethernet", "edr-fat-tree-2to1", "infiniband-hdr"})
    for (const Script& script : {both_ways, short_to_all, long_to_all}) {
      SCOPED_TRACE(::testing::Message() << script.size() << " ranks on " << name);
      const Platform platform = Platform::load(name, one_a_host);
      ScriptedSource source(script);
      const double in_trace = std::ranges::max(record(platform, source)).seconds();
      const TraceSchedule made = schedule(platform, script.size());
      EXPECT_NEAR(std::ranges::max(ends_of(platform, *made.graph)).seconds() / in_trace, 1, 0.05);
    }
}

// The program gets to the first two messages when the third one, which it awaits first, has come; the
// schedule while it waits for that. So it is earlier, by no more than their receives' work.
TEST_F(TraceScheduleTest, ReceivesInAScheduleWhatHasComeWhileItWaits) {
  Script script(2);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    const auto bytes = static_cast<std::int64_t>(100 * i);
    script[0].insert(script[0].end(), {send(1, bytes, 6, i), wait({i})});
    script[1].push_back(receive(0, bytes, 6, i));
  }
  script[1].insert(script[1].end(), {wait({3}), wait({2}), wait({1}), exit()});
  script[0].push_back(exit());
  for (const char* name : {"fast-ethernet", "edr-fat-tree-2to1", "infiniband-hdr"}) {
    SCOPED_TRACE(name);
    const Platform platform = Platform::load(name, one_a_host);
    ScriptedSource source(script);
    const SimTime in_trace = record(platform, source)[1];
    const SimTime in_schedule = ends_of(platform, *schedule(platform, 2).graph)[1];
    const MessageLayer costs = machine(platform, 2).messages;
    EXPECT_LT(in_schedule, in_trace);
    EXPECT_LE(in_trace - in_schedule,
              costs.receive_overhead * 2 + time_before_end(costs.receive_per_byte, Bytes(300)));
  }
}

}  // namespace
}  // namespace morgana
