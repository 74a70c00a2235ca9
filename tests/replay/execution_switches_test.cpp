#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/collectives/nccl/nccl_model.h"
#include "emulator/core/error.h"
#include "emulator/engine/engine.h"
#include "replay/collective_graph.h"
#include "replay/comparison.h"
#include "replay/link_measurement.h"
#include "replay/switch_units.h"
#include "tests/support/chakra_traces.h"
#include "tests/support/temporary_folder.h"
#include "traces/export/timeline.h"

namespace morgana {
namespace {

using nccl::Algorithm;
using testing::chakra_collective;
using testing::chakra_compute;
using testing::chakra_file;
using testing::ChakraNode;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;

constexpr std::int64_t mebi = 1 << 20;
using Nodes = std::vector<ChakraNode>;

/// Execution traces whose collectives switches carry out.
class ExecutionSwitches : public ::testing::Test {
 protected:
  ReplayResult run(const std::vector<Nodes>& ranks, const std::vector<std::string>& overrides = {},
                   ReplayOptions options = {}) const {
    for (std::size_t i = 0; i < ranks.size(); ++i)
      folder_.write("t." + std::to_string(i) + ".et", chakra_file(ranks[i]));
    return replay_on(Platform::load("dgx-h100", overrides), folder_ / "t", options);
  }
  /// The same collective of ranks 0, 1, ... without a trace.
  static SimTime alone(MeasuredCollective collective, int ranks, std::int64_t bytes,
                       nccl::Algorithm algorithm, const std::vector<std::string>& overrides = {}) {
    const Platform platform = Platform::load("dgx-h100", overrides);
    const nccl::Parameters parameters = platform.nccl();
    nccl::Plan plan;
    plan.collective = collective;
    plan.algorithm = algorithm;
    plan.bytes = bytes;
    plan.layout = {ranks, 8, 8};
    plan.slices = static_cast<int>(parameters.slices);
    plan.channels = static_cast<int>(nccl::Choice{algorithm}.channels_of(parameters, plan.layout.nodes()));
    std::vector<HostId> hosts;
    for (int host = 0; host < ranks; ++host) hosts.push_back(static_cast<HostId>(host));
    const SwitchUnitPlaces units = units_of_group(platform, parameters, hosts, plan.layout);
    if (is_in_network(algorithm)) plan.units = units.units;
    return time_of_graph(platform, graph_of(plan, parameters), {}, 1, {},
                         plan.units ? std::span<const SwitchId>(units.at) : std::span<const SwitchId>());
  }
  static std::vector<Nodes> all(std::size_t ranks, const ChakraNode& node) {
    return std::vector<Nodes>(ranks, Nodes{node});
  }
  TemporaryFolder folder_;
};

TEST_F(ExecutionSwitches, TakeAsLongAsTheCollectiveAlone) {
  const auto time = [&](const ReplayResult& result) { return result.statistics.simulated_time(); };
  using Collective = MeasuredCollective;
  EXPECT_EQ(time(run(all(8, chakra_collective(1, 0, 16 * mebi)))),
            alone(Collective::all_reduce, 8, 16 * mebi, Algorithm::nvls));
  EXPECT_EQ(time(run(all(16, chakra_collective(1, 0, 64 * mebi)))),
            alone(Collective::all_reduce, 16, 64 * mebi, Algorithm::nvls_tree));
  // What NCCL would not choose by itself.
  const std::vector<std::string> tuned{"nccl.collnet=yes",
                                       "collectives.tuner=" + (folder_ / "t.csv").string()};
  folder_.write("t.csv",
                "allreduce,0,-1,collnet_direct,simple,-1,2,-1\nallgather,0,-1,nvls,simple,-1,1,-1\n"
                "reducescatter,0,-1,nvls,simple,-1,1,-1\n");
  EXPECT_EQ(time(run(all(16, chakra_collective(1, 0, 16 * mebi)), tuned)),
            alone(Collective::all_reduce, 16, 16 * mebi, Algorithm::collnet_direct, tuned));
  for (int i = 8; i < 16; ++i) std::filesystem::remove(folder_ / ("t." + std::to_string(i) + ".et"));
  EXPECT_EQ(time(run(all(8, chakra_collective(1, 2, 8 * mebi)), tuned)),
            alone(Collective::all_gather, 8, 64 * mebi, Algorithm::nvls, tuned));
  EXPECT_EQ(time(run(all(8, chakra_collective(1, 7, 64 * mebi)), tuned)),
            alone(Collective::reduce_scatter, 8, 64 * mebi, Algorithm::nvls, tuned));
}

TEST_F(ExecutionSwitches, AreNotTakenWhereThePlatformHasNone) {
  const ReplayResult result = run(all(8, chakra_collective(1, 0, 16 * mebi)), {"nccl.nvls=no"});
  ASSERT_EQ(result.execution->collectives.size(), 1U);
  EXPECT_THAT(result.execution->collectives[0].what, HasSubstr("by ring"));
}

// A group's collectives follow each other in its switch as well.
TEST_F(ExecutionSwitches, CarryOutOneCollectiveAfterTheOther) {
  const SimTime one = alone(MeasuredCollective::all_reduce, 8, 16 * mebi, Algorithm::nvls);
  const std::vector<Nodes> ranks(
      8, Nodes{chakra_collective(1, 0, 16 * mebi), chakra_collective(2, 0, 16 * mebi).after({1})});
  const ReplayResult result = run(ranks);
  const SimTime both = result.statistics.simulated_time();
  EXPECT_LE(both, one * 2);
  EXPECT_GT(both, one + one - SimTime::from_ps(one.ps() / 20))
      << "ranks that end early begin the second one early";
  ASSERT_EQ(result.execution->collectives.size(), 1U);
  EXPECT_EQ(result.execution->collectives[0].times, 2U);
  EXPECT_THAT(result.execution->collectives[0].what, HasSubstr("by nvls simple"));
}

// Two groups on two nodes have a switch each, so neither waits for the other; two on one node share links.
TEST_F(ExecutionSwitches, GroupsOfANodeShareItsLinks) {
  const SimTime one = alone(MeasuredCollective::all_reduce, 8, 16 * mebi, Algorithm::nvls);
  const auto in_groups = [&](const std::string& groups, std::size_t ranks) {
    folder_.write("t.json", groups);
    std::vector<Nodes> nodes;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      nodes.push_back({chakra_collective(1, 0, 16 * mebi).text("pg_name", rank < 8 ? "a" : "b")});
    return run(nodes).statistics.simulated_time();
  };
  EXPECT_EQ(in_groups("{\"a\": [0,1,2,3,4,5,6,7], \"b\": [8,9,10,11,12,13,14,15]}", 16), one);
  std::vector<Nodes> both(8, Nodes{chakra_collective(1, 0, 16 * mebi).text("pg_name", "a"),
                                   chakra_collective(2, 0, 16 * mebi).text("pg_name", "b")});
  folder_.write("t.json", "{\"a\": [0,1,2,3,4,5,6,7], \"b\": [7,6,5,4,3,2,1,0]}");
  for (int i = 8; i < 16; ++i) std::filesystem::remove(folder_ / ("t." + std::to_string(i) + ".et"));
  const SimTime shared = run(both).statistics.simulated_time();
  EXPECT_GT(shared, one + SimTime::from_ps(one.ps() / 4));
  EXPECT_LT(shared, one * 2);
}

// Their ports are within the switches: no cables of the network's.
TEST_F(ExecutionSwitches, HaveNoLinksOfTheirOwn) {
  const auto links_of = [&](const std::string& nvls) {
    ReplayOptions options;
    options.links = true;
    std::vector<std::pair<LinkEnd, LinkEnd>> ends;
    for (const LinkLoad& link :
         run(all(8, chakra_collective(1, 0, 16 * mebi)), {"nccl.nvls=" + nvls}, options).links.loads)
      ends.emplace_back(link.from, link.to);
    return ends;
  };
  EXPECT_FALSE(links_of("no").empty());
  EXPECT_EQ(links_of("yes"), links_of("no"));
}

TEST_F(ExecutionSwitches, AreNamedWhereTheirMessagesAreLost) {
  try {
    run(all(8, chakra_collective(1, 0, 1024 * mebi)), {"network.faults=switch 0 at 2 ms"});
    ADD_FAILURE() << "nothing was lost";
  } catch (const Deadlock& deadlock) {
    EXPECT_THAT(deadlock.what(), HasSubstr("from switch 0 to rank"));
    EXPECT_THAT(deadlock.what(), Not(HasSubstr("rank 8")));
  }
}

TEST_F(ExecutionSwitches, AreNoRanksOfTheProgram) {
  const ReplayResult result = run(
      std::vector<Nodes>(8, Nodes{chakra_compute(1, 100), chakra_collective(2, 0, 16 * mebi).after({1})}));
  EXPECT_EQ(result.statistics.ranks().size(), 8U);
  EXPECT_EQ(result.statistics.hosts()->hosts, 8U);
  EXPECT_EQ(result.execution->computing, SimTime::from_ps(100'000'000));
  for (const CallUse& use : result.statistics.calls()) EXPECT_NE(use.call, Call::unknown);
}

// Two collectives, of which the first is partly hidden behind computing, and computing between and behind.
TEST_F(ExecutionSwitches, AreWaitsInTheTraceOfARun) {
  ReplayOptions options;
  options.write_trace = folder_ / "written.otf2";
  const ReplayResult result =
      run(std::vector<Nodes>(
              8, Nodes{chakra_compute(1, 100), chakra_collective(2, 0, 16 * mebi).after({1}),
                       chakra_compute(3, 30).after({1}), chakra_compute(4, 20).after({2}),
                       chakra_collective(5, 0, 16 * mebi).after({4}), chakra_compute(6, 300).after({5})}),
          {}, options);
  EXPECT_TRUE(result.waits_for_switches);
  const Timeline timeline = read_timeline(options.write_trace);
  EXPECT_EQ(timeline.end, result.statistics.simulated_time()) << "the trace is as long as the run";
  const ReplayResult again = replay_on(Platform::load("dgx-h100"), options.write_trace, {});
  ASSERT_EQ(again.statistics.ranks().size(), 8U);
  for (std::size_t rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(again.statistics.ranks()[rank].end, result.statistics.ranks()[rank].end) << rank;
    EXPECT_EQ(again.statistics.ranks()[rank].communication, result.statistics.ranks()[rank].communication);
  }
  EXPECT_THAT(again.notices, Contains(HasSubstr("these waits last as long as they did on dgx-h100")));
  ASSERT_EQ(result.statistics.calls().size(), 1U);
  EXPECT_EQ(result.statistics.calls()[0].call, Call::MPI_Wait);
  EXPECT_EQ(again.statistics.calls(), result.statistics.calls());
  const SimTime all = result.statistics.total().communication;
  EXPECT_GT(all, SimTime());
  EXPECT_EQ(result.statistics.calls()[0].time, all) << "whatever is no computing is in a call";
}

TEST_F(ExecutionSwitches, AreNotMentionedWhereNoneAddUp) {
  ReplayOptions options;
  options.write_trace = folder_ / "written.otf2";
  EXPECT_FALSE(run(all(8, chakra_collective(1, 0, 16 * mebi)), {"nccl.nvls=no"}, options).waits_for_switches);
  EXPECT_THAT(replay_on(Platform::load("dgx-h100"), options.write_trace, {}).notices,
              Each(Not(HasSubstr("switches"))));
}

// The switch fails before it has added up.
TEST_F(ExecutionSwitches, AreNamedWhereTheyWait) {
  try {
    run(all(8, chakra_collective(1, 0, 256 * mebi)), {"network.faults=switch 0 at 500 us"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("\n  switch 0: "));
    EXPECT_THAT(error.what(), HasSubstr(" of switch 0 waits for a message from rank "));
  }
}

}  // namespace
}  // namespace morgana
