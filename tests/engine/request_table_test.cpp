// The table of requests by itself, and what is known of their origins.

#include "emulator/engine/request_table.h"

#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/engine/releases.h"

namespace morgana {
namespace {

/// A rank whose operation starts the requests of these tests.
class RequestTables : public testing::Test {
 protected:
  static constexpr SimTime us = SimTime::from_ps(1'000'000);
  static constexpr Rank owner{0};

  std::uint32_t begin(OperationKind kind, std::uint64_t id) {
    state().operation.kind = kind;
    state().operation.request = RequestId{id};
    state().operation.bytes = Bytes(100);
    return table.begin(owner, state(), 2 * us);
  }
  void ready(std::uint32_t slot, SimTime at) {
    table[slot].ready = true;
    table[slot].ready_at = at;
  }
  /// The rank's wait or test names these.
  void name(std::initializer_list<std::uint64_t> ids, Completion completion) {
    state().operation.requests.clear();
    for (const std::uint64_t id : ids) state().operation.requests.push_back(RequestId{id});
    state().operation.completion = completion;
    table.collect_awaited(owner, state());
  }
  RankState& state() { return ranks[0]; }

  std::vector<RankState> ranks = std::vector<RankState>(1);
  RequestTable table;
};

TEST_F(RequestTables, ANumberServesOneRequestAtATime) {
  const std::uint32_t slot = begin(OperationKind::receive, 7);
  EXPECT_THROW(begin(OperationKind::receive, 7), Error);
  EXPECT_EQ(table[slot].owner, owner);
  EXPECT_EQ(table[slot].partner_at, 2 * us) << "a receive is posted when it begins";
}

TEST_F(RequestTables, ASlotThatIsGivenBackKeepsNothingOfItsRequest) {
  const std::uint32_t slot = begin(OperationKind::receive, 7);
  table[slot].cancelled = table[slot].ready = true;
  table[slot].payload = 99;
  table[slot].early = us;
  state().requests.erase(RequestId{7});
  table.give_back(slot);
  ASSERT_EQ(begin(OperationKind::send, 8), slot);
  EXPECT_FALSE(table[slot].cancelled);
  EXPECT_FALSE(table[slot].ready);
  EXPECT_EQ(table[slot].payload, 0U);
  EXPECT_EQ(table[slot].early, SimTime());
  EXPECT_EQ(table[slot].partner_at, SimTime());
}

TEST_F(RequestTables, AWaitNamesPendingRequestsOnce) {
  begin(OperationKind::send, 1);
  EXPECT_THROW(name({1, 1}, Completion::all), Error);
  table.stop_waiting(state());
  EXPECT_THROW(name({2}, Completion::all), Error);
}

TEST_F(RequestTables, WhatATestFindsFollowsItsKind) {
  const std::uint32_t a = begin(OperationKind::send, 1);
  const std::uint32_t b = begin(OperationKind::send, 2);
  const std::uint32_t c = begin(OperationKind::send, 3);
  using Slots = std::vector<std::uint32_t>;
  name({1, 2, 3}, Completion::any);
  EXPECT_EQ(table.found_by_test(state()), Slots{});
  EXPECT_EQ(table.first_ready(state()), RequestTable::no_slot);
  ready(c, us);
  ready(b, 3 * us);
  EXPECT_EQ(table.found_by_test(state()), Slots{c}) << "the first that became ready";
  state().operation.completion = Completion::some;
  EXPECT_EQ(table.found_by_test(state()), (Slots{b, c})) << "in the order of the call";
  state().operation.completion = Completion::all;
  EXPECT_EQ(table.found_by_test(state()), Slots{});
  ready(a, 4 * us);
  EXPECT_EQ(table.found_by_test(state()), (Slots{a, b, c}));
}

TEST_F(RequestTables, OnlyWhatIsNotReadyIsWaitedFor) {
  const std::uint32_t a = begin(OperationKind::send, 1);
  const std::uint32_t b = begin(OperationKind::send, 2);
  ready(a, us);
  name({1, 2}, Completion::all);
  EXPECT_EQ(table.await_missing(state()), 1U);
  EXPECT_FALSE(table[a].awaited);
  EXPECT_TRUE(table[b].awaited);
  table.stop_waiting(state());
  EXPECT_FALSE(table[b].awaited);
  EXPECT_TRUE(state().awaited.empty());
}

TEST_F(RequestTables, DepositsAreTakenOnce) {
  const std::uint32_t slot = begin(OperationKind::collective, 1);
  EXPECT_TRUE(table.deposits(slot).empty());
  table.keep_deposits(slot, {4, 5});
  EXPECT_EQ(table.deposits(slot).size(), 2U);
  EXPECT_EQ(table.take_completed(slot).deposits, (std::vector<std::uint64_t>{4, 5}));
  EXPECT_TRUE(table.take_completed(slot).deposits.empty());
}

TEST_F(RequestTables, AHeadIsCopiedAsFarAsItHasCome) {
  state().operation.streamed = true;
  const std::uint32_t slot = begin(OperationKind::receive, 1);
  table.comes(slot, {Bytes(60), ByteCost::from_fs(1'000'000), Bytes()});  // 1 ns a byte; 40 of 100 are there
  EXPECT_TRUE(table.has_come(slot, Bytes(40)));
  EXPECT_FALSE(table.has_come(slot, Bytes(41)));
  EXPECT_EQ(table.copy_what_came(slot), SimTime::from_ps(40'000));
  EXPECT_EQ(table.copy_what_came(slot), SimTime()) << "nothing more has come";
  EXPECT_TRUE(table.more_came(slot, Bytes(10)));
  EXPECT_EQ(table.copy_what_came(slot), SimTime::from_ps(50'000));
  EXPECT_EQ(table.outcome_of(slot).coming, Bytes(10));
}

TEST_F(RequestTables, TheRestOfAForgottenMessageEndsItsRequest) {
  state().operation.streamed = true;
  const std::uint32_t slot = begin(OperationKind::receive, 1);
  state().heads[RequestId{1}] = slot;
  table.comes(slot, {Bytes(60), ByteCost(), Bytes()});
  table.forget_rest(state(), slot);
  EXPECT_TRUE(state().heads.empty());
  EXPECT_FALSE(table.more_came(slot, Bytes(20))) << "nobody wants it";
  EXPECT_NE(begin(OperationKind::send, 2), slot) << "more may come for the slot";
  EXPECT_FALSE(table.more_came(slot, Bytes()));
  EXPECT_EQ(begin(OperationKind::send, 3), slot) << "all has come";
}

class Listener final : public CausalityObserver {
 public:
  void released(const Release& release) override { told.push_back(release); }
  std::vector<Release> told;
};

TEST_F(RequestTables, ReleasesAreToldOfRanksThatHadNothingToDo) {
  Listener listener;
  Releases releases(&listener, ranks, table);
  const std::uint32_t slot = begin(OperationKind::receive, 1);
  state().operation.kind = OperationKind::wait;
  Origin origin;
  origin.by = Rank{3};
  origin.ready = us;
  origin.wire = 10 * us;  // more than has passed
  releases.note(slot, origin);
  ready(slot, 4 * us);
  releases.tell(slot, 4 * us);
  EXPECT_TRUE(listener.told.empty()) << "the rank had something to do until then";
  releases.tell(slot, 2 * us);
  ASSERT_EQ(listener.told.size(), 1U);
  EXPECT_EQ(listener.told[0].at, 4 * us);
  EXPECT_EQ(listener.told[0].by.rank, Rank{3});
  EXPECT_EQ(listener.told[0].ready, us);
  EXPECT_EQ(listener.told[0].wire, 3 * us) << "no more than lies between";
  releases.forget(slot);
  releases.tell(slot, 2 * us);
  EXPECT_EQ(listener.told.size(), 1U);
}

TEST_F(RequestTables, NothingIsKeptOfOriginsIfNobodyAsks) {
  Releases releases(nullptr, ranks, table);
  releases.note(begin(OperationKind::receive, 1), Origin{});
  EXPECT_FALSE(releases.are_asked());
  EXPECT_EQ(releases.origin_of(0), nullptr);
}

}  // namespace
}  // namespace morgana
