// Ranks that take turns on their host's processors. Messages of 1 byte between hosts take o_s, L and o_r
// (logp_machine.h).

#include <gmock/gmock.h>

#include <numeric>

#include "emulator/core/random.h"
#include "emulator/engine/engine.h"
#include "emulator/transport/interrupts/delivery_by_interrupt.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;
using testing::ElementsAre;
using Scripts = std::vector<std::vector<Operation>>;

constexpr SimTime quantum = 10_ms;

/// @param host_of  by rank
Machine shared_machine(const std::vector<std::uint32_t>& host_of, std::size_t processors = 1) {
  Machine machine = logp_machine(host_of.size());
  for (std::size_t rank = 0; rank < host_of.size(); ++rank) machine.host_of[rank] = HostId{host_of[rank]};
  machine.processors = processors;
  machine.quantum = quantum;
  return machine;
}

std::vector<SimTime> ends(Machine machine, Scripts scripts) {
  ScriptedSource source(std::move(scripts));
  return Engine(machine, source, {}).run();
}

Operation sleeps(SimTime duration) {
  Operation sleep = plain(OperationKind::sleep);
  sleep.duration = duration;
  return sleep;
}

// Ranks 0, 2, 4, 6 have the first processor, the others the second. On each, four ranks with 25 ms of work
// take turns of 10, 10 and 5 ms: 4 x 10, 4 x 10, and then one ends every 5 ms.
TEST(TimeSharing, LetsEightRanksTakeTurnsOnTwoProcessors) {
  const Scripts computing(8, {after(25_ms, exit())});
  EXPECT_THAT(ends(shared_machine(std::vector<std::uint32_t>(8, 0), 2), computing),
              ElementsAre(85_ms, 85_ms, 90_ms, 90_ms, 95_ms, 95_ms, 100_ms, 100_ms));
}

// Rank 0 waits at once. Its message is there at 12 ms + o_s + L; rank 1 keeps the processor until the end of
// its second quantum at 20 ms. Then rank 0 completes the receive and computes for 10 ms, rank 1 has its last
// 10 ms, and rank 0 has o_r + 5 ms left.
TEST(TimeSharing, MakesARankWhoseMessageHasComeWaitForItsTurn) {
  EXPECT_THAT(ends(shared_machine({0, 0, 1}), {{receive(2, 1, 5, 1), wait({1}), after(15_ms, exit())},
                                               {after(30_ms, exit())},
                                               {after(12_ms, send(0, 1, 5, 1)), wait({1}), exit()}}),
              ElementsAre(45_ms + o_r, 40_ms, 12_ms + o_s));
}

// It wakes at 12 ms and computes from 20 to 21 ms; rank 1 has the processor before and after that.
TEST(TimeSharing, LeavesTheProcessorOfASleeperToOthers) {
  EXPECT_THAT(ends(shared_machine({0, 0}), {{sleeps(12_ms), after(1_ms, exit())}, {after(30_ms, exit())}}),
              ElementsAre(21_ms, 31_ms));
}

// Rank 0 sends until o_s and leaves. Rank 2's part of the barrier comes at 12 ms + o_s + L; rank 1's second
// quantum lasts until 20 ms + o_s; rank 0 then takes the message in.
TEST(TimeSharing, MakesAStepOfACollectiveWaitForItsTurn) {
  Operation pair = plain(OperationKind::context_created);
  pair.context = Context{1};
  pair.members = {Rank{0}, Rank{2}};
  Operation barrier = collective(CollectiveKind::barrier, 0, 1);
  barrier.context = Context{1};
  EXPECT_THAT(ends(shared_machine({0, 0, 1}), {{pair, barrier, wait({1}), exit()},
                                               {after(30_ms, exit())},
                                               {pair, after(12_ms, barrier), wait({1}), exit()}}),
              ElementsAre(20_ms + o_s + o_r, 30_ms + o_s + o_r, 12_ms + o_s + o_r));
}

// A message nobody asks for interrupts at 5 ms for 10 us: rank 0 has 9.99 ms of its first turn. Turns begin
// at 0 (rank 0), 10 (rank 1), 20 (rank 0, which has 5.01 ms left) and 25.01 ms.
TEST(TimeSharing, TakesKernelWorkFromTheRankWhoseTurnItIs) {
  Machine machine = shared_machine({0, 0, 1});
  machine.kernel = std::make_unique<Kernel>(
      *machine.events, 1, InterruptParameters{InterruptParameters::Handling::fixed, 10_us, 0});
  machine.transport =
      std::make_unique<DeliveryByInterrupt>(*machine.events, *machine.kernel, std::move(machine.transport));
  EXPECT_THAT(ends(std::move(machine), {{after(15_ms, exit())},
                                        {after(15_ms, exit())},
                                        {after(5_ms - o_s - L, send(1, 1, 5, 1)), wait({1}), exit()}}),
              ElementsAre(25_ms + 10_us, 30_ms + 10_us, 5_ms - L));
}

// Rank 0's turn ends at 10 ms. Its read of the clock after 15 ms of computing happens at 25 ms.
TEST(TimeSharing, ShowsInTheClockThatARankHasWaited) {
  ScriptedSource source({{after(15_ms, plain(OperationKind::read_clock)), exit()}, {after(30_ms, exit())}});
  Machine machine = shared_machine({0, 0});
  Engine(machine, source, {}).run();
  EXPECT_EQ(source.answers[0].at(0).clock, 25_ms);
}

/// Ranks compute, sleep, send each other messages, some by rendezvous, and meet in collectives.
Scripts random_plan(std::uint64_t seed, std::size_t ranks) {
  RandomStream random(seed, "time sharing");
  Scripts scripts(ranks);
  std::uint64_t request = 0;
  const auto time = [&] { return SimTime::from_ps(static_cast<std::int64_t>(random.below(30'000'000'000))); };
  for (int round = 0; round < 25; ++round) {
    if (random.chance(0.2)) {
      const bool reduce = random.chance(0.5), blocking = random.chance(0.5);
      for (auto& script : scripts) {
        const std::uint64_t entered = ++request;
        script.push_back(
            after(time(), collective(reduce ? CollectiveKind::allreduce : CollectiveKind::barrier,
                                     reduce ? 500 : 0, entered)));
        script.back().collective.blocking = blocking;
        script.push_back(after(blocking ? SimTime() : time(), wait({entered})));
      }
      continue;
    }
    const auto from = random.below(ranks), to = (from + 1 + random.below(ranks - 1)) % ranks;
    const auto bytes = static_cast<std::int64_t>(random.below(8000));
    const std::uint64_t sent = ++request, received = ++request;
    scripts[from].push_back(after(time(), send(static_cast<int>(to), bytes, round, sent)));
    scripts[to].push_back(after(time(), receive(static_cast<int>(from), bytes, round, received)));
    if (random.chance(0.2)) scripts[to].push_back(sleeps(time()));
    scripts[to].push_back(after(time(), wait({received})));
    scripts[from].push_back(after(time(), wait({sent})));
  }
  for (auto& script : scripts) script.push_back(after(time(), exit()));
  return scripts;
}

// What a rank will do next is known at once in a replay, and late in a live run.
TEST(TimeSharing, TakesTheSameTimeFromRanksWhoseNextOperationIsNotKnownYet) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Scripts scripts = random_plan(seed, 8);
    ScriptedSource replay(scripts), live(scripts);
    live.hesitate(seed);
    Machine known = shared_machine({0, 0, 0, 0, 0, 1, 1, 2}, 2),
            unknown = shared_machine({0, 0, 0, 0, 0, 1, 1, 2}, 2);
    EXPECT_EQ(Engine(known, replay, {}).run(), Engine(unknown, live, {}).run());
  }
}

TEST(TimeSharing, ChangesNothingForARankThatIsAloneOnItsProcessor) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    const Scripts scripts = random_plan(seed, 4);
    Machine apart = shared_machine({0, 0, 1, 1}, 2);
    apart.quantum = SimTime();
    EXPECT_EQ(ends(shared_machine({0, 0, 1, 1}, 2), scripts), ends(std::move(apart), scripts));
  }
}

// A processor is never idle while a rank is ready, and never at work for two: ranks that only compute end
// when all that they have to do has been done, whatever the quantum.
TEST(TimeSharing, NeitherLosesNorGainsProcessorTime) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "work");
    Scripts scripts(5);
    SimTime all;
    for (auto& script : scripts)
      for (int i = 0; i < 4; ++i) {
        const SimTime work = SimTime::from_ps(static_cast<std::int64_t>(random.below(40'000'000'000)));
        all += work;
        script.push_back(after(work, plain(i < 3 ? OperationKind::read_clock : OperationKind::exit)));
      }
    const std::vector<SimTime> ended = ends(shared_machine({0, 0, 0, 0, 0}), scripts);
    EXPECT_EQ(*std::ranges::max_element(ended), all);
  }
}

}  // namespace
}  // namespace morgana
