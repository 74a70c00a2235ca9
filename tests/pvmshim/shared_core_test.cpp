#include "pvmshim/channel/shared_core.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/pvmshim/forked.h"

namespace morgana {
namespace {

using testing::Forked;

cpu_set_t mask_of(pid_t process) {
  cpu_set_t mask;
  EXPECT_EQ(sched_getaffinity(process, sizeof mask, &mask), 0);
  return mask;
}

class SharedCoreTest : public ::testing::Test {
 protected:
  void take_turns(int turns) {
    for (int i = 0; i < turns; ++i) core_.before_waking(static_cast<std::size_t>(i % 2), rank(i % 2), true);
  }
  pid_t rank(int which) const { return which == 0 ? first_.pid() : second_.pid(); }

  const cpu_set_t before_ = mask_of(0);
  Forked first_{[] { return pause(); }};
  Forked second_{[] { return pause(); }};
  SharedCore core_{2};
};

TEST_F(SharedCoreTest, IsUsedOnceRanksHaveTakenTurnsForAWhile) {
  take_turns(2);
  EXPECT_FALSE(core_.together());
  take_turns(100);
  EXPECT_TRUE(core_.together());
  const cpu_set_t here = mask_of(0);
  EXPECT_EQ(CPU_COUNT(&here), 1);
  for (const int which : {0, 1}) {
    const cpu_set_t there = mask_of(rank(which));
    EXPECT_TRUE(CPU_EQUAL(&there, &here));
  }
}

TEST_F(SharedCoreTest, IsLeftWhenTwoRanksRunAtOnce) {
  take_turns(100);
  core_.before_waking(0, rank(0), false);
  EXPECT_FALSE(core_.together());
  for (const pid_t process : {pid_t{0}, rank(0), rank(1)}) {
    const cpu_set_t after = mask_of(process);
    EXPECT_TRUE(CPU_EQUAL(&after, &before_));
  }
}

TEST_F(SharedCoreTest, RespectsTheMaskThatARankHasGivenItself) {
  cpu_set_t own;
  CPU_ZERO(&own);
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &before_)) {
      CPU_SET(core, &own);
      break;
    }
  ASSERT_EQ(sched_setaffinity(rank(1), sizeof own, &own), 0);
  take_turns(100);
  core_.part();
  const cpu_set_t after = mask_of(rank(1));
  EXPECT_TRUE(CPU_EQUAL(&after, &own));
}

}  // namespace
}  // namespace morgana
