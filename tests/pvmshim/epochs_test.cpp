#include "pvmshim/mpi/epochs.h"

#include <gtest/gtest.h>

namespace morgana::mpi {
namespace {

constexpr std::size_t members = 3;

TEST(Epochs, NoAccessBeforeAnyEpoch) {
  Epochs epochs(members);
  EXPECT_FALSE(epochs.access(0));
  EXPECT_FALSE(epochs.flush(0));
  EXPECT_FALSE(epochs.is_passive());
  EXPECT_FALSE(epochs.is_posted());
  EXPECT_TRUE(epochs.may_free());
}

TEST(Epochs, NothingEndsThatHasNotBegun) {
  Epochs epochs(members);
  EXPECT_FALSE(epochs.complete());
  EXPECT_FALSE(epochs.unlock(1));
  EXPECT_FALSE(epochs.unlock_all());
}

TEST(Epochs, BetweenFencesEveryTargetMayBeAccessed) {
  Epochs epochs(members);
  ASSERT_TRUE(epochs.fence(true));
  for (int target = 0; target < 3; ++target) EXPECT_TRUE(epochs.access(target));
  EXPECT_FALSE(epochs.flush(0));
  EXPECT_FALSE(epochs.may_free());
  EXPECT_TRUE(epochs.fence(true));
  EXPECT_TRUE(epochs.may_free());
}

TEST(Epochs, AFenceThatNothingFollowsEndsThem) {
  Epochs epochs(members);
  ASSERT_TRUE(epochs.fence(true));
  ASSERT_TRUE(epochs.access(0));
  ASSERT_TRUE(epochs.fence(false));
  EXPECT_FALSE(epochs.access(0));
}

TEST(Epochs, AfterAFenceAnyOtherMayBeginUntilTheFirstAccess) {
  const auto fenced = [](bool accessed) {
    Epochs epochs(members);
    epochs.fence(true);
    if (accessed) epochs.access(0);
    return epochs;
  };
  EXPECT_TRUE(fenced(false).lock(0));
  EXPECT_TRUE(fenced(false).lock_all());
  EXPECT_TRUE(fenced(false).start({0}));
  EXPECT_TRUE(fenced(false).post());
  EXPECT_FALSE(fenced(true).lock(0));
  EXPECT_FALSE(fenced(true).lock_all());
  EXPECT_FALSE(fenced(true).start({0}));
  EXPECT_FALSE(fenced(true).post());
}

TEST(Epochs, OnlyTheTargetsThatWereNamedAreAccessedAfterStart) {
  Epochs epochs(members);
  ASSERT_TRUE(epochs.start({2}));
  EXPECT_TRUE(epochs.access(2));
  EXPECT_FALSE(epochs.access(0));
  EXPECT_FALSE(epochs.start({0}));
  EXPECT_FALSE(epochs.lock(0));
  EXPECT_FALSE(epochs.fence(true));
  ASSERT_TRUE(epochs.complete());
  ASSERT_TRUE(epochs.start({0}));
  EXPECT_FALSE(epochs.access(2));
}

TEST(Epochs, ExposureDoesNotHinderAccessOtherThanByFences) {
  Epochs epochs(members);
  ASSERT_TRUE(epochs.post());
  EXPECT_FALSE(epochs.post());
  EXPECT_FALSE(epochs.fence(true));
  EXPECT_FALSE(epochs.may_free());
  EXPECT_FALSE(epochs.access(0));
  ASSERT_TRUE(epochs.lock(1));
  EXPECT_TRUE(epochs.access(1));
  ASSERT_TRUE(epochs.is_posted());
  epochs.end_exposure();
  EXPECT_FALSE(epochs.is_posted());
  EXPECT_TRUE(epochs.unlock(1));
  EXPECT_TRUE(epochs.fence(true));
}

TEST(Epochs, SeveralTargetsMayBeLockedEachOnce) {
  Epochs epochs(members);
  ASSERT_TRUE(epochs.lock(0));
  ASSERT_TRUE(epochs.lock(2));
  EXPECT_FALSE(epochs.lock(0));
  EXPECT_FALSE(epochs.lock_all());
  EXPECT_TRUE(epochs.access(2));
  EXPECT_FALSE(epochs.access(1));
  EXPECT_TRUE(epochs.flush(0));
  EXPECT_FALSE(epochs.flush(1));
  ASSERT_TRUE(epochs.unlock(0));
  EXPECT_TRUE(epochs.is_passive());
  EXPECT_FALSE(epochs.access(0));
  ASSERT_TRUE(epochs.unlock(2));
  EXPECT_FALSE(epochs.is_passive());
  EXPECT_TRUE(epochs.may_free());
}

TEST(Epochs, AllMayBeLockedAtOnce) {
  Epochs epochs(members);
  ASSERT_TRUE(epochs.lock_all());
  EXPECT_TRUE(epochs.access(1));
  EXPECT_TRUE(epochs.flush(2));
  EXPECT_FALSE(epochs.lock(0));
  EXPECT_FALSE(epochs.unlock(0));
  EXPECT_FALSE(epochs.may_free());
  EXPECT_TRUE(epochs.unlock_all());
  EXPECT_TRUE(epochs.may_free());
}

}  // namespace
}  // namespace morgana::mpi
