#include "emulator/engine/entered_collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "emulator/core/error.h"

namespace morgana {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EnteredCollectivesTest : public ::testing::Test {
 protected:
  static Operation collective(CollectiveKind kind, std::int32_t root = 0, std::uint64_t payload = 0) {
    Operation operation;
    operation.kind = OperationKind::collective;
    operation.call = Call::MPI_Bcast;
    operation.context = world_context;
    operation.collective.kind = kind;
    operation.collective.root = root;
    operation.payload = payload;
    return operation;
  }

  ContextTable contexts{3, 3, nullptr};
  EnteredCollectives entered{contexts, 3};
};

TEST_F(EnteredCollectivesTest, AreKnownByTheOrderOfEachMembersCalls) {
  const auto first = entered.enter(Rank{1}, collective(CollectiveKind::barrier), 1_us);
  const auto second = entered.enter(Rank{1}, collective(CollectiveKind::broadcast), 2_us);
  EXPECT_NE(first.collective, second.collective);
  EXPECT_EQ(second.sequence, 1U);
  EXPECT_EQ(second.place, 1);
  EXPECT_EQ(entered.enter(Rank{0}, collective(CollectiveKind::barrier), 3_us).collective, first.collective);
  EXPECT_THAT(entered.missing(first.collective, Rank{1}), ElementsAre(Rank{2}));
  EXPECT_THAT(entered.missing(second.collective, Rank{1}), ElementsAre(Rank{0}, Rank{2}));
  EXPECT_FALSE(entered.all_have_entered(first.collective));
  entered.enter(Rank{2}, collective(CollectiveKind::barrier), 4_us);
  EXPECT_TRUE(entered.all_have_entered(first.collective));
}

// The first two leave before the last one enters.
TEST_F(EnteredCollectivesTest, LastUntilAllHaveLeft) {
  std::uint32_t number = 0;
  for (const Rank rank : {Rank{0}, Rank{2}}) {
    number = entered.enter(rank, collective(CollectiveKind::broadcast, 0, 5 + index(rank)), 1_us).collective;
    entered.leave(number);
  }
  EXPECT_EQ(entered.enter(Rank{1}, collective(CollectiveKind::broadcast), 2_us).collective, number);
  EXPECT_THAT(entered.deposits(number), ElementsAre(5, 0, 7));
  entered.leave(number);
  const auto next = entered.enter(Rank{1}, collective(CollectiveKind::barrier), 3_us);
  EXPECT_EQ(next.sequence, 1U);
  EXPECT_THAT(entered.deposits(next.collective), IsEmpty());
  EXPECT_THAT(entered.missing(next.collective, Rank{1}), ElementsAre(Rank{0}, Rank{2}));
}

TEST_F(EnteredCollectivesTest, KnowWhomAMemberWaitedFor) {
  const auto enter_all = [&](CollectiveKind kind) {  // at 1, 2, and 3 us; the root is rank 1
    std::uint32_t number = 0;
    SimTime at;
    for (const Rank rank : {Rank{0}, Rank{1}, Rank{2}})
      number = entered.enter(rank, collective(kind, 1), at += 1_us).collective;
    return number;
  };
  EXPECT_EQ(entered.partner_at(enter_all(CollectiveKind::allreduce), Rank{0}), 3_us);
  EXPECT_EQ(entered.partner_at(enter_all(CollectiveKind::broadcast), Rank{0}), 2_us);
  const std::uint32_t reduce = enter_all(CollectiveKind::reduce);
  EXPECT_EQ(entered.partner_at(reduce, Rank{1}), 1_us);
  EXPECT_EQ(entered.partner_at(reduce, Rank{0}), SimTime());
  EXPECT_EQ(entered.partner_at(enter_all(CollectiveKind::scan), Rank{2}), SimTime());
}

TEST_F(EnteredCollectivesTest, RefuseMembersThatDiffer) {
  entered.enter(Rank{0}, collective(CollectiveKind::broadcast, 1), 1_us);
  EXPECT_THROW(entered.enter(Rank{1}, collective(CollectiveKind::broadcast, 2), 1_us), Error);
  EXPECT_THROW(entered.enter(Rank{2}, collective(CollectiveKind::gather, 1), 1_us), Error);
}

}  // namespace
}  // namespace morgana
