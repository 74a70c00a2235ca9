// What interrupts do to ranks. Messages of 1 byte are at their host L after they were sent (logp_machine.h).

#include <gmock/gmock.h>

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
using Handling = InterruptParameters::Handling;

constexpr SimTime cost = 10_us;
constexpr SimTime come = o_s + L;  // of a message sent at 0

Machine interrupted_machine(std::size_t ranks, std::size_t processors,
                            const InterruptParameters& interrupts = {Handling::fixed, cost, 0}) {
  Machine machine = logp_machine(ranks, processors);
  machine.processors = processors;
  machine.kernel = std::make_unique<Kernel>(*machine.events, processors, interrupts);
  machine.transport =
      std::make_unique<DeliveryByInterrupt>(*machine.events, *machine.kernel, std::move(machine.transport));
  return machine;
}

std::vector<SimTime> run(Machine machine, std::vector<std::vector<Operation>> scripts) {
  ScriptedSource source(std::move(scripts));
  return Engine(machine, source, {}).run();
}

std::vector<Operation> sends(int to, int count = 1) {
  std::vector<Operation> all;
  for (int i = 1; i <= count; ++i) {
    all.push_back(send(to, 1, 5, static_cast<std::uint64_t>(i)));
    all.push_back(wait({static_cast<std::uint64_t>(i)}));
  }
  all.push_back(exit());
  return all;
}

// The receiver computes from 0 to 50 us; at 6 us it is interrupted for 10 us.
TEST(Interrupts, MakeARankThatComputesLaterByTheirCost) {
  EXPECT_THAT(
      run(interrupted_machine(2, 1), {sends(1), {receive(0, 1, 5, 1), after(50_us, wait({1})), exit()}}),
      ElementsAre(o_s, 50_us + cost + o_r));
}

TEST(Interrupts, CostARankThatWaitsNoMoreThanTheirLength) {
  EXPECT_THAT(run(interrupted_machine(2, 1), {sends(1), {receive(0, 1, 5, 1), wait({1}), exit()}}),
              ElementsAre(o_s, come + cost + o_r));
}

// It computes for 2 us only, but has not ended that when the interrupt comes: 2 + 10 us. At 6 us, when it
// would have been waiting for long, the interrupt would have cost it nothing.
TEST(Interrupts, HitWhatIsUnderWayWhenTheyCome) {
  const auto receiver = [](SimTime computes) {
    return std::vector<Operation>{after(come - 1_us, receive(0, 1, 5, 1)), after(computes, wait({1})),
                                  exit()};
  };
  EXPECT_EQ(run(interrupted_machine(2, 1), {sends(1), receiver(2_us)}).at(1), come + 1_us + cost + o_r);
  EXPECT_EQ(run(interrupted_machine(2, 1), {sends(1), receiver(500_ns)}).at(1), come + cost + o_r);
}

// A send keeps the processor for o_s = 1 us; it began half a microsecond before the interrupt.
TEST(Interrupts, DelayWhatTheLibraryDoesToo) {
  EXPECT_EQ(
      run(interrupted_machine(2, 1), {{send(1, 1, 5, 1), receive(1, 1, 6, 2), wait({1, 2}), exit()},
                                      {receive(0, 1, 5, 1), after(come - 500_ns, send(0, 1, 6, 2)), exit()}})
          .at(1),
      come + 500_ns + cost);
}

TEST(Interrupts, OfAFixedProcessorDisturbTheRankThere) {
  // Hosts {0, 1} and {2, 3}: the message is for rank 3, and rank 2 computes where it interrupts.
  EXPECT_THAT(run(interrupted_machine(4, 2),
                  {sends(3), {exit()}, {after(50_us, exit())}, {receive(0, 1, 5, 1), wait({1}), exit()}}),
              ElementsAre(o_s, 0_us, 50_us + cost, come + cost + o_r));
  EXPECT_THAT(run(interrupted_machine(4, 2, {Handling::fixed, cost, 1}),
                  {sends(3), {exit()}, {after(50_us, exit())}, {receive(0, 1, 5, 1), wait({1}), exit()}}),
              ElementsAre(o_s, 0_us, 50_us, come + cost + o_r));
}

TEST(Interrupts, GoToAProcessorThatNobodyUses) {
  EXPECT_THAT(run(interrupted_machine(4, 2, {Handling::least_loaded, cost, 0}),
                  {sends(3), {exit()}, {after(50_us, exit())}, {receive(0, 1, 5, 1), wait({1}), exit()}}),
              ElementsAre(o_s, 0_us, 50_us, come + cost + o_r));
}

// Both ranks of the receiving host compute. Messages come at 6 and 8 us (g apart): the first interrupts
// processor 0, the second processor 1, which can begin at once; a third at 10 us waits for processor 0 until
// 16 us, as the other one would begin at 18 us only.
TEST(Interrupts, GoToTheProcessorThatCanBeginFirst) {
  EXPECT_THAT(run(interrupted_machine(4, 2, {Handling::least_loaded, cost, 0}),
                  {sends(3, 3), {exit()}, {after(50_us, exit())}, {after(50_us, exit())}}),
              ElementsAre(3 * o_s, 0_us, 50_us + 2 * cost, 50_us + cost));
}

// Messages come at 6 us and at 8 us. The receiver waits for the first alone, which is told at 16 us; but then
// the kernel has the processor for the second, until 26 us.
TEST(Interrupts, KeepTheProcessorFromARankThatHasWaited) {
  const std::vector<SimTime> ends =
      run(interrupted_machine(2, 1),
          {sends(1, 2), {receive(0, 1, 5, 1), receive(0, 1, 5, 2), wait({1}), wait({2}), exit()}});
  EXPECT_EQ(ends.at(1), come + 2 * cost + o_r + o_r);
}

// The messages that it has waited for are told at 16 and 26 us, but the kernel is at work for the third one,
// too, until 36 us; then both are completed.
TEST(Interrupts, KeepTheProcessorFromARankThatHasWaitedForSeveral) {
  EXPECT_EQ(run(interrupted_machine(2, 1), {sends(1, 3),
                                            {receive(0, 1, 5, 1), receive(0, 1, 5, 2), receive(0, 1, 5, 3),
                                             wait({1, 2}), wait({}), exit()}})
                .at(1),
            come + 3 * cost + o_r + o_r);
}

// Its limit passes at 10 us, in the middle of the interrupt: it has waited for so long, and computes later.
TEST(Interrupts, DoNotProlongALimitedWait) {
  Operation limited = wait({2});
  limited.duration = 10_us;
  ScriptedSource source({sends(1), {receive(0, 1, 7, 2), limited, after(7_us, exit())}});
  Machine machine = interrupted_machine(2, 1);
  EXPECT_EQ(Engine(machine, source, {}).run().at(1), come + cost + 7_us);
  EXPECT_EQ(source.answers[1].at(0).clock, 10_us);
}

// Ranks 0 and 1 reduce 1000 bytes, which takes the root 1 ms; at 105 us a message of rank 2's interrupts it.
TEST(Interrupts, DelayTheStepOfACollectiveThatIsUnderWay) {
  const auto end_of_root = [](bool disturbed) {
    Machine machine = interrupted_machine(3, 1);
    machine.messages.reduce_per_byte = ByteCost::from_fs(1'000'000'000);
    Operation pair = plain(OperationKind::context_created);
    pair.context = Context{1};
    pair.members = {Rank{0}, Rank{1}};
    Operation reduce = collective(CollectiveKind::reduce, 1000, 1);
    reduce.context = Context{1};
    std::vector<Operation> other{exit()};
    if (disturbed) other = {after(99_us, send(0, 1, 5, 1)), wait({1}), exit()};
    const std::vector<Operation> member{pair, reduce, wait({1}), exit()};
    return run(std::move(machine), {member, member, other}).at(0);
  };
  EXPECT_GT(end_of_root(false), 1_ms);
  EXPECT_EQ(end_of_root(true), end_of_root(false) + cost);
}

// Rank 1's host is interrupted from 6 us on; the task that it starts at 7 us can begin to compute at 16 us.
TEST(Interrupts, KeepTheProcessorFromATaskThatBegins) {
  class Spawning : public ScriptedSource {
   public:
    using ScriptedSource::ScriptedSource;
    bool runs_at_start(Rank rank) const override { return rank != Rank{2}; }
  };
  Operation spawn = plain(OperationKind::spawn);
  spawn.peer = Rank{2};
  spawn.host = 1;
  Machine machine = interrupted_machine(3, 1);
  machine.host_of = {HostId{0}, HostId{1}, HostId{1}};
  Spawning source(
      {{send(1, 1, 5, 1), wait({1}), after(7_us - o_s, spawn), exit()}, {exit()}, {after(5_us, exit())}});
  EXPECT_EQ(Engine(machine, source, {}).run().at(2), come + cost + 5_us);
}

// It sleeps until 100 us, long after the interrupt; or until 10 us, while the interrupt lasts until 16 us.
TEST(Interrupts, CostASleeperNothingUnlessTheyStillLastWhenItWakes) {
  const auto sleeper = [](SimTime duration) {
    Operation sleep = plain(OperationKind::sleep);
    sleep.duration = duration;
    return std::vector<Operation>{sleep, after(7_us, exit())};
  };
  EXPECT_EQ(run(interrupted_machine(2, 1), {sends(1), sleeper(100_us)}).at(1), 107_us);
  EXPECT_EQ(run(interrupted_machine(2, 1), {sends(1), sleeper(10_us)}).at(1), come + cost + 7_us);
}

// The barrier's one message comes at 6 us; the receiver has entered at 0 and goes on at 16 us, as long as the
// interrupt lasts, and pays o_r.
TEST(Interrupts, AreHandledBeforeAStepOfACollectiveGoesOn) {
  const std::vector<Operation> meets{collective(CollectiveKind::barrier, 0, 1), wait({1}), exit()};
  EXPECT_THAT(run(interrupted_machine(2, 1), {meets, meets}),
              ElementsAre(come + cost + o_r, come + cost + o_r));
}

TEST(Interrupts, AreCounted) {
  Machine machine = interrupted_machine(4, 2, {Handling::least_loaded, cost, 0});
  ScriptedSource source({sends(3, 3), {exit()}, {after(50_us, exit())}, {after(50_us, exit())}});
  Engine(machine, source, {}).run();
  const std::vector<CounterTable> tables = machine.kernel->counted();
  ASSERT_EQ(tables.size(), 1U);
  using Row = std::vector<CounterTable::Value>;
  const auto count = [](std::int64_t value) { return CounterTable::Value(value); };
  EXPECT_THAT(tables[0].rows, ElementsAre(Row{count(1), count(0), count(2), count(2), 20.0},
                                          Row{count(1), count(1), count(1), count(1), 10.0}));
}

/// Ranks compute and sleep for random times and send each other messages.
std::vector<std::vector<Operation>> random_scripts(std::uint64_t seed, std::size_t ranks) {
  RandomStream random(seed, "interrupts");
  std::vector<std::vector<Operation>> scripts(ranks);
  std::uint64_t request = 0;
  const auto time = [&] { return SimTime::from_ps(static_cast<std::int64_t>(random.below(30'000'000))); };
  for (int message = 0; message < 40; ++message) {
    const auto from = random.below(ranks), to = (from + 1 + random.below(ranks - 1)) % ranks;
    const auto bytes = static_cast<std::int64_t>(random.below(8000));
    const std::uint64_t sent = ++request, received = ++request;
    scripts[from].push_back(after(time(), send(static_cast<int>(to), bytes, message, sent)));
    scripts[to].push_back(after(time(), receive(static_cast<int>(from), bytes, message, received)));
    if (random.chance(0.2)) {
      Operation sleep = plain(OperationKind::sleep);
      sleep.duration = time();
      scripts[to].push_back(sleep);
    }
    scripts[to].push_back(after(time(), wait({received})));
    scripts[from].push_back(after(time(), wait({sent})));
  }
  for (auto& script : scripts) script.push_back(after(time(), exit()));
  return scripts;
}

/// Counts operations that begin on a processor while its host's kernel is at work there.
class Intrusions : public OperationObserver {
 public:
  Intrusions(const Machine& machine, std::size_t processors) : machine_(machine), processors_(processors) {}
  void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime,
                       std::span<const Completed>) override {
    if (machine_.events->now() != begin) return;  // a wait, whose begin is past
    if (operation.interrupted > SimTime()) ++delayed;
    if (machine_.kernel->busy_until(machine_.host_of[index(rank)], index(rank) % processors_) > begin)
      ++intrusions;
  }
  std::size_t intrusions = 0, delayed = 0;

 private:
  const Machine& machine_;
  std::size_t processors_;
};

// Whatever a rank does next (it has computed, slept, waited, met others in a collective, or its wait's limit
// has passed), the kernel's work goes first.
TEST(Interrupts, GoBeforeWhateverRanksDo) {
  for (const SimTime quantum : {SimTime(), 15_us}) {
    std::size_t delayed = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      SCOPED_TRACE(seed);
      auto scripts = random_scripts(seed, 8);
      RandomStream random(seed, "more");
      std::uint64_t request = 1000;
      for (int i = 0; i < 10; ++i) {
        for (auto& script : scripts) {
          const std::uint64_t none = ++request, met = ++request;
          Operation limited = wait({none});
          limited.duration = SimTime::from_ps(1 + static_cast<std::int64_t>(random.below(20'000'000)));
          const auto at = script.end() - 1;
          script.insert(at, {receive(0, 1, 1000 + i, none), limited,
                             collective(CollectiveKind::allreduce, 400, met), wait({met})});
        }
      }
      Machine machine = interrupted_machine(8, 4, {Handling::least_loaded, cost, 0});
      machine.quantum = quantum;
      Intrusions observer(machine, 4);
      OperationObserver* const observers[] = {&observer};
      ScriptedSource source(scripts);
      Engine(machine, source, observers).run();
      EXPECT_EQ(observer.intrusions, 0U);
      delayed += observer.delayed;
    }
    EXPECT_GT(delayed, 1000U);
  }
}

// What a rank will do next is known at once in a replay, and late in a live run.
TEST(Interrupts, TakeTheSameTimeFromRanksWhoseNextOperationIsNotKnownYet) {
  for (const Handling handling : {Handling::fixed, Handling::least_loaded}) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      SCOPED_TRACE(seed);
      const auto scripts = random_scripts(seed, 8);
      Machine known = interrupted_machine(8, 4, {handling, cost, 1}),
              unknown = interrupted_machine(8, 4, {handling, cost, 1});
      ScriptedSource replay(scripts), live(scripts);
      live.hesitate(seed);
      EXPECT_EQ(Engine(known, replay, {}).run(), Engine(unknown, live, {}).run());
    }
  }
}

}  // namespace
}  // namespace morgana
