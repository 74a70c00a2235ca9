// What traffic classes, storms of pauses and watchdogs are to a program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "runs/scripted_ranks.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

/// A switch with four hosts whose output queues share a memory; a byte takes a nanosecond on each cable. A
/// packet is 1024 B of payload with BTH 12 B and ICRC 4 B. Timeouts are 1.05 ms.
constexpr const char* pausing_switch = R"(
[hosts]
count = 4
[messages]
eager-limit = "1 MiB"
[network]
kind = "fabric"
topology = "star"
rate = "8 Gb/s"
propagation = "1 ns"
mtu = "1100 B"
header = "0 B"
smallest-packet = "1 B"
queueing = "output-queues"
flow-control = "pause"
shared-buffer = "1 MB"
classes = 2
[transport]
kind = "rc"
path-mtu = "1024 B"
global-header = "0 B"
outstanding-packets = 1024
timeout = 8
data-class = 1
cnp-class = 1
)";
constexpr std::int64_t program_packets = 500;
constexpr SimTime program_alone = SimTime::from_ps(program_packets * 1'040'000);

struct Ending {
  SimTime at;
  std::vector<CounterTable> counted;
};

/// Rank 0 sends 500 packets to rank 1, or 1 to 0, in one message.
Ending send_to(int receiver, const std::vector<std::string>& overrides) {
  ScriptedRanks ranks(2);
  const Rank to{receiver}, from{1 - receiver};
  ranks.send(from, to, Bytes(1024 * program_packets));
  ranks.receive(to, from, Bytes(1024 * program_packets));
  for (const int rank : {0, 1}) ranks.exit(Rank{rank});
  Machine machine = Platform::parse(pausing_switch, "pausing.toml", overrides).build(2, {}, 1);
  const std::vector<SimTime> exits = Engine(machine, ranks, {}).run();
  return {*std::ranges::max_element(exits), machine.network->counted(machine.events->now())};
}

/// What the message takes while host 2 offers host 1 all that its cable carries, in class 0.
double times_alone(std::vector<std::string> overrides) {
  overrides.insert(overrides.end(),
                   {"background.load=100%", "background.hosts=1,2", "background.pattern=incast:1@0",
                    "background.arrivals=constant", "background.message=1024 B", "background.class=0"});
  return static_cast<double>(send_to(1, overrides).at.ps()) / static_cast<double>(program_alone.ps());
}

std::int64_t count_in(const std::vector<CounterTable>& tables, const std::string& title, std::size_t row,
                      std::size_t column) {
  for (const CounterTable& table : tables)
    if (table.title == title && row < table.rows.size())
      return std::get<std::int64_t>(table.rows[row][column]);
  return 0;
}

// Background messages are of one packet, as large as the program's but for a RETH. What its host can't send
// it has waiting, so that both classes always have a packet for the output.
TEST(ClassShares, FollowTheWeights) {
  const std::string by_deficit = "network.class-arbitration=deficit-round-robin";
  EXPECT_NEAR(times_alone({by_deficit, "network.class-weights=3, 1"}), 4, 0.15);
  EXPECT_NEAR(times_alone({by_deficit, "network.class-weights=1, 1"}), 2, 0.1);
  EXPECT_NEAR(times_alone({by_deficit, "network.class-weights=1, 3"}), 4.0 / 3, 0.1);
  EXPECT_NEAR(times_alone({by_deficit, "network.class-weights=1, strict"}), 1, 0.05);
  const std::string by_tables = "network.class-arbitration=weighted";
  EXPECT_NEAR(times_alone({by_tables, "network.low-priority=0:204, 1:68"}), 4, 0.15);
  EXPECT_NEAR(times_alone({by_tables, "network.high-priority=1:255", "network.low-priority=0:255"}), 1, 0.05);
}

TEST(PauseStorms, HoldAMessageUpAsLongAsTheyLast) {
  const SimTime alone = send_to(1, {}).at;
  const SimTime held_up = send_to(1, {"network.faults=host 1 pauses at 0 s for 700 us"}).at;
  EXPECT_GT(held_up, SimTime::from_ps(700'000'000));
  EXPECT_LE(held_up, SimTime::from_ps(700'000'000) + alone);
  EXPECT_EQ(send_to(1, {"network.faults=host 1 pauses class 0 at 0 s"}).at, alone) << "of another class";
  EXPECT_EQ(send_to(1, {"network.faults=host 3 pauses at 0 s"}).at, alone) << "of a host without traffic";
}

// What is lost when the queue is given up, after 100 us, comes again after the transport's timeout.
TEST(PauseStorms, AreEndedByAWatchdogThatLosesWhatWaits) {
  const std::vector<std::string> watched{"network.faults=host 1 pauses at 0 s for 700 us",
                                         "network.pause-watchdog=100 us"};
  const Ending ended = send_to(1, watched);
  EXPECT_GT(ended.at, SimTime::from_ps(1'048'576'000));
  EXPECT_GT(count_in(ended.counted, "Fabric losses", 3, 1), 90) << "packets that waited for 100 us";
  EXPECT_EQ(count_in(ended.counted, "Pause watchdogs", 0, 1), 1) << "port";
  EXPECT_EQ(count_in(ended.counted, "Pause watchdogs", 0, 3), 1) << "times";
  EXPECT_FALSE(
      Platform::parse(pausing_switch, "p", watched).build(2, {}, 1).network->capabilities().lossless);
}

std::string error_under(const std::vector<std::string>& overrides) {
  try {
    send_to(1, overrides);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

// A queue pair whose packet stands in its port has no timeout; one that waits for an answer has.
TEST(PauseStorms, WithoutEndAreNamedWhereNothingGoesOn) {
  const std::string forever = "network.faults=host 1 pauses at 0 s";
  expect_message(error_under({forever, "network.shared-buffer=100 kB"}), "host 1");
  expect_message(error_under({forever, "messages.eager-limit=1 KiB"}), "network.faults");
}

TEST(PauseStorms, OfHostsThatThereAreNotAreRefusedOnceThatIsKnown) {
  const std::string open = R"(
extends = "roce-100g"
[network]
topology = "ring"
switches = 4
hosts-per-switch = "spread"
routes = "spanning-tree"
faults = ["host 5 pauses at 10 us for 5 us"]
)";
  EXPECT_NO_THROW(Platform::parse(open, "open.toml").build(16, {}, 1));
  try {
    Platform::parse(open, "open.toml").build(2, {}, 1);
    FAIL();
  } catch (const Error& error) {
    expect_message(error.what(), {"network.faults", "host 5"});
  }
}

}  // namespace
}  // namespace morgana
