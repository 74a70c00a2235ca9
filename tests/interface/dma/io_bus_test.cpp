#include "emulator/host/io_bus.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "emulator/core/random.h"
#include "tests/interface/dma/round_numbers.h"

namespace morgana {
namespace {
using namespace literals;
using testing::ElementsAre;
using Master = IoBus::Master;

struct Ask {
  SimTime at;
  Master master;
  Bytes size;
};

/// Asks for transfers of host 0, and notes when they end.
class Transfers : private EventHandler, private IoBusUser {
 public:
  explicit Transfers(std::vector<Ask> asks) : asks_(std::move(asks)), ends(asks_.size()) {
    for (std::size_t i = 0; i < asks_.size(); ++i) events_.schedule(asks_[i].at, *this, i);
    while (!events_.empty()) events_.handle_next();
  }
  CounterTable counted() const { return bus_.counted(); }

 private:
  void handle(std::uint64_t what) override {
    bus_.transfer(HostId{0}, asks_[what].master, asks_[what].size, *this, what);
  }
  void transferred(std::uint64_t what) override { ends[what] = events_.now(); }

  EventQueue events_;
  IoBus bus_{events_, round_numbers};
  std::vector<Ask> asks_;

 public:
  std::vector<SimTime> ends;
};

TEST(IoBus, TransfersInBurstsAndWrites) {
  EXPECT_THAT(Transfers({{0_ns, Master::outgoing, 250_B}}).ends, ElementsAre(550_ns));
  EXPECT_THAT(Transfers({{0_ns, Master::processor, 10_B}}).ends, ElementsAre(310_ns));
  EXPECT_THAT(Transfers({{0_ns, Master::incoming, 0_B}}).ends, ElementsAre(100_ns));
}

// What leaves has the bus for two bursts, until 400 ns: the second one was under way when what comes asked
// for the bus. Then they alternate: 400 to 600, 600 to 800, 800 to 1000 ns.
TEST(IoBus, IsSharedBurstByBurst) {
  EXPECT_THAT(Transfers({{0_ns, Master::outgoing, 300_B}, {250_ns, Master::incoming, 200_B}}).ends,
              ElementsAre(800_ns, 1000_ns));
}

// A burst until 200, a word until 304, a burst until 504, a word until 608, and the last burst until 808 ns.
TEST(IoBus, IsSharedByProgrammedAndDirectAccess) {
  EXPECT_THAT(Transfers({{0_ns, Master::outgoing, 300_B}, {0_ns, Master::processor, 8_B}}).ends,
              ElementsAre(808_ns, 608_ns));
}

// Bursts of 200 ns: the incoming one asks first, at 50 ns, but after outgoing's burst it is all the same its
// turn, then the processor's, then outgoing's.
TEST(IoBus, GoesRoundThreeMasters) {
  EXPECT_THAT(Transfers({{0_ns, Master::outgoing, 200_B},
                         {60_ns, Master::processor, 4_B},
                         {50_ns, Master::incoming, 200_B}})
                  .ends,
              ElementsAre(704_ns, 504_ns, 904_ns));
}

/// Transaction by transaction.
std::vector<SimTime> one_by_one(const std::vector<Ask>& asks) {
  std::vector<SimTime> ends(asks.size());
  std::vector<Bytes> left;
  for (const Ask& ask : asks) left.push_back(ask.size);
  SimTime now;
  std::size_t master = 2;
  for (std::size_t done = 0; done < asks.size();) {
    std::optional<std::size_t> next;
    for (std::size_t step = 1; step <= 3 && !next; ++step)
      for (std::size_t i = 0; i < asks.size() && !next; ++i)
        if (static_cast<std::size_t>(asks[i].master) == (master + step) % 3 && asks[i].at <= now &&
            ends[i] == SimTime())
          next = i;
    if (!next) {
      SimTime first = SimTime::max();
      for (std::size_t i = 0; i < asks.size(); ++i)
        if (ends[i] == SimTime()) first = std::min(first, asks[i].at);
      now = first;
      continue;
    }
    master = static_cast<std::size_t>(asks[*next].master);
    const Bytes unit = asks[*next].master == Master::processor ? round_numbers.width : round_numbers.burst;
    const Bytes moved = std::min(unit, left[*next]);
    now += round_numbers.overhead + round_numbers.rate.time_for(moved);
    left[*next] = left[*next] - moved;
    if (left[*next] > 0_B) continue;
    ends[*next] = now;
    ++done;
  }
  return ends;
}

TEST(IoBus, IsTheModelThatGoesTransactionByTransaction) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "bus");
    std::vector<Ask> asks;
    SimTime at;
    for (int i = 0; i < 40; ++i) {
      // Odd picoseconds: nobody asks at the very end of a transaction.
      at += SimTime::from_ps(2 * static_cast<std::int64_t>(random.below(400'000)) + (i == 0 ? 1 : 2));
      asks.push_back({at, static_cast<Master>(random.below(3)),
                      Bytes(static_cast<std::int64_t>(random.below(random.chance(0.5) ? 10 : 1000)))});
    }
    const Transfers transfers(asks);
    EXPECT_EQ(transfers.ends, one_by_one(asks));
  }
}

TEST(IoBus, CountsWhatItDoes) {
  const CounterTable table =
      Transfers({{0_ns, Master::outgoing, 300_B}, {2_us, Master::processor, 8_B}}).counted();
  const auto count = [](std::int64_t value) { return CounterTable::Value(value); };
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_THAT(table.rows[0], ElementsAre(count(0), count(1), count(1), count(0), 0.808));
}

}  // namespace
}  // namespace morgana
