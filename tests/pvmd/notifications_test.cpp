#include "machine.h"

namespace morgana::pvm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr TaskId child = task_id(0, Rank{2});

TEST(PvmNotify, TellsThatATaskHasLeft) {
  Machine machine;
  machine.spawn(1);
  EXPECT_EQ(machine.status(machine.first, Ask::notify, {task_exit, 4, 77, 1, child}), pvm_ok);
  EXPECT_THAT(machine.notices, IsEmpty());
  machine.ask(rank(2), Ask::leave);
  EXPECT_THAT(machine.notices, ElementsAre(Notice{machine.first, 4, 77, {child}}));
}

TEST(PvmNotify, TellsThatATaskHasDiedOnlyOnce) {
  Machine machine;
  machine.spawn(1);
  machine.ask(machine.first, Ask::notify, {task_exit, 0, 77, 1, child});
  machine.die(rank(2));
  EXPECT_EQ(machine.notices.size(), 1U);
  machine.die(rank(2));
  EXPECT_THAT(machine.notices, IsEmpty());
}

TEST(PvmNotify, TellsAtOnceOfATaskThatIsNotThere) {
  Machine machine;
  machine.ask(machine.first, Ask::notify, {task_exit, 0, 5, 2, child, task_id(9, rank(3))});
  EXPECT_THAT(machine.notices, ElementsAre(Notice{machine.first, 0, 5, {child}},
                                           Notice{machine.first, 0, 5, {task_id(9, rank(3))}}));
}

TEST(PvmNotify, TellsEachTimeThatItWasAsked) {
  Machine machine;
  machine.spawn(2);
  machine.ask(machine.first, Ask::notify, {task_exit, 0, 5, 1, child});
  machine.ask(machine.first, Ask::notify, {task_exit, 0, 6, 1, child});
  machine.ask(rank(3), Ask::notify, {task_exit, 0, 5, 1, child});
  machine.die(rank(2));
  EXPECT_THAT(machine.notices,
              ElementsAre(Notice{machine.first, 0, 5, {child}}, Notice{machine.first, 0, 6, {child}},
                          Notice{rank(3), 0, 5, {child}}));
}

TEST(PvmNotify, TellsNothingToTheDead) {
  Machine machine;
  machine.spawn(2);
  machine.ask(rank(3), Ask::notify, {task_exit, 0, 5, 1, child});
  machine.die(rank(3));
  machine.die(rank(2));
  EXPECT_THAT(machine.notices, IsEmpty());
}

TEST(PvmNotify, DeliversWhatIsCancelled) {
  Machine machine;
  machine.spawn(1);
  machine.ask(machine.first, Ask::notify, {task_exit, 0, 5, 1, child});
  machine.ask(machine.first, Ask::notify, {task_exit | notify_cancel, 0, 6, 1, child});
  EXPECT_THAT(machine.notices, IsEmpty()) << "another tag";
  machine.ask(machine.first, Ask::notify, {task_exit | notify_cancel, 0, 5, 1, child});
  EXPECT_THAT(machine.notices, ElementsAre(Notice{machine.first, 0, 5, {child}}));
  machine.die(rank(2));
  EXPECT_THAT(machine.notices, IsEmpty());
}

TEST(PvmNotify, TellsThatAHostIsDeleted) {
  Machine machine(3);
  machine.spawn(1);  // rank 2 on h1
  machine.ask(machine.first, Ask::notify, {host_delete, 0, 5, 3, host_id(1), host_id(2), host_id(8)});
  EXPECT_THAT(machine.notices, ElementsAre(Notice{machine.first, 0, 5, {host_id(8)}}));
  machine.ask(machine.first, Ask::notify, {task_exit, 0, 6, 1, task_id(1, rank(2))});
  machine.ask(machine.first, Ask::delete_hosts, {}, {"h1"});
  EXPECT_THAT(machine.notices, ElementsAre(Notice{machine.first, 0, 6, {task_id(1, rank(2))}},
                                           Notice{machine.first, 0, 5, {host_id(1)}}));
  machine.ask(machine.first, Ask::notify, {host_delete | notify_cancel, 0, 5, 1, host_id(2)});
  EXPECT_THAT(machine.notices, ElementsAre(Notice{machine.first, 0, 5, {host_id(2)}}));
}

TEST(PvmNotify, TellsThatHostsAreAddedAsOftenAsWanted) {
  Machine machine(3);
  const auto again = [&] {
    machine.ask(machine.first, Ask::delete_hosts, {}, {"h1", "h2"});
    machine.ask(machine.first, Ask::add_hosts, {}, {"h1", "h2"});
    return machine.notices;
  };
  const Notice notice{machine.first, 1, 5, {2, host_id(2), host_id(1)}};
  machine.ask(machine.first, Ask::notify, {host_add, 1, 5, 2});
  EXPECT_THAT(again(), ElementsAre(notice));
  EXPECT_THAT(again(), ElementsAre(notice));
  EXPECT_THAT(again(), IsEmpty());
  machine.ask(machine.first, Ask::notify, {host_add, 1, 5, -1});
  for (int i = 0; i < 3; ++i) EXPECT_THAT(again(), ElementsAre(notice));
  machine.ask(machine.first, Ask::notify, {host_add, 1, 5, 0});
  EXPECT_THAT(again(), IsEmpty());
  machine.ask(machine.first, Ask::notify, {host_add, 1, 5, -1});
  machine.ask(machine.first, Ask::notify, {host_add | notify_cancel, 1, 5, -1});
  EXPECT_THAT(again(), IsEmpty());
}

TEST(PvmNotify, RefusesWhatMakesNoSense) {
  Machine machine;
  EXPECT_EQ(machine.status(machine.first, Ask::notify, {task_exit, 0, 5, 0}), bad_parameter);
  EXPECT_EQ(machine.status(machine.first, Ask::notify, {9, 0, 5, 1, child}), bad_parameter);
  EXPECT_EQ(machine.status(machine.first, Ask::notify, {task_exit, 0, 5, 1, host_id(0)}), bad_parameter);
  EXPECT_THROW(machine.ask(machine.first, Ask::notify, {task_exit, 0, 5, 2, child}), Error);
}

}  // namespace
}  // namespace morgana::pvm
