#include "machine.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace morgana::pvm {
namespace {

using testing::ElementsAre;

std::vector<std::uint32_t> hosts_of(const std::vector<std::int64_t>& ids) {
  std::vector<std::uint32_t> hosts;
  for (const std::int64_t id : ids) hosts.push_back(host_of(static_cast<TaskId>(id)));
  return hosts;
}

TEST(PvmSpawn, GivesEachTaskTheNextRank) {
  Machine machine(2);
  EXPECT_THAT(machine.spawn(2), ElementsAre(task_id(1, rank(2)), task_id(0, rank(3))));
  EXPECT_THAT(machine.begun, ElementsAre(rank(2), rank(3)));
  EXPECT_EQ(machine.daemon.tasks(), 3U);
}

TEST(PvmSpawn, BeginsBehindTheSpawnersHost) {
  EXPECT_THAT(hosts_of(Machine(4).spawn(1)), ElementsAre(1));
}

TEST(PvmSpawn, GoesOnWhereTheLastOneHasEnded) {
  Machine machine(3);
  EXPECT_THAT(hosts_of(machine.spawn(1)), ElementsAre(1));
  EXPECT_THAT(hosts_of(machine.spawn(1)), ElementsAre(2));
  EXPECT_THAT(hosts_of(machine.spawn(2)), ElementsAre(0, 1));
}

TEST(PvmSpawn, GivesHostsBlocksOfTasks) {
  EXPECT_THAT(hosts_of(Machine(2).spawn(5)), ElementsAre(1, 1, 1, 0, 0));
  EXPECT_THAT(hosts_of(Machine(4).spawn(4)), ElementsAre(1, 2, 3, 0));
}

TEST(PvmSpawn, CountsOnFromEachSpawnersOwnHost) {
  Machine machine(3);
  machine.spawn(1);  // rank 2 on h1
  EXPECT_THAT(hosts_of(machine.spawn(1, 0, "", rank(2))), ElementsAre(2));
  EXPECT_THAT(hosts_of(machine.spawn(1)), ElementsAre(2));
}

TEST(PvmSpawn, TakesTheHostThatIsNamed) {
  Machine machine(3);
  EXPECT_THAT(hosts_of(machine.spawn(2, spawn_on_host, "h2")), ElementsAre(2, 2));
  EXPECT_THAT(hosts_of(machine.spawn(1, spawn_on_host, ".")), ElementsAre(0));
  EXPECT_THAT(hosts_of(machine.spawn(1, spawn_on_host, ".", rank(2))), ElementsAre(2));
}

TEST(PvmSpawn, TakesTheOneArchitectureThatThereIs) {
  Machine machine(2);
  EXPECT_THAT(hosts_of(machine.spawn(2, spawn_on_architecture, "LINUX64")), ElementsAre(1, 0));
  EXPECT_THAT(machine.spawn(1, spawn_on_architecture, "SUN4"), ElementsAre(no_host));
}

TEST(PvmSpawn, TakesAllOtherHostsIfToldSo) {
  Machine machine(3);
  EXPECT_THAT(hosts_of(machine.spawn(4, spawn_on_host | spawn_on_complement, ".")), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(machine.spawn(1, spawn_on_complement), ElementsAre(no_host));
}

TEST(PvmSpawn, SaysThatThereIsNoSuchHost) {
  Machine machine;
  EXPECT_THAT(machine.spawn(2, spawn_on_host, "nowhere"), ElementsAre(no_host, no_host));
  EXPECT_EQ(machine.replies[machine.first].status, 0);
  EXPECT_TRUE(machine.launcher.started.empty());
}

TEST(PvmSpawn, PutsTheIdsInFrontOfTheErrors) {
  Machine machine(2);
  machine.launcher.failing[1] = no_file;
  EXPECT_THAT(machine.spawn(4), ElementsAre(task_id(0, rank(2)), task_id(0, rank(3)), no_file, no_file));
  EXPECT_EQ(machine.replies[machine.first].status, 2);
}

TEST(PvmSpawn, SaysThatItIsOutOfResourcesWhenRanksAre) {
  Machine machine(1, 3);
  EXPECT_THAT(machine.spawn(3), ElementsAre(task_id(0, rank(2)), task_id(0, rank(3)), out_of_resources));
}

TEST(PvmSpawn, GivesARankOnlyOnce) {
  Machine machine(1, 2);
  machine.spawn(1);
  machine.die(rank(2));
  EXPECT_THAT(machine.spawn(1), ElementsAre(out_of_resources));
}

TEST(PvmSpawn, PassesArgumentsVariablesAndFolder) {
  Machine machine;
  machine.ask(machine.first, Ask::spawn, {spawn_in_debugger, 1, 2},
              {"slave", ":/tmp/there", "first", "second", "A=1", "B=2"});
  const TaskStart& start = machine.launcher.started.at(0);
  EXPECT_EQ(start.file, "slave");
  EXPECT_THAT(start.arguments, ElementsAre("first", "second"));
  EXPECT_THAT(start.variables, ElementsAre("A=1", "B=2"));
  EXPECT_EQ(start.folder, "/tmp/there");
  EXPECT_TRUE(start.debug);
  EXPECT_EQ(start.parent, task_id(0, machine.first));
}

TEST(PvmSpawn, HidesTheParentIfToldSo) {
  Machine machine;
  machine.spawn(1, spawn_without_parent);
  EXPECT_EQ(machine.launcher.started.at(0).parent, parent_not_set);
}

TEST(PvmSpawn, OfNothingIsABadParameter) {
  Machine machine;
  EXPECT_EQ(machine.status(machine.first, Ask::spawn, {0, 0, 0}, {"slave", ""}), bad_parameter);
  EXPECT_EQ(machine.status(machine.first, Ask::spawn, {0, -1, 0}, {"slave", ""}), bad_parameter);
}

TEST(PvmSpawn, WithoutItsTextsIsNoRequest) {
  Machine machine;
  EXPECT_THROW(machine.ask(machine.first, Ask::spawn, {0, 1, 3}, {"slave", "", "only one"}), Error);
  EXPECT_THROW(machine.ask(machine.first, Ask::spawn, {0, 1}, {"slave", ""}), Error);
}

TEST(PvmOutput, GoesToWhoeverHasCaughtIt) {
  Machine machine;
  machine.spawn(1);
  EXPECT_EQ(machine.launcher.started.at(0).output, std::nullopt);
  machine.ask(machine.first, Ask::catch_output, {5});
  EXPECT_THAT(machine.launcher.caught, ElementsAre(std::pair(machine.first, 5)));
  machine.spawn(1);
  EXPECT_EQ(machine.launcher.started.at(1).output, machine.first);
  machine.ask(machine.first, Ask::catch_output, {-1});
  machine.spawn(1);
  EXPECT_EQ(machine.launcher.started.at(2).output, std::nullopt);
}

TEST(PvmOutput, OfGrandchildrenGoesToTheSame) {
  Machine machine;
  machine.ask(machine.first, Ask::catch_output, {1});
  machine.spawn(1);                  // rank 2
  machine.spawn(1, 0, "", rank(2));  // rank 3
  EXPECT_EQ(machine.launcher.started.at(1).output, machine.first);
  machine.ask(rank(3), Ask::catch_output, {1});
  machine.spawn(1, 0, "", rank(3));
  EXPECT_EQ(machine.launcher.started.at(2).output, rank(3));
}

TEST(PvmOutput, IsWaitedForUntilAllWhoWriteItHaveEnded) {
  Machine machine;
  machine.ask(machine.first, Ask::catch_output, {1});
  machine.spawn(2);
  machine.ask(machine.first, Ask::wait_children_output);
  EXPECT_TRUE(machine.replies.empty());
  machine.ask(rank(2), Ask::leave);
  EXPECT_TRUE(machine.replies.empty());
  machine.die(rank(3));
  EXPECT_EQ(machine.replies.count(machine.first), 1U);
}

TEST(PvmOutput, IsNotWaitedForIfNobodyWritesAny) {
  Machine machine;
  machine.spawn(1);
  EXPECT_EQ(machine.status(machine.first, Ask::wait_children_output), pvm_ok);
}

}  // namespace
}  // namespace morgana::pvm
