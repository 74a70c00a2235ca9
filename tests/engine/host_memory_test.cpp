// The hosts' memories by themselves: by hand, and against a model that goes picosecond by picosecond.

#include "emulator/host/host_memory.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "tests/support/effort.h"

namespace morgana {
namespace {
using namespace literals;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::VariantWith;

struct Task {
  SimTime at;
  std::uint32_t host;
  MemoryWork work;
};

constexpr BitRate bytes_per_second(std::int64_t bytes) {
  return BitRate(8 * bytes);
}

constexpr std::int64_t giga = 1'000'000'000;

/// Begins tasks, and notes when they end.
class Copies : private EventHandler, private MemoryUser {
 public:
  Copies(std::int64_t bandwidth, std::vector<Task> tasks)
      : memory_(events_, {bytes_per_second(bandwidth), Bytes()}),
        tasks_(std::move(tasks)),
        ends(tasks_.size()) {
    for (std::size_t i = 0; i < tasks_.size(); ++i) events_.schedule(tasks_[i].at, *this, i);
    while (!events_.empty()) events_.handle_next();
  }
  const HostMemory& memory() const { return memory_; }
  std::uint64_t events() const { return events_.handled() - tasks_.size(); }

 private:
  void handle(std::uint64_t what) override {
    memory_.begin(HostId{tasks_[what].host}, tasks_[what].work, *this, what);
  }
  void memory_done(std::uint64_t what, CopyId) override { ends[what] = events_.now(); }

  EventQueue events_;
  HostMemory memory_;
  std::vector<Task> tasks_;

 public:
  std::vector<SimTime> ends;
};

constexpr ByteCost ps_per_byte(std::int64_t ps) {
  return ByteCost::from_fs(1000 * ps);
}

// A copy alone: 1000 B at 100 ps/B, 10 GB/s, which is 20 GB/s of traffic.
TEST(HostMemory, LeavesACopyItsOwnSpeed) {
  EXPECT_THAT(Copies(20 * giga, {{0_ns, 0, {1000_B, ps_per_byte(100)}}}).ends, ElementsAre(100_ns));
  EXPECT_THAT(Copies(500 * giga, {{0_ns, 0, {1000_B, ps_per_byte(100)}}}).ends, ElementsAre(100_ns));
  // To the nearest picosecond, as ByteCost does: 3 B at 70.7 ps are 212.1 ps, 5 B are 353.5 ps.
  for (const std::int64_t bytes : {3, 5}) {
    const ByteCost cost = ByteCost::from_fs(70'700);
    EXPECT_THAT(Copies(500 * giga, {{0_ns, 0, {Bytes(bytes), cost}}}).ends,
                ElementsAre(cost.time_for(Bytes(bytes))));
  }
}

TEST(HostMemory, MayBeSlowerThanAProcessor) {
  EXPECT_THAT(Copies(10 * giga, {{0_ns, 0, {1000_B, ps_per_byte(100)}}}).ends, ElementsAre(200_ns));
  // Combining 1000 B reads 2000 B and writes 1000 B.
  EXPECT_THAT(Copies(10 * giga, {{0_ns, 0, {1000_B, ps_per_byte(100), MemoryWork::reduced}}}).ends,
              ElementsAre(300_ns));
}

TEST(HostMemory, IsSharedFromItsLimitOn) {
  const MemoryWork copy{1000_B, ps_per_byte(100)};
  // Two need 40 GB/s, four 80 GB/s.
  EXPECT_THAT(Copies(40 * giga, {{0_ns, 0, copy}, {0_ns, 0, copy}}).ends, ElementsAre(100_ns, 100_ns));
  EXPECT_THAT(Copies(40 * giga, {{0_ns, 0, copy}, {0_ns, 0, copy}, {0_ns, 0, copy}, {0_ns, 0, copy}}).ends,
              ElementsAre(200_ns, 200_ns, 200_ns, 200_ns));
  // Other hosts have other memories.
  EXPECT_THAT(Copies(20 * giga, {{0_ns, 0, copy}, {0_ns, 1, copy}}).ends, ElementsAre(100_ns, 100_ns));
}

// 20 GB/s: the first has all of it until 50 ns and 500 B left; then both have 10 GB/s of traffic, 5 B/ns, and
// the first ends at 150 ns, when the second has 500 B left, too, which take 50 ns alone.
TEST(HostMemory, SharesAnewWhenACopyBeginsOrEnds) {
  const MemoryWork copy{1000_B, ps_per_byte(100)};
  const Copies copies(20 * giga, {{0_ns, 0, copy}, {50_ns, 0, copy}});
  EXPECT_THAT(copies.ends, ElementsAre(150_ns, 200_ns));
  const CounterTable table = copies.memory().counted();
  ASSERT_EQ(table.rows.size(), 1U);
  const auto count = [](std::int64_t value) { return CounterTable::Value(value); };
  EXPECT_THAT(table.rows[0],
              ElementsAre(count(0), count(2), count(2000), VariantWith<double>(DoubleNear(0.1, 1e-9)),
                          VariantWith<double>(DoubleNear(0.1, 1e-9))));
  EXPECT_EQ(copies.memory().slowed(), 100_ns);
}

// 30 GB/s, and a slow processor that can use only 5 GB/s of it: the two fast ones have 12.5 GB/s each,
// until it is done. They have copied 625 B then; the other 375 B take 50 ns at 15 GB/s.
TEST(HostMemory, GivesWhatOneCannotUseToTheOthers) {
  const MemoryWork slow{250_B, ps_per_byte(400)}, fast{1000_B, ps_per_byte(100)};
  EXPECT_THAT(Copies(30 * giga, {{0_ns, 0, slow}, {0_ns, 0, fast}, {0_ns, 0, fast}}).ends,
              ElementsAre(100_ns, 150_ns, 150_ns));
}

// One event is the end of each copy. The short copy's end comes before what was expected: one more.
TEST(HostMemory, NeedsOneEventForACopy) {
  const MemoryWork copy{1000_B, ps_per_byte(100)}, quick{10_B, ps_per_byte(100)};
  EXPECT_EQ(Copies(20 * giga, {{0_ns, 0, copy}}).events(), 1U);
  EXPECT_EQ(Copies(20 * giga, {{0_ns, 0, copy}, {200_ns, 0, copy}}).events(), 2U);
  EXPECT_LE(Copies(20 * giga, {{0_ns, 0, copy}, {10_ns, 0, quick}}).events(), 4U);
}

TEST(HostMemory, KnowsWhereNothingCanBeSlowed) {
  EventQueue events;
  HostMemory memory(events, {bytes_per_second(100 * giga), 4096_B});
  const MemoryWork copy{8192_B, ps_per_byte(100)};
  EXPECT_TRUE(memory.may_slow(HostId{0}, copy));  // nothing is known of the ranks
  std::vector<HostId> hosts(2, HostId{0});
  hosts.resize(5, HostId{1});
  memory.ranks_are_on(hosts, std::array{copy, MemoryWork{}});
  EXPECT_FALSE(memory.may_slow(HostId{0}, copy));  // 2 ranks: 80 GB/s, twice counted
  EXPECT_TRUE(memory.may_slow(HostId{1}, copy));   // 3: 120 GB/s
  EXPECT_FALSE(memory.may_slow(HostId{2}, copy));
  EXPECT_FALSE(memory.may_slow(HostId{1}, {4096_B, ps_per_byte(100)}));  // between caches
  EXPECT_FALSE(memory.may_slow(HostId{1}, {8192_B, ByteCost()}));
  // The fastest kind decides for all: two ranks that combine need 120 GB/s.
  memory.ranks_are_on(hosts, std::array{copy, MemoryWork{Bytes(), ps_per_byte(100), MemoryWork::reduced}});
  EXPECT_TRUE(memory.may_slow(HostId{0}, copy));
}

/// Begins two copies at once, and cancels the first one at a time.
class Cancelled : private EventHandler, private MemoryUser {
 public:
  explicit Cancelled(SimTime at) : memory_(events_, {bytes_per_second(20 * giga), Bytes()}) {
    copies_ = {memory_.begin(HostId{0}, work_, *this, 0), memory_.begin(HostId{0}, work_, *this, 0)};
    events_.schedule(at, *this, 0);
    while (!events_.empty()) events_.handle_next();
  }
  std::vector<std::pair<std::size_t, SimTime>> ended;  // which copy, and when

 private:
  void handle(std::uint64_t) override { memory_.cancel(HostId{0}, copies_[0]); }
  void memory_done(std::uint64_t, CopyId copy) override {
    ended.emplace_back(copy == copies_[0] ? 0 : 1, events_.now());
  }
  EventQueue events_;
  HostMemory memory_;
  MemoryWork work_{1000_B, ps_per_byte(100)};
  std::vector<CopyId> copies_;
};

// 20 GB/s for two: each is half done after 100 ns. Then the other one is alone, and needs 50 ns.
TEST(HostMemory, ForgetsWhatIsCancelled) {
  EXPECT_THAT(Cancelled(100_ns).ended, ElementsAre(std::pair(std::size_t{1}, 150_ns)));
  EXPECT_THAT(Cancelled(0_ns).ended, ElementsAre(std::pair(std::size_t{1}, 100_ns)));
}

// Ten copies of 40 days each, of 17 s alone: 400 days, and a number of 64 bits has 106 days of picoseconds.
TEST(HostMemory, CountsNoMoreThanATimeCanBe) {
  const MemoryWork work{Bytes(172'800'000'000), ps_per_byte(100)};
  const Copies copies(1'000'000, std::vector<Task>(10, {0_ns, 0, work}));
  EXPECT_EQ(copies.ends[9], SimTime::from_ps(40 * 86'400 * 1'000'000'000'000));
  EXPECT_EQ(copies.memory().slowed(), SimTime::max());
}

/// The same by the definition: in every picosecond all shares are worked out anew, the slowest processor's
/// first, each of what the ones before it have left; who has less than half a picosecond left is done.
/// (Written by the author of HostMemory, in another way: no events, no state but what is left.)
std::vector<SimTime> picosecond_by_picosecond(std::int64_t bandwidth, const std::vector<Task>& tasks) {
  constexpr __int128 parts = 6'000'000'000'000, second = 1'000'000'000'000'000;
  std::vector<SimTime> ends(tasks.size(), SimTime::max());
  std::vector<__int128> left;  // fs of the task's own time, in parts of 6 * 10^12
  for (const Task& task : tasks)
    left.push_back(__int128{task.work.bytes.count()} * task.work.cost.fs() * parts);
  const auto pass = [&](std::size_t i, __int128 progress) {
    left[i] -= progress;
    if (2 * left[i] < progress) left[i] = 0;
  };
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (2 * left[i] < 1000 * parts) left[i] = 0;
  for (std::int64_t now = 0; std::ranges::count(ends, SimTime::max()) > 0 && now < 1'000'000; ++now) {
    for (std::uint32_t host = 0; host < 2; ++host) {
      std::vector<std::size_t> active;
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (tasks[i].host != host || tasks[i].at.ps() > now || ends[i] != SimTime::max()) continue;
        if (left[i] == 0)
          ends[i] = SimTime::from_ps(now);
        else
          active.push_back(i);
      }
      // Bytes a second that it can use.
      const auto rate = [&](std::size_t i) {
        return static_cast<std::int64_t>(second * tasks[i].work.traffic / tasks[i].work.cost.fs());
      };
      std::ranges::stable_sort(active, {}, rate);
      std::int64_t free = bandwidth, sharing = std::ssize(active);
      for (const std::size_t i : active) {
        const MemoryWork& work = tasks[i].work;
        const std::int64_t share = free / sharing;
        const bool own = __int128{share} * work.cost.fs() >= second * work.traffic;
        pass(i, own ? 1000 * parts : __int128{share} * work.cost.fs() * (6 / work.traffic));
        if (!own) continue;  // the others can use no less: all have the same share
        free -= rate(i);
        --sharing;
      }
    }
  }
  return ends;
}

TEST(HostMemory, IsTheModelThatGoesPicosecondByPicosecond) {
  for (std::uint64_t seed = 1; seed <= random_cases(3000); ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "memory");
    const std::int64_t bandwidth = static_cast<std::int64_t>(5 + random.below(95)) * giga +
                                   static_cast<std::int64_t>(random.below(giga));
    const std::uint64_t tasks = 1 + random.below(10);
    std::vector<Task> all;
    const bool alike = random.chance(0.3);
    for (std::uint64_t i = 0; i < tasks; ++i) {
      const auto below = [&](std::uint64_t limit) { return static_cast<std::int64_t>(random.below(limit)); };
      MemoryWork work{Bytes(below(random.chance(0.2) ? 3 : 12)), ByteCost::from_fs(1 + below(150'000)),
                      static_cast<std::uint32_t>(1 + random.below(3))};
      if (alike) work.cost = ps_per_byte(100);
      all.push_back({SimTime::from_ps(below(random.chance(0.5) ? 20 : 1500)),
                     static_cast<std::uint32_t>(random.below(4) / 3), work});
    }
    std::ranges::stable_sort(all, {}, &Task::at);
    EXPECT_EQ(Copies(bandwidth, all).ends, picosecond_by_picosecond(bandwidth, all));
  }
}

}  // namespace
}  // namespace morgana
