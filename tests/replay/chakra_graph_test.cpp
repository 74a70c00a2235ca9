#include "replay/chakra_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/engine/engine.h"
#include "replay/comparison.h"
#include "tests/support/chakra_traces.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace morgana {
namespace {
using ::testing::AllOf;
using testing::chakra_collective;
using testing::chakra_compute;
using testing::chakra_file;
using testing::chakra_receive;
using testing::chakra_send;
using testing::ChakraNode;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::TemporaryFolder;

constexpr SimTime nanoseconds(std::int64_t count) {
  return SimTime::from_ps(count * 1000);
}
constexpr SimTime us(std::int64_t count) {
  return nanoseconds(count * 1000);
}

using Nodes = std::vector<ChakraNode>;

/// Nothing but a network of 5 us and 1 ns for each byte after the first. A collective of NCCL begins with 5
/// us; then each hop takes 1 us (between nodes 4 us) and 0.5 ns for each byte.
std::vector<std::string> plain(const std::string& library) {
  std::vector<std::string> all{"messages.send-overhead=0 s",
                               "messages.receive-overhead=0 s",
                               "messages.eager-limit=1 GB",
                               "network.gap=0 s",
                               "nccl.launch=2 us",
                               "nccl.slices=1 slice",
                               "collectives.library=" + library};
  for (const std::string protocol : {"ll", "ll128", "simple"}) {
    const std::string ring = "nccl.ring-" + protocol;
    all.push_back(ring + (protocol == "simple" ? "-start=3 us" : "-start=1 s"));
    all.push_back(ring + "-hop=1 us");
    all.push_back(ring + "-network-hop=4 us");
    all.push_back(ring + "-per-byte=0.5 ns/B");
    all.push_back(ring + "-network-per-byte=0.5 ns/B");
    all.push_back("nccl.tree-" + protocol + "-start=1 s");  // rings only, by Simple
  }
  return all;
}

class ChakraGraph : public ::testing::Test {
 protected:
  ReplayResult run(const std::vector<Nodes>& ranks, std::vector<std::string> overrides = {},
                   const std::string& library = "nccl") const {
    std::vector<std::string> all = plain(library);
    all.insert(all.end(), overrides.begin(), overrides.end());
    return run_on(Platform::load("loggp-example", all), ranks);
  }
  ReplayResult run_on(const Platform& platform, const std::vector<Nodes>& ranks) const {
    for (std::size_t i = 0; i < 8; ++i) std::filesystem::remove(folder_ / ("t." + std::to_string(i) + ".et"));
    for (std::size_t i = 0; i < ranks.size(); ++i)
      folder_.write("t." + std::to_string(i) + ".et", chakra_file(ranks[i]));
    return replay_on(platform, folder_ / "t", {});
  }
  SimTime time_of(const std::vector<Nodes>& ranks, const std::vector<std::string>& overrides = {},
                  const std::string& library = "nccl") const {
    return run(ranks, overrides, library).statistics.simulated_time();
  }
  std::string refusal(const std::vector<Nodes>& ranks, const std::vector<std::string>& overrides = {}) const {
    try {
      run(ranks, overrides);
    } catch (const Error& error) {
      return error.what();
    }
    return "it ran";
  }
  TemporaryFolder folder_;
};

Nodes same_for(const ChakraNode& node) {
  return {node};
}

TEST_F(ChakraGraph, NodesWaitForTheirDependencies) {
  EXPECT_EQ(time_of({{chakra_compute(1, 5), chakra_compute(2, 3).after({1})}}), us(8));
  EXPECT_EQ(
      time_of({{chakra_compute(1, 5).with("stream", 1), chakra_compute(2, 3).ctrl({1}).with("stream", 2)}}),
      us(8));
  EXPECT_EQ(time_of({{chakra_compute(1, 5).with("stream", 1), chakra_compute(2, 3).with("stream", 2)}}),
            us(5));
}

TEST_F(ChakraGraph, AStreamHasOneThingAtATime) {
  const auto two = [](const ChakraNode& one, const ChakraNode& other) {
    return std::vector<Nodes>{{one, other}};
  };
  EXPECT_EQ(time_of(two(chakra_compute(1, 5), chakra_compute(2, 3))), us(8));
  EXPECT_EQ(time_of(two(chakra_compute(1, 5).with("tid", 7), chakra_compute(2, 3).with("tid", 7))), us(8));
  EXPECT_EQ(time_of(two(chakra_compute(1, 5).with("tid", 7), chakra_compute(2, 3).with("tid", 8))), us(5));
  // CPU and GPU.
  EXPECT_EQ(time_of(two(chakra_compute(1, 5).flag("is_cpu_op", true), chakra_compute(2, 3))), us(5));
}

TEST_F(ChakraGraph, MessagesTakeTheNetwork) {
  EXPECT_EQ(time_of({{chakra_compute(1, 10), chakra_send(2, 1, 1000, 5).after({1})},
                     {chakra_receive(1, 0, 1000, 5)}}),
            us(15) + nanoseconds(999));
  EXPECT_EQ(time_of({{chakra_send(2, 1, 1000, 5)},
                     {chakra_receive(1, 0, 1000, 5), chakra_compute(2, 7).after({1})}}),
            us(12) + nanoseconds(999));
}

// A ring of n GPUs: 5 us, then 2 (n - 1) hops of a block of 4,000 B: 1 us + 2 us, 5 us + 3.999 us.
TEST_F(ChakraGraph, NcclsRingsTakeTheirHops) {
  for (const std::int64_t n : {2, 4}) {
    const ChakraNode node = chakra_collective(2, 0, 4000 * n).after({1});
    const std::vector<Nodes> ranks(static_cast<std::size_t>(n), Nodes{chakra_compute(1, 7), node});
    EXPECT_EQ(time_of(ranks), us(12) + nanoseconds(2 * (n - 1) * 11'999)) << n;
  }
  // All-gather counts what a rank gives, reduce-scatter what it begins with.
  EXPECT_EQ(time_of(std::vector<Nodes>(4, same_for(chakra_collective(1, 2, 4000)))),
            us(5) + nanoseconds(3 * 11'999));
  EXPECT_EQ(time_of(std::vector<Nodes>(4, same_for(chakra_collective(1, 7, 16'000)))),
            us(5) + nanoseconds(3 * 11'999));
}

// Two nodes of 2 GPUs, one rail: of the ring's 4 links 2 are between nodes, which cost 4 us in place of 1 us,
// and every hop waits for the slowest before it: 6 hops, 3 of a chunk's by each kind at most.
TEST_F(ChakraGraph, NodesFollowFromTheNumbersOfRanks) {
  const std::vector<std::string> two_nodes{"nccl.gpus-per-node=2 GPUs", "nccl.rails=1 rails",
                                           "nccl.channels=1 channels"};
  EXPECT_EQ(time_of(std::vector<Nodes>(4, same_for(chakra_collective(1, 0, 16'000))), two_nodes),
            us(5) + nanoseconds(6 * 11'999 + 3 * 3'000));
  // Of each node one GPU: all hops are between nodes.
  folder_.write("t.json", R"({"dp": [0, 2]})");
  EXPECT_EQ(time_of({same_for(chakra_collective(1, 0, 8'000).text("pg_name", "dp")),
                     {},
                     same_for(chakra_collective(1, 0, 8'000).text("pg_name", "dp")),
                     {}},
                    two_nodes),
            us(5) + nanoseconds(2 * 14'999));
}

TEST_F(ChakraGraph, GroupsOverlapAndCollectivesOfOneGroupDoNot) {
  folder_.write("t.json", R"({"a": [0, 1], "b": [2, 3]})");
  const auto of = [](const char* group, std::uint64_t id) {
    return chakra_collective(id, 0, 8000).text("pg_name", group);
  };
  const SimTime one = us(5) + nanoseconds(2 * 11'999);
  EXPECT_EQ(time_of({{of("a", 1)}, {of("a", 1)}, {of("b", 1)}, {of("b", 1)}}), one);
  EXPECT_EQ(time_of({{of("a", 1), of("a", 2)}, {of("a", 1), of("a", 2)}, {}, {}}), one + one);
}

TEST_F(ChakraGraph, MpichsAlgorithmsRunToo) {
  const auto all = [](const ChakraNode& node) { return std::vector<Nodes>{{node}, {node}}; };
  EXPECT_EQ(time_of(all(chakra_collective(1, 5, 1000)), {}, "mpich"), nanoseconds(5'999));
  // 0.1 us to copy its own operand, the message, and 2 us to add what comes.
  EXPECT_EQ(time_of(all(chakra_collective(1, 0, 1000)),
                    {"messages.reduce-per-byte=2 ns/B", "collectives.allreduce=recursive-doubling"}, "mpich"),
            nanoseconds(100 + 5'999 + 2'000));
  EXPECT_EQ(time_of(all(chakra_collective(1, 9, 0)), {}, "mpich"), us(5));
  // A barrier is one, whatever size its tensor is said to have.
  EXPECT_EQ(time_of(all(chakra_collective(1, 9, 1 << 20)), {}, "mpich"), us(5));
  EXPECT_EQ(time_of(all(chakra_collective(1, 9, 1 << 20))), time_of(all(chakra_collective(1, 9, 0))));
}

TEST_F(ChakraGraph, WhatHasNoDurationTakesTheRoofline) {
  const std::vector<std::string> known{"hosts.peak-tflops=2", "hosts.memory-rate=1 GB/s"};
  const auto computes = [](std::int64_t operations, std::int64_t bytes) {
    return std::vector<Nodes>{
        {ChakraNode(1, ChakraNode::compute).with("num_ops", operations).with("tensor_size", bytes)}};
  };
  EXPECT_EQ(time_of(computes(2'000'000'000, 999'999), known), us(1000));
  EXPECT_EQ(time_of(computes(2'000'000'000, 3'000'000), known), us(3000));
  EXPECT_EQ(time_of({{ChakraNode(1, ChakraNode::memory_load).with("tensor_size", 7000)}}, known), us(7));
  EXPECT_EQ(time_of({{ChakraNode(1, ChakraNode::memory_store).with("tensor_size", 7000).lasts(3)}}), us(3));
  expect_message(refusal(computes(5, 0)), {"t.0.et: node 1 (\"n1\")", "hosts.peak-tflops"});
  expect_message(refusal(computes(5, 6), {"hosts.peak-tflops=2"}), "hosts.memory-rate");
  EXPECT_EQ(Platform::load("dgx-h100").roofline().tflops, 989.4);
  EXPECT_EQ(Platform::load("dgx-a100").roofline().bytes_per_second, 1.555e12);
}

TEST_F(ChakraGraph, OnlyDurationsAreScaled) {
  const std::vector<Nodes> ranks(2, Nodes{chakra_compute(1, 7), chakra_collective(2, 0, 8000).after({1})});
  EXPECT_EQ(time_of(ranks, {"hosts.compute-scale=3"}), us(21 + 5) + nanoseconds(2 * 11'999));
}

TEST_F(ChakraGraph, NothingThatTakesTimeIsRefused) {
  expect_message(refusal({{chakra_compute(1, 0), ChakraNode(2, ChakraNode::metadata)}}),
                 {"FOLDER/t", "num_ops", "comm_size"});
}

TEST_F(ChakraGraph, OrderOfNodesInTheFileMeansNothing) {
  Nodes nodes;
  RandomStream random(11, "nodes");
  for (std::uint64_t id = 0; id < 60; ++id) {
    std::vector<std::uint64_t> needs;
    if (id > 2) needs = {random.below(id), random.below(id)};
    nodes.push_back(id % 7 == 6 ? chakra_collective(id, 0, 4096).after(needs)
                                : chakra_compute(id, 1 + random.below(20))
                                      .after(needs)
                                      .with("stream", static_cast<std::int64_t>(random.below(3))));
  }
  const SimTime time = time_of({nodes, nodes});
  for (int round = 0; round < 5; ++round) {
    Nodes other = nodes;
    for (std::size_t i = other.size(); i > 1; --i) std::swap(other[i - 1], other[random.below(i)]);
    EXPECT_EQ(time_of({other, nodes}), time);
  }
}

TEST_F(ChakraGraph, RanksThatWaitForEachOtherAreNamed) {
  folder_.write("t.json", R"({"a": [0, 1], "b": [0, 1]})");
  const auto of = [](const char* group, std::uint64_t id) {
    return chakra_collective(id, 0, 8000).text("pg_name", group).with("stream", 1);
  };
  const std::string text = refusal({{of("a", 1), of("b", 2)}, {of("b", 1), of("a", 2)}});
  EXPECT_THAT(text, AllOf(HasSubstr("deadlock"), HasSubstr("t.0.et: node 1 (\"n1\")"),
                          HasSubstr("t.1.et: node 1 (\"n1\")")));
}

TEST_F(ChakraGraph, EveryCollectiveEndsInGroupsOfAnySize) {
  for (const std::string library : {"nccl", "mpich"})
    for (const int members : {2, 3, 5})
      for (int type = 0; type <= 9; ++type) {
        const ChakraNode node = chakra_collective(1, type, 10'001).with("comm_src", members - 1, 7);
        const SimTime time =
            time_of(std::vector<Nodes>(static_cast<std::size_t>(members), same_for(node)), {}, library);
        EXPECT_GE(time, us(5)) << library << ' ' << members << ' ' << type;
        EXPECT_LT(time, us(1000)) << library << ' ' << members << ' ' << type;
      }
}

// NCCL has neither gathers nor scatters; MPICH 4.0 reduces more than 2 KiB by a reduce-scatter where there
// are at least as many elements as members.
TEST_F(ChakraGraph, SaysHowCollectivesAreCarriedOut) {
  const Nodes nodes{chakra_collective(1, 0, 16'384), chakra_collective(2, 3, 1024),
                    chakra_collective(3, 0, 16'384)};
  const auto ways = [&](const ReplayResult& result) {
    std::vector<std::pair<std::string, std::uint64_t>> all;
    for (const CollectiveUse& use : result.execution.value().collectives)
      all.emplace_back(use.what, use.times);
    return all;
  };
  EXPECT_THAT(ways(run(std::vector<Nodes>(4, nodes))),
              ElementsAre(Pair("ALL_REDUCE of 16.00 KiB on 4 ranks by ring simple", 2),
                          Pair("GATHER of 1.000 KiB on 4 ranks by sends and receives", 1)));
  EXPECT_THAT(ways(run(std::vector<Nodes>(4, nodes), {}, "mpich")),
              ElementsAre(Pair("ALL_REDUCE of 16.00 KiB on 4 ranks by reduce-scatter-allgather", 2),
                          Pair("GATHER of 1.000 KiB on 4 ranks by binomial", 1)));
  EXPECT_THAT(ways(run({Nodes{chakra_compute(1, 5)}})), IsEmpty());
}

// Rank 1 waits from the beginning for what rank 0 sends after 10 us.
TEST_F(ChakraGraph, ExposedCommunicationIsThatBesideWhichNothingComputes) {
  const ExecutionUse use =
      *run({{chakra_compute(1, 10), chakra_send(2, 1, 1000, 5).after({1})}, {chakra_receive(1, 0, 1000, 5)}})
           .execution;
  EXPECT_EQ(use.computing, us(5));  // one of two ranks
  EXPECT_EQ(use.hidden, SimTime());
  EXPECT_EQ(use.exposed, SimTime::from_ps((us(15) + nanoseconds(999)).ps() / 2));
  EXPECT_EQ(use.total(), us(15) + nanoseconds(999));
}

TEST_F(ChakraGraph, ComputingOnAnotherStreamHidesACollective) {
  const Nodes alone{chakra_collective(1, 0, 16'384).with("stream", 1)};
  const SimTime time = time_of({alone, alone});
  ASSERT_GT(time, us(5));
  ASSERT_LT(time, us(100));
  for (const int computed : {3, 100}) {
    Nodes both = alone;
    both.push_back(chakra_compute(2, computed).with("stream", 2));
    const ExecutionUse use = *run({both, both}).execution;
    EXPECT_EQ(use.hidden, std::min(us(computed), time)) << computed;
    EXPECT_EQ(use.hidden + use.exposed, time) << computed;
    EXPECT_EQ(use.hidden + use.computing, us(computed)) << computed;
    EXPECT_EQ(use.idle, SimTime()) << computed;
    ASSERT_EQ(use.collectives.size(), 1u);
    EXPECT_EQ(use.collectives[0].total, time);
    EXPECT_EQ(use.collectives[0].longest, time);
    EXPECT_EQ(use.collectives[0].late, SimTime());
    EXPECT_DOUBLE_EQ(use.collectives[0].bus_bytes, 16'384);  // 2(n-1)/n is 1
  }
}

// By reduce-scatter and allgather each of two ranks adds up half of the bytes, 8,192 at 1 ns each, and copies
// its own operand of 16,384 bytes at 0.1 ns each.
TEST_F(ChakraGraph, AddingUpIsTheWorkOfExposedCommunication) {
  const std::vector<Nodes> alone(2, same_for(chakra_collective(1, 0, 16'384)));
  const ExecutionUse use = *run(alone, {"messages.reduce-per-byte=1 ns/B"}, "mpich").execution;
  const SimTime copied = SimTime::from_ps(1'638'400);
  EXPECT_EQ(use.working, nanoseconds(8192) + copied);
  EXPECT_GT(use.exposed, use.working);
  EXPECT_EQ(run(alone, {"messages.reduce-per-byte=0 ns/B"}, "mpich").execution->working, copied);
  Nodes hidden = same_for(chakra_collective(1, 0, 16'384));
  hidden.front().with("stream", 1);
  hidden.push_back(chakra_compute(2, 1000).with("stream", 2));
  EXPECT_EQ(run({hidden, hidden}, {"messages.reduce-per-byte=1 ns/B"}, "mpich").execution->working,
            SimTime());
}

// A rank that comes 8 us late keeps the other one waiting: 4 us in the mean of both.
TEST_F(ChakraGraph, ACollectiveBeginsWithItsLastRank) {
  const ChakraNode collective = chakra_collective(1, 0, 16'384);
  const ReplayResult result =
      run({{collective}, {chakra_compute(2, 8), chakra_collective(3, 0, 16'384).after({2})}});
  const ExecutionUse use = *result.execution;
  ASSERT_EQ(use.collectives.size(), 1u);
  EXPECT_EQ(use.collectives[0].late, us(4));
  EXPECT_EQ(use.collectives[0].total, result.statistics.simulated_time() - us(8));
}

// What a CPU does beside a GPU launches the GPU's work; where there is no GPU, it is what computes.
TEST_F(ChakraGraph, ComputingIsThatOfTheGpuWhereThereIsOne) {
  const ChakraNode on_cpu = chakra_compute(1, 9).flag("is_cpu_op", true);
  EXPECT_EQ(run({{on_cpu, chakra_compute(2, 5)}}).execution->computing, us(5));
  EXPECT_EQ(run({{on_cpu}}).execution->computing, us(9));
}

// The trace says whose the collectives are; a platform that leaves the library open would have a CPU add up.
TEST_F(ChakraGraph, SaysWhichLibraryCollectivesOfGpusWouldHave) {
  const std::vector<Nodes> on_gpus(2, same_for(chakra_collective(1, 0, 4096)));
  const std::vector<Nodes> on_cpus(2, same_for(chakra_collective(1, 0, 4096).flag("is_cpu_op", true)));
  const auto names_nccl = Contains(AllOf(HasSubstr("2 of the trace's 2 collectives are GPUs'"),
                                         HasSubstr("--set collectives.library=nccl")));
  EXPECT_THAT(run(on_gpus, {}, "auto").notices, names_nccl);
  EXPECT_THAT(run(on_cpus, {}, "auto").notices, IsEmpty());
  for (const char* chosen : {"mpich", "nccl"})
    EXPECT_THAT(run(on_gpus, {}, chosen).notices, IsEmpty()) << chosen;
}

// ASTRA-sim's example: 8 NPUs in a ring at 50 GB/s and 500 ns. 14 steps of 131,072 B; or four parts one after
// the other, as its examples split it, of 14 steps of 32,768 B each.
TEST_F(ChakraGraph, AstraSimsExampleByHand) {
  std::vector<std::string> overrides{"network.latency=500 ns", "network.gap-per-byte=0.02 ns/B",
                                     "nccl.launch=0 s"};
  for (const std::string protocol : {"ll", "ll128", "simple"})
    for (const std::string key : {"start", "hop", "network-hop", "per-byte", "network-per-byte"})
      if (key != "start" || protocol == "simple")
        overrides.push_back("nccl.ring-" + protocol + "-" + key +
                            (key.ends_with("byte") ? "=0 ns/B" : "=0 s"));
  EXPECT_EQ(time_of(std::vector<Nodes>(8, same_for(chakra_collective(0, 0, 1 << 20))), overrides),
            SimTime::from_ps(14 * (500'000 + 131'071 * 20)));
  Nodes parts;
  for (std::uint64_t part = 0; part < 4; ++part) parts.push_back(chakra_collective(part, 0, 1 << 18));
  EXPECT_EQ(time_of(std::vector<Nodes>(8, parts), overrides), SimTime::from_ps(56 * (500'000 + 32'767 * 20)));
}

}  // namespace
}  // namespace morgana
