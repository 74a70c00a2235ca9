#include "emulator/collectives/nccl/nccl_schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace morgana::nccl {
namespace {

using Collective = MeasuredCollective;

/// What a byte of a buffer holds: how often each rank's data are in it, four bits a rank. Sums add up.
using Content = std::uint64_t;
constexpr int most_ranks = 16;

constexpr Content once_of(int rank) {
  return Content{1} << (4 * rank);
}

/// Carries primitives out on data, rank by rank as far as messages allow: the plain meaning of a schedule,
/// written from nccl_schedule.h alone. Every byte of a buffer is followed separately.
class Execution {
 public:
  explicit Execution(const Plan& plan) : plan_(plan), ranks_(static_cast<std::size_t>(plan.all_ranks())) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      ranks_[rank].result.assign(static_cast<std::size_t>(plan.bytes), 0);
      for_each_primitive(plan_, static_cast<int>(rank), [&](const Primitive& one) {
        EXPECT_LT(one.worker, workers_of(plan_));
        ranks_[rank].workers[one.worker].push_back(one);
      });
    }
  }

  /// @return whether all of it came to its end, and nothing was sent that nobody took
  bool run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        for (auto& [worker, line] : ranks_[rank].workers)
          while (!line.empty() && carry_out(static_cast<int>(rank), line.front())) {
            line.pop_front();
            moved = true;
          }
    }
    const bool ended = std::all_of(ranks_.begin(), ranks_.end(), [](const PerRank& rank) {
      return std::all_of(rank.workers.begin(), rank.workers.end(),
                         [](const auto& one) { return one.second.empty(); });
    });
    return ended && std::all_of(on_their_way_.begin(), on_their_way_.end(),
                                [](const auto& one) { return one.second.empty(); });
  }
  Content result(int rank, std::int64_t byte) const {
    return ranks_[static_cast<std::size_t>(rank)].result[static_cast<std::size_t>(byte)];
  }
  std::int64_t sent(int rank) const { return ranks_[static_cast<std::size_t>(rank)].sent; }

 private:
  struct Message {
    std::int64_t offset;
    std::vector<Content> data;
  };
  struct PerRank {
    std::map<std::uint32_t, std::deque<Primitive>> workers;
    std::vector<Content> result;
    std::int64_t sent = 0;
  };
  using Stream = std::tuple<int, int, std::uint32_t>;

  bool carry_out(int rank, const Primitive& one) {
    for (const int from : one.from)
      if (on_their_way_[Stream{from, rank, one.in_stream}].empty()) return false;
    const auto bytes = static_cast<std::size_t>(one.bytes);
    std::vector<Content> data(bytes, 0);
    for (const int from : one.from) {
      std::deque<Message>& stream = on_their_way_[Stream{from, rank, one.in_stream}];
      if (one.asked) {
        EXPECT_TRUE(stream.front().data.empty());
        stream.pop_front();
        continue;
      }
      EXPECT_EQ(stream.front().data.size(), bytes);
      // Blocks of an exchange lie elsewhere at the receiver.
      EXPECT_TRUE(plan_.algorithm == Algorithm::direct || stream.front().offset == one.offset);
      for (std::size_t byte = 0; byte < bytes; ++byte) data[byte] += stream.front().data[byte];
      stream.pop_front();
    }
    if (one.own)
      for (Content& byte : data) byte += once_of(rank);
    PerRank& me = ranks_[static_cast<std::size_t>(rank)];
    if (one.keeps) std::copy(data.begin(), data.end(), me.result.begin() + one.offset);
    for (const int to : one.to) {
      on_their_way_[Stream{rank, to, one.out_stream}].push_back(
          {one.offset, one.asks ? std::vector<Content>() : data});
      if (!one.asks) me.sent += one.bytes;
    }
    return true;
  }

  Plan plan_;
  std::vector<PerRank> ranks_;
  std::map<Stream, std::deque<Message>> on_their_way_;
};

Content once_of_all(int ranks) {
  Content all = 0;
  for (int rank = 0; rank < ranks; ++rank) all += once_of(rank);
  return all;
}

/// What the collective's definition says of a byte of a rank's result; 0: it says nothing, and nothing is
/// kept.
Content defined(const Plan& plan, int rank, std::int64_t byte) {
  const Content all = once_of_all(plan.layout.ranks);
  const auto block = static_cast<int>(byte / std::max<std::int64_t>(1, plan.bytes / plan.layout.ranks));
  switch (plan.collective) {
    case Collective::all_reduce:
      return all;
    case Collective::reduce:
      return rank == plan.root ? all : 0;
    case Collective::broadcast:
      return once_of(plan.root);
    case Collective::all_gather:
      return once_of(block);
    case Collective::reduce_scatter:
      return block == rank ? all : 0;
    case Collective::all_to_all:
      break;
  }
  return block == rank ? 0 : once_of(block);
}

void expect_what_is_defined(const Plan& plan) {
  SCOPED_TRACE(fmt::format("{} by {} {} of {} ranks, {} a node, {} B, {} channels", name_of(plan.collective),
                           name_of(plan.algorithm), name_of(plan.protocol), plan.layout.ranks,
                           plan.layout.per_node, plan.bytes, plan.channels));
  ASSERT_LE(plan.layout.ranks, most_ranks);
  Execution execution(plan);
  ASSERT_TRUE(execution.run());
  for (int rank = 0; rank < plan.layout.ranks; ++rank)
    for (std::int64_t byte = 0; byte < plan.bytes; ++byte)
      ASSERT_EQ(execution.result(rank, byte), defined(plan, rank, byte))
          << "rank " << rank << " byte " << byte;
}

/// Chunks of 32 KiB and more would hide what happens between them: one channel of LL has the shortest ones.
TEST(NcclSchedule, GivesEveryRankWhatTheCollectiveDefines) {
  for (const auto& [ranks, per_node] : {std::pair{2, 8}, {3, 8}, {8, 8}, {8, 4}, {12, 4}, {6, 2}, {5, 1}})
    for (const Collective collective :
         {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter, Collective::broadcast,
          Collective::reduce})
      for (const Protocol protocol : {Protocol::ll, Protocol::simple}) {
        Plan plan;
        plan.collective = collective;
        plan.protocol = protocol;
        plan.layout = {ranks, per_node, per_node};
        plan.channels = 3;
        plan.root = ranks - 1;
        plan.bytes = 60 * 4;
        expect_what_is_defined(plan);
      }
}

TEST(NcclSchedule, GoesAroundAgainForWhatDoesNotFitIntoOneLoop) {
  for (const Collective collective :
       {Collective::all_reduce, Collective::all_gather, Collective::broadcast}) {
    Plan plan;
    plan.collective = collective;
    plan.protocol = Protocol::ll;
    plan.layout = {2, 2, 2};
    plan.channels = 1;
    plan.bytes = 2 * (32 << 10) + 24;  // a chunk is 32 KiB
    if (collective == Collective::all_gather) plan.bytes *= 2;
    expect_what_is_defined(plan);
  }
}

TEST(NcclSchedule, TreesGiveTheSumEverywhere) {
  for (const auto& [ranks, per_node] : {std::pair{4, 4}, {8, 4}, {6, 2}, {8, 2}, {7, 1}, {12, 2}, {16, 4}}) {
    Plan plan;
    plan.algorithm = Algorithm::tree;
    plan.layout = {ranks, per_node, per_node};
    plan.channels = 4;
    for (const std::int64_t bytes : {4, 400}) {
      plan.bytes = bytes;
      expect_what_is_defined(plan);
    }
  }
  Plan several_chunks;
  several_chunks.algorithm = Algorithm::tree;
  several_chunks.protocol = Protocol::ll;
  several_chunks.layout = {4, 2, 2};
  several_chunks.channels = 2;
  several_chunks.bytes = 3 * (64 << 10) + 8;
  expect_what_is_defined(several_chunks);
}

TEST(NcclSchedule, ExchangesEveryBlock) {
  for (const int ranks : {2, 5, 8}) {
    Plan plan;
    plan.collective = Collective::all_to_all;
    plan.algorithm = Algorithm::direct;
    plan.layout = {ranks, 4, 4};
    plan.bytes = 16 * ranks;
    expect_what_is_defined(plan);
  }
}

/// 2 (n - 1) / n of the size, and no rank more than another: what makes a ring the best that there can be.
TEST(NcclSchedule, RingsSendTheLeastThatAnAllReduceCanSend) {
  Plan plan;
  plan.layout = {8, 4, 4};
  plan.bytes = std::int64_t{8} * 4 * (1 << 10);
  plan.channels = 4;
  Execution execution(plan);
  ASSERT_TRUE(execution.run());
  for (int rank = 0; rank < 8; ++rank) EXPECT_EQ(execution.sent(rank), plan.bytes * 2 * 7 / 8) << rank;
}

TEST(NcclSchedule, UsesEveryRailAlikeOverSeveralNodes) {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::tree}) {
    Plan plan;
    plan.algorithm = algorithm;
    plan.layout = {12, 4, 4};
    plan.channels = 8;
    plan.bytes = 8 << 20;
    // By the GPU at which data enter a node.
    std::map<int, std::int64_t> by_rail;
    for (int rank = 0; rank < plan.layout.ranks; ++rank)
      for_each_primitive(plan, rank, [&](const Primitive& one) {
        for (const int to : one.to)
          if (!plan.layout.share_node(rank, to)) by_rail[to % 4] += one.bytes;
      });
    ASSERT_EQ(by_rail.size(), 4U);
    for (const auto& [rail, bytes] : by_rail) EXPECT_EQ(bytes, by_rail.at(0)) << "rail " << rail;
  }
}

/// Sanders, Speck and Traff: every node is a leaf in one of the two trees at least.
TEST(NcclSchedule, ANodePassesDataOnInOneOfTheTwoTrees) {
  for (int nodes = 1; nodes <= 65; ++nodes) {
    for (int tree = 0; tree < 2; ++tree) {
      int roots = 0, children = 0;
      for (int node = 0; node < nodes; ++node) {
        const TreePlace place = tree_place(tree, nodes, node);
        if (place.parent < 0) ++roots;
        for (const int child : place.children) {
          if (child < 0) continue;
          ++children;
          EXPECT_EQ(tree_place(tree, nodes, child).parent, node) << nodes << " nodes, tree " << tree;
        }
      }
      EXPECT_EQ(roots, 1) << nodes;
      EXPECT_EQ(children, nodes - 1) << nodes;
    }
    const auto is_leaf = [&](int tree, int node) {
      const TreePlace place = tree_place(tree, nodes, node);
      return place.children[0] < 0 && place.children[1] < 0;
    };
    for (int node = 0; nodes > 2 && node < nodes; ++node)
      EXPECT_TRUE(is_leaf(0, node) || is_leaf(1, node) || tree_place(0, nodes, node).parent < 0 ||
                  tree_place(1, nodes, node).parent < 0)
          << nodes << " nodes, node " << node;
  }
}

/// Units of nodes, and for each rail one above pairs of nodes and one above those.
std::shared_ptr<const SwitchUnits> units_for(const GpuLayout& layout) {
  auto units = std::make_shared<SwitchUnits>();
  const auto add = [&units](int above) {
    units->above.push_back(above);
    return units->count++;
  };
  for (int node = 0; node < layout.nodes(); ++node) units->of_node.push_back(add(-1));
  for (int rail = 0; layout.nodes() > 1 && rail < layout.rails; ++rail) {
    const int root = add(-1);
    units->above_node.emplace_back();
    int leaf = root;
    for (int node = 0; node < layout.nodes(); ++node) {
      if (node % 2 == 0) leaf = add(root);
      units->above_node.back().push_back(leaf);
    }
  }
  return units;
}

Plan plan_by_switches(Algorithm algorithm, const GpuLayout& layout, std::int64_t bytes, int channels) {
  Plan plan;
  plan.algorithm = algorithm;
  plan.layout = layout;
  plan.bytes = bytes;
  plan.channels = channels;
  plan.units = units_for(layout);
  return plan;
}

TEST(NcclSchedule, SwitchesThatAddUpGiveTheSumEverywhere) {
  for (const std::int64_t bytes : {4, 400, 3 * (64 << 10) + 8}) {
    expect_what_is_defined(plan_by_switches(Algorithm::nvls, {4, 8, 8}, bytes, 1));
    for (const Algorithm algorithm :
         {Algorithm::nvls, Algorithm::nvls_tree, Algorithm::collnet_chain, Algorithm::collnet_direct})
      for (const GpuLayout& layout : {GpuLayout{8, 4, 4}, {8, 4, 2}, {12, 4, 4}, {3, 1, 1}, {10, 2, 1}})
        for (const int channels : {1, 4})
          if (channels == 1 || bytes < 1'000)
            expect_what_is_defined(plan_by_switches(algorithm, layout, bytes, channels));
  }
}

TEST(NcclSchedule, NvlsGathersAndScattersBlocks) {
  for (const Collective collective : {Collective::all_gather, Collective::reduce_scatter})
    for (const std::int64_t block : {4, 100, 3 * (16 << 10) + 4}) {
      Plan plan = plan_by_switches(Algorithm::nvls, {3, 8, 8}, 3 * block, 1);
      plan.collective = collective;
      expect_what_is_defined(plan);
    }
}

/// 1 + 1 / n of the data leave each GPU, and the unit sends each as much: 2 (n - 1) / n go along a ring.
TEST(NcclSchedule, NvlsSendsTheDataOnceAndTheHeadsPart) {
  const Plan plan = plan_by_switches(Algorithm::nvls, {8, 8, 8}, 8 << 20, 4);
  std::map<int, std::int64_t> sent, received;
  for (int rank = 0; rank < plan.all_ranks(); ++rank)
    for_each_primitive(plan, rank, [&](const Primitive& one) {
      for (const int to : one.to) {
        EXPECT_NE(rank < 8, to < 8);
        if (one.asks) continue;
        sent[rank] += one.bytes;
        received[to] += one.bytes;
      }
    });
  for (int rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(sent[rank], plan.bytes * 9 / 8) << rank;
    EXPECT_EQ(received[rank], plan.bytes * 9 / 8) << rank;
  }
}

/// NCCL 2.30.7, src/graph/tuning.cc, threadThresholds: 8 B of LL for each of 512 threads and rank of a ring.
TEST(NcclSchedule, ShortDataTakeFewChannels) {
  Plan plan;
  plan.layout = {64, 8, 8};
  plan.protocol = Protocol::ll;
  plan.bytes = 3 * 4096 * 64;
  EXPECT_EQ(channels_in_use(plan), 3);
  EXPECT_EQ(lanes_of(plan), 3);
  plan.bytes -= 1;
  EXPECT_EQ(channels_in_use(plan), 2);
  plan.algorithm = Algorithm::tree;
  EXPECT_EQ(channels_in_use(plan), 16);
  plan.bytes = 3 * 4096;
  EXPECT_EQ(channels_in_use(plan), 3);
  plan.protocol = Protocol::ll128;
  EXPECT_EQ(channels_in_use(plan), 1);
  plan.algorithm = Algorithm::ring;
  // Cells of 32 KiB of traffic, of which an all-reduce has 2 B for each byte.
  plan.bytes = 5 * 16'384;
  EXPECT_EQ(channels_in_use(plan), 5);
  plan.collective = Collective::all_gather;
  EXPECT_EQ(channels_in_use(plan), 2);
  plan.collective = Collective::all_reduce;
  plan.bytes = 5 * 8192;
  plan.protocol = Protocol::simple;
  EXPECT_EQ(channels_in_use(plan), 1);
}

}  // namespace
}  // namespace morgana::nccl
