// Copies in ranks' calls by themselves: two ranks of a host, each of which uses half of its memory's
// bandwidth or more.

#include "emulator/engine/rank_copies.h"

#include <gtest/gtest.h>

#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

class CopiesOfRanks : public testing::Test, private RankCopiesClient {
 protected:
  static constexpr SimTime us = SimTime::from_ps(1'000'000);

  CopiesOfRanks() {
    machine.host_of = {HostId{0}, HostId{0}};
    // 2 bytes of traffic a byte copied, 1 ns each: one rank needs 2 GB/s, all of the bandwidth.
    HostMemoryParameters parameters;
    parameters.bandwidth = BitRate(16'000'000'000);
    machine.memory = std::make_unique<HostMemory>(*machine.events, parameters);
    for (RankState& state : ranks) state.operation.kind = OperationKind::wait;
  }

  /// A receive of the rank's that is ready now and awaited, 1 us of overhead and 1,000 bytes of copy.
  std::uint32_t ready_receive(int rank, std::uint64_t id) {
    RankState& state = ranks[static_cast<std::size_t>(rank)];
    state.operation.request = RequestId{id};
    state.operation.kind = OperationKind::receive;
    const std::uint32_t slot = table.begin(Rank{rank}, state, SimTime());
    state.operation.kind = OperationKind::wait;
    table[slot].ready = true;
    table[slot].ready_at = machine.events->now();
    table[slot].cost = us;
    state.awaited.push_back(slot);
    copies.add(slot, work);
    return slot;
  }
  void run() {
    while (!machine.events->empty()) machine.events->handle_next();
  }

  void copied_before_send(Rank rank) override { ended.emplace_back(rank, machine.events->now()); }
  void copied(Rank rank, std::span<const std::uint32_t> slots, SimTime from) override {
    ended.emplace_back(rank, from);
    completed = slots.size();
    EXPECT_EQ(copies.end(rank, from), from);
  }
  void limit_was_reached(std::uint64_t limit) override { limits.push_back(limit); }
  void waits_on(Rank) override { ++waits; }

  const MemoryWork work{Bytes(1000), ByteCost::from_fs(1'000'000)};
  Machine machine;
  ScriptedSource source{{{}, {}}};
  std::vector<RankState> ranks = std::vector<RankState>(2);
  RequestTable table;
  Releases releases{nullptr, ranks, table};
  RankCopies copies{machine, source, ranks, table, releases, *this};
  std::vector<std::pair<Rank, SimTime>> ended;
  std::vector<std::uint64_t> limits;
  std::size_t completed = 0;
  int waits = 0;
};

TEST_F(CopiesOfRanks, OneAloneTakesItsOwnTime) {
  copies.begin_before_send(Rank{0}, work);
  EXPECT_TRUE(copies.is_in_memory(Rank{0}));
  EXPECT_EQ(ranks[0].phase, RankState::Phase::waiting);
  run();
  EXPECT_EQ(ended, (std::vector<std::pair<Rank, SimTime>>{{Rank{0}, us}}));
  EXPECT_TRUE(copies.are_none());
}

TEST_F(CopiesOfRanks, TwoAtOnceTakeTwiceAsLong) {
  copies.begin_before_send(Rank{0}, work);
  copies.begin_before_send(Rank{1}, work);
  run();
  EXPECT_EQ(ended, (std::vector<std::pair<Rank, SimTime>>{{Rank{0}, 2 * us}, {Rank{1}, 2 * us}}));
}

TEST_F(CopiesOfRanks, ReceivesOfACallComeOneAfterTheOther) {
  const std::vector<std::uint32_t> slots{ready_receive(0, 1), ready_receive(0, 2)};
  EXPECT_TRUE(copies.come_before(Rank{0}, slots));
  EXPECT_TRUE(copies.are_completing(Rank{0}));
  run();
  // Each 1 us of copying and then 1 us of overhead.
  EXPECT_EQ(ended, (std::vector<std::pair<Rank, SimTime>>{{Rank{0}, 4 * us}}));
  EXPECT_EQ(completed, 2U);
}

TEST_F(CopiesOfRanks, WhatHasNothingToCopyCompletesAtOnce) {
  const std::uint32_t slot = ready_receive(0, 1);
  copies.forget(slot);
  EXPECT_FALSE(copies.come_before(Rank{0}, std::vector<std::uint32_t>{slot}));
  EXPECT_EQ(copies.cost_alone(slot), SimTime());
}

TEST_F(CopiesOfRanks, ALimitWaitsForTheCopyUnderWay) {
  const std::uint32_t slot = ready_receive(0, 1);
  ranks[0].phase = RankState::Phase::waiting;
  copies.go_on_with(Rank{0}, slot);
  ASSERT_TRUE(copies.is_in_memory(Rank{0}));
  copies.note_limit(Rank{0}, 5);
  EXPECT_TRUE(limits.empty());
  run();
  EXPECT_EQ(limits, std::vector<std::uint64_t>{5});
  EXPECT_TRUE(ended.empty());
}

TEST_F(CopiesOfRanks, ARankWaitsOnWhenItsCopyIsDone) {
  const std::uint32_t slot = ready_receive(0, 1);
  ranks[0].phase = RankState::Phase::waiting;
  copies.go_on_with(Rank{0}, slot);
  run();
  EXPECT_EQ(waits, 1);
  EXPECT_EQ(copies.end(Rank{0}, us), 2 * us) << "its overhead is left";
}

TEST_F(CopiesOfRanks, AKilledRanksCopySlowsNobody) {
  copies.begin_before_send(Rank{0}, work);
  copies.begin_before_send(Rank{1}, work);
  copies.give_up(Rank{1});
  run();
  EXPECT_EQ(ended, (std::vector<std::pair<Rank, SimTime>>{{Rank{0}, us}}));
}

TEST_F(CopiesOfRanks, AloneTheyTakeNoMemoryToThemselves) {
  const std::uint32_t slot = ready_receive(0, 1);
  EXPECT_EQ(copies.cost_alone(slot), us);
  EXPECT_EQ(copies.cost_alone(slot), SimTime()) << "it is copied once";
  EXPECT_TRUE(copies.are_none());
}

}  // namespace
}  // namespace morgana
