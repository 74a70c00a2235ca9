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
  machine.memory = std::make_unique<HostMemory>(
      *machine.events, HostMemoryParameters{BitRate(8'000'000'000 * bandwidth), cache});
  if (ranks_are_known) machine.memory->ranks_are_on(machine.host_of);
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

std::vector<SimTime> ends_of(Machine machine, ScriptedSource source) {
  return Engine(machine, source, {}).run();
}

// 200 ns of overhead and 50 ns until the request is there; then both are copied, 1 us alone and 20 GB/s.
TEST(SharedCopies, OfLongMessagesSlowEachOther) {
  EXPECT_THAT(ends_of(with_memory(logp_machine(4, 4), 40), two_pairs(10'000)),
              ElementsAre(1250_ns, 1450_ns, 1250_ns, 1450_ns));
  EXPECT_THAT(ends_of(with_memory(logp_machine(4, 4), 20), two_pairs(10'000)),
              ElementsAre(2250_ns, 2450_ns, 2250_ns, 2450_ns));
  // On a host for each pair they don't.
  EXPECT_THAT(ends_of(with_memory(logp_machine(4, 2), 20), two_pairs(10'000)),
              ElementsAre(1250_ns, 1450_ns, 1250_ns, 1450_ns));
}

// In: 200 ns for both, 200 ns of overhead, 50 ns until it is there. Out: 200 ns, 200 ns of overhead.
TEST(SharedCopies, OfEagerMessagesSlowEachOtherInAndOut) {
  EXPECT_THAT(ends_of(logp_machine(4, 4), two_pairs(1000)), ElementsAre(300_ns, 650_ns, 300_ns, 650_ns));
  EXPECT_THAT(ends_of(with_memory(logp_machine(4, 4), 20), two_pairs(1000)),
              ElementsAre(400_ns, 850_ns, 400_ns, 850_ns));
  EXPECT_THAT(ends_of(with_memory(logp_machine(4, 4), 20, 1000_B), two_pairs(1000)),
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
  EXPECT_THAT(ends_of(machine(), source),
              ElementsAre(o_s + 100_ns, 1_ms + o_s + 100_ns, 2_ms + o_r + 100_ns, 2_ms + o_r + 100_ns));
  EXPECT_THAT(ends_of(with_memory(machine(), 20), source),
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
  EXPECT_THAT(ends_of(with_memory(logp_machine(3, 3), 20), source), ElementsAre(400_ns, 400_ns, 2050_ns));
}

TEST(SharedCopies, OfCollectivesSlowEachOther) {
  // An alltoall copies the rank's own block; all four at once.
  const auto run = [](Machine machine) {
    std::vector<std::vector<Operation>> scripts(
        4, {collective(CollectiveKind::allgather, 100'000, 1), wait({1}), exit()});
    return ends_of(std::move(machine), ScriptedSource(scripts));
  };
  const std::vector<SimTime> alone = run(logp_machine(4, 4)), wide = run(with_memory(logp_machine(4, 4), 80)),
                             narrow = run(with_memory(logp_machine(4, 4), 20));
  EXPECT_EQ(alone, wide);
  // Four copies at once, each at a quarter of its speed: the copies of 100 us take four times as long.
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_GT(narrow[rank].ps(), 3 * alone[rank].ps());
    EXPECT_LE(narrow[rank].ps(), 4 * alone[rank].ps());
  }
}

/// Windows of nonblocking messages, waited for in pieces.
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

std::vector<std::vector<SimTime>> clocks_of(Machine machine, ScriptedSource source) {
  Engine(machine, source, {}).run();
  std::vector<std::vector<SimTime>> clocks;
  for (const auto& answers : source.answers) {
    clocks.emplace_back();
    for (const Answer& answer : answers) clocks.back().push_back(answer.clock);
  }
  return clocks;
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
