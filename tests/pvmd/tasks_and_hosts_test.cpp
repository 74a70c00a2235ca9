#include <csignal>
#include <cstdint>
#include <map>

#include "machine.h"

namespace morgana::pvm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::int32_t spawned = task_spawned | task_connected;

TEST(PvmTasks, AreListedWithParentHostFlagAndProcess) {
  Machine machine(2);
  machine.spawn(1);
  const Reply reply = machine.answer(machine.first, Ask::tasks, {0});
  const TaskId first = task_id(0, rank(1)), child = task_id(1, rank(2));
  EXPECT_THAT(reply.numbers, ElementsAre(first, 0, host_id(0), task_connected, 999,  //
                                         child, first, host_id(1), spawned, 1002));
  EXPECT_THAT(reply.texts, ElementsAre("", "slave"));
}

TEST(PvmTasks, AreListedOfOneHostOrOneTask) {
  Machine machine(2);
  machine.spawn(2);  // rank 2 on h1, rank 3 on h0
  EXPECT_EQ(machine.answer(machine.first, Ask::tasks, {host_id(0)}).texts.size(), 2U);
  const Reply one = machine.answer(machine.first, Ask::tasks, {task_id(1, rank(2))});
  EXPECT_EQ(one.texts.size(), 1U);
  EXPECT_EQ(one.numbers.at(0), task_id(1, rank(2)));
  EXPECT_THAT(machine.answer(machine.first, Ask::tasks, {task_id(1, rank(9))}).numbers, IsEmpty());
  EXPECT_EQ(machine.status(machine.first, Ask::tasks, {host_id(2)}), no_host);
}

TEST(PvmTasks, HaveAStatusWhileTheyLive) {
  Machine machine;
  machine.spawn(1);
  const TaskId child = task_id(0, rank(2));
  EXPECT_EQ(machine.status(machine.first, Ask::task_status, {child}), pvm_ok);
  machine.die(rank(2));
  EXPECT_EQ(machine.status(machine.first, Ask::task_status, {child}), no_task);
  EXPECT_EQ(machine.status(machine.first, Ask::task_status, {task_id(7, rank(1))}), no_task);
}

TEST(PvmTasks, AreEndedByPvmKill) {
  Machine machine;
  machine.spawn(1);
  EXPECT_EQ(machine.status(machine.first, Ask::kill, {task_id(0, rank(2))}), pvm_ok);
  EXPECT_THAT(machine.ended, ElementsAre(rank(2)));
  EXPECT_EQ(machine.daemon.tasks(), 1U);
  EXPECT_EQ(machine.status(machine.first, Ask::kill, {task_id(0, rank(2))}), pvm_ok);
  EXPECT_THAT(machine.ended, IsEmpty());
  EXPECT_EQ(machine.status(machine.first, Ask::kill, {host_id(0)}), bad_parameter);
}

TEST(PvmTasks, GetNoReplyIfTheyKillThemselves) {
  Machine machine;
  machine.ask(machine.first, Ask::kill, {task_id(0, machine.first)});
  EXPECT_THAT(machine.ended, ElementsAre(machine.first));
  EXPECT_TRUE(machine.replies.empty());
}

TEST(PvmTasks, GetSignals) {
  Machine machine;
  machine.spawn(1);
  EXPECT_EQ(machine.status(machine.first, Ask::signal, {task_id(0, rank(2)), SIGUSR1}), pvm_ok);
  EXPECT_THAT(machine.launcher.signals, ElementsAre(std::pair(rank(2), SIGUSR1)));
  machine.ask(machine.first, Ask::signal, {task_id(0, rank(2)), SIGKILL});
  EXPECT_THAT(machine.ended, ElementsAre(rank(2)));
}

TEST(PvmTasks, AreAllEndedByHalt) {
  Machine machine;
  machine.spawn(2);
  machine.ask(rank(2), Ask::halt);
  EXPECT_THAT(machine.ended, ElementsAre(rank(1), rank(2), rank(3)));
  EXPECT_TRUE(machine.replies.empty());
  EXPECT_EQ(machine.daemon.tasks(), 0U);
}

TEST(PvmTasks, ThatHaveLeftAreToldThatThereIsNoDaemonForThem) {
  Machine machine;
  machine.ask(machine.first, Ask::leave);
  EXPECT_TRUE(machine.replies.empty());
  EXPECT_EQ(machine.status(machine.first, Ask::config), system_error);
}

// PVM 3.4.6: pvm_exit(); pvm_mytid() gives t40002 where it was t40001, with no parent.
TEST(PvmTasks, ThatHaveLeftEnrolAnewUnderANewId) {
  Machine machine;
  machine.spawn(1);
  machine.ask(rank(2), Ask::leave);
  EXPECT_EQ(machine.status(rank(2), Ask::enroll), task_id(0, rank(3)));
  EXPECT_EQ(machine.successors, (std::map<Rank, Rank>{{rank(2), rank(3)}}));
  EXPECT_EQ(machine.daemon.tasks(), 2U);
  const Reply reply = machine.answer(machine.first, Ask::tasks, {task_id(0, rank(3))});
  EXPECT_THAT(reply.numbers, ElementsAre(task_id(0, rank(3)), 0, host_id(0), task_connected, 1002));
  EXPECT_EQ(machine.status(machine.first, Ask::task_status, {task_id(0, rank(2))}), no_task);
  EXPECT_EQ(machine.status(rank(3), Ask::enroll), task_id(0, rank(3))) << "it is there already";
}

TEST(PvmTasks, CanNotEnrolAnewWhenTooManyHaveBegun) {
  Machine machine(1, 1);
  machine.ask(machine.first, Ask::leave);
  EXPECT_EQ(machine.status(machine.first, Ask::enroll), out_of_resources);
}

TEST(PvmTasks, DoNotComeBackFromTheDead) {
  Machine machine;
  machine.spawn(1);
  machine.die(rank(2));
  machine.ask(rank(2), Ask::enroll);
  EXPECT_TRUE(machine.replies.empty());
  EXPECT_EQ(machine.daemon.tasks(), 1U);
}

TEST(PvmTasks, ThatHaveEndedAreNotAnswered) {
  Machine machine;
  machine.spawn(1);
  machine.ask(machine.first, Ask::kill, {task_id(0, rank(2))});
  machine.ask(rank(2), Ask::config);  // was on its way
  EXPECT_TRUE(machine.replies.empty());
}

TEST(PvmTasks, AreNamedInTheErrorIfTheirRequestMakesNoSense) {
  Machine machine;
  try {
    machine.daemon.handle(machine.first, {}, {});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("t40001 (master)"));
  }
  EXPECT_THROW(machine.ask(rank(5), Ask::config), Error);
}

TEST(PvmHosts, AreConfigured) {
  Machine machine(2);
  const Reply reply = machine.answer(machine.first, Ask::config);
  EXPECT_THAT(reply.numbers,
              ElementsAre(1, host_id(0), 1000, data_signature, host_id(1), 1000, data_signature));
  EXPECT_THAT(reply.texts, ElementsAre("h0", "LINUX64", "h1", "LINUX64"));
}

TEST(PvmHosts, HaveAStatus) {
  Machine machine(2);
  EXPECT_EQ(machine.status(machine.first, Ask::host_status, {}, {"h1"}), pvm_ok);
  EXPECT_EQ(machine.status(machine.first, Ask::host_status, {}, {"."}), pvm_ok);
  EXPECT_EQ(machine.status(machine.first, Ask::host_status, {}, {"h2"}), no_host);
}

TEST(PvmHosts, TakeTheirTasksWithThemWhenTheyAreDeleted) {
  Machine machine(3);
  machine.spawn(3);  // h1, h2, h0
  const Reply reply = machine.answer(machine.first, Ask::delete_hosts, {}, {"h1", "h0", "h1", "nowhere"});
  EXPECT_EQ(reply.status, 1);
  EXPECT_THAT(reply.numbers, ElementsAre(pvm_ok, bad_parameter, duplicate_host, no_host));
  EXPECT_THAT(machine.ended, ElementsAre(rank(2)));
  EXPECT_EQ(machine.answer(machine.first, Ask::config).texts.size(), 4U);
  EXPECT_EQ(machine.status(machine.first, Ask::host_status, {}, {"h1"}), no_host);
}

TEST(PvmHosts, CanBeAddedAgain) {
  Machine machine(2);
  machine.ask(machine.first, Ask::delete_hosts, {}, {"h1"});
  const Reply reply =
      machine.answer(machine.first, Ask::add_hosts, {}, {"h1 lo=me", "h0", "h1", "other", ""});
  EXPECT_EQ(reply.status, 1);
  EXPECT_THAT(reply.numbers, ElementsAre(host_id(1), duplicate_host, duplicate_host, no_host, bad_parameter));
}

TEST(PvmHosts, KnowTheTime) {
  Machine machine(2);
  machine.now = SimTime::from_ps(5'000'000'999);
  EXPECT_THAT(machine.answer(machine.first, Ask::clock, {host_id(1)}).numbers, ElementsAre(5000));
  EXPECT_EQ(machine.status(machine.first, Ask::clock, {host_id(2)}), no_host);
}

TEST(PvmContexts, AreNumbersThatNobodyElseHas) {
  Machine machine;
  const std::int32_t first = machine.status(machine.first, Ask::new_context);
  EXPECT_EQ(first, 0x40001);
  EXPECT_EQ(machine.status(machine.first, Ask::new_context), 0x40002);
  EXPECT_EQ(machine.status(machine.first, Ask::free_context, {first}), 0);
  EXPECT_EQ(machine.status(machine.first, Ask::free_context, {first}), -32);
  EXPECT_EQ(machine.status(machine.first, Ask::new_context), 0x40003);
}

}  // namespace
}  // namespace morgana::pvm
