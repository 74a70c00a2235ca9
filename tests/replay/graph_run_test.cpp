#include "replay/graph_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "emulator/report/limits/critical_path.h"
#include "replay/comparison.h"
#include "tests/support/goal_schedules.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"
#include "traces/import/goal.h"

namespace morgana {
namespace {
using ::morgana::testing::GoalSchedule;
using ::morgana::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr SimTime ns(std::int64_t count) {
  return SimTime::from_ps(count * 1000);
}

class GraphRunTest : public ::testing::Test {
 protected:
  std::string file(const std::string& text) const { return folder_.write("s.goal", text); }
  ReplayResult run(const std::string& text, const std::string& platform = "loggopsim",
                   const std::vector<std::string>& overrides = {}, const ReplayOptions& options = {}) const {
    return replay_on(Platform::load(platform, overrides), file(text), options);
  }
  SimTime time_of(const std::string& text, const std::string& platform = "loggopsim",
                  const std::vector<std::string>& overrides = {}) const {
    return run(text, platform, overrides).statistics.simulated_time();
  }
  std::vector<SimTime> ends_of(const std::string& text,
                               const std::vector<std::string>& overrides = {}) const {
    std::vector<SimTime> ends;
    const ReplayResult result = run(text, "loggopsim", overrides);
    for (const RunStatistics::PerRank& rank : result.statistics.ranks()) ends.push_back(rank.end);
    return ends;
  }
  std::string deadlock_of(const std::string& text) const {
    try {
      run(text);
    } catch (const Deadlock& deadlock) {
      return deadlock.what();
    }
    return "it came to its end";
  }
  TemporaryFolder folder_;
};

/// A schedule without cycles between ranks: each message has a tag of its own, and nodes require only what
/// was there before them.
GoalSchedule random_schedule(std::uint64_t seed, std::size_t cpus) {
  constexpr std::size_t ranks = 6;
  RandomStream random(seed, "schedule");
  GoalSchedule all(ranks);
  std::vector<std::size_t> nodes(ranks);
  const auto add = [&](std::size_t rank, const std::string& what) {
    const std::size_t number = ++nodes[rank];
    const std::size_t cpu = random.below(cpus);
    all.lines[rank].push_back("n" + std::to_string(number) + ": " + what + " cpu " + std::to_string(cpu));
    for (std::size_t count = random.below(3); count > 0 && number > 1; --count)
      all.lines[rank].push_back("n" + std::to_string(number) +
                                (random.below(4) == 0 ? " irequires n" : " requires n") +
                                std::to_string(1 + random.below(number - 1)));
  };
  for (int step = 0; step < 60; ++step) {
    const std::size_t from = random.below(ranks), to = (from + 1 + random.below(ranks - 1)) % ranks;
    if (random.below(3) == 0) {
      add(from, "calc " + std::to_string(500 * random.below(8)));
      continue;
    }
    const std::string size = std::to_string(1 + 1000 * random.below(3)) + "b", tag = std::to_string(step);
    add(from, "send " + size + " to " + std::to_string(to) + " tag " + tag);
    add(to, "recv " + size + " from " + std::to_string(from) + " tag " + tag);
  }
  return all;
}

// What LogGOPSim reports with its default parameters: 4 (o + L + o), 5 (o + L + o) down the longest branch,
// and 14 (o + L + 1,048,575 G + o).
TEST_F(GraphRunTest, TakesTheTimesThatLogGopSimReports) {
  struct Case {
    GoalSchedule schedule;
    SimTime time;
  };
  for (const Case& one :
       {Case{testing::dissemination(16), ns(22'000)}, Case{testing::binomial_tree(32), ns(27'500)},
        Case{testing::ring(8, 14, 1 << 20), ns(88'157'300)}}) {
    EXPECT_EQ(time_of(one.schedule.text()), one.time);
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
      EXPECT_EQ(time_of(one.schedule.shuffled(seed).text()), one.time) << seed;
    EXPECT_EQ(time_of(testing::binary_goal(*read_goal_graph(file(one.schedule.text())))), one.time);
  }
}

// o = 1500, L = 2500, g = 1000, G = 6 (ns). Rank 0's l3 leaves at 4500 for 600; so l4, ready to leave at
// 5500, leaves at 6100. At rank 1 CPU 1 receives the one from 7600 to 9100, and then the other, there since
// 8600, before the calculation that is ready only at 9100.
TEST_F(GraphRunTest, StreamsOfARankTakeTheTimesOfAHandCalculation) {
  const std::string text =
      "num_ranks 2\nrank 0 {\nl1: calc 4000 cpu 0\nl2: calc 3000 cpu 1\nl3: send 101b to 1 cpu 1\n"
      "l3 requires l2\nl4: send 1b to 1 tag 1 cpu 0\nl4 requires l1\nl5: calc 1000 cpu 0\nl5 irequires "
      "l4\n}\n"
      "rank 1 {\nl1: recv 101b from 0 cpu 1\nl2: calc 5000 cpu 0\nl3: recv 1b from 0 tag 1 cpu 1\n"
      "l4: calc 2000 cpu 0\nl4 requires l1\nl5: calc 400 cpu 1\nl5 requires l1\n}\n";
  EXPECT_EQ(ends_of(text), (std::vector{ns(6'500), ns(11'100)}));
  EXPECT_EQ(time_of(testing::binary_goal(*read_goal_graph(file(text)))), ns(11'100));
  // Calculations take twice as long: l3 is ready at 6000 and leaves at 7500, l4 is ready at 8000 and leaves
  // at 9500; received from 10600 to 12100, l4 calculates for 4000 then.
  EXPECT_EQ(ends_of(text, {"hosts.compute-scale=2"}), (std::vector{ns(11'500), ns(16'100)}));
}

// Two messages of 1001 B, 6000 ns each on an interface: beside each other from 1500 on, or one behind the
// other, the second from 1500 + g + 6000 on.
TEST_F(GraphRunTest, EachNicSendsAndReceivesByItself) {
  const auto text = [](int nic) {
    return fmt::format(
        "num_ranks 2\nrank 0 {{\nsend 1001b to 1 cpu 0\nsend 1001b to 1 tag 1 cpu 1 nic {}\n}}\n"
        "rank 1 {{\nrecv 1001b from 0 cpu 0\nrecv 1001b from 0 tag 1 cpu 1 nic {}\n}}\n",
        nic, nic);
  };
  EXPECT_EQ(time_of(text(1)), ns(1500 + 2500 + 6000 + 1500));
  EXPECT_EQ(time_of(text(0)), ns(8500 + 2500 + 6000 + 1500));
  // On a network of switches, too; not where kernels take messages from the interfaces.
  EXPECT_LT(time_of(text(1), "fast-ethernet"), time_of(text(0), "fast-ethernet"));
  EXPECT_THROW(run(text(1), "fast-ethernet-smp"), Error);
}

// 1000 B at 5 ns each, whether they are copied when the receive completes or as soon as they have come.
TEST_F(GraphRunTest, WhatComesIsCopiedWhateverTheReceiverDoes) {
  const std::string text = "num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nrecv 1000b from 0\n}\n";
  for (const char* copies : {"at-completion", "in-progress"}) {
    const auto with = [&](const char* cost) {
      return time_of(text, "edr-fat-tree-2to1",
                     {"hosts.processors=1", fmt::format("messages.receive-copies={}", copies),
                      fmt::format("messages.receive-per-byte={}", cost)});
    };
    EXPECT_EQ(with("5 ns/B"), with("0 ns/B") + ns(5'000)) << copies;
  }
}

// By rendezvous over sockets, 8 pieces of the eager limit: of a copier that is faster than the wire the last
// piece is left, one that is slower reads all of it one after the other. What the CPU computes meanwhile
// delays it.
TEST_F(GraphRunTest, PiecesInSocketsAreReadAsTheyCome) {
  constexpr std::int64_t piece = 64 << 10, bytes = 8 * piece;
  const auto with = [&](const char* cost, const std::string& more = {}) {
    const std::string text =
        fmt::format("num_ranks 2\nrank 0 {{\nsend {0}b to 1\n}}\nrank 1 {{\nrecv {0}b from 0 cpu 0\n{1}}}\n",
                    bytes, more);
    return time_of(
        text, "ethernet-25g-tcp",
        {"hosts.processors=1", "messages.send-per-byte=0 ns/B",
         fmt::format("messages.eager-limit={} B", piece), fmt::format("messages.receive-per-byte={}", cost)});
  };
  const SimTime wire = with("0 ns/B");
  EXPECT_EQ(with("0.125 ns/B"), wire + SimTime::from_ps(piece * 125));
  const SimTime slow = with("100 ns/B"), copied = ns(bytes * 100);
  EXPECT_GT(slow, copied);
  EXPECT_LT(slow, copied + wire);
  EXPECT_EQ(with("100 ns/B", "calc 1000000 cpu 1\n"), slow);
  const std::string computing = "calc 1000000 cpu 0\n";
  EXPECT_EQ(with("0.125 ns/B", computing), with("0 ns/B", computing) + SimTime::from_ps(bytes * 125));
}

// What is ready first goes first; of what is ready at once the lower number, 9 before 10.
TEST_F(GraphRunTest, ACpuIsGivenToWhoIsReadyFirst) {
  EXPECT_EQ(ends_of("num_ranks 3\nrank 0 {\nl10: send 1b to 1\nl9: send 1b to 2\n}\n"
                    "rank 1 {\nrecv 1b from 0\n}\nrank 2 {\nrecv 1b from 0\n}\n"),
            (std::vector{ns(3'000), ns(7'000), ns(5'500)}));
  EXPECT_EQ(ends_of("num_ranks 2\nrank 0 {\na: calc 10\nb: calc 10\nc: calc 100\nb requires a\n"
                    "d: send 1b to 1\nd requires b\n}\nrank 1 {\nrecv 1b from 0\n}\n"),
            (std::vector{ns(1'620), ns(5'620)}));  // c is ready before b
}

// A receive that is posted late takes its message then, and what requires another one goes on before.
TEST_F(GraphRunTest, AReceiveStandsInNobodysWay) {
  EXPECT_EQ(
      ends_of("num_ranks 3\nrank 0 {\nr1: recv 1b from 1\nr2: recv 1b from 2\nc1: calc 10\n"
              "c1 requires r1\nc2: calc 20\nc2 requires r2\n}\n"
              "rank 1 {\nc: calc 100000\ns: send 1b to 0\ns requires c\n}\nrank 2 {\nsend 1b to 0\n}\n"),
      (std::vector{ns(105'510), ns(101'500), ns(1'500)}));
}

TEST_F(GraphRunTest, AnySourceAndAnyTagTakeWhatComesFirst) {
  const std::string senders =
      "rank 1 {\nc: calc 5000\ns: send 2b to 0 tag 7\ns requires c\n}\nrank 2 {\nsend 3b to 0 tag "
      "4294967290\n}\n";
  // The first receive takes rank 2's, there at 4012 and received at 5512; c2 begins then.
  EXPECT_EQ(ends_of("num_ranks 3\nrank 0 {\nr1: recv 3b from -1 tag -1\nr2: recv 2b from 1 tag 7\n"
                    "c2: calc 50000\nc2 requires r1\n}\n" +
                    senders)[0],
            ns(55'512 + 1'500));
  EXPECT_THAT(
      run("num_ranks 3\nrank 0 {\nrecv 2b from -1 tag 4294967290\nrecv 2b from 1 tag -1\n}\n" + senders)
          .notices,
      ::testing::ElementsAre(AllOf(HasSubstr("1 message was of another size"), HasSubstr("s.goal:3"),
                                   HasSubstr("2 bytes where 3 bytes came"))));
}

TEST_F(GraphRunTest, TheOrderOfLinesAndTheFormOfTheFileMeanNothing) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const GoalSchedule schedule = random_schedule(seed, 1 + seed % 3);
    for (const char* platform : {"loggopsim", "ideal", "fast-ethernet"}) {
      const SimTime time = time_of(schedule.text(), platform);
      for (std::uint64_t order = 1; order <= 2; ++order)
        EXPECT_EQ(time_of(schedule.shuffled(order).text(), platform), time) << seed << ", " << platform;
      EXPECT_EQ(time_of(testing::binary_goal(*read_goal_graph(file(schedule.text()))), platform), time)
          << seed << ", " << platform;
    }
  }
}

// A rank with one CPU does one thing after the other, as the ranks of a trace do: its trace takes as long.
TEST_F(GraphRunTest, TheTraceOfARunTakesAsLongAsTheRun) {
  for (const char* platform : {"loggopsim", "fast-ethernet", "fast-ethernet-smp", "atm-oc3-streamed",
                               "myrinet-gm", "infiniband-hdr", "edr-fat-tree-2to1"})
    for (const GoalSchedule& schedule : {testing::dissemination(8), testing::ring(4, 2, 20'000)}) {
      SCOPED_TRACE(platform);
      CriticalPathRecorder recorder;
      ReplayOptions options;
      options.write_trace = folder_ / "run.otf2";
      options.observers.push_back(&recorder);
      options.causes = &recorder;
      const ReplayResult result = run(schedule.text(), platform, {}, options);
      const SimTime time = result.statistics.simulated_time();
      EXPECT_GT(time, SimTime());
      EXPECT_EQ(recorder.path(0).total(), time);
      EXPECT_EQ(replay_on(Platform::load(platform), options.write_trace, {}).statistics.simulated_time(),
                time);
    }
}

// 48 ranks send 64 KiB at once to one, more than the switch of that buffer can hold: a tail that is lost
// comes again after the least timeout, which faster links do not shorten. The rest of the path is the
// same.
TEST_F(GraphRunTest, SaysWhatOfThePathIsWaitingForARetransmissionTimer) {
  constexpr int senders = 48;
  std::string text = "num_ranks 49\nrank 0 {\n";
  for (int i = 1; i <= senders; ++i)
    text += "r" + std::to_string(i) + ": recv 65536b from " + std::to_string(i) + "\n";
  text += "}\n";
  for (int i = 1; i <= senders; ++i) text += "rank " + std::to_string(i) + " {\ns: send 65536b to 0\n}\n";
  const auto path_on = [&](std::vector<std::string> overrides) {
    overrides.emplace_back("hosts.processors=1");
    overrides.emplace_back("transport.loss-detection=duplicates");  // without probes for lost tails
    CriticalPathRecorder recorder;
    ReplayOptions options;
    options.observers.push_back(&recorder);
    options.causes = &recorder;
    const ReplayResult result = run(text, "ethernet-25g-tcp", overrides, options);
    EXPECT_EQ(recorder.path(0).total(), result.statistics.simulated_time());
    return recorder.path(0);
  };
  EXPECT_EQ(path_on({}).time(PathKind::retransmission), SimTime());
  const CriticalPath lossy = path_on({"network.shared-buffer=1 MB"});
  const SimTime wait = lossy.time(PathKind::retransmission);
  EXPECT_GT(wait, ns(190'000'000));
  EXPECT_LE(wait, ns(200'000'000));
  EXPECT_LT(lossy.total() - wait, ns(5'000'000));
  EXPECT_LT(lossy.times.gain_of_half(PathKind::wire), 0.02);
  const CriticalPath sooner = path_on({"network.shared-buffer=1 MB", "transport.least-timeout=50 ms"});
  EXPECT_LE(sooner.time(PathKind::retransmission), ns(50'000'000));
  EXPECT_GT(sooner.time(PathKind::retransmission), ns(40'000'000));
}

/// Channels from leaves to spines that have carried anything.
std::size_t uplinks_used(const ReplayResult& result, std::uint32_t leaves) {
  std::size_t used = 0;
  for (const LinkLoad& link : result.links.loads)
    if (!link.from.is_host() && !link.to.is_host() && link.from.number < leaves && link.carried > 0) ++used;
  return used;
}

// Ranks 0 to 3 are on one host and 4 to 7 on another, each below a leaf of its own; each sends to its
// counterpart. Each queue pair of RoCE has a UDP source port, so that hashes spread four of them, and what
// comes back, over up to eight channels. Packets of InfiniBand have the addresses of their two hosts alone:
// one channel there and one back.
TEST_F(GraphRunTest, QueuePairsOfTwoHostsAreFlowsOfTheirOwnWithRoce) {
  std::string text = "num_ranks 8\n";
  for (int i = 0; i < 4; ++i)
    text += "rank " + std::to_string(i) + " {\ns: send 65536b to " + std::to_string(i + 4) + "\n}\n";
  for (int i = 0; i < 4; ++i)
    text += "rank " + std::to_string(i + 4) + " {\nr: recv 65536b from " + std::to_string(i) + "\n}\n";
  ReplayOptions options;
  options.links = true;
  const auto used = [&](const std::string& platform, std::vector<std::string> overrides) {
    overrides.insert(overrides.end(),
                     {"hosts.processors=4", "network.topology=leaf-spine", "network.hosts-per-switch=1",
                      "network.leaves=2", "network.spines=16"});
    return uplinks_used(run(text, platform, overrides, options), 2);
  };
  EXPECT_GE(used("roce-100g", {}), 4U);
  EXPECT_LE(used("roce-100g", {"transport.udp-source-port=none"}), 2U);
  EXPECT_LE(used("hdr-fat-tree", {"network.routes=ecmp"}), 2U);
}

// Host 0's port stands still from 10 us on, and nothing gives its queue up: senders give their messages up
// after eight timeouts of 67 ms, and the schedule stands still no earlier.
TEST_F(GraphRunTest, StandsStillWhenTheLastMessageWasGivenUp) {
  const std::string text =
      "num_ranks 2\nrank 0 {\nr: recv 655360b from 1\n}\nrank 1 {\ns: send 655360b to 0\n}\n";
  try {
    run(text, "roce-100g", {"network.faults=host 0 pauses at 10 us", "hosts.processors=1"});
    FAIL();
  } catch (const Deadlock& deadlock) {
    expect_message(deadlock.what(), {"deadlock at 0.53", "rank 1: ", "s.goal:6", "655360 bytes with tag 0"});
  }
}

TEST_F(GraphRunTest, CountsWhatEachRankComputesAndSends) {
  const ReplayResult result =
      run("num_ranks 2\nrank 0 {\na: calc 4000 cpu 0\nb: calc 3000 cpu 1\nc: send 10b to 1\nc requires a\n"
          "c requires b\n}\nrank 1 {\na: calc 1000\nb: recv 10b from 0\n}\n");
  const auto ranks = result.statistics.ranks();
  EXPECT_EQ(ranks[0].compute(), ns(4'000));  // both CPUs at once
  EXPECT_EQ(ranks[0].communication, ns(1'500));
  EXPECT_EQ(ranks[0].messages_sent, 1u);
  EXPECT_EQ(ranks[1].compute(), ns(1'000));
  EXPECT_EQ(ranks[1].bytes_received, Bytes(10));
  EXPECT_EQ(ranks[1].end, ns(4'000 + 1'500 + 2'500 + 9 * 6 + 1'500));
  EXPECT_FALSE(result.has_path);
  EXPECT_EQ(result.statistics.latency().summary().count(), 1u);
}

TEST_F(GraphRunTest, NamesNodesThatWaitForEver) {
  const std::string waits = deadlock_of(
      "num_ranks 2\nrank 0 {\na: send 10b to 1 tag 4\n}\nrank 1 {\nb: recv 10b from 0 tag 5\n"
      "c: calc 5\nc requires b\n}\n");
  expect_message(waits, {"s.goal:6: b", "rank 0 with tag 5 (10 bytes)", "1 node",
                         "10 bytes from rank 0 with tag 4", "s.goal:3: a"});
  EXPECT_THAT(waits, ::testing::Not(HasSubstr("rank 0:")));
  expect_message(
      deadlock_of("num_ranks 2\nrank 0 {\nrecv 1b from -1 tag -1\n}\nrank 1 {\nrecv 1b from 0\n}\n"),
      {"rank 0: ", "s.goal:3", "rank 1: ", "s.goal:6"});
}

TEST_F(GraphRunTest, TellsOfMessagesThatNobodyReceives) {
  EXPECT_THAT(run("num_ranks 2\nrank 0 {\na: send 10b to 1 tag 4294967290\nb: send 10b to 1\n}\n"
                  "rank 1 {\nrecv 10b from 0\n}\n")
                  .notices,
              ::testing::ElementsAre(
                  AllOf(HasSubstr("1 message was never received: from rank 0 to rank 1 with tag 4294967290"),
                        HasSubstr("s.goal:3: a"))));
}

// A rendezvous waits for its receive, which is posted after 10 us.
TEST_F(GraphRunTest, ASendByRendezvousEndsWhenItsMessageHasLeft) {
  const std::string text =
      "num_ranks 2\nrank 0 {\na: send 100b to 1\nb: calc 1\nb requires a\nc: calc 2 cpu 1\nc irequires a\n}\n"
      "rank 1 {\na: calc 10000\nb: recv 100b from 0\nb requires a\n}\n";
  EXPECT_EQ(ends_of(text)[0], ns(1'501));
  // Request there at 4000; clearance from 10000 to 12500; the data take 594 to leave.
  EXPECT_EQ(ends_of(text, {"messages.eager-limit=10 B"}),
            (std::vector{ns(12'500 + 594 + 1), ns(12'500 + 594 + 2'500 + 1'500)}));
}

TEST_F(GraphRunTest, RefusesWhatItCannotRun) {
  EXPECT_THROW(
      run("num_ranks 2\nrank 0 {\ncalc 5\n}\n", "loggopsim", {"hosts.quantum=1 ms", "hosts.count=1"}), Error);
  EXPECT_THROW(run("num_ranks 1\nrank 0 {\na: calc 4000000000000000\nb: calc 4000000000000000\n}\n"), Error);
  EXPECT_EQ(time_of("num_ranks 2\nrank 0 {\ncalc 5\n}\n", "loggopsim",
                    {"hosts.quantum=1 ms", "hosts.count=1", "hosts.processors=2"}),
            ns(5));
}

}  // namespace
}  // namespace morgana
