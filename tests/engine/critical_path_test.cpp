#include "emulator/report/limits/critical_path.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "emulator/report/run_statistics.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/random_messages.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;

using Scripts = std::vector<std::vector<Operation>>;

struct Seen {
  CriticalPath path;
  SimTime simulated;
};

Seen seen(Machine& machine, Scripts scripts) {
  RunStatistics statistics(scripts.size());
  CriticalPathRecorder recorder;
  ScriptedSource source(std::move(scripts));
  OperationObserver* const observers[] = {&statistics, &recorder};
  Engine engine(machine, source, observers, &recorder);
  engine.run();
  return {recorder.path(), statistics.simulated_time()};
}

Seen seen_on_logp(Scripts scripts, std::size_t ranks_per_host = 1) {
  Machine machine = logp_machine(scripts.size(), ranks_per_host);
  return seen(machine, std::move(scripts));
}

/// Its pieces lie behind each other from time 0 to the end, and each is as long as what it is made of.
void expect_whole(const Seen& run) {
  EXPECT_EQ(run.path.total(), run.simulated);
  SimTime at;
  for (const CriticalPath::Step& step : run.path.steps) {
    EXPECT_EQ(step.begin, at);
    EXPECT_GE(step.end, step.begin);
    SimTime sum;
    for (const SimTime time : step.times) {
      EXPECT_GE(time, SimTime());
      sum += time;
    }
    EXPECT_EQ(sum, step.end - step.begin);
    at = step.end;
  }
  EXPECT_EQ(at, run.simulated);
}

void expect_times(const Seen& run, SimTime computing, SimTime host, SimTime protocol, SimTime wire,
                  SimTime waiting = {}) {
  expect_whole(run);
  EXPECT_EQ(run.path.time(PathKind::computing), computing);
  EXPECT_EQ(run.path.time(PathKind::host), host);
  EXPECT_EQ(run.path.time(PathKind::protocol), protocol);
  EXPECT_EQ(run.path.time(PathKind::wire), wire);
  EXPECT_EQ(run.path.time(PathKind::waiting), waiting);
}

// The machine: o_s 1 us, o_r 1.3 us, L 5 us, G 1 ns a byte; rendezvous above 4096 bytes; control messages of
// 1 byte. The first byte of a message is not paid for: k bytes take L + (k - 1) G.

TEST(CriticalPath, OfAReceiveForALateSenderBeginsAtTheSender) {
  const Seen run = seen_on_logp({{after(30_us, send(1, 101, 5, 1)), wait({1}), exit()},
                                 {after(10_us, receive(0, 101, 5, 1)), wait({1}), exit()}});
  expect_times(run, 30_us, 2'300_ns, 0_us, 5'100_ns);
  EXPECT_EQ(run.path.messages(), 1u);
  EXPECT_EQ(run.path.ranks(), 2u);
  EXPECT_NEAR(run.path.times.gain_of_half(PathKind::wire), 5.1 / 37.4 / 2, 1e-12);
}

TEST(CriticalPath, OfARendezvousWithALateSenderHasRequestAndClearance) {
  const Seen run = seen_on_logp(
      {{after(40_us, send(1, 8001, 5, 1)), wait({1}), exit()}, {receive(0, 8001, 5, 1), wait({1}), exit()}});
  // Two control messages of 5 us each, then 5 us and 8,000 bytes.
  expect_times(run, 40_us, 2'300_ns, 10_us, 13_us);
}

TEST(CriticalPath, OfARendezvousWithALateReceiverBeginsAtTheReceiver) {
  const Seen run = seen_on_logp(
      {{send(1, 8001, 5, 1), wait({1}), exit()}, {after(40_us, receive(0, 8001, 5, 1)), wait({1}), exit()}});
  // The clearance; the data; completing the receive.
  expect_times(run, 40_us, 1'300_ns, 5_us, 13_us);
  EXPECT_EQ(run.path.messages(), 0u);
  EXPECT_EQ(run.path.ranks(), 1u);
}

TEST(CriticalPath, OfAMessageThatHasLongBeenThereStaysWithItsReceiver) {
  const Seen run = seen_on_logp(
      {{send(1, 101, 5, 1), wait({1}), exit()}, {after(40_us, receive(0, 101, 5, 1)), wait({1}), exit()}});
  expect_times(run, 40_us, 1'300_ns, 0_us, 0_us);
}

TEST(CriticalPath, GoesThroughTheMessagesOfACollective) {
  auto broadcast = [] { return collective(CollectiveKind::broadcast, 101, 9); };
  const Seen run = seen_on_logp({{after(20_us, broadcast()), wait({9}), exit()},
                                 {after(3_us, broadcast()), wait({9}), after(7_us, exit())}});
  expect_times(run, 27_us, 2'300_ns, 0_us, 5'100_ns);
}

TEST(CriticalPath, GoesThroughCollectivesThatGoOnBesideTheirRanks) {
  Machine machine = logp_machine(2);
  machine.collectives.progress = CollectiveTuning::Progress::asynchronous;
  auto broadcast = [] {
    Operation operation = collective(CollectiveKind::broadcast, 101, 9);
    operation.collective.blocking = false;
    return operation;
  };
  const Seen run = seen(machine, {{after(20_us, broadcast()), after(1_us, wait({9})), exit()},
                                  {after(3_us, broadcast()), after(2_us, wait({9})), after(7_us, exit())}});
  expect_times(run, 27_us, 2'300_ns, 0_us, 5'100_ns);
}

TEST(CriticalPath, WithinAHostIsTheHosts) {
  const Seen run = seen_on_logp(
      {{after(30_us, send(1, 100, 5, 1)), wait({1}), exit()}, {receive(0, 100, 5, 1), wait({1}), exit()}}, 2);
  expect_times(run, 30_us, run.simulated - 30_us, 0_us, 0_us);
  EXPECT_EQ(run.path.messages(), 1u);
}

TEST(CriticalPath, TellsSleepingFromComputing) {
  Operation sleep = plain(OperationKind::sleep);
  sleep.duration = 15_us;
  const Seen run = seen_on_logp({{after(5_us, sleep), after(2_us, exit())}});
  expect_times(run, 7_us, 0_us, 0_us, 0_us, 15_us);
}

TEST(CriticalPath, CountsPollsThatARankAnswersItselfAsTheLibrarys) {
  Operation leave = after(20_us, exit());
  leave.polled = 8_us;
  const Seen run = seen_on_logp({{leave}});
  expect_times(run, 12_us, 8_us, 0_us, 0_us);
}

TEST(CriticalPath, OfARankThatPollsBeginsAtTheSender) {
  // The message is there at 31 us + 5.1 us. Rank 1 polls every 10 us and finds it at 40 us.
  const auto test = [] { return wait({1}, Completion::all, OperationKind::test); };
  const Seen run = seen_on_logp({{after(30_us, send(1, 101, 5, 1)), wait({1}), exit()},
                                 {receive(0, 101, 5, 1), after(10_us, test()), after(10_us, test()),
                                  after(10_us, test()), after(10_us, test()), exit()}});
  expect_whole(run);
  EXPECT_EQ(run.path.messages(), 1u);
  EXPECT_EQ(run.path.time(PathKind::wire), 5'100_ns);
  EXPECT_EQ(run.path.steps.front().who, (Actor{Rank{0}}));
}

/// Messages of all modes and lengths, with collectives, blocking or not, in between.
Scripts random_program(std::uint64_t seed) {
  Scripts scripts = random_scripts(seed);
  RandomStream random(seed, "collectives");
  for (auto& script : scripts) script.pop_back();  // exit
  constexpr CollectiveKind kinds[] = {CollectiveKind::barrier, CollectiveKind::broadcast,
                                      CollectiveKind::allreduce, CollectiveKind::alltoall,
                                      CollectiveKind::gather};
  for (std::uint64_t number = 0; number < 6; ++number) {
    const CollectiveKind kind = kinds[random.below(std::size(kinds))];
    const auto bytes = static_cast<std::int64_t>(random.below(20'000));
    const bool blocking = random.below(2) == 0;
    for (auto& script : scripts) {
      const auto time = [&] { return SimTime::from_ps(static_cast<std::int64_t>(random.below(30'000'000))); };
      Operation operation = collective(kind, kind == CollectiveKind::barrier ? 0 : bytes, 1'000 + number);
      operation.collective.blocking = blocking;
      script.push_back(after(time(), operation));
      script.push_back(after(blocking ? SimTime() : time(), wait({1'000 + number})));
    }
  }
  for (auto& script : scripts) script.push_back(exit());
  return scripts;
}

TEST(CriticalPath, IsAsLongAsTheRunOf200RandomPrograms) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const Scripts scripts = random_program(seed);
    Machine machine = logp_machine(scripts.size(), 1 + seed % 2);
    if (seed % 3 == 0) machine.collectives.progress = CollectiveTuning::Progress::asynchronous;
    const Seen run = seen(machine, scripts);
    expect_whole(run);
    EXPECT_GT(run.path.time(PathKind::wire), SimTime());
    EXPECT_GT(run.path.messages(), 0u);
  }
}

/// Where each operation of each rank begins.
class Begins : public OperationObserver {
 public:
  explicit Begins(std::size_t ranks) : by_rank(ranks) {}
  void operation_ended(Rank rank, const Operation&, SimTime begin, SimTime,
                       std::span<const Completed>) override {
    by_rank[index(rank)].push_back(begin);
  }
  std::vector<std::vector<SimTime>> by_rank;
};

/// A machine without contention: every message takes as long as if it were alone.
Machine machine_without_queues(std::size_t ranks) {
  Machine machine = logp_machine(ranks);
  machine.network =
      std::make_unique<LogpNetwork>(*machine.events, ranks, LogpParameters{L, SimTime(), ByteCost()});
  machine.transport = std::make_unique<DirectTransport>(*machine.network);
  return machine;
}

// Without contention the end of a run is the longest of its chains of causes: a picosecond more of computing
// anywhere on the longest one makes the run longer by as much.
TEST(CriticalPath, MovesTheEndWhereverItIsStretched) {
  constexpr SimTime more = 1_ps;
  std::size_t stretched = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Scripts scripts = random_program(seed);
    Machine machine = machine_without_queues(scripts.size());
    CriticalPathRecorder recorder;
    Begins begins(scripts.size());
    ScriptedSource source(scripts);
    OperationObserver* const observers[] = {&recorder, &begins};
    Engine engine(machine, source, observers, &recorder);
    engine.run();
    const CriticalPath path = recorder.path();
    for (const CriticalPath::Step& step : path.steps) {
      if (step.message || step.times[static_cast<std::size_t>(PathKind::computing)] == SimTime()) continue;
      const std::size_t rank = index(step.who.rank);
      const std::vector<SimTime>& mine = begins.by_rank[rank];
      for (std::size_t i = 0; i < mine.size(); ++i) {
        if (mine[i] <= step.begin || mine[i] > step.end || scripts[rank][i].elapsed == SimTime()) continue;
        if (++stretched % 5 != 0) continue;
        Scripts longer = scripts;
        longer[rank][i].elapsed += more;
        Machine same = machine_without_queues(scripts.size());
        EXPECT_EQ(seen(same, longer).simulated, path.total() + more)
            << "seed " << seed << ", rank " << rank << ", operation " << i;
      }
    }
  }
  EXPECT_GT(stretched, 1000u);
}

}  // namespace
}  // namespace morgana
