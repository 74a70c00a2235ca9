#include "machine.h"

#include <cstdint>
#include <string>

namespace morgana::pvm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int32_t direct(std::int32_t index) {
  return index << 10;  // PvmMboxDirectIndex
}

/// Three tasks, and the calls of PVM.
class PvmMailboxes : public testing::Test {
 protected:
  void SetUp() override { machine.spawn(2); }

  std::int32_t put(int task, std::int32_t flags, int message = 0, std::int32_t index = -1,
                   const std::string& name = "box") {
    return machine.status(rank(task), Ask::put_info, {index, flags, 0}, {name}, a_message(message));
  }
  Reply receive(int task, std::int32_t flags = 0, std::int32_t index = 0) {
    return machine.answer(rank(task), Ask::receive_info, {index, flags}, {"box"});
  }
  std::int32_t remove(int task, std::int32_t index = 0) {
    return machine.status(rank(task), Ask::delete_info, {index, 0}, {"box"});
  }
  Reply list(const std::string& pattern) { return machine.answer(rank(1), Ask::list_info, {}, {pattern}); }

  Machine machine;
};

TEST_F(PvmMailboxes, KeepWhatIsPutThere) {
  EXPECT_EQ(put(1, 0, 7), 0);
  EXPECT_EQ(receive(2).data, a_message(7));
  EXPECT_EQ(receive(2).data, a_message(7)) << "reading takes nothing away";
  EXPECT_EQ(receive(2, 0, 1).status, not_found);
}

TEST_F(PvmMailboxes, LetOnlyTheOwnerChangeAnEntry) {
  put(1, 0, 1);
  EXPECT_EQ(put(2, 0, 2), denied);
  EXPECT_EQ(remove(2), denied);
  EXPECT_EQ(receive(2, mailbox_read_and_delete).status, denied);
  EXPECT_EQ(put(1, 0, 3), 0);
  EXPECT_EQ(receive(2).data, a_message(3));
  EXPECT_EQ(remove(1), 0);
  EXPECT_EQ(remove(1), not_found);
}

TEST_F(PvmMailboxes, LetEveryoneChangeWhatIsOverwritable) {
  put(1, mailbox_overwritable, 1);
  EXPECT_EQ(put(2, mailbox_overwritable, 2), 0);
  EXPECT_EQ(receive(3, mailbox_read_and_delete).data, a_message(2));
  EXPECT_EQ(receive(3).status, not_found);
}

TEST_F(PvmMailboxes, NumberManyInstances) {
  EXPECT_EQ(put(1, mailbox_many_instances, 1), 0);
  EXPECT_EQ(put(2, mailbox_many_instances, 2), 1);
  EXPECT_EQ(put(1, mailbox_many_instances, 3), 2);
  EXPECT_EQ(remove(2, 1), 1);
  EXPECT_EQ(put(1, mailbox_many_instances, 4), 1) << "the lowest free one";
  EXPECT_EQ(put(1, mailbox_many_instances, 5, 2), denied) << "the index of PVM 3.3 must be free";
}

TEST_F(PvmMailboxes, FindTheFirstThatIsAvailable) {
  for (int i = 0; i < 3; ++i) put(1, mailbox_many_instances, i);
  remove(1, 1);
  EXPECT_EQ(receive(2, 0, 1).status, not_found);
  EXPECT_EQ(receive(2, mailbox_first_available, 1).status, 2);
  EXPECT_EQ(receive(2, mailbox_first_available, 0).status, 0);
  EXPECT_EQ(receive(2, mailbox_first_available, 3).status, not_found);
}

TEST_F(PvmMailboxes, TakeTheIndexThatIsAskedFor) {
  EXPECT_EQ(put(1, mailbox_overwritable | direct(3), 1), 3);
  EXPECT_EQ(put(2, mailbox_overwritable | direct(3), 2), 3);
  EXPECT_EQ(receive(1, 0, 3).data, a_message(2));
  EXPECT_EQ(put(1, 0, 1, 9), 9) << "as pvm_insert of PVM 3.3";
}

TEST_F(PvmMailboxes, LoseTheEntriesOfTheDeadUnlessTheyPersist) {
  put(2, 0, 1);
  put(2, mailbox_persistent, 2, -1, "kept");
  machine.die(rank(2));
  EXPECT_EQ(receive(1).status, not_found);
  const Reply reply = list("*");
  EXPECT_THAT(reply.texts, ElementsAre("kept"));
  EXPECT_THAT(reply.numbers, ElementsAre(1, 0, 0, mailbox_persistent)) << "nobody owns it";
  EXPECT_EQ(put(1, 0, 3, -1, "kept"), denied);
}

TEST_F(PvmMailboxes, LetTasksWaitForAnEntry) {
  machine.ask(rank(2), Ask::receive_info, {0, mailbox_wait}, {"box"});
  EXPECT_TRUE(machine.replies.empty());
  EXPECT_EQ(put(1, 0, 8, -1, "other"), 0);
  EXPECT_EQ(machine.replies.size(), 1U);
  EXPECT_EQ(put(1, 0, 9), 0);
  EXPECT_EQ(machine.replies.at(rank(2)).data, a_message(9));
  put(1, 0, 10);
  EXPECT_EQ(machine.replies.count(rank(2)), 0U) << "it was answered before";
}

TEST_F(PvmMailboxes, GiveAnEntryToTheFirstWhoWaitsToTakeIt) {
  for (const int task : {3, 2})
    machine.ask(rank(task), Ask::receive_info, {0, mailbox_wait | mailbox_read_and_delete}, {"box"});
  put(1, mailbox_overwritable, 1);
  EXPECT_EQ(machine.replies.at(rank(3)).data, a_message(1));
  EXPECT_EQ(machine.replies.count(rank(2)), 0U);
  put(1, mailbox_overwritable, 2);
  EXPECT_EQ(machine.replies.at(rank(2)).data, a_message(2));
}

TEST_F(PvmMailboxes, ForgetTheDeadWhoWait) {
  machine.ask(rank(2), Ask::receive_info, {0, mailbox_wait | mailbox_read_and_delete}, {"box"});
  machine.die(rank(2));
  put(1, mailbox_overwritable, 1);
  EXPECT_EQ(receive(3).data, a_message(1));
}

TEST_F(PvmMailboxes, AreListedByNameWithAllEntries) {
  put(2, mailbox_many_instances);
  put(1, mailbox_many_instances);
  put(3, mailbox_persistent, 0, -1, "a");
  const Reply reply = list("*");
  EXPECT_THAT(reply.texts, ElementsAre("box", "a"));
  EXPECT_THAT(reply.numbers, ElementsAre(2,                                               //
                                         0, task_id(0, rank(2)), mailbox_many_instances,  //
                                         1, task_id(0, rank(1)), mailbox_many_instances,  //
                                         1, 0, task_id(0, rank(3)), mailbox_persistent));
}

/// What Debian's PVM 3.4.6 answers to these patterns (it is built without its regular expressions).
TEST_F(PvmMailboxes, AreFoundByPatternsAsTheRealDaemonDoes) {
  for (const char* name : {"pvmgs", "locked", "m", "d", "ow", "o", "pers", "late"}) put(1, 0, 0, -1, name);
  EXPECT_EQ(list("*").texts.size(), 8U);
  EXPECT_THAT(list("a").texts, ElementsAre("late"));
  EXPECT_THAT(list("lo").texts, ElementsAre("locked"));
  EXPECT_THAT(list("loc*ked").texts, ElementsAre("locked"));
  EXPECT_THAT(list("o").texts, ElementsAre("locked", "ow", "o"));
  EXPECT_THAT(list("*ck").texts, ElementsAre("locked"));
  for (const char* pattern : {"^l", "l.*d", "\\(", "m\\|d", ".", "[", "ow$"})
    EXPECT_THAT(list(pattern).texts, IsEmpty()) << pattern;
}

TEST_F(PvmMailboxes, TakeOnlyWholeMessages) {
  EXPECT_THROW(machine.ask(rank(1), Ask::put_info, {-1, 0, 0}, {"box"}, {}), Error);
}

// PVM 3.4.6 after a first pvm_joingroup: " pvmgs 1: [0 owner 40013 flags 0]", the group server.
TEST_F(PvmMailboxes, NameTheGroupServerOnceThereIsOne) {
  EXPECT_THAT(list("*").texts, IsEmpty());
  machine.ask(rank(1), Ask::group_size, {}, {"nobody's"});
  const Reply reply = list("*");
  EXPECT_THAT(reply.texts, ElementsAre("pvmgs"));
  EXPECT_THAT(reply.numbers, ElementsAre(1, 0, host_id(0), 0));
  EXPECT_EQ(machine.status(rank(1), Ask::delete_info, {0, 0}, {"pvmgs"}), denied);
}

}  // namespace
}  // namespace morgana::pvm
