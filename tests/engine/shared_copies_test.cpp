// Ranks of one host that copy at once share its memory: by hand, and where nothing is slowed as without it.

#include <gmock/gmock.h>

#include <algorithm>

#include "emulator/engine/engine.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/random_messages.h"
#include "tests/engine/scripted_source.h"
#include "tests/support/effort.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;
using testing::ElementsAre;

/// @param bandwidth  of each host, in GB/s
Machine with_memory(Machine machine, std::int64_t bandwidth, Bytes cache = Bytes(),
                    bool ranks_are_known = true) {
  machine.share_memory({BitRate(8'000'000'000 * bandwidth), cache}, ranks_are_known);
  return machine;
}

/// Two pairs on one host; the first rank of each sends to the second one.
ScriptedSource two_pairs(std::int64_t bytes) {
  std::vector<std::vector<Operation>> scripts;
  for (const int pair : {0, 2}) {
    scripts.push_back({send(pair + 1, bytes, 5, 1), wait({1}), exit()});
    scripts.push_back({receive(pair, bytes, 5, 1), wait({1}), exit()});
  }
  return ScriptedSource(scripts);
}

std::vector<SimTime> ends_with_copies(Machine machine, ScriptedSource source) {
  return Engine(machine, source, {}).run();
}

// 200 ns of overhead and 50 ns until the request is there; then both are copied, 1 us alone and 20 GB/s.
TEST(SharedCopies, OfLongMessagesSlowEachOther) {
  EXPECT_THAT(ends_with_copies(with_memory(logp_machine(4, 4), 40), two_pairs(10'000)),
              ElementsAre(1250_ns, 1450_ns, 1250_ns, 1450_ns));
  EXPECT_THAT(ends_with_copies(with_memory(logp_machine(4, 4), 20), two_pairs(10'000)),
              ElementsAre(2250_ns, 2450_ns, 2250_ns, 2450_ns));
  // On a host for each pair they don't.
  EXPECT_THAT(ends_with_copies(with_memory(logp_machine(4, 2), 20), two_pairs(10'000)),
              ElementsAre(1250_ns, 1450_ns, 1250_ns, 1450_ns));
}

// In: 200 ns for both, 200 ns of overhead, 50 ns until it is there. Out: 200 ns, 200 ns of overhead.
TEST(SharedCopies, OfEagerMessagesSlowEachOtherInAndOut) {
  EXPECT_THAT(ends_with_copies(logp_machine(4, 4), two_pairs(1000)),
              ElementsAre(300_ns, 650_ns, 300_ns, 650_ns));
  EXPECT_THAT(ends_with_copies(with_memory(logp_machine(4, 4), 20), two_pairs(1000)),
              ElementsAre(400_ns, 850_ns, 400_ns, 850_ns));
  EXPECT_THAT(ends_with_copies(with_memory(logp_machine(4, 4), 20, 1000_B), two_pairs(1000)),
              ElementsAre(300_ns, 650_ns, 300_ns, 650_ns));
}

// Between hosts, out of and into registered buffers: 100 ns alone for 1000 B, and 200 ns for two at once.
TEST(SharedCopies, IntoRegisteredBuffersSlowEachOther) {
  const auto machine = [] {
    Machine made = logp_machine(4, 2);
    made.messages.send_per_byte = made.messages.receive_per_byte = ByteCost::from_fs(100'000);
    return made;
  };
  const ScriptedSource source({{send(2, 1000, 5, 1), wait({1}), exit()},
                               {after(1_ms, send(3, 1000, 5, 1)), wait({1}), exit()},
                               {after(2_ms, receive(0, 1000, 5, 1)), wait({1}), exit()},
                               {after(2_ms, receive(1, 1000, 5, 1)), wait({1}), exit()}});
  EXPECT_THAT(ends_with_copies(machine(), source),
              ElementsAre(o_s + 100_ns, 1_ms + o_s + 100_ns, 2_ms + o_r + 100_ns, 2_ms + o_r + 100_ns));
  EXPECT_THAT(ends_with_copies(with_memory(machine(), 20), source),
              ElementsAre(o_s + 100_ns, 1_ms + o_s + 100_ns, 2_ms + o_r + 200_ns, 2_ms + o_r + 200_ns));
}

// A wait for any of two completes the first; the other is there meanwhile and is copied in the next wait.
TEST(SharedCopies, AreMadeInTheCallThatCompletesTheReceive) {
  const ScriptedSource source({{send(2, 1000, 5, 1), wait({1}), exit()},
                               {send(2, 1000, 6, 1), wait({1}), exit()},
                               {receive(0, 1000, 5, 1), receive(1, 1000, 6, 2), wait({1, 2}, Completion::any),
                                after(1_us, wait({2})), exit()}});
  // In until 200 ns, there at 450 ns; the first copy alone until 550, its overhead until 750 ns; 1 us of
  // computing; the other one 100 ns and 200 ns.
  EXPECT_THAT(ends_with_copies(with_memory(logp_machine(3, 3), 20), source),
              ElementsAre(400_ns, 400_ns, 2050_ns));
}

/// Clocks of the ranks' answers.
std::vector<std::vector<SimTime>> clocks_of(Machine machine, ScriptedSource source,
                                            std::vector<OperationObserver*> observers = {}) {
  Engine(machine, source, observers).run();
  std::vector<std::vector<SimTime>> clocks;
  for (const auto& answers : source.answers) {
    clocks.emplace_back();
    for (const Answer& answer : answers) clocks.back().push_back(answer.clock);
  }
  return clocks;
}

// Of 200 GB/s two slow copies need 20 each. Two fast ones, which alone have 125 GB/s, have the other 160.
TEST(SharedCopies, ThatCannotBeSlowedSlowOthers) {
  const auto clocks = [](bool ranks_are_known) {
    Machine machine = logp_machine(8, 4);
    machine.messages.send_per_byte = ByteCost::from_fs(16'000);
    std::vector<std::vector<Operation>> scripts(8);
    for (const int rank : {0, 1, 2, 3}) {
      const int to = rank < 2 ? 1 - rank : rank + 2;
      scripts[static_cast<std::size_t>(rank)] = {send(to, 4000, 5, 1), wait({1})};
    }
    for (const int rank : {0, 1, 4, 5}) {
      const int from = rank < 2 ? 1 - rank : rank - 2;
      auto& script = scripts[static_cast<std::size_t>(rank)];
      script.insert(script.end(), {after(1_ms, receive(from, 4000, 5, 2)), wait({2})});
    }
    for (auto& script : scripts) script.push_back(exit());
    return clocks_of(with_memory(std::move(machine), 200, Bytes(), ranks_are_known), ScriptedSource(scripts));
  };
  // 4000 B in 400 ns at 10 GB/s, which is 20 GB/s of traffic; and in 100 ns at 80 GB/s of traffic.
  const auto known = clocks(true);
  EXPECT_EQ(known[0][0], 200_ns + 400_ns);
  EXPECT_EQ(known[1][0], 200_ns + 400_ns);
  EXPECT_EQ(known[2][0], o_s + 100_ns);
  EXPECT_EQ(known[3][0], o_s + 100_ns);
  EXPECT_EQ(clocks(false), known);
}

// A ring of three steps. Each rank copies its own block, 10 us alone and four times that among four; then in
// each step all four send and receive: 200 ns of overhead of the send, 50 ns until the request is there, the
// copy of the library from memory to memory, 200 ns of the receive.
TEST(SharedCopies, OfCollectivesSlowEachOther) {
  const auto run = [](Machine machine) {
    machine.collectives.algorithm["allgather"] = "ring";
    std::vector<std::vector<Operation>> scripts(
        4, {collective(CollectiveKind::allgather, 100'000, 1), wait({1}), exit()});
    return ends_with_copies(std::move(machine), ScriptedSource(scripts));
  };
  const auto each = [](SimTime end) { return std::vector<SimTime>(4, end); };
  const auto end = [](SimTime copy) { return copy + 3 * (200_ns + 50_ns + copy + 200_ns); };
  EXPECT_EQ(run(logp_machine(4, 4)), each(end(10_us)));
  EXPECT_EQ(run(with_memory(logp_machine(4, 4), 80)), each(end(10_us)));
  EXPECT_EQ(run(with_memory(logp_machine(4, 4), 20)), each(end(40_us)));
}

Operation kill(int rank) {
  Operation o = plain(OperationKind::kill);
  o.peer = Rank{rank};
  return o;
}

// 20 GB/s, copies of 400 ns alone. The rank that is killed at 200 ns has slowed the other until then, which
// has done half of a half, and needs 300 ns more alone.
TEST(SharedCopies, EndWithARankThatIsKilled) {
  const ScriptedSource source({{send(3, 4000, 5, 1), wait({1}), exit()},
                               {send(3, 4000, 6, 1), wait({1}), exit()},
                               {after(200_ns, kill(0)), exit()},
                               {receive(1, 4000, 6, 1), wait({1}), exit()}});
  const auto clocks = clocks_of(with_memory(logp_machine(4, 4), 20), source);
  EXPECT_TRUE(clocks[0].empty());
  EXPECT_EQ(clocks[1][0], 500_ns + 200_ns);
}

// Its part of a collective goes on, as the others need what it sends.
TEST(SharedCopies, OfAKilledRanksCollectiveGoOn) {
  const Operation all = collective(CollectiveKind::allgather, 100'000, 1);
  const ScriptedSource source(
      {{all, wait({1}), exit()}, {all, wait({1}), exit()}, {after(3_us, kill(0)), all, wait({1}), exit()}});
  const auto clocks = clocks_of(with_memory(logp_machine(3, 3), 20), source);
  EXPECT_TRUE(clocks[0].empty());
  EXPECT_GT(clocks[1][0], 30_us);
}

Operation nonblocking(CollectiveKind kind, std::int64_t bytes, std::uint64_t request) {
  Operation o = collective(kind, bytes, request);
  o.collective.blocking = false;
  return o;
}

// With a collective pending the receive that is there is copied as the wait ends, as long as alone; nothing
// of it is left in memory, where the next send has 2000 ns for its 1000 B, at 1 GB/s for what is read and
// written.
TEST(SharedCopies, OfACallThatGoesOnWithCollectivesTakeAsLongAsAlone) {
  for (const bool pending : {false, true}) {
    SCOPED_TRACE(pending);
    std::vector<std::vector<Operation>> scripts(4);
    if (pending)
      for (auto& script : scripts) script.push_back(nonblocking(CollectiveKind::allreduce, 8, 9));
    for (const int from : {1, 2}) {
      auto& script = scripts[static_cast<std::size_t>(from)];
      script.insert(script.end(), {after(from == 1 ? 0_us : 18_us, send(0, 1000, from, 1)), wait({1})});
    }
    const std::vector<Operation> zero{receive(1, 1000, 1, 1),
                                      receive(2, 1000, 2, 2),
                                      after(19_us, wait({1, 2})),
                                      send(3, 1000, 3, 3),
                                      wait({3}),
                                      plain(OperationKind::read_clock)};
    scripts[0].insert(scripts[0].end(), zero.begin(), zero.end());
    scripts[3].insert(scripts[3].end(), {after(1_ms, receive(0, 1000, 3, 1)), wait({1})});
    for (auto& script : scripts) {
      if (pending) script.push_back(wait({9}));
      script.push_back(exit());
    }
    const auto clocks = clocks_of(with_memory(logp_machine(4, 4), 1), ScriptedSource(scripts));
    EXPECT_EQ(clocks[0][1] - clocks[0][0], 2000_ns + 200_ns);
  }
}

/// Windows of nonblocking messages, waited for in pieces; and of nonblocking collectives.
std::vector<std::vector<Operation>> windows(std::uint64_t seed, std::size_t ranks) {
  RandomStream random(seed, "windows");
  std::vector<std::vector<Operation>> scripts(ranks);
  std::vector<std::uint64_t> number(ranks);
  const auto time = [&] {
    return random.chance(0.5) ? SimTime()
                              : SimTime::from_ps(static_cast<std::int64_t>(random.below(3'000'000)));
  };
  for (int round = 0; round < 6; ++round) {
    std::vector<std::vector<std::uint64_t>> open(ranks);
    if (random.chance(0.5)) {
      const CollectiveKind kind = random.chance(0.5) ? CollectiveKind::allreduce : CollectiveKind::barrier;
      const auto bytes = kind == CollectiveKind::barrier ? 0 : static_cast<std::int64_t>(random.below(5000));
      for (std::size_t rank = 0; rank < ranks; ++rank)
        scripts[rank].push_back(
            after(time(), nonblocking(kind, bytes, open[rank].emplace_back(++number[rank]))));
    }
    for (int message = 0; message < 10; ++message) {
      const std::size_t from = random.below(ranks), to = (from + 1 + random.below(ranks - 1)) % ranks;
      const auto bytes = static_cast<std::int64_t>(random.below(std::uint64_t{1} << random.below(15)));
      scripts[from].push_back(after(
          time(), send(static_cast<int>(to), bytes, message % 3, open[from].emplace_back(++number[from]))));
      scripts[to].push_back(after(time(), receive(static_cast<int>(from), 1 << 15, message % 3,
                                                  open[to].emplace_back(++number[to]))));
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const std::size_t half = random.below(open[rank].size() + 1);
      Operation first = wait({}), rest = wait({});
      for (std::size_t i = 0; i < open[rank].size(); ++i)
        (i < half ? first : rest).requests.push_back(RequestId{open[rank][i]});
      scripts[rank].push_back(after(time(), first));
      scripts[rank].push_back(after(time(), rest));
    }
  }
  for (auto& script : scripts) script.push_back(exit());
  return scripts;
}

/// Local sends take their overhead and what their copy takes alone on the memory.
class NoSendIsFasterThanAlone : public OperationObserver {
 public:
  explicit NoSendIsFasterThanAlone(ByteCost alone) : alone_(alone) {}
  void operation_ended(Rank, const Operation& operation, SimTime begin, SimTime end,
                       std::span<const Completed>) override {
    if (operation.kind != OperationKind::send || operation.bytes > Bytes(4096)) return;
    ++sends;
    EXPECT_GE(end - begin, 200_ns + alone_.time_for(operation.bytes));
  }
  int sends = 0;

 private:
  ByteCost alone_;
};

// 10 GB/s are 5 GB/s of copies, half a processor's speed.
TEST(SharedCopies, AreNoFasterThanAlone) {
  int sends = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(200); ++seed) {
    SCOPED_TRACE(seed);
    NoSendIsFasterThanAlone observer(ByteCost::from_fs(200'000));
    clocks_of(with_memory(logp_machine(6, 6), 10), ScriptedSource(windows(seed, 6)), {&observer});
    sends += observer.sends;
  }
  EXPECT_GT(sends, 1000);
}

// A memory that slows nothing, but is asked for each copy.
TEST(SharedCopies, TakeAsLongAsAloneWhereTheMemoryIsWide) {
  for (std::uint64_t seed = 1; seed <= random_cases(400); ++seed) {
    SCOPED_TRACE(seed);
    const auto machine = [&] {
      Machine made = logp_machine(6, seed % 2 == 0 ? 6 : 3);
      made.messages.send_per_byte = ByteCost::from_fs(70'000);
      made.messages.receive_per_byte = ByteCost::from_fs(90'000);
      return made;
    };
    const std::vector<std::vector<Operation>> scripts = windows(seed, 6);
    ScriptedSource hesitant(scripts);
    hesitant.hesitate(seed);
    const auto alone = clocks_of(machine(), ScriptedSource(scripts));
    EXPECT_EQ(clocks_of(with_memory(machine(), 100'000, Bytes(seed % 3 == 0 ? 200 : 0), false), hesitant),
              alone);
  }
}

// What the ranks get does not depend on it, and time does not on how soon operations are known.
TEST(SharedCopies, AreTheSameHoweverLateOperationsAreKnown) {
  for (std::uint64_t seed = 1; seed <= random_cases(200); ++seed) {
    SCOPED_TRACE(seed);
    const auto machine = [] { return with_memory(logp_machine(6, 3), 5); };
    const std::vector<std::vector<Operation>> scripts = windows(seed, 6);
    ScriptedSource hesitant(scripts);
    hesitant.hesitate(seed);
    const auto slowed = clocks_of(machine(), ScriptedSource(scripts));
    EXPECT_EQ(slowed, clocks_of(machine(), hesitant));
    EXPECT_NE(slowed, clocks_of(logp_machine(6, 3), ScriptedSource(scripts)));
  }
}

TEST(SharedCopies, DeliverWhatWasSent) {
  for (std::uint64_t seed = 1; seed <= random_cases(100); ++seed) {
    SCOPED_TRACE(seed);
    ScriptedSource alone(random_scripts(seed)), slowed(random_scripts(seed));
    Machine one = logp_machine(4, 2), other = with_memory(logp_machine(4, 2), 15);
    Engine(one, alone, {}).run();
    Engine(other, slowed, {}).run();
    EXPECT_EQ(got(alone), got(slowed));
  }
}

}  // namespace
}  // namespace morgana
