#include "emulator/collectives/nccl/nccl_pat.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/core/random.h"

namespace morgana::nccl {
namespace {

using Collective = MeasuredCollective;
using ::testing::ElementsAre;
using ::testing::Pair;

Plan plan_of(Collective collective, int ranks, std::int64_t block, int channels) {
  Plan plan;
  plan.collective = collective;
  plan.algorithm = Algorithm::pat;
  plan.layout = {ranks, 1, 1};
  plan.channels = channels;
  plan.bytes = block * ranks;
  return plan;
}

/// Carries out what ranks do with whole blocks, or one chunk of each, as far as messages allow. A rank's part
/// of a block is the set of those whose data are in it.
class Exchange {
 public:
  using Part = std::set<int>;
  using ChunkPiece =
      std::pair<std::int64_t, std::int64_t>;  // a block's owner, and the place within the block

  explicit Exchange(const Plan& plan)
      : plan_(plan), n_(plan.layout.ranks), ranks_(static_cast<std::size_t>(n_)) {
    for (int rank = 0; rank < n_; ++rank)
      for_each_primitive(plan, rank, [&](const Primitive& one) {
        EXPECT_LT(one.worker, workers_of(plan));
        EXPECT_LT(one.out_stream, streams_of(plan));
        EXPECT_EQ(one.from.size() + one.to.size(), 1U);
        EXPECT_GT(one.blocks, 0);
        ranks_[static_cast<std::size_t>(rank)].line.push_back(one);
      });
  }

  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (int rank = 0; rank < n_; ++rank)
        for (auto& line = ranks_[static_cast<std::size_t>(rank)].line;
             !line.empty() && carry_out(rank, line.front()); moved = true)
          line.pop_front();
    }
    for (const PerRank& rank : ranks_) EXPECT_TRUE(rank.line.empty());
    for (const auto& [stream, messages] : on_their_way_) EXPECT_TRUE(messages.empty());
  }
  const std::map<ChunkPiece, Part>& held(int rank) const {
    return ranks_[static_cast<std::size_t>(rank)].held;
  }

 private:
  struct PerRank {
    std::deque<Primitive> line;
    std::map<ChunkPiece, Part> held;
    std::set<ChunkPiece> passed_on;  // of a reduce-scatter
  };
  using Message = std::vector<std::pair<ChunkPiece, Part>>;

  bool gathers() const { return plan_.collective == Collective::all_gather; }
  std::vector<ChunkPiece> pieces(const Primitive& one) const {
    const std::int64_t block = plan_.bytes / n_;
    std::vector<ChunkPiece> all;
    for (std::int64_t i = 0; i < one.blocks; ++i) {
      const std::int64_t at = (one.offset + i * one.stride) % plan_.bytes;
      all.emplace_back(at / block, at % block);
    }
    return all;
  }
  bool carry_out(int rank, const Primitive& one) {
    PerRank& me = ranks_[static_cast<std::size_t>(rank)];
    if (!one.to.empty()) {
      Message message;
      for (const ChunkPiece& piece : pieces(one)) {
        if (gathers()) {
          if (piece.first == rank) me.held[piece] = {rank};
          EXPECT_TRUE(me.held.contains(piece)) << rank << " has no block of " << piece.first;
        } else {
          EXPECT_NE(piece.first, rank);
          EXPECT_TRUE(me.passed_on.insert(piece).second);
          me.held[piece].insert(rank);
        }
        message.emplace_back(piece, me.held[piece]);
      }
      on_their_way_[{rank, one.to.front(), one.out_stream}].emplace_back(one.bytes, message);
      return true;
    }
    auto& stream = on_their_way_[{one.from.front(), rank, one.in_stream}];
    if (stream.empty()) return false;
    const auto& [bytes, message] = stream.front();
    EXPECT_EQ(bytes, one.bytes);
    std::vector<ChunkPiece> sent;
    for (const auto& [piece, part] : message) {
      sent.push_back(piece);
      EXPECT_FALSE(gathers() && me.held.contains(piece)) << "came twice";
      EXPECT_FALSE(me.passed_on.contains(piece)) << "came too late";
      for (const int data : part) EXPECT_TRUE(me.held[piece].insert(data).second) << "was added twice";
    }
    EXPECT_EQ(sent, pieces(one));
    stream.pop_front();
    return true;
  }

  const Plan& plan_;
  int n_;
  std::vector<PerRank> ranks_;
  std::map<std::tuple<int, int, std::uint32_t>, std::deque<std::pair<std::int64_t, Message>>> on_their_way_;
};

void expect_blocks_exchanged(const Plan& plan) {
  const int n = plan.layout.ranks;
  const bool gathers = plan.collective == Collective::all_gather;
  const PatAggregation how = aggregation_of_pat(plan);
  SCOPED_TRACE(fmt::format("{} of {} ranks, {} B, {} channels: {} of {} blocks a message",
                           name_of(plan.collective), n, plan.bytes, plan.channels, how.per_message,
                           how.blocks));
  Exchange exchange(plan);
  exchange.run();
  for (int rank = 0; rank < n; ++rank) {  // each block once, but that which ends, or begins, at the rank
    std::int64_t begun = 0;
    for_each_primitive(plan, rank, [&](const Primitive& one) { begun += blocks_begun(plan, one); });
    EXPECT_EQ(begun, n - 1) << "by rank " << rank;
  }
  std::set<int> all;
  for (int rank = 0; rank < n; ++rank) all.insert(rank);
  for (int rank = 0; rank < n; ++rank) {
    const auto& held = exchange.held(rank);
    for (std::int64_t at = 0; at < plan.bytes / n; at += how.chunk) {
      if (!gathers) {
        std::set<int> part = held.at({rank, at});
        part.insert(rank);
        ASSERT_EQ(part, all);
        continue;
      }
      for (int owner = 0; owner < n; ++owner) ASSERT_EQ(held.at({owner, at}), std::set<int>{owner});
    }
  }
}

TEST(NcclPat, GivesEveryRankWhatTheCollectiveDefines) {
  for (int ranks = 2; ranks <= 20; ++ranks)
    for (const Collective collective : {Collective::all_gather, Collective::reduce_scatter})
      for (const std::int64_t block : {std::int64_t{4}, std::int64_t{30'000}, std::int64_t{1} << 20})
        expect_blocks_exchanged(plan_of(collective, ranks, block, 1));
}

TEST(NcclPat, GivesEveryRankWhatTheCollectiveDefinesInRandomCases) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed, "pat");
    const auto below = [&](std::uint64_t most) { return static_cast<int>(random.below(most)); };
    const Collective collective = below(2) == 0 ? Collective::all_gather : Collective::reduce_scatter;
    expect_blocks_exchanged(
        plan_of(collective, 2 + below(60), 4 + below(1U << (1 + below(20))), 1 + below(16)));
  }
}

/// Distances and blocks of what rank 0 sends, in order.
std::vector<std::pair<int, std::int64_t>> sent(const Plan& plan) {
  std::vector<std::pair<int, std::int64_t>> all;
  const bool gathers = plan.collective == Collective::all_gather;
  for_each_primitive(plan, 0, [&](const Primitive& one) {
    if (one.to.empty()) return;
    all.emplace_back(gathers ? plan.layout.ranks - one.to.front() : one.to.front(), one.blocks);
  });
  return all;
}

// The paper's figure of an all-gather that fits into buffers: Bruck's, with the farthest rank first and one
// block.
TEST(NcclPat, SendsTheFewestMessagesOfShortData) {
  EXPECT_THAT(sent(plan_of(Collective::all_gather, 16, 4, 1)),
              ElementsAre(Pair(8, 1), Pair(4, 2), Pair(2, 4), Pair(1, 8)));
  EXPECT_THAT(sent(plan_of(Collective::reduce_scatter, 16, 4, 1)),
              ElementsAre(Pair(1, 8), Pair(2, 4), Pair(4, 2), Pair(8, 1)));
  // 12 ranks: at distance 4 the blocks of 4 alone go on from the one at 8, at distance 1 one of six ends
  // there.
  EXPECT_THAT(sent(plan_of(Collective::all_gather, 12, 4, 1)),
              ElementsAre(Pair(8, 1), Pair(4, 1), Pair(2, 3), Pair(1, 6)));
}

// Blocks of 512 KiB fill a step of the buffer each, and its 8 steps hold 8 blocks, of 16 at most half the
// ranks.
TEST(NcclPat, SendsBlocksOneByOneWhenTheyFillTheBuffer) {
  const Plan plan = plan_of(Collective::all_gather, 32, 512 << 10, 1);
  EXPECT_EQ(aggregation_of_pat(plan).per_message, 1);
  EXPECT_EQ(aggregation_of_pat(plan).blocks, 8);
  const auto messages = sent(plan);
  EXPECT_EQ(messages.size(), 31U);
  // 8 blocks are spread at distances 16, 8 and 4; then come 3 branches of each: the far one, its near one,
  // the near one.
  std::vector<std::pair<int, std::int64_t>> expected{{16, 1}, {8, 1}, {8, 1}};
  expected.insert(expected.end(), 4, {4, 1});
  expected.insert(expected.end(), 8, {2, 1});
  expected.insert(expected.end(), 16, {1, 1});
  EXPECT_EQ(messages, expected);
}

}  // namespace
}  // namespace morgana::nccl
