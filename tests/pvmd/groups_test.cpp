#include "machine.h"

#include <cstdint>
#include <map>

namespace morgana::pvm {
namespace {

using testing::ElementsAre;

/// Four tasks, and the calls of libgpvm3.
class PvmGroups : public testing::Test {
 protected:
  void SetUp() override { machine.spawn(3); }

  std::int32_t join(int task) { return machine.status(rank(task), Ask::join_group, {}, {"g"}); }
  std::int32_t leave(int task) { return machine.status(rank(task), Ask::leave_group, {}, {"g"}); }
  std::int32_t size() { return machine.status(rank(1), Ask::group_size, {}, {"g"}); }
  std::int32_t instance(int task) {
    return machine.status(rank(1), Ask::group_instance, {task_id(0, rank(task))}, {"g"});
  }
  std::int32_t task(int instance) { return machine.status(rank(1), Ask::group_task, {instance}, {"g"}); }
  Reply members(bool no_holes) {
    return machine.answer(rank(1), Ask::group_members, {no_holes ? 1 : 0}, {"g"});
  }
  /// @return who has got an answer, and its status
  std::map<int, std::int32_t> meet(Ask what, int task, std::int32_t count) {
    machine.ask(rank(task), what, {count}, {"g"});
    return answered();
  }
  std::map<int, std::int32_t> barrier(int task, std::int32_t count) {
    return meet(Ask::group_barrier, task, count);
  }
  std::map<int, std::int32_t> freeze(int task, std::int32_t count) {
    return meet(Ask::freeze_group, task, count);
  }
  std::map<int, std::int32_t> answered() {
    std::map<int, std::int32_t> all;
    for (const auto& [to, reply] : machine.replies) all[static_cast<int>(to)] = reply.status;
    return all;
  }
  using Answers = std::map<int, std::int32_t>;

  Machine machine;
};

TEST_F(PvmGroups, GiveTheLowestFreeInstance) {
  EXPECT_EQ(join(3), 0);
  EXPECT_EQ(join(1), 1);
  EXPECT_EQ(join(2), 2);
  EXPECT_EQ(leave(1), pvm_ok);
  EXPECT_EQ(join(4), 1);
  EXPECT_EQ(join(1), 3);
  EXPECT_EQ(size(), 4);
  EXPECT_EQ(task(1), task_id(0, rank(4)));
  EXPECT_EQ(instance(2), 2);
}

TEST_F(PvmGroups, SayWhatIsWrong) {
  EXPECT_EQ(leave(1), no_group);
  EXPECT_EQ(size(), no_group);
  EXPECT_EQ(instance(1), no_group);
  EXPECT_EQ(task(0), no_group);
  EXPECT_EQ(barrier(1, 1), (Answers{{1, no_group}}));
  join(1);
  EXPECT_EQ(join(1), duplicate_group);
  EXPECT_EQ(leave(2), not_in_group);
  EXPECT_EQ(instance(2), not_in_group);
  EXPECT_EQ(task(1), no_instance);
  EXPECT_EQ(task(-1), no_instance);
  EXPECT_EQ(barrier(2, 1), (Answers{{2, not_in_group}}));
  EXPECT_EQ(machine.status(rank(1), Ask::join_group, {}, {""}), null_group);
}

TEST_F(PvmGroups, VanishWithTheirLastMember) {
  join(1);
  EXPECT_EQ(leave(1), pvm_ok);
  EXPECT_EQ(size(), no_group);
}

TEST_F(PvmGroups, AreLeftByTheDead) {
  join(1);
  join(2);
  machine.die(rank(2));
  EXPECT_EQ(size(), 1);
  EXPECT_EQ(task(1), no_instance);
}

TEST_F(PvmGroups, ListTheirMembersByInstance) {
  for (const int member : {3, 1, 2}) join(member);
  EXPECT_THAT(members(true).numbers,
              ElementsAre(task_id(0, rank(3)), task_id(0, rank(1)), task_id(0, rank(2))));
  leave(1);
  EXPECT_EQ(members(true).status, no_instance);
  EXPECT_THAT(members(false).numbers, ElementsAre(task_id(0, rank(3)), task_id(0, rank(2))));
  leave(2);
  EXPECT_THAT(members(true).numbers, ElementsAre(task_id(0, rank(3)))) << "nothing is missing below the size";
}

TEST_F(PvmGroups, OpenTheBarrierWhenEnoughHaveCome) {
  for (const int member : {1, 2, 3}) join(member);
  EXPECT_EQ(barrier(1, 2), Answers{});
  EXPECT_EQ(barrier(3, 2), (Answers{{1, pvm_ok}, {3, pvm_ok}}));
  EXPECT_EQ(barrier(1, -1), Answers{}) << "all three";
  EXPECT_EQ(barrier(2, 3), Answers{});
  EXPECT_EQ(barrier(3, -1), (Answers{{1, pvm_ok}, {2, pvm_ok}, {3, pvm_ok}}));
}

TEST_F(PvmGroups, TurnAwayWhoCountsDifferently) {
  join(1);
  join(2);
  EXPECT_EQ(barrier(1, 2), Answers{});
  EXPECT_EQ(barrier(2, 1), (Answers{{2, mismatch}}));
  EXPECT_EQ(barrier(2, 2), (Answers{{1, pvm_ok}, {2, pvm_ok}}));
}

TEST_F(PvmGroups, NeverOpenABarrierOfNobody) {
  join(1);
  EXPECT_EQ(barrier(1, 0), (Answers{{1, mismatch}}));
  EXPECT_EQ(barrier(1, 1), (Answers{{1, mismatch}})) << "the count of 0 stands";
}

TEST_F(PvmGroups, CountTheDeadWhoHadComeToTheBarrier) {
  for (const int member : {1, 2, 3}) join(member);
  barrier(1, 3);
  machine.die(rank(1));
  barrier(2, 3);
  EXPECT_EQ(barrier(3, 3), (Answers{{2, pvm_ok}, {3, pvm_ok}}));
}

TEST_F(PvmGroups, AreFrozenWhenEnoughHaveAsked) {
  join(1);
  join(2);
  EXPECT_EQ(freeze(1, 2), Answers{});
  EXPECT_EQ(freeze(2, 1), (Answers{{2, mismatch}}));
  EXPECT_EQ(freeze(2, 2), (Answers{{1, 2}, {2, 2}})) << "the size";
  EXPECT_THAT(machine.replies[rank(1)].numbers, ElementsAre(task_id(0, rank(1)), task_id(0, rank(2))));
  EXPECT_EQ(freeze(1, 2), (Answers{{1, duplicate_group}}));
  EXPECT_EQ(join(3), not_in_group);
}

TEST_F(PvmGroups, AreDeadOnceAMemberLeavesAFrozenOne) {
  for (const int member : {1, 2, 3}) join(member);
  for (const int member : {1, 2, 3}) freeze(member, 3);
  barrier(1, 3);
  machine.die(rank(2));
  EXPECT_EQ(answered(), (Answers{{1, no_group}}));
  EXPECT_EQ(barrier(1, 3), (Answers{{1, no_group}}));
  EXPECT_EQ(members(false).status, no_group);
  EXPECT_EQ(join(4), not_in_group);
  EXPECT_EQ(size(), 2);
}

}  // namespace
}  // namespace morgana::pvm
